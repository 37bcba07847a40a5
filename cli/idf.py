"""`trilens idf`: write the document frequencies of a study's references to a file, for CIDEr-D on other studies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import output, reading
from cli.options import KeepGoing, Tokenizer


def idf(
    files: Annotated[list[Path], typer.Argument(help="Files with references, such as the annotations of COCO val.")],
    out: Annotated[Path, typer.Option("--out", help="The .npz file to write.")],
    tokenizer: Tokenizer = None,
    keep_going: KeepGoing = False,
) -> None:
    """Count in how many items of FILES each n-gram occurs; `--idf` of score, compare and report takes the file."""
    from metrics.distances import document_frequencies

    output.check(out, (".npz",), files)
    study, _ = reading.load_study_or_exit(files, None, keep_going, False)
    found = document_frequencies.count_frequencies(study, tokenizer)
    output.write(out, document_frequencies.to_npz(found, tokenizer or study.tokenizer))
    print(f"{out}: {len(found.last):,} n-grams of {found.documents:,} items, idf:{found.digest[:12]}")

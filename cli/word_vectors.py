"""The option `--vectors` of commands that name metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import output
from data.study import DataError
from metrics.extensions import word_vector_metrics


def _load(path: Path | None) -> Path | None:
    try:
        if path is None:
            word_vector_metrics.load_named()
        else:
            word_vector_metrics.load(path)
    except DataError as why:
        output.fail(str(why))
    except OSError as why:
        output.fail(f"{why.filename}: {why.strerror}")
    return path


Vectors = Annotated[
    Path | None,
    typer.Option(
        "--vectors",
        help="Word vectors as text, such as GloVe's or fastText's, for metrics on their means, such as trm_vectors.",
        callback=_load,
        is_eager=True,
    ),
]

"""`trilens central`: how close runs stay to the middle of what people say, as on the page Central captions."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metrics.cli import output
from metrics.cli import score as cli_score
from metrics.cli.options import KeepGoing, Recompute
from metrics.cli.progress_bar import working
from metrics.cli.word_vectors import Vectors

if TYPE_CHECKING:
    from metrics.distances.base import Distance


class As(StrEnum):
    """What a caption is when its distance to the others is computed."""

    candidate = "candidate"
    reference = "reference"


class Panel(StrEnum):
    """A table of the page."""

    runs = "runs"
    lengths = "lengths"
    items = "items"


def central(
    files: Annotated[list[Path], typer.Argument(help="Files with captions of runs and references, or a study bundle.")],
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    distance: Annotated[str, typer.Option(help="meteor, cider_d, bert, bow, bleu_1 and others.")] = "bow",
    role: Annotated[As, typer.Option("--as", help="A caption is scored against others, or they against it.")] = (
        As.candidate
    ),
    panel: Annotated[Panel, typer.Option(help="Runs, lengths of central captions, or items.")] = Panel.runs,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Where results are kept.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep nothing.")] = False,
    keep_going: KeepGoing = False,
    recompute: Recompute = False,
    vectors: Vectors = None,
) -> None:
    """Find people's most central captions, and how far each run stays from them, in units of people's own distance.

    The most central caption of an item has the least mean distance to the others of its side. The table is that of the
    page, across the study; its verdict is printed beside it.
    """
    cli_score.check_out(out, [*files, references])
    space = _space(distance)
    study, loaded = cli_score.load_study_or_exit(files, references, keep_going, recompute)
    if not any(len(item.references) > 1 for item in study.items):
        output.fail("a centre needs two captions by people, and no item has two: add some")
    cache = cli_score.open_cache(cache_dir, no_cache, loaded.numbers)
    from figures.central import words
    from metrics.analysis import artifacts
    from metrics.analysis.central.study import across

    work = artifacts.centres(study, space, cache, role is As.reference)
    if (arrays := work.stored(cache)) is None:
        with working("Finding the centres") as hooks:
            arrays = work.compute(cache, hooks)
    found = across(study, arrays)
    if panel is Panel.runs:
        table = words.runs_table(study, found)
    elif panel is Panel.lengths:
        table = words.lengths_table(found)
    else:
        table = words.images_table(study, found, None, words.gallery(None, len(study.items)))
    if table.empty:
        output.fail(f"there is no table {panel}: these files have captions of no run")
    if out is None:
        cli_score.print_table(table, list(table.columns))
    else:
        cli_score.write_table(table, out, None)
    print("".join(words.study_verdict(study, found, space.label)), file=sys.stderr)


def _space(name: str) -> Distance:
    """The distance of that name; exit 2 for one that does not exist, or that this machine cannot compute."""
    from metrics.distances.words import BleuDistance, BowDistance
    from metrics.needs import unmet
    from metrics.registry import DISTANCES

    known = {space.name_with_order: space for space in DISTANCES.values()}
    known |= {f"bleu_{n}": BleuDistance(n=n) for n in (1, 2, 3)}
    if name not in known:
        output.fail(f"there is no distance {name!r}; there are {', '.join(known)}")
    for need in sorted({*known[name].needs, *BowDistance().needs}):
        if (why := unmet(need)) is not None:
            output.fail(why)
    return known[name]

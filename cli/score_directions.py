"""Imported scores on the command line: whether files contain any, and whether higher or lower values are better."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from cli.output import fail
from data.study import Study

SIDES = {"higher": True, "lower": False}
PEEK = 1 << 16
CAPTIONS = (b'"references"', b'"candidates"', b'"annotations"')
"""Keys that occur in files of captions but in no file of scores."""
Direction = Annotated[
    list[str] | None,
    typer.Option(
        "--scores-direction",
        metavar="NAME=lower",
        help="Which direction of an imported metric is better, higher or lower; repeat for several.",
    ),
]


def sides(given: Sequence[str]) -> dict[str, bool]:
    """Return whether higher is better, by metric; exit with status 2 for text that states no direction."""
    higher = {}
    for text in given:
        name, mark, side = text.rpartition("=")
        if not mark or side not in SIDES:
            fail(f"--scores-direction takes NAME=higher or NAME=lower, not {text!r}")
        higher[name] = SIDES[side]
    return higher


def check_names(study: Study, higher: Iterable[str]) -> None:
    """Exit with status 2 if a direction is given for a metric that is not imported."""
    known = [scores.name for scores in study.scores]
    for name in higher:
        if name not in known:
            fail(f"no file of scores has the metric {name!r}; they have {', '.join(known) or 'none'}")


def check_metrics(names: str, files: Iterable[Path]) -> None:
    """Exit with status 2 for an unknown metric before any file is read.

    If one of the files may contain imported scores, do nothing, since the metric may be imported.
    """
    from metrics.parameters import split
    from metrics.registry import resolve

    if any(map(_may_hold_scores, files)):
        return
    try:
        resolve(split(names))
    except ValueError as error:
        fail(str(error))


def _may_hold_scores(path: Path) -> bool:
    """Return whether a file may contain scores, embeddings or distances, judging by its beginning."""
    try:
        with (gzip.open if path.suffix == ".gz" else Path.open)(path, "rb") as file:
            begin = file.read(PEEK)
    except (OSError, EOFError):
        return True  # reading it later reports what is wrong with it
    return path.suffix != ".txt" and not any(key in begin for key in CAPTIONS)

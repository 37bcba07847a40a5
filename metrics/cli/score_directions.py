"""Imported scores on the command line: which metrics they hold, and which side of each is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from data.scores import with_directions
from data.study import Study
from metrics.cli.output import fail

SIDES = {"higher": True, "lower": False}
Direction = Annotated[
    list[str] | None,
    typer.Option(
        "--scores-direction",
        metavar="NAME=lower",
        help="Which side of an imported metric is better, higher or lower; repeat for several.",
    ),
]


def apply_directions(study: Study, given: Sequence[str]) -> Study:
    """Return the study with the given directions; exit 2 for an invalid one, or one of no imported metric."""
    known, higher = [scores.name for scores in study.scores], {}
    for text in given:
        name, mark, side = text.rpartition("=")
        if not mark or side not in SIDES:
            fail(f"--scores-direction takes NAME=higher or NAME=lower, not {text!r}")
        if name not in known:
            fail(f"no file of scores has the metric {name!r}; they have {', '.join(known) or 'none'}")
        higher[name] = SIDES[side]
    return with_directions(study, higher) if higher else study

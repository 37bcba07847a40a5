"""Runs hidden in the app: commands leave them out, with a message, unless all runs are requested."""

from __future__ import annotations

from contextvars import ContextVar

from cli.output import warn
from data.load import Loaded
from data.marks import shown
from data.study import Study

HELP = "Before the command: include the runs that are hidden in a study bundle."


ALL: ContextVar[bool] = ContextVar("ALL", default=False)
"""Whether hidden runs are included."""


def shown_runs(study: Study, loaded: Loaded) -> Study:
    """Return the study without its hidden runs, and print a message that counts them.

    If no run is hidden, or if all runs are requested, return the study unchanged.
    """
    from figures.notes.hidden import hidden_runs

    part = study if ALL.get() else shown(study, loaded.marks.hidden)
    if part is not study:
        how_many = hidden_runs(len(study.runs) - len(part.runs), len(study.runs))
        warn(f"{how_many} in this study and left out: trilens --all-runs ... takes them too.")
    return part

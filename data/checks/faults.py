"""The faults of each run, as all pages name them: its habits, and captions that do not fit their own items."""

from __future__ import annotations

from data.checks.degenerate import Habit, habits
from data.study import Study, of_study

ASTRAY = 2.5
"""The rank of captions that do not fit their own items: it follows faults that explain this, such as one caption for
all items.
"""


@of_study
def faults(study: Study) -> dict[str, tuple[Habit, ...]]:
    """Return the faults of each run, sorted as `habits` are; runs without a fault are absent.

    A run with one caption for many items, or in another language, fits its own items no better than others for that
    reason, so this is not listed as another fault.
    """
    found = dict(habits(study))
    runs = {run.name for run in study.runs}
    for name, clause in study.astray.items():
        own = found.get(name, ())
        if name in runs and not (own and 0 < own[0].kind < ASTRAY):
            found[name] = tuple(sorted((*own, Habit(clause, ASTRAY, 1.0)), key=lambda one: one.kind))
    return dict(sorted(found.items(), key=lambda one: (one[1][0].kind, -one[1][0].share)))

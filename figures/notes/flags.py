"""The faults that *Data* found in a run, wherever that run is shown: a mark beside its name, a line below a figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from data.checks.degenerate import Habit
from data.study import Run, Study
from figures.notes.hazards import MARKED, TWINS, hazards_of, in_short, too
from figures.style.escaping import esc
from figures.style.numbers import count
from figures.style.run_names import short_names


def flag(study: Study, run: Run) -> str:
    """Return a run's faults as clauses; "" if there are none."""
    return "; ".join(hazards_of(study, run.name))


def mark(said: str) -> str:
    """Return the mark for a run with the fault `said`; "" if `said` is empty."""
    why = esc(f"check: it {said}")
    return (
        f'<small class="tl-flag" title="{why}" aria-label="{why}" role="note" tabindex="0">check</small>'
        if said
        else ""
    )


def facts(study: Study, runs: Iterable[Run]) -> list[str]:
    """Return these runs' faults in a few words, for the line below a figure; [] if there are none."""
    short = short_names(study.runs)
    return facts_of({short[run.name]: hazards_of(study, run.name) for run in runs})


def facts_of(said: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the line of `facts`, given the clauses for each display name; runs with the same habit share a clause.

    [] without clauses.
    """
    groups: dict[object, list[tuple[float, str, str]]] = {}
    for name, (gravest, *_) in ((name, clauses) for name, clauses in said.items() if clauses):
        kind, share = (gravest.kind, gravest.share) if isinstance(gravest, Habit) else (gravest, 0.0)
        groups.setdefault(kind, []).append((share, name, in_short(gravest)))
    found = [_together(kind, sorted(group, key=lambda one: -one[0])) for kind, group in groups.items()]
    others = [count(len(found) - MARKED, "other fault")] if len(found) > MARKED else []
    return [f"check: {'; '.join([*found[:MARKED], *others])}"] if found else []


def _together(kind: object, group: Sequence[tuple[float, str, str]]) -> str:
    (_, worst, clause), *more = group
    if isinstance(kind, int) and kind >= TWINS:  # the clause names the others
        more = []
    whom = " and ".join(name for _, name, _ in more) if len(more) <= 2 else count(len(more), "other")
    return f"{worst} {clause}{too(whom, len(more)) if more else ''}"

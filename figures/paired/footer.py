"""The line below a paired comparison: the marks that occur, and which metrics or runs are not drawn."""

from __future__ import annotations

from collections.abc import Sequence

from data.study import Run, Study
from figures.paired.effects import beyond
from figures.paired.forest import ForestRow
from figures.style.html import key
from figures.style.run_names import short_names
from figures.style.wording import item_noun, not_drawn
from metrics.analysis.comparable_runs import unequal
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import Family
from metrics.base import Metric
from metrics.engine.result import PENDING
from metrics.permutation.pvalues import ALPHA


def marks(lines: Sequence[ForestRow], found: Family) -> list[str]:
    """Return the meaning of those marks that occur in a comparison by metric; `found` are its tests."""
    drawn = [line for line in lines if not line.reason and not line.waiting]
    over = ["all pairs of runs"] * found.over_all_pairs + [f"{found.tests} metrics"] * (found.tests > 1)
    corrected = f", corrected for {' and '.join(over)}" if over else ""
    said = [key("dark", f"filled: p ≤ {ALPHA}{corrected}")] if any(line.significant for line in drawn) else []
    said += [key("hollow", "hollow: not significant")] if any(not line.significant for line in drawn) else []
    arrow = ["arrow: beyond the axis"] * beyond(drawn) + ["white: tied"] * any(line.counts[1] for line in drawn)
    return [*said, *(["square: B ahead"] if any(line.value < 0 for line in drawn) else []), *arrow]


def not_paired(whole: Sequence[Metric]) -> str:
    """Return which chosen metrics have no row because they have no values for single items; "" if there are none."""
    return not_drawn((metric.label, "one value for a whole run, so there is nothing to pair") for metric in whole)


def runs_not_drawn(study: Study, numbers: Numbers, metric: Metric, runs: Sequence[Run], drawn: Sequence[Run]) -> str:
    """Return which runs have no row in the matrix of all pairs for a metric, and why."""
    short, apart = short_names(study.runs), unequal(study, metric, runs)
    found = []
    for run in runs:
        if run not in drawn:
            result = numbers.get(run, metric)
            why = apart[run.name].why(item_noun(study)) if run.name in apart else ""
            found.append((short[run.name], why or (result.why() if result is not None else PENDING) or "no value"))
    return not_drawn(found)

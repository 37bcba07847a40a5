"""Runs that a metric may compare: those with the same number of captions for every item.

A metric that depends on the number of captions (`Metric.size_free` is false) would otherwise rank sampling plans rather
than models. This was measured for every registered metric: docs/decisions/017-hazards.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from data.study import Run, Study, of_study
from metrics.base import Metric

Span = tuple[int, int]


@dataclass(frozen=True)
class Unequal:
    """Why a run is left out: the range of its `own` numbers of captions per item, and that of the `ranked` runs."""

    own: Span
    ranked: Span

    def why(self, one: str = "") -> str:
        """Return text to follow a run's name and "has", such as "3 captions for each image, the others 10".

        If both ranges are the same, it is "different numbers of captions than the others". `one` is the noun for an
        item.
        """
        if self.own == self.ranked:
            return f"different numbers of captions{f' for some {one}s' if one else ''} than the others"
        where = f"for each {one}" if one else "at a time"
        return f"{_describe(self.own)} {where}, the others {_describe(self.ranked, '')}"


def unequal(study: Study, metric: Metric, runs: Sequence[Run]) -> dict[str, Unequal]:
    """Return the runs, by name, that a metric cannot compare with the other runs; empty for a size-free metric.

    The runs compared are those with the most common numbers of captions, item by item (among equally common numbers,
    the largest). Runs that cannot have a value of the metric are ignored.
    """
    if metric.size_free:
        return {}
    counts = _counts(study)
    able = [run.name for run in runs if "two candidates" not in metric.needs or max(counts[run.name], default=0) > 1]
    votes = Counter(counts[name] for name in able)
    if len(votes) < 2:
        return {}
    most = max(votes, key=lambda sizes: (votes[sizes], sum(sizes)))
    return {name: Unequal(_span(counts[name]), _span(most)) for name in able if counts[name] != most}


def why_not_paired(study: Study, metric: Metric, one: Run, other: Run) -> str:
    """Return why two runs cannot be paired item by item under a metric, or "" if they can."""
    if not metric.of_items:
        return "one value belongs to the whole run: there is nothing to pair"
    found = unequal(study, metric, (one, other))
    return "".join(f"it depends on the number of captions: {name} has {why.why()}" for name, why in found.items())


@of_study
def _counts(study: Study) -> dict[str, tuple[int, ...]]:
    return {run.name: tuple(len(run.candidates.get(item.id, ())) for item in study.items) for run in study.runs}


def _span(sizes: tuple[int, ...]) -> Span:
    return min(sizes, default=0), max(sizes, default=0)


def _describe(span: Span, what: str = " caption") -> str:
    low, high = span
    number = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{number}{what}{'s' if what and span != (1, 1) else ''}"

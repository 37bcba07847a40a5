"""Claims about several runs against people at once, by the rule of `docs/decisions/016-claims.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.arrays import Floats
from metrics.engine.result import Result
from metrics.pvalues import ALPHA, holm

SATURATED = 0.5
"""Share of distances at their maximum from which triangles tie too often to detect a difference: decision 017."""


@dataclass(frozen=True)
class PeopleComparison:
    """Runs by their relation to the references under one metric, as positions in the list that was passed.

    `differ`: distinguishable from people, by a score on its lower side; `above`: by a score on its higher side, as
    captions near the centre of people's captions are; `alike`: not distinguishable by a test that could have found a
    difference; `undecided`: too little data, since even the least possible p would not suffice, or, for those in
    `saturated`, since most distances are at their maximum. `p` (runs,): two-sided, after Holm over the runs that have
    one. `single_captions`: every item has one caption, so that relabelling compares a run with people's own captions;
    those of a set are mixed with people's on both sides.
    """

    differ: tuple[int, ...]
    above: tuple[int, ...]
    alike: tuple[int, ...]
    undecided: tuple[int, ...]
    p: Floats
    single_captions: bool = False
    saturated: tuple[int, ...] = ()

    @property
    def tests(self) -> int:
        """The number of tested runs, over which p is corrected."""
        return int((~np.isnan(self.p)).sum())


def compare_with_people(results: Sequence[Result | None]) -> PeopleComparison:
    """Return how runs relate to people, from one result per run of one metric; runs without a p are left out."""
    p = np.array([np.nan if result is None else result.p_two_sided for result in results])
    adjusted = holm(p)
    groups: dict[str, list[int]] = {name: [] for name in ("differ", "above", "alike", "undecided")}
    for k, result in enumerate(results):
        if result is not None and not np.isnan(p[k]):
            groups[_standing(result, p, adjusted, k)].append(k)
    known = [result for result in results if result is not None]
    single_captions = all(len(result.unit_item) == len(np.unique(result.unit_item)) for result in known)
    return PeopleComparison(
        **{name: tuple(found) for name, found in groups.items()},
        p=adjusted,
        single_captions=single_captions,
        saturated=tuple(k for k in groups["undecided"] if (result := results[k]) is not None and saturated(result)),
    )


def _standing(result: Result, p: Floats, adjusted: Floats, k: int) -> str:
    if adjusted[k] <= ALPHA:
        # The p of a score is of its lower tail.
        return "above" if result.metric.two_sided and result.p_value > 0.5 else "differ"
    if saturated(result):
        return "undecided"
    least = min(1.0, result.p_floor * (2 if result.metric.two_sided else 1))
    could = holm(np.where(np.arange(len(p)) == k, min(least, p[k]), p))[k] <= ALPHA
    return "alike" if could else "undecided"


def saturated(result: Result) -> bool:
    """Return whether so many distances are at their maximum that finding no difference means nothing."""
    return result.at_maximum >= SATURATED

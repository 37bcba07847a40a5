"""Simultaneous claims about how several runs compare with people, by the rule of `docs/decisions/016-claims.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from metrics.bootstrap import LEAST, bootstrap_totals, interval
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats
from metrics.permutation.joint_test import PARTS, Part
from metrics.permutation.pvalues import ALPHA, holm
from metrics.units import by_unit, of_items

SATURATED = 0.5
"""Share of distances at their maximum from which triangles tie too often to detect a difference: decision 017."""


class Excess(NamedTuple):
    """How far a divergence, averaged over items, exceeds its mean under relabelling, with its 95 % interval."""

    value: float
    low: float
    high: float


NO_EXCESS = Excess(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class PeopleComparison:
    """Runs grouped by their relation to the references under one metric, as positions in the list that was passed.

    - `differ`: distinguishable from people; by a two-sided test of scores, they score lower than people.
    - `above`: distinguishable from people, with higher scores, as captions near the centre of people's captions have.
    - `other_score`: not distinguishable by relabelling, but their scores differ from people's own.
    - `alike`: not distinguishable by a test that could have found a difference.
    - `undecided`: with too little data, since even the smallest possible p would not suffice, or also in `saturated`
      (most distances are at their maximum) or `mixed` (relabelling mixes both sides' sets of captions, and people have
      no score of their own to compare with).

    `p` (runs,) is two-sided, Holm-corrected across the runs that have a p. `single_captions` is true if every item has
    one caption: relabelling then compares a run with people's own captions, whereas larger sets mix people's captions
    into both sides. `by_score` is true if scores were compared with people's own. `joint` is true if p comes from the
    joint test of a divergence (`permutation.joint_test`); `departures` then lists for each run the statistics that
    depart from their values under relabelling (by p adjusted across all of them), each with whether it is higher.
    `excess` is how far each run's divergence exceeds its mean under relabelling. `leaks` are runs without a departure
    in spread or divergence whose captions are nearer to the references, and the references nearer to the captions, than
    under relabelling. `one_reference` is true if no item has two references; people's captions then have no score of
    their own.
    """

    differ: tuple[int, ...]
    above: tuple[int, ...]
    alike: tuple[int, ...]
    undecided: tuple[int, ...]
    p: Floats
    single_captions: bool = False
    saturated: tuple[int, ...] = ()
    mixed: tuple[int, ...] = ()
    other_score: tuple[int, ...] = ()
    by_score: bool = False
    joint: bool = False
    departures: tuple[tuple[tuple[Part, bool], ...], ...] = ()
    leaks: tuple[int, ...] = ()
    excess: tuple[Excess, ...] = ()
    one_reference: bool = False

    @property
    def tests(self) -> int:
        """The number of tested runs, which the correction of p covers."""
        return int((~np.isnan(self.p)).sum())


def compare_with_people(results: Sequence[Result | None], people: Result | None = None) -> PeopleComparison:
    """Return how runs relate to people, from one result per run by one metric; runs without a p are left out.

    `people` is the result of people's own captions; the runs' scores are also tested against it. Relabelling mixes a
    run's captions with people's: if the run's captions are varied, it can score far below people and still not be
    distinguished.
    """
    p = np.array([np.nan if result is None else result.p_people for result in results])
    adjusted = holm(p)
    known = np.array([result is not None and people is not None for result in results]) & ~np.isnan(p)
    of_score = holm([_p_of_score(result, people) if has else np.nan for result, has in zip(results, known)])
    single_captions = all(_single(result) for result in results if result is not None)
    groups: dict[str, list[int]] = {name: [] for name in ("differ", "above", "alike", "undecided", "other_score")}
    mixed = []
    for k, result in enumerate(results):
        if result is None or np.isnan(p[k]):
            continue
        standing = _standing(result, p, adjusted, k)
        if standing in ("alike", "undecided") and of_score[k] <= ALPHA:
            standing = "other_score"
        elif standing == "alike" and result.metric.two_sided and np.isnan(of_score[k]) and not _single(result):
            standing = "undecided"
            mixed.append(k)
        groups[standing].append(k)
    return PeopleComparison(
        **{name: tuple(found) for name, found in groups.items()},
        p=adjusted,
        single_captions=single_captions,
        one_reference=False,
        mixed=tuple(mixed),
        by_score=bool((~np.isnan(of_score)).any()),
        joint=any(result is not None and result.joint is not None for result in results),
        departures=tuple(map(_departures, results)),
        excess=tuple(map(_excess, results)),
        leaks=tuple(k for k, result in enumerate(results) if _copies(_departures(result))),
        saturated=tuple(k for k in groups["undecided"] if (result := results[k]) is not None and saturated(result)),
    )


def _excess(result: Result | None) -> Excess:
    """The excess of a result: all NaN without a joint test or values; its interval is NaN with too few items."""
    if result is None or result.joint is None or result.null_mean is None:
        return NO_EXCESS
    gaps = result.items - result.null_mean
    gaps = gaps[np.isfinite(gaps)]
    if not len(gaps):
        return NO_EXCESS
    totals = np.column_stack([gaps, np.ones(len(gaps))])
    redrawn = bootstrap_totals(totals)
    return Excess(float(gaps.mean()), *interval(redrawn[:, 0] / redrawn[:, 1], len(gaps)))


def undecided(found: PeopleComparison) -> PeopleComparison:
    """Return the comparison for a study too small to detect any fault: runs that seem alike become undecided."""
    return replace(found, alike=(), undecided=tuple(sorted((*found.undecided, *found.alike))))


def _standing(result: Result, p: Floats, adjusted: Floats, k: int) -> str:
    if adjusted[k] <= ALPHA:
        # The p of a score is one-sided, in its lower tail.
        return "above" if result.metric.two_sided and result.p_value > 0.5 else "differ"
    if saturated(result):
        return "undecided"
    could = holm(np.where(np.arange(len(p)) == k, min(result.p_people_floor, p[k]), p))[k] <= ALPHA
    return "alike" if could else "undecided"


def _departures(result: Result | None) -> tuple[tuple[Part, bool], ...]:
    if result is None or result.joint is None:
        return ()
    return tuple(
        (part, bool(z > 0)) for part, z, p in zip(PARTS, result.joint.z, result.joint.p_adjusted) if p <= ALPHA
    )


def _copies(departs: tuple[tuple[Part, bool], ...]) -> bool:
    """Whether captions are nearer across the sides than within them, without a departure in spread or divergence.

    Captions near the middle of people's are also nearer across the sides, but they are less varied than people's.
    """
    nearer = {("nearest reference", False), ("nearest candidate", False)}
    return nearer <= set(departs) and not {"spread", "divergence"} & {part for part, _ in departs}


def _single(result: Result) -> bool:
    return len(result.unit_item) == len(np.unique(result.unit_item))


def _p_of_score(result: Result | None, people: Result | None) -> float:
    """p of the paired t-test, over independent units, between a run's score and people's own.

    NaN if a result is missing or has fewer than LEAST units. Also NaN if the score depends on the best reference and
    the run's score is not lower: people's captions have one reference fewer, which lowers their score.
    """
    from scipy.special import stdtr  # importing scipy.stats would delay the first screen by half a second

    if result is None or people is None:
        return float("nan")
    gaps = result.items - people.items
    known = ~np.isnan(gaps)
    gaps = by_unit(gaps[known], of_items(result.unit, known))
    if len(gaps) < LEAST:
        return float("nan")
    if result.metric.best_of and gaps.mean() >= 0:
        return float("nan")
    if np.ptp(gaps) <= 1e-12 * np.abs(gaps).max():
        return float(2.0 ** (1 - len(gaps))) if gaps.any() else 1.0
    t = gaps.mean() / (gaps.std(ddof=1) / np.sqrt(len(gaps)))
    return float(2 * stdtr(len(gaps) - 1, -abs(t)))


def saturated(result: Result) -> bool:
    """Return whether so many distances are at their maximum that an undetected difference means nothing."""
    return result.at_maximum >= SATURATED

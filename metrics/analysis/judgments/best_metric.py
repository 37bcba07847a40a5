"""Which of several metrics agrees best: all pairs with Holm's correction, and the metrics that may be the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metrics.analysis import run_differences
from metrics.analysis.letters import letters
from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation.pvalues import ALPHA


class Ranking(NamedTuple):
    """The `order` (n,) of metrics from best to worst, whether each may be the `best` (n,), `letters` (n,) and `pairs`.

    Metrics that share a letter do not differ significantly. All but `order` keep the order of the input; in `order`,
    metrics without a value come last.
    """

    order: list[int]
    best: Labels
    letters: list[str]
    pairs: run_differences.Pairs

    def behind(self, first: int, others: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
        """Return those of `others` that differ significantly from `first`, those that do not, and those not tested.

        The tests are corrected across all pairs; `best` treats the leader as fixed and would separate equal metrics too
        often.
        """
        p = self.pairs.p[first]
        apart = [k for k in others if self.pairs.sure[first, k]]
        unknown = [k for k in others if np.isnan(p[k])]
        return apart, [k for k in others if p[k] > ALPHA], unknown


def ranking(values: Floats, boot: Floats, clusters: int, sets: np.ndarray) -> Ranking:
    """Return the ranking of agreements `values` (n,), higher is better, from paired resamples `boot` (n, resamples).

    `sets` (n,) are equal for metrics with values for the same points; only such metrics are compared.
    """
    pairs = run_differences.all_pairs(values, boot, clusters, sets)
    order = run_differences.ranking(values, higher_is_better=True)
    known = [k for k in order if not np.isnan(values[k])]
    apart = pairs.sure[np.ix_(known, known)]
    marks = dict(zip(known, letters(apart)))
    return Ranking(order, may_be_best(values, boot, sets), [marks.get(k, "") for k in range(len(values))], pairs)


def may_be_best(values: Floats, boot: Floats, sets: np.ndarray) -> Labels:
    """Return (n,) True for metrics that may be the best: a set that contains the best with 95 % confidence.

    A metric is excluded if the largest lead of another metric over it, in standard errors, exceeds the 95 % quantile of
    the largest such lead under chance, from the resamples (max-t). Hsu 1996, chapter 4 (multiple comparisons with the
    best).
    """
    known = ~np.isnan(values) & ~np.isnan(boot).any(axis=1)
    found = known.copy()
    for k in np.flatnonzero(known):
        others = np.flatnonzero(known & (sets == sets[k]) & (np.arange(len(values)) != k))
        if not len(others):
            continue
        leads, drawn = values[others] - values[k], boot[others] - boot[k]
        error = drawn.std(axis=1)
        some = error > 0
        if (~some & (leads > 0)).any():
            found[k] = False
            continue
        if some.any():
            chance = ((drawn[some] - drawn[some].mean(axis=1, keepdims=True)) / error[some, None]).max(axis=0)
            found[k] &= bool((leads[some] / error[some]).max() <= np.quantile(chance, 1 - ALPHA))
    return found

"""How many times as often as people a run uses each word, with the interval that belongs to the permutation test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA
from metrics.permutation.word_tests import WordCounts, WordTests

FARTHEST = float(np.log(1024))
"""The largest ratio that is tried (as a logarithm): a ratio beyond it is infinite."""
RARE = 5
"""The count below which the interval is extended."""
_STEPS, _HALVINGS = 160, 30
_BEYOND = 1e-6
"""Minimum distance from 1 of an interval that excludes 1 (as a logarithm)."""


def ratios(counts: WordCounts, tested: WordTests) -> Floats:
    """Return the ratio of each word's share among the run's words to that among people's, with its interval: (3, w).

    Row 0 is the ratio, rows 1 and 2 are the ends of the 95 % interval. The interval contains the ratios that the test
    of this word alone does not reject at 5 %: it excludes 1 if and only if `p_value` is at most 0.05. To test a ratio
    r, the run is expected to use the word r times as often as people do, and the statistic is compared with the same
    random labellings as for r = 1. The ratio is infinite for a word that people never use. If no ratio on one side is
    rejected, the upper end is infinite, or the lower end 0.

    Where a side uses a word fewer than RARE times, its counts hardly vary between images, whatever the true share. The
    interval is then extended to the exact Poisson limit of the count (Garwood 1936), but not to 1 if 1 is rejected. The
    run counts as having one caption per image, as it may repeat itself.
    """
    of = _Sums.of(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        (run, people), (most_run, most_people) = np.log(of.shares), np.log(of.limits)
        ratio = run - people
        low = np.fmin(-_farthest(of, tested, -1, ratio), run - most_people)
        high = np.fmax(_farthest(of, tested, 1, ratio), most_run - people)
    rejected = (tested.statistic < tested.least) | (tested.statistic > tested.most)
    low = np.where(rejected & (ratio > 0), np.maximum(low, _BEYOND), low)
    high = np.where(rejected & (ratio < 0), np.minimum(high, -_BEYOND), high)
    return np.exp(np.stack([ratio, np.minimum(low, ratio), np.maximum(high, ratio)]))


def _farthest(of: _Sums, tested: WordTests, side: int, ratio: Floats) -> Floats:
    """(w,) log of the farthest ratio that is not rejected, below (`side` -1) or above (1), multiplied by `side`.

    A ratio on the other side of 1 counts only if 1 itself is not rejected.
    """

    def kept(logs: Floats | float) -> Floats:
        value = of.statistic(np.exp(side * np.broadcast_to(logs, ratio.shape)))
        return np.asarray(value >= tested.least if side > 0 else value <= tested.most)

    begin, grid = side * ratio, np.linspace(-FARTHEST, FARTHEST, _STEPS + 1)
    reach = np.where(kept(0.0), FARTHEST, np.where(begin < 0, 0.0, FARTHEST))
    inside = np.full(len(begin), -np.inf)
    for at in grid:
        inside = np.where((at >= begin) & (at <= reach) & kept(at), at, inside)
    inside = np.where(np.isfinite(inside), inside, begin)
    outside = np.minimum(inside + grid[1] - grid[0], reach)
    near = np.where(np.isfinite(inside), inside, -FARTHEST)
    far = np.where(np.isfinite(outside), outside, near)
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        good = kept(middle)
        near, far = np.where(good, middle, near), np.where(good, far, middle)
    return np.where(inside >= FARTHEST, np.inf, near)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over images of y and x, from which every statistic follows.

    y and x are the mean counts of a word in the run's and in people's captions of an image. `shares` (2, w) are the
    words' shares among all words of the run and of people, and `limits` (2, w) the upper 97.5 % limits of the shares of
    rare words, 0 for other words. `pooled` (w,) are the counts on both sides together, and `mixed` (2,) are the numbers
    of all words of the run and of people, weighted in the same way. `totals` (2, w) are the sums of y and x, `squares`
    (3, w) those of y^2, xy and x^2. With g, the mean length of the run's captions minus that of people's, `crossed` (2,
    w) are the sums of yg and xg, `gaps` those of g and g^2.
    """

    shares: Floats
    limits: Floats
    pooled: Floats
    mixed: tuple[float, float]
    totals: Floats
    squares: Floats
    crossed: Floats
    gaps: tuple[float, float]

    @staticmethod
    def of(counts: WordCounts) -> _Sums:
        images, words = int(counts.image[-1]) + 1, counts.words
        each: Floats = 1.0 / np.bincount(counts.image)[counts.image]
        weight: Floats = np.abs(counts.weights)
        sides = (counts.of_run, ~counts.of_run)
        lengths = np.stack([_sums(counts.image, weight * counts.length * side, images) for side in sides])
        group, where = np.unique(counts.word * images + counts.image[counts.caption], return_inverse=True)
        said, word, gap = counts.count * weight[counts.caption], group // images, lengths[0] - lengths[1]
        y, x = (_sums(where, said * side[counts.caption], len(group)) for side in sides)

        def summed(*values: Floats) -> Floats:
            return np.stack([_sums(word, value, words) for value in values])

        totals, length = summed(y, x), lengths.sum(axis=1)
        shares, each_length = totals / np.maximum(length, 1e-300)[:, None], counts.length * each
        return _Sums(
            shares=shares,
            limits=_limits(shares, np.array([length[0], counts.length[~counts.of_run].sum()])),
            pooled=_sums(counts.word, counts.count * each[counts.caption], words),
            mixed=(float(each_length[sides[0]].sum()), float(each_length[sides[1]].sum())),
            totals=totals,
            squares=summed(y * y, x * y, x * x),
            crossed=summed(y * gap[group % images], x * gap[group % images]),
            gaps=(float(gap.sum()), float(gap @ gap)),
        )

    def statistic(self, ratio: Floats) -> Floats:
        """(w,) the statistic of each word if the run is expected to use it `ratio` (w,) times as often as people do.

        It is sum d / sqrt(sum d^2) for d = y - ratio * x - expected * g: for a ratio of 1, that of the test.
        """
        expected = ratio * self.pooled / (ratio * self.mixed[0] + self.mixed[1])
        (y, x), (yy, xy, xx), (yg, xg), (g, gg) = self.totals, self.squares, self.crossed, self.gaps
        total = y - ratio * x - expected * g
        square = yy - 2 * ratio * xy + ratio**2 * xx - 2 * expected * (yg - ratio * xg) + expected**2 * gg
        return np.where(square > 1e-18, total / np.sqrt(np.maximum(square, 1e-18)), 0.0)


def _sums(places: Integers, values: Floats, many: int) -> Floats:
    """(many,) sums of the values at each place."""
    return np.asarray(np.bincount(places, values, many), dtype=np.float64)


def _limits(shares: Floats, words: Floats) -> Floats:
    """(2, w) upper limits of the shares of words that occur fewer than RARE times among `words` (2,) words, else 0."""
    from scipy.special import gammaincinv

    count = shares * words[:, None]
    limit = gammaincinv(count + 1, 1 - ALPHA / 2) / np.maximum(words, 1)[:, None]
    return np.where(count < RARE, limit, 0.0)

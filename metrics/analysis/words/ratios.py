"""How many times as often as people a run uses each word, with the interval that belongs to the permutation test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.mathematics.arrays import Floats
from metrics.permutation.words import WordCounts, WordTests

FARTHEST = float(np.log(1024))
"""The largest ratio that is tried (as a logarithm): a ratio beyond it is infinite."""
_STEPS, _HALVINGS = 160, 30


def ratios(counts: WordCounts, tested: WordTests) -> Floats:
    """Return (3, w) the ratio of each word's share by the run to that by people, and the ends of its 95 % interval.

    The interval contains the ratios that the test of this word alone does not reject at 5 %: it excludes 1 if and only
    if `p_value` is at most 0.05. To test a ratio r, the run is expected to use the word r times as often as people do,
    and the statistic is compared with the same random labellings as for r = 1. The ratio is infinite for a word that
    people never use. If no ratio on one side is rejected, the upper end is infinite, or the lower end 0.
    """
    of = _Sums.of(counts)
    with np.errstate(divide="ignore"):
        ratio = np.log(of.shares[0]) - np.log(of.shares[1])
    low = -_farthest(of, tested, -1, ratio)
    high = _farthest(of, tested, 1, ratio)
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
    """Sums over images of the differences between the run's mean counts and people's, which give every statistic.

    `shares` (2, w) are the words' shares among all words of the run and of people. `pooled` (w,) are the counts of each
    word, and `mixed` (2,) those of all words by the run and by people, as means over all captions of an image. With u
    for the difference between an image's two mean counts of a word, and l for the mean lengths of its captions by the
    run and by people, `lengths` (2,) sums l, `difference` (w,) u, `square` (w,) u^2, `crossed` (2, w) u l, and
    `squares` (2, 2) the products of the two l.
    """

    shares: Floats
    pooled: Floats
    mixed: Floats
    lengths: Floats
    difference: Floats
    square: Floats
    crossed: Floats
    squares: Floats

    @staticmethod
    def of(counts: WordCounts) -> _Sums:
        images = int(counts.image[-1]) + 1
        each, weight = 1.0 / np.bincount(counts.image)[counts.image], counts.weights
        sides, said = (counts.of_run, ~counts.of_run), counts.count * weight[counts.caption]
        length = np.abs(weight) * counts.length
        mean: Floats = np.stack([np.bincount(counts.image, length * side, images) for side in sides]).astype(float)
        mixed = np.array([float((counts.length * each)[side].sum()) for side in sides])
        totals = np.stack([np.bincount(counts.word, abs(said) * side[counts.caption], counts.words) for side in sides])
        group, where = np.unique(counts.word * images + counts.image[counts.caption], return_inverse=True)
        u: Floats = np.asarray(np.bincount(where, said), dtype=float)
        word, image = group // images, group % images
        return _Sums(
            shares=totals / np.maximum(mean.sum(axis=1), 1e-300)[:, None],
            pooled=np.asarray(np.bincount(counts.word, counts.count * each[counts.caption], counts.words), dtype=float),
            mixed=mixed,
            lengths=mean.sum(axis=1),
            difference=np.asarray(np.bincount(word, u, counts.words), dtype=float),
            square=np.asarray(np.bincount(word, u**2, counts.words), dtype=float),
            crossed=np.stack([np.bincount(word, u * side[image], counts.words) for side in mean]),
            squares=mean @ mean.T,
        )

    def statistic(self, ratio: Floats) -> Floats:
        """(w,) the statistic of each word if the run is expected to use it `ratio` (w,) times as often as people do."""
        times = np.stack([ratio, -np.ones_like(ratio)])
        share = self.pooled / (ratio * self.mixed[0] + self.mixed[1])
        total = self.difference - share * (self.lengths @ times)
        of_lengths = np.einsum("aw,ab,bw->w", times, self.squares, times)
        square = self.square - 2 * share * (times * self.crossed).sum(axis=0) + share**2 * of_lengths
        return np.where(square > 1e-18, total / np.sqrt(np.maximum(square, 1e-18)), 0.0)

"""The joint test against people: a divergence together with signed statistics, under the same relabellings.

A divergence has nearly the same value whichever side an unusual caption is on, so one wrong caption in five hardly
changes its sum over items. Signed statistics change sign with the caption's side, and their sums over items grow. Each
statistic is standardised over the relabellings, and the largest is compared with the largest of every relabelling
(max-T: Westfall and Young 1993, Resampling-Based Multiple Testing), so that the overall p is exact under
exchangeability whatever the dependence between the statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation import pair_scores

Part = Literal["divergence", "nearest reference", "nearest candidate", "centre", "spread", "length"]
PARTS: tuple[Part, ...] = ("divergence", "nearest reference", "nearest candidate", "centre", "spread", "length")
"""The statistics of the test, in the order of its arrays: only the divergence is one-sided (upper tail)."""
TIED = 1e-9
"""Tolerance for ties: distances have seven decimals, so smaller differences between statistics are noise."""
CONSTANT = 1e-12
"""Relative size up to which a standard deviation under relabelling is rounding error."""


class Joint(NamedTuple):
    """The joint test of a run: `p`, its `floor` with these texts, and the individual statistics of PARTS.

    `z` (6,) are the observed sums, in standard deviations from their mean under relabelling. In the order of PARTS, a
    positive z means that the divergence is larger than expected, that candidates are farther from their nearest
    reference, that references are farther from their nearest candidate, and that candidates are less central, more
    varied, and longer. `p_single` (6,) is the p of each statistic, and `p_adjusted` (6,) its p against the largest of
    all statistics.
    """

    p: float
    floor: float
    z: Floats
    p_single: Floats
    p_adjusted: Floats


def signed_statistics(distance: Floats, lengths: Floats, labels: Labels) -> Floats:
    """(B, 5) signed statistics of one item under labellings (B, N), True for candidates; at least two texts per side.

    `distance` (N, N) is averaged over both directions of a pair, and `lengths` (N,) are those of the texts. The
    statistics, in the order of PARTS from the second on, are the mean distance from candidates to the nearest
    reference, that from references to the nearest candidate, and three differences, candidates minus references: of the
    mean distance to the medoid of all texts, the mean distance within a side, and the mean length. Exchanging two sides
    of equal size swaps the first two and changes the sign of the other three.
    """
    even = (distance + distance.T) / 2
    np.fill_diagonal(even, 0.0)
    order = pair_scores.best_first(-even)
    chosen, others = labels.astype(np.float64), (~labels).astype(np.float64)
    n, m = chosen.sum(axis=1), others.sum(axis=1)
    found = np.empty((len(labels), len(PARTS) - 1))
    for column, side in enumerate((labels, ~labels)):
        pair_scores.mean_of_best(-even, order, side, best := np.empty(len(labels)))
        found[:, column] = -best
    rows = even.sum(axis=1)
    centre = even[:, rows <= rows.min() + TIED * len(rows)].mean(axis=1)
    within = [((side @ even) * side).sum(axis=1) / (k * (k - 1)) for side, k in ((chosen, n), (others, m))]
    found[:, 2] = chosen @ centre / n - others @ centre / m
    found[:, 3] = within[0] - within[1]
    found[:, 4] = chosen @ lengths / n - others @ lengths / m
    return found


def joint_test(observed: Floats, null: Floats, exact: bool) -> Joint:
    """Return the joint test of the observed sums (6,) over items, given their null distribution (B, 6).

    If `exact`, the null contains every relabelling, including the observed one; otherwise it contains random draws, and
    p = (b + 1) / (B + 1). A statistic that relabelling does not change is ignored: its z is 0. Values that differ by
    less than rounding errors are equal.
    """
    every = null if exact else np.vstack([observed, null])
    mean, spread = every.mean(axis=0), every.std(axis=0)
    moves = spread > CONSTANT * np.abs(every).max(axis=0)
    spread = np.where(moves, spread, 1.0)
    z = np.where(moves, (observed - mean) / spread, 0.0)
    sizes = np.where(moves, (every - mean) / spread, 0.0)
    sizes[:, 1:] = np.abs(sizes[:, 1:])
    size = np.where(moves, np.concatenate([z[:1], np.abs(z[1:])]), -np.inf)
    largest = np.where(moves, sizes, -np.inf).max(axis=1)

    def share(values: Floats, of: float) -> float:
        return float(np.count_nonzero(values >= of - TIED) / len(values))

    single = np.array([share(sizes[:, k], size[k]) for k in range(len(size))])
    adjusted = np.array([share(largest, one) for one in size])
    return Joint(share(largest, size.max()), share(largest, largest.max()), z, single, adjusted)


def as_array(joint: Joint) -> Floats:
    """(20,) the test as one array; `of_array` is the inverse."""
    # The last digits must not depend on the caller's threads.
    return np.round(np.concatenate([joint[:2], *joint[2:]]), 9)


def of_array(found: Floats) -> Joint:
    """Return the test from an array made by `as_array`. Raises ValueError for another shape."""
    if found.shape != (2 + 3 * len(PARTS),):
        raise ValueError(f"a joint test has {2 + 3 * len(PARTS)} numbers, got {found.shape}")
    z, single, adjusted = found[2:].reshape(3, len(PARTS))
    return Joint(float(found[0]), float(found[1]), z, single, adjusted)


def every_sum(nulls: Sequence[Floats]) -> Floats:
    """(product of lengths, 6) all sums of one row from each of several items' null distributions (B, 6)."""
    sums = np.zeros((1, len(PARTS)))
    for null in nulls:
        sums = (sums[:, None, :] + null[None, :, :]).reshape(-1, len(PARTS))
    return sums

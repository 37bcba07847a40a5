"""Permutation p-values of one item: exact, over all partitions, whenever these can be enumerated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metrics.mathematics.arrays import Alternative, Floats, Labels
from metrics.mathematics.checks import check_labels, check_one_a_side, check_two_a_side
from metrics.mathematics.triangle import Ties, check_ties

if TYPE_CHECKING:  # the compiled routes load numba, which takes as long as loading a page: do so only for a test
    from metrics.permutation.compiled_routes import Route

Statistic = Literal["trm", "mmd", "mmd_biased", "frechet", "mean_mean", "mean_max", "rouge_l", "bleu", "unions"]

BUDGET = 200_000
"""Maximum number of partitions to enumerate."""
DRAWS = 9_999
"""Number of random relabellings if there are too many partitions; the floor of p is then 1 / 10,000."""
OTHER: dict[Alternative, Alternative] = {"greater": "less", "less": "greater"}
_CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class PermutationResult:
    """An observed statistic, its permutation p-value, and the null distribution behind it.

    If `exact`, `null` (n,) is the statistic of every partition, in the order of itertools.combinations over the
    candidates (including the observed one); otherwise it is that of each random relabelling. `floor` is the smallest p
    that relabelling these texts can give. For an exact test this is the share of partitions that are as extreme as the
    most extreme one (1 / partitions without ties, or twice that for a statistic that does not change when equal sides
    are exchanged); for random relabellings it is 1 / (draws + 1). It is 1 if all values are equal. `alternative` is the
    tail that was counted; `p_two_sided` counts both tails (see `two_sided`).
    """

    statistic: float
    p_value: float
    null: Floats
    exact: bool
    floor: float
    alternative: Alternative
    p_two_sided: float

    @property
    def drawn(self) -> int:
        """Number of random relabellings; 0 if all partitions were counted."""
        return 0 if self.exact else len(self.null)


def two_sided(p: float, p_other: float) -> float:
    """Return the two-sided p-value: twice the smaller of the two one-sided p-values, at most 1."""
    return min(1.0, 2 * min(p, p_other))


def permutation_test(
    statistic: Statistic | Callable[[Any, Labels], float],
    matrix: Any,
    is_candidate: Labels,
    budget: int = BUDGET,
    seed: int = 0,
    alternative: Alternative | None = None,
    *,
    draws: int = DRAWS,
    ties: Ties = "shared",
) -> PermutationResult:
    """Return the permutation test of the hypothesis that candidates and references share one distribution.

    `statistic` is any f(matrix, is_candidate), or a name, which determines the `matrix` over the N pooled texts (rows
    are hypotheses, columns are references). "trm" takes distances (N, N), with `ties` as in `rank_shares`; "mmd"
    (unbiased) and "mmd_biased", a kernel (N, N); "frechet", the Gram matrix of embeddings (N, N), for the squared
    distance; "mean_mean" and "mean_max", scores (N, N), for the mean over candidates of the mean or the best over
    references; "rouge_l", precision and recall (2, N, N) of the longest common subsequence, for F (beta 1.2) from the
    best of each; "bleu", the result of `bleu_masks`; and "unions", a `Unions`.

    If there are at most `budget` partitions, all are counted: p = #{T >= T_observed} / #partitions. Otherwise
    p = (b + 1) / (m + 1) with m = `draws` random relabellings from `seed` (Phipson and Smyth 2010). If `alternative`
    is None, it is the upper tail, or the lower tail for the last five of these names. Values that differ by less than
    rounding errors are equal.

    Raises ValueError for input that is not finite, malformed labels, or too few texts on a side. Chan et al., section
    3.1 and appendix A.5.
    """
    route = _route(statistic, ties)
    state = route.prepare(matrix)
    is_candidate = check_labels(is_candidate, route.size(state))
    what = f"The statistic {statistic!r}" if isinstance(statistic, str) else "A permutation test"
    (check_two_a_side if route.at_least == 2 else check_one_a_side)(is_candidate, what)
    observed = float(route.values(state, is_candidate[None, :])[0])
    null, exact = _null(route, state, is_candidate, budget, draws, seed)
    return counted(observed, null, exact, route.scale(state), alternative or route.alternative)


def _route(statistic: str | Callable[[Any, Labels], float], ties: Ties) -> Route:
    from metrics.permutation import compiled_routes

    check_ties(ties)
    if not isinstance(statistic, str):
        return compiled_routes.callable_route(statistic)
    if statistic == "trm":
        return compiled_routes.triangle_route(ties)
    if statistic not in compiled_routes.ROUTES:
        raise ValueError(
            f"statistic must be callable or one of {', '.join(compiled_routes.ROUTES)}, got {statistic!r}."
        )
    return compiled_routes.ROUTES[statistic]


def counted(observed: float, null: Floats, exact: bool, scale: float, tail: Alternative) -> PermutationResult:
    """Return the result from the observed value and the values (n,) of all relabellings or of a sample.

    Raises ValueError for a tail that is not in OTHER, or values that are not finite.
    """
    if tail not in OTHER:
        raise ValueError(f'alternative must be "greater" or "less", got {tail!r}.')
    more = 0 if exact else 1  # all partitions include the observed labelling, the draws do not
    p_value, p_other = (
        (_extreme(observed, null, scale, side) + more) / (len(null) + more) for side in (tail, OTHER[tail])
    )
    floor = _floor(null, exact, scale, tail)
    return PermutationResult(observed, p_value, null, exact, floor, tail, two_sided(p_value, p_other))


def _extreme(observed: float, null: Floats, scale: float, tail: Alternative) -> int:
    """Return the number of null values at least as extreme as observed, up to rounding errors relative to `scale`."""
    bad = int(np.count_nonzero(~np.isfinite(null)))
    if bad or not np.isfinite(observed):
        raise ValueError(f"The statistic is not finite for {bad} of {len(null)} relabellings.")
    guard = 1e-9 * abs(observed) + 1e-12 * max(scale, float(np.abs(null).max()))
    if tail == "greater":
        return int(np.count_nonzero(null >= observed - guard))
    return int(np.count_nonzero(null <= observed + guard))


def _floor(null: Floats, exact: bool, scale: float, tail: Alternative) -> float:
    share = _extreme(float(null.max() if tail == "greater" else null.min()), null, scale, tail) / len(null)
    return share if exact or share == 1 else 1 / (len(null) + 1)


def _null(route: Route, state: Any, is_candidate: Labels, budget: int, draws: int, seed: int) -> tuple[Floats, bool]:
    from metrics.permutation import partitions

    size, candidates = len(is_candidate), int(is_candidate.sum())
    if partitions.number(size, candidates) > budget:
        if draws < 1:
            raise ValueError(f"draws must be at least 1, got {draws}.")
        labels = partitions.random_labels(is_candidate, draws, seed)
        blocks = np.array_split(labels, -(-labels.size // _CELLS_AT_ONCE))
        return np.concatenate([route.values(state, block) for block in blocks]), False
    mirrored = route.symmetric and 2 * candidates == size
    if route.every is not None:
        null = route.every(state, candidates, mirrored)
    else:
        every = partitions.label_blocks(size, candidates, mirrored)
        null = np.concatenate([route.values(state, block) for block in every])
    if mirrored:  # the second half are the complements of the first half, in reverse order
        null = np.concatenate([null, null[::-1]])
    return null, True

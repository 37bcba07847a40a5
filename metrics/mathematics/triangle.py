"""Triangle-rank metric: how often an edge within one set is the shortest, middle or longest of its triangle."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.mathematics.checks import check_labels, check_matrix, check_two_a_side

Ties = Literal["shared", "paper"]

_CELLS_AT_ONCE = 1 << 22


def rank_shares(distance: Floats, is_candidate: Labels, ties: Ties = "shared") -> Floats:
    """(2, 3) shares of triangles whose same-side edge is shortest, middle, longest.

    Rows of `distance` are hypotheses, columns are references; it need not be symmetric, and its diagonal is not used.
    In row 0 of the result, the pair is in the references; in row 1, in the candidates. Rows sum to 1 when ties are
    "shared"; with "paper" a tied edge counts fully for every rank it could take. All triangles are counted, never a
    sample. Raises ValueError for fewer than two texts on a side, or numbers that are not finite. Chan et al., section
    3.2, eq. 3.
    """
    distance, is_candidate = check_matrix(distance), check_labels(is_candidate, len(distance))
    check_two_a_side(is_candidate, "Triangles")
    check_ties(ties)
    sides = (~is_candidate, is_candidate)
    return np.stack([_shares_of_side(distance, np.flatnonzero(side), np.flatnonzero(~side), ties) for side in sides])


def triangle_rank(distance: Floats, is_candidate: Labels, ties: Ties = "shared") -> float:
    """TRM, in 0..8/3; lower is better. It is |share - 1/3|, summed over the ranks and both sides.

    Arguments and errors as in `rank_shares`. Chan et al., section 3.2, eq. 4.
    """
    return float(departure(rank_shares(distance, is_candidate, ties)))


def departure(shares: Floats) -> Floats:
    """(...) sums of |share - 1/3| over the last two axes of (..., 2, 3) rank shares."""
    return np.abs(shares - 1 / 3).sum(axis=(-1, -2))


def check_ties(ties: str) -> None:
    """Raise ValueError unless `ties` is "shared" or "paper"."""
    if ties not in ("shared", "paper"):
        raise ValueError(f'ties must be "shared" or "paper", got {ties!r}.')


def _shares_of_side(distance: Floats, pair: Integers, point: Integers, ties: Ties) -> Floats:
    """(3,) shares for pairs on one side with third points on the other, in bounded memory."""
    inside = distance[np.ix_(pair, pair)]
    apart = ~np.eye(len(pair), dtype=bool)
    counts = np.zeros(9, dtype=np.int64)
    step = max(_CELLS_AT_ONCE // len(pair) ** 2, 1)
    for start in range(0, len(point), step):
        edges = distance[np.ix_(point[start : start + step], pair)]
        codes = _code(inside, edges[:, :, None], edges[:, None, :])
        counts += np.bincount(codes[:, apart].ravel(), minlength=9)
    by_rank = rank_weights(ties).reshape(9, 3)
    return (counts @ by_rank) / (6 * counts.sum())


def _code(inside: Floats, edge0: Floats, edge1: Floats) -> NDArray[np.int8]:
    """Return 3 * (number of edges shorter than the pair's) + (number of edges equal to it)."""
    lower = (edge0 < inside).astype(np.int8) + (edge1 < inside)
    tied = (edge0 == inside).astype(np.int8) + (edge1 == inside)
    return (3 * lower + tied).astype(np.int8)


def rank_weights(ties: str) -> Integers:
    """(3, 3, 3) weight, in sixths, of rank k [last axis] for given numbers of shorter [first] and equal [second] edges.

    With s shorter and t equal edges, the pair's edge could take any of the ranks s..s + t.
    """
    out = np.zeros((3, 3, 3), dtype=np.int64)
    for lower in range(3):
        for tied in range(3 - lower):
            out[lower, tied, lower : lower + tied + 1] = 6 if ties == "paper" else 6 // (tied + 1)
    return out


def at_maximum(distance: Floats, maximum: float) -> float:
    """Return the share of the distances (N, N), off the diagonal, that are at the maximum, where texts share nothing.

    For a negative cosine the distance exceeds the maximum, and is not a tie.
    """
    off = ~np.eye(len(distance), dtype=bool)
    return float((np.abs(distance[off] - maximum) < 1e-6).mean())


def set_trms(distance: Floats, copies: Integers, ties: Ties = "shared") -> Floats:
    """(cells,) triangle-rank metric of candidate sets, given as numbers of copies (cells, T) of the first T texts.

    In `distance` (T + r, T + r), the other texts are the references; copies of a text are at distance 0. The result
    equals `triangle_rank` of the expanded sets: the sums over triangles are polynomials in these numbers.
    """
    texts = copies.shape[1]
    weights = rank_weights(ties)
    among, across, back = distance[texts:, texts:], distance[:texts, texts:], distance[texts:, :texts]
    inside = distance[:texts, :texts].copy()
    np.fill_diagonal(inside, 0.0)
    apart = ~np.eye(len(among), dtype=bool)
    of_point = weights[_counts(among, across)][:, apart].sum(axis=1)
    of_pair = weights[_counts(inside, back)].sum(axis=0)
    n, m = int(copies[0].sum()), len(among)
    in_references = copies @ of_point / (6 * n * m * (m - 1))
    pairs = np.einsum("ci,cj,ijk->ck", copies, copies, of_pair, optimize=True)
    in_candidates = (pairs - copies @ np.einsum("iik->ik", of_pair)) / (6 * m * n * (n - 1))
    return departure(np.stack([in_references, in_candidates], axis=1))


def _counts(inside: Floats, edges: Floats) -> tuple[Integers, Integers]:
    """(points, P, P) numbers of edges shorter than the pair's and equal to it; `inside` (P, P), `edges` (points, P)."""
    first, second = edges[:, :, None], edges[:, None, :]
    lower = (first < inside).astype(np.int64) + (second < inside)
    return lower, (first == inside).astype(np.int64) + (second == inside)

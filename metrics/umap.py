"""UMAP: a plane in which points have the neighbours that they have in their space. McInnes, Healy and Melville 2018.

The neighbours are exact and the start is the plane of the principal components; all else is as in umap-learn 0.5,
which the tests compare with. `docs/decisions/014-umap.md` says why it is not used itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.arrays import Floats, Integers
from metrics.hooks import Hooks
from metrics.layout import BLOCK, principal_components, squared_distances

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LEAST = 10
"""Fewest points: below, the graph of neighbours says nothing that the distances do not."""
SAME = 1e-6
"""Squared distance up to which two unit vectors are one place: what is below is rounding."""
FEW = 10_000
EPOCHS, EPOCHS_OF_MANY = 500, 200
AT_ONCE = 5
"""Epochs between two questions whether the work is still wanted."""
HALVINGS = 64
SECONDS_OF_A_PAIR, SECONDS_OF_A_MOVE = 2e-8, 1.2e-6
"""What a pair of points takes in the search for neighbours, and a point in an epoch, on two cores."""
_CLOSE, _NARROWEST = 1e-5, 1e-3
_SIDE, _NOISE = 10.0, 1e-4


@dataclass(frozen=True)
class Neighbours:
    """Of n points the k nearest, the nearest first and each itself its first: `rows` (n, k), `distance` (n, k)."""

    rows: Integers
    distance: Floats


def umap(
    vectors: ArrayLike, neighbours: int = 15, apart: float = 0.1, metric: str = "cosine", seed: int = 0,
    hooks: Hooks | None = None,
) -> Floats:  # fmt: skip
    """(n, 2) UMAP of (n, d) vectors by "cosine" or "euclidean" distance, the same for the same seed on one machine.

    `neighbours`, each point itself among them, is at most n. The hooks hear the share that is done. Raises ValueError
    with fewer than LEAST points, and Cancelled.
    """
    points = np.asarray(vectors, dtype=np.float32)
    if len(points) < LEAST:
        raise ValueError(f"UMAP needs at least {LEAST} different captions, here are {len(points)}")
    hooks, n = hooks or Hooks(), len(points)
    searched = SECONDS_OF_A_PAIR * n * n / expected_seconds(n)
    near = nearest(points, min(neighbours, n), metric, hooks.part(0.0, searched))
    rng = np.random.default_rng(seed)
    start = _start(points, rng)
    placed = place(fuzzy_graph(near), start, curve(apart), rng, hooks.part(searched, 1.0))
    return np.asarray(placed, dtype=float)


def epochs(n: int) -> int:
    """How often n points are moved: many points settle sooner."""
    return EPOCHS if n <= FEW else EPOCHS_OF_MANY


def expected_seconds(n: int) -> float:
    """About what n points take: for the share of the work that is done, not for a promise."""
    return SECONDS_OF_A_PAIR * n * n + SECONDS_OF_A_MOVE * n * epochs(n)


def nearest(vectors: ArrayLike, k: int, metric: str = "cosine", hooks: Hooks | None = None) -> Neighbours:
    """The k nearest of each of (n, d) vectors, found by all distances; for the cosine, of vectors other than 0."""
    points, hooks = np.asarray(vectors, dtype=np.float32), hooks or Hooks()
    if metric == "cosine":
        length = np.linalg.norm(points, axis=1, keepdims=True)
        points = (points / np.where(length > 0, length, 1)).astype(np.float32)
    rows, distance = np.zeros((len(points), k), dtype=np.int64), np.zeros((len(points), k))
    for start in range(0, len(points), BLOCK):
        hooks.check()
        hooks.progress(f"UMAP finds neighbours, {start:,} of {len(points):,}")
        hooks.share(start / len(points))
        block = np.arange(start, min(start + BLOCK, len(points)))
        rows[block], squares = _least(squared_distances(points, block), k)
        squares[squares <= SAME] = 0.0
        # Of unit vectors half the squared distance is 1 less the cosine.
        distance[block] = squares / 2 if metric == "cosine" else np.sqrt(squares)
    return Neighbours(rows, distance)


def _least(values: NDArray[np.float32], k: int) -> tuple[Integers, NDArray[np.float32]]:
    """Columns and values of the k least of each row, the least first."""
    chosen = np.argpartition(values, k - 1, axis=1)[:, :k]
    own = np.take_along_axis(values, chosen, axis=1)
    order = np.argsort(own, axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1), np.take_along_axis(own, order, axis=1)


def fuzzy_graph(near: Neighbours) -> csr_array:
    """(n, n) symmetric memberships 0..1: how much two points are neighbours, by either's own scale of distance.

    The nearest place of another is wholly a neighbour; the rest fall off exponentially, so that they add up to
    log2(k). Algorithms 2 and 3 of the paper, and the union of both directions.
    """
    from scipy.sparse import coo_array, csr_array

    n, k = near.rows.shape
    gaps, scale = _own_scale(near.distance)
    strength = np.exp(-np.maximum(gaps, 0.0) / scale[:, None])
    strength[near.rows == np.arange(n)[:, None]] = 0.0
    row = np.repeat(np.arange(n, dtype=np.int32), k)
    one_way = coo_array((strength.ravel(), (row, near.rows.ravel().astype(np.int32))), shape=(n, n)).tocsr()
    other_way = one_way.T.tocsr()
    both = csr_array(one_way + other_way - one_way.multiply(other_way))
    both.eliminate_zeros()
    return both


def _own_scale(distance: Floats) -> tuple[Floats, Floats]:
    """(n, k) distances beyond the first that is none to itself, and (n,) the scale by which these fall off."""
    positive = np.where(distance > 0, distance, np.inf).min(axis=1)
    gaps = distance - np.where(np.isfinite(positive), positive, 0.0)[:, None]
    wanted = np.log2(distance.shape[1])
    low, high, scale = np.zeros(len(distance)), np.full(len(distance), np.inf), np.ones(len(distance))
    left = np.arange(len(distance))
    for _ in range(HALVINGS):
        own = np.exp(-np.maximum(gaps[left, 1:], 0.0) / scale[left, None]).sum(axis=1)
        open_ = np.abs(own - wanted) >= _CLOSE
        left, above = left[open_], (own > wanted)[open_]
        if not len(left):
            break
        high[left[above]] = scale[left[above]]
        low[left[~above]] = scale[left[~above]]
        ends = np.where(np.isfinite(high[left]), (low[left] + high[left]) / 2, 2 * scale[left])
        scale[left] = ends
    mean = np.where(np.isfinite(positive), distance.mean(axis=1), distance.mean())
    return gaps, np.maximum(scale, np.maximum(_NARROWEST * mean, np.finfo(float).tiny))


@cache
def curve(apart: float) -> tuple[float, float]:
    """a and b of 1 / (1 + a d^2b), which is near 1 up to the distance `apart` and falls as exp(apart - d) beyond."""
    from scipy.optimize import curve_fit

    at = np.linspace(0, 3, 300)
    wanted = np.where(at < apart, 1.0, np.exp(-(at - apart)))
    found, _ = curve_fit(lambda d, a, b: 1.0 / (1.0 + a * d ** (2 * b)), at, wanted)
    return float(found[0]), float(found[1])


def place(
    graph: csr_array, start: NDArray[np.float32], by: tuple[float, float], rng: np.random.Generator, hooks: Hooks
) -> NDArray[np.float32]:
    """(n, 2) places to which `start` goes as neighbours of the graph pull and random others push."""
    from metrics._umap import PUSHES, descend

    n_epochs = epochs(len(start))
    ties = graph.tocoo()
    # An edge too weak to be taken once is left out.
    kept = ties.data >= ties.data.max() / n_epochs
    edges = np.column_stack([ties.row[kept], ties.col[kept]]).astype(np.int32)
    period = ties.data.max() / ties.data[kept].astype(float)
    due = np.column_stack([period, period / PUSHES])
    states = rng.integers(1 << 32, size=(len(start), 3), dtype=np.int64)
    xy, coefficients = start.copy(), (np.float32(by[0]), np.float32(by[1]))
    for first in range(0, n_epochs, AT_ONCE):
        hooks.check()
        hooks.progress(f"UMAP places captions, round {first:,} of {n_epochs:,}")
        hooks.share(first / n_epochs)
        descend(xy, edges, period, due, states, coefficients, (first, min(first + AT_ONCE, n_epochs), n_epochs))
    return xy


def _start(points: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """The first two principal components in a square of side 10, with a little noise so that no two places are one.

    A start that knows the whole keeps far groups in place as well as a spectral one does. Kobak and Linderman 2021.
    """
    xy = principal_components(points).xy
    size = np.abs(xy).max() or 1.0
    return np.asarray(_SIDE / 2 * (1 + xy / size) + rng.normal(scale=_NOISE, size=xy.shape), dtype=np.float32)

"""Projections of points to a plane, and measures of their faithfulness, as functions of arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.mathematics.arrays import Floats
from metrics.mathematics.checks import check_matrix

ROWS = 2_000
BLOCK = 256


@dataclass(frozen=True)
class Components:
    """Scores `xy` (n, 2) on the first two principal components, and each component's share of the `variance` (2,)."""

    xy: Floats
    variance: Floats


@dataclass(frozen=True)
class Scaling:
    """Positions `xy` (N, 2), Kruskal's stress-1, and each axis's share (2,) of the sum of positive eigenvalues."""

    xy: Floats
    stress: float
    shares: Floats


def principal_components(vectors: ArrayLike) -> Components:
    """Return the first two principal components of vectors (n, d).

    Of each component, the loading with the largest absolute value is made positive, so that equal data give equal
    pictures. Components without variance are zero.
    """
    centred = np.asarray(vectors, dtype=float)
    centred = centred - centred.mean(axis=0)
    values, loadings = np.linalg.eigh(centred.T @ centred)
    values, loadings = np.maximum(values[::-1], 0.0), loadings[:, ::-1][:, :2]
    largest = np.abs(loadings).argmax(axis=0)
    loadings = loadings * np.where(loadings[largest, np.arange(loadings.shape[1])] < 0, -1.0, 1.0)
    total = values.sum()
    xy, variance = np.zeros((len(centred), 2)), np.zeros(2)
    if total > 0:
        xy[:, : loadings.shape[1]] = centred @ loadings
        variance[: loadings.shape[1]] = values[:2] / total
    return Components(xy, variance)


def trustworthiness(vectors: ArrayLike, xy: ArrayLike, k: int = 15, rows: int = ROWS, seed: int = 0) -> float:
    """Return to what extent neighbours in the plane are neighbours in the space: 1 if all are, about 0.5 if random.

    `vectors` (n, d) are compared by Euclidean distance, which ranks unit vectors as cosine distance does. The result is
    the mean over all points, or over a sample of `rows` of them drawn with `seed`. NaN for n <= 2 k, where the formula
    is not valid. Venna and Kaski 2001.
    """
    space, plane = _centred(vectors), _centred(xy)
    n = len(space)
    if n <= 2 * k:
        return float("nan")
    looked_at = np.arange(n) if n <= rows else np.sort(np.random.default_rng(seed).permutation(n)[:rows])
    total = 0.0
    for start in range(0, len(looked_at), BLOCK):
        block = looked_at[start : start + BLOCK]
        far, near = squared_distances(space, block), squared_distances(plane, block)
        chosen = np.argpartition(near, k, axis=1)[:, : k + 1]
        for row, own in enumerate(block):
            neighbours = chosen[row][chosen[row] != own][np.argsort(near[row][chosen[row][chosen[row] != own]])][:k]
            # The point itself (distance -1) adds one to every rank, so that ranks start at 1.
            ranks = (far[row][None, :] < far[row][neighbours][:, None]).sum(axis=1)
            total += float(np.maximum(ranks - k, 0).sum())
    return 1.0 - 2.0 / (k * (2 * n - 3 * k - 1)) * total / len(looked_at)


def _centred(points: ArrayLike) -> NDArray[np.float32]:
    """Points centred on the origin, where squares lose the fewest digits."""
    array = np.asarray(points, dtype=float)
    return np.asarray(array - array.mean(axis=0) if len(array) else array, dtype=np.float32)


def squared_distances(points: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return squared distances (rows, n) from the points at `rows` to all points (n, d).

    The entry of a point for itself is -1, so that it is nearest to itself despite rounding.
    """
    squares = (points * points).sum(axis=1)
    found = squares[rows][:, None] + squares[None, :] - 2.0 * (points[rows] @ points.T)
    found[np.arange(len(rows)), rows] = -1.0
    return np.asarray(found, dtype=np.float32)


def classical_scaling(distance: ArrayLike) -> Scaling:
    """Return the classical multidimensional scaling of distances (N, N), averaged with their transpose.

    Axes are eigenvectors of the double-centred squared distances; negative eigenvalues, which occur if distances are
    not Euclidean, are dropped (Torgerson 1952). The stress compares the plane with the averaged distances, as in Borg
    and Groenen 2005, eq. 3.2; it is NaN if all points coincide.
    """
    matrix = check_matrix(distance)
    both = (matrix + matrix.T) / 2
    np.fill_diagonal(both, 0.0)
    n = len(both)
    centring = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centring @ (both**2) @ centring)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.where(vectors[largest, np.arange(n)] < 0, -1.0, 1.0)
    xy, shares = np.zeros((n, 2)), np.zeros(2)
    kept = min(2, n)
    xy[:, :kept] = vectors[:, :kept] * np.sqrt(values[:kept])
    if values.sum() > 0:
        shares[:kept] = values[:kept] / values.sum()
    return Scaling(xy, stress(both, xy), shares)


def stress(distance: ArrayLike, xy: ArrayLike) -> float:
    """Return the stress-1 of positions (n, 2) that stand for distances (n, n); NaN if all positions coincide.

    A plane with a stress above 0.2 is poor: Kruskal 1964.
    """
    plane = np.asarray(xy, dtype=float)
    upper = np.triu_indices(len(plane), 1)
    shown = np.linalg.norm(plane[upper[0]] - plane[upper[1]], axis=1)
    given = np.asarray(distance, dtype=float)[upper]
    total = float((shown**2).sum())
    return float(np.sqrt(((given - shown) ** 2).sum() / total)) if total > 0 else float("nan")

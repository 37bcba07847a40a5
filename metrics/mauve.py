"""MAUVE: the area under the divergence frontier of two quantised distributions. Corpus level only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.arrays import Floats, Integers
from metrics.checks import check_embeddings, check_finite

SCALING = 5.0
"""The constant c of Pillutla et al. 2021."""

POINTS = 25
"""Mixture weights of the frontier, evenly from 1e-6 to 1 - 1e-6."""


@dataclass(frozen=True)
class Mauve:
    """The score in 0..1 (higher is better), and what it was computed from.

    `candidates`, `references`: (clusters,) histograms that sum to 1; `curve`: see `frontier`; `dimensions`: the number
    that the PCA keeps.
    """

    value: float
    candidates: Floats
    references: Floats
    curve: Floats
    dimensions: int


def mauve(
    candidates: ArrayLike,
    references: ArrayLike,
    clusters: int | None = None,
    *,
    scaling: float = SCALING,
    explained_variance: float = 0.9,
    restarts: int = 5,
    iterations: int = 500,
    seed: int = 0,
) -> Mauve:
    """MAUVE of two sets of embeddings (n, d) and (m, d), quantised together.

    Embeddings are scaled to length 1 and reduced by PCA to `explained_variance`; k-means (best of `restarts`) finds
    `clusters` clusters, by default a tenth of the smaller set and at least 2. Meaningless for the 5 to 40 texts of an
    item. ValueError for sets that together have no two different embeddings, or have fewer texts than clusters.
    Pillutla et al. 2021.
    """
    first, second = check_embeddings(candidates), check_embeddings(references)
    if min(len(first), len(second)) < 1 or first.shape[1] != second.shape[1]:
        raise ValueError(f"MAUVE needs two sets of equal dimension, got {first.shape} and {second.shape}.")
    clusters = max(2, round(min(len(first), len(second)) / 10)) if clusters is None else clusters
    points = np.concatenate([second, first])
    if not 1 <= clusters <= len(np.unique(points, axis=0)):
        raise ValueError(f"{clusters} clusters need as many different embeddings among the {len(points)} texts.")
    reduced = _reduce(points, explained_variance)
    labels = _quantise(reduced, clusters, restarts, iterations, seed)
    q, p = (np.bincount(part, minlength=clusters) for part in (labels[: len(second)], labels[len(second) :]))
    curve = frontier(p, q, scaling)
    return Mauve(area(curve), p / p.sum(), q / q.sum(), curve, reduced.shape[1])


def frontier(candidates: ArrayLike, references: ArrayLike, scaling: float = SCALING) -> Floats:
    """(POINTS + 2, 2) divergence frontier, from (1, 0) to (0, 1).

    Column 0: exp(-c KL(Q | R)), column 1: exp(-c KL(P | R)), for mixtures R = w P + (1 - w) Q with increasing w.
    ValueError for histograms of different length, without mass, or with negative entries. Pillutla et al. 2021, section
    3.
    """
    p, q = check_finite(candidates, "The histogram"), check_finite(references, "The histogram")
    if p.ndim != 1 or p.shape != q.shape:
        raise ValueError(f"Both histograms must have the same clusters, got {p.shape} and {q.shape}.")
    if min(p.min(initial=0), q.min(initial=0)) < 0 or min(p.sum(), q.sum()) <= 0:
        raise ValueError("A histogram needs counts that are not negative, and at least one.")
    p, q = p / p.sum(), q / q.sum()
    weights = np.linspace(1e-6, 1 - 1e-6, POINTS)[:, None]
    mixtures = weights * p + (1 - weights) * q
    inner = np.exp(-scaling * np.stack([_divergence(q, mixtures), _divergence(p, mixtures)], axis=1))
    return np.concatenate([[[1.0, 0.0]], inner, [[0.0, 1.0]]])


def area(curve: Floats) -> float:
    """Area under a frontier by the trapezoidal rule; the same whichever axis is the base."""
    widths, heights = -np.diff(curve[:, 0]), (curve[1:, 1] + curve[:-1, 1]) / 2
    return float((widths * heights).sum())


def _divergence(p: Floats, mixtures: Floats) -> Floats:
    """(points,) Kullback-Leibler divergence of p from each mixture, which has mass wherever p does."""
    there = p > 0
    return (p[there] * np.log(p[there] / mixtures[:, there])).sum(axis=1)


def _reduce(points: Floats, explained_variance: float) -> Floats:
    """Unit vectors in the fewest principal components that explain this much of the variance, with fixed signs."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    unit = points / np.where(lengths > 0, lengths, 1.0)
    unit = unit - unit.mean(axis=0)
    if len(unit) > unit.shape[1]:
        variances, axes = np.linalg.eigh(unit.T @ unit)
        variances, axes = variances[::-1], axes[:, ::-1]
    else:
        _, singular, transposed = np.linalg.svd(unit, full_matrices=False)
        variances, axes = singular**2, transposed.T
    shares = np.cumsum(variances) / max(variances.sum(), np.finfo(float).tiny)
    kept = int(np.argmax(shares >= explained_variance)) + 1
    return unit @ axes[:, :kept]


def _quantise(points: Floats, clusters: int, restarts: int, iterations: int, seed: int) -> Integers:
    """(texts,) cluster of each text."""
    from sklearn.cluster import KMeans

    means = KMeans(clusters, n_init=restarts, max_iter=iterations, random_state=seed)
    return means.fit_predict(points).astype(np.int64)

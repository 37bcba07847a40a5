"""MAUVE: the area under the divergence frontier of two quantised distributions, at corpus level only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.mathematics.checks import check_embeddings, check_finite

SCALING = 5.0
"""The constant c of Pillutla et al. 2021."""

POINTS = 25
"""Number of mixture weights on the frontier, evenly spaced from 1e-6 to 1 - 1e-6."""
_WEIGHTS = np.linspace(1e-6, 1 - 1e-6, POINTS)


@dataclass(frozen=True)
class Mauve:
    """The score in 0..1 (higher is better), averaged over starts of k-means, and the histograms behind it.

    `candidates` and `references` are histograms (starts, clusters), whose rows sum to 1; `dimensions` is the number of
    dimensions that the PCA keeps.
    """

    value: float
    candidates: Floats
    references: Floats
    dimensions: int


@dataclass(frozen=True)
class Quantised:
    """Pooled texts in clusters.

    `labels` (starts, N) is the cluster of each text for each start of k-means; `clusters` is their number, and
    `dimensions` the number of PCA components kept. Clustering ignores who wrote a text, so relabelling texts leaves
    clusters unchanged.
    """

    labels: Integers
    clusters: int
    dimensions: int

    def histograms(self, chosen: Labels) -> Floats:
        """(B, starts, clusters) shares of the `chosen` (B, N) texts in each cluster; each row must choose a text."""
        found = np.zeros((len(chosen), len(self.labels), self.clusters))
        for start, labels in enumerate(self.labels):
            order = np.argsort(labels, kind="stable")
            filled, first = np.unique(labels[order], return_index=True)
            found[:, start, filled] = np.add.reduceat(chosen[:, order], first, axis=1, dtype=np.int64)
        return found / chosen.sum(axis=1)[:, None, None]


def mauve(
    candidates: ArrayLike,
    references: ArrayLike,
    clusters: int | None = None,
    *,
    scaling: float = SCALING,
    explained_variance: float = 0.9,
    starts: int = 5,
    iterations: int = 500,
    seed: int = 0,
) -> Mauve:
    """Return the MAUVE of two sets of embeddings (n, d) and (m, d), quantised together.

    Embeddings are scaled to length 1 and reduced by PCA to `explained_variance`; k-means finds `clusters` clusters, by
    default a tenth of the smaller set and at least 2. Since clusters depend on the initial centres, the value is the
    mean over `starts` starts; the embeddings are sorted first, so that it does not depend on the order of texts. MAUVE
    is meaningless for the 5 to 40 texts of an item. Raises ValueError for an empty set, sets of different dimension, or
    fewer different embeddings than clusters. Pillutla et al. 2021.
    """
    first, second = check_embeddings(candidates), check_embeddings(references)
    if min(len(first), len(second)) < 1 or first.shape[1] != second.shape[1]:
        raise ValueError(f"MAUVE needs two sets of equal dimension, got {first.shape} and {second.shape}.")
    clusters = max(2, round(min(len(first), len(second)) / 10)) if clusters is None else clusters
    settings = (explained_variance, starts, iterations, seed)
    found = quantise(np.concatenate([first, second]), clusters, *settings)
    is_candidate = np.arange(len(first) + len(second)) < len(first)
    (p,), (q,) = found.histograms(is_candidate[None]), found.histograms(~is_candidate[None])
    value = float(np.mean([area(frontier(*both, scaling)) for both in zip(p, q)]))
    return Mauve(value, p, q, found.dimensions)


def quantise(
    points: ArrayLike,
    clusters: int,
    explained_variance: float = 0.9,
    starts: int = 5,
    iterations: int = 500,
    seed: int = 0,
) -> Quantised:
    """Return clustered embeddings (N, d) as in `mauve`.

    Raises ValueError for malformed input, no clusters, or more clusters than distinct points.
    """
    points = check_embeddings(points)
    different, place, times = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    if not 1 <= clusters <= len(different):
        raise ValueError(f"{clusters} clusters need as many different embeddings among the {len(points)} texts.")
    reduced = _reduce(different, times, explained_variance)
    labels = [label[place] for label in _quantise(reduced, times, clusters, starts, iterations, seed)]
    return Quantised(np.array(labels), clusters, reduced.shape[1])


def of_labellings(found: Quantised, labels: Labels, scaling: float = SCALING) -> Floats:
    """(B,) MAUVE under labellings (B, N) of the pooled texts, True for candidates.

    The values are those of `mauve`, without clustering again.
    """
    p, q = found.histograms(labels), found.histograms(~labels)
    own = [_negative_entropy(side) for side in (p, q)]
    curve = np.zeros((POINTS + 2, 2, *p.shape[:2]))
    curve[0, 0] = curve[-1, 1] = 1.0
    for k, weight in enumerate(_WEIGHTS):
        mixture = weight * p + (1 - weight) * q
        logs = np.log(np.where(mixture > 0, mixture, 1.0))
        for column, (side, entropy) in enumerate(((q, own[1]), (p, own[0]))):
            curve[k + 1, column] = np.exp(-scaling * (entropy - (side * logs).sum(axis=-1)))
    return area(curve).mean(axis=-1)


def frontier(candidates: ArrayLike, references: ArrayLike, scaling: float = SCALING) -> Floats:
    """(POINTS + 2, 2) divergence frontier, from (1, 0) to (0, 1).

    Column 0 is exp(-c KL(Q | R)) and column 1 is exp(-c KL(P | R)), for mixtures R = w P + (1 - w) Q with increasing w.
    Raises ValueError for histograms of different length, without mass, or with negative entries. Pillutla et al. 2021,
    section 3.
    """
    p, q = check_finite(candidates, "The histogram"), check_finite(references, "The histogram")
    if p.ndim != 1 or p.shape != q.shape:
        raise ValueError(f"Both histograms must have the same clusters, got {p.shape} and {q.shape}.")
    if min(p.min(initial=0), q.min(initial=0)) < 0 or min(p.sum(), q.sum()) <= 0:
        raise ValueError("A histogram needs counts that are not negative, and at least one.")
    p, q = p / p.sum(), q / q.sum()
    mixtures = _WEIGHTS[:, None] * p + (1 - _WEIGHTS[:, None]) * q
    inner = np.exp(-scaling * np.stack([_divergence(q, mixtures), _divergence(p, mixtures)], axis=1))
    return np.concatenate([[[1.0, 0.0]], inner, [[0.0, 1.0]]])


def area(curve: Floats) -> Floats:
    """Return the area under a frontier (points, 2), or under each of several (points, 2, ..), by the trapezoidal rule.

    It does not depend on which axis is the base.
    """
    widths, heights = -np.diff(curve[:, 0], axis=0), (curve[1:, 1] + curve[:-1, 1]) / 2
    return np.asarray((widths * heights).sum(axis=0))


def _negative_entropy(shares: Floats) -> Floats:
    """Return the sum of p ln p over the last axis; 0 ln 0 is 0."""
    return np.asarray((shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1))


def _divergence(p: Floats, mixtures: Floats) -> Floats:
    """(points,) Kullback-Leibler divergence of p from each mixture, which must have mass wherever p does."""
    there = p > 0
    return (p[there] * np.log(p[there] / mixtures[:, there])).sum(axis=1)


def _reduce(points: Floats, times: Integers, explained_variance: float) -> Floats:
    """Return unit vectors in the fewest principal components that explain the share `explained_variance`.

    Each point counts as many times as `times` states.
    """
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    unit = points / np.where(lengths > 0, lengths, 1.0)
    unit = unit - np.average(unit, axis=0, weights=times)
    weighted = unit * np.sqrt(times)[:, None]
    if len(unit) > unit.shape[1]:
        variances, axes = np.linalg.eigh(weighted.T @ weighted)
        variances, axes = variances[::-1], axes[:, ::-1]
    else:
        _, singular, transposed = np.linalg.svd(weighted, full_matrices=False)
        variances, axes = singular**2, transposed.T
    shares = np.cumsum(variances) / max(variances.sum(), np.finfo(float).tiny)
    kept = int(np.argmax(shares >= explained_variance)) + 1
    return unit @ axes[:, :kept]


def _quantise(
    points: Floats, times: Integers, clusters: int, starts: int, iterations: int, seed: int
) -> Iterator[Integers]:
    from sklearn.cluster import KMeans

    for start in np.random.default_rng(seed).integers(2**31, size=starts).tolist():
        means = KMeans(clusters, n_init=1, max_iter=iterations, random_state=start)
        yield means.fit_predict(points, sample_weight=times).astype(np.int64)

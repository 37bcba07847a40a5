"""Fréchet distance of the Gaussians fitted to two sets of embeddings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metrics.mathematics.arrays import Floats, Labels
from metrics.mathematics.checks import check_embeddings, check_labels, check_two_a_side


def gram(embeddings: ArrayLike) -> Floats:
    """(N, N) inner products of the embeddings centred on their pooled mean: the matrix for the statistic "frechet".

    The distance does not depend on the mean; subtracting it first preserves precision. Raises ValueError for
    embeddings that are not (N, d) and finite.
    """
    points = check_embeddings(embeddings)
    points = points - points.mean(axis=0)
    return points @ points.T


def frechet(embeddings: ArrayLike, is_candidate: Labels, squared: bool = True) -> float:
    """Return the Fréchet distance of the Gaussians fitted to candidates and references; lower is better.

    `squared` gives the value reported by Chan et al.; otherwise its root, the FBD of Montahaei et al., section 3.2.2.
    Covariances divide by n - 1. Raises ValueError for fewer than two texts on a side, or embeddings that are not (N, d)
    and finite. Chan et al., appendix A.6; the trace of the root is a nuclear norm (see `corpus_frechet`).
    """
    points = check_embeddings(embeddings)
    labels = check_labels(is_candidate, len(points))
    check_two_a_side(labels, "Covariances")
    return corpus_frechet(points[labels], points[~labels], squared)


def corpus_frechet(candidates: ArrayLike, references: ArrayLike, squared: bool = True) -> float:
    """Return the Fréchet distance between two sets of embeddings (n, d) and (m, d) of any size.

    tr (S_C S_R)^(1/2) is the sum of the singular values of A B^T, where S_C = A^T A and S_R = B^T B. A and B are the
    centred embeddings or, if there are more texts than dimensions, their triangular factors: neither the product of
    covariances nor the square root of a nearly singular matrix is ever computed. Errors as in `frechet`.
    """
    first, second = check_embeddings(candidates), check_embeddings(references)
    if min(len(first), len(second)) < 2:
        raise ValueError(f"Covariances need two texts on each side, got {len(first)} and {len(second)}.")
    if first.shape[1] != second.shape[1]:
        raise ValueError(f"The embeddings differ in dimension: {first.shape[1]} and {second.shape[1]}.")
    shift = first.mean(axis=0) - second.mean(axis=0)
    a, b = _factor(first), _factor(second)
    overlap = np.linalg.svd(a @ b.T, compute_uv=False).sum()
    value = float(max(shift @ shift + (a**2).sum() + (b**2).sum() - 2 * overlap, 0.0))
    return value if squared else float(np.sqrt(value))


class Moments(NamedTuple):
    """Number of embeddings (n, d), their sum (d,) and the sum of their outer products (d, d)."""

    n: int
    total: Floats
    products: Floats

    def without(self, part: Moments) -> Moments:
        """Return the moments of the embeddings that remain when a part is left out."""
        return Moments(self.n - part.n, self.total - part.total, self.products - part.products)


def moments(points: Floats) -> Moments:
    """Return the moments of embeddings (n, d)."""
    return Moments(len(points), points.sum(axis=0), points.T @ points)


def frechet_of_moments(candidates: Moments, references: Moments, squared: bool = True) -> float:
    """Return the Fréchet distance of two sets from their `moments`, in a time that depends only on d.

    It is accurate to about six digits; `corpus_frechet` is accurate to all digits but reads the embeddings again.
    """
    mean, cov = _mean_and_covariance(*candidates)
    values, vectors = np.linalg.eigh(cov)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    return _to_moments(mean, root.T, float(np.trace(cov)), references, squared)


def frechet_of_few(points: Floats, others: Moments, squared: bool = True) -> float:
    """Return the Fréchet distance of embeddings (n, d) from a set with the moments `others`.

    It is as accurate as `frechet_of_moments`; the time for its roots depends on n instead of d.
    """
    mean = points.mean(axis=0)
    factor = (points - mean) / np.sqrt(len(points) - 1)
    return _to_moments(mean, factor, float((factor**2).sum()), others, squared)


def _to_moments(mean: Floats, factor: Floats, trace: float, others: Moments, squared: bool) -> float:
    """Return the distance from `others` of a Gaussian with this mean, and with the covariance `factor.T @ factor`."""
    mean_r, cov_r = _mean_and_covariance(*others)
    inner = np.linalg.eigvalsh(factor @ cov_r @ factor.T)
    traces = trace + np.trace(cov_r) - 2 * np.sqrt(np.clip(inner, 0, None)).sum()
    value = max(float(((mean - mean_r) ** 2).sum() + traces), 0.0)
    return value if squared else float(np.sqrt(value))


def _mean_and_covariance(n: int, total: Floats, products: Floats) -> tuple[Floats, Floats]:
    mean = total / n
    return mean, (products - n * np.outer(mean, mean)) / (n - 1)


def _factor(points: Floats) -> Floats:
    """Return a matrix A of at most d rows for which A^T A is the covariance."""
    centred = (points - points.mean(axis=0)) / np.sqrt(len(points) - 1)
    if len(centred) <= centred.shape[1]:
        return centred
    return np.asarray(np.linalg.qr(centred, mode="r"))

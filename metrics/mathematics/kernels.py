"""Kernel and Gaussian distances between two sets of embeddings, and the Vendi score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metrics.mathematics.arrays import Floats, Labels
from metrics.mathematics.checks import check_embeddings, check_labels, check_matrix, check_one_a_side, check_two_a_side


def rbf_kernel(embeddings: ArrayLike, bandwidth: float = 0.5) -> Floats:
    """(N, N) exp(-|x - y|^2 / (2 s^2)), where s is `bandwidth` times the median distance between two pooled texts.

    If the median is 0 (more than half of the pairs are identical), the limit s -> 0 is used: 1 for identical
    embeddings, otherwise 0. Raises ValueError for embeddings that are not (N, d) and finite, or a bandwidth that is not
    positive. Chan et al., section 3.3 and appendix A.7.
    """
    from scipy.spatial.distance import pdist, squareform

    points = check_embeddings(embeddings)
    if not bandwidth > 0:
        raise ValueError(f"bandwidth must be positive, got {bandwidth}.")
    if len(points) < 2:
        return np.ones((len(points), len(points)))
    distances = pdist(points)  # exact zeros between identical rows, unlike inner products
    scale = bandwidth * float(np.median(distances))
    if scale == 0:
        return squareform((distances == 0).astype(np.float64)) + np.eye(len(points))
    return squareform(np.exp(-0.5 * (distances / scale) ** 2)) + np.eye(len(points))


def gram(embeddings: ArrayLike) -> Floats:
    """(N, N) inner products of the embeddings centred on their pooled mean: the matrix for the statistic "frechet".

    The distance does not depend on the mean; subtracting it first preserves precision. Errors as in `rbf_kernel`.
    """
    points = check_embeddings(embeddings)
    points = points - points.mean(axis=0)
    return points @ points.T


def mmd2_of_kernel(kernel: ArrayLike, is_candidate: Labels, biased: bool = False) -> float:
    """Return the squared maximum mean discrepancy of candidates and references by an (N, N) kernel; lower is better.

    By default it is unbiased: it averages over pairs of different texts, may be negative, and is comparable between
    sets of different sizes. If `biased`, it includes the diagonal and is never negative. Raises ValueError for fewer
    than two texts on a side (one if biased). Gretton et al. 2012, eq. 3 and 5; eq. 6 of Chan et al. lacks its
    normalisation and its factor -2.
    """
    matrix = check_matrix(kernel, "The kernel")
    labels = check_labels(is_candidate, len(matrix))
    (check_one_a_side if biased else check_two_a_side)(labels, "The means of MMD")
    across = matrix[np.ix_(labels, ~labels)].mean()
    return float(_inner(matrix, labels, biased) + _inner(matrix, ~labels, biased) - 2 * across)


def _inner(kernel: Floats, side: Labels, biased: bool) -> float:
    block = kernel[np.ix_(side, side)]
    if biased:
        return float(block.mean())
    size = len(block)
    return float((block.sum() - np.trace(block)) / (size * (size - 1)))


def frechet(embeddings: ArrayLike, is_candidate: Labels, squared: bool = True) -> float:
    """Return the Frechet distance of the Gaussians fitted to candidates and references; lower is better.

    `squared` gives the value reported by Chan et al.; otherwise its root, the FBD of Montahaei et al., section 3.2.2.
    Covariances divide by n - 1. Raises ValueError for fewer than two texts on a side, or embeddings that are not (N, d)
    and finite. Chan et al., appendix A.6; the trace of the root is a nuclear norm (see `corpus_frechet`).
    """
    points = check_embeddings(embeddings)
    labels = check_labels(is_candidate, len(points))
    check_two_a_side(labels, "Covariances")
    return corpus_frechet(points[labels], points[~labels], squared)


def corpus_frechet(candidates: ArrayLike, references: ArrayLike, squared: bool = True) -> float:
    """Return the Frechet distance between two sets of embeddings (n, d) and (m, d) of any size.

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
    """Return the Frechet distance of two sets from their `moments`, in a time that depends only on d.

    It is accurate to about six digits; `corpus_frechet` is accurate to all digits but reads the embeddings again.
    """
    (mean_c, cov_c), (mean_r, cov_r) = _mean_and_covariance(*candidates), _mean_and_covariance(*references)
    values, vectors = np.linalg.eigh(cov_c)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    inner = np.linalg.eigvalsh(root.T @ cov_r @ root)
    trace = np.trace(cov_c) + np.trace(cov_r) - 2 * np.sqrt(np.clip(inner, 0, None)).sum()
    value = max(float(((mean_c - mean_r) ** 2).sum() + trace), 0.0)
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


def vendi(kernel: ArrayLike) -> float:
    """Return the Vendi score, the effective number of different texts: from 1 (all alike) to N (all unlike).

    It is exp of the entropy of the eigenvalues of `kernel` / N, where `kernel` is an (N, N) positive semidefinite
    similarity with ones on its diagonal. NaN without texts. Raises ValueError for another diagonal or numbers that are
    not finite. Friedman and Dieng 2023.
    """
    matrix = check_matrix(kernel, "The kernel")
    if len(matrix) == 0:
        return float("nan")
    if not np.allclose(np.diag(matrix), 1.0, rtol=0, atol=1e-6):
        raise ValueError("The Vendi score needs a similarity of 1 of each text with itself.")
    values = np.linalg.eigvalsh((matrix + matrix.T) / 2) / len(matrix)
    values = values[values > 0]
    return float(np.exp(-(values * np.log(values)).sum()))

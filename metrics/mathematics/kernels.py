"""Kernels of embeddings, the maximum mean discrepancy (MMD) and the Vendi score."""

from __future__ import annotations

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


def vendi(kernel: ArrayLike) -> float:
    """Return the Vendi score, the effective number of different texts: from 1 (all alike) to N (all unlike).

    It is exp of the entropy of the eigenvalues of `kernel` / N, where `kernel` is an (N, N) positive semidefinite
    similarity with ones on its diagonal. NaN if there are no texts. Raises ValueError for another diagonal or numbers
    that are not finite. Friedman and Dieng 2023.
    """
    matrix = check_matrix(kernel, "The kernel")
    if len(matrix) == 0:
        return float("nan")
    if not np.allclose(np.diag(matrix), 1.0, rtol=0, atol=1e-6):
        raise ValueError("The Vendi score needs a similarity of 1 of each text with itself.")
    values = np.linalg.eigvalsh((matrix + matrix.T) / 2) / len(matrix)
    values = values[values > 0]
    return float(np.exp(-(values * np.log(values)).sum()))

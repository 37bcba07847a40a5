"""The statistics with a compiled computation under relabelling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.arrays import Alternative, Floats, Labels
from metrics.mathematics.checks import check_finite, check_matrix
from metrics.mathematics.triangle import Ties, departure
from metrics.permutation import bleu_masks, frechet, pair_scores, partitions, triangles
from metrics.text import rouge


@dataclass(frozen=True)
class Route:
    """The computation of a statistic for many labellings of one item together.

    `prepare(matrix)` returns a state with `size(state)` texts, and `values(state, labels (B, N))` the (B,) values.
    `every(state, candidates, mirrored)` returns the (partitions,) values of all partitions; it is None unless this is
    cheaper than one by one. `symmetric` states whether the value is the same when candidates and references are
    exchanged, `scale(state)` is the magnitude relative to which values have rounding errors, and `at_least` is the
    minimum number of texts on either side.
    """

    prepare: Callable[[Any], Any]
    size: Callable[[Any], int]
    values: Callable[[Any, Labels], Floats]
    scale: Callable[[Any], float]
    alternative: Alternative
    symmetric: bool = False
    at_least: int = 1
    every: Callable[[Any, int, bool], Floats] | None = None


def _largest(matrix: Floats) -> float:
    return float(np.abs(matrix).max(initial=0.0))


def triangle_route(ties: Ties) -> Route:
    """Return the route for the triangle-rank metric of a distance matrix."""

    def values(distance: Floats, labels: Labels) -> Floats:
        if len(labels) == 1:  # bit masks pay off only for several labellings
            return departure(triangles.observed_shares(distance, labels[0], ties)[None])
        return departure(triangles.some_shares(distance, labels, ties))

    return Route(
        prepare=lambda matrix: check_matrix(matrix, "The distance matrix"),
        size=len,
        values=values,
        every=lambda distance, n, mirrored: departure(triangles.all_shares(distance, n, ties, mirrored)),
        scale=lambda distance: 1.0,
        alternative="greater",
        symmetric=True,
        at_least=2,
    )


@dataclass(frozen=True)
class Quadratic:
    """A statistic a S_CC + b S_RR + c S_CR + f d_C + g d_R of sums within and between the two sides.

    S are the sums of `matrix` (N, N, symmetric, zero diagonal) over ordered pairs of texts, and d those of `diagonal`
    (N,) over texts. `factors` returns a, b, c, f and g for these numbers of candidates and references; `scale` is as in
    `Route`.
    """

    matrix: Floats
    diagonal: Floats
    scale: float
    factors: Callable[[int, int], tuple[float, float, float, float, float]]

    def values(self, labels: Labels) -> Floats:
        """(B,) values for labels (B, N)."""
        chosen = labels.astype(np.float64)
        n = int(labels[0].sum())
        a, b, c, f, g = self.factors(n, labels.shape[1] - n)
        product = chosen @ self.matrix
        inner, border = (product * chosen).sum(axis=1), product.sum(axis=1)
        outer = self.matrix.sum() - 2 * border + inner
        diagonal = chosen @ self.diagonal
        return a * inner + b * outer + c * (border - inner) + f * diagonal + g * (self.diagonal.sum() - diagonal)

    def every(self, candidates: int, mirrored: bool) -> Floats:
        """(partitions,) values in the order of combinations, by one traversal over the smaller side."""
        size = len(self.matrix)
        a, b, c, f, g = self.factors(candidates, size - candidates)
        chosen, swapped = candidates, 2 * candidates > size
        if swapped:
            chosen, a, b, f, g = size - candidates, b, a, g, f
        rows = self.matrix.sum(axis=1)
        linear = rows * (c - 2 * b) + self.diagonal * (f - g)
        out = np.empty(partitions.number(size, chosen, mirrored))
        partitions.sums(linear, 2 * (a + b - c) * self.matrix, np.zeros((1, 1, 1)), chosen, mirrored, out)
        out += b * rows.sum() + g * self.diagonal.sum()
        return out[::-1].copy() if swapped else out


def _mmd(kernel: Any, biased: bool) -> Quadratic:
    """Return the squared MMD. A constant added to the kernel affects only the rounding, so its mean is subtracted.

    Raises ValueError for an asymmetric kernel.
    """
    kernel = check_matrix(kernel, "The kernel")
    scale = _largest(kernel)
    if not np.allclose(kernel, kernel.T, rtol=0, atol=1e-8 * scale):
        raise ValueError("The kernel must be symmetric.")
    kernel = kernel - kernel.mean()
    diagonal = np.diag(kernel).copy()
    np.fill_diagonal(kernel, 0.0)

    def factors(n: int, m: int) -> tuple[float, float, float, float, float]:
        if biased:
            return 1 / n**2, 1 / m**2, -2 / (n * m), 1 / n**2, 1 / m**2
        return 1 / (n * (n - 1)), 1 / (m * (m - 1)), -2 / (n * m), 0.0, 0.0

    return Quadratic((kernel + kernel.T) / 2, diagonal, scale, factors)


def _mean_mean(scores: Any) -> Quadratic:
    """Return the mean over candidates of the mean over references, from row sums and sums within the candidates."""
    scores = check_matrix(scores, "The score matrix").copy()
    np.fill_diagonal(scores, 0.0)

    def factors(n: int, m: int) -> tuple[float, float, float, float, float]:
        return -1 / (n * m), 0.0, 0.0, 1 / (n * m), 0.0

    return Quadratic((scores + scores.T) / 2, scores.sum(axis=1), _largest(scores), factors)


def _quadratic_route(prepare: Callable[[Any], Quadratic], **differs: Any) -> Route:
    return Route(
        prepare=prepare,
        size=lambda state: len(state.matrix),
        values=lambda state, labels: state.values(labels),
        every=lambda state, n, mirrored: state.every(n, mirrored),
        scale=lambda state: state.scale,
        **differs,
    )


def _centred(gram: Any) -> tuple[Floats, float]:
    """Return the Gram matrix of embeddings centred on their pooled mean, and the largest of its original entries."""
    gram = check_matrix(gram, "The Gram matrix")
    rows = gram.mean(axis=1)
    centred = gram - rows[:, None] - rows[None, :] + rows.mean()
    return (centred + centred.T) / 2, _largest(gram)


def _frechet_values(state: tuple[Floats, float], labels: Labels) -> Floats:
    out = np.empty(len(labels))
    frechet.squared_distances(state[0], labels, out)
    return out


def _best(scores: Any) -> tuple[Floats, NDArray[np.int64]]:
    scores = check_matrix(scores, "The score matrix")
    return scores, pair_scores.best_first(scores)


def _best_values(state: tuple[Floats, NDArray[np.int64]], labels: Labels) -> Floats:
    out = np.empty(len(labels))
    pair_scores.mean_of_best(*state, labels, out)
    return out


def _overlaps(scores: Any) -> tuple[Floats, NDArray[np.int64]]:
    scores = np.ascontiguousarray(check_finite(scores, "The precision and recall"))
    if scores.ndim != 3 or scores.shape[0] != 2 or scores.shape[1] != scores.shape[2]:
        raise ValueError(f"Precision and recall must have shape (2, N, N), got {scores.shape}.")
    return scores, pair_scores.best_first(scores)


def _f_values(state: tuple[Floats, NDArray[np.int64]], labels: Labels) -> Floats:
    out = np.empty(len(labels))
    pair_scores.mean_of_f(*state, rouge.BETA, labels, out)
    return out


def _masks(masks: Any) -> tuple[bleu_masks.BleuMasks, NDArray[np.int64]]:
    if not isinstance(masks, bleu_masks.BleuMasks):
        raise ValueError(f'"bleu" takes the result of bleu_masks, got {type(masks).__name__}.')
    return masks, pair_scores.closest_first(masks.lengths)


def _bleu_values(state: tuple[bleu_masks.BleuMasks, NDArray[np.int64]], labels: Labels) -> Floats:
    masks, order = state
    out = np.empty(len(labels))
    arrays = (masks.masks, masks.weights, masks.starts, masks.lengths)
    pair_scores.mean_bleu(*arrays, order, labels, out)
    return out


def _score_route(prepare: Callable[[Any], Any], values: Callable[[Any, Labels], Floats]) -> Route:
    return Route(
        prepare=prepare,
        size=lambda state: state[1].shape[-1],
        values=values,
        scale=lambda state: _largest(state[0]) if isinstance(state[0], np.ndarray) else 1.0,
        alternative="less",
    )


ROUTES: dict[str, Route] = {
    "trm": triangle_route("shared"),
    "mmd": _quadratic_route(lambda k: _mmd(k, biased=False), alternative="greater", symmetric=True, at_least=2),
    "mmd_biased": _quadratic_route(lambda k: _mmd(k, biased=True), alternative="greater", symmetric=True),
    "frechet": Route(
        prepare=_centred,
        size=lambda state: len(state[0]),
        values=_frechet_values,
        scale=lambda state: state[1],
        alternative="greater",
        symmetric=True,
        at_least=2,
    ),
    "mean_mean": _quadratic_route(_mean_mean, alternative="less"),
    "mean_max": _score_route(_best, _best_values),
    "rouge_l": _score_route(_overlaps, _f_values),
    "bleu": _score_route(_masks, _bleu_values),
    "unions": Route(
        prepare=lambda unions: unions,
        size=lambda unions: len(unions.has),
        values=lambda unions, labels: unions.values(labels),
        scale=lambda unions: 1.0,
        alternative="less",
    ),
}


def callable_route(function: Callable[[Any, Labels], float]) -> Route:
    """Return the route of any statistic f(matrix, is_candidate), with one call per labelling."""

    def values(matrix: Any, labels: Labels) -> Floats:
        return np.array([function(matrix, row) for row in labels], dtype=np.float64)

    return Route(lambda matrix: matrix, size=len, values=values, scale=lambda matrix: 0.0, alternative="greater")

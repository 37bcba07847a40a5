"""Squared Fréchet distance under relabelling: small singular value problems, compiled.

The trace of the square root of S_C S_R is the nuclear norm of the centred cross block of the Gram matrix over sqrt((n -
1)(m - 1)). Two reflections centre the block and drop the direction that becomes zero. Orthogonalising its rows then
leaves a small triangle, of which one-sided Jacobi rotations give the singular values. A pair of rows at cosine e
changes the sum only by e squared, so two or three sweeps after the first reach machine precision.
"""

from __future__ import annotations

import numpy as np

from metrics.mathematics.compiled import compiled


@compiled
def _centre(block, rows, columns):  # type: ignore[no-untyped-def]
    """Centre the block over rows and columns in place.

    The result has one row and one column fewer, and the singular values of the centred block.
    """
    root = np.sqrt(rows)
    for column in range(columns):
        total = 0.0
        for row in range(rows):
            total += block[row, column]
        shift = (total / root + block[0, column]) / (root + 1.0)
        for row in range(1, rows):
            block[row - 1, column] = block[row, column] - shift
    root = np.sqrt(columns)
    for row in range(rows - 1):
        total = 0.0
        for column in range(columns):
            total += block[row, column]
        shift = (total / root + block[row, 0]) / (root + 1.0)
        for column in range(1, columns):
            block[row, column - 1] = block[row, column] - shift


@compiled
def _triangle(block, rows, columns, out):  # type: ignore[no-untyped-def]
    """Orthogonalise the rows in place, the longest remainder first; out (rows, rows) becomes the triangular factor."""
    for step in range(rows):
        best, longest = step, -1.0
        for row in range(step, rows):
            norm = 0.0
            for column in range(columns):
                norm += block[row, column] ** 2
            if norm > longest:
                best, longest = row, norm
        for column in range(columns):
            block[step, column], block[best, column] = block[best, column], block[step, column]
        for place in range(step):
            out[place, step], out[place, best] = out[place, best], out[place, step]
        length = np.sqrt(longest)
        for row in range(step):
            out[step, row] = 0.0
        out[step, step] = length
        if length > 0.0:
            for column in range(columns):
                block[step, column] /= length
        for row in range(step + 1, rows):
            part = 0.0
            for column in range(columns):
                part += block[step, column] * block[row, column]
            out[step, row] = part
            for column in range(columns):
                block[row, column] -= part * block[step, column]


@compiled
def _squared_lengths(rows, size, out):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(size):
        out[i] = 0.0
        for k in range(size):
            out[i] += rows[i, k] ** 2
        total += out[i]
    return total


@compiled
def _rotate(rows, size, i, j, product, squares):  # type: ignore[no-untyped-def]
    """Rotate rows i and j, with inner product `product`, in their plane until they are orthogonal."""
    slope = (squares[j] - squares[i]) / (2.0 * product)
    tangent = np.copysign(1.0, slope) / (abs(slope) + np.sqrt(1.0 + slope * slope))
    cos = 1.0 / np.sqrt(1.0 + tangent * tangent)
    sin = cos * tangent
    for k in range(size):
        first, second = rows[i, k], rows[j, k]
        rows[i, k] = cos * first - sin * second
        rows[j, k] = sin * first + cos * second
    squares[i] -= tangent * product
    squares[j] += tangent * product


@compiled
def _jacobi(rows, size):  # type: ignore[no-untyped-def]
    """Return the sum of the singular values of rows (size, size), which are rotated in place until orthogonal."""
    squares = np.empty(size)
    for _ in range(60):
        nothing = 1e-32 * _squared_lengths(rows, size, squares)
        worst = 0.0
        for i in range(size - 1):
            for j in range(i + 1, size):
                if squares[i] <= nothing or squares[j] <= nothing:
                    continue
                product = 0.0
                for k in range(size):
                    product += rows[i, k] * rows[j, k]
                cosine = product * product / (squares[i] * squares[j])
                if cosine >= 1e-18:
                    worst = max(worst, cosine)
                    _rotate(rows, size, i, j, product, squares)
        if worst < 1e-9:
            break
    _squared_lengths(rows, size, squares)
    return np.sqrt(squares).sum()


@compiled
def squared_distances(gram, labels, out):  # type: ignore[no-untyped-def]
    """Fill out (partitions,) for labels (partitions, N); the rows and columns of gram (N, N) must sum to zero."""
    size = labels.shape[1]
    few, many = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    block = np.empty((size, size))
    factor = np.empty((size, size))
    whole = np.trace(gram)
    for row in range(labels.shape[0]):
        chosen = 0
        for text in range(size):
            chosen += labels[row, text]
        side = 2 * chosen <= size
        n, m = 0, 0
        for text in range(size):
            if labels[row, text] == side:
                few[n] = text
                n += 1
            else:
                many[m] = text
                m += 1
        inner, diagonal = 0.0, 0.0
        for i in range(n):
            diagonal += gram[few[i], few[i]]
            for j in range(n):
                inner += gram[few[i], few[j]]
            for j in range(m):
                block[i, j] = gram[few[i], many[j]]
        _centre(block, n, m)
        _triangle(block, n - 1, m - 1, factor)
        overlap = _jacobi(factor, n - 1) / np.sqrt((n - 1.0) * (m - 1.0))
        means = inner * (1.0 / n + 1.0 / m) ** 2
        spread = (diagonal - inner / n) / (n - 1.0) + (whole - diagonal - inner / m) / (m - 1.0)
        out[row] = means + spread - 2.0 * overlap

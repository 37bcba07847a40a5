"""Dense places in a plane, and the words that are characteristic of the captions in each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.analysis.cloud.density import MIN_POINTS, Grid, density
from metrics.mathematics.arrays import Floats, Integers
from metrics.text.content_words import content_words

MOST = 12
"""Maximum number of places in a plane."""
DEEP = 0.85
"""Two peaks are separate places if the saddle between them is at most this fraction of the lower peak."""
FLOOR = 0.03
"""Minimum height of the cells of a place, as a fraction of the highest peak."""
FEWEST, SIDES = 3, 8
"""Minimum number of dense places; a plane with fewer is divided into SIDES sectors instead."""
WORDS, SURE, PRIOR = 2, 3.0, 100.0
"""Maximum number of words per place, their minimum z, and the weight of the prior in words."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class Place:
    """A dense place or a sector: the `rows` of its captions, its peak or mean at `x`, `y`, and characteristic words."""

    rows: Integers
    x: float
    y: float
    words: tuple[str, ...] = ()


def places(texts: Sequence[str], xy: ArrayLike, rows: Integers, grid: Grid) -> tuple[Place, ...]:
    """Return the dense places with characteristic words among some rows of points (n, 2), the largest first.

    `texts` (n,) are the captions of all points. If fewer than FEWEST places are found, the outer half of the points is
    divided into SIDES sectors by direction from the middle. Empty with fewer than MIN_POINTS rows.
    """
    plane = np.asarray(xy, dtype=float)
    dense = density(plane[rows], grid)
    if dense is None:
        return ()
    label, peaks = basins(dense.height)
    column, row = grid.cells(plane[rows])
    tops = np.array([(grid.x[x], grid.y[y]) for y, x in peaks])
    found = _named(texts, rows, label[row, column], tops)
    if len(found) >= FEWEST:
        return found
    side = _sides(plane[rows])
    middles = np.array([plane[rows][side == k].mean(axis=0) if (side == k).any() else (0, 0) for k in range(SIDES)])
    return _named(texts, rows, side, middles)


def _named(texts: Sequence[str], rows: Integers, label: Integers, at: Floats) -> tuple[Place, ...]:
    sizes = np.bincount(label[label >= 0], minlength=len(at))
    said = marking_words([texts[row] for row in rows], label, len(at))
    kept = [int(k) for k in np.argsort(-sizes, kind="stable") if sizes[k] >= MIN_POINTS and said[k]][:MOST]
    return tuple(Place(rows[label == k], float(at[k][0]), float(at[k][1]), said[k]) for k in kept)


def _sides(points: Floats) -> Integers:
    """(n,) sector of each point that is farther from the middle than the median distance, -1 for the rest."""
    off = points - np.median(points, axis=0)
    far = np.linalg.norm(off, axis=1)
    turn = np.arctan2(off[:, 1], off[:, 0]) / (2 * np.pi) % 1.0
    side = np.minimum(np.floor(turn * SIDES), SIDES - 1).astype(np.int64)
    return np.where(far > np.median(far), side, -1)


def basins(height: Floats) -> tuple[Integers, list[tuple[int, int]]]:
    """Return which peak each cell (rows, columns) belongs to, -1 for low cells, and the cells of the peaks.

    Cells are added from the highest down. If two peaks meet above DEEP times the height of the lower peak, they are
    merged.
    """
    rows, columns = height.shape
    parent: dict[int, int] = {}
    peaks: list[int] = []
    belongs = np.full(height.size, -1)
    flat = height.ravel()

    def root(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    for cell in np.argsort(-flat, kind="stable")[: int((flat > FLOOR * flat.max()).sum())].tolist():
        near = {root(int(belongs[one])) for one in _around(cell, rows, columns) if belongs[one] >= 0}
        if not near:
            near = {len(peaks)}
            parent[len(peaks)] = len(peaks)
            peaks.append(cell)
        highest = min(near)  # Peaks are numbered from the highest down.
        belongs[cell] = highest
        for other in near - {highest}:
            if flat[cell] > DEEP * flat[peaks[other]]:
                parent[other] = highest
    ends = sorted({root(k) for k in parent})
    final = {k: ends.index(root(k)) for k in parent}
    label = np.array([final[int(k)] if k >= 0 else -1 for k in belongs], dtype=np.int64)
    return label.reshape(height.shape), [divmod(peaks[k], columns) for k in ends]


def _around(cell: int, rows: int, columns: int) -> list[int]:
    row, column = divmod(cell, columns)
    return [
        r * columns + c
        for r in range(max(row - 1, 0), min(row + 2, rows))
        for c in range(max(column - 1, 0), min(column + 2, columns))
        if (r, c) != (row, column)
    ]


def marking_words(texts: Sequence[str], label: Integers, groups: int) -> list[tuple[str, ...]]:
    """Return, for each group, up to WORDS content words more frequent in its captions than in all others, best first.

    `label` (n,) is the group of each caption, -1 without a group. A word counts once per caption, and must have a z of
    at least SURE: the z of its log-odds ratio with an informative Dirichlet prior estimated from all captions (Monroe,
    Colaresi and Quinn 2008, equations 16 to 22).
    """
    number: dict[str, int] = {}
    pairs = [
        (group, number.setdefault(word, len(number)))
        for text, group in zip(texts, label.tolist())
        for word in content_words(_WORD.findall(text.lower()))
    ]
    said = np.zeros((groups + 1, len(number)))
    if pairs:
        at = np.array(pairs)
        np.add.at(said, (at[:, 0], at[:, 1]), 1.0)  # Label -1 counts in the last row.
    total, words = said.sum(axis=0), list(number)
    return [_foremost(said[k], total - said[k], total, words) for k in range(groups)]


def _foremost(own: Floats, others: Floats, total: Floats, words: Sequence[str]) -> tuple[str, ...]:
    z = log_odds(own, others, total)
    order = sorted(np.flatnonzero(z >= SURE).tolist(), key=lambda k: (-z[k], words[k]))
    return tuple(words[k] for k in order[:WORDS])


def log_odds(own: Floats, others: Floats, total: Floats) -> Floats:
    """Return the z-scores (words,) of the log-odds ratios of the counts `own` and `others`.

    The prior is PRIOR words, distributed as in `total`. All scores are 0 if `total` is.
    """
    if not total.sum():
        return np.zeros(len(total))
    prior = PRIOR * total / total.sum()
    odds = []
    for said in (own, others):
        whole = said.sum() + PRIOR
        odds.append(np.log((said + prior) / np.maximum(whole - said - prior, 1e-9)))
    return np.asarray((odds[0] - odds[1]) / np.sqrt(1 / (own + prior) + 1 / (others + prior)))

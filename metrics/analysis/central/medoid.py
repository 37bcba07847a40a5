"""Medoids: the captions with the smallest mean distance to the other captions of their side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.distances.base import Distance
from metrics.mathematics.arrays import Floats, Labels
from metrics.mathematics.checks import check_labels, check_matrix

TIED = 1e-9
"""Mean distances tie if they differ by less: distances have seven decimals, so a real difference is larger."""


@dataclass(frozen=True)
class Centrality:
    """Mean distances of texts within their side, and the medoids.

    `expected` (N,) is the mean distance of each text to the other texts of its side, NaN for a text alone on its side.
    `central` (N,) marks the texts with the smallest mean distance of their side: several if they tie, none on a side of
    one text.
    """

    expected: Floats
    central: Labels


def turned(space: Distance, as_reference: bool) -> bool:
    """Return whether `as_reference` changes the distances, as it does unless the distance is symmetric."""
    return as_reference and not space.symmetric


def in_direction(distance: Floats | str, as_reference: bool) -> Floats | str:
    """Return distances (N, N) with a row for each caption, as the hypothesis or, if `as_reference`, as the reference.

    A reason in place of distances is returned unchanged.
    """
    return distance.T if as_reference and not isinstance(distance, str) else distance


def centrality(distance: Floats, is_candidate: Labels) -> Centrality:
    """Return the mean distance of every text to the other texts of its side, and the texts with the smallest mean.

    The rows of `distance` (N, N) are hypotheses and its columns references; its diagonal is not used. Each text is the
    hypothesis, and the other texts of its side are its references. A repeated text counts as often as it occurs; the
    mean is NaN for a side's only text. Raises ValueError for malformed input.
    """
    distance, is_candidate = check_matrix(distance), check_labels(is_candidate, len(distance))
    expected = np.full(len(distance), np.nan)
    central = np.zeros(len(distance), dtype=bool)
    for side in (np.flatnonzero(is_candidate), np.flatnonzero(~is_candidate)):
        if len(side) < 2:
            continue
        within = distance[np.ix_(side, side)]
        means = (within.sum(axis=1) - np.diag(within)) / (len(side) - 1)
        expected[side] = means
        central[side] = means <= means.min() + TIED
    return Centrality(expected, central)


def left_out_centres(distance: Floats) -> Floats:
    """Return weights (m, m) over the texts of one side, whose row r is the centre of the texts other than r.

    Rows sum to 1, and `distance` (m, m) is oriented as in `centrality`. Tied centres share the weight of a row evenly;
    of two texts, each is the other's centre. Raises ValueError for malformed input or fewer than two texts.
    """
    distance = check_matrix(distance)
    size = len(distance)
    if size < 2:
        raise ValueError(f"A centre that leaves one text out needs two texts, got {size}.")
    sums = distance.sum(axis=1) - np.diag(distance)
    left = sums[None, :] - distance.T  # row r: distance sums of every text to the others except r
    np.fill_diagonal(left, np.inf)
    tied = left <= left.min(axis=1, keepdims=True) + TIED * max(size - 2, 1)
    return tied / tied.sum(axis=1, keepdims=True)


def to_centre(distance: Floats, is_candidate: Labels) -> Floats:
    """Return the distances (N,) of all texts to the medoid of the references; NaN with fewer than two references.

    A reference is compared with the medoid of the other references, a candidate with each of these medoids on average.
    No reference contributes to its own medoid, so a candidate drawn from the same source as the references has the same
    expected distance. Raises ValueError for malformed input.
    """
    distance, is_candidate = check_matrix(distance), check_labels(is_candidate, len(distance))
    found = np.full(len(distance), np.nan)
    references = np.flatnonzero(~is_candidate)
    if len(references) < 2:
        return found
    within = distance[np.ix_(references, references)]
    centres = left_out_centres(within)
    found[references] = (centres * within).sum(axis=1)
    candidates = np.flatnonzero(is_candidate)
    found[candidates] = distance[np.ix_(candidates, references)] @ centres.mean(axis=0)
    return found

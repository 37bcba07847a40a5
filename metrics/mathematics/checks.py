"""Validation of the arguments of public mathematical functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from metrics.mathematics.arrays import Floats, Labels


def check_finite(values: ArrayLike, name: str) -> Floats:
    """Return `values` as float64; raise ValueError with the number of entries that are NaN or infinite."""
    out = np.asarray(values, dtype=np.float64)
    bad = int(np.count_nonzero(~np.isfinite(out)))
    if bad:
        raise ValueError(f"{name} holds {bad} of {out.size} numbers that are NaN or infinite.")
    return out


def check_matrix(matrix: ArrayLike, name: str = "The pairwise matrix") -> Floats:
    """Return `matrix` as float64; raise ValueError unless it is (N, N) and finite."""
    out = check_finite(matrix, name)
    if out.ndim != 2 or out.shape[0] != out.shape[1]:
        raise ValueError(f"{name} must be square, got shape {out.shape}.")
    return np.ascontiguousarray(out)


def check_embeddings(embeddings: ArrayLike) -> Floats:
    """Return `embeddings` as float64; raise ValueError unless they are (N, d) and finite."""
    out = check_finite(embeddings, "The embeddings")
    if out.ndim != 2:
        raise ValueError(f"The embeddings must be (texts, dimensions), got shape {out.shape}.")
    return out


def check_labels(is_candidate: ArrayLike, size: int) -> Labels:
    """Return `is_candidate` as booleans; raise ValueError unless it has one True or False per text."""
    out = np.asarray(is_candidate)
    if out.dtype != np.bool_:
        raise ValueError(f"is_candidate must hold booleans, got {out.dtype}.")
    if out.shape != (size,):
        raise ValueError(f"is_candidate must have one label per text, ({size},), got shape {out.shape}.")
    return np.ascontiguousarray(out)


def check_two_a_side(is_candidate: Labels, what: str) -> None:
    """Raise ValueError if there are fewer than two candidates or fewer than two references."""
    candidates = int(is_candidate.sum())
    references = len(is_candidate) - candidates
    if min(candidates, references) < 2:
        raise ValueError(
            f"{what} need two texts on each side, got {candidates} candidate(s) and {references} reference(s)."
        )


def check_one_a_side(is_candidate: Labels, what: str) -> None:
    """Raise ValueError if there is no candidate or no reference."""
    candidates = int(is_candidate.sum())
    if not 0 < candidates < len(is_candidate):
        raise ValueError(
            f"{what} need a candidate and a reference, got {candidates} and {len(is_candidate) - candidates}."
        )

"""The score of METEOR 1.5 from its statistics."""

from __future__ import annotations

import numpy as np

from metrics.mathematics.arrays import Floats

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
MODULES = np.array([1.0, 0.6, 0.8, 0.6])


def score(statistics: Floats) -> Floats:
    """METEOR 1.5 (...) of statistics (..., 23), of single pairs or summed over a corpus, in 0..1; NaN stays NaN.

    Denkowski and Lavie 2014, equations 1-4, with the parameters of `-l en`: alpha .85, beta .2, gamma .6, delta .75 and
    matcher weights 1, .6, .8, .6. The jar's corpus value is the score of the summed statistics of each caption with its
    best reference, the first one on ties.
    """
    statistics = np.asarray(statistics, dtype=float)
    words, function_words = statistics[..., :2], statistics[..., 2:4]
    matches = statistics[..., 4:20].reshape(*statistics.shape[:-1], 4, 4)
    weighted = DELTA * (words - function_words) + (1 - DELTA) * function_words
    matched = np.einsum("m,...mk->...k", MODULES, DELTA * matches[..., :2] + (1 - DELTA) * matches[..., 2:])
    chunks, matched_words = statistics[..., 20], statistics[..., 21:23]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = np.moveaxis(matched / weighted, -1, 0)
        mean = 1.0 / ((1 - ALPHA) / precision + ALPHA / recall)
        value = np.maximum(mean * (1 - GAMMA * (chunks / matched_words.mean(axis=-1)) ** BETA), 0.0)
    # Without a match the formula divides 0 by 0, and the jar returns 0. Missing statistics stay NaN.
    undefined = np.isnan(statistics).any(axis=-1)
    return np.where(undefined, np.nan, np.where(np.isnan(value), 0.0, value))

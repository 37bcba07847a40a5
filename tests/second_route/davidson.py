"""Fit strengths slowly: the likelihood is computed vote by vote and maximised without derivatives."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize

from metrics.analysis.arena.votes import Votes
from metrics.mathematics.arrays import Floats


def log_likelihood(votes: Votes, strengths: Floats, ties: float, order: float, unit: int | None = None) -> float:
    """Return the log-likelihood of all votes, or of those of one unit, from the probabilities in the papers.

    Davidson and Beaver multiply the worth of the run that is shown first by exp(order), but not the chance of a tie.
    """
    found = 0.0
    for k in range(len(votes.first)):
        if unit is not None and votes.unit[k] != unit:
            continue
        one, other = math.exp(strengths[votes.first[k]]), math.exp(strengths[votes.second[k]])
        equal = ties * math.sqrt(one * other)
        one *= math.exp(order) if votes.shown[k] == 1 else 1
        other *= math.exp(order) if votes.shown[k] == -1 else 1
        whole = one + other + equal
        for cast, share in ((votes.won[k], one), (votes.tied[k], equal), (votes.lost[k], other)):
            found += cast * math.log(share / whole) if cast else 0.0
    return found


def slow_fit(votes: Votes, tying: bool, ordered: bool) -> tuple[Floats, float, float]:
    """Return strengths with mean 0, ties (0 unless `tying`) and order (0 unless `ordered`), fitted without
    derivatives.
    """

    def parts(z: Floats) -> tuple[Floats, float, float]:
        strengths = np.append(z[: votes.runs - 1], -z[: votes.runs - 1].sum())
        return strengths, math.exp(z[votes.runs - 1]) if tying else 0.0, float(z[-1]) if ordered else 0.0

    start = np.zeros(votes.runs - 1 + tying + ordered)
    how = {"xtol": 1e-10, "ftol": 1e-14, "maxiter": 20_000}
    found = minimize(lambda z: -log_likelihood(votes, *parts(z)), start, method="Powell", options=how)  # type: ignore[call-overload]
    return parts(found.x)

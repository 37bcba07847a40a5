"""The Bhattacharyya distance between two sources, estimated from samples of both by log-sum-exp.

Montahaei et al. 2019, section 3.2.3: B(P, Q) = -1/2 (ln mean_{x~P} sqrt(q/p) + ln mean_{x~Q} sqrt(p/q)). Both means
estimate the same number, the Bhattacharyya coefficient sum_x sqrt(p(x) q(x)), in 0..1.

On sample size: in either direction the weights sqrt(q/p) have mean e^-B and mean square 1, whatever P and Q are. So n
samples count as n e^-2B (Kish's effective sample size), and the estimate from few samples of one item is too high by
about (e^2B - 1) / 4 (1/n + 1/m).
"""

from __future__ import annotations

import numpy as np

from metrics.mathematics.arrays import Floats

LARGEST = 700.0
"""Maximum distance, for sources that share nothing: exp(-LARGEST) is about the smallest positive float."""
HIGHEST = 20.0
"""Maximum logarithm of a mean weight; the expected weight is at most 1, and chance cannot reach this value."""


def half_log_ratio(over: Floats, under: Floats) -> Floats:
    """(n,) ln sqrt(over / under) from log-probabilities; -inf where the probability in `over` is 0.

    Raises ValueError if any probability in `under` is 0, since `under` belongs to the source that produced the texts.
    """
    if np.isneginf(under).any():
        raise ValueError("a source gives one of its own texts probability 0")
    return np.asarray((over - under) / 2)


def log_mean_exp(logs: Floats) -> float:
    """Return the log of the mean of exp(logs), for logs (n,) with n >= 1; -inf if all are -inf."""
    top = float(logs.max())
    return top if np.isneginf(top) else top + float(np.log(np.mean(np.exp(logs - top))))


def mean_weight(logs: Floats) -> float:
    """Return the mean of exp(logs) (n,), at least exp(-LARGEST). Raises OverflowError above exp(HIGHEST)."""
    found = log_mean_exp(logs)
    if found > HIGHEST:
        raise OverflowError("one source gives its own texts far less than the other does: these are not probabilities")
    return float(np.exp(max(found, -LARGEST)))


def effective_size(logs: Floats) -> float:
    """Return Kish's effective sample size (sum w)^2 / sum w^2 of weights exp(logs) (n,), in 1..n; 0 if all are 0."""
    top = logs.max(initial=-np.inf)
    if np.isneginf(top):
        return 0.0
    weights = np.exp(logs - top)
    return float(weights.sum() ** 2 / np.square(weights).sum())

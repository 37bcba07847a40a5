"""How fast this machine computes at the moment, for estimates of how long a training takes."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

CORES = 2
PRODUCTS, SIDE = 200, 64
"""Products of square matrices that are timed together; products of this size are not spread over cores."""
SECONDS_EACH = 1.5e-3
"""Seconds that these take on an idle core of the machine where the training rates were measured: 70 GFLOPS."""
MOST = 50.0


def slowdown(seconds: float = 0.3) -> float:
    """Return how many times longer a core takes now than when the rates were measured; the check lasts `seconds`.

    It is above 1 on a slower machine and on one that is busy, and never outside 1/4 to 50.
    """
    with ThreadPoolExecutor(CORES) as threads:
        each = list(threads.map(_seconds_each, [seconds] * CORES))
    return float(np.clip(np.mean(each) / SECONDS_EACH, 0.25, MOST))


def _seconds_each(seconds: float) -> float:
    """The mean time of a stack of products, measured for about `seconds`."""
    factors = np.random.default_rng(0).standard_normal((PRODUCTS, SIDE, SIDE), dtype=np.float32)
    started, done = time.perf_counter(), 0
    while (passed := time.perf_counter() - started) < seconds or not done:
        np.matmul(factors, factors)
        done += 1
    return passed / done

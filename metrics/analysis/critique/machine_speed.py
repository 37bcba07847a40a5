"""The current speed of this machine, for estimates of training time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

CORES = 2
PRODUCTS, SIDE = 200, 64
"""Number of matrix products timed together, and the side of the matrices; products this small run on a single core."""
SECONDS_EACH = 1.5e-3
"""Seconds that these products take on an idle core of the machine that the rates were measured on: 70 GFLOPS."""
MOST = 50.0


def slowdown(seconds: float = 0.3) -> float:
    """Return how many times slower a core is now than when the rates were measured; the check lasts `seconds`.

    The result is above 1 on a slower or busy machine, and always between 1/4 and 50.
    """
    with ThreadPoolExecutor(CORES) as threads:
        each = list(threads.map(_seconds_each, [seconds] * CORES))
    return float(np.clip(np.mean(each) / SECONDS_EACH, 0.25, MOST))


def _seconds_each(seconds: float) -> float:
    """The mean time of one stack of products, measured for about `seconds`."""
    factors = np.random.default_rng(0).standard_normal((PRODUCTS, SIDE, SIDE), dtype=np.float32)
    started, done = time.perf_counter(), 0
    while (passed := time.perf_counter() - started) < seconds or not done:
        np.matmul(factors, factors)
        done += 1
    return passed / done

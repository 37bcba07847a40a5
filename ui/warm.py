"""Load the compiled mathematics in the background, so that the first triangles need not wait for it."""

from __future__ import annotations

import threading
from functools import cache as once


@once
def start() -> threading.Thread:
    """Start a thread that loads the mathematics, once per server; return the thread.

    Code without a compiled form on disk is compiled.
    """
    thread = threading.Thread(target=_load, name="trilens-warm", daemon=True)
    thread.start()
    return thread


def _load() -> None:
    import numpy as np

    from metrics.permutation.item_test import permutation_test
    from metrics.permutation.triangles import null_shares

    points = np.arange(8.0)
    distance = np.abs(points[:, None] - points[None])
    labels = points < 4
    null_shares(distance, labels)
    null_shares(distance, labels, limit=10)
    permutation_test("trm", distance, labels)

"""How torch computes here: its environment, and the processors that encoders share."""

from __future__ import annotations

import importlib
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache


def prepare_environment() -> None:
    """Set what has to be in the environment before torch and transformers are imported."""
    # Threads that wait by spinning starve each other as soon as a core is busy: 36 instead of 227 captions per second.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")


def load_transformers() -> None:
    """Load `transformers`, and return once it is whole, also where another thread had begun to.

    It replaces its own module while it loads. Until then `from transformers import` gets the old one, which has nothing
    to import; `import_module` looks again.
    """
    prepare_environment()
    importlib.import_module("transformers")


def cores() -> int:
    """Return how many processors this process may keep busy: OMP_NUM_THREADS, else all that it is given.

    torch is not asked: once a thread has set its own number of threads, torch answers with that in every later thread.
    """
    import joblib

    stated = os.environ.get("OMP_NUM_THREADS", "")
    return int(stated) if stated.isdigit() and int(stated) > 0 else int(joblib.cpu_count())


@cache
def batch_workers() -> ThreadPoolExecutor:
    """Return the pool of all encoders: one thread per core, each with one core for its matrices.

    Two batches on a core each take two thirds of the time of one after the other on both, whose small matrices are
    divided badly (measured: 459 instead of 309 captions/s); the numbers are equal bit for bit.
    """
    import torch

    return ThreadPoolExecutor(cores(), "encoder", initializer=torch.set_num_threads, initargs=(1,))

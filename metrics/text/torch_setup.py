"""How torch computes in this process: its environment, and the cores that encoders share."""

from __future__ import annotations

import importlib
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache


def prepare_environment() -> None:
    """Set the environment variables that torch and transformers need before they are imported."""
    # Threads that wait by spinning starve each other once a core is busy: 36 instead of 227 captions per second.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")


def load_transformers() -> None:
    """Load `transformers`, and return once it is complete, even if another thread had started to load it.

    The package replaces its own module while loading. Until then `from transformers import` gets the old module, which
    is empty; `import_module` looks it up again.
    """
    prepare_environment()
    importlib.import_module("transformers")


def cores() -> int:
    """Return the number of cores that this process may use: OMP_NUM_THREADS, or else all that are available to it.

    torch's own number is not used: once a thread has set its number of threads, torch returns that in every later
    thread.
    """
    import joblib

    stated = os.environ.get("OMP_NUM_THREADS", "")
    return int(stated) if stated.isdigit() and int(stated) > 0 else int(joblib.cpu_count())


@cache
def batch_workers() -> ThreadPoolExecutor:
    """Return the pool of all encoders: one thread per core, each with one core for its matrix products.

    Two batches on one core each take two thirds of the time that they take one after the other on both cores, since
    small matrices are hard to split (measured: 459 instead of 309 captions/s); the numbers are equal bit for bit.
    """
    import torch

    return ThreadPoolExecutor(cores(), "encoder", initializer=torch.set_num_threads, initargs=(1,))

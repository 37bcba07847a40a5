"""Time to correlate many metrics with each other from cached scores, compared with scipy on one pair at a time."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from scipy.stats import pearsonr, spearmanr

from benchmarks import bench_engine, bench_references
from benchmarks.stopwatch import Time, timed
from data.study import Study
from metrics.analysis.agreement.matrix import Agreement, agreement, groups_alike, order
from metrics.analysis.agreement.observations import Observations, observations
from metrics.base import Family, ItemMetric, Work
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.engine.scoring import score

METRICS, RUNS, SECONDS = 40, 6, 3
TIMED_PAIRS = 12
"""Pairs of metrics on which scipy is timed; the total is extrapolated from them."""


@dataclass(frozen=True)
class Noise(ItemMetric):
    """Caption length plus noise: a stand-in, since the time does not depend on what is measured."""

    number: int
    family: ClassVar[Family] = "quality"
    work: ClassVar[Work] = "words"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    higher_is_better: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """A different name for every number."""
        return f"noise_{self.number}"

    @property
    def label(self) -> str:
        """The same text as the name."""
        return self.name

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        text = chunk.candidates[index][0]
        return len(text) + 20 * crc32(f"{self.number} {text}".encode()) / 2**32


def rows() -> list[dict[str, Any]]:
    """Time reading scores from disk, both correlations of all pairs, and the order and groups of the matrix."""
    of = bench_references.study(bench_engine.ITEMS, RUNS)
    chosen = [Noise(number) for number in range(METRICS)]
    with tempfile.TemporaryDirectory() as folder:
        score(of, chosen, cache=Cache(Path(folder)))
        _matrix(of, chosen, Path(folder))  # compiles
        found: list[tuple[Observations, Agreement]] = []
        taken = timed(lambda: found.append(_matrix(of, chosen, Path(folder))))
    pairs = METRICS * (METRICS - 1) // 2
    theirs = timed(lambda: _check(*found[0])).clock * pairs / TIMED_PAIRS
    return [_row(of, taken, pairs, theirs)]


def _matrix(of: Study, chosen: list[Noise], folder: Path) -> tuple[Observations, Agreement]:
    found = observations(of, score(of, chosen, cache=Cache(folder)), chosen, "items")
    both = agreement(found)
    order(both.spearman)
    groups_alike(both.spearman)
    return found, both


def _check(found: Observations, both: Agreement) -> None:
    source = np.random.default_rng(0)
    for _ in range(TIMED_PAIRS):
        i, j = source.choice(len(found.names), 2, replace=False)
        sides = [found.values[[i, j]][:, found.group == run] for run in range(RUNS)]
        spearman = np.mean([spearmanr(*side).statistic for side in sides])
        pearson = np.mean([pearsonr(*side).statistic for side in sides])
        if not np.allclose([spearman, pearson], [both.spearman[i, j], both.pearson[i, j]], atol=1e-9):
            raise ValueError(f"scipy gives other correlations of metrics {i} and {j}")


def _row(of: Study, taken: Time, pairs: int, theirs: float) -> dict[str, Any]:
    return {
        "work": f"Spearman and Pearson of {METRICS} metrics, {len(of.items):,} items x {RUNS} runs, from kept scores",
        "ours": "one thread, scores read from the disk",
        "ours_value": str(taken),
        "alternative": f"scipy a pair at a time, scores in memory, extrapolated from {TIMED_PAIRS} of {pairs} pairs",
        "alternative_value": f"{theirs:.1f} s",
        "ratio": theirs / taken.clock,
        "target": f"{SECONDS} s",
        "reached": taken.clock <= SECONDS,
    }

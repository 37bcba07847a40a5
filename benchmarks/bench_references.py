"""Time to score runs with fewer references, to find how much that moves their order, and to read it again."""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import bench_engine
from data.study import Run, Settings, Study
from metrics.analysis import artifacts
from metrics.analysis.references import subsets, totals
from metrics.analysis.references.summary import summary
from metrics.cache.disk import Cache
from metrics.progress import Hooks
from metrics.registry import METRICS

NAMES = ("bleu_4", "meteor", "rouge_l", "cider_d", "bert")
ITEMS, RUNS, DRAWS = 1000, 6, 20


def rows() -> list[dict[str, Any]]:
    """Five quality metrics, computed and from the cache, by the clock."""
    of = study()
    made, chosen = subsets.design(of), tuple(METRICS[name] for name in NAMES)
    assert made is not None
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        work = artifacts.subset_totals(of, made, chosen, cache)
        started = time.perf_counter()
        work.compute(cache, Hooks())
        cold = time.perf_counter() - started
        started = time.perf_counter()
        arrays = work.stored(Cache(Path(folder)))
        assert arrays is not None
        summary(totals.from_arrays(made, chosen, arrays), "cider_d", range(RUNS), DRAWS)
        warm = time.perf_counter() - started
    size = f"{ITEMS:,} items x 5 references x {RUNS} runs, {len(NAMES)} quality metrics"
    return [
        _row(f"every subset of references, {size}", cold, 60),
        _row(f"order and budget from the cache, {DRAWS} draws", warm, 2),
    ]


def study() -> Study:
    """One edited caption of each reference set for every run; each run edits its own."""
    source = random.Random(1)
    whole = bench_engine.study()
    items = whole.items[:ITEMS]
    words = [word for item in items for text in item.references for word in text.split()]
    runs = tuple(
        Run(
            f"run {k}",
            f"run {k}",
            Settings(),
            {i.id: (bench_engine.edited(source, words, i.references),) for i in items},
        )
        for k in range(RUNS)
    )
    return replace(whole, items=items, runs=runs)


def _row(work: str, seconds: float, most: float) -> dict[str, Any]:
    return {
        "work": work,
        "ours": "one thread",
        "ours_value": f"{seconds:.1f} s",
        "alternative": "none does it",
        "alternative_value": None,
        "ratio": None,
        "target": f"{most:g} s",
        "reached": seconds <= most,
    }

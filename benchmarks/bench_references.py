"""Time to score runs with fewer references and, from the cached scores, to measure how far their order changes."""

from __future__ import annotations

import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import bench_engine
from benchmarks.stopwatch import Time, timed
from data.study import Run, Settings, Study
from metrics.analysis import artifacts
from metrics.analysis.references import subset_totals, subsets
from metrics.analysis.references.summary import summary
from metrics.cache.disk import Cache
from metrics.progress import Hooks
from metrics.registry import METRICS

NAMES = ("bleu_4", "meteor", "rouge_l", "cider_d", "bert")
ITEMS, RUNS, DRAWS = 1000, 6, 20


def rows() -> list[dict[str, Any]]:
    """Time five quality metrics, first computed and then read from the cache."""
    of = study(ITEMS, RUNS)
    made, chosen = subsets.design(of), tuple(METRICS[name] for name in NAMES)
    assert made is not None
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        work = artifacts.subset_totals(of, made, chosen, cache)
        cold = timed(lambda: work.compute(cache, Hooks()))

        def read() -> None:
            arrays = work.stored(Cache(Path(folder)))
            assert arrays is not None
            summary(subset_totals.from_arrays(of, made, chosen, arrays), "cider_d", range(RUNS), DRAWS)

        warm = timed(read)
    size = f"{ITEMS:,} items x 5 references x {RUNS} runs, {len(NAMES)} quality metrics"
    return [
        _row(f"every subset of references, {size}", cold, 60),
        _row(f"order and budget from the cache, {DRAWS} draws", warm, 2),
    ]


def study(count: int, runs: int) -> Study:
    """Return a study of `count` items and `runs` runs; each run edits one reference of each item in its own way."""
    source = random.Random(1)
    whole = bench_engine.study()
    items = whole.items[:count]
    words = [word for item in items for text in item.references for word in text.split()]
    edited = tuple(
        Run(
            f"run {k}",
            f"run {k}",
            Settings(),
            {i.id: (bench_engine.edited(source, words, i.references),) for i in items},
        )
        for k in range(runs)
    )
    return replace(whole, items=items, runs=edited)


def _row(work: str, taken: Time, most: float) -> dict[str, Any]:
    return {
        "work": work,
        "ours": "one thread",
        "ours_value": str(taken),
        "alternative": "none does it",
        "alternative_value": None,
        "ratio": None,
        "target": f"{most:g} s",
        "reached": taken.clock <= most,
    }

"""Time of the computations behind the pages Sensitivity, Robustness, Slices and Words."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import bench_engine, bench_references
from benchmarks.stopwatch import Time, timed
from data.study import Study
from metrics.analysis import artifacts
from metrics.analysis.robustness.design import Design, suited
from metrics.analysis.sensitivity import curve, defaults, sets
from metrics.analysis.slices import differences
from metrics.analysis.words import usage
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import METRICS, resolve
from metrics.transformations import TRANSFORMATIONS

ITEMS = 1000
FAULTS = ("random_caption", "word_permutation", "random_words")
STRENGTHS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def rows() -> list[dict[str, Any]]:
    """Time each part with an empty cache and, if pages cache its results, again with a filled one."""
    of = study()
    return [*_sensitivity(of), *_robustness(of), _slices(), _words()]


def study() -> Study:
    """Return the first items of the study in `bench_engine`, with ten edited captions each."""
    whole = bench_engine.study()
    items = whole.items[:ITEMS]
    return replace(whole, items=items, runs=tuple(run for run in whole.only([i.id for i in items]).runs))


def _sensitivity(of: Study) -> list[dict[str, Any]]:
    """Time tests with an empty cache, and again with the cached embeddings and distances."""
    chosen = resolve(list(defaults.METRICS))
    made = sets.design(of, of.runs[0], items=ITEMS)
    with tempfile.TemporaryDirectory() as folder:
        cold, kept = (timed(lambda: curve.measure(of, made, chosen, Cache(Path(folder)))) for _ in range(2))
    size = f"{ITEMS:,} items x 5 references, {', '.join(metric.name for metric in chosen)}"
    return [
        _row(f"p of 1 to 10 candidates, {size}", cold, None, ours="one thread, embeddings in two"),
        _row("the same from kept distances", kept, 60, ours="one thread"),
    ]


def _robustness(of: Study) -> list[dict[str, Any]]:
    fast = tuple(metric for metric in resolve(["fast"]) if _fast(metric))
    size = f"{len(FAULTS)} transformations x {len(STRENGTHS)} strengths, {ITEMS:,} items"
    both: list[tuple[str, tuple[Metric, ...], float]] = [
        (f"robustness of {len(fast)} fast metrics, {size}", fast, 60),
        ("the same with METEOR", (*fast, METRICS["meteor"]), 240),
    ]
    return [_row(work, _damaged(of, metrics), most) for work, metrics, most in both]


def _fast(metric: Metric) -> bool:
    return suited(metric) and metric.family == "quality" and metric.work != "meteor"


def _damaged(of: Study, metrics: tuple[Metric, ...]) -> Time:
    design = Design(tuple(TRANSFORMATIONS[name] for name in FAULTS), STRENGTHS)
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        work = artifacts.damaged_captions(of, design, metrics, cache)
        return timed(lambda: work.compute(cache, Hooks()))


def _slices() -> dict[str, Any]:
    """Time the comparison of two runs on all slices, permutation tests included, given the scores."""
    of = bench_references.study(bench_engine.ITEMS, 2)
    metric = METRICS["rouge_l"]
    results = scoring.score(of, differences.needed(of, metric))
    design = differences.Design(of.runs[0].name, of.runs[1].name)
    values = differences.values(of, results, metric, design)
    assert not isinstance(values, str)
    arrays: dict[str, Any] = {}
    taken = timed(lambda: arrays.update(differences.measure(of, values)))
    work = f"{len(arrays['kind']):,} slices of two runs, {len(of.items):,} items, {design.draws:,} relabellings or more"
    return _row(work, taken, None, ours="one thread")


def _words() -> dict[str, Any]:
    """Time the comparison of one run's words with people's, from captions to p-values."""
    of = bench_references.study(bench_engine.ITEMS, 1)
    design = usage.Design(of.runs[0].name)
    arrays: dict[str, Any] = {}
    taken = timed(lambda: arrays.update(usage.measure(of, design)))
    found = len(arrays["p_value"])
    return _row(
        f"{found:,} words of a run, {len(of.items):,} items, {design.draws:,} draws", taken, None, ours="one thread"
    )


def _row(work: str, taken: Time, most: float | None, ours: str = "two threads") -> dict[str, Any]:
    return {
        "work": work,
        "ours": ours,
        "ours_value": str(taken),
        "alternative": "none does it",
        "alternative_value": None,
        "ratio": None,
        "target": f"{most:g} s" if most else "none",
        "reached": taken.clock <= most if most else None,
    }

"""How many samples per second each metric scores on this machine, measured on request."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from data.study import Run, Study
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.needs import unmet
from metrics.progress import Hooks

ITEMS, WARM = 100, 5
"""Number of items that are timed, and of items scored beforehand so that models and indices are loaded."""


class Speed(NamedTuple):
    """One metric: items per second with all their captions, captions of the run per second, and what was timed.

    Both rates are NaN if there is an `error`, the reason why the metric has no value.
    """

    metric: str
    items_per_second: float
    captions_per_second: float
    items: int
    captions: int
    seconds: float
    error: str = ""


def measure(
    study: Study, run: Run, metrics: Sequence[Metric], items: int = ITEMS, seed: int = 0, hooks: Hooks | None = None
) -> list[Speed]:
    """Return each metric's speed, timed separately on the same seeded sample of items, in one thread without a cache.

    Texts are tokenised and embedded anew for every metric. A metric without a value for these items has a reason
    instead of a speed. Raises Cancelled.
    """
    hooks = hooks or Hooks()
    rng = np.random.default_rng(seed)
    places = rng.permutation(len(study.items))[:items]
    warm, timed = (study.only([study.items[k].id for k in part], [run.name]) for part in (places[:WARM], places))
    found = []
    for k, metric in enumerate(metrics):
        hooks.check()
        hooks.progress(metric.label)
        found.append(_timed(metric, warm, timed, hooks))
        hooks.share((k + 1) / len(metrics))
    return found


def _timed(metric: Metric, warm: Study, study: Study, hooks: Hooks) -> Speed:
    items, captions = len(study.items), sum(len(study.runs[0].candidates.get(i.id, ())) for i in study.items)
    why = next((said for need in sorted(metric.needs) if (said := unmet(need))), None)
    if why is not None:
        return Speed(metric.name, np.nan, np.nan, items, captions, np.nan, why)
    calls = scoring.Callbacks(should_stop=hooks.should_stop)
    # Run metrics need more texts than a few items have: warming up on these would load neither model nor library.
    scoring.score(warm if metric.of_items else study, [metric], Options(), Cache(None), calls, Workers(jobs=1))
    begun = time.perf_counter()
    results = scoring.score(study, [metric], Options(), Cache(None), calls, Workers(jobs=1))
    spent = time.perf_counter() - begun
    error = next((why for result in results.values() if (why := result.why())), None)
    if error is not None:
        return Speed(metric.name, np.nan, np.nan, items, captions, spent, error)
    return Speed(metric.name, items / spent, captions / spent, items, captions, spent)

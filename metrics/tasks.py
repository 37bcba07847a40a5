"""The unit of work: some metrics on some items of one run. Values go in, values come out, on any machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.study import Item, Run
from metrics.base import Metric, Stats, Undefined
from metrics.bootstrap import RESAMPLES
from metrics.cache import Arrays, Cache, array_texts, entry_key, text_array
from metrics.chunk import Chunk
from metrics.cut import CHUNK
from metrics.hooks import Cancelled, Hooks
from metrics.permutation import BUDGET, DRAWS
from metrics.result import Tests

VERSION = 2
"""Of the tests of items that are kept."""
_TESTED = ("p_value", "floor", "statistic", "null_mean", "draws")


@dataclass(frozen=True)
class Options:
    """How to compute: whether to test, and the sizes and seed of everything random.

    `budget` is the largest number of partitions that is enumerated, `draws` those of the corpus permutation test,
    `resamples` those of the bootstrap, `chunk` the items that one task takes.
    """

    p_values: bool = False
    budget: int = BUDGET
    draws: int = DRAWS
    resamples: int = RESAMPLES
    seed: int = 0
    chunk: int = CHUNK


def how_tested(options: Options) -> tuple[int, int, int]:
    """What of the tests' version and sizes determines their numbers: a part of every key that these are kept under."""
    return VERSION, options.budget, options.draws


@dataclass(frozen=True)
class Task:
    """Metrics of one kind of work on a chunk of one run. `study` is the key of what contexts were made from."""

    run: Run
    items: tuple[Item, ...]
    metrics: tuple[Metric, ...]
    contexts: Mapping[str, Any]
    study: str
    cache: Cache
    options: Options
    position: int = 0


@dataclass(frozen=True)
class ChunkScore:
    """What a task found for one metric: statistics and tests, or the error that stopped it."""

    metric: str
    stats: Stats | None = None
    tests: Tests | None = None
    error: str | None = None


@dataclass
class _Work:
    task: Task
    chunk: Chunk
    options: Options = field(init=False)

    def __post_init__(self) -> None:
        self.options = self.task.options

    def key(self, kind: str, metric: Metric, *more: Any) -> str:
        study = self.task.study if metric.uses_study else ""
        content = self.chunk.ordered_content if metric.uses_order else self.chunk.content
        return entry_key(kind, metric.signature, study, content, *more)


def score_chunk(task: Task, hooks: Hooks | None = None) -> list[ChunkScore]:
    """Every metric of the task; one that fails is an error beside the others. Raises Cancelled."""
    work = _Work(task, Chunk.of(task.items, task.run, task.cache, hooks, task.study))
    return [_score(work, metric) for metric in task.metrics]


def _score(work: _Work, metric: Metric) -> ChunkScore:
    context = work.task.contexts.get(metric.name)
    try:
        work.chunk.hooks.check()
        stats = _stats(work, metric, context)
        tests = _tests(work, metric, context, stats) if work.options.p_values and metric.tested else None
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a metric raises must not cost the other metrics
        return ChunkScore(metric.name, error=f"{type(error).__name__}: {error}")
    return ChunkScore(metric.name, stats, tests)


def _stats(work: _Work, metric: Metric, context: Any) -> Stats:
    if not metric.of_items:
        return metric.stats(context, work.chunk)
    key = work.key("stats", metric)
    if (found := work.task.cache.get(key)) is not None:
        return Stats(found["values"], found["item"], len(work.chunk), _reasons(found))
    stats = metric.stats(context, work.chunk)
    work.task.cache.put(key, {"values": stats.values, "item": stats.item, **_why(stats.reasons)})
    return stats


def _why(reasons: Mapping[int, str]) -> dict[str, NDArray[Any]]:
    """Reasons by item as arrays; `_reasons` reads them."""
    return {
        "why": text_array(list(reasons.values())),
        "why_item": np.array(list(reasons), dtype=np.int64),
    }


def _reasons(found: Arrays) -> dict[int, str]:
    why = array_texts(found["why"], len(found["why_item"]))
    return dict(zip(found["why_item"].tolist(), why))


def _tests(work: _Work, metric: Metric, context: Any, stats: Stats) -> Tests:
    options = work.options
    key = work.key("tests", metric, *how_tested(options), options.seed)
    if (found := work.task.cache.get(key)) is not None:
        return Tests(**{name: found[name] for name in _TESTED}, reasons=_reasons(found))
    tests = _test_items(work, metric, context, stats)
    work.task.cache.put(key, {name: getattr(tests, name) for name in _TESTED} | _why(tests.reasons))
    return tests


def _test_items(work: _Work, metric: Metric, context: Any, stats: Stats) -> Tests:
    from metrics.pvalues import null_draws

    columns = np.full((4, len(work.chunk)), np.nan)
    draws = np.zeros(work.options.draws)
    defined, reasons = ~np.isnan(metric.items(stats)), {}
    for index in np.flatnonzero(defined):
        work.chunk.hooks.check()
        of_test, of_draws = item_seeds(work.options, work.chunk, int(index))
        try:
            found = metric.test(context, work.chunk, int(index), work.options.budget, of_test)
        except Undefined as why:
            reasons[int(index)] = str(why)
            continue
        columns[:, index] = found.p_value, found.floor, found.statistic, found.null.mean()
        draws += null_draws(found.null, work.options.draws, of_draws)
    p_value, floor, statistic, null_mean = columns
    return Tests(p_value, floor, statistic, null_mean, draws, reasons)


def item_seeds(options: Options, chunk: Chunk, index: int) -> tuple[int, int]:
    """Seeds of an item's test and of the draws from its null: by its texts, so that no other item has a say."""
    entropy = np.random.SeedSequence([options.seed, chunk.item_digest(index)])
    of_test, of_draws = (int(n) for n in entropy.generate_state(2, np.uint64))
    return of_test, of_draws

"""The unit of work: some metrics on some items of one run, with plain values in and out, on any machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.study import Item, Run, Study, digest
from metrics.base import Metric, Stats, Undefined
from metrics.bootstrap import RESAMPLES
from metrics.cache import array_checks
from metrics.cache.disk import Cache, array_texts, entry_key, text_array, text_vectors
from metrics.cache.entry import Arrays
from metrics.chunk import CHUNK, Chunk, StudyDigests
from metrics.distances.bertscore import BertScoreDistance
from metrics.distances.embeddings import BertDistance
from metrics.engine import permutation_tests
from metrics.engine.joint_sums import JointCollector
from metrics.engine.permutation_tests import Tests
from metrics.mathematics.arrays import Labels
from metrics.permutation.item_test import BUDGET, DRAWS
from metrics.progress import Cancelled, Hooks

VERSION = 3
"""Version of the stored tests of items; part of their cache keys."""


@dataclass(frozen=True)
class Options:
    """Settings of the computation: whether to test, and the sizes and seed of all random draws.

    `budget` is the largest number of partitions to enumerate, `draws` the number of draws of the corpus permutation
    test, `resamples` that of the bootstrap, and `chunk` the number of items per task.
    """

    p_values: bool = False
    budget: int = BUDGET
    draws: int = DRAWS
    resamples: int = RESAMPLES
    seed: int = 0
    chunk: int = CHUNK


def how_tested(options: Options) -> tuple[int, int, int]:
    """Return the version and sizes that determine test results; they are part of every cache key of tests."""
    return VERSION, options.budget, options.draws


LONE = "one caption against one by people: swapping the two tests nothing"
"""Why a score of two single captions has no test: swapping them changes nothing, or only shows which is longer."""


JOINT = ("joint", 1)
"""Addition to the cache keys of tests for a metric with a joint test, with its version."""
IN_CLUSTERS = ("departures", 1)
"""Further addition if items are in clusters, with the version of the joint test's data per item."""


def keyed(metric: Metric, sizes: Iterable[tuple[int, int]], clustered: bool) -> tuple[Any, ...]:
    """Return what is added to the cache keys of a metric's tests, given the numbers of captions of its items."""
    joint = (*JOINT, *(IN_CLUSTERS if clustered else ())) if metric.joint else ()
    return (*joint, *lone_pairs(metric, sizes))


def lone_pairs(metric: Metric, sizes: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """Return the addition to cache keys if a score cannot be tested on some item with these sizes; () otherwise."""
    return ("lone",) if metric.two_sided and (1, 1) in sizes else ()


@dataclass(frozen=True)
class Facts:
    """Facts that metrics learn from the whole study of a run, such as document frequencies.

    They are computed on first use. For another machine they are computed before sending and stored in `made`, by metric
    signature.
    """

    study: Study | None = None
    metrics: tuple[Metric, ...] = ()
    made: Mapping[str, Any] = field(default_factory=dict)

    def of(self, metric: Metric) -> Any:
        """Return the facts that a metric has learned; None if it learns nothing."""
        return metric.prepare(self.study) if self.study else self.made[metric.signature]

    def packed(self) -> Facts:
        """Return the facts of all metrics, already computed, without the study."""
        return Facts(made={metric.signature: self.of(metric) for metric in self.metrics})


@dataclass(frozen=True)
class Task:
    """Metrics with one kind of work on a chunk of one run; in cache keys, `whole` stands for the source of `facts`.

    `position` is that of the chunk in the run. For a task on the whole run, `pieces` are the sizes of the chunks
    into which other metrics split it. `clustered` states whether some items of the study are in clusters.
    """

    run: Run
    items: tuple[Item, ...]
    metrics: tuple[Metric, ...]
    facts: Facts
    whole: StudyDigests
    cache: Cache
    options: Options
    position: int = 0
    pieces: tuple[int, ...] = ()
    clustered: bool = False


@dataclass(frozen=True)
class ChunkScore:
    """The output of a task for one metric: statistics and tests, or the error that stopped it."""

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
        content = self.chunk.ordered_content if metric.uses_order else self.chunk.content
        return entry_key(kind, metric.signature, self.task.whole.key(metric.learns), content, *more)


def score_chunk(task: Task, hooks: Hooks | None = None) -> list[ChunkScore]:
    """Return the scores of every metric of the task; a failed metric is returned as an error. Raises Cancelled."""
    work = _Work(task, chunk_of(task, hooks))
    return [_score(work, metric) for metric in task.metrics]


def chunk_of(task: Task, hooks: Hooks | None = None) -> Chunk:
    """Return the chunk for a task."""
    alone = task.pieces and task.cache.text_vectors is None
    cache = task.cache.with_text_vectors(text_vectors()) if alone else task.cache
    chunk = Chunk.of(task.items, task.run, cache, hooks, task.whole, task.pieces, task.clustered)
    chunk.layers = _layers(task.metrics)
    return chunk


def _layers(metrics: Iterable[Metric]) -> dict[str, int]:
    """Return the layer whose states BERTScore uses, for each encoder that also embeds captions."""
    spaces = [getattr(metric, "space", None) for metric in metrics]
    embedding = {space.encoder for space in spaces if isinstance(space, BertDistance)}
    of_words = [space for space in spaces if isinstance(space, BertScoreDistance)]
    return {space.encoder: space.layer for space in of_words if space.encoder in embedding}


def is_stored(task: Task) -> bool:
    """Return whether the task's cache already contains all that it would compute; False for metrics of whole runs."""
    work = _Work(task, Chunk.of(task.items, task.run, task.cache, clustered=task.clustered))
    return all(metric.of_items and all(map(task.cache.has, _keys(work, metric))) for metric in task.metrics)


def _keys(work: _Work, metric: Metric) -> list[str]:
    tests = [_tests_key(work, metric.tested_as)]
    return [work.key("stats", metric)] + (tests if work.options.p_values and metric.tested else [])


def _score(work: _Work, metric: Metric) -> ChunkScore:
    try:
        work.chunk.hooks.check()
        stats = _stats(work, metric)
        tests = _tests(work, metric.tested_as, stats) if work.options.p_values and metric.tested else None
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a metric raises must not cost the other metrics
        return ChunkScore(metric.name, error=f"{type(error).__name__}: {error}")
    return ChunkScore(metric.name, stats, tests)


def _stats(work: _Work, metric: Metric) -> Stats:
    if not metric.of_items:
        return metric.stats(work.task.facts.of(metric), work.chunk)
    key = work.key("stats", metric, *metric.extra_fields)
    if (known := work.task.cache.read(key, partial(_stats_of, len(work.chunk)))) is not None:
        return known
    stats = metric.stats(work.task.facts.of(metric), work.chunk)
    work.task.cache.put(key, {"values": stats.values, "item": stats.item, **_why(stats.reasons)})
    return stats


def _stats_of(items: int, found: Arrays) -> Stats:
    array_checks.expect(found, {"values": (len(found["item"]), None)})
    return Stats(found["values"], array_checks.expect_positions(found["item"], items), items, _reasons(found, items))


def _why(reasons: Mapping[int, str]) -> dict[str, NDArray[Any]]:
    """Return reasons by item as arrays; `_reasons` is the inverse."""
    return {
        "why": text_array(list(reasons.values())),
        "why_item": np.array(list(reasons), dtype=np.int64),
    }


def _reasons(found: Arrays, items: int) -> dict[int, str]:
    why = array_texts(found["why"], len(found["why_item"]))
    return dict(zip(array_checks.expect_positions(found["why_item"], items).tolist(), why))


def _tests(work: _Work, metric: Metric, stats: Stats) -> Tests:
    key = _tests_key(work, metric)
    if (known := work.task.cache.read(key, partial(_tests_of, len(work.chunk), work.options.draws))) is not None:
        return known
    tests = _test_items(work, metric, ~np.isnan(metric.items(stats)))
    work.task.cache.put(key, permutation_tests.to_arrays(tests) | _why(tests.reasons))
    return tests


def _tests_key(work: _Work, metric: Metric) -> str:
    more = keyed(metric, map(work.chunk.sizes, range(len(work.chunk))), bool(work.chunk.clusters))
    clusters = [digest(work.chunk.clusters)] if work.chunk.clusters else []
    return work.key("tests", metric, *how_tested(work.options), work.options.seed, *more, *clusters)


def _tests_of(items: int, draws: int, found: Arrays) -> Tests:
    counts = dict.fromkeys(permutation_tests.COLUMNS, (items,))
    nulls = dict.fromkeys(("null_values", "null_counts"), (int(found["null_sizes"].sum()),))
    array_checks.expect(found, {**counts, **nulls, "draws": (draws,), "null_item": (len(found["null_sizes"]),)})
    array_checks.expect_positions(found["null_item"], items)
    return permutation_tests.from_arrays(found, _reasons(found, items))


def _test_items(work: _Work, metric: Metric, defined: Labels) -> Tests:
    from metrics.permutation.pvalues import draw_places

    columns = np.full((len(permutation_tests.COLUMNS), len(work.chunk)), np.nan)
    draws = np.zeros(work.options.draws)
    context, reasons, nulls = work.task.facts.of(metric), {}, permutation_tests.Nulls()
    joint = JointCollector.of(metric, context, work.chunk, np.flatnonzero(defined), work.options.draws)
    for index in np.flatnonzero(defined):
        work.chunk.hooks.check()
        if lone_pairs(metric, [work.chunk.sizes(int(index))]):
            reasons[int(index)] = LONE
            continue
        of_test, of_draws = item_seeds(work.options, work.chunk, int(index))
        try:
            found = metric.test(context, work.chunk, int(index), work.options.budget, of_test)
        except Undefined as why:
            reasons[int(index)] = str(why)
            continue
        p_two_sided = found.p_two_sided if metric.two_sided else found.p_value
        columns[:, index] = (found.p_value, p_two_sided, found.floor, found.statistic, found.null.mean(), found.drawn)
        place = partial(draw_places, len(found.null), work.options.draws, of_draws)  # equal for all metrics
        places = work.chunk.shared(("draws", int(index), len(found.null)), place)
        draws += found.null[places]
        if metric.joint:
            joint.add(int(index), found, places, of_test)
        # The distribution of a sum is exact if its items are relabelled independently.
        if found.exact and found.floor < 1 and not work.chunk.clusters:
            nulls.add(int(index), found.null)
    sums = joint.sums() if metric.joint else None
    return Tests(
        **dict(zip(permutation_tests.COLUMNS, columns)), draws=draws, nulls=nulls.kept, reasons=reasons, joint=sums
    )


def item_seeds(options: Options, chunk: Chunk, index: int) -> tuple[int, int]:
    """Return the seeds of an item's test and of the draws from its null distribution.

    They depend only on `options.seed` and `Chunk.relabelling_digest`. Items of a cluster with equal numbers of
    candidates and of references share both seeds, so that the same partition is drawn for all of them.
    """
    entropy = np.random.SeedSequence([options.seed, chunk.relabelling_digest(index)])
    of_test, of_draws = (int(n) for n in entropy.generate_state(2, np.uint64))
    return of_test, of_draws

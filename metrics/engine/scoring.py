"""Scoring of a study: a look-up in the cache, and a plan of the remaining work, run in chunks on any backend."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace

from data.study import Item, Run, Settings, Study, of_study, run_digest
from metrics.base import Metric, Need, Work
from metrics.bootstrap import VERSION
from metrics.cache.disk import Cache, entry_key
from metrics.chunk import StudyDigests, chunks
from metrics.engine import embed_ahead, result_checks
from metrics.engine.permutation_tests import Tests as RunTests
from metrics.engine.result import Result, assemble, failed, joined_stats, to_arrays
from metrics.engine.tasks import ChunkScore, Facts, Options, Task, how_tested, keyed
from metrics.engine.workers import Backend, Scored, Workers
from metrics.progress import Cancelled, Hooks

REFERENCES = Run("references", "references", Settings(), {})
ORDER: tuple[Work, ...] = ("words", "encoder", "meteor")
WEIGHT: dict[Work, tuple[float, float, float]] = {"words": (10, 3, 3), "encoder": (60, 35, 20), "meteor": (5, 2, 2)}
"""Milliseconds per item of ten captions and five references, for metrics of captions, references and whole runs."""
TESTS: dict[Work, float] = {"words": 1.7, "encoder": 1.2, "meteor": 1.2}
"""Factor by which permutation tests slow down metrics of captions."""
FIRST = 0.02
"""Share of the work that must be done before its speed is used to predict the time left."""
EMBEDDING = 0.7
"""Share of the work on metrics of embeddings that is done once their captions are embedded."""
Results = dict[tuple[str, str], Result]


@dataclass(frozen=True)
class Progress:
    """Progress of the work: `done` and `total` in units of work, its kind, the current step, and the time left."""

    done: float
    total: float
    tasks_done: int
    tasks: int
    work: Work
    detail: str = ""
    seconds_left: float | None = None

    @property
    def fraction(self) -> float:
        """Share of the work that is done, in 0..1."""
        return min(1.0, self.done / self.total) if self.total else 1.0


@dataclass(frozen=True)
class Callbacks:
    """Functions called for every step and every finished result, and a function that returns whether to stop."""

    progress: Callable[[Progress], None] = lambda progress: None
    result: Callable[[str, Result], None] = lambda run, result: None
    should_stop: Callable[[], bool] = lambda: False


@dataclass
class Plan:
    """A request after the cache look-up: the results that exist, and the runs with the metrics still to compute.

    `unmet` maps metrics that cannot be computed here to the reason. `order` is the order of the request, whatever the
    cache contains.
    """

    study: Study
    options: Options
    ready: Results
    todo: list[tuple[Run, Metric]]
    unmet: dict[str, str] = field(default_factory=dict)
    order: list[tuple[str, str]] = field(default_factory=list)


def plan(study: Study, metrics: Iterable[Metric], options: Options, cache: Cache) -> Plan:
    """Return the plan of a request, after looking up every (run, metric) in the cache.

    A metric whose requirements this machine does not meet becomes a failed result; a metric requested twice counts
    once. Raises ValueError for two metrics with the same name and different parameters.
    """
    from metrics.needs import unmet

    found = Plan(study, options, {}, [])
    missing: dict[Need, str | None] = {}
    for metric in _distinct(metrics):
        reasons = [why for need in sorted(metric.needs) if (why := missing.setdefault(need, unmet(need)))]
        reasons += [why] if not reasons and (why := metric.lacks(study)) else []
        for run in runs_of(study, metric):
            found.order.append((run.name, metric.name))
            result = stored(cache, metric, run, study, options)
            if result is not None:
                found.ready[run.name, metric.name] = result
            elif reasons:
                found.unmet[metric.name] = reasons[0]
                found.ready[run.name, metric.name] = failed(metric, len(study.items), reasons[0])
            else:
                found.todo.append((run, metric))
    return found


def _distinct(metrics: Iterable[Metric]) -> Iterable[Metric]:
    """Return each metric once, in the order requested; results are identified by run and metric name.

    Raises ValueError for two metrics with one name.
    """
    known: dict[str, Metric] = {}
    for metric in metrics:
        first = known.setdefault(metric.name, metric)
        if first != metric:
            raise ValueError(
                f"{metric.name} is asked for with two sets of parameters, {first.signature} and {metric.signature}: "
                "score them one after the other"
            )
    return known.values()


def stored(cache: Cache, metric: Metric, run: Run, study: Study, options: Options) -> Result | None:
    """Return a run's finished result from a cache; None if the cache has no valid one."""
    tested = options.p_values and metric.tested
    return cache.read(
        result_key(metric, run, study, options),
        lambda arrays: result_checks.result_of(metric, run, study, tested, arrays),
    )


def existing(study: Study, metrics: Iterable[Metric], options: Options, cache: Cache) -> Results:
    """Return the finished results that are in a cache."""
    found = {(run.name, m.name): stored(cache, m, run, study, options) for m in metrics for run in runs_of(study, m)}
    return {key: result for key, result in found.items() if result is not None}


def runs_of(study: Study, metric: Metric) -> tuple[Run, ...]:
    """Return the runs for which a metric is computed; for a metric of only the references, REFERENCES."""
    return (REFERENCES,) if metric.family == "references" else study.runs


def result_key(metric: Metric, run: Run, study: Study, options: Options) -> str:
    """Return the cache key of a finished result, from signature, texts, versions, and settings for interval and p."""
    tests = None
    if options.p_values and metric.tested:
        sizes = ((len(run.candidates.get(item.id, ())), len(item.references)) for item in study.items)
        tests = (
            metric.tested_as.signature,
            *how_tested(options),
            *keyed(metric.tested_as, sizes, study.unit is not None),
        )
    content = study.contents.get(run.name) or _has_no_captions(study)
    if metric.of_stated_captions or metric.learns == "objects":
        content = StudyDigests.of(study, run).key(metric.learns) or content
    return entry_key(
        "results",
        metric.signature,
        study.references_digest,
        content,
        tests,
        VERSION,
        options.resamples,
        options.seed,
        *study.clustering,
    )


@of_study
def _has_no_captions(study: Study) -> str:
    return run_digest(REFERENCES, study.items)


def score(
    study: Study,
    metrics: Iterable[Metric],
    options: Options | None = None,
    cache: Cache | None = None,
    callbacks: Callbacks | None = None,
    workers: Backend | None = None,
) -> Results:
    """Return results by (run name, metric name), whatever the backend; without a cache, nothing is stored.

    Raises Cancelled if asked to stop; results that were finished before stay in the cache. Raises ValueError as `plan`
    does.
    """
    cache = cache or Cache(None)
    work = plan(study, metrics, options or Options(), cache)
    callbacks = callbacks or Callbacks()
    for (run, _), result in work.ready.items():
        callbacks.result(run, result)
    found = work.ready | _Execution(work, cache, callbacks, workers or Workers()).run()
    return {key: found[key] for key in work.order if key in found}


@dataclass
class _Execution:
    plan: Plan
    cache: Cache
    callbacks: Callbacks
    workers: Backend

    def __post_init__(self) -> None:
        self.done = 0.0
        self.ahead = 0.0  # the weight of tasks whose captions are embedded, but which are not scored yet
        self.tasks_done = 0
        self.tasks = 0
        self.total = 0.0
        self.started = time.monotonic()
        self.waiting: dict[tuple[str, str], list[ChunkScore | None]] = {}
        self.results: Results = {}

    def run(self) -> Results:
        """Return the results of all tasks, run from cheap to expensive kinds of work, so that metrics appear early."""
        groups = {work: self._tasks(work) for work in ORDER}
        self.tasks = sum(len(tasks) for tasks in groups.values())
        self.total = sum(self._weight(work, task) for work, tasks in groups.items() for task in tasks)
        for work, tasks in groups.items():
            with closing(self._computed(work, tasks)) as computed:
                for task, scores in computed:
                    self._collect(task, scores)
                    self.done += self._weight(work, task)
                    self.ahead = max(0.0, self.ahead - self._weight(work, task))
                    self.tasks_done += 1
                    self._say(work)
        return self.results

    def _tasks(self, work: Work) -> list[Task]:
        tasks: list[Task] = []
        by_run: dict[tuple[str, bool], tuple[Run, list[Metric]]] = {}
        for run, metric in self.plan.todo:
            if metric.work == work:
                # A run may have the same name as REFERENCES: the metrics' family distinguishes the two.
                by_run.setdefault((run.name, metric.family == "references"), (run, []))[1].append(metric)
        for run, metrics in by_run.values():
            parts = [m for m in metrics if m.of_items]
            whole = [m for m in metrics if not m.of_items]
            pieces = chunks(self.plan.study.items, run, self.plan.options.chunk)
            tasks += self._cut(run, parts, pieces)
            tasks += self._cut(run, whole, [self.plan.study.items], tuple(map(len, pieces)))
        return tasks

    def _cut(
        self, run: Run, metrics: list[Metric], pieces: list[tuple[Item, ...]], of_whole: tuple[int, ...] = ()
    ) -> list[Task]:
        if not metrics:
            return []
        study, options, clustered = self.plan.study, self.plan.options, self.plan.study.unit is not None
        used = (*metrics, *(metric.tested_as for metric in metrics if metric.tested and options.p_values))
        facts, whole = Facts(replace(study, runs=(run,)), used), StudyDigests.of(study, run)
        for metric in metrics:
            self.waiting[run.name, metric.name] = [None] * len(pieces)
        return [
            Task(
                Run(run.name, run.model, run.settings, {i.id: run.candidates.get(i.id, ()) for i in items}),
                items,
                tuple(metrics),
                facts,
                whole,
                self.cache,
                options,
                k,
                of_whole,
                clustered,
            )
            for k, items in enumerate(pieces)
        ]

    def _weight(self, work: Work, task: Task) -> float:
        of_captions, of_references, of_run = WEIGHT[work]
        if task.metrics[0].family == "references":
            each = of_references
        elif task.metrics[0].of_items:
            each = of_captions * (TESTS[work] if self.plan.options.p_values else 1)
        else:
            each = of_run
        return each * len(task.items)

    def _computed(self, work: Work, tasks: list[Task]) -> Scored:
        hooks = Hooks(lambda text: self._say(work, text), self.callbacks.should_stop)
        self._say(work)
        if work == "encoder" and isinstance(self.workers, Workers) and self.workers.backend == "threading":
            before, weight = self.done, sum(self._weight(work, task) for task in tasks)

            def embedded(share: float) -> None:
                self.ahead = max(0.0, share * weight - (self.done - before))

            return embed_ahead.scored(tasks, self.workers, replace(hooks, embedded=embedded))
        return self.workers.scored(tasks, hooks)

    def _say(self, work: Work, detail: str = "") -> None:
        if self.callbacks.should_stop():
            raise Cancelled
        spent = time.monotonic() - self.started
        done = self.done + EMBEDDING * self.ahead
        left = spent * (self.total - done) / done if done > FIRST * self.total else None
        self.callbacks.progress(Progress(done, self.total, self.tasks_done, self.tasks, work, detail, left))

    def _collect(self, task: Task, scores: list[ChunkScore]) -> None:
        for metric, found in zip(task.metrics, scores):
            slots = self.waiting[task.run.name, metric.name]
            slots[task.position] = found
            if all(slot is not None for slot in slots):
                result = self._finished(metric, [slot for slot in slots if slot is not None])
                del self.waiting[task.run.name, metric.name]
                self.results[task.run.name, metric.name] = result
                self._store(metric, task.run.name, result)
                self.callbacks.result(task.run.name, result)

    def _finished(self, metric: Metric, scores: list[ChunkScore]) -> Result:
        options, n_items = self.plan.options, len(self.plan.study.items)
        errors = [found.error for found in scores if found.error]
        if errors:
            return failed(metric, n_items, errors[0])
        stats = joined_stats([found.stats for found in scores if found.stats])
        tests = [found.tests for found in scores if found.tests]
        joined, unit = RunTests.joined(tests) if tests else None, self.plan.study.unit
        result = assemble(metric, stats, joined, options.resamples, options.seed, unit)
        return replace(result, n_items=n_items, items=result.items[:0]) if not metric.of_items else result

    def _store(self, metric: Metric, run_name: str, result: Result) -> None:
        if result.error:
            return
        run = next(run for run, other in self.plan.todo if (run.name, other.name) == (run_name, metric.name))
        key = result_key(metric, run, self.plan.study, self.plan.options)
        self.cache.put(key, to_arrays(result), compress=True)

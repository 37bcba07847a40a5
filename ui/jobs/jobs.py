"""Background work for pages: the numbers of a study, and any artifact."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache as once
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from data.demo import LAYERS
from data.study import Run, Study, digest
from figures.style.wording import labels
from metrics.analysis.artifacts import Artifact
from metrics.base import Metric
from metrics.cache.disk import Cache, default_directory
from metrics.cache.entry import Arrays
from metrics.cache.memory import LruCache
from metrics.engine import cluster, scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.progress import Hooks
from ui.frame.wording import WORK
from ui.jobs.bundle_numbers import BundleNumbers, frozen, size_of
from ui.jobs.queue import GRACE_SECONDS, LIMITS, Alive, Job, Limits, Queue, Step, Turn
from ui.session.connection import connected

OPTIONS = Options(p_values=True)
VALUES = Options(p_values=False)  # computed first: the permutation tests take many times as long as the values
MEMORY_BYTES = 1 << 30
"""Maximum bytes of results, and of arrays, that stay in memory."""
KNOWN = 0.05
"""Share of the work that must be done before its speed is used to predict the time left."""
BUNDLE_BYTES = 256 << 20
"""Maximum bytes read from all bundles that stay in memory; the bundles themselves are stored with their studies."""


@dataclass(frozen=True)
class Failure:
    """A metric of a study that could not be computed for some run, and the reason."""

    study: Study
    metric: Metric
    error: str


@dataclass(frozen=True)
class ScoreView:
    """The results that a page can show now, and the job that computes the rest."""

    results: scoring.Results
    job: Job | None = None
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True)
class ArtifactView:
    """The arrays of an artifact if they exist, else the job that computes them, if any."""

    arrays: Arrays | None = None
    job: Job | None = None


@dataclass(frozen=True)
class Scoring:
    """The work of scoring metrics on all runs of a study: all values first, then the permutation tests."""

    study: Study
    metrics: tuple[Metric, ...]
    cache: Cache
    kept: LruCache[str, Result]
    phases = 2

    @property
    def key(self) -> str:
        """The key of the work, made from its metrics and captions."""
        return digest(sorted(self.outputs))

    @property
    def outputs(self) -> frozenset[str]:
        """The names of the numbers, one for each metric."""
        return frozenset(numbers_name(self.study, metric) for metric in self.metrics)

    @property
    def size(self) -> int:
        """The items of all runs that each metric scores."""
        return len(self.study.items) * sum(len(scoring.runs_of(self.study, metric)) for metric in self.metrics)

    @property
    def title(self) -> str:
        """The labels of the metrics."""
        return labels(self.metrics)

    def turn(self, phase: int) -> Turn:
        """The turn of a phase: "parts" for the values, "last" for the tests."""
        return "last" if phase else "parts"

    def waiting_text(self, phase: int) -> str:
        """The beginning of the message shown while the task waits; in the second phase, some numbers exist already."""
        return "Tests wait" if phase else "Waiting"

    def run_phase(self, phase: int, job: Job) -> None:
        """Compute values (phase 0) or tests (phase 1); each finished result is available immediately."""
        options = OPTIONS if phase else VALUES

        def progress(at: scoring.Progress) -> None:
            doing = f"{'Tests of' if phase else 'Computing'} {WORK[at.work]}"
            job.report(Step(doing, at.fraction, at.detail, at.seconds_left))

        callbacks = scoring.Callbacks(progress, partial(self._keep, job, options), job.should_stop)
        with cluster.backend_from_settings(lambda text: job.report(Step(text))) as workers:
            scoring.score(self.study, self.metrics, options, self.cache, callbacks, workers)

    def _keep(self, job: Job, options: Options, run_name: str, result: Result) -> None:
        run = next(run for run in scoring.runs_of(self.study, result.metric) if run.name == run_name)
        self.kept.put(scoring.result_key(result.metric, run, self.study, options), result)
        job.finished += 1


def numbers_name(study: Study, metric: Metric) -> str:
    """Return the name of a metric's numbers for a study."""
    stated = study.logprobs_digests.values() if metric.learns == "logprobs" else ()
    return " ".join([study.digest, metric.signature, *stated])


@dataclass(frozen=True)
class Computing:
    """The work of computing an artifact."""

    artifact: Artifact
    cache: Cache
    kept: LruCache[str, Arrays]
    phases = 1
    size = 0

    @property
    def key(self) -> str:
        """The key of the artifact."""
        return self.artifact.key

    @property
    def outputs(self) -> frozenset[str]:
        """The name of the artifact's only cache entry."""
        return frozenset({self.artifact.key})

    @property
    def title(self) -> str:
        """The title of the artifact."""
        return self.artifact.title

    def turn(self, phase: int) -> Turn:
        """The turn that the artifact declares."""
        return "last" if self.artifact.preemptible else "whole"

    def waiting_text(self, phase: int) -> str:
        """The beginning of the message shown while the task waits."""
        return f"{self.artifact.title}: waiting"

    def run_phase(self, phase: int, job: Job) -> None:
        """Compute the arrays and store them in memory and on disk. Raises TypeError for arrays of Python objects."""
        if self.kept.get(self.key) is not None:  # made by an earlier job that ended while this one was being requested
            return
        text = ProgressText(self.artifact.title, job)
        hooks = Hooks(text.detail, job.should_stop, text.share, text.finished)
        arrays = {name: np.asarray(a) for name, a in self.artifact.run(hooks).items()}
        if any(array.dtype.hasobject for array in arrays.values()):
            raise TypeError("arrays of Python objects cannot be stored")
        self.cache.put(self.key, arrays, compress=True)
        self.kept.put(self.key, frozen(arrays))


@dataclass
class ProgressText:
    """Converts the progress that work reports into steps of its job."""

    doing: str
    job: Job
    text: str = ""
    done: float = 0.0
    since: float = 0.0

    def __post_init__(self) -> None:
        self.since = time.monotonic()
        self._say()

    def detail(self, text: str) -> None:
        self.text = text
        self._say()

    def share(self, done: float) -> None:
        self.done = min(max(done, 0.0), 1.0)
        self._say()

    def finished(self) -> None:
        self.job.finished += 1

    def _say(self) -> None:
        left = (time.monotonic() - self.since) * (1 - self.done) / self.done if self.done > KNOWN else None
        self.job.report(Step(self.doing, self.done, self.text, left))


class Jobs(Queue):
    """All jobs of a server, and their results."""

    def __init__(
        self, cache: Cache, limits: Limits = LIMITS, alive: Alive = lambda owner: False, grace: float = GRACE_SECONDS
    ) -> None:
        super().__init__(limits, alive, grace)
        self.cache = cache
        self._results: LruCache[str, Result] = LruCache(MEMORY_BYTES, size_of)
        self._arrays: LruCache[str, Arrays] = LruCache(MEMORY_BYTES, size_of)
        self._bundles: dict[str, BundleNumbers] = {}
        self._read: LruCache[str, Result | Arrays] = LruCache(BUNDLE_BYTES, size_of)

    def attach_bundle(self, owner: str, numbers: Mapping[str, bytes]) -> None:
        """Let one session read the numbers of its open study bundle; other sessions never see them."""
        self.mark_present(owner)
        known = self._bundles.get(owner)
        if numbers and (known is None or known.numbers is not numbers):
            gone = self.gone()
            self._bundles = {name: one for name, one in self._bundles.items() if name in self._last_seen.keys() - gone}
            self._bundles[owner] = BundleNumbers(numbers, owner, self._read)
        elif not numbers:
            self._bundles.pop(owner, None)

    def has(self, key: str, owner: str) -> bool:
        """Return whether a session can read a cache entry, without reading it."""
        bundle = self._bundles.get(owner)
        return self.cache.has(key) or (bundle is not None and key in bundle.numbers)

    def view(
        self, study: Study, metrics: Iterable[Metric], owner: str, start: bool = True, tests: bool = True
    ) -> ScoreView:
        """Return the existing results, and the job for the missing ones; if `start` is False, no new job is started.

        Without `tests`, values are enough: a page that shows no p of runs does not keep a job in view whose remaining
        work is tests, or other metrics.

        Sessions that request the same numbers share the job. Work that this session cancelled, or that failed, is not
        started again until `restart`.
        """
        ready, missing = self._ready(study, tuple(metrics), owner, tests)
        failures = {r.metric.name: Failure(study, r.metric, r.error) for r in ready.values() if r.error}
        if not missing:
            return ScoreView(ready, None, tuple(failures.values()))
        wanted = {numbers_name(study, metric): metric for metric in missing}

        def work(left: frozenset[str]) -> Scoring:
            return Scoring(study, tuple(m for name, m in wanted.items() if name in left), self.cache, self._results)

        job = self.watch(frozenset(wanted), owner, work if start else None)
        return ScoreView(ready, job, tuple(failures.values()))

    def artifact(self, artifact: Artifact, owner: str, start: bool = True) -> ArtifactView:
        """Return the arrays of an artifact, or the job that computes them; if `start` is False, no new job is started.

        Sessions that request the same artifact share the job. Work that this session cancelled, or that failed, is not
        started again until `restart`.
        """
        arrays = self._arrays.get(artifact.key)
        if arrays is None and (stored := artifact.stored(self.cache)) is not None:
            self._arrays.put(artifact.key, arrays := frozen(stored))
        if arrays is None and (bundle := self._bundles.get(owner)) is not None:
            arrays = bundle.arrays(artifact)
        if arrays is not None:
            return ArtifactView(arrays)
        work = Computing(artifact, self.cache, self._arrays)
        return ArtifactView(None, self.watch(work.outputs, owner, (lambda left: work) if start else None))

    def retry(self, failures: Iterable[Failure]) -> None:
        """Forget these failures: the metrics are computed again when a page next requests them."""
        for failure in failures:
            for run in scoring.runs_of(failure.study, failure.metric):
                for options in (OPTIONS, VALUES):
                    self._results.drop(scoring.result_key(failure.metric, run, failure.study, options))

    def _ready(
        self, study: Study, metrics: tuple[Metric, ...], owner: str, tests: bool
    ) -> tuple[scoring.Results, tuple[Metric, ...]]:
        ready: scoring.Results = {}
        missing: list[Metric] = []
        for metric in metrics:
            complete = True
            for run in scoring.runs_of(study, metric):
                result = self._known(metric, run, study, OPTIONS, owner)
                if result is None:
                    # Until the tests are done, the value is shown without p.
                    result = self._known(metric, run, study, VALUES, owner)
                    complete = complete and result is not None and not tests
                if result is not None:
                    ready[run.name, metric.name] = result
            if not complete:
                missing.append(metric)
        return ready, tuple(missing)

    def _known(self, metric: Metric, run: Run, study: Study, options: Options, owner: str) -> Result | None:
        key = scoring.result_key(metric, run, study, options)
        result = self._results.get(key)
        if result is None and (result := scoring.stored(self.cache, metric, run, study, options)) is not None:
            self._results.put(key, result)
        if result is None and (bundle := self._bundles.get(owner)) is not None:
            return bundle.get(metric, run, study, options)
        return result


@once
def jobs() -> Jobs:
    """Return the jobs of this server."""
    return Jobs(Cache(default_directory() or Path(mkdtemp(prefix="trilens-")), LAYERS), alive=connected)

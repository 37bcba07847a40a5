"""Test jobs: equal requests share one, a session cancels only its own request, and values are computed before tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from data.study import Study
from metrics.analysis.artifacts import Artifact
from metrics.cache.disk import Cache, entry_key
from metrics.engine import cluster, scoring
from metrics.engine.tasks import Options
from metrics.progress import Cancelled, Hooks
from metrics.registry import METRICS
from tests.studies import study as random_study
from ui.jobs import jobs as module
from ui.jobs.jobs import Jobs, Scoring
from ui.jobs.progress import words
from ui.jobs.queue import Job, Queue, Step, Turn

QUICK = (METRICS["trm_bow"], METRICS["distinct_2"])


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Jobs]:
    made = Jobs(Cache(tmp_path))
    yield made
    for job in list(made._jobs.values()):
        job.stop.set()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Make permutation tests wait until the gate is opened or they are asked to stop."""
    opened, score = threading.Event(), scoring.score

    def slow(study, metrics, options, cache, callbacks, workers):
        while options.p_values and not opened.wait(0.01):
            if callbacks.should_stop():
                raise Cancelled
        return score(study, metrics, options, cache, callbacks, workers)

    monkeypatch.setattr(module.scoring, "score", slow)
    yield opened
    opened.set()


def until(true, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_values_and_then_tests_arrive(queue: Jobs) -> None:
    study = random_study()
    assert queue.view(study, QUICK, "a").job is not None
    until(lambda: queue.view(study, QUICK, "a").job is None)
    found = queue.view(study, QUICK, "a").results
    assert len(found) == 4
    assert found["run 0", "trm_bow"].tested
    assert found["run 0", "trm_bow"].corpus == scoring.score(study, QUICK)["run 0", "trm_bow"].corpus


def test_a_cluster_that_is_not_there_is_said_and_not_replaced(queue: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_SCHEDULER", "tcp://127.0.0.1:1")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1.0)
    study = random_study()
    job = _job(queue, study, "a")
    until(lambda: job.ended)
    assert job.state == "failed"
    assert job.error.startswith("No Dask scheduler answers at tcp://127.0.0.1:1")
    assert not queue.view(study, QUICK, "a").results


def test_equal_wishes_share_a_job_and_a_part_of_it_joins(queue: Jobs, gate: threading.Event) -> None:
    study = random_study()
    one = queue.view(study, QUICK, "a").job
    assert queue.view(study, QUICK, "b").job is one
    assert queue.view(study, QUICK[:1], "c").job is one
    assert one is not None
    assert one.owners == ["a", "b", "c"]
    more = queue.view(study, (*QUICK, METRICS["rouge_l"]), "a").job
    assert more is one
    works = [job.work for job in queue._jobs.values()]
    assert [work.metrics for work in works if isinstance(work, Scoring)] == [QUICK, (METRICS["rouge_l"],)]


def test_cancelling_is_for_oneself_until_the_last_one_leaves(queue: Jobs, gate: threading.Event) -> None:
    study = random_study()
    job = _job(queue, study, "a")
    queue.view(study, QUICK, "b")
    queue.cancel(job, "a")
    assert job.state_for("a") == "cancelled"
    assert job.state_for("b") == "running"
    assert queue.view(study, QUICK, "a").job is job
    assert "a" not in job.owners
    queue.cancel(job, "b")
    until(lambda: job.state == "cancelled")
    assert queue.view(study, QUICK, "b").job is job
    gate.set()
    queue.restart(job, "a")
    until(lambda: queue.view(study, QUICK, "a").job is None)


def test_nobody_s_values_wait_for_another_s_tests(queue: Jobs, gate: threading.Event) -> None:
    """The gate blocks only tests, which are paused for values and completed later."""
    first, second = random_study(seed=1), random_study(seed=2)
    tests = _job(queue, first, "a")
    until(lambda: tests.phase == 1 and tests.state == "running")
    known = queue.view(first, QUICK, "c", tests=False)
    assert (len(known.results), known.job) == (4, None), "a page without p wants no job for tests"
    values = _job(queue, second, "b")
    until(lambda: len(queue.view(second, QUICK, "b").results) == 4)
    assert not queue.view(second, QUICK, "b").results["run 0", "trm_bow"].tested
    assert not tests.ended
    gate.set()
    until(lambda: tests.ended and values.ended)
    assert queue.view(first, QUICK, "a").results["run 0", "trm_bow"].tested


def test_a_failure_says_what_and_can_be_tried_again(queue: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study()
    with monkeypatch.context() as broken:
        broken.setattr(module.scoring, "score", lambda *a: 1 / 0)
        job = _job(queue, study, "a")
        until(lambda: job.ended)
        assert job.state == "failed"
        assert "ZeroDivisionError" in job.error
        assert queue.view(study, QUICK, "a").job is job
    queue.restart(job, "a")
    until(lambda: queue.view(study, QUICK, "a").job is None)


def test_a_call_is_made_once_for_everybody_and_kept_on_disk(queue: Jobs, tmp_path: Path) -> None:
    held, made = threading.Event(), []

    def run(hooks: Hooks) -> dict[str, np.ndarray]:
        made.append(1)
        hooks.progress("point 3 of 10")
        hooks.share(0.25)
        held.wait(10)
        return {"x": np.arange(3.0), "name": np.array(["a", "b"])}

    call = Artifact(entry_key("layouts", "a call"), run, "Laying out 10 captions")
    job = queue.artifact(call, "a").job
    assert job is not None
    until(lambda: job.step is not None and job.step.share == 0.25)
    assert queue.artifact(call, "b").job is job
    said = words(job)
    assert said.startswith("Laying out 10 captions: 25")
    assert said.endswith("left (point 3 of 10)")
    held.set()
    until(lambda: queue.artifact(call, "a").arrays is not None)
    arrays = queue.artifact(call, "c").arrays
    assert arrays is not None
    assert arrays["x"].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        arrays["x"][0] = 1
    assert Jobs(Cache(tmp_path)).artifact(call, "d").arrays["name"].tolist() == ["a", "b"]  # type: ignore[index]
    assert made == [1]


def test_a_call_is_cancelled_and_resumed(queue: Jobs) -> None:
    let = threading.Event()

    def run(hooks: Hooks) -> dict[str, np.ndarray]:
        while not let.wait(0.01):
            hooks.check()
        return {"x": np.ones(1)}

    call = Artifact(entry_key("experiments", "stop"), run, "Trying")
    job = queue.artifact(call, "a").job
    assert job is not None
    queue.cancel(job, "a")
    until(lambda: job.state == "cancelled")
    assert queue.artifact(call, "a").job is job
    let.set()
    queue.restart(job, "a")
    until(lambda: queue.artifact(call, "a").arrays is not None)


def test_a_call_that_fails_says_so_and_is_not_made_again_unasked(queue: Jobs) -> None:
    call = Artifact(entry_key("experiments", "fail"), lambda hooks: {"x": np.array([object()])}, "Trying")
    job = queue.artifact(call, "a").job
    assert job is not None
    until(lambda: job.ended)
    assert "objects cannot be stored" in job.error
    assert queue.artifact(call, "b").job is job


def test_a_call_that_gives_way_lets_first_numbers_pass(queue: Jobs) -> None:
    let, starts = threading.Event(), []

    def run(hooks: Hooks) -> dict[str, np.ndarray]:
        starts.append(1)
        while not let.wait(0.01):
            hooks.check()
        return {"x": np.ones(1)}

    call = Artifact(entry_key("experiments", "long"), run, "Trying", preemptible=True)
    queue.artifact(call, "a")
    until(lambda: starts == [1])
    study = random_study()
    queue.view(study, QUICK, "b")
    until(lambda: len(queue.view(study, QUICK, "b").results) == 4)
    let.set()
    until(lambda: queue.artifact(call, "a").arrays is not None)
    assert len(starts) >= 2


def test_values_are_computed_in_turns(queue: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while, a long job lets short ones pass, even of its own session, and then continues where it stopped."""
    queue.slice = 0.2
    let, shares = threading.Event(), list[float]()

    def score(
        study: Study, metrics: object, options: Options, cache: object, calls: scoring.Callbacks, workers: object
    ) -> None:
        while study is long and not options.p_values and not let.wait(0.01):
            calls.progress(scoring.Progress(0.5 if job.share_before else 1.0, 2.0, 1, 2, "words"))
            shares.append(job.step.share if job.step is not None else -1.0)
            if calls.should_stop():
                raise Cancelled
        engine_score(study, metrics, options, cache, calls, workers)

    engine_score = scoring.score
    monkeypatch.setattr(module.scoring, "score", score)
    long, own, other = (random_study(seed=seed) for seed in (1, 2, 3))
    job = _job(queue, long, "a")
    for study, owner in ((own, "a"), (other, "b")):
        queue.view(study, QUICK, owner)
    for study, owner in ((other, "b"), (own, "a")):
        until(lambda study=study, owner=owner: len(queue.view(study, QUICK, owner).results) == 4)
    assert not job.ended
    until(lambda: job.turn_number > 0 and job.state == "running" and job.step is not None)
    assert set(shares) == {0.5}
    let.set()
    until(lambda: len(queue.view(long, QUICK, "a").results) == 4)


def test_the_session_that_was_served_longest_ago_goes_first(queue: Jobs) -> None:
    let, order = threading.Event(), []

    def call(name: str) -> Artifact:
        def run(hooks: Hooks) -> dict[str, np.ndarray]:
            let.wait(10)
            order.append(name)
            return {"x": np.ones(1)}

        return Artifact(entry_key("experiments", name), run, name)

    for name in ("a1", "a2", "a3", "b1"):
        queue.artifact(call(name), name[0])
    let.set()
    until(lambda: len(order) == 4)
    assert order == ["a1", "b1", "a2", "a3"]


def test_a_metric_that_failed_is_tried_again_when_asked(queue: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study()
    with monkeypatch.context() as broken:
        broken.setattr(type(QUICK[1]), "stats", lambda *a: 1 / 0)
        queue.view(study, QUICK, "a")
        until(lambda: queue.view(study, QUICK, "a").job is None)
    (failure,) = queue.view(study, QUICK, "a").failures
    assert failure.metric.name == "distinct_2"
    assert "ZeroDivisionError" in failure.error
    queue.retry([failure])
    assert queue.view(study, QUICK, "a").job is not None
    until(lambda: queue.view(study, QUICK, "a").job is None)
    assert queue.view(study, QUICK, "a").failures == ()


def _job(queue: Jobs, study, owner: str) -> Job:
    job = queue.view(study, QUICK, owner).job
    assert job is not None
    return job


@dataclass(frozen=True)
class Waits:
    key: str
    kind: Turn
    opened: threading.Event
    starts: list[str]
    title: str = ""
    phases: int = 1
    size: int = 0

    @property
    def outputs(self) -> frozenset[str]:
        return frozenset({self.key})

    def turn(self, phase: int) -> Turn:
        return self.kind

    def waiting_text(self, phase: int) -> str:
        return "waiting"

    def run_phase(self, phase: int, job: Job) -> None:
        self.starts.append(self.key)
        while not self.opened.wait(0.01):
            if job.should_stop():
                raise Cancelled


BEHIND, BETWEEN = ["first", "second"], ["first", "second", "first"]


@pytest.mark.parametrize(
    ("runs", "waits", "seconds", "order"),
    [
        ("whole", "parts", 0.05, BEHIND),
        ("whole", "last", 0.05, BEHIND),
        ("parts", "last", 0.05, BEHIND),
        ("parts", "whole", 60.0, BEHIND),
        ("parts", "whole", 0.05, BETWEEN),
        ("parts", "parts", 0.05, BETWEEN),
        ("last", "last", 60.0, BEHIND),
        ("last", "last", 0.05, BETWEEN),
        ("last", "parts", 60.0, BETWEEN),
    ],
)
def test_who_gives_way_to_whom(runs: Turn, waits: Turn, seconds: float, order: list[str]) -> None:
    """Work that is done in one go cannot be paused and resumed.

    Permutation tests are paused for other work, but other work is not paused for them.
    """
    line, starts, opened = Queue(), list[str](), threading.Event()
    line.slice = seconds
    first, second = Waits("first", runs, opened, starts), Waits("second", waits, threading.Event(), starts)
    jobs = [line.watch(work.outputs, "a", lambda _, work=work: work) for work in (first, second)]
    if order == BETWEEN:
        until(lambda: len(starts) > 1)
        second.opened.set()
        until(lambda: len(starts) > 2)
    time.sleep(0.3)
    second.opened.set()
    opened.set()
    until(lambda: all(job is not None and job.ended for job in jobs))
    # Two that take turns may do so again before they are done.
    assert starts[: len(order)] == order
    assert len(starts) == len(order) or runs == waits


def test_a_shared_job_goes_by_the_session_that_was_served_longest_ago() -> None:
    line, starts, opened = Queue(), list[str](), threading.Event()
    for key, owners in (("busy", "a"), ("of a", "a"), ("of a and b", "ab")):
        work = Waits(key, "whole", opened, starts)
        for owner in owners:
            line.watch(work.outputs, owner, lambda _, work=work: work)
    opened.set()
    until(lambda: len(starts) == 3)
    assert starts == ["busy", "of a and b", "of a"]


def test_a_share_never_falls_within_a_phase_and_begins_anew_with_the_next() -> None:
    line, told, opened = Queue(), list[tuple[int, float]](), threading.Event()
    line.slice = 0.05

    @dataclass(frozen=True)
    class Tells(Waits):
        def run_phase(self, phase: int, job: Job) -> None:
            job.report(Step("", 0.1 if phase or told else 0.6))
            assert job.step is not None
            told.append((phase, job.step.share))
            if not phase:
                super().run_phase(phase, job)

    first = Tells("first", "parts", opened, [], phases=2)
    second = Waits("second", "whole", threading.Event(), [])
    job = line.watch(first.outputs, "a", lambda _: first)
    until(lambda: len(told) == 1)
    line.watch(second.outputs, "b", lambda _: second)
    second.opened.set()
    until(lambda: len(told) == 2)
    opened.set()
    until(lambda: job is not None and job.ended)
    assert told == [(0, 0.6), (0, 0.6), (1, 0.1)]


def test_tests_of_one_session_do_not_wait_for_all_that_another_asks_for() -> None:
    """Within a session, values come before tests; between sessions, the one served longest ago is next."""
    line, starts, opened = Queue(), list[str](), threading.Event()
    asked: tuple[tuple[str, Turn], ...] = (("a1", "parts"), ("a2 last", "last"), ("b1 last", "last"), ("a3", "parts"))
    for key, kind in asked:
        work = Waits(key, kind, opened, starts)
        line.watch(work.outputs, key[0], lambda _, work=work: work)
    opened.set()
    until(lambda: len(starts) == 4)
    assert starts == ["a1", "b1 last", "a3", "a2 last"]

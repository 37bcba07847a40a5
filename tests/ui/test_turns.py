"""Test that jobs of small studies come first, and jobs of a page that was left come last, without losing work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from metrics.analysis.artifacts import Artifact
from metrics.cache.disk import Cache, entry_key
from metrics.chunk import Chunk
from metrics.progress import Hooks
from tests.studies import study as random_study
from tests.ui.test_jobs import Waits, until
from ui.jobs import progress
from ui.jobs.jobs import Jobs
from ui.jobs.queue import HELD, Job, Queue


def test_small_studies_go_before_large_ones() -> None:
    """The smaller of two waiting jobs is first, and a large job that is running makes way for it at once."""
    line, starts, opened = Queue(), list[str](), threading.Event()
    busy, small = Waits("busy", "whole", threading.Event(), starts), Waits("small", "parts", opened, starts, size=10)
    large, tiny = (
        Waits("large", "parts", opened, starts, size=900),
        Waits("tiny", "parts", threading.Event(), starts, size=5),
    )
    for work in (busy, large, small):
        line.watch(work.outputs, work.key, lambda _, work=work: work)
    busy.opened.set()
    until(lambda: len(starts) >= 2)
    assert starts[:2] == ["busy", "small"]
    opened.set()
    until(lambda: len(starts) >= 3)
    opened.clear()
    more = Waits("more", "parts", opened, starts, size=1_000)
    line.watch(more.outputs, "more", lambda _: more)
    until(lambda: starts[-1] == "more")
    line.watch(tiny.outputs, "tiny", lambda _: tiny)
    until(lambda: starts[-1] == "tiny")
    tiny.opened.set()
    opened.set()
    until(lambda: starts[-1] == "more")


def test_jobs_of_a_page_that_was_left_come_last() -> None:
    """They are last until a page shows them again; a job that another session wants, too, keeps its place."""
    line, starts = Queue(), list[str]()
    works = {
        name: Waits(name, "whole", threading.Event(), starts, size=size)
        for name, size in (("busy", 0), ("left", 1), ("shared", 2), ("here", 3))
    }
    jobs = {name: line.watch(work.outputs, "me", lambda _, work=work: work) for name, work in works.items()}
    line.watch(works["busy"].outputs, "other", lambda _: works["busy"])
    line.watch(works["shared"].outputs, "other", lambda _: works["shared"])
    line.leave_page("me")
    line.watch(works["here"].outputs, "me", lambda _: works["here"])
    order = sorted(("left", "shared", "here"), key=lambda name: line.waiting_before(jobs[name]))
    assert order[-1] == "left"
    line.watch(works["left"].outputs, "me", lambda _: works["left"])
    assert line.waiting_before(jobs["left"]) < line.waiting_before(jobs["here"]), "smaller, and shown again"
    for work in works.values():
        work.opened.set()
    until(lambda: set(starts) == set(works))


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Jobs]:
    made = Jobs(Cache(tmp_path))
    yield made
    for job in list(made._jobs.values()):
        job.stop.set()
        job.free.set()


class Counts:
    """An artifact made in four steps, each of which waits for the gate; `starts` and `steps` count what has been
    done.
    """

    def __init__(self, name: str) -> None:
        self.gate, self.steps, self.starts = threading.Semaphore(0), 0, 0
        self.artifact = Artifact(entry_key("experiments", name), self._run, name)

    def _run(self, hooks: Hooks) -> dict[str, np.ndarray]:
        self.starts += 1
        for step in range(4):
            hooks.share(step / 4)
            while not self.gate.acquire(timeout=0.01):
                hooks.check()
            self.steps += 1
            hooks.check()
        return {"x": np.arange(3.0)}


def test_the_job_of_the_page_in_view_starts_at_once_and_the_one_of_the_page_left_goes_on_where_it_stood(
    queue: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "jobs", lambda: queue)
    left, here = Counts("left"), Counts("here")
    job = _job(queue, left)
    left.gate.release(2)
    until(lambda: left.steps == 2)
    queue.leave_page("me")
    now = _job(queue, here)
    assert now.state == "running", "the page in view waits for nothing"
    assert job.state == "waiting"
    assert progress.words(job) == "left: waiting for 1 other job, 50 % done"
    here.gate.release(4)
    until(lambda: queue.artifact(here.artifact, "me").arrays is not None)
    left.gate.release(2)
    until(lambda: queue.artifact(left.artifact, "me").arrays is not None)
    assert (left.starts, left.steps) == (1, 4), "nothing was computed twice"


def test_a_job_whose_page_is_shown_again_runs_again_at_once(queue: Jobs) -> None:
    first, second = Counts("first"), Counts("second")
    _job(queue, first)
    queue.leave_page("me")
    other = _job(queue, second)
    queue.leave_page("me")
    job = _job(queue, first)
    assert (job.state, other.state) == ("running", "waiting")
    first.gate.release(4)
    until(lambda: queue.artifact(first.artifact, "me").arrays is not None)
    assert (first.starts, first.steps) == (1, 4)


def test_a_job_that_someone_else_views_is_not_held(queue: Jobs) -> None:
    shared, here = Counts("shared"), Counts("here")
    job = _job(queue, shared)
    queue.artifact(shared.artifact, "other")
    queue.leave_page("me")
    assert _job(queue, here).state == "waiting"
    assert job.state == "running"


def test_of_too_many_held_jobs_the_first_begins_again_later(queue: Jobs) -> None:
    """The data of a held job stay in memory, so only a few jobs are held at a time."""
    pages = [Counts(str(k)) for k in range(HELD + 2)]
    jobs = []
    for page in pages:
        queue.leave_page("me")
        jobs.append(_job(queue, page))
        until(lambda page=page: page.starts == 1)
    assert [job.state for job in jobs] == ["waiting"] * (HELD + 1) + ["running"]
    until(lambda: jobs[0].free.is_set() and not jobs[0].pause)
    assert sum(not job.free.is_set() for job in jobs) == HELD
    for page in pages:
        page.gate.release(8)
    until(lambda: all(queue.artifact(page.artifact, "me").arrays is not None for page in pages))
    assert [page.starts for page in pages] == [2] + [1] * (HELD + 1)


def test_a_held_job_can_be_cancelled(queue: Jobs) -> None:
    left, here = Counts("left"), Counts("here")
    job = _job(queue, left)
    until(lambda: left.starts == 1)
    queue.leave_page("me")
    _job(queue, here)
    before = threading.active_count()
    queue.cancel(job, "me")
    until(lambda: threading.active_count() < before, seconds=5.0)
    assert job.state == "cancelled"


def test_a_held_job_finishes_what_others_may_wait_for(queue: Jobs) -> None:
    """Two jobs need the same arrays; the first is held while it makes them and has the lock."""
    began, let, made = threading.Event(), threading.Event(), list[str]()
    study = random_study()

    def needs(name: str) -> Callable[[Hooks], dict[str, np.ndarray]]:
        def run(hooks: Hooks) -> dict[str, np.ndarray]:
            def make() -> dict[str, np.ndarray]:
                began.set()
                while not let.wait(0.01):
                    hooks.check()
                hooks.check()
                made.append(name)
                return {"x": np.ones(1)}

            chunk = Chunk.of(study.items, study.runs[0], queue.cache, hooks)
            return {"x": chunk.artifact(entry_key("embeddings", "shared"), make, lambda arrays: arrays["x"])}

        return run

    first, second = (Artifact(entry_key("experiments", name), needs(name), name) for name in ("first", "second"))
    queue.artifact(first, "me")
    assert began.wait(10)
    queue.leave_page("me")
    queue.artifact(second, "me")
    let.set()
    until(lambda: queue.artifact(second, "me").arrays is not None, seconds=5.0)
    assert made == ["first"]


def _job(queue: Jobs, page: Counts) -> Job:
    job = queue.artifact(page.artifact, "me").job
    assert job is not None
    return job

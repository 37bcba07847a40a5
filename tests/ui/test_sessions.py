"""Test several sessions: each stops only its own work, waits for its turn, and has its own uploads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from metrics.analysis.artifacts import Artifact
from metrics.cache.disk import Cache, entry_key
from metrics.progress import Hooks
from ui.jobs.jobs import Jobs
from ui.jobs.queue import Limits

GRACE = 0.2


@pytest.fixture
def here() -> set[str]:
    return {"a", "b"}


@pytest.fixture
def queue(tmp_path: Path, here: set[str]) -> Iterator[Jobs]:
    made = Jobs(Cache(tmp_path), Limits(slots=1, of_session=2, of_all=3), lambda owner: owner in here, GRACE)
    yield made
    for job in list(made._jobs.values()):
        job.stop.set()


def until(true, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def endless(name: str, let: threading.Event | None = None) -> Artifact:
    def run(hooks: Hooks) -> dict[str, np.ndarray]:
        while let is None or not let.is_set():
            hooks.check()
            time.sleep(0.005)
        return {"x": np.ones(1)}

    return Artifact(entry_key("experiments", name), run, name)


def asked(queue: Jobs, call: Artifact, owner: str):
    job = queue.artifact(call, owner).job
    assert job is not None
    return job


def test_who_leaves_stops_only_what_nobody_else_wants(queue: Jobs, here: set[str]) -> None:
    running, own, shared = endless("running"), endless("own"), endless("shared")
    jobs = [asked(queue, call, "a") for call in (running, own)]
    common = asked(queue, shared, "b")
    assert asked(queue, shared, "a") is common
    here.discard("a")
    until(lambda: all(job.state == "cancelled" for job in jobs))
    until(lambda: common.state == "running")
    assert common.owners == ["b"]


def later(queue: Jobs, seconds: float) -> None:
    for owner in queue._last_seen:
        queue._last_seen[owner] -= seconds
    queue.sweep()


def test_a_session_that_is_there_or_back_in_time_loses_nothing(tmp_path: Path, here: set[str]) -> None:
    queue = Jobs(Cache(tmp_path), alive=lambda owner: owner in here, grace=1000)
    let = threading.Event()
    call = endless("kept", let)
    job = asked(queue, call, "a")
    later(queue, 5000)
    assert job.owners == ["a"], "connected, though on another page where nothing polls the job"
    here.discard("a")
    later(queue, 900)
    assert job.owners == ["a"], "counted from when it was last there, not from when it asked"
    assert asked(queue, call, "a after a reload") is job
    later(queue, 200)
    assert job.owners == ["a after a reload"]
    later(queue, 700)
    queue.mark_present("a after a reload")
    later(queue, 700)
    assert job.owners == ["a after a reload"]
    let.set()
    until(lambda: queue.artifact(call, "a after a reload").arrays is not None)


def test_what_a_left_session_wanted_can_be_asked_for_again(queue: Jobs, here: set[str]) -> None:
    let = threading.Event()
    call = endless("again", let)
    job = asked(queue, call, "a")
    here.discard("a")
    until(lambda: job.state == "cancelled")
    here.add("a")
    let.set()
    asked(queue, call, "a")
    until(lambda: queue.artifact(call, "a").arrays is not None)


def test_the_next_one_waits_for_work_that_is_still_stopping(queue: Jobs) -> None:
    """If a request comes while the old job is ending, no second job may run beside it."""
    let, over_all_pairs, most = threading.Event(), [], []

    def run(hooks: Hooks) -> dict[str, np.ndarray]:
        over_all_pairs.append(1)
        most.append(len(over_all_pairs))
        let.wait(10)
        over_all_pairs.pop()
        hooks.check()
        return {"x": np.ones(1)}

    call = Artifact(entry_key("experiments", "deaf"), run, "deaf")
    job = asked(queue, call, "a")
    queue.cancel(job, "a")
    queue.restart(job, "a")
    assert asked(queue, call, "a").state == "waiting"
    let.set()
    until(lambda: queue.artifact(call, "a").arrays is not None)
    assert most == [1, 1]


def test_too_many_jobs_are_refused_with_the_reason(queue: Jobs) -> None:
    for name in ("1", "2", "3"):
        assert not asked(queue, endless(name), "a").ended
    refused = asked(queue, endless("4"), "a")
    assert refused.state == "refused"
    assert refused.error == "2 jobs of this session are waiting already: try again when some are done"
    assert asked(queue, endless("5"), "b").state == "waiting"
    assert asked(queue, endless("6"), "b").error.startswith("3 jobs are waiting already")
    queue.restart(refused, "a")
    assert asked(queue, endless("4"), "a").state == "refused"
    queue.cancel(asked(queue, endless("3"), "a"), "a")
    assert asked(queue, endless("4"), "a").state == "waiting"


def test_a_newcomer_is_served_although_others_have_filled_the_queue(tmp_path: Path) -> None:
    """Six sessions request as much as they may; a seventh still gets its numbers after at most one job of each."""
    queue, let, order = Jobs(Cache(tmp_path), alive=lambda owner: True), threading.Event(), list[str]()

    def work(name: str) -> Artifact:
        def run(hooks: Hooks) -> dict[str, np.ndarray]:
            order.append(name)
            return endless(name, let).run(hooks)

        return Artifact(entry_key("experiments", name), run, name)

    names = [f"greedy {n}" for n in range(6)]
    jobs = [asked(queue, work(f"{name}, {k}"), name) for k in range(21) for name in names]
    assert sum(job.state == "waiting" for job in jobs) == queue.limits.of_all
    new = [asked(queue, work(f"new, {k}"), "new") for k in range(3)]
    assert [job.state for job in new] == ["waiting"] * 3
    assert asked(queue, work("one more"), names[0]).state == "refused"
    let.set()
    until(lambda: len(order) == queue.limits.of_all + 1 + 3)
    assert order.index("new, 0") <= 6
    assert order.index("new, 2") <= 20


def test_work_of_a_page_that_was_left_goes_behind_what_is_looked_at(queue: Jobs) -> None:
    """Work for a page that was left is paused while there is work for a page in view, and then resumed."""
    queue.view_timeout = 0.3
    starts: list[str] = []

    def parts(name: str, let: threading.Event) -> Artifact:
        def run(hooks: Hooks) -> dict[str, np.ndarray]:
            starts.append(name)
            return endless(name, let).run(hooks)

        return Artifact(entry_key("experiments", name), run, name, preemptible=True)

    opened = threading.Event()
    left, looked_at = parts("left", opened), parts("looked at", threading.Event())
    asked(queue, left, "a")
    until(lambda: starts == ["left"])
    job = asked(queue, looked_at, "a")

    def viewed() -> bool:
        queue.mark_viewed(job, "a")
        return starts == ["left", "looked at"]

    until(viewed)
    queue.cancel(job, "a")
    until(lambda: starts == ["left", "looked at", "left"])
    opened.set()
    until(lambda: queue.artifact(left, "a").arrays is not None)

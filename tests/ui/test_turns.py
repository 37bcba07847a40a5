"""Test that small studies run before large ones, and jobs of a page that was left run last."""

from __future__ import annotations

import threading

from tests.ui.test_jobs import Waits, until
from ui.jobs.queue import Queue


def test_small_studies_go_before_large_ones() -> None:
    """The smaller of two waiting jobs is first, and a large running one makes way for it at once."""
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
    """Such jobs wait last until a page shows them again; a job that another session also wants keeps its place."""
    line, starts = Queue(), list[str]()
    works = {
        name: Waits(name, "whole", threading.Event(), starts, size=size)
        for name, size in (("busy", 0), ("left", 1), ("shared", 2), ("here", 3))
    }
    jobs = {name: line.watch(work.outputs, "me", lambda _, work=work: work) for name, work in works.items()}
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

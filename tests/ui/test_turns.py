"""Small studies run before large ones."""

from __future__ import annotations

import threading

from tests.ui.test_jobs import Waits, until
from ui.jobs.queue import Queue


def test_small_studies_go_before_large_ones() -> None:
    """Of two that wait the small one is first, and a large one that runs makes way for it at once."""
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

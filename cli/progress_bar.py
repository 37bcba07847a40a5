"""Progress on stderr: the current step, its progress, and the time left; a bar on a screen, an occasional line
elsewhere.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from metrics.engine.scoring import FIRST, Callbacks
from metrics.engine.scoring import Progress as Step
from metrics.progress import Hooks

EVERY = 10.0
"""Seconds between two lines if stderr is a file or a pipe; shorter work prints nothing to it."""
Update = Callable[..., None]


@contextmanager
def scoring() -> Iterator[Callbacks]:
    """Show the progress of the engine; the block gets the callbacks to pass to it."""
    with _shown("reading") as update:

        def show(step: Step) -> None:
            left = None if step.done >= step.total else step.seconds_left
            update(completed=step.fraction, description=words(step), left=time_left(left))

        yield Callbacks(progress=show)


@contextmanager
def working(doing: str) -> Iterator[Hooks]:
    """Show the progress of work; the block gets the hooks through which the work reports its completed share."""
    started = time.monotonic()
    with _shown(doing) as update:

        def share(done: float) -> None:
            spent = time.monotonic() - started
            update(completed=done, left=time_left(spent * (1 - done) / done if done > FIRST else None))

        yield Hooks(lambda text: update(description=f"{doing}: {text}"), share=share)


def words(step: Step) -> str:
    """Return the current step in a few words."""
    return f"{step.work}: {step.tasks_done:,} of {step.tasks:,} chunks" + (f" ({step.detail})" if step.detail else "")


def time_left(seconds: float | None) -> str:
    """Return text such as `2 min left`; "" while the time is unknown."""
    if seconds is None:
        return ""
    return f"{round(seconds)} s left" if seconds < 100 else f"{round(seconds / 60)} min left"


@contextmanager
def _shown(doing: str) -> Iterator[Update]:
    """Yield a function that shows `description`, `completed` and `left`; values that are not passed stay unchanged."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(doing).update
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[left]}"), console=console, transient=True) as bar:
        yield partial(_update, bar, bar.add_task(escape(doing), total=1.0, left=""))


def _update(bar: Progress, line: Any, **said: Any) -> None:
    if "description" in said:
        said["description"] = escape(said["description"])
    bar.update(line, **said)


class _Lines:
    """Progress as lines of text, at most one every EVERY seconds."""

    def __init__(self, doing: str) -> None:
        self._known: dict[str, Any] = {"description": doing, "completed": 0.0, "left": ""}
        self._last = time.monotonic()

    def update(self, **said: Any) -> None:
        self._known |= said
        if time.monotonic() - self._last < EVERY:
            return
        self._last = time.monotonic()
        left = f", {self._known['left']}" if self._known["left"] else ""
        print(f"{self._known['description']}: {self._known['completed']:.0%}{left}", file=sys.stderr, flush=True)

"""Progress on stderr: the current step, its progress, and the time left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from metrics.engine.scoring import Callbacks
from metrics.engine.scoring import Progress as Step
from metrics.progress import Hooks

FIRST = 0.02
"""The share of the work after which its speed predicts the time left."""


@contextmanager
def scoring() -> Iterator[Callbacks]:
    """Show a bar for the engine."""
    with _bar() as bar:
        line = bar.add_task("reading", total=1.0, left="")

        def show(step: Step) -> None:
            left = None if step.done >= step.total else step.seconds_left
            bar.update(line, completed=step.fraction, description=escape(words(step)), left=time_left(left))

        yield Callbacks(progress=show)


@contextmanager
def working(doing: str) -> Iterator[Hooks]:
    """Show a bar for work that reports its share."""
    started = time.monotonic()
    with _bar() as bar:
        line = bar.add_task(escape(doing), total=1.0, left="")

        def share(done: float) -> None:
            spent = time.monotonic() - started
            bar.update(line, completed=done, left=time_left(spent * (1 - done) / done if done > FIRST else None))

        yield Hooks(lambda text: bar.update(line, description=escape(f"{doing}: {text}")), share=share)


def words(step: Step) -> str:
    """Return the current step in a few words."""
    return f"{step.work}: {step.tasks_done:,} of {step.tasks:,} chunks" + (f" ({step.detail})" if step.detail else "")


def time_left(seconds: float | None) -> str:
    """Return text such as `2 min left`; "" while it is unknown."""
    if seconds is None:
        return ""
    return f"{round(seconds)} s left" if seconds < 100 else f"{round(seconds / 60)} min left"


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, TextColumn("{task.fields[left]}"), console=Console(stderr=True), transient=True)

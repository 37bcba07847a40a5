"""The pages' only waiting state: what is being done, how far, and the time left, above a skeleton of the figure.

Jobs can be cancelled and resumed; work for which the page itself waits cannot.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import streamlit as st
from streamlit.runtime.scriptrunner import add_script_run_ctx

from figures.style import html as style_html
from figures.style.numbers import count, percent
from ui.frame import errors, look
from ui.frame.wording import duration, plain
from ui.jobs.jobs import ArtifactView, Failure, ScoreView, jobs
from ui.jobs.queue import Job
from ui.session import state, visit

POLL = 0.8
REDRAW = 2.5
_REDRAWN = "_redrawn"
"""Set in the session if the page is rerun only to show new numbers: `style.css` then fades nothing that waits to be
redrawn.

If a study has many runs, the page is rerun so often that it would otherwise be faded until the last number.
"""
MOMENT = 0.3
"""Seconds that a page's own work may take before a message about it is shown."""


def show(
    view: ScoreView | ArtifactView,
    *names: str,
    height: int = 0,
    shape: style_html.Shape = "rows",
    in_parts: bool = True,
) -> None:
    """Show the job for missing numbers, if any.

    With `in_parts`, the page is rerun as results arrive, else when all exist. With a `height` in px, or with the
    `names` of its rows, a skeleton in the `shape` of a figure that needs all numbers takes the place of that figure.
    Failed metrics are listed, too, and can be retried. A job for which two parts of a page wait is shown once.
    """
    job, redrawn = view.job, bool(st.session_state.pop(_REDRAWN, False))
    if redrawn or job is not None:
        st.html(f'<i class="tl-slot{" tl-redrawn" * redrawn}"></i>')
    first = job is not None and visit.wait(job.key)
    if job is not None and job.stopped_for(state.session()):
        if first:
            _stopped(job)
    elif job is not None:
        if first:
            _watched(job, job.finished if in_parts else sys.maxsize, time.monotonic())
        if height or names:
            look.pending(*names, height=height, shape=shape)
    if isinstance(view, ScoreView) and view.failures:
        _failed(view.failures)


def redraw() -> None:
    """Run the page again without fading what it shows."""
    st.session_state[_REDRAWN] = True
    st.rerun()


@errors.fragment(run_every=POLL)
def _watched(job: Job, seen: int, drawn: float) -> None:
    """Show and poll a job. Not every new number reruns the page, because numbers arrive by the dozen."""
    now = time.monotonic()
    jobs().mark_viewed(job, state.session())
    if job.ended or (job.finished > seen and now - drawn > REDRAW):
        redraw()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.progress(job.step.share if job.step is not None else 0.0, text=plain(words(job)))
        cancelled = st.button(
            "Cancel",
            key=f"cancel_{_short(job)}",
            icon=":material/close:",
            help="What is finished stays; the rest can be resumed.",
            # Cancel in a callback: the rerun that may be due above would lose the click.
            on_click=errors.callback(jobs().cancel),
            args=(job, state.session()),
        )
    if cancelled:
        st.rerun()


@contextmanager
def during(doing: str, height: int = 0, shape: style_html.Shape = "rows") -> Iterator[None]:
    """Show what is being done, above a skeleton of this height in px, while a block takes longer than a moment.

    The message takes up space. A callback must use `st.spinner`, which takes none: what a callback shows appears
    above the page for only one run, and when the page moves up again in the next, panels that a person opened are
    folded.
    """
    place = st.empty()

    def draw() -> None:
        box = place.container()
        box.progress(0.0, text=plain(doing))
        if height:
            box.html(style_html.pending((), height, shape))

    timer = Timer(MOMENT, draw)
    add_script_run_ctx(timer)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        place.empty()


def _stopped(job: Job) -> None:
    failed = job.state in ("failed", "refused")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if job.state == "refused":
            st.warning(plain(f"Not started: {job.work.title}. {job.error}."))
        elif failed:
            st.error(plain(f"Stopped: {job.work.title}. {job.error}. What was finished is kept."))
        else:
            st.info(plain(f"Cancelled: {job.work.title}. What was finished is kept; Resume does the rest."))
        st.button(
            "Try again" if failed else "Resume",
            key=f"resume_{_short(job)}",
            icon=":material/play_arrow:",
            on_click=errors.callback(jobs().restart),
            args=(job, state.session()),
        )


def _failed(failures: tuple[Failure, ...]) -> None:
    first = failures[0]
    others = f", and {count(len(failures) - 1, 'other metric')}" if len(failures) > 1 else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.warning(plain(f"Not computed: {first.metric.label} ({first.error}){others}."))
        st.button(
            "Try again",
            key="retry_failed",
            icon=":material/refresh:",
            on_click=errors.callback(jobs().retry),
            args=(failures,),
        )


def words(job: Job) -> str:
    """Return the text of the progress bar, such as "Computing sentence embeddings: 19 %, 20 s left".

    It is "Starting" before the first step; a waiting job states for how many other jobs it waits.
    """
    step = job.step
    said = [percent(step.share)] if step is not None and step.share else []
    if job.state == "waiting":
        before = jobs().waiting_before(job)
        done = f", {said[0]} done" if said else ""
        return f"{job.work.waiting_text(job.phase)} for {count(before, 'other job')}{done}" if before else "Starting"
    if step is None:
        return "Starting"
    if step.seconds_left is not None:
        said.append(f"{duration(step.seconds_left)} left")
    begin = f"{step.doing}: {', '.join(said)}" if said else step.doing
    return begin + (f" ({step.detail})" if step.detail else "")


def _short(job: Job) -> str:
    """A short key that distinguishes the buttons of this job from those of another on the page."""
    return job.key.rpartition("/")[2][:12]

"""A job as a page shows it: how far it is, how fast, how long still; cancelled and resumed from here."""

from __future__ import annotations

import time

import streamlit as st

from figures.numbers import count
from figures.words import labels
from metrics.engine import Progress
from ui import state
from ui.jobs import Job, View, jobs
from ui.words import WORK, duration, plain

POLL = 0.8
REDRAW = 2.5


def show(view: View) -> None:
    """The job behind the numbers that are missing, if there is one; the page is run again as they arrive."""
    job = view.job
    if job is None:
        return
    if job.state_for(state.session()) in ("cancelled", "failed"):
        _stopped(job)
    else:
        _watched(job, job.finished, time.monotonic())


@st.fragment(run_every=POLL)
def _watched(job: Job, seen: int, drawn: float) -> None:
    """Polls the job. Not every finished number runs the page: they come by the dozen."""
    now = time.monotonic()
    if job.ended or (job.finished > seen and now - drawn > REDRAW):
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.progress(_fraction(job), text=plain(words(job, now)))
        cancelled = st.button(
            "Cancel", key=f"cancel_{job.key[:12]}", icon=":material/close:",
            help="What is finished stays; the rest can be resumed.",
        )  # fmt: skip
    if cancelled:
        jobs().cancel(job, state.session())
        st.rerun()


def _stopped(job: Job) -> None:
    names = labels(job.metrics)
    failed = job.state == "failed"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if failed:
            st.error(plain(f"Scoring stopped: {job.error}. Numbers that were finished are shown."))
        else:
            st.info(plain(f"Cancelled: {names}. What was finished is kept and shown."))
        st.button(
            "Try again" if failed else "Resume", key=f"resume_{job.key[:12]}", icon=":material/play_arrow:",
            on_click=jobs().restart, args=(job, state.session()),
        )  # fmt: skip


def words(job: Job, now: float) -> str:
    """Such as "sentence embeddings: 12 of 63 parts, 3.1 a second, 20 s left (embedding captions, 64 of 480)"."""
    step = job.progress
    if job.state == "waiting":
        before = jobs().waiting_before(job)
        what = "Permutation tests wait" if job.testing else "Waiting"
        return f"{what} for {count(before, 'other job')}" if before else "Starting"
    if step is None:
        return "Starting"
    rate = step.tasks_done / (now - job.since) if job.since is not None and now > job.since else 0.0
    doing = "Permutation tests of" if job.testing else "Computing"
    parts = [f"{doing} {WORK[step.work]}: {step.tasks_done:,} of {count(step.tasks, 'part')}"]
    if rate > 0:
        parts.append(f"{rate:.1f} a second" if rate >= 0.1 else f"{60 * rate:.1f} a minute")
    if step.seconds_left is not None:
        parts.append(f"{duration(step.seconds_left)} left")
    return ", ".join(parts) + (f" ({step.detail})" if step.detail else "")


def _fraction(job: Job) -> float:
    step: Progress | None = job.progress
    return step.fraction if step is not None else 0.0

"""Test the progress bar of a job on the page that waits for it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from ui.jobs import progress
from ui.jobs.queue import Step


def _page() -> None:
    from types import SimpleNamespace

    import streamlit as st

    from ui.jobs import progress

    finished = st.session_state.pop("finished", 0)
    job = SimpleNamespace(key="a/b", ended=False, finished=finished, step=None, state="running")
    progress._watched(job, 0, 0.0)  # type: ignore[arg-type]


def test_a_cancel_is_heard_although_new_numbers_run_the_page_at_that_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled: list[str] = []
    queue = SimpleNamespace(
        mark_viewed=lambda job, session: None, cancel=lambda job, session: cancelled.append(job.key)
    )
    monkeypatch.setattr(progress, "jobs", lambda: queue)
    at = AppTest.from_function(_page).run()
    assert not at.exception
    at.session_state["finished"] = 1
    next(button for button in at.button if button.label == "Cancel").click().run()
    assert not at.exception
    assert cancelled == ["a/b"]


def _board() -> None:
    from types import SimpleNamespace

    import streamlit as st

    from ui.jobs import progress
    from ui.session import visit

    visit.begin("leaderboard")
    job = SimpleNamespace(
        key="a/b",
        ended=False,
        finished=st.session_state.get("finished", 0),
        step=None,
        state="running",
        stopped_for=lambda session: False,
    )
    progress.show(SimpleNamespace(job=job))  # type: ignore[arg-type]
    st.session_state["finished"] = st.session_state.pop("arrive", 0)
    if st.session_state["finished"]:
        progress._watched(job, -1, 0.0)  # type: ignore[arg-type]
    st.button("choose")


def test_only_a_run_for_new_numbers_leaves_the_page_unfaded(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = SimpleNamespace(mark_viewed=lambda job, session: None, cancel=lambda job, session: None)
    monkeypatch.setattr(progress, "jobs", lambda: queue)

    def unfaded(at: AppTest) -> list[bool]:
        assert not at.exception
        return ["tl-redrawn" in one.proto.body for one in at.get("html")]

    at = AppTest.from_function(_board).run()
    assert unfaded(at) == [False]
    at.session_state["arrive"] = 1
    assert unfaded(at.run()) == [True], "new numbers have arrived"
    assert unfaded(at.run()) == [False], "a run that a person began fades what it has not reached"


def test_the_bar_and_the_words_say_the_same_share_and_one_time_left() -> None:
    """If a resumed job counted only the parts that are left, its words would contradict the half-full bar."""
    job = SimpleNamespace(state="running", step=Step("Computing METEOR", 0.5, "", 20.0))
    assert progress.words(job) == "Computing METEOR: 50 %, 20 s left"  # type: ignore[arg-type]


def _two_parts() -> None:
    from types import SimpleNamespace

    from ui.jobs import progress
    from ui.session import visit

    visit.begin("coherence")
    job = SimpleNamespace(
        key="a/b", ended=False, finished=0, step=None, state="running", stopped_for=lambda session: False
    )
    for _ in range(2):
        progress.show(SimpleNamespace(job=job))  # type: ignore[arg-type]


def test_a_job_that_two_parts_of_a_page_wait_for_has_one_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = SimpleNamespace(mark_viewed=lambda job, session: None, cancel=lambda job, session: None)
    monkeypatch.setattr(progress, "jobs", lambda: queue)
    at = AppTest.from_function(_two_parts).run()
    for again in (at, at.run()):
        assert not again.exception
        assert [button.label for button in again.button] == ["Cancel"]

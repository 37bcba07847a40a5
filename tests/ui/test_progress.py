"""The progress bar of a job on its page."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from ui.jobs import progress


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

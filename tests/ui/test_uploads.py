"""Test that uploaded files are limited, and leave the server's memory if they are refused or their study or session
ends.
"""

from __future__ import annotations

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from tests.ui.test_refusals import STUDY, dropped
from ui.session.uploads import Received
from ui.views import upload


@pytest.fixture
def given_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(MemoryUploadedFileManager, "remove_session_files", lambda self, session: found.append(session))
    received = Received(lambda session: True)
    monkeypatch.setattr(upload, "received", lambda: received)
    return found


def test_files_are_bounded_over_all_sessions() -> None:
    gone: list[str] = []
    sent = Received(lambda session: True, in_all=10)
    assert sent.record("a", 6, lambda: gone.append("a"))
    assert not sent.record("b", 5, lambda: gone.append("b"))
    sent.release("b")
    assert sent.record("a", 10, lambda: gone.append("a")), "the same session again: what it holds now counts once"
    sent.release("a")
    sent.release("a")
    assert gone == ["b", "a"]


def test_files_leave_with_who_left_but_not_while_they_can_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []
    clock = [0.0]
    monkeypatch.setattr("ui.session.uploads.time.monotonic", lambda: clock[0])
    there = {"stays", "leaves"}
    sent = Received(there.__contains__, gone=180)
    for session in ("stays", "leaves"):
        sent.record(session, 1, lambda session=session: gone.append(session))
    clock[0] = 1_000.0
    sent.sweep()
    there.remove("leaves")
    for clock[0] in (1_100.0, 1_170.0):
        sent.sweep()
        assert gone == []
    clock[0] = 1_190.0
    sent.sweep()
    assert gone == ["leaves"]


def test_closing_a_study_gives_up_its_files(given_up: list[str]) -> None:
    at = dropped(("mine.json", STUDY))
    assert given_up == []
    at.button(key="close_study").click().run()
    at.button(key="close_yes").click().run()
    assert not at.exception
    assert len(given_up) == 1
    again = at.get("file_uploader")[0].set_value([("mine.json", STUDY, "application/json")]).run()
    assert "study" in dict(again.query_params)


def test_files_that_are_refused_are_given_up(given_up: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "TOGETHER", 1 << 10)
    at = dropped(("a.json", b" " * 2_000))
    assert len(given_up) == 1
    assert any("more than 0 MB" in error.value for error in at.error)


def test_files_that_others_leave_no_room_for_are_refused(given_up: list[str]) -> None:
    upload.received().record("somebody", 3 << 30, lambda: None)
    at = dropped(("mine.json", STUDY))
    assert len(given_up) == 1
    assert any("studies that others have open fill this server's memory" in error.value for error in at.error)
    assert "study" not in dict(at.query_params)

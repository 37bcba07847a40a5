"""Test that people see a sentence if a page, fragment or callback fails, and that the log has the traceback."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.studies import study as random_study
from tests.ui.shown import ROOT, page
from ui.frame import errors, look
from ui.jobs import progress
from ui.session import address, state
from ui.views import upload
from ui.widgets import bundle_notice, thumbnails

SECRET = "a secret of the server"
SENTENCE = "Something went wrong on this page. The reason is in the log of the server."
FAILED = look.failed
"""The function that shows the sentence; other tests of pages replace it by one that raises the error."""


@pytest.fixture(autouse=True)
def errors_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.frame.look.failed", FAILED)


def broken(*given: object, **named: object) -> None:
    raise RuntimeError(SECRET)


def says_so(at: AppTest, log: pytest.LogCaptureFixture, times: int = 1) -> None:
    assert not at.exception
    assert [error.value.startswith(SENTENCE) for error in at.error] == [True] * times
    texts = [element.value for kind in (at.error, at.markdown, at.caption, at.warning) for element in kind]
    assert not any(SECRET in text or "Traceback" in text for text in texts)
    assert SECRET in log.text
    assert "Traceback" in log.text
    log.clear()


@pytest.mark.parametrize("where", [(state, "study_card"), (bundle_notice, "notice"), (address, "enter")])
def test_an_error_of_the_frame(
    where: tuple[object, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(*where, broken)
    says_so(AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run(), caplog)


def fragment_of_progress() -> None:
    from ui.jobs import progress

    progress._watched(None, 0, 0.0)


def fragment_of_thumbnails() -> None:
    from ui.widgets import thumbnails

    thumbnails.follow(None, "chart")


def fragment_of_export() -> None:
    from ui.frame import save_figure

    save_figure.save(None, "chart", name="", title="", alt="", footer="")


@pytest.mark.parametrize("part", [fragment_of_progress, fragment_of_thumbnails, fragment_of_export])
def test_an_error_of_a_fragment(
    part: Callable[[], None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(progress, "jobs", broken)
    monkeypatch.setattr(thumbnails, "_place", broken)
    monkeypatch.setattr(st, "popover", broken)
    at = AppTest.from_function(part, default_timeout=60).run()
    says_so(at, caplog)


def test_an_error_of_a_fragment_leaves_the_page(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("ui.jobs.progress.jobs", broken)
    at = page("leaderboard", random_study(items=3), quality="bleu_4", distribution="", diversity="")
    says_so(at, caplog)
    assert at.selectbox, "what is not of the fragment is there"


def test_an_error_of_an_upload(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(upload, "load_study", broken)
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/dataset.py").run()
    at.file_uploader(key="upload").set_value([("a.json", b"{}", "application/json")])
    says_so(at.run(), caplog)
    assert at.get("file_uploader"), "the page is there"
    at.run()
    assert not at.error, "it is said once"


def test_an_error_of_a_callback_with_arguments(caplog: pytest.LogCaptureFixture) -> None:
    errors.callback(partial(broken, "a click"))()
    assert SECRET in caplog.text


def test_no_fragment_but_those_whose_errors_are_a_sentence() -> None:
    """For an error, `st.fragment` shows a text of Streamlit's, which says neither the reason nor what to do."""
    for path in [*Path(ROOT, "ui").rglob("*.py"), *Path(ROOT, "pages").glob("*.py")]:
        names = [ast.unparse(node) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)]
        assert "st.fragment" not in names or path.name == "errors.py", path.name

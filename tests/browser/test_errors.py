"""Test that a page that fails says so in plain words, and that nothing internal to the server reaches the browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.conftest import ROOT, Server, Visit, start_server, stop_server

pytestmark = pytest.mark.browser
BROKEN = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
from importlib import import_module

def broken(*given, **named):
    raise RuntimeError("a secret of the server")

for module, name in {parts!r}:
    setattr(import_module(module), name, broken)
from ui import shell
shell.start()
"""


PAGE, FRAME = ("ui.views.overview", "headline"), ("ui.frame.browser", "follow_theme")
PART = ("ui.frame.export", "for_paper")


@contextmanager
def broken(folder: Path, *parts: tuple[str, str]) -> Iterator[Server]:
    app = folder / "broken.py"
    app.write_text(BROKEN.format(root=str(ROOT), parts=parts))
    running = start_server(folder, app)
    yield running
    stop_server(running)


def is_a_sentence(broken: Server, visit: Visit) -> None:
    page = visit(broken).page
    box = page.wait_for_selector('[role="alert"], [data-testid="stException"]')
    source = page.content()
    for secret in ("a secret of the server", "Traceback", "RuntimeError", str(ROOT), "shell.py"):
        assert secret not in source, secret
    assert "a secret of the server" in broken.log()
    assert "Something went wrong on this page. The reason is in the log of the server." in box.inner_text()


def leaves_the_page(broken: Server, visit: Visit) -> None:
    page = visit(broken, "sweeps").page
    page.get_by_role("button", name="Save").first.click()
    box = page.wait_for_selector('[role="alert"]')
    assert "Something went wrong on this page. The reason is in the log of the server." in box.inner_text()
    assert "a secret of the server" not in page.content()
    assert "a secret of the server" in broken.log()
    assert page.query_selector(".js-plotly-plot")


def test_an_error_of_the_frame_is_a_sentence(visit: Visit, tmp_path: Path) -> None:
    with broken(tmp_path, FRAME) as server:
        is_a_sentence(server, visit)


def test_an_error_of_a_page_is_a_sentence_and_one_of_a_part_leaves_the_page(visit: Visit, tmp_path: Path) -> None:
    with broken(tmp_path, PAGE, PART) as server:
        is_a_sentence(server, visit)
        leaves_the_page(server, visit)

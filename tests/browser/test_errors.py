"""A page that fails says so in plain words; nothing internal to the server reaches the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import ROOT, Server, Visit, start_server, stop_server

pytestmark = pytest.mark.browser
BROKEN = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
import ui.{module} as module

def broken(*given, **named):
    raise RuntimeError("a secret of the server")

module.{name} = broken
from ui import shell
shell.start()
"""


@pytest.fixture(params=[("views.overview", "headline"), ("frame.theme", "follow")], ids=["on the page", "in the frame"])
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server whose first page ends in an error."""
    module, name = request.param
    app = tmp_path / "broken.py"
    app.write_text(BROKEN.format(root=str(ROOT), module=module, name=name))
    running = start_server(tmp_path, app)
    yield running
    stop_server(running)


def test_an_error_is_a_sentence(broken: Server, visit: Visit) -> None:
    page = visit(broken).page
    box = page.wait_for_selector('[role="alert"], [data-testid="stException"]')
    source = page.content()
    for secret in ("a secret of the server", "Traceback", "RuntimeError", str(ROOT), "shell.py"):
        assert secret not in source, secret
    assert "a secret of the server" in broken.log()
    assert "Something went wrong on this page. The reason is in the log of the server." in box.inner_text()


@pytest.mark.parametrize("broken", [("frame.export", "for_paper")], indirect=True, ids=["in a part that runs alone"])
def test_an_error_of_a_part_is_a_sentence_and_the_page_stays(broken: Server, visit: Visit) -> None:
    page = visit(broken, "sweeps").page
    page.get_by_role("button", name="Save").first.click()
    box = page.wait_for_selector('[role="alert"]')
    assert "Something went wrong on this page. The reason is in the log of the server." in box.inner_text()
    assert "a secret of the server" not in page.content()
    assert "a secret of the server" in broken.log()
    assert page.query_selector(".js-plotly-plot")

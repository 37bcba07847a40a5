"""A page that ends in an error says so in plain words; nothing of the server reaches the browser."""

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
from ui import {module} as module

def broken(*given, **named):
    raise RuntimeError("a secret of the server")

module.{name} = broken
from ui import shell
shell.start()
"""


@pytest.fixture(params=[("workspace", "opening"), ("theme", "follow")], ids=["on the page", "in the frame"])
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server whose first page ends in an error."""
    module, name = request.param
    app = tmp_path / "broken.py"
    app.write_text(BROKEN.format(root=str(ROOT), module=module, name=name))
    running = start_server(tmp_path, app)
    yield running
    stop_server(running)


def test_an_error_is_a_sentence(broken: Server, visit: Visit, request: pytest.FixtureRequest) -> None:
    page = visit(broken).page
    box = page.wait_for_selector('[role="alert"], [data-testid="stException"]')
    shown, source = page.inner_text("body"), page.content()
    for secret in ("a secret of the server", "Traceback", "RuntimeError", str(ROOT), "shell.py"):
        assert secret not in source, secret
    assert "a secret of the server" in broken.log()
    if "on the page" in request.node.name:
        assert "Something went wrong on this page. The reason is in the log of the server." in box.inner_text()
    else:
        assert "encountered an error" in shown

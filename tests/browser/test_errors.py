"""Test that a failing page says so in plain words, and that nothing internal to the server reaches the browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.conftest import ROOT, Server, Visit, start_server, stop_server

pytestmark = pytest.mark.browser
APP = """
import inspect, sys
from functools import wraps
from importlib import import_module
from pathlib import Path
sys.path.insert(0, {root!r})

def breakable(name, works):
    @wraps(works)
    def part(*given, **named):
        if name in Path({broken!r}).read_text().split():
            raise RuntimeError("a secret of the server")
        return works(*given, **named)

    return part

for module, name in {parts!r}:
    owner = import_module(module)
    setattr(owner, name, breakable(name, inspect.unwrap(getattr(owner, name))))
from ui import shell
shell.start()
"""


PAGE, FRAME = ("ui.views.overview", "headline"), ("ui.frame.browser", "follow_theme")
PART = ("ui.frame.save_figure", "for_paper")


@contextmanager
def breakable(folder: Path) -> Iterator[tuple[Server, Path]]:
    """Start the app with parts that fail once they are named in a file; return the server and the file."""
    app, broken = folder / "app.py", folder / "broken"
    broken.touch()
    app.write_text(APP.format(root=str(ROOT), broken=str(broken), parts=(PAGE, FRAME, PART)))
    running = start_server(folder, app)
    yield running, broken
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


def test_an_error_of_a_page_or_its_frame_is_a_sentence_and_one_of_a_part_leaves_the_page(
    visit: Visit, tmp_path: Path
) -> None:
    with breakable(tmp_path) as (server, broken):
        for name in (FRAME[1], PAGE[1]):
            server.logfile.write_bytes(b"")
            broken.write_text(name)
            is_a_sentence(server, visit)
        server.logfile.write_bytes(b"")
        broken.write_text(PART[1])
        leaves_the_page(server, visit)

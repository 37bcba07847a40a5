"""Test runs that differ only in their seed: one row per setting, a switch to one row per run, and a comparison of
settings.
"""

from __future__ import annotations

from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError as Late

from data.convert import to_jsonl_bytes
from tests.browser.conftest import Server, Visit, Watched
from tests.studies import study as random_study

pytestmark = pytest.mark.browser
METRICS = "quality=rouge_l&diversity=distinct_1&distribution="
ROWS = ".tl-board tr.run"


def test_runs_are_grouped_by_hand_and_back(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    page = watched.page
    given = {"name": "plain.jsonl", "mimeType": "application/json", "buffer": to_jsonl_bytes(random_study(runs=3))}
    page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    page.wait_for_url("**study=**")
    watched.idle()
    page.locator("summary", has_text="Settings and seeds").click()
    title = page.locator(".tl-figtitle, h4, b", has_text="with several seeds").first
    assert title.inner_text().startswith("0 settings")
    for row in (1, 2):
        _write(watched, row, "mine")
    page.locator(".st-key-seeds_apply button").click()
    page.wait_for_selector(".st-key-seeds_undo button")
    watched.idle()
    assert title.inner_text().startswith("1 setting ")
    page.locator(".st-key-seeds_undo button").click()
    page.wait_for_selector(".st-key-seeds_undo", state="detached")
    watched.idle()
    assert title.inner_text().startswith("0 settings")
    watched.check()


def _write(watched: Watched, row: int, setting: str) -> None:
    """Type the setting of a row into the table, which is a canvas, and wait until the app has received it."""
    page = watched.page
    # Waits until the open panel stands still, which a click at coordinates of the page does not.
    grid = page.locator('[data-testid="stExpander"]', has_text="Settings and seeds").locator(".dvn-scroller").first
    width = grid.bounding_box()["width"]
    editor = page.locator("#portal textarea:focus, #portal input:focus")
    for _ in range(4):  # While a table is drawn again, it takes no click; if it never takes one, this fails below.
        grid.dblclick(position={"x": 0.75 * width, "y": 32 * (row + 0.5)})
        with suppress(Late):
            editor.wait_for(timeout=8_000)  # the editor of the cell opens a little later
            break
    editor.wait_for()
    page.keyboard.press("Control+A")
    page.keyboard.type(setting, delay=50)
    page.wait_for_timeout(500)  # the editor of a cell takes over what is typed a moment later than it shows it
    page.keyboard.press("Enter")
    watched.idle()
    cell = f'[data-testid="glide-cell-1-{row - 1}"]:has-text("{setting}")'
    page.wait_for_selector(cell, state="attached")
    page.wait_for_selector(".st-key-seeds_apply button")
    watched.idle()

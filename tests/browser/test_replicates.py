"""Test runs that differ only in their seed: rows of settings, a control for one row per run, two settings compared."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import TimeoutError as Late

from data.convert import to_jsonl_bytes
from tests.analysis.replicates.studies import split
from tests.browser.conftest import Server, Visit, Watched
from tests.studies import study as random_study

pytestmark = pytest.mark.browser
METRICS = "quality=rouge_l&diversity=distinct_1&distribution="
ROWS = ".tl-board tr.run"


def test_settings_are_shown_split_and_compared(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    page = watched.page
    study = split(random_study(items=12, candidates=6, runs=3), 3)
    given = {"name": "seeds.jsonl", "mimeType": "application/json", "buffer": to_jsonl_bytes(study)}
    page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    page.wait_for_url("**study=**")
    watched.idle()
    assert page.locator("summary", has_text="Settings and seeds").count() == 1
    token = parse_qs(urlsplit(page.url).query)["study"][0]
    page.goto(f"{server.url}/leaderboard?{METRICS}&rank=rouge_l&study={token}")
    page.wait_for_selector(".tl-board .sd", state="attached", timeout=180_000)
    watched.idle()
    assert page.locator(ROWS).count() == 3
    assert page.locator(f"{ROWS} .by .sd").count() == 9
    assert "(3 seeds) has the highest ROUGE-L" in page.inner_text(".tl-verdict p")
    page.click(".st-key-options_panel button")
    page.locator(".st-key-seeds_segments button", has_text="Run").click()
    page.wait_for_url("**seeds=runs**")
    watched.idle()
    assert page.locator(ROWS).count() == 9
    page.goto(f"{server.url}/paired?{METRICS}&study={token}")
    page.wait_for_selector(".st-key-tl-wide-metrics .js-plotly-plot", timeout=180_000)
    watched.idle()
    assert "seeds" in page.inner_text(".tl-verdict p")
    view = page.locator(".st-key-compare_segments").get_by_role("radio", name="Two settings")
    assert view.get_attribute("aria-checked") == "true"
    watched.check()


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
    """Type the setting of a row into the table, which is drawn on a canvas, and wait until the app has received it."""
    page = watched.page
    # Waits until the open panel stands still, which a click at coordinates of the page does not.
    grid = page.locator('[data-testid="stExpander"]', has_text="Settings and seeds").locator(".dvn-scroller").first
    width = grid.bounding_box()["width"]
    editor = page.locator("#portal textarea:focus, #portal input:focus")
    for _ in range(4):  # A table that is being drawn again takes no click; one that never does fails below.
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

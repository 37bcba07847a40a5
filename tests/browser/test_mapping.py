"""Test how a person assigns roles to the unknown fields of a file on the Data page."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
ROW = 33
"""Height of a row of the table, in pixels."""
ROWS = [{"a": str(k), "b": f"a dog number {k}", "c": ["one dog", "a brown dog"], "d": "x"} for k in (1, 2, 3)]


def drop(watched: Watched, name: str) -> None:
    content = "\n".join(map(json.dumps, ROWS)).encode()
    file = {"name": name, "mimeType": "application/json", "buffer": content}
    watched.page.set_input_files('[data-testid="stFileUploader"] input[type=file]', [file])


def choose(watched: Watched, row: int, role: str) -> None:
    page = watched.page
    table = page.locator('[data-testid="stDataFrame"]').first
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    assert box is not None
    cell = table.locator(f'[data-testid="glide-cell-1-{row}"]')
    for _ in range(5):  # a grid that is just being drawn anew takes no keys
        page.mouse.click(box["x"] + 30, box["y"] + ROW * (row + 1.5))
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.keyboard.type(role)
        page.keyboard.press("Enter")
        watched.idle()
        if cell.text_content() == role:
            return
    raise AssertionError(f"row {row} of the table has the role {cell.text_content()!r}")


def test_unknown_fields_are_asked_for_and_remembered(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    drop(watched, "odd.jsonl")
    page = watched.page
    page.get_by_text("Which field is what in odd.jsonl").wait_for()
    watched.idle()
    # The roles that the message proposes are filled in, and nothing is read before a person says so.
    read = page.get_by_role("button", name="Read the file like this")
    cells = page.locator('[data-testid="stDataFrame"]').first.locator('[data-testid^="glide-cell-1-"]')
    expect(cells).to_have_text(["id", "candidates", "not used", "not used"])
    page.get_by_text("The first record: item 1 with 1 candidate.").wait_for()
    page.get_by_text("--map id=a,candidates=b").first.wait_for(state="attached")
    assert read.is_enabled()
    assert page.locator('.tl-verdict:has-text("3 items")').count() == 0
    choose(watched, 1, "metadata")
    page.get_by_text("Say which field holds the candidates, the references or the ratings.").wait_for()
    assert read.is_disabled()
    for row, role in ((1, "candidates"), (2, "references")):
        choose(watched, row, role)
    page.get_by_text("The first record: item 1 with 1 candidate and 2 references.").wait_for()
    choose(watched, 3, "candidates")
    page.get_by_text("The first record: item 1 with 2 candidates of runs b and d and 2 references.").wait_for()
    choose(watched, 3, "not used")
    read.click()
    page.wait_for_selector('.tl-verdict:has-text("3 items")')
    watched.idle()
    # Another file with these fields is read in the same way, until the roles are taken back.
    drop(watched, "next.jsonl")
    page.get_by_text("Which field is what in next.jsonl").click()
    watched.idle()
    assert page.get_by_text("What was open before is still open").count() == 0
    page.get_by_role("button", name="Undo the roles").filter(visible=True).click()
    page.get_by_text("What was open before is still open").wait_for()
    watched.idle()
    assert page.get_by_role("button", name="Undo the roles").count() == 0
    watched.check()

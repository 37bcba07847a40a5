"""Test document frequencies as a person provides them: dropped on the Data page, shown on pages, saved, and reset."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics.distances import document_frequencies
from tests.browser.conftest import Server, Visit, Watched
from tests.studies import study

pytestmark = pytest.mark.browser
FOUND = document_frequencies.count_frequencies(study(items=30, runs=0, seed=3), "ptb")
SIGNED = f"idf:{FOUND.digest[:12]}"
PANEL = '.st-key-idf_panel [data-testid="stPopoverButton"]'


def give(watched: Watched, name: str, content: bytes) -> None:
    page = watched.page
    if not page.locator('[data-testid="stPopoverBody"]').count():
        page.locator(PANEL).click()
    place = page.locator('[data-testid="stPopoverBody"] input[type=file]')
    place.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})
    watched.idle()


def test_frequencies_are_given_seen_saved_and_taken_back(server: Server, visit: Visit, tmp_path: Path) -> None:
    """The test uses the width of a phone, which has the least room."""
    watched = visit(server, "dataset", theme="dark", width=390)
    page = watched.page
    assert "CIDEr-D: this study" in page.locator(PANEL).inner_text()
    give(watched, "coco-val-df.p", b"\x80\x04}")
    page.wait_for_selector('[data-testid="stPopoverBody"] :text("a pickle can run any program")')
    watched.shot("frequencies_refused")
    give(watched, "coco_val.npz", document_frequencies.to_npz(FOUND, "ptb"))
    page.wait_for_selector(f'{PANEL}:has-text("coco_val.npz")')
    watched.idle()
    body = page.locator('[data-testid="stPopoverBody"]')
    assert "of 30 images" in body.inner_text()
    assert "pickle" not in body.inner_text()
    assert body.evaluate("e => e.getBoundingClientRect().right") <= 390
    watched.shot("frequencies")
    page.locator(PANEL).scroll_into_view_if_needed()
    with page.expect_download() as taken:
        body.get_by_role("button", name="Save as idf.npz").click()
    taken.value.save_as(tmp_path / "idf.npz")
    assert document_frequencies.read(tmp_path / "idf.npz") == FOUND
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Command line").click()
    assert "--idf idf.npz" in page.inner_text('[data-testid="stCode"]')
    page.keyboard.press("Escape")
    board = visit(server, f"leaderboard?{page.url.partition('?')[2]}", theme="dark", width=390)
    board.page.wait_for_selector(f'.tl-board th[title*="{SIGNED}"]')
    assert "idf:study" not in board.page.inner_text(".tl-foot")
    board.shot("frequencies_board")
    board.check()
    page.locator(PANEL).click()
    page.get_by_role("button", name="Use this study's captions").click()
    page.wait_for_selector(f'{PANEL}:has-text("CIDEr-D: this study")')
    watched.idle()
    assert "study=" in page.url, "others may have this link: it shows what was taken back"
    watched.check()

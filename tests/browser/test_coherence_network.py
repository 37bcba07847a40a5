"""Test the panel of Coherence as a person uses it: drop ratings, train on them, and see the matrix of labels."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from data.convert import to_jsonl_bytes, write_jsonl
from tests.browser.conftest import Server, Visit
from tests.learned.test_cosmic_metric import labelled

pytestmark = pytest.mark.browser
PANEL = '.st-key-network_panel [data-testid="stPopoverButton"]'
BODY = '[data-testid="stPopoverBody"]'
SCORES, MATRIX = (f".st-key-tl-wide-{name} .js-plotly-plot" for name in ("metrics", "asserted"))
CELLS = "panel => document.querySelector(panel)?.data?.flatMap(t => t.customdata ?? []).map(of => of.join(' '))"


@pytest.mark.timeout(600)
def test_ratings_are_dropped_trained_on_and_every_label_is_asserted(
    server: Server, visit: Visit, tmp_path: Path
) -> None:
    given = tmp_path / "labelled.jsonl"
    write_jsonl(labelled(12, rated=False), given)
    watched = visit(server, "dataset")
    page = watched.page
    page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    page.wait_for_url("**study=**")
    (token,) = parse_qs(urlsplit(page.url).query)["study"]
    watched.open(f"coherence?study={token}")
    page.locator(PANEL).click()
    place = page.locator(f"{BODY} input[type=file]")
    place.set_input_files({"name": "broken.safetensors", "mimeType": "application/octet-stream", "buffer": b"\x10"})
    page.wait_for_selector(f"{BODY} :text('not a network of COSMic')")
    watched.idle()
    ratings = {"name": "ours.jsonl", "mimeType": "application/json", "buffer": to_jsonl_bytes(labelled(60))}
    page.locator(f"{BODY} input[type=file]").set_input_files(ratings)
    page.wait_for_selector(".st-key-network_train button")
    page.locator(".st-key-network_train button").click()
    page.keyboard.press("Escape")
    page.wait_for_selector("text=COSMic learned from ours.jsonl: tau-b", timeout=400_000)
    page.wait_for_function("panel => document.querySelector(panel)?.data?.length > 0", arg=MATRIX)
    watched.idle()
    assert "COSMic" in page.inner_text(".tl-verdict")
    cells = page.evaluate(CELLS, MATRIX)
    assert {f"{run} {label}" for run in ("plain", "tale") for label in ("Visible", "Story", "Meta")} <= set(cells)
    assert page.locator(SCORES).count() == 1
    again = visit(server, page.url.removeprefix(server.url))
    again.page.wait_for_function("panel => document.querySelector(panel)?.data?.length > 0", arg=MATRIX)
    assert again.page.evaluate(CELLS, MATRIX) == cells
    page.locator(PANEL).click()
    page.locator(".st-key-network_undo button").click()
    page.wait_for_selector(MATRIX, state="detached")
    watched.check()
    again.check()

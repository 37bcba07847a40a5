"""Test the panel of Coherence as a person uses it: drop a file that is not a network, and ratings to train on."""

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


def test_a_file_is_refused_and_ratings_can_be_trained_on(server: Server, visit: Visit, tmp_path: Path) -> None:
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
    assert page.locator(f"{BODY} :text('not a network of COSMic')").count() == 0
    watched.check()

"""Test Critique as a person uses it: begin the training, read the scores, open the words, open the link again."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from data.convert import write_jsonl
from tests.browser.conftest import Server, Visit
from tests.studies import study as random_study

pytestmark = pytest.mark.browser
VIEW = "critique?context=none&network=linear"
PANEL = ".st-key-tl-wide-critique .js-plotly-plot"


def test_critiques_are_trained_on_request_and_their_link_shows_them(
    server: Server, visit: Visit, tmp_path: Path
) -> None:
    given = tmp_path / "voices.jsonl"
    write_jsonl(random_study(items=24, references=2, candidates=1, runs=2), given)
    watched = visit(server, "dataset")
    page = watched.page
    page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    page.wait_for_url("**study=**")
    (token,) = parse_qs(urlsplit(page.url).query)["study"]
    watched.open(f"{VIEW}&study={token}")
    page.wait_for_selector(".st-key-train_critiques button")
    assert not page.locator(".tl-verdict").count()
    page.locator(".st-key-train_critiques button").click()
    page.wait_for_function("panel => document.querySelector(panel)?.data?.length >= 16", arg=PANEL, timeout=180_000)
    said = watched.idle().page.inner_text(".tl-verdict p")
    assert len(said.split()) <= 35
    assert "people" in said
    page.get_by_role("tab", name="Words").click()
    page.wait_for_selector("text=Words of people and of")
    page.wait_for_url("**detail=words**")
    again = visit(server, page.url.removeprefix(server.url))
    again.page.wait_for_selector("text=Words of people and of")
    assert again.idle().page.inner_text(".tl-verdict p") == said
    again.page.locator(".st-key-critique_swap button").first.click()
    again.page.wait_for_selector("[data-testid=stDataFrame]")
    watched.check()
    again.check()

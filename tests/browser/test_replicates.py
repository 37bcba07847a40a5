"""Runs that differ in a seed alone: rows of settings, one row a run by a control, two settings compared."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from data.convert import to_jsonl_bytes
from tests.analysis.replicates.studies import split
from tests.browser.conftest import Server, Visit
from tests.studies import study as random_study

pytestmark = pytest.mark.browser
METRICS = "quality=rouge_l&diversity=distinct_1&distribution="
ROWS = ".tl-board tr.run"


def test_settings_are_shown_split_and_compared(server: Server, visit: Visit) -> None:
    watched = visit(server, "workspace")
    page = watched.page
    study = split(random_study(items=12, candidates=6, runs=3), 3)
    given = {"name": "seeds.jsonl", "mimeType": "application/json", "buffer": to_jsonl_bytes(study)}
    page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    page.wait_for_url("**study=**", timeout=60_000)
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
    assert page.locator("[role=tab]", has_text="Two settings").get_attribute("aria-selected") == "true"
    watched.check()

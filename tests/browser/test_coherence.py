"""Test Coherence as a person uses it: the demo's labels, another metric, and a copied link that opens the same view."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, Visit

pytestmark = pytest.mark.browser
PANEL = ".st-key-coherence_wide .js-plotly-plot"
LABELS = "panel => document.querySelector(panel)?.data?.filter(t => t.customdata).map(t => t.customdata[0])"


def test_labels_of_the_demo_are_scored_and_a_link_opens_the_same_view(server: Server, visit: Visit) -> None:
    watched = visit(server, "coherence?run=Oracle+T%3D1.0")
    page = watched.page
    page.wait_for_function("panel => document.querySelector(panel)?.data?.length > 4", arg=PANEL, timeout=180_000)
    watched.idle()
    assert set(page.evaluate(LABELS, PANEL)) == {"Visible", "Meta", "Subjective", "Story"}
    said = page.inner_text(".tl-verdict")
    assert "Visible captions of Oracle" in said
    assert len(said.split()) <= 35
    query = parse_qs(urlsplit(page.url).query)
    assert query == {"run": ["Oracle T=1.0"]}, "the rest are defaults"
    other = visit(server, f"coherence?{urlsplit(page.url).query}")
    other.page.wait_for_function("panel => document.querySelector(panel)?.data?.length > 4", arg=PANEL, timeout=180_000)
    assert other.page.inner_text(".tl-verdict") == said
    watched.check()
    other.check()

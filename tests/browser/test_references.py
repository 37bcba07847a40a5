"""Test References as a person uses it: wait for the job, click a metric, see its numbers, and open the link again."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
VIEW = "references?compared=cider_d&compared=rouge_l&part=items"
PANEL = ".st-key-references_0 .js-plotly-plot"
# Where a point of a metric's line is in the window.
PLACE = """([panel, name, k]) => {
  const graph = document.querySelector(panel), layout = graph._fullLayout, box = graph.getBoundingClientRect();
  const trace = graph.data.find(t => t.name === name);
  const at = (axis, value) => axis._offset + axis.d2p(value);
  return [box.x + at(layout.xaxis, trace.x[k]), box.y + at(layout.yaxis, trace.y[k])];
}"""


def drawn(watched: Watched) -> str:
    watched.page.wait_for_function(
        "panel => document.querySelector(panel)?.data?.some(t => t.name === 'ROUGE-L')", arg=PANEL, timeout=180_000
    )
    watched.page.wait_for_selector(".tl-caps")
    return str(watched.idle().page.inner_text(".tl-verdict p"))


def test_a_click_on_a_metric_changes_the_view(server: Server, visit: Visit) -> None:
    watched = visit(server, VIEW)
    page = watched.page
    first = drawn(watched)
    whom = r"the (runs|\d+ significant pairs)"
    steady = rf"By CIDEr-D, \w+ references? ranks? {whom} (almost )?as (another does|\w+ others do)\. Buy "
    assert re.match(steady, first)
    assert first.endswith("beat 4 with ten.")
    assert len(first.split()) <= 35
    page.locator(PANEL).scroll_into_view_if_needed()
    x, y = page.evaluate(PLACE, [PANEL, "ROUGE-L", 0])
    page.mouse.move(x - 3, y - 2)
    page.mouse.move(x, y)
    page.wait_for_selector(".hoverlayer .hovertext")
    page.mouse.click(x, y)
    page.wait_for_url("**scored_by=rouge_l**")
    page.wait_for_selector(".tl-caps b:has-text('ROUGE-L')")
    drawn(watched)
    assert parse_qs(urlsplit(page.url).query)["compared"] == ["rouge_l", "cider_d"]
    page.locator(".st-key-references_curves_swap button").first.click()
    page.wait_for_selector("[data-testid=stDataFrame]")
    watched.check()

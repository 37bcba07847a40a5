"""Test Sensitivity as a person uses it: wait for both jobs, click a metric, read its gain, open the link again."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
VIEW = "sensitivity?set_metrics=trm_rouge_l&set_metrics=rouge_l&set_items=100&by_power=rouge_l"
PANEL = ".st-key-tl-wide-sets .js-plotly-plot"
# Where a point of a metric's line is in the window.
PLACE = """([panel, name]) => {
  const graph = document.querySelector(panel), layout = graph._fullLayout, box = graph.getBoundingClientRect();
  const trace = graph.data.find(t => (t.customdata || []).flat().includes(name) && t.x.length > 2);
  const k = trace.x.length - 1, at = (axis, value) => axis._offset + axis.d2p(value);
  return [box.x + at(layout.xaxis, trace.x[k]), box.y + at(layout.yaxis, trace.y[k])];
}"""


def drawn(watched: Watched) -> str:
    page = watched.page
    page.wait_for_function("panel => document.querySelector(panel)?.data?.length > 2", arg=PANEL, timeout=240_000)
    page.wait_for_selector(".st-key-tl-wide-power .js-plotly-plot", timeout=240_000)
    page.wait_for_selector(".tl-verdict")
    return str(watched.idle().page.inner_text(".tl-verdict p"))


def test_a_click_on_a_metric_shows_its_gain(server: Server, visit: Visit) -> None:
    watched = visit(server, VIEW)
    page = watched.page
    said = drawn(watched)
    assert " images" in said
    assert len(said.split()) <= 35
    page.wait_for_selector("text=/^Sensitivity of ROUGE-L:/")
    page.locator(PANEL).scroll_into_view_if_needed()
    x, y = page.evaluate(PLACE, [PANEL, "trm_rouge_l"])
    page.mouse.move(x - 3, y - 2)
    page.mouse.move(x, y)
    page.mouse.click(x, y)
    page.wait_for_url("**main=trm_rouge_l**")
    page.wait_for_selector("text=/^Sensitivity of TRM ROUGE-L:/")
    page.locator(".st-key-sensitivity_captions_swap button").first.click()
    page.wait_for_selector("[data-testid=stDataFrame]")
    watched.check()

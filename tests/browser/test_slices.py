"""Test Slices as a person uses it: click a row, save it, see every page filtered, and remove the filter."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, Visit
from tests.browser.test_words import three_cards_stand_in_a_row

pytestmark = pytest.mark.browser
VIEW = "slices?a=Oracle+T%3D1.0&b=Peaked+T%3D0.3&scored_by=rouge_l"
PANEL = ".st-key-slices_wide .js-plotly-plot"
# Where the mark of a slice is in the window.
PLACE = """([panel, key]) => {
  const graph = document.querySelector(panel), layout = graph._fullLayout, box = graph.getBoundingClientRect();
  const trace = graph.data.find(t => t.mode === "markers" && t.customdata?.[0] === key);
  const at = (axis, value) => axis._offset + axis.d2p(value);
  return [box.x + at(layout.xaxis, trace.x[0]), box.y + at(layout.yaxis, trace.y[0])];
}"""


def test_a_clicked_slice_is_saved_and_filters_the_other_pages(server: Server, visit: Visit) -> None:
    watched = visit(server, VIEW)
    page = watched.page
    page.wait_for_selector(".st-key-slices_panel summary", timeout=180_000)
    watched.idle()
    assert not page.locator(PANEL).count(), "nothing stands out, so the figure is folded"
    page.locator(".st-key-slices_panel summary").click()
    page.wait_for_function("panel => document.querySelector(panel)?.data?.length > 4", arg=PANEL, timeout=60_000)
    watched.idle()
    assert not page.locator(".tl-top").count(), "nothing stands out, so no captions are shown"
    key = page.evaluate(
        "panel => document.querySelector(panel).data.filter(t => t.mode === 'markers').at(-2).customdata[0]", PANEL
    )
    page.wait_for_selector(PANEL)
    page.locator(PANEL).scroll_into_view_if_needed()
    watched.idle()
    x, y = page.evaluate(PLACE, [PANEL, key])
    page.mouse.move(x - 3, y - 2)
    page.mouse.move(x, y)
    page.wait_for_selector(".hoverlayer .hovertext")
    page.mouse.click(x, y)
    page.wait_for_function("key => new URL(location).searchParams.get('within') === key", arg=key)
    watched.idle()
    three_cards_stand_in_a_row(watched)
    page.locator(".st-key-slices_save_panel button").first.click()
    page.locator(".st-key-slices_save_save button").click()
    page.wait_for_selector(".st-key-slice_notice")
    said = page.inner_text(".st-key-slice_notice")
    assert "of 48 images on every page" in said
    assert {"slice", "slice_items"} <= parse_qs(urlsplit(page.url).query).keys()
    watched.go("Images")
    page.wait_for_selector(".st-key-slice_notice")
    assert page.inner_text(".st-key-slice_notice") == said
    page.locator(".st-key-slice_leave button").first.click()
    page.wait_for_selector(".st-key-slice_notice", state="detached")
    assert "slice_items" not in parse_qs(urlsplit(page.url).query)
    watched.check()

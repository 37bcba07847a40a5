"""Test Words as a person uses it: click a mark, read the captions that contain the word, and go on to an image."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
PANEL = ".st-key-words_wide .js-plotly-plot"
# Where the mark of the k-th word is in the window; -1 is the last.
PLACE = """([panel, k]) => {
  const graph = document.querySelector(panel), layout = graph._fullLayout, box = graph.getBoundingClientRect();
  const trace = graph.data.filter(t => t.customdata).at(k);
  const at = (axis, value) => axis._offset + axis.d2p(value);
  return [box.x + at(layout.xaxis, trace.x[0]), box.y + at(layout.yaxis, trace.y[0]), trace.customdata[0]];
}"""
# The places of the titles of the cards, and whether they are underlined.
LINKS = """() => [...document.querySelectorAll('[class*="st-key-tl-cards"] .tl-top a')].map(
  link => [Math.round(link.getBoundingClientRect().top), getComputedStyle(link).textDecorationLine])"""


def three_cards_stand_in_a_row(watched: Watched) -> None:
    """The cards' titles are at the same height, even in a window of 900 px; `test_slices` calls this, too."""
    for width in (900, 1440):
        watched.page.set_viewport_size({"width": width, "height": 900})
        watched.page.wait_for_selector(".tl-top a", timeout=180_000)
        links = watched.idle().page.evaluate(LINKS)
        assert len(links) == 3
        assert {tuple(link) for link in links} == {(links[0][0], "underline")}


def test_a_clicked_word_shows_its_captions_and_the_way_to_the_image(server: Server, visit: Visit) -> None:
    """A click on a name beside the plot counts as a click on its row."""
    watched = visit(server, "words")
    page = watched.page
    page.wait_for_function("panel => document.querySelector(panel)?.data?.length > 4", arg=PANEL, timeout=180_000)
    watched.idle()
    page.locator(PANEL).scroll_into_view_if_needed()
    _, _, word = page.evaluate(PLACE, [PANEL, -2])
    name = page.locator(f"{PANEL} text", has_text=word).first.bounding_box()
    page.mouse.click(name["x"] + name["width"] / 2, name["y"] + name["height"] / 2)
    page.wait_for_function("word => new URL(location).searchParams.get('word') === word", arg=word)
    watched.idle()
    three_cards_stand_in_a_row(watched)
    page.locator(PANEL).scroll_into_view_if_needed()
    x, y, word = page.evaluate(PLACE, [PANEL, -1])
    page.mouse.move(x - 3, y - 2)
    page.mouse.move(x, y)
    page.wait_for_selector(".hoverlayer .hovertext")
    page.mouse.click(x, y)
    page.wait_for_function("word => new URL(location).searchParams.get('word') === word", arg=word)
    watched.idle()
    marked = page.locator(".tl-side .wo").all_text_contents()
    assert marked
    assert {text.casefold() for text in marked} == {word}
    watched.follow(page.locator(".tl-top a").first)
    page.wait_for_url("**/images**")
    watched.idle()
    assert "image" in parse_qs(urlsplit(page.url).query)
    watched.check()

"""Test Images as a browser sees it: keys, search, order and the address."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from data import demo
from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_shell import narrowed

pytestmark = pytest.mark.browser
QUICK = "distance=bag+of+words&measures=distinct_2"


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


def nothing_is_cut(watched: Watched) -> None:
    page = watched.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.query_selector('[data-testid="stMain"]').evaluate("e => e.scrollWidth <= e.clientWidth")
    assert len(page.query_selector_all(".tl-caps")) == 4
    watched.shot(f"images-{page.viewport_size['width']}")


def test_the_arrow_keys_walk_through_the_order_and_nothing_is_cut(server: Server, visit: Visit) -> None:
    """Missing numbers are computed first; then they determine the order of images, which the address states."""
    asked = "order=metric&by=distinct_2&of=Oracle+T%3D1.0&from=high"
    watched = visit(server, f"images?{QUICK}&{asked}&part=among")
    page = watched.page
    page.wait_for_function("document.querySelectorAll('.js-plotly-plot').length == 1")
    nothing_is_cut(watched.idle())
    seen = [str(query(watched).get("image"))]
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        before = page.url
        page.keyboard.press(key)
        page.wait_for_function("old => location.href !== old", arg=before)
        watched.idle()
        seen.append(str(query(watched).get("image")))
    assert seen[1] == seen[3]
    assert len(set(seen)) == 3
    nothing_is_cut(narrowed(watched, 900))
    watched.check()


def test_buttons_have_names_keys_search_and_a_row_of_the_sorted_list_opens_its_image(
    server: Server, visit: Visit
) -> None:
    """A heading sorts the table, and a click anywhere in a row opens its image."""
    watched = visit(server, f"images?{QUICK}")
    page = watched.page
    page.wait_for_selector(".st-key-image_star")
    for name in ("Previous image", "Next image", "Star"):
        page.get_by_role("button", name=name).first.wait_for()
    assert page.locator(".st-key-image_Left kbd").first.is_hidden()
    page.get_by_role("radio", name="Table").click()
    watched.idle()
    page.locator(".tl-items thead a", has_text="distinct-2").first.click()
    page.wait_for_url("**order=metric**")
    watched.idle()
    row = page.locator(".tl-items tbody tr").nth(2)
    titles = {str(item.metadata["title"]): item.id for item in demo.load().items}
    wanted = titles[row.locator("a").inner_text()]
    row.locator("td").last.click()
    page.wait_for_selector(".tl-caps")
    watched.idle()
    assert query(watched)["image"] == [wanted]
    page.locator(".st-key-options_panel button").first.click()
    field = page.get_by_label("Search captions")
    field.fill("PIGEONS")
    field.press("Enter")
    page.wait_for_url("**find=PIGEONS**")
    watched.idle()
    assert "found" in page.inner_text(".tl-caps >> nth=0")
    assert "pigeons" in page.inner_text(".tl-caps >> nth=0")
    watched.check()

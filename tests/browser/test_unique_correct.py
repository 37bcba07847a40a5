"""Test Unique vs correct as a person uses it: read it, click a cell, step through images, save, and open the link
again.
"""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_shell import narrowed

pytestmark = pytest.mark.browser


def numbers(watched: Watched, chart: int) -> list[str]:
    drawn = watched.page.locator(".js-plotly-plot").nth(chart).locator(".textpoint")
    return drawn.all_text_contents()


def arrived(watched: Watched) -> Watched:
    drawn = "document.querySelectorAll('.js-plotly-plot .main-svg').length >= 6"
    # Jobs let everything else on a busy machine go first.
    watched.page.wait_for_function(drawn)
    return watched.idle()


def click_cell(watched: Watched, chart: int, place: int) -> None:
    """Hover over the number of a cell before the click, since plotly only reacts to hovered points."""
    box = watched.page.locator(".js-plotly-plot").nth(chart).locator(".textpoint").nth(place).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    watched.page.mouse.move(x - 3, y - 2)
    watched.page.mouse.move(x, y)
    watched.page.wait_for_selector(".hoverlayer .hovertext")
    watched.page.mouse.click(x, y)


def candidates(watched: Watched) -> list[str]:
    lists = watched.page.query_selector_all(".tl-caps")
    return [q.inner_text() for q in lists[-1].query_selector_all("q")]


def set_title(watched: Watched) -> str:
    return str(watched.page.locator(".tl-caps b").last.inner_text())


def test_from_the_sentence_to_the_captions_and_nothing_is_cut(server: Server, visit: Visit) -> None:
    watched = arrived(visit(server, "unique_correct"))
    page = watched.page
    sentence = page.inner_text(".tl-verdict p")
    assert sentence.startswith("CIDEr-D hardly notices repeated captions: one correct caption said")
    assert "TRM CIDEr-D notices them: " in sentence
    assert len(numbers(watched, 0)) == len(numbers(watched, 1)) == 26
    # Cells by correct, then unique: 5 with no correct one, then 4 per row; the 13th has 2 correct and 4 unique.
    value = numbers(watched, 1)[11]
    click_cell(watched, 1, 11)
    page.wait_for_url("**correct=2&unique=4**")
    watched.idle()
    assert set_title(watched) == "Set of 2 correct and 3 foreign captions, 4 unique"
    assert len(candidates(watched)) == 4
    mean = page.locator(".tl-stats div").nth(1).locator("span").inner_text()
    assert f"{float(mean.removeprefix('mean ')):.2f}" == value
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**image=**")
    watched.idle()
    page.get_by_role("tab", name="Why scores differ", exact=True).click()
    nothing_is_cut(arrived(watched))
    nothing_is_cut(narrowed(watched, 900))
    watched.check()


def nothing_is_cut(watched: Watched) -> None:
    main = watched.page.query_selector('[data-testid="stMain"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    inside = """() => [...document.querySelectorAll('.js-plotly-plot')].every(plot => {
      const frame = plot.getBoundingClientRect();
      return [...plot.querySelectorAll('.main-svg text')].every(text => {
        const box = text.getBoundingClientRect();
        return box.left >= frame.left - 1 && box.right <= frame.right + 1
          && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
      });
    })"""
    assert watched.page.evaluate(inside)
    watched.shot(f"unique-correct-{watched.page.viewport_size['width']}")

"""Test the Leaderboard as a browser sees it: numbers arrive without a click, and the address keeps all choices."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_shell import narrowed

pytestmark = pytest.mark.browser
QUICK = "leaderboard?distribution=ms_jaccard_2&quality=rouge_l&diversity=distinct_2"


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


@pytest.fixture
def filled(server: Server, visit: Visit) -> Watched:
    watched = visit(server, QUICK)
    watched.page.wait_for_selector(".tl-board .best")
    return watched.idle()


def test_numbers_come_by_themselves_nothing_overlaps_and_the_address_has_the_choice(filled: Watched) -> None:
    page = filled.page
    nothing_overlaps(filled)
    stands_beside_its_full_stop(filled)
    nothing_overlaps(narrowed(filled, 900))
    nothing_overlaps(narrowed(filled, 390))
    page.set_viewport_size({"width": 1440, "height": 900})
    filled.idle()
    page.get_by_role("combobox", name="Show").click()
    page.get_by_role("option", name="difference from Oracle · T 1.0").click()
    page.wait_for_selector("text=20 runs against")
    filled.idle()
    assert query(filled)["show"] == ["Difference"]
    filled.check()


def test_heads_rank_rows_open_their_comparison_and_one_comes_back_to_the_ranking_and_its_table(
    filled: Watched,
) -> None:
    """No page is reloaded, and Back returns to the ranking; the button below the table gives the same file as Save."""
    page = filled.page
    page.evaluate("window.here = true")
    page.click('.tl-board a:has-text("ROUGE-L")')
    page.wait_for_selector('.tl-board th.by:has-text("ROUGE-L")')
    filled.idle()
    assert query(filled)["rank"] == ["rouge_l"]
    page.locator(".tl-board tr.run").nth(3).locator("td.m").first.click()
    page.wait_for_selector('h1:has-text("Two runs")')
    filled.idle()
    pair = query(filled)
    assert pair["a"] != pair["b"]
    page.go_back()
    page.wait_for_selector('.tl-board th.by:has-text("ROUGE-L")')
    filled.idle()
    page.locator(".tl-board tr.run a").nth(3).press("Enter")
    page.wait_for_selector('h1:has-text("Two runs")')
    filled.idle()
    assert query(filled) == pair
    filled.go("Leaderboard")
    page.wait_for_selector('.tl-board th.by:has-text("ROUGE-L")')
    filled.idle()
    assert "has the highest ROUGE-L" in page.inner_text(".tl-verdict")
    assert page.evaluate("window.here")
    page.get_by_role("button", name="Show as a table").click()
    page.wait_for_selector('[data-testid="stDataFrame"]')
    filled.idle()
    below = filled.saved(page.locator(".st-key-leaderboard_twin_csv button").first).read_bytes()
    page.click(".st-key-leaderboard_save button")
    page.wait_for_selector(".st-key-leaderboard_numbers_csv button")
    saved = filled.saved(page.locator(".st-key-leaderboard_numbers_csv button").first).read_bytes()
    assert below == saved
    assert saved.decode().startswith("Run,Rank from,Rank to,")
    filled.check()


def nothing_overlaps(watched: Watched) -> None:
    """Names, p and numbers do not overlap; the rows of people and of no difference are visible without scrolling."""
    page = watched.page
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")
    assert page.evaluate("document.querySelector('.tl-scroll').tabIndex") == 0
    assert page.evaluate(_OVERLAPS) == []
    assert page.locator("tr.pin").first.bounding_box()["y"] < 900
    assert len(page.inner_text(".tl-verdict > p").split()) <= 35
    watched.shot(f"leaderboard-{page.viewport_size['width']}")


_OVERLAPS = """() => [...document.querySelectorAll('.tl-board tr')].flatMap(row => {
  const parts = [...row.querySelectorAll('.nm > span, .pc > span, .v, .rk')]
    .filter(e => e.innerText.trim() && e.getBoundingClientRect().width);
  const range = document.createRange();
  const boxes = parts.map(e => { range.selectNodeContents(e); const r = range.getBoundingClientRect();
    const clip = e.closest('th, td').getBoundingClientRect();
    return [Math.max(r.left, clip.left), Math.min(r.right, clip.right), e.innerText]; }).sort((a, b) => a[0] - b[0]);
  return boxes.slice(1).filter((b, k) => b[0] < boxes[k][1] - 1).map((b, k) => b[2]);
})"""


def stands_beside_its_full_stop(watched: Watched) -> None:
    """At any width, the punctuation after a metric's name is on the last line of the name."""
    watched.page.wait_for_selector(".tl-verdict .tl-term")
    for width in range(640, 1200, 20):
        watched.page.set_viewport_size({"width": width, "height": 900})
        apart = watched.page.evaluate(
            """() => [...document.querySelectorAll('.tl-verdict > p .tl-term')].filter((term) => {
              const next = (term.nextSibling ?? term.parentElement.nextSibling);
              if (next?.nodeType !== 3 || !/^[.,;]/.test(next.data)) return false;
              const range = document.createRange();
              range.setStart(next, 0);
              range.setEnd(next, 1);
              const [own, mark] = [[...term.getClientRects()].at(-1), range.getClientRects()[0]];
              return mark && mark.top > own.bottom - 2;
            }).length"""
        )
        assert apart == 0, width

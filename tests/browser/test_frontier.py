"""Test the Frontier as a browser sees it: a click on a mark opens its run, and the address keeps the view."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from data import demo
from figures.style.run_names import short_names
from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_exports import saves_no_colour_of_the_dark_theme
from tests.browser.test_shell import narrowed

pytestmark = pytest.mark.browser
CHARTS = "document.querySelectorAll('.js-plotly-plot .main-svg').length >= 3"

# How far the middle of the link beside the run's control is below that of the control, in px.
LEVEL = """() => {
  const middle = one => { const box = one.getBoundingClientRect(); return (box.top + box.bottom) / 2; };
  const links = [...document.querySelectorAll('[data-testid="stPageLink"]')];
  const link = links.find(one => /Its captions/.test(one.innerText));
  const row = link.closest('[data-testid="stHorizontalBlock"]');
  return middle(link) - middle(row.querySelector('[data-testid="stSelectbox"]'));
}"""


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


def opened(visit: Visit, server: Server, path: str = "frontier", **how: object) -> Watched:
    watched = visit(server, path, **how)
    watched.page.wait_for_function(CHARTS)
    return watched.idle()


def reading(watched: Watched) -> str:
    return str(watched.page.locator(".tl-note").last.inner_text())


def test_a_click_on_a_mark_opens_its_run_and_nothing_is_cut(server: Server, visit: Visit) -> None:
    watched = opened(visit, server)
    page = watched.page
    nothing_is_cut_or_overlaps(watched)
    assert "Oracle keeps the best METEOR" in page.inner_text(".tl-verdict >> nth=0")
    before = query(watched).get("run", [""])[0]
    at = page.evaluate("""() => {
        const plot = document.querySelector('.js-plotly-plot'), box = plot.getBoundingClientRect();
        const point = plot.calcdata.find(c => c[0].trace.name === 'Loose, matched or beaten on both')[0];
        const {xaxis, yaxis} = plot._fullLayout;
        return [box.x + xaxis._offset + xaxis.c2p(point.x), box.y + yaxis._offset + yaxis.c2p(point.y)];
    }""")
    page.mouse.move(*at)
    page.wait_for_selector(".hovertext")
    # A hand moves until it presses, and presses for longer than plotly waits before it looks below the pointer.
    page.mouse.move(at[0] + 1, at[1])
    page.mouse.move(*at)
    page.mouse.down()
    page.wait_for_timeout(90)
    page.mouse.up()
    page.wait_for_url("**run=Loose**")
    watched.idle()
    name = query(watched)["run"][0]
    assert name != before
    called = short_names(demo.load().runs)[name]
    assert f"{called} is matched or beaten on both by" in reading(watched)
    nothing_is_cut_or_overlaps(narrowed(watched, 900))
    table_is_saved(watched)
    watched.check()


def test_pairs_runs_and_marks_by_keyboard(server: Server, visit: Visit) -> None:
    watched = opened(visit, server, "frontier?part=run", theme="dark")
    page = watched.page
    saves_no_colour_of_the_dark_theme(watched, "frontier", "m11,0")
    page.keyboard.press("Escape")
    page.wait_for_selector("text=Its captions")
    assert abs(page.evaluate(LEVEL)) <= 1, "links stand level with the control beside them"
    page.get_by_role("button", name="Options").click()
    page.get_by_role("radio", name="Montahaei fig. 1", exact=True).focus()
    page.keyboard.press("Space")
    page.wait_for_url("**quality-metric=bleu_4**")
    watched.idle()
    assert "BLEU-4 against Self-BLEU-4" in page.inner_text(".tl-fig >> nth=0")
    page.keyboard.press("Escape")
    # The closing popover gives the focus back to its button, and a page that still scrolls closes a menu.
    page.get_by_test_id("stPopoverBody").wait_for(state="hidden")
    watched.idle()
    choice = page.get_by_role("combobox", name="Run", exact=True)
    choice.scroll_into_view_if_needed()
    watched.idle()
    choice.press_sequentially("beam")
    page.get_by_role("option", name=re.compile("Oracle.·.beam")).wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**run=Oracle+beam**")
    watched.idle()
    assert "Oracle\u00a0·\u00a0beam is matched or beaten on both by" in reading(watched)
    watched.follow(page.locator('[data-testid="stPageLink"] a', has_text="Against the others"))
    page.wait_for_selector('h1:has-text("Leaderboard")')
    watched.idle()
    assert query(watched)["base"] == ["Oracle beam"]
    watched.check()


def table_is_saved(watched: Watched) -> None:
    watched.page.locator(".st-key-frontier_swap button").first.click()
    watched.idle()
    saved = watched.saved(watched.page.locator('[data-testid="stDownloadButton"] button', has_text="CSV").first)
    lines = saved.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 22
    assert lines[0].startswith(
        "run,on_front,percent_on_front,decoder,temperature,quality_metric,quality,quality_low,quality_high,"
    )


def nothing_is_cut_or_overlaps(watched: Watched) -> None:
    """The page never scrolls sideways; names, temperatures and the human line stay inside the plot and do not
    overlap.
    """
    page = watched.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    main = page.query_selector('[data-testid="stMain"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    boxes = page.evaluate("""() => [...document.querySelector('.js-plotly-plot').querySelectorAll('.annotation-text')]
        .map(e => { const b = e.getBoundingClientRect(); return [e.textContent, b.x, b.y, b.right, b.bottom]; })""")
    assert {"Oracle", "Peaked", "Loose", "People", "greedy"} <= {box[0] for box in boxes}
    plot = page.evaluate("""() => { const b = document.querySelector('.js-plotly-plot').getBoundingClientRect();
        return [b.x, b.y, b.right, b.bottom]; }""")
    for k, (name, left, top, right, bottom) in enumerate(boxes):
        assert plot[0] <= left <= right <= plot[2], name
        assert plot[1] <= top <= bottom <= plot[3], name
        for other, a, b, c, d in boxes[:k]:
            across, along = min(right, c) - max(left, a), min(bottom, d) - max(top, b)
            assert not (across > 3 and along > 5), f"{name} and {other} cover each other"
    watched.shot(f"frontier-{page.viewport_size['width']}")

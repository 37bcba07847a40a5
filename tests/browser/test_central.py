"""Test Central captions as a person uses the page: with keys, clicks on a run and a card, a download, and a link."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from data import demo
from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_shell import narrowed

pytestmark = pytest.mark.browser


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


def gallery(watched: Watched) -> list[str]:
    return watched.page.locator(".tl-top:has(small:has-text('% of people'))").all_inner_texts()


def test_one_image_by_keys_distance_and_link(server: Server, visit: Visit) -> None:
    ids = [item.id for item in demo.load().items]
    watched = visit(server, f"central?image={ids[2]}")
    page = watched.page
    page.wait_for_selector('.tl-verdict:has-text("most central of 10 captions by people, by METEOR")')
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**image={ids[3]}**")
    watched.idle()
    page.locator(".st-key-options_panel button").click()
    page.locator('[data-testid="stSelectbox"]', has_text="Distance").locator("input").click()
    page.get_by_role("option", name="ROUGE-L", exact=True).click()
    page.wait_for_selector('.tl-verdict:has-text("by ROUGE-L")')
    watched.idle()
    page.keyboard.press("Escape")
    assert page.locator(".tl-chips li").count() > 3
    assert page.locator(".tl-caps").count() >= 3, "one for each run"
    bars = page.locator(".js-plotly-plot").first
    assert bars.locator(".annotation-text", has_text=">>>").count() == 1
    page.locator(".st-key-central_bars_swap button").first.click()
    watched.idle()
    saved = watched.saved(page.locator('[data-testid="stDownloadButton"] button', has_text="CSV").first)
    assert "Mean distance" in saved.read_text()
    page.locator(".st-key-central_bars_swap button").first.click()
    watched.idle()
    watched.shot("central-image-1440-light")
    main = narrowed(watched, 900).page.query_selector('[data-testid="stMain"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    watched.shot("central-image-900")
    watched.check()


def test_the_study_a_run_and_a_card(server: Server, visit: Visit) -> None:
    watched = visit(server, "central?distance=MiniLM")
    page = watched.page
    page.wait_for_selector('.tl-verdict:has-text("than people are")')
    watched.idle()
    dots = page.locator(".js-plotly-plot").first
    dots.scroll_into_view_if_needed()
    half = dots.evaluate("plot => plot.data.findIndex(trace => /^Loose.*0\\.5$/.test(trace.name))")
    dots.locator(".scatterlayer .point").nth(half).click(force=True)
    page.wait_for_url("**run=Loose*0.5**")
    page.wait_for_selector('[role=tab][aria-selected="true"]:has-text("Captions of a run")')
    watched.idle()
    page.wait_for_function("document.querySelectorAll('.tl-caps').length == 8")
    assert len(gallery(watched)) == 4
    assert page.locator(".tl-caps b", has_text="Loose").count() == 4
    watched.shot("central-study-1440-light")
    titles = {str(item.metadata["title"]): item.id for item in demo.load().items}
    first = titles[gallery(watched)[0].splitlines()[-1].strip()]
    page.locator(".tl-top a").first.click()
    page.wait_for_selector('.tl-verdict:has-text("Most central of 10")')
    watched.idle()
    assert query(watched)["image"] == [first]
    assert "Loose T=0.5" in query(watched)["beside"]
    page.reload()
    watched.idle()
    assert query(watched)["image"] == [first]
    watched.check()

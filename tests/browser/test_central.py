"""Test Central captions as a person uses the page: keys, a click on a run, an opened card, a download, a link."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from data import demo
from tests.browser.conftest import Server, Visit, Watched

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
    page.get_by_role("option", name="MiniLM", exact=True).click()
    page.wait_for_selector('.tl-verdict:has-text("by MiniLM")')
    watched.idle()
    page.keyboard.press("Escape")
    assert page.locator(".tl-chips li").count() > 3
    assert page.locator(".tl-lead").count() == 3, "one for each run"
    bars = page.locator(".js-plotly-plot").first
    assert bars.locator(".annotation-text", has_text=">>>").count() == 1
    page.locator(".st-key-central_bars_swap button").first.click()
    watched.idle()
    saved = watched.saved(page.locator('[data-testid="stDownloadButton"] button', has_text="CSV").first)
    assert "Mean distance" in saved.read_text()
    page.locator(".st-key-central_bars_swap button").first.click()
    watched.idle()
    watched.shot("central-image-1440-light")
    again = visit(server, page.url.removeprefix(server.url), theme="dark", width=900)
    assert again.page.inner_text(".tl-verdict") == page.inner_text(".tl-verdict")
    main = again.page.query_selector('[data-testid="stMain"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    again.shot("central-image-900-dark")
    for one in (watched, again):
        one.check()


def test_the_study_a_run_and_a_card(server: Server, visit: Visit) -> None:
    watched = visit(server, "central?distance=MiniLM")
    page = watched.page
    page.wait_for_selector('.tl-verdict:has-text("nearer to the centre than people")')
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
    other = visit(server, page.url.removeprefix(server.url))
    other.page.wait_for_function("document.querySelectorAll('.tl-caps').length == 8")
    other.idle()
    assert gallery(other) == gallery(watched)
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
    for one in (watched, other):
        one.check()


def test_a_study_of_ones_own(server: Server, visit: Visit) -> None:
    """The study has an item with one reference, one with two that tie, and one that has a centre."""
    watched = visit(server, "dataset")
    references = {
        "one": ["A dog."],
        "two": ["A cat.", "The bird."],
        "three": ["A red cat sits.", "A red cat sits down.", "Two red boys run & <b>shout</b>."],
    }
    said = {"one": ["A dog."], "two": ["A cat."], "three": ["A cat."]}
    given = [
        {"name": f"{name}.json", "mimeType": "application/json", "buffer": json.dumps(content).encode()}
        for name, content in (("references", references), ("mine", said))
    ]
    watched.page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    watched.page.wait_for_selector('.tl-fig:has-text("Checks")')
    watched.idle()
    watched.go("Central captions")
    watched.page.wait_for_selector('.tl-verdict:has-text("captions")')
    watched.idle()
    page = watched.page
    address = f"{server.url}/central?study={query(watched)['study'][0]}&distance=bag+of+words&image="
    page.goto(f"{address}three")
    page.wait_for_selector('.tl-verdict:has-text("most central of 3")')
    watched.idle()
    assert ">>> A red cat sits" in page.locator(".js-plotly-plot").first.inner_text()
    for image in ("one", "two"):
        page.goto(f"{address}{image}")
        page.wait_for_selector(".tl-empty:has-text('No centre here')")
        watched.idle()
    watched.check()

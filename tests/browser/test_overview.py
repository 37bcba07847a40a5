"""Test the Overview as a browser sees it: its names and numbers are the engine's, and uploaded text is never markup."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page

from data.demo import LAYERS, load
from figures.overview.chart import MOST
from figures.style.run_names import short_names
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_shell import narrowed

pytestmark = pytest.mark.browser
EVIL = "<img src=x onerror='window.hacked = 1'> $5 **b**"


def corpus(name: str) -> dict[str, float]:
    """Return the shipped values of a metric on the demo, by the runs' short names."""
    study, cache = load(), Cache(None, LAYERS)
    short = {name: said.replace("\u00a0", " ") for name, said in short_names(study.runs).items()}
    found = {run.name: scoring.stored(cache, METRICS[name], run, study, Options(p_values=True)) for run in study.runs}
    return {short[run]: result.corpus for run, result in found.items() if result is not None}


def sideways(watched: Watched) -> bool:
    main = "document.querySelector('[data-testid=stMain]')"
    return bool(watched.page.evaluate(f"{main}.scrollWidth > {main}.clientWidth"))


def open_lesson(page: Page) -> None:
    page.locator(".st-key-overview_how summary").click()
    page.wait_for_selector(".tl-ov-bar")


def test_the_demo_s_headline_and_captions_are_the_engine_s(server: Server, visit: Visit) -> None:
    watched = visit(server)
    open_lesson(watched.page)
    says_what_the_engine_found(watched)
    says_what_the_engine_found(narrowed(watched, 390))
    watched.check()


def says_what_the_engine_found(watched: Watched) -> None:
    page = watched.page
    quality, distance = corpus("meteor"), corpus("trm_meteor")
    first, nearest = max(quality, key=quality.__getitem__), min(distance, key=distance.__getitem__)
    head = page.inner_text("h1").replace("\u00a0", " ")
    assert head.startswith(f"{first} is first of {len(quality)} runs by METEOR")
    assert ("farthest from people" in head) == (distance[first] == max(distance.values()))
    assert f"{nearest} " in head.partition(". ")[2]
    assert len([word for word in head.split() if word != "·"]) <= 35
    shares = page.inner_text(".tl-ov-bgs")
    for name in (first, nearest):
        assert name in shares.replace("\u00a0", " ")
        assert f"(all 48: {distance[name]:.3f})" in shares
    assert page.locator(".tl-ov-set").count() == 3
    labels = 4 * (MOST - 1) + 2
    texts = page.locator(".js-plotly-plot .annotation").all_text_contents()
    named = [text for text in texts if text.strip() != "⋮"]  # the mark of ranks left out
    assert len(named) == labels, "the rest are counted on both sides"
    drawn = page.locator(".st-key-tl-ov-axes label").evaluate_all("all => all.map(label => label.clientHeight)")
    assert min(drawn) > 9, "both metrics say what they measure, also on a phone"
    assert not sideways(watched)
    watched.shot(f"overview_{page.viewport_size['width']}")


def test_another_distance_is_in_the_address_and_the_links_lead_on(server: Server, visit: Visit) -> None:
    watched = visit(server, "?by_people=trm_bert")
    page = watched.page
    open_lesson(page)
    assert "Distance = 1 − MiniLM similarity:" in page.inner_text(".tl-ov-how")
    watched.follow(page.get_by_role("link", name="Every image: Triangles"))
    page.wait_for_selector('.st-key-tl-tab-here:has-text("Triangles")')
    watched.idle()
    assert "distance=MiniLM" in page.url
    watched.check()


def test_an_upload_with_hostile_texts_opens_where_it_was_dropped(server: Server, visit: Visit) -> None:
    watched = visit(server)
    page = watched.page
    items = [
        {
            "id": f"{EVIL} {k}",
            "references": [f"{EVIL} dog {k} {word}" for word in ("runs", "sits", "eats")],
            "candidates": {
                f"{EVIL} {r}": [f"{EVIL} dog {k} {word} off{' far' * r}" for word in ("runs", "flies")]
                for r in range(2)
            },
        }
        for k in range(6)
    ]
    lines = "\n".join(map(json.dumps, items)).encode()
    given = {"name": "mine.jsonl", "mimeType": "application/json", "buffer": lines}
    page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    page.wait_for_url("**study=**")
    watched.idle()
    page.wait_for_selector('h1:has-text("is first of 2")')
    assert page.inner_text(".st-key-tl-ov-kick a").endswith("Data →"), "the way to the checks of what was dropped"
    open_lesson(page)
    watched.idle()
    assert EVIL[:20] in page.inner_text(".tl-ov-three")
    assert page.evaluate("window.hacked") is None
    watched.check()

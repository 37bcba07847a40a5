"""Test Triangles as a browser sees it: a copied address opens the same view, and nothing overflows."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from data import demo
from metrics.cache.disk import Cache
from metrics.engine import scores_table, scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from metrics.suite.distribution import Trm
from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_shell import narrowed
from ui.views.triangles import PARTS

pytestmark = pytest.mark.browser
VIEW = "triangles?image={image}&run=Loose+T%3D1.0&distance=bag+of+words"


def stats(watched: Watched) -> dict[str, str]:
    cells = watched.page.query_selector_all(".tl-stats div")
    return {c.query_selector("small").inner_text(): c.query_selector("b").inner_text() for c in cells}


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


@pytest.fixture(scope="module")
def ids() -> list[str]:
    return [item.id for item in demo.load().items]


def test_a_link_from_images_opens_the_triangles_of_that_run(server: Server, visit: Visit, ids: list[str]) -> None:
    """Follow the link below a run on Images after one step by keyboard."""
    watched = visit(server, f"images?image={ids[3]}&distance=bag+of+words&measures=distinct_2&order=file")
    watched.page.keyboard.press("ArrowRight")
    watched.page.wait_for_url(f"**image={ids[4]}**")
    watched.idle()
    link = watched.page.locator('[data-testid="stPageLink"] a', has_text="Triangles").nth(2)
    run = parse_qs(urlsplit(str(link.get_attribute("href"))).query)["run"]
    watched.follow(link)
    watched.page.wait_for_selector('.st-key-tl-tab-here:has-text("Triangles")')
    watched.page.wait_for_selector(".tl-stats")
    watched.idle()
    assert query(watched)["run"] == run
    assert query(watched)["image"] == [ids[4]]
    assert query(watched)["distance"] == ["bag of words"]
    watched.check()


def test_the_number_is_that_of_scores_and_nothing_is_cut_or_overlaps(
    server: Server, visit: Visit, ids: list[str], tmp_path: Path
) -> None:
    """The page never scrolls sideways, all figures are drawn, and triangles have alternative texts."""
    study = demo.load().only(items=ids, runs=["Loose T=1.0"])
    metric = METRICS["trm_bow"]
    assert isinstance(metric, Trm)
    few = scoring.score(study, [metric], Options(), Cache(tmp_path))
    row = scores_table.scores(study, few, ["item"]).iloc[2]
    watched = visit(server, VIEW.format(image=ids[2]))
    seen = stats(watched)
    assert seen["TRM"] == f"{row.value:.3f}"
    assert re.fullmatch(r"(≤ )?[0-9.]+(×10[⁻⁰-⁹]+)?", seen["p"])
    for width in (1440, 900):
        shown = watched if width == 1440 else narrowed(watched, width)
        for part, charts in (("ranks", 2), ("chance", 1), ("captions", 1)):
            shown.page.get_by_role("tab", name=PARTS[part], exact=True).click()
            nothing_is_cut(shown.idle(), part, charts)
    watched.check()


def nothing_is_cut(watched: Watched, part: str, charts: int) -> None:
    page = watched.page
    page.wait_for_function("n => document.querySelectorAll('.js-plotly-plot .main-svg').length >= n", arg=charts)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    main = page.query_selector('[data-testid="stMain"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert len(page.query_selector_all(".js-plotly-plot")) == charts
    assert len(page.query_selector_all(".tl-ov-step img")) == 3, "the triangle in three steps"
    assert bool(page.query_selector_all(".tl-tri img")) == (part == "captions")
    for image in page.query_selector_all(".tl-tri img"):
        assert image.evaluate("i => i.complete && i.naturalWidth > 0")
        assert image.get_attribute("alt").startswith("Triangle: pair ")
    watched.shot(f"triangles-{part}-{page.viewport_size['width']}")

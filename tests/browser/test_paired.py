"""Test Paired comparison as a browser sees it: clicks choose a metric, an image and a run; a link keeps the view."""

from __future__ import annotations

from urllib.parse import parse_qs, quote_plus, urlsplit

import pytest

from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_shell import narrowed

pytestmark = pytest.mark.browser
QUICK = "distribution=trm_bow&quality=rouge_l&quality=cider_d&diversity=distinct_2&main=trm_bow"
VIEW = f"paired?{QUICK}&a=Oracle+T%3D1.0&b=Loose+T%3D0.5"


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


def drawn(watched: Watched, charts: int) -> Watched:
    watched.page.wait_for_function(f"document.querySelectorAll('.js-plotly-plot .main-svg').length >= {charts}")
    return watched.idle()


def press(watched: Watched, key: str, x: float, y: float) -> None:
    place = watched.page.evaluate(
        """([key, x, y]) => {
          const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`), of = plot._fullLayout;
          plot.scrollIntoView({block: 'center'});
          const box = plot.getBoundingClientRect();
          return [box.x + of.xaxis._offset + of.xaxis.d2p(x), box.y + of.yaxis._offset + of.yaxis.d2p(y)];
        }""",
        [key, x, y],
    )
    watched.page.mouse.move(*place)
    watched.page.wait_for_timeout(150)
    watched.page.mouse.click(*place)


def test_a_click_chooses_the_metric_of_the_images_and_nothing_is_cut(server: Server, visit: Visit) -> None:
    watched = drawn(visit(server, VIEW), 1)
    page = watched.page
    page.wait_for_selector(".tl-card")
    nothing_is_cut(watched)
    row = page.evaluate(
        """() => { const d = document.querySelector('.st-key-paired_metrics .js-plotly-plot').data
          .find(t => t.mode === 'markers' && t.customdata[0] === 'cider_d'); return [d.x[0], d.y[0]]; }"""
    )
    press(watched, "paired_metrics", *row)
    page.wait_for_url("**main=cider_d**")
    watched.idle()
    page.wait_for_selector('.tl-top:has-text("Largest lead of A by CIDEr-D")')
    for width in (1190, 900, 390):
        nothing_is_cut(narrowed(watched, width))
    watched.follow(page.locator(".tl-top a").first)
    page.wait_for_selector('h1:has-text("Images")')
    watched.idle()
    assert query(watched)["beside"] == ["Oracle T=1.0", "Loose T=0.5"]
    watched.check()


def test_a_square_of_all_pairs_opens_its_two_runs(server: Server, visit: Visit) -> None:
    watched = drawn(visit(server, f"paired?{QUICK}&compare=all"), 1)
    page = watched.page
    place = page.evaluate(
        """() => { const d = document.querySelector('.st-key-paired_pairs .js-plotly-plot')._fullData
          .find(t => t.name === 'pairs'), k = d.x.length - 3; return [d.x[k], d.y[k], d.customdata[k]]; }"""
    )
    press(watched, "paired_pairs", place[0], place[1])
    page.wait_for_function("location.search.includes('a=') && !location.search.includes('compare=all')")
    watched.idle()
    asked = query(watched)
    assert [asked["a"][0], asked["b"][0]] == place[2]
    page.get_by_role("button", name="swap_horiz").click()
    page.wait_for_function("before => !location.search.includes(before)", arg=f"a={quote_plus(place[2][0])}&")
    watched.idle()
    assert query(watched)["a"] == [place[2][1]]
    watched.check()


def nothing_is_cut(watched: Watched) -> None:
    """Nothing scrolls sideways or overlaps, pictures have alternative texts, and words are marked not only by
    colour.
    """
    page = watched.page
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.query_selector('[data-testid="stMain"]').evaluate("e => e.scrollWidth <= e.clientWidth")
    lines = {name: page.eval_on_selector(f".{name}", "e => getComputedStyle(e).borderBottomStyle") for name in _LINES}
    assert lines == _LINES
    assert page.eval_on_selector(".tl-card .wo", "e => getComputedStyle(e).fontWeight") == "600"
    assert all(image.get_attribute("alt") for image in page.query_selector_all('[data-testid="stImage"] img'))
    assert len(page.inner_text(".tl-verdict > p").split()) <= 35
    key = "paired_metrics" if width > 1180 else "metrics_narrow"
    texts = page.evaluate(
        """key => [...document.querySelectorAll(`.st-key-${key} .annotation-text`)]
          .map(t => t.getBoundingClientRect()).map(r => [r.left, r.right, r.top, r.bottom])""",
        key,
    )
    assert texts
    crossing = [
        (a, b)
        for k, a in enumerate(texts)
        for b in texts[k + 1 :]
        if a[0] < b[1] and b[0] < a[1] and a[2] < b[3] - 1 and b[2] < a[3] - 1
    ]
    assert crossing == []
    watched.shot(f"paired-{width}")


_LINES = {"w2": "dotted"}

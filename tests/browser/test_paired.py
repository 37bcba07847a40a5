"""Paired comparison as a browser sees it: clicks choose a metric, an image and a run; a link opens the same view."""

from __future__ import annotations

import os
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
QUICK = "distribution=trm_bow&quality=rouge_l&quality=cider_d&diversity=distinct_2&main=trm_bow"
VIEW = f"paired?{QUICK}&a=Oracle+T%3D1.0&b=Loose+T%3D0.5"


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


def drawn(watched: Watched, charts: int) -> Watched:
    watched.page.wait_for_function(
        f"document.querySelectorAll('.js-plotly-plot .main-svg').length >= {charts}", timeout=120_000
    )
    return watched.idle()


def press(watched: Watched, key: str, x: float, y: float) -> None:
    """Click a chart at a point given in its own data."""
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


def test_clicks_choose_a_metric_and_an_image_and_the_link_says_both(server: Server, visit: Visit) -> None:
    watched = drawn(visit(server, VIEW), 3)
    page = watched.page
    row = page.evaluate(
        """() => { const d = document.querySelector('.st-key-paired_metrics .js-plotly-plot').data
          .find(t => t.mode === 'markers' && t.customdata[0] === 'cider_d'); return [d.x[0], d.y[0]]; }"""
    )
    press(watched, "paired_metrics", *row)
    page.wait_for_url("**main=cider_d**")
    watched.idle()
    page.wait_for_selector('h3:has-text("Largest differences by CIDEr-D")')
    press(watched, "paired_bars", 1, 0.05)
    page.wait_for_url("**image=**")
    watched.idle()
    page.wait_for_selector('h3:has-text("The one you chose")')
    best = page.inner_text(".tl-pair >> nth=0")
    assert best == page.inner_text(".tl-pair >> nth=1"), "the first bar is the largest difference"
    again = drawn(visit(server, page.url.removeprefix(server.url)), 3)
    assert query(again) == query(watched)
    assert again.page.inner_text(".tl-verdict >> nth=0") == page.inner_text(".tl-verdict >> nth=0")
    assert again.page.inner_text(".tl-pair >> nth=0") == best
    again.page.locator('[data-testid="stPageLink"] a', has_text="Images").first.click()
    again.page.wait_for_selector('h1:has-text("Images")')
    again.idle()
    assert query(again)["image"] == query(watched)["image"]
    assert query(again)["beside"] == ["Oracle T=1.0", "Loose T=0.5"]
    watched.check()
    again.check()


def test_a_run_of_the_forest_opens_against_the_baseline(server: Server, visit: Visit) -> None:
    watched = drawn(visit(server, f"paired?{QUICK}&compare=all&base=Peaked+T%3D1.0"), 1)
    row = watched.page.evaluate(
        """() => { const d = document.querySelector('.st-key-paired_all .js-plotly-plot').data
          .filter(t => t.mode === 'markers')[2]; return [d.x[0], d.y[0], d.customdata[0]]; }"""
    )
    press(watched, "paired_all", row[0], row[1])
    watched.page.wait_for_url("**compare=two**")
    watched.idle()
    asked = query(watched)
    assert (asked["a"], asked["b"]) == ([row[2]], ["Peaked T=1.0"])
    watched.page.get_by_role("button", name="swap_horiz").click()
    watched.page.wait_for_url("**a=Peaked**")
    watched.idle()
    assert query(watched)["b"] == [row[2]]
    watched.check()


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 900)])
def test_nothing_is_cut(server: Server, visit: Visit, theme: str, width: int) -> None:
    """No sideways scroll, every picture has its text, and words that differ are underlined, not coloured alone."""
    watched = drawn(visit(server, VIEW, theme=theme, width=width), 3)
    page = watched.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.query_selector('[data-testid="stMain"]').evaluate("e => e.scrollWidth <= e.clientWidth")
    styles = {
        name: page.eval_on_selector(f"mark.tl-{name}", "e => getComputedStyle(e).textDecorationStyle")
        for name in ("ins", "del")
    }
    assert styles == {"ins": "solid", "del": "dotted"}
    assert all(image.get_attribute("alt") for image in page.query_selector_all('[data-testid="stImage"] img'))
    texts = page.evaluate(
        """() => [...document.querySelectorAll('.st-key-paired_metrics .annotation-text')]
          .map(t => t.getBoundingClientRect()).map(r => [r.left, r.right, r.top, r.bottom])"""
    )
    crossing = [
        (a, b)
        for k, a in enumerate(texts)
        for b in texts[k + 1 :]
        if a[0] < b[1] and b[0] < a[1] and a[2] < b[3] - 1 and b[2] < a[3] - 1
    ]
    assert crossing == []
    if os.environ.get("SHOTS"):
        watched.shot(f"paired-{width}-{theme}")
    watched.check()

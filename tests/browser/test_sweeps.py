"""Test Sweeps as a person uses it: a click on a point, a link to the same view, and downloads."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_exports import saves_no_colour_of_the_dark_theme
from tests.browser.test_shell import narrowed

pytestmark = pytest.mark.browser
VIEW = "sweeps?distribution=trm_bow&distribution=ms_jaccard_4&quality=rouge_l&diversity=distinct_2"
PANEL = ".st-key-sweep_{} .js-plotly-plot"
# Where a point of a trace is in the window.
PLACE = """([panel, name, k]) => {
  const graph = document.querySelector(panel), layout = graph._fullLayout, box = graph.getBoundingClientRect();
  const trace = graph.data.find(t => t.name === name);
  return [box.x + layout._size.l + layout.xaxis.d2p(trace.x[k]), box.y + layout._size.t + layout.yaxis.d2p(trace.y[k])];
}"""


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


def drawn(watched: Watched, panel: str) -> None:
    watched.page.wait_for_function(
        "panel => document.querySelector(panel)?.data?.some(t => t.name === 'Peaked')", arg=panel
    )
    watched.idle()


def looked_into(watched: Watched) -> str:
    return watched.page.locator(".tl-fig b", has_text=" against ").inner_text()


def test_a_click_opens_the_images_behind_a_point_the_keyboard_does_too_and_nothing_is_cut(
    server: Server, visit: Visit
) -> None:
    """Nothing scrolls sideways, and every name at the end of a line stays inside its panel."""
    watched = visit(server, VIEW, theme="dark")
    panel = PANEL.format("rouge_l")
    drawn(watched, panel)
    page = watched.page
    page.locator(panel).scroll_into_view_if_needed()
    x, y = page.evaluate(PLACE, [panel, "Peaked", 3])
    page.mouse.move(x, y)
    page.mouse.click(x, y)
    page.wait_for_url("**point=Peaked**")
    watched.idle()
    assert query(watched)["point"] == ["Peaked T=1.0"]
    assert query(watched)["point_by"] == ["rouge_l"]
    assert looked_into(watched) == "ROUGE-L: Peaked\u00a0·\u00a0T\u00a01.0 against Peaked\u00a0·\u00a0T\u00a01.3"
    saves_no_colour_of_the_dark_theme(watched, "sweep_rouge_l", "m10,10h-10")
    page.keyboard.press("Escape")
    drawn(watched, PANEL.format("distinct_2"))
    nothing_is_cut(watched, 230)
    nothing_is_cut(narrowed(watched, 900), 180)
    page.get_by_role("combobox", name="Setting").press("ArrowDown")
    page.keyboard.type("Loose · T 0.3")
    page.keyboard.press("Enter")
    page.wait_for_url("**point=Loose**")
    watched.idle()
    assert "Loose\u00a0·\u00a0T\u00a00.3 against Loose\u00a0·\u00a0T\u00a00.5" in looked_into(watched)
    page.get_by_role("button", name="Options").click()
    page.get_by_role("radio", name="Logarithmic").click()
    page.wait_for_url("**axis=log**")
    page.wait_for_function(
        "panel => document.querySelector(panel)._fullLayout?.xaxis.type === 'log'", arg=PANEL.format("rouge_l")
    )
    watched.idle()
    watched.check()


def nothing_is_cut(watched: Watched, least: int) -> None:
    page = watched.page
    main = page.query_selector('[data-testid="stMain"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    cut = page.evaluate("""() => [...document.querySelectorAll('.js-plotly-plot')].flatMap(g => {
      const right = g.getBoundingClientRect().right;
      return [...g.querySelectorAll('.annotation')].filter(a => a.getBoundingClientRect().right > right + 1)
        .map(a => a.textContent);
    })""")
    assert cut == []
    plots = page.evaluate("() => [...document.querySelectorAll('.js-plotly-plot')].map(g => g._fullLayout._size.w)")
    assert min(plots) >= least, "labels and margins leave the rest of a panel to the data"
    watched.shot(f"sweeps-{least}")

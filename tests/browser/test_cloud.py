"""Test the Caption cloud as a person uses it: hover, click, draw a lasso, search, follow a link, and open it again."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_exports import saves_no_colour_of_the_dark_theme
from tests.browser.test_shell import narrowed

pytestmark = pytest.mark.browser
CHART = ".st-key-cloud_chart .js-plotly-plot"
TAB = "[role=tab]"
# Where the point of a caption without near neighbours is on the screen: its trace, its text.
PLACE = """([chart, name, k]) => {
  const drawn = document.querySelector(chart), all = drawn._fullLayout, box = drawn.getBoundingClientRect();
  const trace = drawn._fullData.find(t => t.name === name);
  return [box.left + all.xaxis._offset + all.xaxis.l2p(trace.x[k]),
          box.top + all.yaxis._offset + all.yaxis.l2p(trace.y[k]), trace.text[k]];
}"""
# Where the mark of a run lies on the screen, and that of the caption of a map that lies farthest from all others.
RUN = """([chart, name, k]) => {
  const drawn = document.querySelector(chart), all = drawn._fullLayout, box = drawn.getBoundingClientRect();
  const trace = drawn._fullData.find(t => t.name === name);
  return [box.left + all.xaxis._offset + all.xaxis.l2p(trace.x[k]),
          box.top + all.yaxis._offset + all.yaxis.l2p(trace.y[k])];
}"""
MARK = """([chart, name]) => {
  const drawn = document.querySelector(chart), all = drawn._fullLayout, box = drawn.getBoundingClientRect();
  const trace = drawn._fullData.find(t => t.name.replace(/\\s/g, ' ') === name);
  const axis = letter => all[trace[letter + 'axis'].replace(letter, letter + 'axis')];
  const x = axis('x'), y = axis('y');
  const at = drawn._fullData.filter(t => t.xaxis === trace.xaxis && t.text)
    .flatMap(t => Array.from(t.x, (px, k) => [x.l2p(px), y.l2p(t.y[k]), t.name, k]));
  const near = p => Math.min(...at.filter(q => q !== p).map(q => Math.hypot(q[0] - p[0], q[1] - p[1])));
  const [px, py, , k] = at.filter(p => p[2] === trace.name)
    .sort((a, b) => near(b) - near(a))[0];
  return [box.left + x._offset + px, box.top + y._offset + py, trace.text[k]];
}"""
LONELY = """([chart, name]) => {
  const drawn = document.querySelector(chart), all = drawn._fullLayout;
  const at = drawn._fullData.filter(t => t.type.startsWith('scatter') && t.text)
    .flatMap(t => Array.from(t.x, (x, k) => [all.xaxis.l2p(x), all.yaxis.l2p(t.y[k]), t.name, k]));
  const near = p => Math.min(...at.filter(q => q !== p).map(q => Math.hypot(q[0] - p[0], q[1] - p[1])));
  return at.filter(p => p[2] === name).map(p => [near(p), p[3]]).sort((a, b) => b[0] - a[0])[0][1];
}"""


# Resolves when the chart has not been drawn again for a second: a press is lost if that happens before its release.
AT_REST = """chart => new Promise(done => {
  const drawn = document.querySelector(chart);
  let timer = setTimeout(done, 1000);
  drawn.on('plotly_afterplot', () => { clearTimeout(timer); timer = setTimeout(done, 1000); });
})"""


def open_cloud(visit: Visit, server: Server, path: str = "cloud?view=all", **more: object) -> Watched:
    watched = visit(server, path, **more)
    watched.page.wait_for_selector(f"{CHART} .main-svg")
    watched.settled()
    watched.page.locator(CHART).scroll_into_view_if_needed()
    watched.page.evaluate(AT_REST, CHART)
    return watched


def press(watched: Watched, x: float, y: float) -> None:
    """Click as a person does: move to the point, and press for longer than plotly waits before it looks at the
    pointer.
    """
    mouse = watched.page.mouse
    mouse.move(x + 1, y)
    mouse.move(x, y)
    mouse.down()
    watched.page.wait_for_timeout(90)
    mouse.up()


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


def test_a_click_picks_the_point_below_it_whose_picture_is_shown_and_a_link_leads_on(
    server: Server, visit: Visit
) -> None:
    watched = open_cloud(visit, server)
    page = watched.page
    a_quick_click_picks_what_lies_below_it_and_not_what_the_pointer_was_on_before(watched)
    k = page.evaluate(LONELY, [CHART, "Loose"])
    x, y, text = page.evaluate(PLACE, [CHART, "Loose", k])
    page.mouse.move(x - 30, y - 30)
    page.mouse.move(x, y, steps=4)
    page.wait_for_selector(f"{CHART} .hovertext")
    page.wait_for_selector(".tl-thumbnail[src^='data:image/jpeg']", state="visible")
    press(watched, x, y)
    page.wait_for_selector(f'.tl-caps q:text-is("{caption(text)}")')
    watched.idle()
    watched.follow(page.locator('[data-testid="stPageLink"] a', has_text="Triangles").first)
    page.wait_for_selector('.st-key-tl-tab-here:has-text("Triangles")')
    watched.idle()
    assert query(watched)["run"] == ["Loose T=1.0"]
    watched.check()


def caption(text: str) -> str:
    return re.sub("<br>", " ", text.partition("<br><i>")[0])


def a_quick_click_picks_what_lies_below_it_and_not_what_the_pointer_was_on_before(watched: Watched) -> None:
    page = watched.page
    for name in ("Loose", "Peaked"):
        before = [page.evaluate(PLACE, [CHART, name, k])[:2] for k in (5, 6)]
        k = page.evaluate(LONELY, [CHART, name])
        x, y, text = page.evaluate(PLACE, [CHART, name, k])
        # plotly looks below the pointer at most every 50 ms: all this is done before it looks at the last place.
        for place in (*before, (x, y)):
            page.mouse.move(*place)
        page.mouse.down()
        page.wait_for_timeout(90)
        page.mouse.up()
        page.wait_for_selector(f'.tl-caps q:text-is("{caption(text)}")')
        watched.idle()


def what_is_drawn_round_is_listed_and_saved(watched: Watched) -> None:
    page = watched.page
    page.locator(CHART).hover()
    page.locator(f'{CHART} [data-title="Lasso Select"]').click()
    box = page.locator(f"{CHART} .nsewdrag").first.bounding_box()
    corners = [(0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7), (0.3, 0.3)]
    for step, (x, y) in enumerate(corners):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=6)
        if not step:
            page.mouse.down()
    page.mouse.up()
    page.wait_for_selector(f'{TAB}:has-text("Selected")')
    watched.idle()
    said = page.inner_text(f'{TAB}:has-text("Selected")')
    number = int(re.findall(r"[\d,]+", said)[0].replace(",", ""))
    assert 50 < number < 1_900
    saved = watched.saved(page.locator(".st-key-cloud_captions_all_csv button:visible").first)
    lines = saved.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("Caption,Set,Image,Times")
    assert 0.5 * number < len(lines) <= number + 1
    page.get_by_text("Clear the selection").click()
    page.wait_for_selector(f'{TAB}:has-text("Shown")')
    watched.idle()
    assert "area" not in query(watched)
    assert not page.locator(f"{CHART} .shapelayer path").count()


def test_who_has_zoomed_in_stays_there_until_another_plane_is_drawn_where_an_area_is_chosen(
    server: Server, visit: Visit
) -> None:
    watched = open_cloud(visit, server)
    page = watched.page
    ends = f"document.querySelector({CHART!r})._fullLayout.xaxis.range"
    whole = page.evaluate(ends)
    k = page.evaluate(LONELY, [CHART, "Loose"])
    x, y, _ = page.evaluate(PLACE, [CHART, "Loose", k])
    page.locator(f"{CHART} [data-val=zoom]").click()
    page.mouse.move(x - 90, y - 90)
    page.mouse.down()
    page.mouse.move(x, y, steps=4)
    page.mouse.move(x + 90, y + 90, steps=4)
    page.mouse.up()
    page.wait_for_function(f"old => String({ends}) !== String(old)", arg=whole)
    zoomed = page.evaluate(ends)
    page.locator(f"{CHART} [data-val=pan]").click()
    x, y, _ = page.evaluate(PLACE, [CHART, "Loose", k])
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    page.wait_for_selector(f"{CHART} .hovertext")
    press(watched, x, y)
    page.wait_for_url(re.compile("pick="))
    watched.idle()
    page.wait_for_function(f"old => String({ends}) === String(old)", arg=zoomed)
    page.wait_for_timeout(1_500)
    assert page.evaluate(ends) == zoomed
    page.locator("h1").scroll_into_view_if_needed()
    page.mouse.move(5, 5)
    page.wait_for_selector(".tl-thumbnail", state="hidden")
    page.locator(".st-key-options_panel button").click()
    page.locator('[data-testid="stSelectbox"]', has_text="Projection").locator("input").click()
    page.get_by_role("option", name="PCA").click()
    page.wait_for_url(re.compile("method=pca"))
    watched.idle()
    page.wait_for_timeout(1_500)
    low, high = page.evaluate(ends)
    assert page.evaluate(f"document.querySelector({CHART!r}).layout.xaxis.range") == [low, high]
    assert high - low < 2
    page.keyboard.press("Escape")
    what_is_drawn_round_is_listed_and_saved(watched)
    watched.check()


def test_search_stars_and_the_image_by_the_keyboard_and_nothing_is_cut(server: Server, visit: Visit) -> None:
    watched = open_cloud(visit, server, "cloud?view=all&method=pca&colour=cider_d", theme="dark")
    page = watched.page
    saves_no_colour_of_the_dark_theme(watched, "cloud_chart")
    page.keyboard.press("Escape")
    page.get_by_label("Search captions").fill("pigeons")
    page.keyboard.press("Enter")
    page.wait_for_selector(f'{TAB}:has-text("With “pigeons”")')
    page.locator(".st-key-options_panel button").click()
    page.locator(".st-key-focus_toggle label").click()
    page.wait_for_url(re.compile("focus=yes"))
    watched.idle()
    page.keyboard.press("Escape")
    page.locator("h1").click()
    before = query(watched).get("image", ["none, as it is the first"])
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "old => /image=/.test(location.search) && !location.search.includes('image=' + old)", arg=before[0]
    )
    watched.idle()
    assert query(watched)["focus"] == ["yes"]
    nothing_is_cut(narrowed(watched, 900))
    watched.check()


def test_the_difference_of_two_runs_fits_its_place(server: Server, visit: Visit) -> None:
    watched = visit(server, "cloud?view=difference", theme="dark")
    watched.page.wait_for_selector(".js-plotly-plot .main-svg")
    nothing_is_cut(watched.settled())
    watched.check()


def nothing_is_cut(watched: Watched) -> None:
    """The page never scrolls sideways; the figure fits its place and has a text alternative."""
    page = watched.page
    main = page.query_selector('[data-testid="stMain"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    chart = page.query_selector('[data-testid="stPlotlyChart"]')
    assert chart.get_attribute("aria-label")
    assert chart.evaluate("e => e.getBoundingClientRect().right <= document.querySelector('.stMain').clientWidth + 300")
    view = query(watched).get("view", ["panels"])[0]
    watched.shot(f"cloud-{view}-{page.viewport_size['width']}")


def test_a_click_on_a_run_brings_its_map_and_one_on_a_map_opens_the_caption_and_its_picture(
    server: Server, visit: Visit
) -> None:
    watched = visit(server, "cloud")
    page, runs, maps = watched.page, ".st-key-cloud_standing .js-plotly-plot", ".st-key-cloud_maps .js-plotly-plot"
    page.wait_for_selector(f"{maps} .main-svg")
    watched.settled()
    nothing_is_cut(watched)
    assert page.locator(".js-plotly-plot:visible").count() == 2, "all runs, and the maps"
    named = f"document.querySelector({maps!r}).layout.annotations.map(a => a.text)"
    assert "Loose · T 0.7" not in page.evaluate(named)
    k = page.evaluate(f"document.querySelector({runs!r})._fullData.find(t => t.name === 'Loose').customdata.flat()")
    x, y = page.evaluate(RUN, [runs, "Loose", k.index("Loose T=0.7")])
    press(watched, x, y)
    page.wait_for_url(re.compile("drawn="))
    watched.idle()
    page.wait_for_function(f"({named}).includes('Loose · T 0.7')")
    assert len(query(watched)["drawn"]) == 4
    page.locator(maps).scroll_into_view_if_needed()
    x, y, text = page.evaluate(MARK, [maps, "Loose · T 0.7"])
    page.mouse.move(x - 20, y)
    page.mouse.move(x, y, steps=4)
    page.wait_for_selector(".tl-thumbnail[src^='data:image/jpeg']", state="visible")
    press(watched, x, y)
    page.wait_for_url(re.compile("pick="))
    watched.idle()
    page.wait_for_selector(f'{TAB}[aria-selected="true"]:has-text("The chosen caption")')
    assert query(watched)["part"] == ["caption"]
    assert page.inner_text(".tl-caps q") == re.sub("<br>", " ", text.partition("<br><i>")[0])
    watched.check()

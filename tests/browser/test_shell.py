"""Test the frame around the pages as a browser sees it."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from data import demo
from tests.browser.conftest import HERE, Server, Tabs, Visit, Watched
from ui.frame.browser import charts_library
from ui.rooms import ENTRIES, ROOMS, Entry, room_of, title

pytestmark = pytest.mark.browser
MENU = [room for rooms in ROOMS.values() for room in rooms]
LINK = '[data-testid="stSidebarNavLink"]'
LOGO = '[data-testid="stSidebarLogo"]'


def headed(watched: Watched, title: str) -> bool:
    """Return whether the page's heading ends with its title in the menu.

    The heading of the first page is a finding about the study, so the small title above it is compared.
    """
    if title == MENU[0].title:
        return watched.page.inner_text(".tl-head").startswith(title)
    return watched.page.inner_text("h1").strip().casefold().endswith(title.casefold())


def heading(title: str) -> str:
    return f'.tl-head:has-text("{title}")' if title == MENU[0].title else f'h1:has-text("{title}")'


def menu(watched: Watched) -> list[str]:
    return [link.inner_text().strip().splitlines()[-1] for link in watched.page.query_selector_all(LINK)]


def switched(watched: Watched, theme: str) -> None:
    """Switch the system's colour scheme, and wait until the page has followed."""
    before = watched.page.get_attribute(LOGO, "src")
    watched.page.emulate_media(color_scheme=theme)
    watched.page.wait_for_function(
        "([logo, old]) => document.querySelector(logo)?.getAttribute('src') !== old", arg=[LOGO, before]
    )
    watched.idle()


def narrowed(watched: Watched, width: int) -> Watched:
    """Resize the window, which takes less time than opening the page again."""
    watched.page.set_viewport_size({"width": width, "height": 900})
    watched.page.wait_for_timeout(500)
    return watched.idle()


def framed(watched: Watched, entry: Entry) -> None:
    """Check that the menu shows the page's room, and that the page is a tab of its room."""
    room = room_of(entry.file)
    assert menu(watched) == [one.title for one in MENU]
    assert watched.page.inner_text(f'{LINK}[aria-current="page"]').splitlines()[-1] == room.title
    assert headed(watched, room.title)
    if len(room.entries) > 1:
        assert watched.page.inner_text(HERE) == title(entry, demo.load())
    assert watched.page.query_selector('[data-testid="stSidebarLogo"], [data-testid="stLogo"]')
    assert watched.page.query_selector(".tl-head")


def test_menu_and_library_of_charts_are_there_from_the_first_paint(fresh_server: Server, visit: Visit) -> None:
    """The first request to the server is a deep link; a page without charts fetches their library once it is drawn."""
    watched = visit(fresh_server, "dataset")
    framed(watched, next(entry for entry in ENTRIES if entry.file == "dataset"))
    fetched = f"() => performance.getEntriesByType('resource').some(entry => entry.name.endsWith('{charts_library()}'))"
    assert watched.page.query_selector(".js-plotly-plot") is None
    watched.page.wait_for_function(fetched)
    watched.open("")
    framed(watched, ENTRIES[0])
    watched.check()


def test_the_menu_has_what_this_study_can_fill_and_the_page_of_the_address(server: Server, visit: Visit) -> None:
    """The study has no runs; a page that has nothing to show says so if a link leads to it."""
    watched = visit(server, "dataset")
    lines = "\n".join(json.dumps({"id": f"{k}", "references": [f"a dog {k}"]}) for k in range(4)).encode()
    given = {"name": "people.jsonl", "mimeType": "application/json", "buffer": lines}
    watched.page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    watched.page.wait_for_url("**study=**")
    watched.idle()
    watched.page.wait_for_function(f"() => document.querySelectorAll('{LINK}').length === 5")
    assert menu(watched) == ["Overview", "Data", "Images", "Caption cloud", "Methods"], "a page alone has its own name"
    assert "Compare" not in watched.page.inner_text('[data-testid="stSidebarNav"]')
    study = parse_qs(urlsplit(watched.page.url).query)["study"][0]
    watched.open(f"coherence?study={study}")
    assert "Coherence" in menu(watched)
    assert watched.page.inner_text("h1") == "Coherence"
    assert watched.page.locator(".st-key-tl-tabs").count() == 0, "one tab would be nothing to choose from"
    watched.check()


def every_tab_is_in_view_on_a_phone(watched: Watched) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 900})
    tabs = watched.idle().page.locator(".st-key-tl-tabs a")
    ends = tabs.evaluate_all("all => all.map(tab => tab.getBoundingClientRect().right)")
    assert len(ends) > 3
    assert max(ends) <= 390
    assert watched.page.locator("h1").evaluate("e => e.getBoundingClientRect().top") < 60, "no hole below the header"


COUNT_RUNS = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  window.__runs = 0;
  new MutationObserver(() => { if (app.getAttribute('data-test-script-state') === 'running') window.__runs += 1; })
    .observe(app, {attributes: true, attributeFilter: ['data-test-script-state']});
}"""


def parts_are_ours(watched: Watched, ground: str) -> None:
    seen = watched.page.evaluate("""async () => {
      await document.fonts.ready;
      const style = (s) => getComputedStyle(document.querySelector(s));
      return {ground: style('[data-testid="stApp"]').backgroundColor, font: style('.tl-head').fontFamily,
              tabular: style('.tl-head').fontVariantNumeric,
              loaded: [...document.fonts].some(f => f.family.includes('IBM Plex Sans') && f.status === 'loaded')};
    }""")
    assert seen["ground"] == ground
    assert "IBM Plex Sans" in seen["font"]
    assert seen["loaded"]
    assert "tabular-nums" in seen["tabular"]


def test_a_tab_that_is_handed_on_has_stored_nothing(server: Server, tabs: Tabs) -> None:
    """Tests share tabs only for their compiled scripts."""
    first = tabs.take("light", 1440, 900)
    first.goto(f"{server.url}/_stcore/health")
    first.evaluate("() => { localStorage.a = 1; sessionStorage.a = 1; document.cookie = 'a=1'; }")
    tabs.give_back(Watched(first, server))
    again = tabs.take("dark", 900, 700)
    assert again is first
    kept = "() => [localStorage.length, sessionStorage.length, document.cookie, history.length, innerWidth]"
    assert again.evaluate(kept) == [0, 0, "", 1, 900]
    assert again.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    tabs.give_back(Watched(again, server))

"""Test the Tab order: the first stop leads to the menu, and the controls of the page follow."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
READY = "() => document.activeElement.dataset.testid === 'stMain'"
FOCUSED = """() => {
  let at = document.activeElement;
  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  const host = at.getRootNode().host ?? at, main = document.querySelector('[data-testid="stMain"]');
  const stops = [...main.querySelectorAll('a[href], button, input, select, textarea, summary, [role="tab"]')]
    .filter((one) => one.tabIndex >= 0 && one.type !== 'file');
  const text = at.innerText || at.getAttribute('aria-label') || '';
  return {inside: main.contains(host), text, place: stops.indexOf(at)};
}"""


def tab(watched: Watched, times: int = 1) -> dict[str, object]:
    for _ in range(times):
        watched.page.keyboard.press("Tab")
    return dict(watched.page.evaluate(FOCUSED))


def begins_with_its_own_controls(watched: Watched) -> None:
    """The first control of the page is the second stop; `test_accessibility` checks this on every page."""
    watched.page.wait_for_function(READY)
    assert tab(watched)["text"] == "Go to the menu"
    first = tab(watched)
    assert (first["inside"], first["place"]) == (True, 0)


def test_a_page_chosen_in_the_menu_begins_with_its_own_controls(server: Server, visit: Visit) -> None:
    watched = visit(server, "leaderboard")
    page = watched.page
    page.wait_for_function(READY)
    assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "none"
    # Streamlit frames the page it focuses by a shadow before its content.
    frame = "() => getComputedStyle(document.activeElement, '::before').boxShadow"
    assert page.evaluate(frame) == "none"
    tab(watched)
    page.keyboard.press("Enter")
    here = page.evaluate("() => document.activeElement.innerText")
    assert "Leaderboard" in here
    assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab(watched, 3)
    assert "Images" in page.evaluate("() => document.activeElement.innerText")
    page.keyboard.press("Enter")
    page.wait_for_selector('h1:has-text("Images")')
    watched.idle()
    begins_with_its_own_controls(watched)
    panels_have_the_focus_and_give_it_back(watched)
    watched.check()


IN_PANEL = (
    """() => document.querySelector('[data-testid="stPopoverBody"]')?.contains(document.activeElement) ?? false"""
)


def panels_have_the_focus_and_give_it_back(watched: Watched) -> None:
    page = watched.page
    for name in ("Runs:", "Options"):
        button = page.get_by_test_id("stPopover").get_by_role("button", name=name)
        button.focus()
        page.keyboard.press("Enter")
        page.wait_for_function(IN_PANEL)
        page.keyboard.press("Escape")
        page.wait_for_selector('[data-testid="stPopoverBody"]', state="detached")
        page.wait_for_function("name => document.activeElement.innerText.includes(name)", arg=name)
        page.keyboard.press("Enter")
        page.wait_for_function(IN_PANEL)
        page.keyboard.press("Escape")
        page.wait_for_selector('[data-testid="stPopoverBody"]', state="detached")


ROWS = {"words": "word", "critique": "critic", "paired": "main"}
"""Pages with a chart of rows, and what a click on a row sets in the address; `test_accessibility` opens these pages."""


def tab_reaches_the_rows_and_enter_opens_one(watched: Watched, name: str) -> None:
    page = watched.settled().page
    page.wait_for_selector(".js-plotly-plot path[tabindex]:visible")
    rows = page.locator(".js-plotly-plot path[tabindex]:visible")
    rows.nth(rows.count() - 2).focus()  # A page may begin with its first rows, never with the last.
    tab(watched)
    assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
    label = page.evaluate("() => document.activeElement.ariaLabel")
    page.keyboard.press("Enter")
    page.wait_for_function("name => new URL(location).searchParams.has(name)", arg=name)
    watched.idle()
    page.wait_for_function("label => document.activeElement.ariaLabel === label", arg=label)

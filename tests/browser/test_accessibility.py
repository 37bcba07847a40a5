"""Test every page by its address: its frame, Tab order, amount of text, and no serious violation of WCAG 2.1 AA."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Server, Visit
from tests.browser.test_keyboard import ROWS, begins_with_its_own_controls, tab_reaches_the_rows_and_enter_opens_one
from tests.browser.test_measure import ONE_SCREEN, is_one_screen_and_soon_read
from tests.browser.test_shell import (
    COUNT_RUNS,
    every_tab_is_in_view_on_a_phone,
    framed,
    parts_are_ours,
    switched,
)
from ui.rooms import ENTRIES, Entry, room_of

pytestmark = pytest.mark.browser
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"], "resultTypes": ["violations"]}
"""The rules that depend on the theme."""
GRAVE = {"serious", "critical"}
# Streamlit draws its navigation itself, with list items inside elements that are not lists, and lets a formula scroll
# by the pixel or two that KaTeX rounds.
NOT_OURS = {"exclude": [["[data-testid='stSidebarNavItems']"], [".katex-display"]]}


def grave(page, rules=RULES) -> list[str]:
    if page.evaluate("!window.axe"):
        page.evaluate(Axe().axe_script)
    found = page.evaluate("given => axe.run(...given)", [NOT_OURS, rules])["violations"]
    return [
        f"{v['id']} ({v['impact']}): {node['target']} {node['html'][:160]}"
        for v in found
        if v["impact"] in GRAVE
        for node in v["nodes"]
    ]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.file)
def test_every_page_opens_by_its_address_without_a_serious_finding(server: Server, visit: Visit, entry: Entry) -> None:
    """One visit covers all checks, since opening a page takes longer than most of them."""
    shown = visit(server, "" if entry.default else entry.file, theme="light")
    framed(shown, entry)
    parts_are_ours(shown, "rgb(255, 255, 255)")
    assert not shown.page.query_selector('[role="dialog"]')
    if entry.file in ONE_SCREEN:
        is_one_screen_and_soon_read(shown)
    assert grave(shown.page) == []
    begins_with_its_own_controls(shown)
    if entry.default:  # the last of its findings
        shown.page.wait_for_selector('a:has-text("Metrics: Unique vs correct")')
        shown.settled()
    switched(shown, "dark")
    shown.page.evaluate(COUNT_RUNS)
    parts_are_ours(shown, "rgb(20, 20, 19)")
    assert grave(shown.page, COLOURS) == []
    if entry.default:  # no job is left whose numbers it awaits
        shown.page.wait_for_timeout(3_000)
        assert shown.page.evaluate("window.__runs") == 0, "no script runs after the switch"
    if entry.file != "triangles":  # whose address says which run and image it begins with
        assert shown.page.evaluate("location.search") == "", "nothing was chosen on this page"
    if entry.file == "words":  # whose room lacks no page of the demo
        tabs = shown.page.locator(".st-key-tl-tabs a").all_inner_texts()
        assert tabs == [one.title for one in room_of(entry.file).entries]
    if entry.file in ROWS:
        tab_reaches_the_rows_and_enter_opens_one(shown, ROWS[entry.file])
    if entry.file == "coherence":
        every_tab_is_in_view_on_a_phone(shown)
    shown.check()


def test_the_check_finds_what_is_wrong(browser: Any) -> None:
    page = browser.new_context().new_page()
    page.set_content(
        '<html lang="en"><title>x</title><h1 style="color:#bbb">too pale</h1><img src="data:,"><input></html>'
    )
    assert {finding.partition(" ")[0] for finding in grave(page)} >= {"image-alt", "label"}
    assert [finding.partition(" ")[0] for finding in grave(page, COLOURS)] == ["color-contrast"]
    page.context.close()

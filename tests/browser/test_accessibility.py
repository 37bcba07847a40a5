"""Test every page by its address: frame, order of Tab, amount of text, and no serious violation of WCAG 2.1 AA."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Server, Visit
from tests.browser.test_keyboard import begins_with_its_own_controls
from tests.browser.test_measure import ONE_SCREEN, is_one_screen_and_soon_read
from tests.browser.test_shell import framed, switched
from ui.rooms import ENTRIES, Entry, room_of

pytestmark = pytest.mark.browser
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"], "resultTypes": ["violations"]}
"""The rules that a theme can break; everything else is the same in both themes."""
GRAVE = {"serious", "critical"}
# Streamlit draws its navigation itself, with list items inside elements that are not lists, and lets a formula scroll
# by the pixel or two that KaTeX rounds.
NOT_OURS = {"exclude": [["[data-testid='stSidebarNavItems']"], [".katex-display"]]}


def grave(page, rules=RULES) -> list[str]:
    found = Axe().run(page, NOT_OURS, rules).response["violations"]
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
    framed(shown, room_of(entry.file).title)
    assert not shown.page.query_selector('[role="dialog"]')
    if entry.file in ONE_SCREEN:
        is_one_screen_and_soon_read(shown)
    assert grave(shown.page) == []
    begins_with_its_own_controls(shown)
    switched(shown, "dark")
    assert grave(shown.page, COLOURS) == []
    if entry.file != "triangles":  # whose address says which run and image it begins with
        assert shown.page.evaluate("location.search") == "", "nothing was chosen on this page"
    shown.check()


def test_the_check_finds_what_is_wrong(server: Server, visit: Visit) -> None:
    shown = visit(server, "methods?find=vendi")
    shown.page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=\"data:,\"><input>')")
    assert {finding.partition(" ")[0] for finding in grave(shown.page)} >= {"image-alt", "label"}
    shown.page.evaluate("document.querySelector('h1').style.color = '#bbb'")
    assert [finding.partition(" ")[0] for finding in grave(shown.page, COLOURS)] == ["color-contrast"]

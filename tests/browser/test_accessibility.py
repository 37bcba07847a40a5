"""axe-core on every page, in both themes: no serious or critical violation of WCAG 2.1 AA."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Server, Visit
from ui.shell import NAVIGATION

PAGES = [entry.file for entries in NAVIGATION.values() for entry in entries]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}
GRAVE = {"serious", "critical"}
# Streamlit draws its navigation itself, with list items inside elements that are no lists, and lets a formula scroll
# by the pixel or two that KaTeX rounds.
NOT_OURS = {"exclude": [["[data-testid='stSidebarNavItems']"], [".katex-display"]]}


def grave(page) -> list[str]:
    """The serious and critical findings, each with the parts of the page that it names."""
    found = Axe().run(page, NOT_OURS, RULES).response["violations"]
    return [
        f"{v['id']} ({v['impact']}): {node['target']} {node['html'][:160]}"
        for v in found
        if v["impact"] in GRAVE
        for node in v["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("file", PAGES)
def test_no_serious_finding(server: Server, visit: Visit, file: str, theme: str) -> None:
    shown = visit(server, "" if file == "overview" else file, theme=theme)
    assert grave(shown.page) == []
    shown.check()


def test_the_check_finds_what_is_wrong(server: Server, visit: Visit) -> None:
    shown = visit(server, "methods")
    shown.page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=\"data:,\"><input>')")
    assert {finding.partition(" ")[0] for finding in grave(shown.page)} >= {"image-alt", "label"}

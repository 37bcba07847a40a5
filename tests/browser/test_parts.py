"""Test the parts of a page in a browser: text is never markup, figures and tables download, and keys reach all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Server, Visit, Watched, serving
from tests.browser.parts import HOSTILE, page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("parts"), page) as running:
        yield running


def test_texts_stay_texts_tables_leave_as_files_and_the_keyboard_scrolls_a_wide_table(
    parts: Server, visit: Visit
) -> None:
    watched = visit(parts, theme="dark", width=900)
    tab = watched.page
    tab.wait_for_selector(".js-plotly-plot .infolayer .annotation")
    assert tab.evaluate("window.hacked") is None
    assert tab.inner_text("h1").strip() == HOSTILE[0]
    said = tab.eval_on_selector_all(".tl-caps q", "all => all.map(q => q.textContent)")
    assert said == [*HOSTILE[:3], HOSTILE[3].replace("\ud800", "\ufffd")]
    right_to_left = tab.eval_on_selector_all(".tl-caps li", "all => all.map(li => getComputedStyle(li).direction)")
    assert right_to_left == ["ltr", "ltr", "rtl", "ltr"]
    assert tab.query_selector_all("[class^=tl-] script, [class^=tl-] img[src=x]") == []
    the_keyboard_reaches_a_wide_table_and_scrolls_it(watched)
    tables_leave_as_csv_and_latex(watched)
    watched.check()


def save(watched: Watched, press: str) -> tuple[str, bytes]:
    with watched.page.expect_download() as waiting:
        watched.page.click(press)
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def tables_leave_as_csv_and_latex(watched: Watched) -> None:
    name, csv = save(watched, 'button:has-text("CSV")')
    lines = csv.decode().splitlines()
    assert name == "trilens-scores.csv"
    assert lines[0] == "Run,TRM"
    assert lines[2].endswith(",0.123456789")
    assert lines[3] == "رجل يركب دراجة,"
    name, tex = save(watched, 'button:has-text("LaTeX")')
    assert name == "trilens-scores.tex"
    assert r"\textbf{0.123}" in tex.decode()


def the_keyboard_reaches_a_wide_table_and_scrolls_it(watched: Watched) -> None:
    tab = watched.page
    for _ in range(60):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.className").startswith("tl-scroll"):
            break
    assert tab.evaluate("document.activeElement.className") == "tl-scroll wide"
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Leaderboard")
    for _ in range(5):
        tab.keyboard.press("ArrowRight")
    tab.wait_for_function("document.activeElement.scrollLeft > 60")  # past the column of ranks
    name = tab.evaluate("document.querySelector('tbody th.rn').getBoundingClientRect().left")
    assert name == pytest.approx(tab.evaluate("document.activeElement.getBoundingClientRect().left"), abs=1)

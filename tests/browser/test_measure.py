"""Test that the Data page with many findings fits on one screen, and has little to read before anything is opened."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
HIGHEST, MOST = 1400, 300
CAPTIONS = "q, .tl-side p, .tl-top b"
LABELS = ".xtick, .ytick, .annotation-text"
"""Selectors of labels in charts: numbers on axes, and names of rows."""
WORDS = """gone => {
  const page = document.querySelector('[data-testid="stMainBlockContainer"]');
  const style = document.createElement('style');
  style.textContent = `:is(${gone}) { display: none !important; }`;
  document.head.append(style);
  const words = page.innerText.split(/\\s+/).filter(word => /\\p{L}/u.test(word));
  style.remove();
  return words;
}"""


ONE_SCREEN = ("overview", "dataset", "leaderboard", "sweeps", "frontier", "paired")
"""Pages that fit on one screen with the demo; `test_accessibility` opens them."""


def is_one_screen_and_soon_read(watched: Watched) -> None:
    """Fail unless the page fits one screen and has few words; captions and the labels of charts do not count."""
    page = watched.page
    words = page.evaluate(WORDS, f"{CAPTIONS}, {LABELS}")
    assert 40 < len(words) < MOST, " ".join(words)
    assert page.evaluate("""document.querySelector('[data-testid="stMain"]').scrollHeight""") <= HIGHEST


def messy(runs: int) -> bytes:
    """Make a file with one invalid line and, for each run, warnings about empty and long captions, among others."""
    lines = [
        {
            "id": f"item-with-a-very-long-name-of-its-own-{k % 35}",
            "references": ["a dog", "the dog in a park", "a brown dog"][: 3 if k % 5 else 0],
            "candidates": {
                f"a run with a long name {run}": [
                    "",
                    "caf\u00c3\u00a9 dog",
                    f"a dog {'x' * (2500 if k % 9 == 0 else 1)}",
                ]
                for run in range(runs)
            },
        }
        for k in range(40)
    ]
    return "\n".join([*map(json.dumps, lines), "{broken"]).encode()


def test_findings_and_errors_leave_the_data_page_one_screen(server: Server, visit: Visit) -> None:
    """The worst findings are visible first; the others open in place."""
    watched = visit(server, "dataset")
    page = watched.page
    for content, said in ((b"{}\n[1,\nx", "Still open"), (messy(30), "Checks")):
        given = {"name": "messy.jsonl", "mimeType": "text/plain", "buffer": content}
        page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
        page.wait_for_selector(f':text("{said}")')
        watched.idle()
        assert page.locator(".tl-check.tl-error:visible").count() >= 1
        assert page.locator(".tl-check:visible").count() <= 4
        assert page.evaluate("""document.querySelector('[data-testid="stMain"]').scrollHeight""") <= HIGHEST
    watched.check()

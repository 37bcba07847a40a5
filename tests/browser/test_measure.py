"""One screen a page: how high the first pages are, and how much there is to read before opening anything."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, Visit

pytestmark = pytest.mark.browser
HIGHEST, MOST = 1400, 300
CAPTIONS = "q, .tl-side p, .tl-top b"
LABELS = ".xtick, .ytick, .annotation-text"
"""Of the axes and the rows of charts: numbers and the names of runs."""
WORDS = """gone => {
  const page = document.querySelector('[data-testid="stMainBlockContainer"]');
  const style = document.createElement('style');
  style.textContent = `:is(${gone}) { display: none !important; }`;
  document.head.append(style);
  const words = page.innerText.split(/\\s+/).filter(word => /\\p{L}/u.test(word));
  style.remove();
  return words;
}"""


@pytest.mark.parametrize("name", ["", "dataset", "leaderboard", "sweeps", "frontier", "paired"])
def test_a_page_of_the_demo_is_one_screen_and_soon_read(server: Server, visit: Visit, name: str) -> None:
    """Captions are data, and labels of axes are looked up, not read."""
    watched = visit(server, name)
    page = watched.page
    page.wait_for_selector(".tl-ov-key" if not name else ".tl-head")
    watched.idle()
    words = page.evaluate(WORDS, f"{CAPTIONS}, {LABELS}")
    assert 40 < len(words) < MOST, " ".join(words)
    assert page.evaluate("""document.querySelector('[data-testid="stMain"]').scrollHeight""") <= HIGHEST
    watched.check()

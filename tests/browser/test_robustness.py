"""Test Robustness as a person uses it: watch the cells fill in, open one, save the grid, see sets, open the link."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
VIEW = "robustness?faults=word_permutation&faults=dropped_words&scores=bleu_1&scores=rouge_l&set_scores=distinct_2"


def drawn(watched: Watched, cells: int) -> str:
    watched.page.wait_for_function(
        "n => document.querySelectorAll('.tl-rb a').length === n && !document.querySelector('.tl-rb .w')",
        arg=cells,
        timeout=180_000,
    )
    watched.page.wait_for_selector(".tl-verdict")
    return str(watched.idle().page.inner_text(".tl-verdict p"))


def test_cells_fill_in_and_one_opens_its_example(server: Server, visit: Visit) -> None:
    watched = visit(server, VIEW)
    page = watched.page
    first = drawn(watched, 4)
    assert re.match(
        r"BLEU-1 hardly notices shuffled words\. \S+ notices shuffled words best: "
        r"damaged captions keep 0\.\d\d \(.*\) of their score\.",
        first,
    )
    assert len(first.split()) <= 35
    page.locator(".tl-rb a").nth(3).click()
    page.wait_for_url("**cell=dropped_words.**")
    page.wait_for_selector("text=One caption: dropped words, 60 %")
    asked = parse_qs(urlsplit(page.url).query)
    assert asked["faults"] == ["word_permutation", "dropped_words"]
    page.locator(".st-key-robustness_swap button").first.click()
    page.wait_for_selector("[data-testid=stDataFrame]")
    watched.check()

"""Test a study of responses to prompts, without references, from its file to the Leaderboard and the Images page."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.browser.conftest import Server, Visit

pytestmark = pytest.mark.browser
WORDS = ["dog", "cat", "boat", "tree", "road", "lake", "bird", "house", "cloud", "stone", "river", "field"]


def responses(seed: int = 3) -> bytes:
    """Make three runs that answer each of twelve prompts four times, with one, few or many different words."""
    rng, kinds = np.random.default_rng(seed), {"same": 1, "few": 4, "many": len(WORDS)}
    lines = [
        {
            "id": f"prompt {k}",
            "candidates": {
                run: [f"A {' '.join(rng.choice(WORDS[:size], 5))}." for _ in range(4)] for run, size in kinds.items()
            },
        }
        for k in range(12)
    ]
    return "\n".join(json.dumps(line) for line in lines).encode()


def test_diversity_has_values_and_what_needs_references_says_so(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    page = watched.page
    given = {"name": "responses.jsonl", "mimeType": "application/jsonl", "buffer": responses()}
    page.set_input_files('[data-testid="stFileUploader"] input[type=file]', [given])
    page.wait_for_selector('.tl-fig:has-text("Checks")')
    watched.idle()
    study = page.url.partition("?")[2]
    page.goto(f"{server.url}/leaderboard?{study}")
    page.wait_for_selector(".tl-board")
    watched.idle()
    board = page.inner_text(".tl-board")
    assert all(run in board for run in ("same", "few", "many"))
    page.wait_for_function("!document.querySelector('.tl-board .tl-wait')")
    rows = {row.strip().split("\n")[0]: row for row in page.locator(".tl-board tr.run").all_inner_texts()}
    assert rows.keys() == {"same", "few", "many"}
    bar, title = page.locator('[data-testid="stMain"] button:has-text("Metrics")'), page.locator("h1")
    left, of_title = (one.first.evaluate("e => e.getBoundingClientRect().left") for one in (bar, title))
    assert abs(left - of_title) < 4, "no gap for a control that ranks, where nothing ranks"
    assert any(mark in page.inner_text(".tl-board thead").lower() for mark in ("distinct", "self-bleu"))
    assert all(any(char.isdigit() for char in row) for row in rows.values())
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}/leaderboard?{study}&runs=many")
    page.wait_for_selector(".tl-board .second .iv")
    watched.idle()
    assert page.locator(".tl-board .second .iv").is_visible(), "a lone value keeps its interval on a phone"
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{server.url}/?{study}")
    page.wait_for_selector(".tl-ov-deck")
    watched.idle()
    title, below = (
        page.locator(part).evaluate("e => e.getBoundingClientRect().toJSON()") for part in ("h1", ".tl-ov-deck")
    )
    assert below["y"] - title["y"] - title["height"] > 6, "what the page is about does not touch its title"
    watched.check()

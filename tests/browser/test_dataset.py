"""Test the Data page as a browser sees it: dropped files, a repair, links to other pages, and separate sessions."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
REFERENCES = {
    "1": ["A dog runs.", "A dog is running.", "A dog on grass."],
    "2": ["Two cats.", "Cats on a sofa.", "A cat at home."],
}
RUN = {"1": ["A dog.", "A big dog.", "Dogs run."], "2": ["A cat.", "Two cats sit.", "A black cat.", ""]}


def drop(watched: Watched, **files: object) -> None:
    given = [
        {"name": f"{name}.json", "mimeType": "application/json", "buffer": json.dumps(content).encode()}
        for name, content in files.items()
    ]
    watched.page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    watched.page.wait_for_selector('.tl-fig:has-text("Checks")')
    watched.idle()


def test_from_an_upload_and_a_repair_to_the_leaderboard_and_a_triangle(server: Server, visit: Visit) -> None:
    """Links keep the study, and defaults start only quick computations; another session still has the demo."""
    watched = visit(server, "dataset")
    drop(watched, references=REFERENCES, mine=RUN)
    page = watched.page
    assert "2 items" in page.inner_text(".tl-verdict")
    page.get_by_role("button", name="Leave them out").click()
    page.get_by_role("button", name="Undo").wait_for()
    watched.idle()
    stranger = visit(server, "dataset")
    assert "This is the demo" in stranger.page.inner_text(".tl-verdict")
    watched.follow(page.get_by_role("link", name="Leaderboard"))
    page.wait_for_selector(".tl-board")
    assert "mine" in page.inner_text(".tl-board")
    assert "METEOR" in page.inner_text(".tl-board thead")
    page.goto(f"{server.url}/triangles?{page.url.partition('?')[2]}")
    page.wait_for_selector('.tl-verdict:has-text("TRM")')
    watched.idle()
    assert "study=" in page.url
    for one in (watched, stranger):
        one.check()

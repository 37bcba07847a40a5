"""Test the Data page as a browser sees it: dropped files, a repair, links to other pages, and separate sessions."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
REFERENCES = {"1": ["A dog runs.", "A dog is running."], "2": ["Two cats.", "Cats on a sofa."]}
RUN = {"1": ["A dog.", "A big dog."], "2": ["A cat.", ""]}


def drop(watched: Watched, **files: object) -> None:
    given = [
        {"name": f"{name}.json", "mimeType": "application/json", "buffer": json.dumps(content).encode()}
        for name, content in files.items()
    ]
    watched.page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given)
    watched.page.wait_for_selector('.tl-fig:has-text("Checks")')
    watched.idle()


def test_first_start_leads_on(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    assert "This is the demo" in watched.page.inner_text(".tl-verdict")
    watched.follow(watched.page.get_by_role("link", name="What they say"))
    watched.page.wait_for_selector("h1.tl-ov-head")
    watched.idle()
    watched.check()


def test_files_open_and_the_link_opens_them_elsewhere(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    drop(watched, references=REFERENCES, mine_t0=RUN)
    page = watched.page
    assert "study=" in page.url
    assert "2 items" in page.inner_text(".tl-verdict")
    page.get_by_role("button", name="Leave them out").click()
    page.get_by_role("button", name="Undo").wait_for()
    watched.idle()
    other = visit(server, page.url.removeprefix(server.url))
    assert "2 items" in other.page.inner_text(".tl-verdict")
    stranger = visit(server, "dataset")
    assert "This is the demo" in stranger.page.inner_text(".tl-verdict")
    for one in (watched, other, stranger):
        one.check()


def test_from_an_upload_to_the_leaderboard_and_a_triangle_whose_link_opens_the_same_view(
    server: Server, visit: Visit
) -> None:
    """Links keep the study, and the defaults start quick computations."""
    watched = visit(server, "dataset")
    people = {"1": [*REFERENCES["1"], "A dog on grass."], "2": [*REFERENCES["2"], "A cat at home."]}
    said_of = {"1": ["A dog.", "A big dog.", "Dogs run."], "2": ["A cat.", "Two cats sit.", "A black cat."]}
    drop(watched, references=people, mine=said_of)
    page = watched.page
    watched.follow(page.get_by_role("link", name="Leaderboard"))
    page.wait_for_selector(".tl-board")
    assert "mine" in page.inner_text(".tl-board")
    assert "METEOR" in page.inner_text(".tl-board thead")
    page.goto(f"{server.url}/triangles?{page.url.partition('?')[2]}")
    page.wait_for_selector('.tl-verdict:has-text("TRM")')
    watched.idle()
    said = page.inner_text(".tl-verdict")
    assert "TRM" in said
    other = visit(server, page.url.removeprefix(server.url))
    other.page.wait_for_selector('.tl-verdict:has-text("TRM")')
    assert other.page.inner_text(".tl-verdict") == said
    assert "study=" in other.page.url
    for one in (watched, other):
        one.check()

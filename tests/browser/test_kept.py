"""Test studies kept on the server as a browser sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Server, Visit, start_server, stop_server

pytestmark = pytest.mark.browser
REFERENCES = json.dumps({"1": ["a dog runs", "the dog runs"], "2": ["a cat", "the cat sits"]}).encode()
RUN = json.dumps({"1": ["a dog", "dogs"], "2": ["cats", "a cat"]}).encode()
NAME = "mine: $5 **bold** <b>x</b> ../up"


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Server]:
    shelf = tmp_path / "studies"
    shelf.mkdir()
    running = start_server(tmp_path, TRILENS_STUDIES=str(shelf))
    yield running
    stop_server(running)


def test_a_kept_study_outlives_the_one_that_is_closed(keeper: Server, visit: Visit) -> None:
    watched = visit(keeper, "dataset")
    page = watched.page
    files = [("references.json", REFERENCES), ("mine_t0.7.json", RUN)]
    page.set_input_files(
        '[data-testid="stFileUploader"] input[type=file]',
        [{"name": name, "mimeType": "application/json", "buffer": content} for name, content in files],
    )
    page.wait_for_url("**study=**")
    watched.idle()
    page.get_by_role("button", name="Kept studies: 0").click()
    field = page.get_by_placeholder("a name that distinguishes it")
    field.fill(NAME)
    field.press("Enter")
    page.get_by_role("button", name="Keep this study").click()
    page.get_by_text("with every number that is finished").wait_for()
    watched.idle()
    other = visit(keeper, "dataset")
    other.page.get_by_role("button", name="Kept studies: 1").click()
    other.page.get_by_text(NAME).wait_for()
    other.page.get_by_role("button", name="Open", exact=True).click()
    other.page.wait_for_url("**study=**")
    other.idle()
    assert "2 items and 1 run" in other.page.inner_text(".tl-verdict")
    for one in (watched, other):
        one.check()

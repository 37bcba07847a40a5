"""Test in a browser that a run is hidden, a file added, and an item starred and noted, and that the bundle has all of
this.
"""

from __future__ import annotations

import json

import pytest

from data.load import load_study
from metrics.analysis.bundle import checked
from tests.browser.conftest import Server, Visit

pytestmark = pytest.mark.browser
IDS = ["1", "2"]
REFERENCES = json.dumps({"1": ["a dog runs", "the dog runs"], "2": ["a cat", "the cat sits"]}).encode()
NOTE = "$5 **bold** <b>x</b>"
UPLOADER = '[data-testid="stFileUploader"] input[type=file]'


def run(text: str) -> bytes:
    return json.dumps({id: [text, f"{text} again"] for id in IDS}).encode()


def files(**given: bytes) -> list[dict[str, object]]:
    return [{"name": f"{name}.json", "mimeType": "application/json", "buffer": raw} for name, raw in given.items()]


def test_a_study_is_arranged_and_its_bundle_holds_it(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    page = watched.page
    page.set_input_files(UPLOADER, files(references=REFERENCES, first=run("a dog"), second=run("a cat")))
    page.wait_for_url("**study=**")
    watched.idle()
    page.get_by_role("button", name="Hide or regroup runs").click()
    panel = page.get_by_test_id("stPopoverBody")
    panel.get_by_role("button", name="second").click()
    watched.idle()
    panel.get_by_role("button", name="Hide them").click()
    page.get_by_text("1 of 2 runs is hidden.").wait_for()
    watched.idle()
    link = page.url

    other = visit(server, link.split("/")[-1])
    other.page.set_input_files(UPLOADER, files(third=run("a kite")))
    other.page.get_by_text("1 run (third) can be added to").wait_for()
    other.page.get_by_role("button", name="Add to").click()
    other.page.get_by_text("Added 1 run (third).").wait_for()
    other.page.get_by_text("1 of 3 runs is hidden.").wait_for()
    other.idle()

    images = visit(server, link.split("/")[-1].replace("dataset", "images"))
    images.page.get_by_role("button", name="☆").click()
    images.page.get_by_role("button", name="★").wait_for()
    images.idle()
    images.page.get_by_role("button", name="Add a note").click()
    field = images.page.get_by_placeholder("What is worth remembering here?")
    field.fill(NOTE)
    field.press("Control+Enter")
    images.page.locator(".tl-memo p").get_by_text(NOTE, exact=True).wait_for()
    images.idle()

    page.reload()
    watched.idle()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Study bundle").click()
    loaded = checked(load_study([saved.value.path()]))
    assert loaded.study is not None
    assert [one.name for one in loaded.study.runs] == ["first", "second", "third"]
    assert (loaded.marks.hidden, loaded.marks.stars, loaded.marks.notes) == ({"second"}, {"1"}, {"1": NOTE})
    for one in (watched, other, images):
        one.check()

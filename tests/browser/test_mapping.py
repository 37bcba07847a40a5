"""Test how a person assigns roles to the unknown fields of a file on the Data page."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
ROWS = [{"a": str(k), "b": f"a dog number {k}", "c": ["one dog", "a brown dog"], "d": "x"} for k in (1, 2, 3)]


def drop(watched: Watched, name: str) -> None:
    content = "\n".join(map(json.dumps, ROWS)).encode()
    file = {"name": name, "mimeType": "application/json", "buffer": content}
    watched.page.set_input_files('[data-testid="stFileUploader"] input[type=file]', [file])


def choose(watched: Watched, name: str, role: str) -> None:
    watched.page.get_by_role("combobox", name=f"Role of {name}").click()
    watched.page.get_by_role("option", name=role, exact=True).click()
    watched.idle()


def test_unknown_fields_are_asked_for_and_remembered(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    drop(watched, "odd.jsonl")
    page = watched.page
    page.get_by_text("What is in odd.jsonl?").wait_for()
    watched.idle()
    # The roles that the message proposes are filled in, and nothing is read before a person says so.
    read = page.get_by_role("button", name="Read the file like this")
    for name, role in zip("abcd", ("the id of the image", "captions by a model", "not used", "not used")):
        expect(page.get_by_role("combobox", name=f"Role of {name}")).to_have_value(role)
    record = page.locator(".tl-facts")
    expect(record).to_have_text("Image1odda dog number 1")
    assert read.is_enabled()
    assert page.locator('.tl-verdict:has-text("3 items")').count() == 0
    choose(watched, "b", "about the image")
    page.get_by_text("Say which field holds the candidates, the references or the ratings.").wait_for()
    assert read.is_disabled()
    for name, role in (("b", "captions by a model"), ("c", "captions by people")):
        choose(watched, name, role)
    expect(record).to_have_text("Image1Peopleone dogPeoplea brown dogodda dog number 1")
    choose(watched, "d", "captions by a model")
    expect(record).to_have_text("Image1Peopleone dogPeoplea brown dogba dog number 1dx")
    choose(watched, "d", "not used")
    read.click()
    page.wait_for_selector('.tl-verdict:has-text("3 items")')
    watched.idle()
    # Another file with these fields is read in the same way, until the roles are taken back.
    drop(watched, "next.jsonl")
    page.get_by_text("Which field is what in odd.jsonl and 1 more file with the same fields").click()
    watched.idle()
    assert page.get_by_text("What was open before is still open").count() == 0
    page.get_by_role("button", name="Undo the roles").filter(visible=True).click()
    page.get_by_text("What was open before is still open").wait_for()
    watched.idle()
    assert page.get_by_role("button", name="Undo the roles").count() == 0
    watched.check()

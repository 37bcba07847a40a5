"""The button that copies the address of a view."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import Server, Visit

pytestmark = pytest.mark.browser
NAME = "$5 **bold** <b>study</b>"
FILE = json.dumps(
    {
        "name": NAME,
        "items": [
            {
                "id": f"i{k}",
                "references": ["a dog runs", "the dog is running"],
                "candidates": {"m": ["dogs run", "a dog"]},
            }
            for k in range(3)
        ],
    }
).encode()


def test_a_link_is_copied_by_keyboard_and_opens_the_uploaded_study(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    page.set_input_files('input[type="file"]', [{"name": "mine.json", "mimeType": "application/json", "buffer": FILE}])
    page.wait_for_url("**study=**")
    watched.idle()
    button = page.get_by_role("button", name="Copy link")
    assert button.count() == 1
    assert "until you close the study" in button.get_attribute("title")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector('[role="status"]:has-text("Copied")')
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url
    other = visit(server, copied.removeprefix(server.url))
    assert other.page.inner_text(".tl-study b") == page.inner_text(".tl-study b")
    watched.check()
    other.check()


def test_without_a_clipboard_it_is_copied_the_older_way_or_said(server: Server, visit: Visit) -> None:
    """Pages of other machines without https have no clipboard of their own."""
    watched = visit(server, "methods?find=vendi")
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    clipboard = "Object.defineProperty(navigator, 'clipboard', {configurable: true, get: () => undefined})"
    page.evaluate(f"() => {{ window.__read = navigator.clipboard; {clipboard}; }}")
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_selector('[role="status"]:has-text("Copied")')
    assert page.evaluate("window.__read.readText()").endswith("/methods?find=vendi")
    page.evaluate("() => { document.execCommand = () => false; }")
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_selector('[role="status"]:has-text("Not copied: copy the address above")')
    watched.check()

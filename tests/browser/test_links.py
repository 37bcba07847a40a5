"""Test the button that copies the address of a view."""

from __future__ import annotations

import json
import re

import pytest

from tests.browser.conftest import Server, Visit, Watched

pytestmark = pytest.mark.browser
NAME = "$5 **bold** <b>study<b>"
FILE = json.dumps(
    {
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


def test_a_link_is_copied_closing_asks_and_can_be_undone_and_the_link_says_what_it_was(
    server: Server, visit: Visit
) -> None:
    watched = visit(server, "dataset")
    page = watched.page
    page.set_input_files(
        'input[type="file"]', [{"name": f"{NAME}.json", "mimeType": "application/json", "buffer": FILE}]
    )
    page.wait_for_url("**study=**")
    watched.idle()
    link = copied_by_keyboard(watched).removeprefix(server.url)
    dialog = page.get_by_role("dialog")
    page.get_by_role("button", name="Close this study").click()
    dialog.get_by_text("Its link stops working").wait_for()
    assert dialog.get_by_role("button", name="Save a bundle first").is_enabled()
    dialog.get_by_role("button", name="Keep it open").click()
    dialog.wait_for(state="detached")
    watched.idle()
    assert "study=" in page.url
    page.get_by_role("button", name="Close this study").click()
    dialog.get_by_role("button", name="Close it").click()
    page.get_by_text("The top of the page has a way back").wait_for()
    page.get_by_role("button", name="Open it again").wait_for()
    watched.idle()
    assert "study=" not in page.url
    old = visit(server, link)
    assert old.page.inner_text("h1") == "This study is not here any more"
    assert old.page.inner_text(".tl-empty b") == NAME
    assert old.page.url.endswith(link)
    old.follow(old.page.get_by_role("link", name="Open the demo"))
    old.page.wait_for_selector("h1.tl-ov-head")
    page.get_by_role("button", name="Open it again").click()
    page.wait_for_url("**study=**")
    watched.idle()
    assert page.url.endswith(link)
    again = visit(server, link)
    assert again.page.inner_text(".tl-study b") == NAME
    is_copied_without_a_clipboard_or_said(again)
    for one in (watched, old, again):
        one.check()


def copied_by_keyboard(watched: Watched) -> str:
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=watched.server.url)
    button = page.get_by_role("button", name="Copy link")
    assert button.count() == 1
    assert "until you close the study" in button.get_attribute("title")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector('[role="status"]:has-text("Copied")')
    copied = str(page.evaluate("navigator.clipboard.readText()"))
    assert copied == page.url
    return copied


def is_copied_without_a_clipboard_or_said(watched: Watched) -> None:
    """Pages served to other machines without https cannot use the clipboard API, so an older function is tried."""
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=watched.server.url)
    clipboard = "Object.defineProperty(navigator, 'clipboard', {configurable: true, get: () => undefined})"
    page.evaluate(f"() => {{ window.__read = navigator.clipboard; {clipboard}; }}")
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_selector('[role="status"]:has-text("Copied")')
    assert page.evaluate("window.__read.readText()") == page.url
    page.evaluate("() => { document.execCommand = () => false; }")
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_selector('[role="status"]:has-text("Not copied: copy the address above")')


def test_a_page_opens_by_its_title_and_the_menu_goes_on_from_there(server: Server, visit: Visit) -> None:
    page = visit(server).page
    for name, leads in (("overview", "/"), ("unique", "/unique_correct"), ("data", "/dataset")):
        page.goto(f"{server.url}/{name}")
        page.wait_for_url(re.compile(rf"{re.escape(server.url)}{leads}(\?|$)"))
    page.locator("[data-testid=stSidebarNavLink]").last.click()
    page.wait_for_url("**/methods*")
    assert page.locator("[role=dialog]").count() == 0

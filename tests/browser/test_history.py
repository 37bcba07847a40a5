"""Test Back, Forward and copied links as people use them on the web."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from data import demo
from tests.browser.conftest import HERE, Server, Visit, Watched

pytestmark = pytest.mark.browser
IDS = [item.id for item in demo.load().items]
QUICK = "distance=bag+of+words&measures=distinct_2&order=file"


def query(watched: Watched) -> dict[str, list[str]]:
    return parse_qs(urlsplit(watched.page.url).query)


def entries(watched: Watched) -> int:
    return int(watched.page.evaluate("history.length"))


def shown(watched: Watched) -> str:
    page = watched.page
    caps = page.query_selector(".tl-caps")
    return f"{page.inner_text(HERE)} {caps.inner_text() if caps else ''}"


def test_back_opens_the_page_before_as_it_was_and_forward_the_next(server: Server, visit: Visit) -> None:
    watched = visit(server, f"images?{QUICK}")
    page, start = watched.page, entries(watched)
    back_to_a_view_of_defaults_shows_the_defaults(watched)
    for _ in range(3):
        old = page.url
        page.keyboard.press("ArrowRight")
        page.wait_for_function("old => location.href !== old", arg=old)
        watched.idle()
    page.locator(".st-key-options_panel button").first.click()
    field = page.get_by_label("Search captions")
    field.fill("a")
    field.press("Enter")
    page.wait_for_url("**find=a**")
    watched.idle()
    assert entries(watched) == start + 3, "three images, and a control that makes no entry"
    images, said = query(watched), shown(watched)
    assert images["image"] == [IDS[3]]
    watched.go("Triangles")
    assert query(watched)["image"] == [IDS[3]], "the image follows the reader, and a copied link has it"
    old = page.url
    page.keyboard.press("ArrowRight")
    page.wait_for_function("old => location.href !== old", arg=old)
    watched.idle()
    central = query(watched)
    assert entries(watched) == start + 5, "the page, and the next image on it"
    for _ in range(2):
        page.go_back()
        watched.idle()
    page.wait_for_selector(f'{HERE}:has-text("Images")')
    watched.idle()
    assert (query(watched), shown(watched)) == (images, said)
    for _ in range(2):
        page.go_forward()
        watched.idle()
    page.wait_for_selector(f'{HERE}:has-text("Triangles")')
    assert query(watched) == central
    assert central["image"] == [IDS[4]]
    watched.check()


def back_to_a_view_of_defaults_shows_the_defaults(watched: Watched) -> None:
    """A choice on the next page does not change the page before."""
    first = shown(watched)
    assert "image" not in query(watched)
    watched.go("Triangles")
    watched.page.keyboard.press("ArrowRight")
    watched.page.wait_for_url("**image=**")
    watched.idle()
    for _ in range(2):
        watched.page.go_back()
        watched.idle()
    watched.page.wait_for_selector(f'{HERE}:has-text("Images")')
    watched.idle()
    assert shown(watched) == first
    assert "image" not in query(watched)


OWN = json.dumps(
    {
        "items": [
            {
                "id": f"i{k}",
                "references": [f"a dog runs {k}", "the dog is running", f"a brown dog {k}"],
                "candidates": {f"m{r}": [f"dogs run {k}", f"a dog {r}", "a cat"] for r in range(3)},
            }
            for k in range(6)
        ],
    }
).encode()
WALK = ("Images", "Caption cloud", "Words", "Methods", "Images", "Triangles")


def view(watched: Watched) -> tuple[str, dict[str, list[str]]]:
    return urlsplit(watched.page.url).path, query(watched)


def test_every_page_is_one_entry_that_keeps_what_was_chosen(server: Server, visit: Visit) -> None:
    """A page writes its address, which includes the study, while the previous page is still visible."""
    watched = visit(server, "dataset")
    page = watched.page
    page.set_input_files('input[type="file"]', [{"name": "o.json", "mimeType": "application/json", "buffer": OWN}])
    page.wait_for_url("**study=**")
    watched.idle()
    watched.go("Triangles")
    page.goto(f"{page.url}&image=i3&run=m2&distance=bag+of+words")
    watched.idle()
    views, before = [view(watched)], entries(watched)
    for step, title in enumerate(WALK, start=1):
        watched.go(title)
        assert entries(watched) == before + step, title
        views.append(view(watched))
    by_path = dict(views)
    study = views[0][1]["study"]
    assert all(asked["study"] == study for _, asked in views)
    assert by_path["/triangles"] == {"study": study, "image": ["i3"], "run": ["m2"], "distance": ["bag of words"]}
    assert by_path["/images"]["image"] == ["i3"]
    assert by_path["/words"].keys() <= {"study", "run"}, "the study as a whole has no image"
    assert by_path["/methods"].keys() == {"study"}
    for past in reversed(views[:-1]):
        page.go_back()
        page.wait_for_function("path => location.pathname === path", arg=past[0])
        watched.idle()
        assert view(watched) == past
    watched.check()

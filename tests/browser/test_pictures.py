"""Test pictures dropped with captions, as a browser sees them: re-encoded by this server, and served only by it."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import Server, Visit
from tests.data.drawn import BLUE, RED, drawn, zipped

pytestmark = pytest.mark.browser
ROWS = [
    {"id": "7", "image": "val/a.png", "references": ["A red wall.", "A wall."], "candidates": {"m": ["Red.", "Wall."]}},
    {"id": "8", "references": ["A blue wall.", "Blue."], "candidates": {"m": ["Blue.", "A sea."]}},
    {"id": "9", "references": ["Nothing here.", "Empty."], "candidates": {"m": ["No.", "None."]}},
]
COLOUR = """image => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const drawing = canvas.getContext('2d');
  drawing.drawImage(image, 0, 0);
  return [...drawing.getImageData(40, 30, 1, 1).data].slice(0, 3);
}"""


def test_pictures_dropped_with_captions_are_shown(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    page, asked = watched.page, []
    page.on("response", lambda answer: asked.append(answer) if answer.request.resource_type == "image" else None)
    archive = zipped({"coco/val/a.png": drawn(colour=RED), "coco/000008.gif": drawn("GIF", BLUE)})
    page.set_input_files(
        '[data-testid="stFileUploader"] input[type=file]',
        [
            {"name": "mine.json", "mimeType": "application/json", "buffer": json.dumps(ROWS).encode()},
            {"name": "pictures.zip", "mimeType": "application/zip", "buffer": archive},
        ],
    )
    page.wait_for_selector("text=Pictures for 2 of 3")
    watched.idle()
    assert "No picture is named like 9." in page.inner_text(".st-key-tl-drop")
    watched.follow(page.get_by_role("link", name="Images", exact=True))
    for colour in (RED, BLUE):
        page.wait_for_selector('[data-testid="stImage"] img')
        watched.idle()
        image = page.locator('[data-testid="stImage"] img')
        page.wait_for_function("image => image.complete && image.naturalWidth", arg=image.element_handle())
        assert all(abs(a - b) < 12 for a, b in zip(image.evaluate(COLOUR), colour))
        page.get_by_role("button", name="Next item").click() if page.get_by_role(
            "button", name="Next item"
        ).count() else page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        watched.idle()
    assert page.locator('[data-testid="stImage"] img').count() == 0
    assert page.get_by_text("Nothing here.").count() > 0
    served = [answer for answer in asked if "/media/" in answer.url]
    assert served
    for answer in served:
        assert answer.headers["content-type"] == "image/jpeg"
        assert "a.png" not in answer.url
        assert "000008" not in answer.url
    watched.check()

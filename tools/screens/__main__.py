"""`python -m tools.screens ADDRESS [NAME ...]`: retake the pictures in docs/screens, from the demo in a running app.

Serve the app with nothing else open (`python trilens.py serve`); CHROMIUM names the installed Chromium.
"""

from __future__ import annotations

import argparse
import io
import os
from pathlib import Path
from typing import Any

from PIL import Image

SCREENS = Path(__file__).parents[2] / "docs" / "screens"
TABLE = {
    "overview": "",
    "leaderboard": "leaderboard",
    "sweeps": "sweeps",
    "frontier": "frontier",
    "paired": "paired",
    "triangles": "triangles",
    "cloud": "cloud",
    "unique-correct": "unique_correct",
}
"""The address of each page, by the name of its picture."""
WIDTH = 1440
"""Width of the pages in px."""
FLAGS = ("--no-sandbox", "--disable-gpu")
PATIENCE, CALM = 900_000, 2_000
"""Milliseconds that a page may take, and that it must be at rest before its picture is taken."""
READY = """() => document.querySelector('[data-testid="stMain"] :is(h1, h2)')
  && document.querySelector('[data-testid="stApp"]').getAttribute('data-test-script-state') === 'notRunning'
  && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stMain"] .tl-wait')"""


def main() -> None:
    """Take the pictures named on the command line, by default all."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(prog="python -m tools.screens", description=__doc__)
    parser.add_argument("address", help="of the running app, such as http://localhost:8501")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(TABLE)}")
    asked = parser.parse_args()
    if unknown := sorted({*asked.names} - {*TABLE}):
        parser.error(f"no picture is named {', '.join(unknown)}; there are {', '.join(TABLE)}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=list(FLAGS))
        for name in asked.names or TABLE:
            page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
            page.goto(f"{asked.address.rstrip('/')}/{TABLE[name]}")
            save(page, SCREENS / f"{name}.png")
            page.close()


def save(page: Any, file: Path) -> None:
    """Save the whole page, once it is complete, as a PNG of at most 256 colours."""
    settled(page)
    height = page.evaluate("document.querySelector('[data-testid=\"stMain\"]').scrollHeight")
    page.set_viewport_size({"width": WIDTH, "height": height})
    settled(page)
    whole = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    whole.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)


def settled(page: Any) -> None:
    """Wait until the page is complete and stays so for a moment."""
    page.wait_for_function(READY, timeout=PATIENCE)
    page.wait_for_timeout(CALM)
    page.wait_for_function(READY, timeout=PATIENCE)


main()

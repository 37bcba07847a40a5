"""Waiting times: the demo on a newly started server, and pages whose numbers are cached."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, Watched, chromium_path, start_server, stop_server

PAGES = ("leaderboard", "images", "triangles")
LAB = ("judgments", "robustness", "sensitivity", "references", "slices")
REPEATS = 3
SECONDS_OF_WORK = 600
"""Maximum seconds that the work of a lab page may take before its numbers are cached."""


def rows() -> list[dict[str, Any]]:
    """Measure, in a real browser, the seconds until a new server's first screen and until each page opens again."""
    first: dict[str, list[float]] = {"": [], "leaderboard": []}
    again: dict[str, list[float]] = {page: [] for page in (*PAGES, *LAB)}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=list(CHROMIUM_FLAGS))
        for entry in list(first) * REPEATS:
            with tempfile.TemporaryDirectory() as folder:
                server = start_server(Path(folder))
                view = Watched(chromium.new_context().new_page(), server)
                first[entry].append(_seconds(view, entry))
                for page in PAGES:
                    view.open(page)
                    again[page].append(_seconds(view, page))
                stop_server(server)
        for page, seconds in _lab(chromium):
            again[page].append(seconds)
        chromium.close()
    titles = {"": "demo on screen", "leaderboard": "demo leaderboard on screen"}
    found = [
        _row(f"{titles[entry]}, first request after the server is up", median(times), "3 s")
        for entry, times in first.items()
    ]
    return found + [_row(f"page {page}, numbers cached, reloaded", median(of), "2 s") for page, of in again.items()]


def _lab(chromium: Browser) -> Iterator[tuple[str, float]]:
    """Yield each lab page several times, with the seconds until its verdict appears once the page's work is cached."""
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder))
        view = Watched(chromium.new_context().new_page(), server)
        for page in LAB:
            view.open(page).page.wait_for_selector(".tl-verdict p", timeout=1000 * SECONDS_OF_WORK)
            view.page.wait_for_selector('[data-testid="stProgress"]', state="detached", timeout=1000 * SECONDS_OF_WORK)
            for _ in range(REPEATS):
                yield page, _seconds(view, page, ".tl-verdict p")
        stop_server(server)


def _seconds(view: Watched, page: str, shown: str = '[data-testid="stApp"]') -> float:
    start = time.perf_counter()
    view.open(page).page.wait_for_selector(shown)
    return time.perf_counter() - start


def _row(work: str, seconds: float, target: str) -> dict[str, Any]:
    return {
        "work": work,
        "ours": "Streamlit server and Chromium on the same two cores",
        "ours_value": f"{seconds:.1f} s",
        "alternative": "none does it",
        "alternative_value": None,
        "ratio": None,
        "target": target,
        "reached": seconds <= float(target.split()[0]),
    }

"""Waiting times: the demo on a server that has just started, and pages whose numbers are cached."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, Watched, chromium_path, start_server, stop_server

PAGES = ("leaderboard", "images", "triangles")
REPEATS = 3


def rows() -> list[dict[str, Any]]:
    """First screen of a fresh server, then the median of opening each page again; in seconds, in a real browser."""
    first: dict[str, list[float]] = {"": [], "leaderboard": []}
    again: dict[str, list[float]] = {page: [] for page in PAGES}
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
        chromium.close()
    titles = {"": "demo on screen", "leaderboard": "demo leaderboard on screen"}
    found = [
        _row(f"{titles[entry]}, first request after the server is up", median(times), "3 s")
        for entry, times in first.items()
    ]
    return found + [_row(f"page {page}, numbers cached, reloaded", median(again[page]), "2 s") for page in PAGES]


def _seconds(view: Watched, page: str) -> float:
    start = time.perf_counter()
    view.open(page)
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

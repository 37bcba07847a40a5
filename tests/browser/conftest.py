"""A real Streamlit server and a real Chromium, which all browser tests of a worker share."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ui.rooms import ENTRIES, room_of

ROOT = Path(__file__).resolve().parents[2]
SHOTS = Path(__file__).with_name("shots")
MENU = '[data-testid="stSidebarNavLink"]'
HERE = ".st-key-tl-tab-here"
"""The tab of the page that is shown."""
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 120
"""How many seconds a page may take; it is not the app's fault if the machine is busy."""
CALM = 0.1
"""How many seconds a page must be at rest to count as idle."""
CHROMIUM_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page lives for seconds: optimising its scripts takes longer than it saves.
    "--js-flags=--no-maglev --no-turbofan",
)


def chromium_path() -> str | None:
    named = os.environ.get("CHROMIUM")
    found = [named] if named else [shutil.which(name) for name in CHROMIUM_NAMES]
    return next((path for path in found if path), None)


@dataclass
class Server:
    url: str
    cache: Path
    process: subprocess.Popen[bytes]
    logfile: Path

    def log(self) -> str:
        return self.logfile.read_text(encoding="utf-8", errors="replace")


def start_server(folder: Path, app: Path = ROOT / "app.py", **environment: str) -> Server:
    """Start `streamlit run` on a free port with an empty cache in `folder`, and wait until it is healthy."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    cache, logfile = folder / "cache", folder / "server.log"
    cache.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.headless", "true", "--server.fileWatcherType", "none"]
    with logfile.open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TRILENS_CACHE": str(cache), **environment},
        )
    server = Server(f"http://127.0.0.1:{port}", cache, process, logfile)
    _wait_healthy(server)
    return server


def _wait_healthy(server: Server, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    stop_server(server)
    raise RuntimeError(f"the server did not come up:\n{server.log()[-3000:]}")


def stop_server(server: Server) -> None:
    server.process.terminate()
    try:
        server.process.wait(10)
    except subprocess.TimeoutExpired:
        server.process.kill()
        server.process.wait()


@contextmanager
def serving(folder: Path, page: Callable[[], None]) -> Iterator[Server]:
    """Serve a page that is given as an importable function, with the fonts in the folder where Streamlit looks for
    them.
    """
    (folder / "app.py").write_text(
        f"from {page.__module__} import {page.__name__}\n{page.__name__}()\n", encoding="utf-8"
    )
    (folder / "static").symlink_to(ROOT / "static")
    running = start_server(folder, folder / "app.py")
    yield running
    stop_server(running)


@dataclass
class Watched:
    """A browser page of one server, with the problems seen on it and the hosts that it has requested so far."""

    page: Any
    server: Server
    problems: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    listeners: list[tuple[str, Callable[[Any], None]]] = field(init=False)

    def __post_init__(self) -> None:
        self.listeners = [
            ("console", lambda message: _note(self, message)),
            ("pageerror", lambda error: self.problems.append(f"page error: {error}")),
            ("request", self._to),
            ("websocket", self._to),
        ]

    def _to(self, request: Any) -> None:
        if request.url.startswith(("http", "ws")):
            self.hosts.add(urlsplit(request.url).netloc)

    def open(self, path: str = "") -> Watched:
        self.page.goto(f"{self.server.url}/{path.lstrip('/')}")
        return self.idle()

    def idle(self, seconds: float = PATIENCE) -> Watched:
        """Wait until the script has run and nothing on the page is stale."""
        self.page.wait_for_selector('[data-testid="stApp"]', timeout=1000 * seconds)
        end = time.monotonic() + seconds
        while not self.page.evaluate(_IDLE):
            assert time.monotonic() < end, f"not idle after {seconds} s:\n{self.server.log()[-3000:]}"
            self.page.wait_for_timeout(50)
        return self

    def settled(self) -> Watched:
        """Wait until the page is idle and no job is left, since the results of a job may replace what the page
        shows.
        """
        self.idle()
        while self.page.locator('[data-testid="stProgress"]').count():
            self.page.wait_for_selector('[data-testid="stProgress"]', state="detached")
            self.idle()
        return self

    def go(self, title: str) -> Watched:
        """Go to a page by the menu and, if the page is a tab of a room, by that tab."""
        entry = next(entry for entry in ENTRIES if entry.title == title)
        room = room_of(entry.file)
        if self.page.inner_text(f'{MENU}[aria-current="page"]').splitlines()[-1] != room.title:
            self.page.click(f'{MENU}:has-text("{room.title}")')
            self.page.wait_for_selector(f'{MENU}[aria-current="page"]:has-text("{room.title}")')
            self.idle()
        # The words of a tab depend on the study: Judgments is called Agreement without ratings.
        if len(room.entries) > 1 and not self.page.query_selector(f'{HERE} a[href^="{entry.file}"]'):
            self.page.click(f'.st-key-tl-tabs a[href^="{entry.file}"]')
            self.page.wait_for_selector(f'{HERE} a[href^="{entry.file}"]')
            self.idle()
        return self

    def follow(self, link: Any) -> None:
        """Click a link (a locator) to another page.

        Scrolling to the link may rerun the page to draw what comes into view, and a click during a rerun is lost. So
        wait after scrolling.
        """
        link.scroll_into_view_if_needed()
        self.idle()
        link.click()

    def saved(self, button: Any) -> Path:
        """Click a button (a locator) of a table, and return the path of the file that it saves.

        Tables above it are drawn once they are in view, which moves the button.
        """
        button.scroll_into_view_if_needed()
        self.idle()
        with self.page.expect_download() as waiting:
            button.click()
        return Path(waiting.value.path())

    def shot(self, name: str) -> None:
        """Save the whole page as shots/NAME.png if SHOTS is set."""
        if not os.environ.get("SHOTS"):
            return
        SHOTS.mkdir(exist_ok=True)
        height = self.page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        size = self.page.viewport_size
        self.page.set_viewport_size({"width": size["width"], "height": max(size["height"], height)})
        self.page.wait_for_timeout(400)
        self.page.screenshot(path=str(SHOTS / f"{name}.png"))
        self.page.set_viewport_size(size)

    def check(self) -> None:
        """Fail on console errors, page errors, app exceptions, and requests to any other host."""
        for box in self.page.query_selector_all('[data-testid="stException"]'):
            self.problems.append(f"exception on the page: {box.inner_text()[:200]}\n{self.server.log()[-4_000:]}")
        if "Something went wrong on this page" in self.page.inner_text("body"):
            self.problems.append(f"an error on the page: {self.server.log()[-2_000:]}")
        assert self.problems == []
        assert self.hosts <= {urlsplit(self.server.url).netloc}


# When the page last asked its server for something, and when it was last told something.
_ASKED = """(() => {
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', () => { window.__told = performance.now(); });
    }
    send(data) {
      window.__asked = performance.now();
      super.send(data);
    }
  };
})()"""
# The app's own state, twice in a row: it is also "notRunning" until the answer to a click arrives, and between two
# runs.
_IDLE = """() => new Promise(done => {
  const calm = () => {
    const app = document.querySelector('[data-testid="stApp"]');
    return app && !(window.__asked > (window.__told ?? 0))
      && app.getAttribute('data-test-script-state') === 'notRunning'
      && app.getAttribute('data-test-connection-state') === 'CONNECTED'
      && document.querySelector('[data-testid="stMain"] [data-testid="stElementContainer"]')
      && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stAppSkeleton"]');
  };
  if (!calm()) return done(false);
  setTimeout(() => done(Boolean(calm())), CALM);
})""".replace("CALM", f"{1000 * CALM:.0f}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Yield one Chromium for all tests. If there is none, tests fail in CI and are skipped elsewhere."""
    path = chromium_path()
    if path is None:
        message = f"no Chromium found: install one of {', '.join(CHROMIUM_NAMES)}, or set CHROMIUM to its path"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, indexes: Path) -> Iterator[Server]:
    """Start the server of one worker; results are kept in a folder that the servers of all workers share."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "cache").symlink_to(indexes)
    running = start_server(folder)
    yield running
    stop_server(running)


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Server]:
    running = start_server(tmp_path)
    yield running
    stop_server(running)


Visit = Callable[..., Watched]


class Tabs:
    """Browser tabs that tests empty and reuse, because a new tab compiles all scripts of the app."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._idle: list[Any] = []

    def take(self, theme: str, width: int, height: int) -> Any:
        page = self._idle.pop() if self._idle else self._new()
        page.set_default_timeout(1000 * PATIENCE)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)
        return page

    def _new(self) -> Any:
        context = self._browser.new_context(reduced_motion="reduce")
        context.add_init_script(_ASKED)
        return context.new_page()

    def give_back(self, watched: Watched) -> None:
        """Leave the app, and clear its storage and history; close the tab if its server has ended."""
        from playwright.sync_api import Error

        page = watched.page
        for event, heard in watched.listeners:
            page.remove_listener(event, heard)
        try:
            page.mouse.move(0, 0)
            page.goto(f"{watched.server.url}/_stcore/health")
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            page.context.clear_cookies()
            # Chromium's history has at most 50 entries, and some tests count the entries that they add.
            inspector = page.context.new_cdp_session(page)
            inspector.send("Page.resetNavigationHistory")
            inspector.detach()
        except Error:
            page.context.close()
        else:
            self._idle.append(page)


@pytest.fixture(scope="session")
def tabs(browser: Any) -> Tabs:
    return Tabs(browser)


@pytest.fixture
def visit(tabs: Tabs) -> Iterator[Visit]:
    """Yield `visit(server, path="", theme="light", width=1440, height=900)`, which opens a page in a tab with empty
    storage.
    """
    opened = []

    def go(server: Server, path: str = "", theme: str = "light", width: int = 1440, height: int = 900) -> Watched:
        watched = Watched(tabs.take(theme, width, height), server)
        opened.append(watched)
        for event, heard in watched.listeners:
            watched.page.on(event, heard)
        return watched.open(path)

    yield go
    for watched in reversed(opened):
        tabs.give_back(watched)


def _note(watched: Watched, message: Any) -> None:
    """Record an error of the page, except two 404s: at a deep link, Streamlit's client first looks for its server
    there.
    """
    probing = message.location.get("url", "").endswith(("/_stcore/health", "/_stcore/host-config"))
    if message.type == "error" and not probing:
        watched.problems.append(f"console: {message.text} ({message.location.get('url', '')})")

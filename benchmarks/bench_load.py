"""Load test: 20 sessions and 3 browsers on a study of 5,000 items, with uploads, jobs and one session that leaves.

The sessions speak Streamlit's own protocol; server, sessions and browsers share the machine's cores. A visitor looks at
a page for 5 to 15 seconds before going on. TRILENS_BENCH_ITEMS, TRILENS_BENCH_SESSIONS and TRILENS_BENCH_SECONDS set
the size and the length of the test. Computing the numbers of the study beforehand takes six minutes on two idle cores;
TRILENS_BENCH_CACHE names the cache of an earlier server, which contains them.
"""

from __future__ import annotations

import gzip
import os
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.load_client import Session
from benchmarks.load_server import Watched, watched
from data.convert import to_jsonl_bytes
from data.study import Item, Run, Settings, Study
from tests.browser.conftest import CALM, CHROMIUM_FLAGS, chromium_path
from tests.browser.conftest import Watched as Page
from tests.studies import captions
from tests.studies import study as random_study
from ui.jobs.queue import GRACE_SECONDS, LIMITS
from ui.rooms import ENTRIES, ROOMS

ITEMS = int(os.environ.get("TRILENS_BENCH_ITEMS", "5000"))
SESSIONS = int(os.environ.get("TRILENS_BENCH_SESSIONS", "20"))
SECONDS = float(os.environ.get("TRILENS_BENCH_SECONDS", "180"))
KNOWN = os.environ.get("TRILENS_BENCH_CACHE", "")
BROWSERS = 3
LOOK = (5.0, 15.0)
QUICK = "&distribution=trm_bow&quality=bleu_4&diversity=distinct_2"
SLOW = "&distribution=trm_bert&quality=bleu_4&diversity=distinct_2"
PAGES = tuple(entry.file for entry in ENTRIES if not entry.default)
FIRST = tuple(room.entries[0].file for rooms in ROOMS.values() for room in rooms if not room.entries[0].default)
"""The pages that open from the menu."""
TITLES = {entry.file: entry.title for entry in ENTRIES}


def rows() -> list[dict[str, Any]]:
    """Measure everything on one server, which starts with an empty or a given cache."""
    with tempfile.TemporaryDirectory() as folder:
        if KNOWN:
            shutil.copytree(KNOWN, Path(folder) / "cache")
        return _all(Path(folder))


def _all(folder: Path) -> list[dict[str, Any]]:
    with watched(folder) as server:
        link, own, wrong = _opened(server)
        found = [_memory_row("memory that an uploaded study of its own adds, " + _size(), own, 150)]
        found += _under_load(server, link, wrong)
        found += _apart(server)
        found += _fair(server)
        found += _left(server)
        outside = server.outside()
        seen = ", ".join(sorted(outside)) or "none"
        found.append(
            _row("addresses beyond this machine that the server's processes spoke to", seen, "none", not outside)
        )
    return found


def _opened(server: Watched) -> tuple[str, float, list[str]]:
    """Upload the study and have the numbers of every page computed.

    Return the study's link, the memory in MB that the upload added, and the problems that pages reported.
    """
    warm, first = Session(server.url), Session(server.url)
    # Libraries and models are loaded only once, whoever visits.
    small = _uploaded(warm, 20, 99)
    for page in ("leaderboard", "images"):
        warm.open_idle(page, small)
    warm.close()
    before = server.memory()
    study = random_study(ITEMS, references=4, candidates=4, runs=4)
    first.upload("study.jsonl.gz", gzip.compress(to_jsonl_bytes(study), 1))
    first.open("images")
    own = server.memory() - before
    link = f"study={_token(first)}"
    wrong = [problem for page in PAGES * 2 for problem in first.open_idle(page, link).problems]
    first.close()
    return link, own, wrong


def _under_load(server: Watched, link: str, wrong: list[str]) -> list[dict[str, Any]]:
    """Have sessions and browsers visit pages for a while; measure page times and the memory per session."""
    before = server.memory()
    end = time.monotonic() + SECONDS
    with ThreadPoolExecutor(SESSIONS + BROWSERS) as pool:
        sessions = [pool.submit(_strolled, server.url, link, seed, end, wrong) for seed in range(SESSIONS)]
        browsers = [pool.submit(_browsed, server, link, seed, end) for seed in range(BROWSERS)]
        walks, seen = [s.result() for s in sessions], [b.result() for b in browsers]
    added = (server.memory() - before) / (SESSIONS + BROWSERS)
    for session, _ in walks:
        session.close()
    who = f"{SESSIONS} sessions and {BROWSERS} browsers"
    found = [_time_row(f"cached page, {who}, {_size()}: script done", [s for _, w in walks for s in w])]
    found += [_time_row(f"- {TITLES[page]}", [s for _, w in walks for s in w if s[0] == page]) for page in PAGES]
    found.append(_time_row("the same in the browsers, from the click until all is drawn", [s for b in seen for s in b]))
    errors = "; ".join(sorted(set(wrong))) or "none"
    found.append(_row("errors on the pages", errors, "none", not wrong))
    return [*found, _memory_row(f"memory per session, {who} on one study of {ITEMS:,} items", added, 150)]


Times = list[tuple[str, float]]


def _strolled(url: str, link: str, seed: int, end: float, wrong: list[str]) -> tuple[Session, Times]:
    source, times, session = random.Random(seed), Times(), Session(url)
    time.sleep(source.uniform(0, LOOK[1]))
    while time.monotonic() < end:
        page = source.choice(PAGES)
        visit = session.open(page, link)
        wrong += [f"{page}: {problem}" for problem in visit.problems]
        times.append((page, visit.seconds))
        time.sleep(source.uniform(*LOOK))
    return session, times


def _browsed(server: Watched, link: str, seed: int, end: float) -> Times:
    from playwright.sync_api import sync_playwright

    source, times = random.Random(1000 + seed), Times()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=list(CHROMIUM_FLAGS))
        view = Page(chromium.new_context(viewport={"width": 1440, "height": 900}).new_page(), server.server)
        view.page.goto(f"{server.url}/{PAGES[0]}?{link}", timeout=300_000)
        view.idle(300)
        while time.monotonic() < end:
            time.sleep(source.uniform(*LOOK))
            page = source.choice([p for p in FIRST if not view.page.url.startswith(f"{server.url}/{p}")])
            start = time.perf_counter()
            view.go(TITLES[page])
            # `go` ends with CALM seconds without a change; the page was complete before them.
            times.append((page, time.perf_counter() - start - CALM))
        chromium.close()
    return times


def _apart(server: Watched) -> list[dict[str, Any]]:
    """Check that each of many sessions sees only its own captions after uploading its own study."""
    sessions = [Session(server.url) for _ in range(SESSIONS)]
    marks = [f"secret{k:03d}{random.Random(k).getrandbits(40):x}" for k in range(SESSIONS)]
    met: list[tuple[int, int]] = []

    def walk(k: int) -> int:
        visits = [sessions[k].upload("mine.jsonl", to_jsonl_bytes(_marked(marks[k])))]
        link = f"study={_token(sessions[k])}"
        visits += [sessions[k].open(page, link) for page in ("", "leaderboard", "images", "central")]
        visits += [sessions[k].open("images", "")]
        met.extend((k, other) for other, mark in enumerate(marks) if any(v.says(mark) for v in visits))
        return len(visits)

    with ThreadPoolExecutor(SESSIONS) as pool:
        looked = sum(pool.map(walk, range(SESSIONS)))
    stranger = Session(server.url)
    visits = [stranger.open(page, "") for page in ("", "images")]
    met += [(-1, other) for other, mark in enumerate(marks) if any(visit.says(mark) for visit in visits)]
    for session in (*sessions, stranger):
        session.close()
    foreign, own = [pair for pair in met if pair[0] != pair[1]], [pair for pair in met if pair[0] == pair[1]]
    said = f"{len(foreign)} of others' uploads seen, {len(own)} of {SESSIONS} of their own"
    reached = not foreign and len(own) == SESSIONS
    return [_row(f"{SESSIONS} sessions upload at once and open {looked} pages", said, "0 of others'", reached)]


def _marked(mark: str) -> Study:
    made = random_study(4, references=3, candidates=3, seed=sum(mark.encode()))
    items = tuple(Item(item.id, (f"A {mark} dog.", *item.references)) for item in made.items)
    return Study(mark, items, made.runs)


def _fair(server: Watched) -> list[dict[str, Any]]:
    """Measure when sessions are served if one requests many studies at once, and then others request one each."""
    greedy, others = Session(server.url), [Session(server.url) for _ in range(3)]
    given = [_uploaded(session, 20, 200 + k) for k, session in enumerate(others)]
    # An upload replaces the study that a session has open, so each study is uploaded by a separate session.
    owners = [Session(server.url) for _ in range(6)]
    links = [_uploaded(session, 400, 100 + k) for k, session in enumerate(owners)]
    for link in links:
        greedy.open("leaderboard", link)
    start = time.perf_counter()
    done: dict[str, float] = {}

    def wait(name: str, session: Session, link: str) -> None:
        session.open_idle("leaderboard", link)
        done[name] = time.perf_counter() - start

    threads = [threading.Thread(target=wait, args=(f"other {k}", s, given[k])) for k, s in enumerate(others)]
    threads.append(threading.Thread(target=wait, args=("greedy", greedy, links[-1])))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for session in (greedy, *owners, *others):
        session.close()
    last = max(seconds for name, seconds in done.items() if name != "greedy")
    words = f"others after {last:.0f} s, it after {done['greedy']:.0f} s"
    return [
        _row("one session asks for 6 studies, then 3 others for one each", words, "others first", last < done["greedy"])
    ]


def _left(server: Watched) -> list[dict[str, Any]]:
    """Check that after the tab of a long job is closed, the job stops in time and another session's job runs."""
    leaver, stayer = Session(server.url), Session(server.url)
    long = f"study={_token_of(leaver, _distinct())}{SLOW}"
    leaver.open("leaderboard", long)
    time.sleep(3)
    found = _limited(server)
    short = _uploaded(stayer, 400, 300)
    waits = stayer.open("leaderboard", short)
    start = time.perf_counter()
    leaver.close()
    stayer.open_idle("leaderboard", short, 600)
    came = time.perf_counter() - start
    busy = server.share_of_a_core(3)
    end = GRACE_SECONDS + 60
    time.sleep(max(0.0, end - (time.perf_counter() - start)))
    rest = server.share_of_a_core(5)
    stayer.close()
    words = f"served {came:.0f} s after; the server at {busy:.0%} of a core then, {rest:.0%} {end:.0f} s after"
    reached = waits.busy and came < GRACE_SECONDS and busy > 0.5 and rest < 0.1
    work = "a session with a long job closes its tab; the job of another waits behind it"
    return [*found, _row(work, words, f"served by turns; at rest after {end:.0f} s", reached)]


def _limited(server: Watched) -> list[dict[str, Any]]:
    """Have a session request the numbers of one study after another during somebody else's long job."""
    session, owners = Session(server.url), [Session(server.url) for _ in range(LIMITS.of_session + 4)]
    links = [_uploaded(owner, 400, 400 + k) for k, owner in enumerate(owners)]
    told = [session.open("leaderboard", link).says("are waiting already") for link in links]
    for one in (session, *owners):
        one.close()
    words = f"told at the {told.index(True) + 1}th that too many wait" if any(told) else "never refused"
    work = f"a session asks for the numbers of {len(told)} studies while it waits for the job of another"
    return [_row(work, words, f"{LIMITS.of_session} wait at most", any(told) and not told[0])]


def _distinct() -> bytes:
    """Return a study whose captions are all different, so that its numbers take many minutes."""
    source = random.Random(7)
    items = tuple(Item(f"long {k}", _numbered(source, f"{k} r", 4)) for k in range(2_000))
    runs = tuple(
        Run(f"long run {r}", "long", Settings(0.5 + r), {i.id: _numbered(source, f"{i.id} {r}", 10) for i in items})
        for r in range(8)
    )
    return gzip.compress(to_jsonl_bytes(Study("long", items, runs)), 1)


def _numbered(source: random.Random, name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{text} {name} {k}" for k, text in enumerate(captions(source, count)))


def _uploaded(session: Session, items: int, seed: int) -> str:
    study = random_study(items, seed=seed)
    return f"study={_token_of(session, to_jsonl_bytes(Study(f'study {seed}', study.items, study.runs)))}{QUICK}"


def _token_of(session: Session, content: bytes) -> str:
    session.upload("study.jsonl.gz" if content[:2] == b"\x1f\x8b" else "study.jsonl", content)
    return _token(session)


def _token(session: Session) -> str:
    return next(part.removeprefix("study=") for part in session.query.split("&") if part.startswith("study="))


def _size() -> str:
    return f"{ITEMS:,} items"


def _time_row(work: str, times: Sequence[tuple[str, float]]) -> dict[str, Any]:
    seconds = [spent for _, spent in times]
    if len(seconds) < 2:
        return _row(work, "too few pages", "2 s", None)
    p95 = quantiles(seconds, n=20, method="inclusive")[-1]
    return _row(work, f"median {median(seconds):.2f} s, p95 {p95:.2f} s of {len(seconds)}", "p95 2 s", p95 < 2)


def _memory_row(work: str, added: float, target: float) -> dict[str, Any]:
    return _row(work, f"{added:.0f} MB", f"{target:.0f} MB", added < target)


def _row(work: str, value: str, target: str, reached: bool | None) -> dict[str, Any]:
    return {
        "work": work,
        "ours": "one Streamlit server",
        "ours_value": value,
        "alternative": "none does it",
        "alternative_value": None,
        "ratio": None,
        "target": target,
        "reached": reached,
    }

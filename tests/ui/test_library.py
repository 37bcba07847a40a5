"""Test the store of uploaded studies: its limits of bytes and age, and which studies are removed first."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from data.check import Loaded
from tests.studies import study
from ui.session.library import Library

ROOT = Path(__file__).parents[2]

LOADED = Loaded(study(), (), ())


class Shelf(Library):
    def __init__(self, here: set[str], of_session: int = 40, in_all: int = 100, age: float = 1000.0) -> None:
        super().__init__(of_session, in_all, age, lambda owner: owner in here, lambda loaded: 10)

    def put(self, owner: str) -> str:
        token = self.add(LOADED, owner)
        assert token is not None
        return token

    def has(self, *tokens: str) -> list[bool]:
        return [token in self._kept for token in tokens]


def test_many_uploads_of_one_session_leave_the_others_alone() -> None:
    shelf = Shelf({"me", "you"})
    mine = shelf.put("me")
    yours = [shelf.put("you") for _ in range(300)]
    assert shelf.has(mine, *yours[-4:], yours[-5]) == [True, True, True, True, True, False]


def test_the_longest_unused_goes_first() -> None:
    shelf = Shelf(set())
    tokens = [shelf.put(str(n)) for n in range(10)]
    assert shelf.get(tokens[0]) is LOADED
    shelf.put("new")
    assert shelf.has(*tokens[:3]) == [True, False, True]


def test_what_a_connected_session_has_open_stays() -> None:
    here = {"me"}
    shelf = Shelf(here)
    open_now = shelf.put("me")
    shelf.opened("me", open_now)
    others = [shelf.put(str(n)) for n in range(9)]
    for n in range(50):
        shelf.put(f"more {n}")
    assert shelf.has(open_now, *others) == [True, *([False] * 9)]
    here.clear()
    for n in range(50):
        shelf.put(f"more {n}")
    assert shelf.has(open_now) == [False]


def test_a_link_that_somebody_else_opened_counts_too() -> None:
    shelf = Shelf({"friend", "me"})
    shared = shelf.put("me")
    shelf.opened("friend", shared)
    for _ in range(10):
        shelf.put("me")
    assert shelf.has(shared) == [True]


def test_no_room_is_said_and_nothing_is_lost() -> None:
    here = {str(n) for n in range(10)}
    shelf = Shelf(here)
    tokens = [shelf.put(str(n)) for n in range(10)]
    for n, token in enumerate(tokens):
        shelf.opened(str(n), token)
    assert shelf.add(LOADED, "new") is None
    assert all(shelf.has(*tokens))
    assert shelf.replace(tokens[0], LOADED)
    shelf._weigh = lambda loaded: 20
    assert not shelf.replace(tokens[0], LOADED)
    assert all(shelf.has(*tokens))
    shelf._weigh = lambda loaded: 10
    assert shelf.add(LOADED, "0") is not None, "who asks gives up what they have open themselves"


def test_what_nobody_opens_for_long_goes() -> None:
    shelf = Shelf({"me"}, age=0.05)
    kept, left = shelf.put("me"), shelf.put("other")
    shelf.opened("me", kept)
    time.sleep(0.1)
    shelf.opened("new", None)
    assert shelf.has(kept, left) == [True, False]


def test_one_larger_than_a_session_may_have_is_refused() -> None:
    assert Library(of_session=1000).add(LOADED, "me") is None


WEIGHED = """
import tracemalloc
from data.load import load_study
from ui.session.library import weight

lines = [
    f'{{"id": "{n}", "references": ["a red dog {n} runs", "one dog {n}"], "candidates": {{"m": ["dog {n} here"]}}}}'
    for n in range(1_000)
]
content = "\\n".join(lines).encode()
load_study([("x.jsonl", content)])
tracemalloc.start()
loaded = load_study([("x.jsonl", content)])
print(weight(loaded), tracemalloc.get_traced_memory()[0])
"""


def test_weight_is_about_what_memory_a_study_takes() -> None:
    """The weight is within a factor of two of the memory that Python reports, if no other thread frees any."""
    done = subprocess.run([sys.executable, "-c", WEIGHED], cwd=ROOT, capture_output=True, text=True, check=True)
    expected, taken = map(float, done.stdout.split())
    assert expected == pytest.approx(taken, rel=0.5)


def test_whoever_closes_a_study_can_open_it_again_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf({"me", "you"})
    token = shelf.put("me")
    shelf.close(token, "me")
    assert shelf.get(token) is None
    found = shelf.gone(token)
    assert found is not None
    assert (found.name, found.why) == (LOADED.study.name, "closed")
    assert not shelf.reopen(token, "you")
    assert shelf.reopen(token, "me")
    assert shelf.get(token) is LOADED
    assert shelf.gone(token) is None
    shelf.close(token, "me")
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 601)
    assert not shelf.can_reopen(token, "me")
    assert not shelf.reopen(token, "me")


def test_closed_studies_take_no_room_from_others() -> None:
    shelf = Shelf(set(), of_session=40, in_all=30)
    first = shelf.put("me")
    shelf.close(first, "me")
    for name in "abc":
        assert shelf.has(shelf.put(name)) == [True]
    assert not shelf.can_reopen(first, "me")


def test_a_change_of_another_study_leaves_the_undo_of_closing_one() -> None:
    shelf = Shelf(set(), of_session=40, in_all=40)
    first, second = shelf.put("me"), shelf.put("me")
    shelf.close(first, "me")
    assert shelf.replace(second, LOADED)
    assert shelf.can_reopen(first, "me")
    shelf.put("me")
    assert shelf.can_reopen(first, "me"), "there is room"
    shelf.put("me")
    assert shelf.can_reopen(first, "me")
    shelf.put("you")
    assert not shelf.can_reopen(first, "me")


def test_why_a_study_left_is_told() -> None:
    shelf = Shelf(set(), age=-1.0)
    token = shelf.put("me")
    shelf.opened("you", None)
    found = shelf.gone(token)
    assert found is not None
    assert found.why == "unused"
    crowded = Shelf(set(), in_all=20)
    tokens = [crowded.put(str(k)) for k in range(3)]
    found = crowded.gone(tokens[0])
    assert found is not None
    assert found.why == "room"
    assert crowded.gone("nonsense") is None

"""Test that loading time grows in proportion to the input, not with runs times items or the square of the file
count.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from data.check import repair
from data.finding_kinds.merge_kinds import MAX_RUNS
from data.load import load_study

Files = list[tuple[str, bytes]]
REFERENCES = ["a dog", "a cat"]


def lines(rows: list[dict[str, Any]]) -> Files:
    return [("x.jsonl", "\n".join(map(json.dumps, rows)).encode())]


def an_item_a_run(n: int) -> Files:
    return lines([{"id": str(i), "references": REFERENCES, "candidates": {f"r{i}": ["x"]}} for i in range(n)])


def all_runs_of_one_item(n: int) -> Files:
    return lines([{"id": "1", "references": REFERENCES, "candidates": {f"r{i}": ["a dog"] for i in range(n)}}])


def files_of_one_name(n: int) -> Files:
    runs = [("x.json", json.dumps([{"image_id": "1", "caption": f"w {i}"}]).encode()) for i in range(n)]
    return [("refs.json", json.dumps({"1": REFERENCES}).encode()), *runs]


def records_of_one_id(n: int) -> Files:
    return lines([{"id": "1", "references": [f"r {i}"], "candidates": {"m": [f"c {i}"]}} for i in range(n)])


def reference_files(n: int) -> Files:
    return [("hyp.txt", b"a\nb\n"), *((f"ref{i}.txt", f"a {i}\nb {i}\n".encode()) for i in range(n))]


def files_of_numbered_keys(n: int) -> Files:
    return [(f"f{i}.txt", f"1.jpg#0\ta {i}\n2.jpg#0\tb {i}\n".encode()) for i in range(n)]


def items_of_few_runs(n: int) -> Files:
    rows = range(2 * n)
    return lines([{"id": str(i), "references": REFERENCES, "candidates": {"a": ["x"], "b": ["a dog"]}} for i in rows])


SHAPES = [
    an_item_a_run,
    all_runs_of_one_item,
    files_of_one_name,
    records_of_one_id,
    reference_files,
    files_of_numbered_keys,
    items_of_few_runs,
]


def operations(call: Callable[[], object]) -> int:
    """Return the number of lines that a call executes, which does not depend on how busy the machine is."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_as_much_takes_four_times_as_long(shape: Callable[[int], Files]) -> None:
    small, large = shape(100), shape(400)
    load_study(small)
    once, four = operations(lambda: load_study(small)), operations(lambda: load_study(large))
    assert 2 < four / once < 5.5


@pytest.mark.parametrize("shape", [an_item_a_run, records_of_one_id])
def test_so_do_repairs(shape: Callable[[int], Files]) -> None:
    small, large = load_study(shape(100)), load_study(shape(400))
    fixes = ["merge_duplicates", "widest_runs"]
    once, four = operations(lambda: repair(small, fixes)), operations(lambda: repair(large, fixes))
    assert 2 < four / once < 5.5


def test_two_thousand_runs_are_refused_at_once() -> None:
    files, read = an_item_a_run(2_000), []
    assert operations(lambda: read.append(load_study(files))) < 2_800_000
    (loaded,) = read
    assert loaded.study is None
    (finding,) = loaded.errors
    assert (finding.code, finding.severity, finding.file) == ("too_many_runs", "error", "x.jsonl")
    assert "Give fewer runs at a time." in finding.repair


def test_as_many_runs_as_allowed_are_compared() -> None:
    loaded = load_study(all_runs_of_one_item(MAX_RUNS))
    assert loaded.study is not None
    assert len(loaded.study.runs) == MAX_RUNS


def test_a_new_name_is_none_that_the_file_has() -> None:
    """The second run `m` would be called `m (2)`, but that is also the name of another run."""
    first = {"id": "1", "references": REFERENCES, "candidates": {"m": ["one"]}}
    second = {"id": "1", "references": REFERENCES, "candidates": {"m": ["two"], "m (2)": ["three"]}}
    loaded = load_study([("a.json", json.dumps([first]).encode()), ("b.json", json.dumps([second]).encode())])
    assert loaded.study is not None
    assert {run.name: run.candidates["1"] for run in loaded.study.runs} == {
        "m": ("one",),
        "m (2)": ("three",),
        "m (3)": ("two",),
    }

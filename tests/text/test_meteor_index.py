"""The index of METEOR's data files: one file for all processes, rebuilt if it is damaged."""

from __future__ import annotations

import multiprocessing
import os
import threading
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from metrics.cache.disk import INDEXES, Cache
from metrics.text.meteor import index as module
from metrics.text.meteor.index import Index, build, load, save

SMALL = Index(
    np.frombuffer(b"catdog", np.uint8),
    np.array([0, 3, 6]),
    np.frombuffer(b"mice", np.uint8),
    np.array([0, 4]),
    np.array([0, 1, 3, 4]),
    np.array([7, 7, 8, 9], dtype=np.int32),
    np.frombuffer(b"acat", np.uint8),
    np.array([0, 1, 4]),
    np.array([2, 1], dtype=np.int32),
    np.zeros(4, np.int64),
    np.zeros(4, np.int32),
    np.array([False, True]),
    np.array([0, 0, 1], dtype=np.int32),
    np.array([1], dtype=np.int32),
)


def same(found: Index | None, expected: Index) -> bool:
    return found is not None and all(
        np.array_equal(getattr(found, part.name), getattr(expected, part.name)) for part in fields(Index)
    )


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own, in which nothing was looked up yet."""
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path))
    monkeypatch.setattr(module, "_loaded", {})
    return tmp_path


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One number for each time that this test builds the index, a small one; threads that others left do not count."""
    made: list[int] = []
    here = threading.current_thread()

    def quickly() -> Index:
        if threading.current_thread() is here:
            made.append(1)
        return SMALL

    monkeypatch.setattr(module, "build", quickly)
    return made


def test_words_are_looked_up_by_their_bytes() -> None:
    assert [SMALL.word(word) for word in ("a", "cat", "ca", "cats", "zz", "\u00e9", "\ud800")] == [2, 1, 0, 0, 0, 0, 0]
    assert [SMALL.synonyms(word) for word in ("cat", "cats", "dog", "mice", "bird")] == [(7,), (7,), (7, 8), (9,), ()]


def test_it_is_built_once_and_then_mapped(fresh: Path, builds: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    first = module.index()
    assert module.index() is first
    monkeypatch.setattr(module, "_loaded", {})
    again = module.index()
    assert builds == [1]
    assert same(again, SMALL)
    assert isinstance(again.partners.base, np.memmap | np.ndarray)
    assert not again.partners.flags.writeable
    assert [path.suffix for path in (fresh / INDEXES).rglob("*") if path.is_file()] == [".bin"]


@pytest.mark.parametrize("at", [0, 5, 300, -40, -1])
def test_a_changed_byte_makes_it_anew(at: int, fresh: Path, builds: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    module.index()
    (path,) = (fresh / INDEXES).rglob("*.bin")
    raw = bytearray(path.read_bytes())
    raw[at] ^= 1
    path.write_bytes(raw)
    assert load(path) is None
    monkeypatch.setattr(module, "_loaded", {})
    assert same(module.index(), SMALL)
    assert builds == [1, 1]
    assert same(load(path), SMALL)


@pytest.mark.parametrize("size", [0, 10, 31, 32, 33, 500])
def test_a_short_file_is_none(size: int, tmp_path: Path) -> None:
    save(tmp_path / "whole.bin", SMALL)
    (tmp_path / "short.bin").write_bytes((tmp_path / "whole.bin").read_bytes()[:size])
    assert load(tmp_path / "short.bin") is None
    assert load(tmp_path / "absent.bin") is None


def test_where_nothing_can_be_written_it_stays_in_memory(fresh: Path, builds: list[int]) -> None:
    (fresh / INDEXES).write_text("a file where the folder should be")
    assert same(module.index(), SMALL)
    assert module.index() is module.index()
    assert builds == [1]


def test_it_is_counted_and_cleared_with_the_cache(fresh: Path, builds: list[int]) -> None:
    module.index()
    cache = Cache(fresh)
    assert cache.usage().kinds[INDEXES][0] == 1
    assert cache.clear() > 0
    assert not (fresh / INDEXES).exists()


def _save(path: Path, times: int) -> None:
    for _ in range(times):
        save(path, SMALL)
        assert same(load(path), SMALL)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_two_processes_may_write_it_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_save, args=(tmp_path / "indexes" / "x.bin", 100)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert os.listdir(tmp_path / "indexes") == ["x.bin"]


@pytest.mark.slow
def test_building_twice_gives_the_same_index() -> None:
    first = build()
    assert same(build(), first)
    assert same(module.index(), first)
    table = np.concatenate([np.diff(first.partner_starts), [0]])
    assert (len(first.partners), table.sum(), first.is_phrase.sum()) == (5_274_084, 5_274_084, 2_616_378)

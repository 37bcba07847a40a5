"""Test the index of METEOR's data files: all processes share one file, which is built again if it is damaged."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from metrics.cache.disk import INDEXES, Cache
from metrics.text.meteor.index import Index, index, load, opened, save

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


class Builds:
    count = 0

    def __call__(self) -> Index:
        self.count += 1
        return SMALL


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / INDEXES / "meteor" / "small.bin"


def test_words_are_looked_up_by_their_bytes() -> None:
    assert [SMALL.word(word) for word in ("a", "cat", "ca", "cats", "zz", "\u00e9", "\ud800")] == [2, 1, 0, 0, 0, 0, 0]
    assert [SMALL.synonyms(word) for word in ("cat", "cats", "dog", "mice", "bird")] == [(7,), (7,), (7, 8), (9,), ()]


def test_it_is_built_once_and_then_read(path: Path) -> None:
    builds = Builds()
    opened(path, builds)
    again = opened(path, builds)
    assert builds.count == 1
    assert same(again, SMALL)
    assert not again.partners.flags.writeable
    assert list(path.parent.iterdir()) == [path]


def test_a_process_opens_it_once() -> None:
    assert index() is index()


@pytest.mark.parametrize("at", [0, 5, 300, -40, -1])
def test_a_changed_byte_makes_it_anew(at: int, path: Path) -> None:
    builds = Builds()
    opened(path, builds)
    raw = bytearray(path.read_bytes())
    raw[at] ^= 1
    path.write_bytes(raw)
    assert load(path) is None
    assert same(opened(path, builds), SMALL)
    assert builds.count == 2
    assert same(load(path), SMALL)


@pytest.mark.parametrize("size", [0, 10, 31, 32, 33, 500])
def test_a_short_file_is_none(size: int, tmp_path: Path) -> None:
    save(tmp_path / "whole.bin", SMALL)
    (tmp_path / "short.bin").write_bytes((tmp_path / "whole.bin").read_bytes()[:size])
    assert load(tmp_path / "short.bin") is None
    assert load(tmp_path / "absent.bin") is None


def test_where_nothing_can_be_written_it_stays_in_memory(path: Path) -> None:
    path.parents[1].write_text("a file where the folder should be")
    builds = Builds()
    assert same(opened(path, builds), SMALL)
    assert builds.count == 1
    assert same(opened(None, builds), SMALL)


def test_it_is_counted_and_cleared_with_the_cache(tmp_path: Path, path: Path) -> None:
    save(path, SMALL)
    cache = Cache(tmp_path)
    assert cache.usage().kinds[INDEXES][0] == 1
    assert cache.clear() > 0
    assert not (tmp_path / INDEXES).exists()


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


def test_a_file_that_somebody_cuts_takes_nothing_away(path: Path) -> None:
    """A separate process is needed, since the system may end a process that reads a truncated mapped file."""
    save(path, replace(SMALL, partners=np.arange(1 << 16, dtype=np.int32)))
    code = "import os, sys; from metrics.text.meteor.index import load; from pathlib import Path; " + (
        "kept = load(Path(sys.argv[1])); os.truncate(sys.argv[1], 0); print(kept.partners.sum())"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code, path], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert int(done.stdout) == (1 << 15) * ((1 << 16) - 1)


def test_the_index_is_the_same_wherever_it_is_built() -> None:
    built = index()
    table = np.concatenate([np.diff(built.partner_starts), [0]])
    assert (len(built.partners), table.sum(), built.is_phrase.sum()) == (5_274_084, 5_274_084, 2_616_378)
    digest = hashlib.sha256()
    for part in fields(Index):
        array = getattr(built, part.name)
        assert array.dtype.kind in "iub", "numbers with decimals may differ between machines"
        digest.update(f"{part.name} {array.dtype.str} {len(array)}\n".encode() + array.tobytes())
    assert digest.hexdigest() == "e4a13fa7be7bab5fd9aaaf428ffe68afaab948823145533dd13e683187b0e8d3"

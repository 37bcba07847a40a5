"""Test the cache on disk: what it returns, damaged entries, its size limit, its layers, and folders that are not
writable.
"""

from __future__ import annotations

import os
import re
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.cache.disk import KINDS, Cache, array_texts, entry_key, text_array
from metrics.cache.entry import encode

KEY = entry_key("stats", "some metric", "some texts")
ARRAYS = {"values": np.arange(6.0).reshape(2, 3), "item": np.array([0, 1])}


def equal(found: dict[str, np.ndarray] | None) -> bool:
    return found is not None and all(np.array_equal(found[name], array) for name, array in ARRAYS.items())


def files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


@pytest.mark.parametrize("in_memory", [True, False])
def test_gives_back_what_was_put(tmp_path: Path, in_memory: bool) -> None:
    cache = Cache(None if in_memory else tmp_path)
    assert cache.get(KEY) is None
    cache.put(KEY, ARRAYS)
    assert equal(cache.get(KEY))


def test_keys_differ_with_every_part() -> None:
    parts = [("stats", "a"), ("stats", "b"), ("tests", "a"), ("stats", "a", None), ("stats", "a", 0), ("stats", ["a"])]
    assert len({entry_key(*part) for part in parts}) == len(parts)


@pytest.mark.parametrize("damage", [b"", b"PK", b"not an archive", None])
def test_a_damaged_entry_is_removed_and_can_be_made_again(tmp_path: Path, damage: bytes | None) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, ARRAYS)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert cache.get(KEY) is None
    assert files(tmp_path) == []
    cache.put(KEY, ARRAYS)
    assert equal(cache.get(KEY))


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, ARRAYS)
    (path,) = files(tmp_path)
    raw = bytearray(path.read_bytes())
    place = raw.index(ARRAYS["values"].tobytes())
    raw[place + 8] ^= 1
    path.write_bytes(raw)
    assert cache.get(KEY) is None


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, ARRAYS)
    (path,) = files(tmp_path)
    np.savez(path, values=np.array([{"a": 1}], dtype=object))
    assert cache.get(KEY) is None


def test_least_recently_used_entries_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    keys = [entry_key("stats", k) for k in range(8)]
    for age, key in enumerate(keys):
        cache.put(key, {"values": np.zeros(1_000)})
        os.utime(tmp_path / f"{key}.npz", (1_000 + age, 1_000 + age))
    cache.get(keys[0])
    cache = Cache(tmp_path, limit=40_000)
    cache.evict()
    assert cache.usage().size <= 40_000
    assert cache.get(keys[0]) is not None
    assert cache.get(keys[1]) is None


def test_writing_keeps_under_the_limit(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit=100_000)
    for k in range(60):
        cache.put(entry_key("stats", k), {"values": np.zeros(1_000)})
    assert cache.usage().size <= 120_000


def test_clearing_leaves_files_that_are_not_entries(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, ARRAYS)
    (tmp_path / "thesis.tex").write_text("years of work")
    assert cache.clear() > 0
    assert files(tmp_path) == [tmp_path / "thesis.tex"]
    assert cache.usage().entries == 0


def test_a_read_only_layer_stands_behind(tmp_path: Path) -> None:
    source = Cache(tmp_path / "made")
    source.put(KEY, ARRAYS)
    with zipfile.ZipFile(tmp_path / "layer.zip", "w") as archive:
        (path,) = files(tmp_path / "made")
        archive.write(path, f"{KEY}.npz")
    cache = Cache(tmp_path / "own", (tmp_path / "layer.zip", tmp_path / "absent.zip"))
    assert equal(cache.get(KEY))
    assert files(tmp_path / "own") == []
    assert cache.get(entry_key("stats", "other")) is None


def test_a_folder_of_layers_is_read_as_one(tmp_path: Path) -> None:
    folder = tmp_path / "layers"
    folder.mkdir()
    for name, keys in {"b": ("results/aa/one", "results/bb/both"), "a": ("results/bb/both",), "damaged": ()}.items():
        if not keys:
            (folder / f"{name}.zip").write_bytes(b"PK")
            continue
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            for key in keys:
                archive.writestr(f"{key}.npz", encode(key, {"of": np.full(2, ord(name))}, compress=True))
    cache = Cache(None, (folder, tmp_path / "absent"))
    assert cache.keys("results") == {"results/aa/one", "results/bb/both"}
    both = cache.get("results/bb/both")
    assert both is not None
    assert both["of"].tolist() == [ord("a")] * 2, "the first file in alphabetical order"
    assert cache.has("results/aa/one")
    assert not cache.has("results/cc/other")


def test_a_folder_that_cannot_be_written_costs_only_the_caching(tmp_path: Path) -> None:
    (tmp_path / "stats").write_text("a file where a folder should be")
    cache = Cache(tmp_path)
    cache.put(KEY, ARRAYS)
    assert cache.get(KEY) is None


def test_threads_see_whole_entries(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    wrong: list[object] = []

    def work() -> None:
        for _ in range(50):
            cache.put(KEY, ARRAYS)
            if not equal(cache.get(KEY)):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@given(st.lists(st.text(st.characters(exclude_characters="\0"))))
def test_texts_survive_as_bytes(texts: list[str]) -> None:
    assert array_texts(text_array(texts), len(texts)) == texts


def test_an_entry_is_known_without_being_read(tmp_path):
    layer = tmp_path / "layer.zip"
    with zipfile.ZipFile(layer, "w") as archive:
        archive.writestr("results/aa/shipped.npz", b"never read")
    for cache in (Cache(tmp_path / "disk", (layer,)), Cache(None, (layer,))):
        assert not cache.has("results/bb/own")
        cache.put("results/bb/own", {"a": np.ones(2)})
        assert cache.has("results/bb/own")
        assert cache.has("results/aa/shipped")
        assert not cache.has("results/aa/other")
    assert not Cache(tmp_path / "disk", (tmp_path / "absent.zip",)).has("results/aa/shipped")


def test_keys_and_single_arrays_are_found_wherever_an_entry_lies(tmp_path: Path) -> None:
    layer = tmp_path / "layer.zip"
    with zipfile.ZipFile(layer, "w") as archive:
        archive.writestr("layouts/aa/shipped.npz", encode("layouts/aa/shipped", {"of": np.arange(2)}, compress=True))
        archive.writestr("results/aa/shipped.npz", encode("results/aa/shipped", {"of": np.arange(9)}, compress=True))
    brought = {"layouts/bb/given": encode("layouts/bb/given", {"of": np.arange(3)}, compress=True)}
    for folder in (tmp_path / "cache", None):
        cache = Cache(folder, (layer,), given=brought)
        cache.put("layouts/cc/own", {"of": np.arange(4), "xy": np.ones((4, 2))})
        cache.put("results/cc/own", {"of": np.arange(5)})
        assert cache.keys("layouts") == {"layouts/aa/shipped", "layouts/bb/given", "layouts/cc/own"}
        sizes = {key: len(found) for key in cache.keys("layouts") if (found := cache.peek(key, "of")) is not None}
        assert sizes == {"layouts/aa/shipped": 2, "layouts/bb/given": 3, "layouts/cc/own": 4}
        assert cache.peek("layouts/cc/own", "other") is None
        assert cache.peek("layouts/dd/none", "of") is None


def test_a_look_at_an_entry_does_not_keep_it_from_being_evicted(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("layouts/cc/own", {"of": np.arange(4)})
    path = tmp_path / "layouts" / "cc" / "own.npz"
    os.utime(path, (1_000, 1_000))
    cache.peek("layouts/cc/own", "of")
    assert path.stat().st_mtime == 1_000
    cache.get("layouts/cc/own")
    assert path.stat().st_mtime > 1_000


def test_every_kind_of_entry_is_counted_and_cleared() -> None:
    """If KINDS lacked a kind, `cache clear` would neither count nor remove its entries."""
    root = Path(__file__).resolve().parents[2] / "metrics"
    named = {
        kind for path in root.rglob("*.py") for kind in re.findall(r'entry_key\(\s*"(\w+)"', path.read_text("utf-8"))
    }
    assert named >= {"meteor", "judgments", "references"}
    assert named <= set(KINDS)


def test_beside_a_bundle_a_cache_opens_no_archive_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", (tmp_path / "scores.zip",))
    assert cache.with_bundle({}).layers is cache.layers

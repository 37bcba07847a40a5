"""Test compressed files and tar archives, and samples that are split over several files with the same name."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zlib
from collections.abc import Callable

import pyarrow as pa
import pytest

from data.load import load_study
from data.unpack import Source, folders_joined
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, expected, lines, read
from tests.data.test_published_layouts import codes

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: pa.compress(content, "zstd", asbytes=True),
}
KEYS = tuple(f"{k:09d}" for k in range(3))
PREDICTED = ("blip.json", json.dumps(dict(zip(KEYS, SAID))).encode())
SAMPLES = {
    f"{key}.{ending}": content
    for k, key in enumerate(KEYS)
    for ending, content in (
        ("txt", WRITTEN[k][0].encode()),
        ("json", json.dumps({"key": key, "url": f"http://x/{k}", "width": 10}).encode()),
    )
}


def tarred(members: dict[str, bytes], links: tuple[str, ...] = ()) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name in links:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/hostname"
            archive.addfile(member)
    return out.getvalue()


@pytest.mark.parametrize("ending", PACKED)
def test_a_packed_file_is_read_like_the_file(ending: str) -> None:
    content = lines(lambda k: {"image_id": IDS[k], "caption": SAID[k]})
    packed = PACKED[ending](content)
    assert read((f"m.jsonl.{ending}", packed), KNOWN) == expected()
    found = load_study([(f"m.jsonl.{ending}", packed), KNOWN])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == ["m"]
    broken = load_study([(f"m.jsonl.{ending}", packed[: len(packed) // 2])])
    assert "archive_broken" in codes(broken)


def test_xz_is_read_in_streams_and_in_bounded_memory() -> None:
    """The last file states in its header that it needs a dictionary of 4 GB."""
    content = lines(lambda k: {"image_id": IDS[k], "caption": SAID[k]})
    half = len(content) // 2
    streams = lzma.compress(content[:half]) + bytes(8) + lzma.compress(content[half:], preset=9)
    assert read(("m.jsonl.xz", streams), KNOWN) == expected()
    greedy = bytearray(lzma.compress(content))
    end = 12 + (greedy[12] + 1) * 4 - 4
    greedy[16] = 40
    greedy[end : end + 4] = zlib.crc32(greedy[12:end]).to_bytes(4, "little")
    (refused,) = load_study([("m.jsonl.xz", bytes(greedy))]).errors[:1]
    assert (refused.code, "Memory usage limit" in refused.problem) == ("archive_broken", True)


def test_the_files_of_a_tar_archive_are_read() -> None:
    content = lines(lambda k: {"image_id": IDS[k], "caption": SAID[k]})
    members = {"runs/m.jsonl": content, "runs/._m.jsonl": b"x", "references.json": KNOWN[1]}
    assert read(("all.tar", tarred(members))) == expected()
    assert read(("all.tar.gz", gzip.compress(tarred(members)))) == expected()
    found = load_study([("all.tar", tarred({**members, "../m2.jsonl": content}, ("link",)))])
    assert {"archive_path", "archive_skipped"} <= set(codes(found))
    assert "archive_broken" in codes(load_study([("all.tar", tarred(members)[:700])]))


@pytest.mark.parametrize("given", ["tar", "tar in a folder", "singly", "without facts"])
def test_samples_of_a_data_set_are_records(given: str) -> None:
    texts = {name: content for name, content in SAMPLES.items() if name.endswith(".txt")}
    files = {
        "tar": [("00000.tar", tarred({**SAMPLES, "000000000.cls": b"3"}))],
        "tar in a folder": [("00000.tar", tarred({f"./{name}": content for name, content in SAMPLES.items()}))],
        "singly": [*SAMPLES.items()],
        "without facts": [("captions/00000.tar", tarred(texts))],
    }[given]
    found = load_study([*files, PREDICTED])
    assert found.study is not None
    (run,) = [one for one in found.study.runs if one.name == "blip"]
    assert dict(run.candidates) == {key: (text,) for key, text in zip(KEYS, SAID)}
    if given == "without facts":
        assert {tuple(one.candidates.values()) for one in found.study.runs} == {
            tuple((text,) for text in SAID),
            tuple((texts[0],) for texts in WRITTEN),
        }
    else:
        assert [item.references for item in found.study.items] == [texts[:1] for texts in WRITTEN]


@pytest.mark.parametrize("log", [b"first line\nsecond line\nthird line", b"done"])
def test_results_of_two_models_beside_their_logs_are_no_samples(log: bytes) -> None:
    files = {f"m{k}.json": json.dumps(dict(zip(IDS, (f"{text} {k}" for text in SAID)))).encode() for k in (1, 2)}
    logs = {f"m{k}.txt": log for k in (1, 2)}
    found = load_study([*files.items(), *logs.items(), KNOWN])
    assert found.study is not None
    assert {"m1", "m2"} <= {run.name for run in found.study.runs}


def test_runs_of_one_line_are_no_samples() -> None:
    found = load_study([("refs.txt", b"a man eats"), ("run1.txt", b"a man sits"), ("run2.txt", b"a dog sits")])
    assert found.study is not None
    assert [dict(run.candidates) for run in found.study.runs] == [{"1": ("a man sits",)}, {"1": ("a dog sits",)}]


class Counted(tuple[str, bytes]):
    times = 0

    def __eq__(self, other: object) -> bool:
        Counted.times += 1
        return super().__eq__(other)

    __hash__ = tuple.__hash__


def test_the_files_of_many_samples_are_joined_in_time_proportional_to_their_number() -> None:
    """The joined file takes the place of the first sample, and other files keep their places.

    Files given twice are read once.
    """
    names = [
        (f"d/{k:05d}.{ending}", b"{}" if ending == "json" else b"a dog")
        for k in range(500)
        for ending in ("txt", "json")
    ]
    given: list[Source] = [("a.json", b"[]"), *map(Counted, names), *map(Counted, names[:4]), ("b.json", b"[]")]
    Counted.times = 0
    first, joined, last = folders_joined(given)
    assert [one[0] for one in (first, joined, last) if isinstance(one, tuple)] == ["a.json", "d.json", "b.json"]
    assert isinstance(joined, tuple)
    assert [row["id"] for row in json.loads(joined[1])] == [f"{k:05d}" for k in range(500)]
    assert Counted.times <= 2 * len(given)


@pytest.mark.parametrize("named", [True, False])
def test_files_of_one_record_are_records_of_one_file(named: bool) -> None:
    """The item is named by a field or, if there is no such field, by the file."""
    files = [
        (
            f"blip/{id}.json",
            json.dumps({**({"image": id} if named else {}), "caption": text, "T": 0.7}).encode(),
        )
        for id, text in zip(IDS, SAID)
    ]
    found = load_study([*files, KNOWN])
    assert found.study is not None
    (run,) = found.study.runs
    assert (run.model, run.settings.temperature) == ("blip", 0.7)
    assert run.candidates == {id: (text,) for id, text in zip(IDS, SAID)}


def test_files_of_one_run_each_are_not_records_of_items() -> None:
    said = dict(zip(IDS, SAID))
    files = [(f"{name}.json", json.dumps({"model": name, "captions": said}).encode()) for name in ("blip", "git")]
    found = load_study([*files, KNOWN])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == ["blip", "git"]
    assert all(run.candidates == {id: (text,) for id, text in said.items()} for run in found.study.runs)

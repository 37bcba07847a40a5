"""Test archives: limits on unpacked size, names that are never paths, damaged members, and folders of data sets."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from pathlib import Path

import pyarrow as pa
import pytest

from data.files import limits
from data.load import load_study

ROW = b'[{"id": "1", "references": ["a", "b"], "candidates": {"m": ["c", "d"]}}]'


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def zstandard(members: dict[str, bytes]) -> bytes:
    """Return a zip file with method 93, which `zipfile` cannot write: its members are stored, and their headers
    changed.
    """
    out = io.BytesIO()
    packed = {name: pa.compress(content, "zstd", asbytes=True) for name, content in members.items()}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as stored:
        for name, content in packed.items():
            stored.writestr(name, content)
        places = [member.header_offset for member in stored.infolist()]
    archive, listed = bytearray(out.getvalue()), 0
    for place, content in zip(places, members.values()):
        listed = archive.index(b"PK\x01\x02", listed + 1)
        for start in (place + 8, listed + 10):
            struct.pack_into("<H", archive, start, 93)
            struct.pack_into("<I", archive, start + 6, zlib.crc32(content))
            struct.pack_into("<I", archive, start + 14, len(content))
    return bytes(archive)


def problems(*sources: tuple[str, bytes]) -> list[tuple[str, str]]:
    return [(finding.code, finding.problem) for finding in load_study(list(sources)).findings]


@pytest.mark.parametrize(
    "name",
    ["../escape.json", "a/../../escape.json", "/etc/x.json", "C:\\x\\y.json", "a\\..\\y.json", "\\\\host\\x.json"],
)
def test_names_that_lead_out_of_an_archive_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = load_study([("a.zip", zipped({name: ROW + b" ", "good.json": ROW}))])
    assert loaded.study is not None
    assert [(finding.code, finding.file) for finding in loaded.errors] == [("archive_path", f"a.zip/{name}")]
    assert [report.name for report in loaded.files] == ["a.zip/good.json"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["runs/x.json", "runs\\x.json", "x..json", "a b/c:d.json"])
def test_plain_names_in_archives_are_labels(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = load_study([("a.zip", zipped({name: ROW}))])
    assert loaded.study is not None
    assert [report.name for report in loaded.files] == [f"a.zip/{name}"]
    assert list(tmp_path.iterdir()) == []


def test_ratio_cap_counts_bytes_and_not_headers() -> None:
    bomb = zipped({"big.json": b" " * (60 << 20)})
    assert problems(("a.zip", bomb))[0] == (
        "archive_too_large",
        "The archive is too large when unpacked: more than 40 times its size.",
    )


def test_nested_bombs_share_one_budget() -> None:
    inner = zipped({"big.json": b" " * (20 << 20)})
    found = problems(("a.zip", zipped({f"{n}.zip": inner for n in range(4)})))
    assert ("archive_too_large", "The archive is too large when unpacked: more than 40 times its size.") in found


def test_archives_read_together_share_a_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_TOTAL", 3 << 20)
    files = [(f"{n}.gz", gzip.compress(os.urandom(2 << 20))) for n in range(2)]
    found = [(code, file) for code, file in ((f.code, f.file) for f in load_study(files).findings) if "large" in code]
    assert found == [("archive_too_large", "1.gz")]


def test_size_and_member_caps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_UNPACKED", 1 << 20)
    assert problems(("a.gz", gzip.compress(os.urandom(2 << 20))))[0] == (
        "archive_too_large",
        "The archive is too large when unpacked: more than 1 MB.",
    )
    monkeypatch.setattr(limits, "MAX_MEMBERS", 3)
    many = zipped({f"{n}.json": ROW for n in range(4)})
    assert problems(("a.zip", many))[0][1] == "The archive is too large when unpacked: 4 files, more than 3."


def test_a_damaged_member_stops_only_itself() -> None:
    archive = bytearray(zipped({"bad.json": os.urandom(999), "good.json": ROW}))
    archive[100] ^= 255
    loaded = load_study([("a.zip", bytes(archive))])
    assert [finding.code for finding in loaded.errors] == ["archive_broken"]
    assert loaded.errors[0].file == "a.zip/bad.json"
    assert loaded.study is not None


def test_members_under_zstandard_are_read_checked_and_limited() -> None:
    other = ROW.replace(b'"1"', b'"2"')
    archive = zstandard({"a.json": ROW, "b.json": other})
    loaded = load_study([("a.zip", archive)])
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == ["1", "2"]
    assert not loaded.errors
    wrong = bytearray(archive)
    wrong[14] ^= 255  # the checksum, which the archive's directory repeats
    wrong[wrong.index(b"PK\x01\x02") + 16] ^= 255
    ((code, problem), *_) = problems(("a.zip", bytes(wrong)))
    assert (code, "checksum" in problem) == ("archive_broken", True)
    cut = archive.replace(pa.compress(ROW, "zstd", asbytes=True)[-12:], bytes(12), 1)
    assert [finding.code for finding in load_study([("a.zip", cut)]).errors] == ["archive_broken"]
    bomb = zstandard({"big.json": b" " * (60 << 20)})
    assert problems(("a.zip", bomb))[0] == problems(("a.zip", zipped({"big.json": b" " * (60 << 20)})))[0]


def test_office_documents_and_locked_archives_are_told() -> None:
    book = zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<x/>"})
    assert problems(("a.docx", book))[0][0] == "binary"
    locked = bytearray(zipped({"x.json": ROW}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(mark) + offset] |= 1
    assert "password" in problems(("a.zip", bytes(locked)))[0][1]


def test_the_files_that_were_given_are_known_with_their_sums() -> None:
    archive, packed = zipped({"x.json": ROW, "y.json": ROW + b" "}), gzip.compress(ROW + b"  ", mtime=0)
    loaded = load_study([("a.zip", archive), ("b.json.gz", packed)])
    assert [(file.name, file.sha256) for file in loaded.sources] == [
        ("a.zip", hashlib.sha256(archive).hexdigest()),
        ("b.json.gz", hashlib.sha256(packed).hexdigest()),
    ]


def test_files_that_a_damaged_list_hides_are_missed() -> None:
    """If the length of a comment is wrong, zipfile reads the next entry as part of the comment."""
    content = bytearray(zipped({"a.json": ROW, "b.json": ROW.replace(b"1", b"2")}))
    assert not problems(("a.zip", bytes(content)))
    content[content.index(b"PK\x01\x02") + 32] = 46 + len("b.json")
    ((code, problem),) = problems(("a.zip", bytes(content)))
    assert code == "archive_broken"
    assert "states that it holds 2 files but lists 1" in problem


def stream(texts: list[str]) -> bytes:
    table, out = pa.table({"id": [text[-1] for text in texts], "caption": texts}), io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


@pytest.mark.parametrize("folder", ["blip/", "all/blip/", ""])
def test_a_folder_of_datasets_is_one_file_named_after_it(folder: str) -> None:
    names = ["data-00000-of-00002.arrow", "data-00001-of-00002.arrow"]
    shards = [stream(["A dog is number 1", "A cat is number 2"]), stream(["A kite is number 3"])]
    state = json.dumps({"_data_files": [{"filename": name} for name in names], "_fingerprint": "x"}).encode()
    members = {f"{folder}{name}": shard for name, shard in zip(reversed(names), reversed(shards))}
    members |= {
        f"{folder}state.json": state,
        f"{folder}dataset_info.json": b'{"features": {"id": {"dtype": "string"}}}',
    }
    members |= {"all/dataset_dict.json": b'{"splits": ["blip"]}'} if folder.startswith("all") else {}
    loaded = load_study([("blip.zip", zipped(members))])
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert (run.name, list(run.candidates)) == ("blip", ["1", "2", "3"])
    assert [report.name for report in loaded.files] == [f"blip.zip/{folder.rstrip('/') or 'blip'}"]
    assert not {"empty_record", "facts_alone", "metadata_columns"} & {one.code for one in loaded.findings}


@pytest.mark.parametrize(("folder", "info", "named"), [("blip/", {}, "blip"), ("", {"dataset_name": "git"}, "git")])
def test_files_of_a_folder_of_datasets_given_one_by_one_are_one(folder: str, info: dict[str, str], named: str) -> None:
    names = ["data-00000-of-00002.arrow", "data-00001-of-00002.arrow"]
    shards = [stream(["A dog is number 1", "A cat is number 2"]), stream(["A kite is number 3"])]
    state = json.dumps({"_data_files": [{"filename": name} for name in names]}).encode()
    known = ("references.json", json.dumps({str(k): [f"one {k}", f"it is {k}"] for k in (1, 2, 3)}).encode())
    files = [known, *((folder + name, shard) for name, shard in zip(names[::-1], shards[::-1]))]
    files += [(f"{folder}state.json", state), (f"{folder}dataset_info.json", json.dumps(info).encode())]
    loaded = load_study(files)
    assert loaded.study is not None
    assert [(run.name, list(run.candidates)) for run in loaded.study.runs] == [(named, ["1", "2", "3"])]
    assert [report.name for report in loaded.files] == ["references.json", named]
    lacking = load_study([one for one in files if names[1] not in one[0]])
    assert named not in {report.name for report in lacking.files}, "a data set without a shard is not read as a whole"


def test_files_beside_a_folder_of_datasets_are_read() -> None:
    loaded = load_study([("a.zip", zipped({"state.json": ROW, "x/state.json": b"{}", "x/data.arrow": stream(["1"])}))])
    assert [(one.code, one.file) for one in loaded.errors] == [("empty_file", "a.zip/x")]
    assert loaded.study is not None
    assert [report.name for report in loaded.files if report.records] == ["a.zip/state.json"]

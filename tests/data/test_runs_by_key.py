"""JSON in which keys name runs: their records have captions by people, or stand under ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN

OTHER = tuple(f"{text} again" for text in SAID)
BOTH = {"blip": SAID, "git": OTHER}


def said(value: Any, *files: tuple[str, bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    """References by item, and captions by run in the order of the items."""
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
    """The keys of items look like ids; in either order, and beside references."""
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
    """Their records have no other captions, though each states its item."""
    value = {id: [{"image_id": id, "caption": text} for text in refs] for id, refs in zip(IDS, WRITTEN)}
    made = json.dumps([{"image_id": id, "prediction": text} for id, text in zip(IDS, SAID)]).encode()
    assert said(value, ("blip.json", made)) == (dict(zip(IDS, WRITTEN)), {"blip": SAID})


def test_the_parts_of_a_data_set_are_no_runs() -> None:
    value = {"train": {IDS[0]: {"caption": WRITTEN[0][0]}}, "val": {id: {"caption": "a dog runs"} for id in IDS[1:]}}
    references, runs = said(value, KNOWN)
    assert set(runs) != {"train", "val"}
    assert len(references) == 3

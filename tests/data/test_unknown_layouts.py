"""Files whose fields no table of names covers, read by what their contents tell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN

File = tuple[str, bytes]
OTHERS = ("a brown dog is running fast", "two coffee cups are standing there", "someone mends her bicycle")
EACH = {"one": SAID, "two": OTHERS}


def runs(*files: File, **how: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    """The captions of each run by item; every item must have the known references."""
    loaded = load_study(list(files), **how)
    assert loaded.study is not None, loaded.findings
    assert [set(item.references) for item in loaded.study.items] == [set(refs) for refs in WRITTEN]
    return {run.name: dict(run.candidates) for run in loaded.study.runs}


def single(texts: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {id: (text,) for id, text in zip(IDS, texts)}


def table(header: str, *rows: str) -> File:
    return "all.csv", "\n".join([header, *rows]).encode()


@pytest.mark.parametrize("name", ["method", "generator", "model_path", "prompt_style", "variant"])
@pytest.mark.parametrize("by_run", [True, False])
def test_a_column_that_tells_the_captions_of_each_item_apart_names_runs(name: str, by_run: bool) -> None:
    cells = [(id, of, text) for of, texts in EACH.items() for id, text in zip(IDS, texts)]
    cells = cells if by_run else sorted(cells)
    expected = {of: single(texts) for of, texts in EACH.items()}
    assert runs(KNOWN, table(f"image,{name},caption", *map(",".join, cells))) == expected
    rows = [{"id": id, name: of, "prediction": text, "references": WRITTEN[int(id) - 1]} for id, of, text in cells]
    assert runs(("all.json", json.dumps(rows).encode())) == expected


def test_a_column_that_tells_the_captions_of_a_run_apart_is_a_setting() -> None:
    cells = [f"{id},m,{of},{text}" for of, texts in EACH.items() for id, text in zip(IDS, texts)]
    found = runs(KNOWN, table("image,model,prompt_style,caption", *cells))
    assert found == {f"m@prompt_style={of}": single(texts) for of, texts in EACH.items()}


@pytest.mark.parametrize(("name", "values"), [("rank", "12"), ("annotator", "ab"), ("note", ("fine", ""))])
def test_what_does_not_tell_runs_apart_leaves_them_together(name: str, values: str) -> None:
    cells = [f"{id},{of},{text}" for of, texts in zip(values, EACH.values()) for id, text in zip(IDS, texts)]
    together = {id: (one, other) for id, one, other in zip(IDS, SAID, OTHERS)}
    assert runs(KNOWN, table(f"image,{name},caption", *cells)) == {"all": together}


def event(k: int, kind: str, **data: Any) -> dict[str, Any]:
    return {"run_id": "r", "event_id": k, "sample_id": IDS[k], "type": kind, "data": data}


@pytest.mark.parametrize("final", [-1, 1])
def test_events_of_one_sample_are_one_record(final: int) -> None:
    events = [
        one
        for k, refs in enumerate(WRITTEN)
        for one in (
            event(k, "sampling", prompt=[{"role": "user", "content": "?"}], sampled=["Let me see."]),
            event(k, "sampling", prompt=[{"role": "user", "content": "?"}], sampled=[SAID[k]]),
            event(k, "match", correct=False, expected=refs, picked=None, sampled=SAID[k], options=refs),
            event(k, "metrics", accuracy=0.0),
        )
    ]
    rows: list[dict[str, Any]] = [{"spec": {"completion_fns": ["m"], "run_config": {"seed": 7}}}, *events]
    rows.insert(final % (len(rows) + 1), {"final_report": {"accuracy": 0.0}})
    assert runs(("log.jsonl", "\n".join(map(json.dumps, rows)).encode())) == {"log": single(SAID)}


TWO = {id: {"0": one, "1": other} for id, one, other in zip(IDS, SAID, OTHERS)}
BOTH = {"x": {id: (one, other) for id, one, other in zip(IDS, SAID, OTHERS)}}


@pytest.mark.parametrize("known", ["img_{}", "clip{}", "{}.jpg", "{}"])
def test_counted_captions_of_an_item_are_no_runs(known: str) -> None:
    given = ("references.json", json.dumps({known.format(id): refs for id, refs in zip(IDS, WRITTEN)}).encode())
    said = {known.format(id): texts for id, texts in TWO.items()}
    expected = {"x": {known.format(id): texts for id, texts in BOTH["x"].items()}}
    assert runs(given, ("x.json", json.dumps(said).encode())) == expected
    told = {of: dict(zip(map(known.format, IDS), texts)) for of, texts in EACH.items()}
    found = runs(given, ("x.json", json.dumps(told).encode()))
    assert found == {of: {id: (text,) for id, text in texts.items()} for of, texts in told.items()}


def test_counted_captions_of_records_are_lists() -> None:
    written = {id: {str(k): text for k, text in enumerate(refs)} for id, refs in zip(IDS, WRITTEN)}
    rows = [{"image_id": id, "captions": texts, "references": written[id]} for id, texts in TWO.items()]
    assert runs(("x.json", json.dumps(rows).encode())) == BOTH
    by_id = {id: {"gt": written[id], "pred": texts} for id, texts in TWO.items()}
    assert runs(("x.json", json.dumps(by_id).encode())) == BOTH
    named = {id: {f"caption_{k}": text for k, text in texts.items()} for id, texts in TWO.items()}
    assert runs(KNOWN, ("x.json", json.dumps(named).encode())) == BOTH


def test_references_with_the_answer_beside_them_are_not_all_references() -> None:
    rows = [
        {"doc_id": id, "target": refs, "filtered_resps": [text], "bleu": [refs, text]}
        for id, refs, text in zip(IDS, WRITTEN, SAID)
    ]
    assert runs(("x.jsonl", "\n".join(map(json.dumps, rows)).encode())) == {"x": single(SAID)}

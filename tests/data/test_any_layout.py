"""Test that a study is read correctly from random layouts, names and containers, with other columns beside its own."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from data.load import load_study

File = tuple[str, bytes]
Texts = dict[str, list[str]]
SCENES = (
    (("a brown dog", "a small puppy"), ("runs", "races"), ("across the beach", "along the sandy shore")),
    (("two cats", "grey kittens"), ("sleep", "nap"), ("on a sofa", "under a blanket")),
    (("a man in a hat", "an old man"), ("rides", "steers"), ("a bicycle down the street", "a bike through town")),
    (("a young woman", "a lady"), ("slices", "chops"), ("carrots on a board", "onions at a counter")),
    (("a red bus", "a city bus"), ("stops", "waits"), ("at a station", "beside the curb")),
    (("a long train", "a steam engine"), ("crosses", "rolls over"), ("a stone bridge", "a viaduct")),
)
FORMS = ("{0} {1} {2}", "{0} that {1} {2}", "there is {0}; it {1} {2}", "{2}, {0} {1}")
IDS = (
    ("image_id", ("139", "285", "632", "724", "776", "785")),
    ("photo_id", ("12", "7", "31", "5", "44", "9")),
    ("file_name", ("kite.jpg", "room.jpg", "town.jpg", "food.jpg", "bus.jpg", "rail.jpg")),
    ("video_id", ("aXk3pQ", "Zt9bRm", "q4WsYn", "Lc7vHd", "uE2fGj", "mN8kTo")),
)
CANDIDATES = ("generated_caption", "model_output", "prediction", "hypothesis", "predicted_caption", "response")
REFERENCES = ("references", "gt_captions", "gold_captions", "ground_truth", "human_captions", "reference_captions")
RUNS = ("model", "model_name", "system_name", "checkpoint", "captioner")
HEATS = ("temperature", "temp", "sampling_temperature")
SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    lambda name: "".join(word.capitalize() if k else word for k, word in enumerate(name.split("_"))),
    lambda name: "".join(map(str.capitalize, name.split("_"))),
    lambda name: name.replace("_", "-"),
    lambda name: name.replace("_", " ").capitalize(),
    str.upper,
)
BESIDE: dict[str, Callable[[int], Any]] = {
    "latency": lambda k: round(0.3 + k % 7 / 9, 3),
    "Unnamed: 0": int,
    "finish_reason": lambda k: "stop",
    "prompt": lambda k: "Describe the image.",
    "created_at": lambda k: 1714557600 + k,
    "uuid": lambda k: f"8bdb7ef1-2321-4311-9821-{k:012d}",
    "num_tokens": lambda k: 6 + k % 5,
    "empty": lambda k: None,
    "CLIPScore": lambda k: round(0.5 + k % 5 / 11, 4),
}


@dataclass
class Study:
    """The contents of a study, and the names that its files use for them."""

    rng: random.Random
    id: str
    ids: tuple[str, ...]
    references: Texts
    runs: dict[tuple[str, float | None], Texts]
    candidate: str
    reference: str
    run: str
    heat: str
    beside: list[str] = field(default_factory=list)
    rows: int = 0

    def row(self, id: str) -> dict[str, Any]:
        """Return the start of a record of an item: its id, and the columns that are neither captions nor references."""
        self.rows += 1
        return {**{name: BESIDE[name](self.rows) for name in self.beside}, self.id: id}

    def of_run(self, run: tuple[str, float | None]) -> dict[str, Any]:
        """Return the fields of a record that state a run."""
        model, heat = run
        return {self.run: model} | ({} if heat is None else {self.heat: heat})


def drawn(seed: int) -> Study:
    """Return a random study of six items and one to four runs, with random names for the fields of its files."""
    rng = random.Random(seed)
    name, ids = rng.choice(IDS)
    spell, width = rng.choice(SPELLINGS), rng.choice((1, 2, 3))
    heats = rng.choice(((None,), (None,), (0.3, 0.7)))
    runs = [(model, heat) for model in rng.sample(("blip2", "llava", "git-base"), rng.choice((1, 2))) for heat in heats]
    texts = {
        id: rng.sample([form.format(a, b, c) for form in FORMS for a in who for b in does for c in where], 24)
        for id, (who, does, where) in zip(ids, SCENES)
    }
    references = {id: texts[id][: rng.choice((2, 3))] for id in ids}
    captions = {run: {id: texts[id][4 + 4 * k : 4 + 4 * k + width] for id in ids} for k, run in enumerate(runs)}
    called = [spell(rng.choice(known)) for known in (CANDIDATES, REFERENCES, RUNS, HEATS)]
    return Study(rng, spell(name), ids, references, captions, *called, rng.sample(list(BESIDE), rng.choice((0, 1, 3))))


def stem(run: tuple[str, float | None]) -> str:
    return run[0] if run[1] is None else f"{run[0]}_t{run[1]}"


def js(name: str, value: Any) -> File:
    return f"{name}.json", json.dumps(value).encode()


def written(study: Study, name: str, rows: list[dict[str, Any]]) -> File:
    """Return records in a file of a random kind; lists in cells are written as JSON or as Python prints them."""
    kind = study.rng.choice(("json", "jsonl", "wrapped", "csv", "semicolons", "tsv"))
    if kind in ("json", "wrapped"):
        key = study.rng.choice(("data", "results", "samples"))
        return js(name, rows if kind == "json" else {"meta": {"version": 2}, key: rows})
    if kind == "jsonl":
        return f"{name}.jsonl", "\n".join(map(json.dumps, rows)).encode()
    listed, out = study.rng.choice((json.dumps, repr)), io.StringIO()
    made = csv.DictWriter(out, list(rows[0]), delimiter={"csv": ",", "tsv": "\t"}.get(kind, ";"))
    made.writeheader()
    made.writerows({key: listed(one) if isinstance(one, list) else one for key, one in row.items()} for row in rows)
    return f"{name}.{'tsv' if kind == 'tsv' else 'csv'}", study.rng.choice(
        (b"", b"\xef\xbb\xbf")
    ) + out.getvalue().encode()


def apart(study: Study) -> File:
    """Return a separate file of references, with plain ids, or with ids that have COCO's form or a folder before
    them.
    """
    numbers = study.ids[0].isdecimal()
    of = study.rng.choice(
        (str, "images/{}.jpg".format, lambda id: f"COCO_val2014_{int(id):012d}.jpg")
        if numbers
        else (str, "val/{}".format)
    )
    if study.rng.random() < 0.5:
        return js("references", {of(id): texts for id, texts in study.references.items()})
    rows = [{study.id: of(id), "caption": text} for id, texts in study.references.items() for text in texts]
    return written(study, "references", rows)


def by_item(study: Study) -> list[File]:
    """Return a file for each run, with a record for each item, and the references in these files or in a separate
    one.
    """
    inside = study.rng.random() < 0.5
    told = {study.reference: study.references} if inside else {}
    files = [
        written(
            study,
            stem(run),
            [
                {**study.row(id), study.candidate: texts[id], **{name: of[id] for name, of in told.items()}}
                for id in study.ids
            ],
        )
        for run, texts in study.runs.items()
    ]
    return files if inside else [*files, apart(study)]


def by_caption(study: Study) -> list[File]:
    """Return a file with a record for each caption, which states its run, and a file of references."""
    rows = [
        {**study.row(id), **study.of_run(run), study.candidate: text}
        for run, texts in study.runs.items()
        for id in study.ids
        for text in texts[id]
    ]
    return [written(study, "outputs", rows), apart(study)]


def wide(study: Study) -> list[File]:
    """Return a file with a column for each run beside the references."""
    rows = [
        {study.id: id, study.reference: study.references[id], **{stem(run): of[id] for run, of in study.runs.items()}}
        for id in study.ids
    ]
    return [written(study, "outputs" if len(study.runs) > 1 else stem(next(iter(study.runs))), rows)]


def under_runs(study: Study) -> list[File]:
    """Return a file of captions by run and item, or by item and run, beside the references or together with them."""
    of = {stem(run): texts for run, texts in study.runs.items()}
    turned = {id: {run: texts[id] for run, texts in of.items()} for id in study.ids}
    if len(of) > 1 and study.rng.random() < 0.5:
        return [js("outputs", {study.reference: study.references, "outputs": study.rng.choice((of, turned))})]
    told = {id: {study.reference: study.references[id], **turned[id]} for id in study.ids}
    return [js("outputs" if len(of) > 1 else next(iter(of)), told)]


def beside_settings(study: Study) -> list[File]:
    """Return a file for each run, which states model and settings beside the records, possibly under another key."""
    key, outer = (
        study.rng.choice(("results", "annotations", "predictions", "samples")),
        study.rng.choice(("", "report")),
    )
    files = []
    for k, (run, texts) in enumerate(study.runs.items()):
        rows = [
            {**study.row(id), study.candidate: texts[id], study.reference: study.references[id]} for id in study.ids
        ]
        value = {"config": study.of_run(run), key: rows}
        files.append(js(f"run_{k}", {outer: value} if outer else value))
    return files


LAYOUTS = (by_item, by_caption, wide, under_runs, beside_settings)
OF_CAPTIONS = {"unequal_counts", "one_or_several", "leak", "run_at_chance", "degenerate_run", "shifted_run"}
"""Warnings about the captions themselves rather than about how they were read."""


@pytest.mark.parametrize("seed", range(60))
def test_a_study_is_read_from_any_layout(seed: int) -> None:
    study = drawn(seed)
    files = LAYOUTS[seed % len(LAYOUTS)](study)
    loaded = load_study(files)
    assert {one.code for one in loaded.findings if one.severity != "note"} <= OF_CAPTIONS, files[0][1][:300]
    assert loaded.study is not None
    known = {tuple(texts): id for id, texts in study.references.items()}
    assert {item.references for item in loaded.study.items} == {*known}, files[0][1][:300]
    places = {item.id: known[item.references] for item in loaded.study.items}
    found = {
        (run.settings.temperature, tuple(sorted((places[id], texts) for id, texts in run.candidates.items())))
        for run in loaded.study.runs
    }
    expected = {
        (heat, tuple(sorted((id, tuple(texts)) for id, texts in of.items()))) for (_, heat), of in study.runs.items()
    }
    assert found == expected, files[0][1][:300]
    assert len(loaded.study.runs) == len(study.runs)

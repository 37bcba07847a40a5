"""Test files with unknown names of fields, which are interpreted by their contents."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from data.load import load_study, repair
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN

File = tuple[str, bytes]
OTHERS = ("a brown dog is running fast", "two coffee cups are standing there", "someone mends her bicycle")
EACH = {"one": SAID, "two": OTHERS}


def runs(*files: File, **how: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return, for each run, its captions by item. Fails unless every item has the known references."""
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


def test_two_columns_of_runs_both_tell_them_apart() -> None:
    cells = [f"{id},m,{of},{text}" for of, texts in zip("12", EACH.values()) for id, text in zip(IDS, texts)]
    found = runs(KNOWN, table("image,model,checkpoint,caption", *cells))
    assert found == {f"m@checkpoint={of}": single(texts) for of, texts in zip("12", EACH.values())}


def test_a_setting_that_one_model_lacks_and_that_begins_late_tells_runs_apart() -> None:
    ids = [str(k) for k in range(150)]
    known = ("references.json", json.dumps({id: [f"a dog {id}", f"the dog {id}"] for id in ids}).encode())
    named = [("m", "short"), ("m", "long"), ("n", "short")]
    rows = [f"{id},{model},{of},a dog of {model} that is {of} {id}" for model, of in named for id in ids]
    loaded = load_study([known, table("image,model,variant,caption", *rows)])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == [f"{model}@variant={of}" for model, of in named]
    assert {len(texts) for run in loaded.study.runs for texts in run.candidates.values()} == {1}


def test_captions_by_people_of_two_kinds_are_their_references() -> None:
    written = [f"{id},{'ab'[k % 2]},{text}" for id, refs in zip(IDS, WRITTEN) for k, text in enumerate(refs)]
    said = ("preds.csv", "\n".join(["image,caption", *map(",".join, zip(IDS, SAID))]).encode())
    assert runs(table("image,gender,caption", *written), said) == {"preds": single(SAID)}


@pytest.mark.parametrize(
    ("name", "values"), [("rank", "12"), ("annotator", "ab"), ("note", ("fine", "")), ("beam", ("b0", "b1"))]
)
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


ALIKE = tuple((f"{text} today", f"here {text}", refs[0]) for text, refs in zip(OTHERS, WRITTEN))


def joined(mark: str) -> list[list[str]]:
    return [[id, text, mark.join(refs)] for id, text, refs in zip(IDS, SAID, ALIKE)]


@pytest.mark.parametrize("mark", ["\n", "\r\n", " ||| ", "<sep>", "; ", "\n- ", " ### ", "~~", " // ", " • ", "#"])
def test_captions_in_one_cell_are_apart_where_they_are_alike(mark: str) -> None:
    rows = pd.DataFrame(joined(mark), columns=["image", "prediction", "references"])
    written = rows.to_csv(index=False).encode()
    loaded = load_study([("x.csv", written)])
    assert loaded.study is not None
    assert [item.references for item in loaded.study.items] == list(ALIKE)
    whole = repair(loaded, (), without=["split_captions"]).study
    assert whole is not None
    assert {len(item.references) for item in whole.items} == {1}
    listed = load_study([("x.json", rows.to_json(orient="records").encode())]).study
    assert listed is not None
    assert listed.items == loaded.study.items


UNLIKE = [
    ("red kite", "windy pier", "a dog runs"),
    ("old tram", "stone church", "wet street"),
    ("owl", "dark oak", "egg"),
]


@pytest.mark.parametrize(("mark", "apart"), [(" | ", True), (" ## ", True), ("; ", False)])
@pytest.mark.parametrize("last", [None, "a site"])
def test_signs_that_no_sentence_has_separate_unlike_captions_by_people(
    mark: str, apart: bool, last: str | None
) -> None:
    told = [(*of[:-1], last or of[-1]) for of in UNLIKE]
    rows = [{"image": k, "prediction": "a thing", "references": mark.join(of)} for k, of in enumerate(told)]
    study = load_study([("x.json", json.dumps(rows).encode())]).study
    assert study is not None
    whole = [(mark.join(of),) for of in told]
    assert [item.references for item in study.items] == (told if apart and not last else whole)


def test_thoughts_are_no_further_captions() -> None:
    rows = [
        {"id": id, "prediction": f"<think>{text}; {text} again</think> {text}", "reference": text}
        for id, text in zip(IDS, SAID)
    ]
    loaded = load_study([("x.json", json.dumps(rows).encode())])
    assert loaded.study is not None
    assert {len(texts) for texts in loaded.study.runs[0].candidates.values()} == {1}


def test_sentences_of_one_text_stay_together() -> None:
    stories = ("The dog runs fast.\nIt wants its ball back.", "Two cups stand there.\nNobody drinks any coffee.")
    rows = [{"id": id, "prediction": text, "reference": "\n".join(stories)} for id, text in zip(IDS, SAID)]
    loaded = load_study([("x.json", json.dumps(rows).encode())])
    assert loaded.study is not None
    assert {len(item.references) for item in loaded.study.items} == {1}


@pytest.mark.parametrize(
    ("name", "content"),
    {
        "nested.json": [[{"generated_text": text}, {"generated_text": other}] for text, other in zip(SAID, OTHERS)],
        "columns.json": {"id": IDS, "refs": WRITTEN, "one": SAID, "two": OTHERS},
        "chat.jsonl": [
            {"image": id, "model": of, "message": {"role": "assistant", "content": text}, "total_duration": 5}
            for of, texts in EACH.items()
            for id, text in zip(IDS, texts)
        ],
        "turns.json": [{"id": id, "choices": [{"index": 0, "turns": [text]}]} for id, text in zip(IDS, SAID)],
        "beams.json": {id: [[text, -0.1], [other, -0.2]] for id, text, other in zip(IDS, SAID, OTHERS)},
        "links.json": [{"image_url": f"https://x.org/{id}.jpg?w=9", "caption": text} for id, text in zip(IDS, SAID)],
        "log.json": [
            {"inputs": {"image": id}, "target": {"output": refs[0]}, "output": text, "references": refs}
            for id, text, refs in zip(IDS, SAID, WRITTEN)
        ],
        "values.json": [[f"{id}.jpg", text] for id, text in zip(IDS, SAID)],
    }.items(),
)
def test_layouts_of_other_programs(name: str, content: Any) -> None:
    several = {"nested": [BOTH["x"]], "beams": [BOTH["x"]]}
    both = [single(texts) for texts in EACH.values()]
    expected = several.get(name.split(".")[0]) or (both if name in ("columns.json", "chat.jsonl") else both[:1])
    text = "\n".join(map(json.dumps, content)) if name.endswith("l") else json.dumps(content)
    found = runs(KNOWN, (name, text.encode()))
    assert [{id: tuple(texts) for id, texts in run.items()} for run in found.values()] == expected


def test_records_under_keys_of_their_own() -> None:
    entries = [{id: {"category": "Dog", "lexicalisations": [{"comment": "good", "lex": one} for one in refs]}}
               for id, refs in zip(IDS, WRITTEN)]  # fmt: skip
    files = (
        ("webnlg.json", json.dumps({"entries": entries}).encode()),
        ("m.json", json.dumps(dict(zip(IDS, SAID))).encode()),
    )
    assert runs(*files) == {"m": single(SAID)}


def test_numbered_captions_beside_references_are_of_a_run() -> None:
    rows = [",".join([id, one, other]) for id, one, other in zip(IDS, SAID, OTHERS)]
    file = table("image,caption 1,caption 2", *rows)
    assert runs(KNOWN, file) == runs(file, references=[KNOWN]) == {"all": BOTH["x"]}


def test_lines_of_an_id_and_one_of_several_references() -> None:
    said = "".join(f"{id} {text}\n" for id, text in zip(IDS, SAID)).encode()
    written = "".join(f"{id} {one}\n" for id, refs in zip(IDS, WRITTEN) for one in refs).encode()
    assert runs(("m.txt", said), ("references.txt", written)) == {"m": single(SAID)}


def test_columns_beside_one_of_captions_are_runs_where_they_fit_its_rows() -> None:
    cells = [f"{id},{refs[0]},{a},{b}" for id, refs, a, b in zip(IDS, WRITTEN, SAID, OTHERS)]
    loaded = load_study([table("image,caption,blip,git", *cells)])
    assert loaded.study is not None
    assert {item.references for item in loaded.study.items} == {(refs[0],) for refs in WRITTEN}
    assert {run.name: dict(run.candidates) for run in loaded.study.runs} == {
        "blip": single(SAID),
        "git": single(OTHERS),
    }
    assert "taken_as_references" in {one.code for one in loaded.findings}


def test_columns_of_other_things_beside_one_of_captions_are_no_runs() -> None:
    cells = [
        f"{id},{text},{note},{place}"
        for id, text, note, place in zip(
            IDS,
            SAID,
            ("seen on Monday morning", "taken with flash light", "sent by a friend"),
            ("far in the north", "near my own home", "nobody can say where"),
        )
    ]
    loaded = load_study([table("image,caption,memo,where", *cells)])
    assert loaded.study is not None
    assert [dict(run.candidates) for run in loaded.study.runs] == [single(SAID)]


@pytest.mark.parametrize(
    "columns", [("id", "image"), ("id", "stimulus"), ("answer_id", "stimulus"), ("row", "picture")]
)
@pytest.mark.parametrize("n_items", [3, 250])
def test_rows_numbered_over_all_runs_are_of_the_items_that_every_run_has(
    columns: tuple[str, str], n_items: int
) -> None:
    number, item = columns
    rows = [
        {number: 1000 + n_items * run + k, "model": of, item: f"scene-{k}", "prediction": f"{of} says {k} of them"}
        for run, of in enumerate("ab")
        for k in range(n_items)
    ]
    known = {f"scene-{k}": [f"there are {k}", f"{k} of them"] for k in range(n_items)}
    loaded = load_study([("all.json", json.dumps(rows).encode()), ("references.json", json.dumps(known).encode())])
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == [*known]
    assert {run.name: dict(run.candidates) for run in loaded.study.runs} == {
        of: {id: (f"{of} says {k} of them",) for k, id in enumerate(known)} for of in "ab"
    }


def test_lists_by_run_may_have_several_captions_of_one_item() -> None:
    names = [f"{id}.jpg" for id in IDS]
    value = {of: [{"file": name, "text": text} for name, text in zip(names, texts)] for of, texts in EACH.items()}
    value["people"] = [{"file": name, "text": text} for name, refs in zip(names, WRITTEN) for text in refs]
    loaded = repair(load_study([("all.json", json.dumps(value).encode())]), ["people_as_references"])
    assert loaded.study is not None
    assert {item.id: set(item.references) for item in loaded.study.items} == {
        name: set(refs) for name, refs in zip(names, WRITTEN)
    }
    assert {run.name: dict(run.candidates) for run in loaded.study.runs} == {
        of: {name: (text,) for name, text in zip(names, texts)} for of, texts in EACH.items()
    }


@pytest.mark.parametrize("by_text", [True, False])
def test_a_square_of_references_is_read_along_the_side_that_fits_the_captions(by_text: bool) -> None:
    said = ["a red bus turns left", "an old man paints a fence", "two girls share an umbrella"]
    of_texts = [[f"{text} {k}" for k in ("now", "here", "today")] for text in said]
    given = of_texts if by_text else [list(one) for one in zip(*of_texts)]
    loaded = load_study(("all.json", json.dumps({"predictions": said, "references": given}).encode()))
    assert loaded.study is not None
    assert [item.references for item in loaded.study.items] == [tuple(refs) for refs in of_texts]


@pytest.mark.parametrize("name", ["captions.txt", "coco_karpathy_test.csv", "val_1.csv", "docci_descriptions.csv"])
@pytest.mark.parametrize("others", [["blip.csv"], ["blip.csv", "git.csv"]])
def test_a_file_named_as_those_of_data_sets_has_captions_by_people(name: str, others: list[str]) -> None:
    rows = [f"{id},{text}" for id, refs in zip(IDS, WRITTEN) for text in (refs[:1] if "docci" in name else refs)]
    files = [(name, "\n".join(["image,caption", *rows]).encode())]
    files += [(of, "\n".join(["image,caption", *map(",".join, zip(IDS, SAID))]).encode()) for of in others]
    loaded = load_study([*files[1:], files[0]])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs][:1] == ["blip"]
    assert all(item.references for item in loaded.study.items)
    assert "taken_as_references" in {one.code for one in loaded.findings}


@pytest.mark.parametrize(
    ("model", "people", "taken"),
    [
        ("blip.csv", "captions.csv", False),
        ("blip.txt", "captions.txt", False),
        ("predictions.csv", "captions.csv", True),
        ("predictions.txt", "captions.txt", True),
        ("blip.txt", "coco_val.txt", True),
    ],
)
def test_of_two_files_with_a_caption_each_only_a_data_set_beside_a_model_is_taken_for_people(
    model: str, people: str, taken: bool
) -> None:
    """The name `captions` alone does not decide, since files of models are just as often called so."""
    texts = {model: SAID, people: OTHERS}
    tables = {name: "\n".join(["image,caption", *map(",".join, zip(IDS, of))]) for name, of in texts.items()}
    files = [(name, (tables[name] if "csv" in name else "\n".join(of)).encode()) for name, of in texts.items()]
    loaded = load_study(files)
    assert loaded.study is not None
    names = [name.partition(".")[0] for name in texts]
    assert [run.name for run in loaded.study.runs] == (names[:1] if taken else names)
    wanted = [(text,) if taken else () for text in texts[people]]
    assert [item.references for item in loaded.study.items] == wanted


def test_scores_per_item_are_found_beside_their_mean() -> None:
    scores = {"aggregate": {"cider": 1.5}, "per_item": {id: {"cider": float(id), "spice": 0.1} for id in IDS}}
    loaded = load_study(
        [KNOWN, table("image,caption", *map(",".join, zip(IDS, SAID))), ("s.json", json.dumps(scores).encode())]
    )
    assert loaded.study is not None
    found = {one.name: one for one in loaded.study.scores}
    assert set(found) == {"cider", "spice"}
    assert not loaded.errors


@pytest.mark.parametrize(
    "scores",
    [
        {"Polos": 0.5, "per_item": dict(zip(IDS, (0.1, 0.2, 0.3)))},
        {"Polos": {"score": 1, "per_item": {"1": 0.1, "2": 0.2, "3": 0.3}}},
    ],
)
def test_numbers_per_item_are_scores_of_the_metric_above_them(scores: dict[str, Any]) -> None:
    said = table("image,caption", *map(",".join, zip(IDS, SAID)))
    loaded = load_study([KNOWN, said, ("s.json", json.dumps(scores).encode())])
    assert loaded.study is not None
    (one,) = loaded.study.scores
    assert one.name == "Polos"
    assert [list(of) for of in next(iter(one.values.values())).values()] == [[0.1], [0.2], [0.3]]


def test_a_sheet_with_german_names_is_read() -> None:
    rows = [
        f"{id}.jpg;klein;{t};{text} {t};{refs[0]};{refs[1]}"
        for id, text, refs in zip(IDS, SAID, WRITTEN)
        for t in ("0,3", "1,0")
    ]
    header = "Bild;Modell;Temperatur;Beschreibung;Referenz 1;Referenz 2"
    loaded = load_study(("alles.csv", "\n".join([header, *rows]).encode()))
    assert loaded.study is not None
    assert {item.references for item in loaded.study.items} == {refs[:2] for refs in WRITTEN}
    assert {(run.model, run.settings.temperature) for run in loaded.study.runs} == {("klein", 0.3), ("klein", 1.0)}

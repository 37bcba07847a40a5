"""Test how runs, items, references and captions are distinguished in files that people and programs write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.check import Loaded
from data.load import Columns, Reading, load_study
from data.mapped import columns_of
from tests.data.test_handwritten import (
    BOTH,
    HEATS,
    IDS,
    MODELS,
    REFERENCES,
    WRITTEN,
    File,
    archive,
    by_id,
    in_order,
    js,
    long,
    said,
    sheet,
)


def told(loaded: Loaded) -> dict[tuple[str | None, float | None], dict[str, tuple[str, ...]]]:
    assert loaded.study is not None
    return {(run.model, run.settings.temperature): dict(run.candidates) for run in loaded.study.runs}


IN_FULL = {(m, t): {id: (said(m, t, id),) for id in IDS} for m, t in BOTH}
NAMED_ALIKE = {
    "rows": long(["image", "run", "temperature", "caption"]),
    "a list": js("all.json", {"models": [{"name": m, "temperature": t, "captions": by_id(m, t)} for m, t in BOTH]}),
    "records": js(
        "all.json",
        [{"image": id, "system": m, "temperature": t, "text": said(m, t, id)} for m, t in BOTH for id in IDS],
    ),
    "a column of temperatures without a name": long(["image", "run", "", "caption"]),
    "a column for each picture": sheet(
        "all.csv", [["run", "T", *IDS], *([m, t, *(said(m, t, id) for id in IDS)] for m, t in BOTH)]
    ),
    "a column for each picture, settings last": sheet(
        "all.csv", [[*IDS, "model", "temperature"], *([*(said(m, t, id) for id in IDS), m, t] for m, t in BOTH)], ";"
    ),
}


@pytest.mark.parametrize("file", NAMED_ALIKE.values(), ids=NAMED_ALIKE)
def test_runs_of_one_name_are_told_apart_by_their_settings(file: File) -> None:
    assert told(load_study([file, REFERENCES])) == IN_FULL


@pytest.mark.parametrize(
    ("names", "texts", "given", "read"),
    [
        (IDS, "two dogs run", "", True),
        (IDS, "two dogs run", "id=image,candidates=caption", True),
        (IDS[:2], "two dogs run", "", False),
        (IDS, "dogs", "", False),
        (IDS, "two dogs run", "run=run,candidates=img_1.jpg", False),
    ],
)
def test_columns_named_by_three_pictures_or_more_hold_their_captions(
    names: list[str], texts: str, given: str, read: bool
) -> None:
    rows = [["run", *names], *([m, *(f"{texts} {m}" if " " in texts else texts for _ in names)] for m in MODELS)]
    loaded = load_study([sheet("all.csv", rows)], columns=columns_of(given) if given else Columns())
    items = {item.id for item in loaded.study.items} if loaded.study is not None else set()
    assert (items == {*names}) == read


@pytest.mark.parametrize("given", [(), (REFERENCES,)])
def test_a_text_that_never_changes_is_no_caption_beside_columns_of_settings(given: tuple[File, ...]) -> None:
    rows = [[id, "pictures of animals in town", *(said("blip", t, id) for t in HEATS)] for id in IDS]
    file = sheet("all.csv", [["image", "about", *(f"T={t}" for t in HEATS)], *rows])
    assert {heat: of for (_, heat), of in told(load_study([file, *given])).items()} == {
        t: {id: (said("blip", t, id),) for id in IDS} for t in HEATS
    }


def test_captions_of_a_contest_are_of_one_item() -> None:
    rows = [[k, f"the joke {k} of a dog", 510] for k in range(4)]
    study = load_study([sheet("510.csv", [["rank", "caption", "contest"], *rows])]).study
    assert study is not None
    assert dict(study.runs[0].candidates) == {"510": tuple(f"the joke {k} of a dog" for k in range(4))}


@pytest.mark.parametrize("prompt", ["You are a helpful assistant.", "Be brief!", "You write captions for blind people"])
def test_a_system_prompt_names_no_run(prompt: str) -> None:
    rows = [{"system": prompt, "query": "Describe it.", "response": f"a dog {id}", "image": id} for id in IDS]
    loaded = load_study([js("m.json", rows), REFERENCES])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == ["m"]


def test_scores_in_another_file_find_runs_that_their_settings_tell_apart() -> None:
    captions = long(["image", "run", "temperature", "caption"])
    rows = [[id, m, t, k / 10] for k, (m, t) in enumerate(BOTH) for id in IDS]
    loaded = load_study([captions, sheet("scores.csv", [["image", "run", "temperature", "CLIPScore"], *rows])])
    assert loaded.study is not None
    assert [one.code for one in loaded.findings if one.severity == "error"] == []
    (score,) = loaded.study.scores
    assert {str(value) for of in score.values.values() for value in _flat(of)} == {"0.0", "0.1", "0.2", "0.3"}


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [one for inner in value.values() for one in _flat(inner)]
    return [one for inner in value for one in _flat(inner)] if isinstance(value, list | tuple) else [value]


def test_seeds_of_a_run_are_its_captions() -> None:
    rows = [[id, m, seed, f"{said(m, None, id)} {seed}"] for m in MODELS for seed in (1, 2) for id in IDS]
    loaded = load_study([sheet("data.csv", [["image", "run", "seed", "caption"], *rows]), REFERENCES])
    assert loaded.study is not None
    found = {run.name: ({len(of) for of in run.candidates.values()}, run.settings.seed) for run in loaded.study.runs}
    assert found == {m: ({2}, None) for m in MODELS}


HEATS_BEHIND = {
    "columns": sheet(
        "wide.csv",
        [["image", *(f"{m} {t}" for m, t in BOTH)], *([id, *(said(m, t, id) for m, t in BOTH)] for id in IDS)],
    ),
    "keys beside references": js(
        "all.json",
        {id: {"human": WRITTEN[id]} | {m: {str(t): [said(m, t, id)] for t in HEATS} for m in MODELS} for id in IDS},
    ),
}


@pytest.mark.parametrize("file", HEATS_BEHIND.values(), ids=HEATS_BEHIND)
def test_numbers_behind_several_names_are_temperatures(file: File) -> None:
    loaded = load_study([file] if "human" in str(file) else [file, REFERENCES])
    assert told(loaded) == IN_FULL


def test_numbers_behind_names_that_do_not_cross_are_versions() -> None:
    names = ["llava 1.5", "llava 1.6", "blip 1.0"]
    rows = [[id, *(said(name, None, id) for name in names)] for id in IDS]
    loaded = load_study([sheet("wide.csv", [["image", *names], *rows]), REFERENCES])
    assert loaded.study is not None
    assert [(run.name, run.settings.temperature) for run in loaded.study.runs] == [(name, None) for name in names]


IN_ROWS = [
    *([id, "ref", "", text] for id in IDS for text in WRITTEN[id]),
    *([id, "cand", m, said(m, None, id)] for id in IDS for m in MODELS),
]
WITH_ROLE = {
    "rows": sheet("tidy.csv", [["item", "role", "system", "text"], *IN_ROWS]),
    "records": js("tidy.json", [dict(zip(["id", "type", "model", "caption"], row)) for row in reversed(IN_ROWS)]),
}


@pytest.mark.parametrize("file", WITH_ROLE.values(), ids=WITH_ROLE)
def test_a_column_says_which_rows_are_references(file: File) -> None:
    loaded = load_study([file])
    assert told(loaded) == {(m, None): {id: (said(m, None, id),) for id in IDS} for m in MODELS}
    assert loaded.study is not None
    assert {item.id: set(item.references) for item in loaded.study.items} == {id: set(WRITTEN[id]) for id in IDS}


def test_items_with_references_alone_get_no_captions() -> None:
    rows = [row for row in IN_ROWS if row[1] == "ref" or row[0] != IDS[0]]
    loaded = load_study([sheet("tidy.csv", [["item", "role", "system", "text"], *rows])])
    assert told(loaded) == {(m, None): {id: (said(m, None, id),) for id in IDS[1:]} for m in MODELS}


def test_a_verdict_between_references_and_models_tells_no_sides() -> None:
    rows = [[id, ("reference", "model")[k % 2], said("alpha", None, id)] for k, id in enumerate(IDS)]
    loaded = load_study([sheet("alpha.csv", [["id", "better", "caption"], *rows]), REFERENCES])
    assert told(loaded) == {("alpha", None): {id: (said("alpha", None, id),) for id in IDS}}


def test_two_ids_of_a_file_that_resemble_one_reference_are_not_guessed() -> None:
    captions = {f"{split}/{id}": f"{split} {said('alpha', None, id)}" for split in ("train", "val") for id in IDS}
    loaded = load_study([js("alpha.json", captions | {"test/one.jpg": "A single one."}), REFERENCES])
    assert told(loaded) == {}
    (unclear,) = [one for one in loaded.findings if one.code == "ids_unclear"]
    assert unclear.count == 2 * len(IDS)


def test_a_description_in_an_archive_is_no_run() -> None:
    files = [js("alpha.json", by_id("alpha", None)), ("README.md", b"# Runs\n"), ("requirements.txt", b"torch\n")]
    loaded = load_study([archive([*files, REFERENCES])])
    assert told(loaded) == {("alpha", None): {id: (said("alpha", None, id),) for id in IDS}}
    assert {one.file for one in loaded.findings if one.code == "prose"} == {f"all.zip/{name}" for name, _ in files[1:]}
    forced = load_study([files[1]], overrides={"README.md": Reading(format="lines")})
    assert told(forced) == {("README", None): {"1": ("# Runs",)}}


def test_the_json_of_records_may_stand_in_a_text_beside_other_values() -> None:
    inner = json.dumps([{"image_id": id, "caption": text} for id, text in by_id("alpha", None).items()])
    loaded = load_study([js("alpha.json", {"status": "ok", "body": inner, "code": 200}), REFERENCES])
    assert told(loaded) == {("alpha", None): {id: (said("alpha", None, id),) for id in IDS}}


def test_columns_beside_references_by_person_are_kept() -> None:
    by_person = [[WRITTEN[id][k] for id in IDS] for k in range(2)]
    value = {"ids": IDS, "hypotheses": in_order("alpha", 0.2), "list_of_references": by_person, "notes": ["a", "b"]}
    loaded = load_study([js("x.json", value | {"config": {"model": "alpha", "temperature": 0.2}})])
    assert told(loaded) == {("alpha", 0.2): IN_FULL[("alpha", 0.2)]}
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == WRITTEN
    (left,) = [one for one in loaded.findings if one.code == "ignored_columns"]
    assert "notes" in left.problem


def test_facts_that_count_items_from_zero_meet_captions_that_are_counted_from_one() -> None:
    rows = [{"prediction": said("alpha", None, id), "references": list(WRITTEN[id])} for id in IDS]
    facts = sheet("facts.csv", [["index", "domain"], *([k, f"place {k}"] for k in range(len(IDS)))])
    loaded = load_study([js("alpha.json", rows), facts])
    assert loaded.study is not None
    assert [(item.id, item.metadata["domain"]) for item in loaded.study.items] == [
        (str(k + 1), f"place {k}") for k in range(len(IDS))
    ]


def test_a_row_of_flickr30k_without_its_separator_keeps_its_caption() -> None:
    rows = [f"{id}| {k}| {text}" for id in IDS for k, text in enumerate(WRITTEN[id])]
    rows[1] = rows[1].replace("| 1| ", "| 1   ")
    table = ("results.csv", "\n".join(["image_name| comment_number| comment", *rows]).encode())
    loaded = load_study([table, js("alpha.json", by_id("alpha", None))])
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == WRITTEN
    (missing,) = [one for one in loaded.findings if one.code == "mark_missing"]
    assert missing.record == "line 3"


def test_steps_of_training_whose_pictures_have_other_paths_share_their_items() -> None:
    def step(k: int) -> File:
        names = ["image", "label", "prediction", "score"]
        pictures = [
            {"_type": "image-file", "path": f"media/{id[:-4]}_{k}.png", "sha256": f"f{place}a"}
            for place, id in enumerate(IDS)
        ]
        rows = [[one, WRITTEN[id][0], f"{said('alpha', None, id)} {k}", k] for one, id in zip(pictures, IDS)]
        return js(f"step_{k}.table.json", {"columns": names, "data": rows if k == 1 else rows[::-1]})

    loaded = load_study([step(1), step(2)])
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == [f"media/{id[:-4]}_1.png" for id in IDS]
    for run, k in zip(loaded.study.runs, (1, 2)):
        assert [run.candidates[item.id] for item in loaded.study.items] == [
            (f"{said('alpha', None, id)} {k}",) for id in IDS
        ]
    (met,) = [one for one in loaded.findings if one.code == "ids_by_field"]
    assert "`image.sha256`" in met.problem


@pytest.mark.parametrize("steps", [(1000, 2000), ("1000", "2000")])
def test_steps_of_training_in_one_table_are_runs(steps: tuple[int | str, ...]) -> None:
    rows = [[step, id, f"{said('alpha', None, id)} {step}"] for step in steps for id in IDS]
    loaded = load_study([js("t.table.json", {"columns": ["step", "image_id", "prediction"], "data": rows}), REFERENCES])
    assert loaded.study is not None
    assert [[*run.candidates.values()] for run in loaded.study.runs] == [
        [(f"{said('alpha', None, id)} {step}",) for id in IDS] for step in steps
    ]


def test_facts_with_short_texts_are_metadata() -> None:
    facts = [["file_name", "keywords", "sound_id", "start_end", "maker"]]
    facts += [[id, "street noise; people", f"s{k}", "[1, 400]", "s9 ames"] for k, id in enumerate(IDS)]
    loaded = load_study([sheet("meta.csv", facts), REFERENCES, js("alpha.json", by_id("alpha", None))])
    assert [one.code for one in loaded.findings if one.severity == "error"] == []
    assert loaded.study is not None
    assert {item.metadata["keywords"] for item in loaded.study.items} == {"street noise; people"}


def test_a_refusal_in_place_of_an_answer_is_what_was_said() -> None:
    def message(place: int, id: str) -> dict[str, Any]:
        refused = place == 1
        said_so = {"content": None if refused else said("alpha", None, id), "refusal": "I can't." if refused else None}
        return {"custom_id": id, "response": {"body": {"choices": [{"message": {"role": "assistant"} | said_so}]}}}

    loaded = load_study([js("out.json", [message(*one) for one in enumerate(IDS)]), REFERENCES])
    ((_, captions),) = told(loaded).items()
    assert captions == {id: ("I can't." if k == 1 else said("alpha", None, id),) for k, id in enumerate(IDS)}


def test_samples_of_two_tasks_do_not_meet_by_the_numbers_of_their_documents() -> None:
    """The ids of nocaps count from 0, as do the documents of every task; only references show which items are the
    same.
    """

    def samples(task: str, start: int, tail: str) -> File:
        rows = [
            {"doc_id": k, "target": [f"{text}{tail}" for text in WRITTEN[id]], "filtered_resps": [f"{task} {id}"]}
            | {f"{task}_CIDEr": {"image_id": start + k}}
            for k, id in enumerate(IDS)
        ]
        return f"samples_{task}.jsonl", "\n".join(map(json.dumps, rows)).encode()

    other = load_study([samples("nocaps", 0, ""), samples("coco", 391_895, " Or not.")])
    assert other.study is None
    assert [one.code for one in other.findings if one.severity == "error"] == ["no_common_items"]
    same = load_study([samples("nocaps", 0, ""), samples("coco", 391_895, "")])
    assert same.study is not None
    assert {len(run.candidates) for run in same.study.runs} == {len(IDS)}


def test_items_named_by_a_word_and_a_number_are_no_fields() -> None:
    renamed = {id: f"photo{k:03d}" for k, id in enumerate(IDS)}
    value = {str(t): {m: {renamed[id]: said(m, t, id) for id in IDS} for m in MODELS} for t in HEATS}
    assert told(load_study([js("x.json", value)])) == {
        (m, t): {renamed[id]: (said(m, t, id),) for id in IDS} for m, t in BOTH
    }


def test_the_map_proposed_for_a_file_of_references_names_references() -> None:
    table = sheet("references.csv", [["image", "left", "right"], *([id, *WRITTEN[id]] for id in IDS)])
    loaded = load_study([table])
    (refused,) = [one for one in loaded.findings if one.code == "no_columns"]
    assert refused.repair.endswith("--map id=image,references=left+right.")

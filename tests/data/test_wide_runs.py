"""Test columns of texts that are runs because their texts resemble those of other columns, whatever their names."""

from __future__ import annotations

import json

import pytest

from data.load import Loaded, load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN
from tests.data.test_unknown_layouts import OTHERS, single, table


@pytest.mark.parametrize(
    "names",
    [
        "base_model,finetuned",
        "baseline,new model",
        "baseline,ours",
        "sft,dpo",
        "before,after",
        "Pretrained,Fine-tuned",
        "zero_shot,few_shot",
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_columns_named_after_stages_of_a_model_are_runs_each(names: str, known: bool) -> None:
    alike = tuple(" ".join(text.split()[::-1]) for text in SAID) if not known else OTHERS
    made = table(f"image,{names}", *map(",".join, zip(IDS, SAID, alike)))
    loaded = load_study([KNOWN, made] if known else [made])
    assert loaded.study is not None, loaded.findings
    found = {run.name: dict(run.candidates) for run in loaded.study.runs}
    assert found == dict(zip(names.split(","), map(single, (SAID, alike))))
    assert not any(item.metadata for item in loaded.study.items)


@pytest.mark.parametrize("name", ["note", "prompt", "story"])
def test_a_text_that_is_not_like_captions_is_no_run_beside_a_model(name: str) -> None:
    told = [f"{text}, which we saw from far away when the long day was over" for text in SAID]
    rows = [dict(zip(("image", "base_model", name), of)) for of in zip(IDS, SAID, told)]
    loaded = load_study([KNOWN, ("all.json", json.dumps(rows).encode())])
    assert loaded.study is not None
    assert [set(run.candidates.values()) for run in loaded.study.runs] == [{(text,) for text in SAID}]


def in_objects(names: tuple[str, str], key: str) -> Loaded:
    people = [f"{text} or {other}" for text, other in zip(SAID, OTHERS)]
    rows = [
        {"id": id, "reference": of} | {name: {key: text, "score": k} for name, text in zip(names, texts)}
        for k, (id, of, *texts) in enumerate(zip(IDS, people, SAID, OTHERS))
    ]
    return load_study([("all.json", json.dumps(rows).encode())])


@pytest.mark.parametrize("key", ["text", "caption"])
def test_objects_with_texts_beside_references_are_runs(key: str) -> None:
    study = in_objects(("blip", "git"), key).study
    assert study is not None
    assert {run.name: dict(run.candidates) for run in study.runs} == {"blip": single(SAID), "git": single(OTHERS)}
    scored = [{run: [value for (value,) in of.values()] for run, of in one.values.items()} for one in study.scores]
    assert scored == [{"blip": [0, 1, 2], "git": [0, 1, 2]}]


@pytest.mark.parametrize("names", [("image", "git"), ("de", "en"), ("source", "git")])
def test_objects_that_may_hold_other_texts_are_no_runs(names: tuple[str, str]) -> None:
    study = in_objects(names, "caption").study
    assert not {run.name for run in (study.runs if study else ())} & {*names}


@pytest.mark.parametrize(
    ("column", "files", "names"),
    [
        ("BLIP", ["eval.csv"], ["BLIP"]),
        ("gpt-4o", ["model_results.csv"], ["model_results"]),
        ("gpt-4o", ["results.csv"], ["gpt-4o"]),
        ("BLIP", ["git.csv"], ["git"]),
        ("BLIP", ["results_t0.7.csv"], ["results_t0.7"]),
        ("BLIP", ["results.csv", "output.csv"], ["output", "results"]),
        ("answer_text", ["eval.csv"], ["eval"]),
        ("Beschreibung", ["eval.csv"], ["eval"]),
    ],
)
def test_a_single_column_of_captions_names_its_run_if_the_file_names_none(
    column: str, files: list[str], names: list[str]
) -> None:
    """The name of a column is not that of a run if several files share it, or if it is a word for texts."""
    given = [
        (file, "\n".join([f"image,reference,{column}", *rows]).encode())
        for k, file in enumerate(files)
        if (rows := [f"{id},{refs[0]},{text} {'too ' * k}".strip() for id, refs, text in zip(IDS, WRITTEN, SAID)])
    ]
    found = load_study(given)
    assert found.study is not None
    assert sorted(run.name for run in found.study.runs) == names


@pytest.mark.parametrize(
    ("headings", "runs"),
    [
        ("our model,our model v2,baseline", ["our model", "our model v2", "baseline"]),
        ("our model,our model v2,baseline model", ["our model", "our model v2", "baseline model"]),
        ("BLIP,GIT,baseline", ["BLIP", "GIT", "baseline"]),
        ("caption_blip,caption_git,baseline", ["blip", "git", "baseline"]),
        ("prediction ours,prediction v1,baseline", ["ours", "v1", "baseline"]),
        ("system 1,system 2,control", ["system 1", "system 2", "control"]),
        ("caption (BLIP),caption (GIT),caption (baseline)", ["BLIP", "GIT", "baseline"]),
        ("BLIP,GIT,category", ["BLIP", "GIT"]),
    ],
)
def test_the_short_captions_of_a_baseline_are_a_run(headings: str, runs: list[str]) -> None:
    short = [" ".join(text.split()[:2]) for text in SAID]
    lines = [",".join(row) for row in zip(IDS, OTHERS, SAID, SAID, OTHERS, short)]
    loaded = load_study([table(f"image,reference 1,reference 2,{headings}", *lines)])
    assert loaded.study is not None, loaded.findings
    found = {run.name: dict(run.candidates) for run in loaded.study.runs}
    assert found == dict(zip(runs, map(single, (SAID, OTHERS, short))))
    assert all(item.references == (a, b) for item, a, b in zip(loaded.study.items, OTHERS, SAID))

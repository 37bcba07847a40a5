"""Test that a question is asked if and only if the contents contradict the guessed roles of columns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from data.mapped import columns_of
from tests.data.test_any_layout import FORMS, SCENES

TEXTS = [[form.format(*(part[0] for part in scene)) for form in FORMS] for scene in SCENES]
"""Four captions for each of six scenes."""


def rows(**fields: Any) -> list[dict[str, Any]]:
    """Return a record per scene; each field is a function of the scene's number and captions."""
    return [{name: of(k, texts) for name, of in fields.items()} for k, texts in enumerate(TEXTS)]


def one(number: int) -> Any:
    return lambda k, texts: texts[number]


def named(prefix: str) -> Any:
    return lambda k, texts: f"{prefix}{k}"


def label(k: int, texts: list[str]) -> str:
    return ("animal", "person", "traffic")[k % 3]


UNSURE = {
    "captions of two pictures": (
        rows(id=named("x"), image_0=named("a"), image_1=named("b"), caption_0=one(0), caption_1=one(1)),
        "may describe its own picture, `image_0` or `image_1`",
    ),
    "sentences that follow or contradict": (
        rows(id=named("x"), sentence1=one(0), sentence2=one(1), gold=lambda k, _: ("entailment", "neutral")[k % 2]),
        "`gold` labels those in `sentence1`, `sentence2` as pairs, such as entailment",
    ),
    "two columns with names of captions": (rows(id=named("x"), text=one(0), summary=one(1)), "`summary`"),
    "a column like the captions": (
        rows(id=named("x"), prediction=one(0), reference=one(1), rewritten=one(2)),
        "`rewritten`",
    ),
    "numbered columns beside another": (
        rows(id=named("x"), answers=one(0), summary_1=one(1), summary_2=one(2), summary_3=one(3)),
        "`summary_1`, `summary_2`, `summary_3`",
    ),
    "labels beside sentences": (
        rows(id=named("x"), prediction=label, scene=one(0)),
        "only single words in `prediction`",
    ),
    "codes beside sentences": (
        rows(id=named("x"), caption=lambda k, _: "esdefr"[k % 3 * 2 :][:2], line=one(0)),
        "`line`",
    ),
    "an id under which each record lists captions of its own": (
        rows(example=lambda k, _: f"prompt {k % 2}", prediction=one(0), references=lambda k, texts: texts[1:]),
        "records with the same `example` list different captions by people",
    ),
    "records that repeat texts": (
        [
            {"prediction": row["p"], "reference": row["r"], "stage": stage}
            for row in rows(p=one(0), r=one(1))
            for stage in ("first", "last")
        ],
        "several records have the same texts",
    ),
    "objects whose names are data": (
        [{f"{k}_{n}.jpg": {"caption": text} for n, text in enumerate(of)} for k, of in enumerate(TEXTS[:2])],
        "under the same name",
    ),
    "a list in one record": (
        [{"name": "dev", "values": [{"set_idx": k, "generated": text[0]} for k, text in enumerate(TEXTS)]}],
        "each has its own `values[].set_idx`",
    ),
    "people's captions beside a column of a model": (
        rows(image=named("x"), ground_truth=label, translated_text=named("lamp")),
        "`translated_text` may hold a model's",
    ),
    "one id for different items": (
        [
            {"video_id": f"v{k % 3}", "frame_text": row["p"], "caption": row["p"], "part": "a" if k < 3 else "b"}
            for k, row in enumerate(rows(p=one(0)))
        ],
        "`video_id` have no words in common",
    ),
}


def load(records: list[dict[str, Any]], **given: Any) -> Any:
    return load_study([("x.json", json.dumps(records).encode())], **given)


@pytest.mark.parametrize("case", UNSURE)
def test_contents_that_contradict_a_guess_become_a_question(case: str) -> None:
    records, said = UNSURE[case]
    loaded = load(records)
    (asked,) = loaded.errors
    assert asked.code == "unsure_fields"
    assert said in asked.problem
    assert loaded.unread == ("x.json",)
    assert loaded.asked_for["x.json"].rows
    told = asked.repair.rsplit("--map ", 1)[1].removesuffix(".")
    confirmed = load(records, columns=columns_of(told.strip("'")))
    assert confirmed.study is not None, confirmed.findings


def test_no_candidates_are_proposed_for_a_file_of_references() -> None:
    """A file of captions may also contain the texts that they were made from, as WavCaps does."""
    records = rows(id=named("x"), description=one(0), caption=one(1))
    loaded = load_study([("pred.json", b'{"x1": "a dog"}')], references=[("x.json", json.dumps(records).encode())])
    (asked,) = loaded.errors
    assert "`description`" in asked.problem
    assert "--map id=id,references=caption." in asked.repair


SURE: dict[str, list[dict[str, Any]]] = {
    "a prompt and thoughts": rows(id=named("x"), prediction=one(0), reference=one(1), prompt=one(2), reasoning=one(3)),
    "the text that was summarised": rows(
        id=named("x"),
        prediction=one(0),
        reference=one(1),
        story=lambda k, texts: f"{texts[0]}. Then {texts[1]}, {texts[2]}.",
    ),
    "classes beside a caption and a reference": rows(
        id=named("x"), output=one(0), target=one(1), nli=lambda k, _: ("entailment", "neutral")[k % 2]
    ),
    "classes beside captions of two models": rows(
        id=named("x"), blip_caption=one(0), git_caption=one(3), verdict=lambda k, _: ("entails", "contradicts")[k % 2]
    ),
    "a title of one word": rows(id=named("x"), caption=one(0), scene=label),
    "labels alone": rows(id=named("x"), prediction=label, reference=label),
    "a raw output": rows(id=named("x"), prediction=one(0), reference=one(1), raw=lambda k, texts: f"Well: {texts[0]}!"),
    "texts repeated for each metric": [
        {
            "doc_id": k,
            "doc": {"answer": texts[1:]},
            "filtered_resps": [texts[0]],
            **{
                f"coco_{name}": {"answer": texts[1:], "pred": texts[0]}
                for name in ("Bleu_1", "Bleu_2", "METEOR", "CIDEr")
            },
        }
        for k, texts in enumerate(TEXTS)
    ],
    "one caption and several of another run": rows(
        caption_predicted=one(0), caption_1=one(1), mult_captions_predicted_1=one(0), mult_captions_predicted_2=one(3)
    ),
    "several captions of an item": [
        {"image": f"{k}.jpg", "caption": text} for k, texts in enumerate(TEXTS) for text in texts
    ],
}


@pytest.mark.parametrize("case", SURE)
def test_contents_that_agree_with_a_guess_ask_nothing(case: str) -> None:
    loaded = load(SURE[case])
    assert loaded.study is not None, loaded.findings
    assert not loaded.errors


def test_a_column_that_names_a_model_is_a_run_beside_another() -> None:
    study = load(SURE["one caption and several of another run"]).study
    assert {run.name: run.candidates["1"] for run in study.runs} == {
        "caption_predicted": (TEXTS[0][0],),
        "mult": (TEXTS[0][0], TEXTS[0][3]),
    }
    named_after = {"caption A (ours)": one(0), "caption B (baseline)": one(3)}
    runs = load(rows(image=named("x"), **named_after, reference=one(1))).study.runs
    assert [run.name for run in runs] == ["A (ours)", "B (baseline)"]

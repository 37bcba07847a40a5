"""Test runs that only words for their decoders distinguish."""

from __future__ import annotations

import pytest

from tests.data.test_handwritten import (
    BOTH,
    HEATS,
    IDS,
    MODELS,
    REFERENCES,
    SCENES,
    WRITTEN,
    captions,
    in_order,
    js,
    long,
    said,
    sheet,
    study_of,
)

TWO = {
    "a column of decoders": sheet(
        "x.csv",
        [
            ["image", "model", "decoding", "caption"],
            *([id, m, f"T={t}", said(m, t, id)] for m, t in BOTH for id in IDS),
        ],
    ),
    "records by model and heat": js(
        "x.json", [{"image": id, **{m: {f"T={t}": [said(m, t, id)] for t in HEATS} for m in MODELS}} for id in IDS]
    ),
    "id, then references, model and heat": js(
        "x.json",
        {id: {"refs": WRITTEN[id]} | {m: {f"T={t}": [said(m, t, id)] for t in HEATS} for m in MODELS} for id in IDS},
    ),
    "Japanese": long(["画像", "モデル", "温度", "キャプション"]),
    "Korean": long(["이미지", "모델", "온도", "캡션"]),
}


@pytest.mark.parametrize("layout", TWO)
def test_two_models_at_two_temperatures_in_other_layouts(layout: str) -> None:
    assert captions(study_of(TWO[layout], REFERENCES)) == {(m, t): in_order(m, t) for m, t in BOTH}


@pytest.mark.parametrize("told", ["column", "cells"])
def test_decoders_and_temperatures_of_one_model(told: str) -> None:
    ways = {"greedy": ("greedy", None), "temp_0.5": (None, 0.5), "beam search (5)": ("beam5", None)}
    texts = {way: [f"{way} sees some {scene.split()[0]}" for scene in SCENES] for way in ways}
    wide = [["image", "reference", *ways], *([id, WRITTEN[id][0], *of] for id, *of in zip(IDS, *texts.values()))]
    long = [[id, way, text] for way, of in texts.items() for id, text in zip(IDS, of)]
    files = (
        [sheet("alpha.csv", wide)]
        if told == "column"
        else [sheet("alpha.csv", [["image", "decoding", "caption"], *long]), REFERENCES]
    )
    study = study_of(*files).study
    assert study is not None
    found = {(run.model, run.settings.decoder, run.settings.temperature) for run in study.runs}
    assert found == {("alpha", *of) for of in ways.values()}
    assert sorted(text for run in study.runs for of in run.candidates.values() for text in of) == sorted(
        text for of in texts.values() for text in of
    )

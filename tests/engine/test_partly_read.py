"""Test notes on captions that a metric does not read as they are: cut off, or in another script or language."""

from __future__ import annotations

import json

import pytest

from data.checks.languages import language_of
from data.load import load_study
from data.study import Item, Run, Settings, Study
from metrics.base import Metric
from metrics.engine.scores_table import scores
from metrics.engine.scoring import score
from metrics.partly_read import note, with_findings
from metrics.registry import LEARNED, METRICS, resolve

SAME = "a small brown dog walks by the sea and looks at a boat . " * 20
SHORT = "a dog looks at a boat"


def of(candidates: list[str], references: list[str] | None = None) -> Study:
    items = tuple(Item(str(k), tuple(references or [SHORT, "a dog"])) for k in range(len(candidates)))
    return Study("s", items, (Run("m", "m", Settings(), {str(k): (text,) for k, text in enumerate(candidates)}),))


def test_two_texts_that_differ_behind_the_limit_are_not_equal_without_a_note() -> None:
    study = of([SAME + "then it sleeps", SHORT], [SAME + "then a storm begins", SAME + "a cat"])
    found = scores(study, score(study, resolve(["bleu_1", "bert"])), ("corpus", "item", "candidate"))
    bert = found[found.metric == "bert"]
    read = "longer than the 256 tokens that MiniLM reads"
    assert bert[bert.item == "0"].value.tolist() == pytest.approx([1, 1])
    assert bert.note.tolist() == [
        f"{read}: 1 caption and 4 references",
        *[f"{read}: {said}2 references" for said in ("1 caption and ", "") * 2],
    ]
    assert found[found.metric == "bleu_1"].note.isna().all()


def metric(name: str) -> Metric:
    return METRICS[name]


@pytest.mark.parametrize("name", [n for n, one in METRICS.items() if "encoder" in one.needs])
def test_every_metric_of_embeddings_counts_what_its_encoder_cuts_off(name: str) -> None:
    study = of([SAME * 3, SHORT], [SHORT, "a dog"])
    assert "1 caption" in str(note(study, study.runs[0], metric(name)))
    assert note(of([SHORT]), of([SHORT]).runs[0], metric(name)) is None


@pytest.mark.parametrize("name", ["bleu_4", "meteor", "unique"])
def test_metrics_of_words_read_all(name: str) -> None:
    study = of([SAME * 3])
    assert name not in METRICS or note(study, study.runs[0], metric(name)) is None


CHINESE = of(["一只狗在湿沙滩上跑", "桌上放着两个杯子"], ["沙滩上有一只狗", "两个杯子"])
MADE = "made for English, and most letters of these captions are not Latin"


def test_metrics_of_english_say_so_of_another_script() -> None:
    run = CHINESE.runs[0]
    english = {name for name, one in METRICS.items() if MADE in (note(CHINESE, run, one) or "")}
    assert {"meteor", "trm_meteor", "consensus_meteor", "bert", "trm_bert", "mauve_bert", "bertscore"} <= english
    assert not {"bleu_4", "cider_d", "trm_cider_d", "distinct_1"} & english
    assert note(CHINESE, run, resolve(["meteor"], tokenizer="zh")[0]) == MADE
    assert note(CHINESE, run, resolve(["bert"], encoder="/models/many-languages")[0]) is None
    assert not any(MADE in (note(of([SHORT]), of([SHORT]).runs[0], one) or "") for one in METRICS.values())


def test_captions_of_another_script_are_a_finding_that_names_the_encoder() -> None:
    rows = [{"id": "1", "references": ["沙滩上有一只狗"], "candidates": {"m": ["一只狗"]}}]
    loaded = load_study([("x.json", json.dumps(rows).encode())])
    said = {one.code: one for one in with_findings(loaded).findings}["not_english"]
    assert "METEOR, SPICE, scene graphs and the encoder MiniLM are made for English" in said.problem
    assert "--encoder" in said.repair


GERMAN = of(
    ["Ein Hund läuft über den Sand", "Zwei Tassen stehen auf dem Tisch"], ["Der Hund ist am Strand", "Eine Frau"]
)


def test_captions_in_german_are_noted_like_those_in_another_script() -> None:
    said = "made for English, and these captions are German by their function words"
    assert note(GERMAN, GERMAN.runs[0], metric("meteor")) == said
    assert note(GERMAN, GERMAN.runs[0], metric("cider_d")) is None
    rows = [{"id": "1", "references": GERMAN.items[0].references, "candidates": {"m": ["Ein Hund am Strand"]}}]
    found = {one.code: one for one in with_findings(load_study([("x.json", json.dumps(rows).encode())])).findings}
    assert found["not_english"].problem.startswith("These captions are German by their function words: METEOR, SPICE,")


OTHERS = {
    "Hungarian": [
        "Egy férfi ül egy padon a parkban",
        "Két kutya játszik a füvön a ház előtt",
        "Egy fehér ló és egy fa",
    ],
    "Finnish": ["Mies istuu puiston penkillä", "Koira juoksee rannalla", "Pöydällä on kaksi kuppia ja lautanen"],
    "Vietnamese": ["Một người đàn ông ngồi trên ghế", "Hai con chó chơi trên bãi cỏ", "Con mèo ngủ bên cửa sổ"],
}


@pytest.mark.parametrize("language", OTHERS)
def test_further_languages_are_told_and_english_is_not(language: str) -> None:
    assert language_of(OTHERS[language]) == language
    english = ["A gorilla with an umbrella in a villa", "Vanilla ice and pasta on a table", "On a van he sits"]
    assert language_of(english) == ""


def test_the_limit_is_that_of_the_encoder() -> None:
    """The limit is in tokens, which may be words or parts of words: 256 for embeddings, 512 for BERTScore's states."""
    fits, over = " ".join(["dog"] * 254), " ".join(["dog"] * 255)
    study = of([fits, over, "😀" * 255, "é" * 300])
    assert note(study, study.runs[0], metric("bert")) == "longer than the 256 tokens that MiniLM reads: 1 caption"
    states = of([over, " ".join(["dog"] * 511)])
    assert str(note(states, states.runs[0], metric("bertscore"))) == (
        "longer than the 512 tokens that MiniLM reads: 1 caption"
    )


def test_the_finding_names_runs_and_people() -> None:
    study = of([SAME, SAME, SHORT], [SHORT, SAME])
    rows = [
        {"id": item.id, "references": item.references, "candidates": {"m": study.runs[0].candidates[item.id]}}
        for item in study.items
    ]
    loaded = with_findings(load_study([("x.json", json.dumps(rows).encode())]))
    said = [(one.problem.split(" is ")[0], one.count) for one in loaded.findings if one.code == "beyond_encoder"]
    assert said == [("A caption of run m", 2), ("A caption by people", 3)]
    short = load_study([("x.json", json.dumps(rows[2:]).replace(SAME, SHORT).encode())])
    assert with_findings(short) == short


def test_sentences_of_a_distance_made_for_english_are_noted_too() -> None:
    run = CHINESE.runs[0]
    assert str(note(CHINESE, run, LEARNED["sentence_match_meteor"])).startswith(MADE)
    assert str(note(CHINESE, run, LEARNED["sentence_match_bert"])).startswith(MADE)
    assert note(CHINESE, run, LEARNED["sentence_match_bow"]) is None

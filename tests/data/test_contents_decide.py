"""Test files in which names alone are misleading: only the cells show the role of a column."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from typing import Any

import pytest

from data.load import load_study, repair
from data.study import Study
from tests.data.test_unsure import TEXTS

ONE, TWO = ([texts[k] for texts in TEXTS] for k in range(2))
N = len(TEXTS)


def csv(*rows: str) -> bytes:
    return "\n".join(rows).encode()


def read(*files: tuple[str, bytes]) -> Study:
    loaded = load_study(list(files))
    assert loaded.study is not None, loaded.findings
    return loaded.study


def js(rows: Any, name: str = "x.json") -> tuple[str, bytes]:
    return name, json.dumps(rows).encode()


def said(study: Study) -> dict[str, list[str]]:
    """Return the only caption of each item, for each run."""
    assert all(len(texts) == 1 for run in study.runs for texts in run.candidates.values())
    return {run.name: [text for (text,) in run.candidates.values()] for run in study.runs}


def references(study: Study) -> list[str]:
    return [text for item in study.items for text in item.references]


def test_a_column_called_model_with_sentences_is_what_a_model_wrote() -> None:
    study = read(js([{"image": f"{k}.jpg", "model": a, "human": b} for k, (a, b) in enumerate(zip(ONE, TWO))]))
    assert said(study) == {"x": ONE}
    assert references(study) == TWO


def test_a_name_above_numbers_is_in_a_header() -> None:
    rows = [f"{a};{b};{b} today;{k / 9:.3f}" for k, (a, b) in enumerate(zip(ONE, TWO))]
    head = "Source Text (EN);Generated Translation (FR);Reference Translation (FR);BLEU Score"
    study = read(("x.csv", csv(head, *rows)))
    assert said(study) == {"x": TWO}
    assert len(references(study)) == N
    assert [score.name for score in study.scores] == ["BLEU_Score"]


@pytest.mark.parametrize("title", ["ratings_template,,,,", "Ratings of May,,,,"])
def test_a_title_above_any_header_is_none(title: str) -> None:
    """Texts beside the name of a run belong to that run, whatever the file's name; texts with the same source are one
    item.
    """
    rows = [
        f"{text},{model},{variant},{text} {model[-1]} {variant},{1 + k % 5}"
        for k, text in enumerate(text.replace(",", "") for text in ONE)
        for model, variant in (("phi-4", "v0"), ("phi-4", "v1"), ("phi-5", "v0"))
    ]
    study = read(("human_ratings.csv", csv(title, "source_sentence,model,variant,translation,human_rating", *rows)))
    assert [run.name for run in study.runs] == ["phi-4@variant=v0", "phi-4@variant=v1", "phi-5@variant=v0"]
    assert said(study)["phi-5@variant=v0"] == [f"{text.replace(',', '')} 5 v0" for text in ONE]
    assert [(run.human or {})["2"] for run in study.runs] == [{"human_rating": {"": 2.0}}] * 3


def test_questions_of_one_document_are_items() -> None:
    rows = [
        {"question_id": 7 * k, "doc_id": k // 2, "question": f"What is on page {k}?", "pred": a, "answers": [b]}
        for k, (a, b) in enumerate(zip(ONE, TWO))
    ]
    study = read(js(rows))
    assert [item.id for item in study.items] == [str(7 * k) for k in range(N)]
    assert references(study) == TWO


def test_a_verdict_beside_the_same_caption_is_no_setting() -> None:
    rows = [
        {"id": k, "generator": "llama", "output": a, "verdict": verdict, "reference": b}
        for k, (a, b) in enumerate(zip(ONE, TWO))
        for verdict in ("wins", "loses")
    ]
    assert [run.name for run in read(js(rows)).runs] == ["llama"]


@pytest.mark.parametrize("name", ["grounded_0_1", "style_1_to_5", "rating_out_of_5(Ann)", "style (1-5)"])
def test_a_scale_in_a_name_makes_ratings(name: str) -> None:
    rows = [{"id": k, "output": a, "reference": b, name: k % 2} for k, (a, b) in enumerate(zip(ONE, TWO))]
    (run,) = read(js(rows)).runs
    assert [of[name][""] for of in (run.human or {}).values()] == [k % 2 for k in range(N)]


def test_a_score_beside_candidate_and_reference_is_imported() -> None:
    rows = [{"candidate": a, "reference": b, "score": k - 0.5} for k, (a, b) in enumerate(zip(ONE, TWO))]
    (score,) = read(js(rows, "dev.jsonl")).scores
    assert score.name == "score"


@pytest.mark.parametrize("labels", [["cat", "dog", "dog"], ["Ann", "Bob, Cid", "Ann"]])
def test_labels_beside_labels_are_references(labels: list[str]) -> None:
    study = read(js([{"label": one, "predict": "I,N" if k else "E,S"} for k, one in enumerate(labels)]))
    assert references(study) == labels


def test_an_answer_that_contains_its_label_has_it_as_reference() -> None:
    rows = [
        {"id": k, "target": one, "prediction": f"There is a {one} on it."}
        for k, one in enumerate(["lamp", "oven", "kite", "bus"])
    ]
    assert references(read(js(rows))) == ["lamp", "oven", "kite", "bus"]


def test_a_code_of_the_language_is_no_reference() -> None:
    rows = [{"id": k, "target": ("es", "de")[k % 2], "prediction": text} for k, text in enumerate(ONE)]
    study = read(js(rows))
    assert references(study) == []
    assert [item.metadata["target"] for item in study.items][:2] == ["es", "de"]


def test_texts_beside_what_they_have_in_common_are_records() -> None:
    refs = {"language": "en", "values": [{"target": [text]} for text in TWO]}
    study = read(js(refs, "references.json"), js({"values": ONE, "language": "en"}, "m.json"))
    assert said(study) == {"m": ONE}
    assert references(study) == TWO


def test_cases_within_a_named_object_are_records() -> None:
    cases = [{"name": f"case_{k}", "actualOutput": a, "expectedOutput": b} for k, (a, b) in enumerate(zip(ONE, TWO))]
    study = read(js({"testRunData": {"testCases": cases}}))
    assert [item.id for item in study.items] == [f"case_{k}" for k in range(N)]
    assert list(said(study).values()) == [ONE]
    assert references(study) == TWO


def test_transcripts_by_a_method_are_captions_and_not_scores() -> None:
    rows = [
        f"{k}.wav,{method},{text.replace(',', '')} {method},{k},0.5"
        for k, text in enumerate(ONE)
        for method in ("greedy", "beam")
    ]
    study = read(("x.csv", csv("audio_path,method,transcript,lev_distance,time_sec", *rows)))
    assert [run.name for run in study.runs] == ["greedy", "beam"]


def test_preferences_without_ids_are_matched_by_their_request() -> None:
    rows = [
        {
            "instruction": f"Tell {k}",
            "output_1": a,
            "generator_1": "x",
            "output_2": b,
            "generator_2": "y",
            "preference": p,
        }
        for k, (a, b, p) in enumerate(zip(ONE, TWO, (1, 2, 1.5, 1.25)))
    ]
    study = read(js(rows))
    assert said(study) == {"x": ONE[:4], "y": TWO[:4]}
    assert study.items[1].metadata == {"instruction": "Tell 1"}
    assert [(one.first_votes, one.second_votes) for one in study.preferences] == [
        (1, 0),
        (0, 1),
        (0.5, 0.5),
        (0.75, 0.25),
    ]


def test_a_packed_file_in_a_packed_archive_is_read() -> None:
    packed = gzip.compress(js([{"id": k, "caption": text} for k, text in enumerate(ONE)])[1])
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        member = tarfile.TarInfo("m.json.gz")
        member.size = len(packed)
        archive.addfile(member, io.BytesIO(packed))
    assert list(said(read(("a.tar.gz", stream.getvalue()))).values()) == [ONE]


def test_names_of_pictures_with_spaces_are_ids() -> None:
    study = read(("m.txt", csv(*(f"my photo {k}.jpg\t{text}" for k, text in enumerate(ONE)))))
    assert [item.id for item in study.items] == [f"my photo {k}.jpg" for k in range(N)]


@pytest.mark.parametrize("last", ["Two died.", "said one : `` go home ''"])
def test_listed_sentences_are_joined_on_request(last: str) -> None:
    texts = [["A storm hit.", "Schools shut.", last], ["It rained.", "Roads froze."], ["All is calm."]]
    loaded = load_study([js([{"id": k, "summary": listed} for k, listed in enumerate(texts)])])
    joined = repair(loaded, ["join_sentences"]).study
    assert joined is not None
    assert said(joined) == {"x": [" ".join(listed) for listed in texts]}

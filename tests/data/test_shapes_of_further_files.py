"""Test files as further programs and people write them: R, WMT, Google Sheets, Appen, responses of servers, judges."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import Any

import pytest

from data.check import Loaded
from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, File

OTHER = ("a dog on a beach", "two mugs on a table", "someone and a bicycle")
FIRST = tuple(refs[0] for refs in WRITTEN)
PICTURES = tuple(f"{id}.jpg" for id in IDS)
BOTH = (("blip", SAID), ("git", OTHER))


def runs_of(found: Loaded) -> dict[str, list[tuple[str, ...]]]:
    assert found.study is not None, found.findings
    return {run.name: list(run.candidates.values()) for run in found.study.runs}


def references_of(found: Loaded) -> list[tuple[str, ...]]:
    assert found.study is not None, found.findings
    return [item.references for item in found.study.items]


def each(texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [(text,) for text in texts]


def codes(found: Loaded) -> set[str]:
    return {one.code for one in found.findings}


def lined(texts: tuple[str, ...] | list[str]) -> bytes:
    return ("\n".join(texts) + "\n").encode()


def jsonl(*rows: dict[str, Any]) -> bytes:
    return lined([json.dumps(row) for row in rows])


def table(header: list[str], rows: list[list[Any]], mark: str = ",") -> bytes:
    made = io.StringIO()
    csv.writer(made, delimiter=mark).writerows([header, *rows] if header else rows)
    return made.getvalue().encode()


@pytest.mark.parametrize(("mark", "quoted"), [(" ", True), ("\t", True), ("\t", False)])
def test_tables_of_r_have_names_of_rows_that_the_header_does_not_count(mark: str, quoted: bool) -> None:
    rows = [
        [str(n * 3 + k + 1), PICTURES[k], run, said[k], FIRST[k]]
        for n, (run, said) in enumerate(BOTH)
        for k in range(3)
    ]
    text = [["image", "system", "caption", "reference"], *rows]
    made = lined([mark.join(f'"{cell}"' if quoted else cell for cell in row) for row in text])
    found = load_study([("captions.txt", made)])
    assert runs_of(found) == {run: each(said) for run, said in BOTH}
    assert references_of(found) == each(FIRST)
    assert found.study
    assert [item.id for item in found.study.items] == list(PICTURES)


def test_quoted_lines_of_captions_are_no_table() -> None:
    said = ['"Stop" says a sign', 'a sign with "Stop" on it', "two dogs"]
    found = load_study([("hyp.txt", lined(said)), ("ref.txt", lined(FIRST))])
    assert runs_of(found) == {"hyp": each(tuple(said))}


def test_a_header_that_lacks_a_name_gains_none_without_names_of_rows() -> None:
    rows = [f"{PICTURES[k]}\t{SAID[k]}\t0.{k}" for k in range(3)]
    found = load_study([("blip.tsv", lined(["image\tcaption", *rows])), KNOWN])
    assert "bad_row" in codes(found)


def test_a_capital_letter_counts_references() -> None:
    files = [
        (f"newstest-deen-ref{letter}.en.txt", lined([refs[n] for refs in WRITTEN]))
        for n, letter in ((0, "A"), (1, "B"))
    ]
    found = load_study([*files, ("newstest.Online-A.1571.txt", lined(SAID))])
    assert references_of(found) == [refs[:2] for refs in WRITTEN]
    assert list(runs_of(found)) == ["newstest.Online-A.1571"]


def test_the_choices_of_one_response_are_captions_of_one_item() -> None:
    choices = [{"index": 2 * k + n, "text": said[k]} for k in range(3) for n, said in ((0, SAID), (1, OTHER))]
    answer = json.dumps({"id": "cmpl-1", "object": "text_completion", "model": "qwen", "choices": choices}).encode()
    found = load_study([("out.json", answer), ("refs.txt", lined(FIRST))])
    assert runs_of(found) == {"qwen": [tuple(text for pair in zip(SAID, OTHER) for text in pair)]}
    assert "place_count" in codes(found)


def tokens(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("name", ["list_of_references.json", "targets.json", "multi_ref.json"])
def test_nested_lists_of_tokens_in_a_file_of_references_are_all_references(name: str) -> None:
    told = json.dumps([[tokens(text) for text in refs] for refs in WRITTEN]).encode()
    found = load_study([(name, told), ("hypotheses.json", json.dumps([tokens(text) for text in SAID]).encode())])
    assert references_of(found) == [tuple(refs) for refs in WRITTEN]
    assert runs_of(found) == {"hypotheses": each(SAID)}


@pytest.mark.parametrize("n", [2, 3])
def test_a_table_without_a_header_in_a_file_of_references_has_only_references(n: int) -> None:
    told = table([], [[PICTURES[k], *WRITTEN[k][:n]] for k in range(3)])
    found = load_study([("refs.csv", told), ("blip.json", json.dumps(dict(zip(PICTURES, SAID))).encode())])
    assert references_of(found) == [refs[:n] for refs in WRITTEN]
    assert runs_of(found) == {"blip": each(SAID)}


def test_a_file_named_after_both_sides_may_have_a_prediction_first() -> None:
    rows = table([], [[PICTURES[k], SAID[k], *WRITTEN[k][:2]] for k in range(3)])
    for name in ("predictions_and_references.csv", "multi_ref.csv"):
        assert references_of(load_study([(name, rows)])) == [refs[:2] for refs in WRITTEN]


def test_a_header_of_two_rows_may_name_references_below_an_empty_cell() -> None:
    above, below = ["", "", "BLIP", "", "GIT", ""], ["image", "reference", "T=0.2", "T=1.0", "T=0.2", "T=1.0"]
    hot = tuple(f"{text} today" for text in SAID)
    rows = [[PICTURES[k], FIRST[k], SAID[k], hot[k], OTHER[k], WRITTEN[k][2]] for k in range(3)]
    found = load_study([("sheet.csv", table([], [above, below, *rows]))])
    assert references_of(found) == each(FIRST)
    made = {"BLIP T=0.2": SAID, "BLIP T=1.0": hot, "GIT T=0.2": OTHER, "GIT T=1.0": tuple(r[2] for r in WRITTEN)}
    assert runs_of(found) == {name: each(said) for name, said in made.items()}


def test_a_record_without_a_run_and_an_answer_is_a_failed_request() -> None:
    message = {"role": "assistant", "model": "claude", "content": [{"type": "text", "text": SAID[0]}]}
    rows = [
        {"custom_id": "1", "result": {"type": "succeeded", "message": message}},
        {"custom_id": "2", "result": {"type": "expired"}},
        {"custom_id": "3", "result": {"type": "succeeded", "message": message}},
    ]
    found = load_study([("results.jsonl", jsonl(*rows)), KNOWN])
    assert runs_of(found) == {"claude": [(SAID[0],), (SAID[0],)]}
    assert "failed_request" in codes(found)


def test_what_a_judge_writes_is_no_caption() -> None:
    answers = [
        (f"{run}.jsonl", jsonl(*({"question_id": k, "model_id": run, "answer": said[k]} for k in range(3))))
        for run, said in BOTH
    ]
    judged = [
        {
            "question_id": k,
            "model": run,
            "judge": ["gpt-4", "v1"],
            "judgment": f"It is good. Rating: [[{k + 4}]]",
            "score": k + 4,
        }
        for run, _ in BOTH
        for k in range(3)
    ]
    found = load_study([*answers, ("gpt-4_single.jsonl", jsonl(*judged))])
    assert runs_of(found) == {run: each(said) for run, said in BOTH}
    assert found.study
    assert [list(one.values["blip"].values()) for one in found.study.scores] == [[(4.0,), (5.0,), (6.0,)]]
    assert not found.study.runs[0].human


@pytest.mark.parametrize("name", ["judgements.jsonl", "ratings.jsonl", "x.jsonl"])
def test_what_a_model_rates_are_scores(name: str) -> None:
    rows = [
        {
            "image_id": IDS[k],
            "model": run,
            "caption": said[k],
            "judge_model": "gpt",
            "verdict": "It is right.",
            "rating": k,
        }
        for run, said in BOTH
        for k in range(3)
    ]
    found = load_study([(name, jsonl(*rows)), KNOWN])
    assert runs_of(found) == {run: each(said) for run, said in BOTH}
    assert found.study
    assert [one.name for one in found.study.scores] == ["rating"]
    assert not any(run.human for run in found.study.runs)


@pytest.mark.parametrize(
    ("image", "caption", "temperature", "reference"),
    [
        ("afbeelding", "bijschrift", "temperatuur", "referentie"),
        ("obraz", "opis", "temperatura", "referencja"),
        ("изображение", "подпись", "температура", "эталон"),
        ("görsel", "açıklama", "sıcaklık", "referans"),
    ],
)
def test_columns_are_named_in_further_languages(image: str, caption: str, temperature: str, reference: str) -> None:
    rows = [[PICTURES[k], run, 0.7, said[k], FIRST[k]] for run, said in BOTH for k in range(3)]
    found = load_study([("x.csv", table([image, "model", temperature, caption, reference], rows))])
    assert runs_of(found) == {f"{run}@temperature=0.7": each(said) for run, said in BOTH}
    assert references_of(found) == each(FIRST)


def test_cand_is_a_candidate() -> None:
    rows = [[SAID[k], "", str(list(WRITTEN[k])), PICTURES[k]] for k in range(3)]
    found = load_study([("polaris.csv", table(["cand", "mt", "refs", "imgid"], rows))])
    assert runs_of(found) == {"polaris": each(SAID)}
    assert references_of(found) == [tuple(refs) for refs in WRITTEN]


def test_a_question_that_begins_with_how_is_a_criterion() -> None:
    asked = "how_accurate_is_the_caption"
    header = ["_unit_id", asked, f"{asked}:confidence", "caption", "how_many_words", "image_url", "model"]
    rows = [
        [70 + k, 2 + k + 0.33, 0.9 - k / 10, said[k], len(said[k].split()), f"https://x.org/{PICTURES[k]}", run]
        for run, said in BOTH
        for k in range(3)
    ]
    found = load_study([("report.csv", table(header, rows))])
    assert runs_of(found) == {run: each(said) for run, said in BOTH}
    assert found.study
    assert found.study.runs[0].human
    assert {name for of in found.study.runs[0].human.values() for name in of} == {asked}


@pytest.mark.parametrize(
    ("field", "value"), [("scores", {"accuracy": [0.5]}), ("feedback", {"accuracy": 1}), ("scores", {"accuracy": [1]})]
)
def test_feedback_and_lists_of_one_score_are_scores(field: str, value: Any) -> None:
    rows = [[IDS[k], SAID[k], FIRST[k], json.dumps(value)] for k in range(3)]
    found = load_study([("export.csv", table(["image_id", "output", "expected", field], rows))])
    assert found.study
    assert [one.name for one in found.study.scores] == [f"{field}.accuracy"]


def test_a_run_that_is_named_after_an_archive_lacks_its_ending() -> None:
    def packed(said: tuple[str, ...]) -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            rows = [{"image_id": int(id), "caption": text} for id, text in zip(IDS, said)]
            archive.writestr("captions_results.json", json.dumps(rows))
        return made.getvalue()

    files: list[File] = [(f"{run}.zip", packed(said)) for run, said in BOTH]
    assert runs_of(load_study([*files, KNOWN])) == {run: each(said) for run, said in BOTH}

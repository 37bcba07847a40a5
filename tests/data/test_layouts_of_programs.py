"""Test layouts of programs and data sets: promptfoo, lm-eval, Vertex AI, aac-metrics, DetailCaps, several languages."""

from __future__ import annotations

import io
import json
from csv import writer
from typing import Any

import pandas as pd
import pytest

from data.check import Loaded
from data.load import load_study
from data.mapped import columns_of
from data.study import Study
from tests.data.test_any_records import IDS, SAID, WRITTEN

OTHERS = ("some dog on a beach", "a table with two cups", "one woman and her bike")
GERMAN = ("ein Hund rennt über den Sand", "zwei Tassen stehen auf dem Tisch", "eine Frau repariert ein Rad")
WRITTEN_IN_GERMAN = ("der Hund rennt am Strand", "auf dem Tisch stehen Tassen", "sie repariert ihr altes Rad")


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def sheet(rows: list[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    writer(out).writerows([[*rows[0]], *(row.values() for row in rows)])
    return out.getvalue().encode()


def study(name: str, content: bytes) -> tuple[Study, Loaded]:
    found = load_study([(name, content)])
    assert found.study is not None, [one.problem for one in found.findings]
    return found.study, found


def captions(of: Study) -> dict[str, dict[str, tuple[str, ...]]]:
    return {run.name: dict(run.candidates) for run in of.runs}


def references(of: Study) -> dict[str, tuple[str, ...]]:
    return {item.id: item.references for item in of.items}


def codes(found: Loaded) -> set[str]:
    return {one.code for one in found.findings}


def test_prompts_and_providers_of_promptfoo_are_runs_on_the_tests() -> None:
    """Each result has its own id, and the variables occur twice."""
    prompts, providers = ("short.txt: Short", "long.txt: Long"), ("openai:a", "ollama:b")
    told = [{"article": f"{text} and then {text}", "summary_gold": refs[0]} for text, refs in zip(SAID, WRITTEN)]
    rows = [
        {
            "id": f"{k}{provider}{prompt}".encode().hex(),
            "prompt": {"raw": f"{prompt}: {told[k]['article']}", "label": prompt},
            "provider": {"id": provider, "label": ""},
            "response": {"output": f"{SAID[k]} by {provider[-1]} {prompt[0]}"},
            "testCase": {"vars": told[k], "assert": [{"type": "bleu", "value": WRITTEN[k][0]}]},
            "testIdx": k,
            "vars": told[k],
        }
        for k in range(3)
        for provider in providers
        for prompt in prompts
    ]
    of, _ = study("output.json", json.dumps({"evalId": "e", "results": {"version": 3, "results": rows}}).encode())
    assert captions(of) == {
        f"{provider}@prompt.label={prompt}": {str(k): (f"{SAID[k]} by {provider[-1]} {prompt[0]}",) for k in range(3)}
        for provider in providers
        for prompt in prompts
    }
    assert references(of) == {str(k): (refs[0],) for k, refs in enumerate(WRITTEN)}


def test_the_answer_behind_a_mark_is_no_second_reference() -> None:
    rows = [
        {"id": k, "prediction": text, "reference": f"{refs[0]}, so there are {k + 2}.\n#### {k + 2}"}
        for k, (text, refs) in enumerate(zip(SAID, WRITTEN))
    ]
    of, found = study("gsm8k.jsonl", lines(rows))
    assert {len(texts) for texts in references(of).values()} == {1}
    assert "captions_split" not in codes(found)


def test_numbers_that_a_list_of_metrics_names_are_scores() -> None:
    rows = [
        {
            "doc_id": k,
            "target": refs[0],
            "filtered_resps": [f"{text} {by}"],
            "filter": by,
            "metrics": ["exact_match", "agreement"],
            "exact_match": float(k == 1),
            "agreement": 0.25 * k if by == "strict" else 1,
            "retries": k + 3,
        }
        for by in ("strict", "flexible")
        for k, (text, refs) in enumerate(zip(SAID, WRITTEN))
    ]
    of, _ = study("samples_gsm8k.jsonl", lines(rows))
    scores = {one.name: one.values for one in of.scores}
    assert scores == {
        "exact_match": {
            name: {"0": (0.0,), "1": (1.0,), "2": (0.0,)}
            for name in ("samples_gsm8k@filter=strict", "samples_gsm8k@filter=flexible")
        },
        "agreement": {
            "samples_gsm8k@filter=strict": {"0": (0.0,), "1": (0.25,), "2": (0.5,)},
            "samples_gsm8k@filter=flexible": {"0": (1.0,), "1": (1.0,), "2": (1.0,)},
        },
    }


def test_a_file_named_after_both_sides_has_both() -> None:
    """As in aac-metrics, people wrote `caption_1` beside `caption_predicted`, whatever the name of the file."""
    rows = [
        {"caption_predicted": text, "caption_1": refs[0], "caption_2": refs[1], "mult_captions_predicted_1": other}
        for text, refs, other in zip(SAID, WRITTEN, OTHERS)
    ]
    of, _ = study("cands_refs.csv", sheet(rows))
    assert references(of) == {id: refs[:2] for id, refs in zip(IDS, WRITTEN)}
    assert captions(of)["caption_predicted"] == {id: (text,) for id, text in zip(IDS, SAID)}


def test_references_are_named_after_who_wrote_them() -> None:
    rows = [
        {
            "image": f"{id}.jpg",
            "CogVLM": text,
            "LLaVA_v15": f"here {text}",
            "GT_Caption_GPT4O": refs[0],
            "GT_Caption_Gemini15Pro": refs[1],
        }
        for id, text, refs in zip(IDS, SAID, WRITTEN)
    ]
    of, _ = study("details.jsonl", lines(rows))
    assert references(of) == {f"{id}.jpg": refs[:2] for id, refs in zip(IDS, WRITTEN)}
    assert [*captions(of)] == ["CogVLM", "LLaVA_v15"]


@pytest.mark.parametrize(("name", "written"), [("out.jsonl", lines), ("out.csv", sheet)])
def test_candidates_and_references_by_language_are_items_of_their_own(name: str, written: Any) -> None:
    rows = [
        {"id": id, "pred_en": text, "ref_en": refs[0], "pred_de": spoken, "ref_de": said}
        for id, text, refs, spoken, said in zip(IDS, SAID, WRITTEN, GERMAN, WRITTEN_IN_GERMAN)
    ]
    of, found = study(name, written(rows))
    english = {f"{id}_en": (text,) for id, text in zip(IDS, SAID)}
    assert captions(of) == {"out": english | {f"{id}_de": (text,) for id, text in zip(IDS, GERMAN)}}
    assert references(of)["2_de"] == (WRITTEN_IN_GERMAN[1],)
    assert {item.metadata["language"] for item in of.items} == {"en", "de"}
    (note,) = (one for one in found.findings if one.code == "languages_read")
    assert "candidates=pred_en,references=ref_en" in note.repair
    alone = load_study([(name, written(rows))], columns=columns_of("id=id,candidates=pred_de,references=ref_de")).study
    assert alone is not None
    assert references(alone) == dict(zip(IDS, ((text,) for text in WRITTEN_IN_GERMAN)))


def test_the_candidate_of_a_pair_is_not_the_baseline() -> None:
    """Vertex AI's pairwise metrics name the winner like this, in files without captions."""
    chosen = ("BASELINE", "CANDIDATE", "TIE")
    rows = [
        {
            "prompt": f"Describe picture {id}.",
            "baseline_model_response": other,
            "response": text,
            "pairwise_metric_result": {"pairwise_choice": choice, "explanation": "It is clearer."},
        }
        for id, text, other, choice in zip(IDS, SAID, OTHERS, chosen)
    ]
    of, _ = study("pairs.jsonl", lines(rows))
    votes = {one.item: {one.first[0]: one.first_votes, one.second[0]: one.second_votes} for one in of.preferences}
    assert votes == {
        "1": {"response": 0, "baseline_model": 1},
        "2": {"response": 1, "baseline_model": 0},
        "3": {"response": 0.5, "baseline_model": 0.5},
    }
    assert not any(references(of).values())


def test_totals_by_filter_are_of_the_runs_that_the_filters_made() -> None:
    filters = ("strict-match", "flexible-extract")
    rows = [
        {"doc_id": k, "target": refs[0], "filtered_resps": [f"{text} {by}"], "filter": by}
        for by in filters
        for k, (text, refs) in enumerate(zip(SAID, WRITTEN))
    ]
    told = {f"accuracy,{by}": value for by, value in zip(filters, (0.25, 0.75))}
    totals = {"results": {"gsm8k": {"alias": "gsm8k", "sample_len": 3, **told}}, "model_name": "lab/blip"}
    time = "2025-05-01T10-00-00.123"
    files = [
        (f"lab__blip/samples_gsm8k_{time}.jsonl", lines(rows)),
        (f"lab__blip/results_{time}.json", json.dumps(totals).encode()),
    ]
    found = load_study(files)
    assert found.study is not None
    assert not found.errors
    scores = {one.name: {run: of[""][0] for run, of in one.values.items()} for one in found.study.scores}
    assert scores == {"accuracy": {f"lab/blip@filter={by}": value for by, value in zip(filters, (0.25, 0.75))}}


@pytest.mark.parametrize("choices", [{"text": [*SAID], "label": ["A", "B", "C"]}, [*SAID]])
def test_likelihoods_of_choices_are_not_answers(choices: Any) -> None:
    rows = [
        {
            "doc_id": k,
            "doc": {"question": f"What is in picture {k}?", "choices": choices},
            "target": "1",
            "filtered_resps": [[f"-{k + n}.25", "False"] for n in range(3)],
            "acc": float(k % 2),
        }
        for k in range(4)
    ]
    (error,) = load_study([("samples_arc.jsonl", lines(rows))]).errors
    assert error.code == "unsure_fields"
    assert "`filtered_resps` has no texts, but lists of numbers" in error.problem


def test_the_last_turn_is_by_people_beside_what_a_model_answered() -> None:
    rows = [
        {
            "id": id,
            "conversations": [{"from": "human", "value": "Describe it."}, {"from": "gpt", "value": refs[0]}],
            "model_answer": text,
        }
        for id, text, refs in zip(IDS, SAID, WRITTEN)
    ]
    of, _ = study("eval.json", json.dumps(rows).encode())
    assert references(of) == {id: refs[:1] for id, refs in zip(IDS, WRITTEN)}
    assert captions(of) == {"eval": {id: (text,) for id, text in zip(IDS, SAID)}}


def test_samples_of_one_model_at_two_times_are_two_runs_named_by_these() -> None:
    times = ("20250501_100000", "20250502_100000")
    files = [
        (
            f"lab__blip/{time}_samples_coco.jsonl",
            lines(
                [
                    {"doc_id": k, "target": refs[0], "filtered_resps": [f"{text} {time[7]}"]}
                    for k, (text, refs) in enumerate(zip(SAID, WRITTEN))
                ]
            ),
        )
        for time in times
    ]
    found = load_study(files)
    assert found.study is not None
    assert [run.name for run in found.study.runs] == [f"{time}_samples_coco" for time in times]


def test_tasks_of_a_model_whose_name_is_a_letter_keep_that_name() -> None:
    """The files of lighteval are named after tasks, and the names of tasks contain that letter, too."""
    files = []
    for task in ("maps", "cars"):
        out = io.BytesIO()
        docs = [{"id": str(k), "choices": [f"{task} {refs[0]}"]} for k, refs in enumerate(WRITTEN)]
        said = [{"text": [f"{task} {text}"]} for text in SAID]
        pd.DataFrame({"doc": docs, "model_response": said}).to_parquet(out)
        files.append((f"details/a/details_{task}_2025-01-01T00-00-00.0.parquet", out.getvalue()))
    found = load_study(files)
    assert found.study is not None
    assert [(run.name, len(run.candidates)) for run in found.study.runs] == [("a", 6)]


@pytest.mark.parametrize(("name", "people"), [("val.jsonl", True), ("llava.jsonl", False)])
def test_conversations_of_a_data_set_are_by_people_beside_responses(name: str, people: bool) -> None:
    """ms-swift's results have responses, but no labels if the requests had none."""
    asked = {"role": "user", "content": "Describe it."}
    turns = [
        {"messages": [asked, {"role": "assistant", "content": refs[0]}], "images": [f"{id}.jpg"]}
        for id, refs in zip(IDS, WRITTEN)
    ]
    said = [
        {"response": text, "labels": None, "images": [{"bytes": None, "path": f"{id}.jpg"}]}
        for id, text in zip(IDS, SAID)
    ]
    found = load_study([("blip.jsonl", lines(said)), (name, lines(turns))])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == (["blip"] if people else ["blip", "llava"])
    assert [item.references for item in found.study.items] == [refs[:1] if people else () for refs in WRITTEN]
    assert ("taken_as_references" in codes(found)) == people


@pytest.mark.parametrize("form", ["json", "csv"])
def test_items_and_runs_of_rows_without_names_tell_each_other_apart(form: str) -> None:
    """A file with only the values of a frame, as pandas may write it, is read; lists beside a text are references."""
    rows: list[list[Any]] = [[7 + k, run, f"{text} {run}"] for run in ("A", "B") for k, text in enumerate(SAID)]
    listed = [[*row, list(refs)] for row, refs in zip(rows, (*WRITTEN, *WRITTEN))]
    out = io.StringIO()
    writer(out).writerows(rows)
    of, _ = study(f"values.{form}", json.dumps(listed).encode() if form == "json" else out.getvalue().encode())
    assert captions(of) == {run: {str(7 + k): (f"{text} {run}",) for k, text in enumerate(SAID)} for run in ("A", "B")}
    assert form == "csv" or references(of) == {str(7 + k): refs for k, refs in enumerate(WRITTEN)}

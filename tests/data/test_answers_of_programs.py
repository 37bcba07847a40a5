"""Test answers that programs write: several per setting, beside rewards or models' names, and with scores and seeds."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, SAID, WRITTEN
from tests.data.test_samples_of_programs import ASKED, csv


def test_answers_to_several_requests_at_two_temperatures_are_two_runs() -> None:
    rows = [
        {
            "prompt": asked,
            "sampling_params": {"temperature": t},
            "outputs": [{"index": k, "text": f"{place} at {t} of {k}"} for k in range(2)],
        }
        for place, asked in enumerate(ASKED)
        for t in (0.5, 1.0)
    ]
    found = load_study([("m.jsonl", "\n".join(map(json.dumps, rows)).encode())])
    assert found.study is not None
    assert [run.settings.temperature for run in found.study.runs] == [0.5, 1.0]
    assert [*found.study.runs[0].candidates.values()] == [(f"{k} at 0.5 of 0", f"{k} at 0.5 of 1") for k in range(4)]


def test_a_request_in_turns_tells_answers_with_rewards_together() -> None:
    rows = [
        {
            "prompt": [{"role": "user", "content": asked}],
            "completion": [{"role": "assistant", "content": f"{place} of {k}"}],
            "reward": k / 10,
        }
        for place, asked in enumerate(ASKED)
        for k in range(3)
    ]
    found = load_study([("m.json", json.dumps(rows).encode())])
    assert found.study is not None
    (run,) = found.study.runs
    assert [*run.candidates.values()] == [tuple(f"{place} of {k}" for k in range(3)) for place in range(4)]


def test_lists_of_models_belong_to_lists_of_captions() -> None:
    rows = [
        {
            "instruction": asked,
            "generations": [f"A says {k}", f"B says {k}"],
            "generation_models": ["A", "B"],
            "model_name": "J",
        }
        for k, asked in enumerate(ASKED)
    ]
    found = load_study([("m.json", json.dumps(rows).encode())])
    assert found.study is not None
    assert {(run.name, run.model, len(run.candidates)) for run in found.study.runs} == {("A", "A", 4), ("B", "B", 4)}


def test_the_first_of_several_lists_may_have_the_names_of_columns() -> None:
    rows = [
        ["image_id", "prediction", "reference"],
        *([id, said, refs[0]] for id, said, refs in zip(IDS, SAID, WRITTEN)),
    ]
    found = load_study([("m.json", json.dumps(rows).encode())])
    assert found.study is not None
    assert dict(found.study.runs[0].candidates) == {id: (said,) for id, said in zip(IDS, SAID)}


def test_scores_of_raters_are_ratings() -> None:
    rows = [["A", id, f"r{who}", said, 10 * who] for id, said in zip(IDS, SAID) for who in (1, 2)]
    found = load_study([("x.csv", csv(["system", "seg_id", "rater", "hypothesis", "esa_score"], rows))])
    assert found.study is not None
    (run,) = found.study.runs
    assert dict(run.candidates) == {id: (said,) for id, said in zip(IDS, SAID)}
    assert run.human == {id: {"esa_score": {"r1": 10.0, "r2": 20.0}} for id in IDS}


def test_scores_go_with_records_that_only_their_image_identifies() -> None:
    files = [
        (
            f"{run}.csv",
            csv(
                ["id", "image", "output", "expected", "ROUGE"],
                [[f"{run}{k}x", f"{IDS[k]}.jpg", f"{run} {SAID[k]}", WRITTEN[k][0], 0.5] for k in range(3)],
            ),
        )
        for run in "AB"
    ]
    found = load_study(files)
    assert found.study is not None
    (score,) = found.study.scores
    assert {run: len(of) for run, of in score.values.items()} == {"A": 3, "B": 3}
    assert "score_gaps" not in {one.code for one in found.findings}


def test_seeds_tell_the_files_of_a_folder_apart() -> None:
    lines = {
        k: "\n".join(
            json.dumps({"expected_answer": refs[0], "generation": f"{said} {k}"}) for said, refs in zip(SAID, WRITTEN)
        )
        for k in range(4)
    }
    files = [(f"model{'AB'[k // 2]}/output-rs{k % 2}.jsonl", lines[k].encode()) for k in range(4)]
    with zipfile.ZipFile(out := io.BytesIO(), "w") as packed:
        for name, content in files:
            packed.writestr(name, content)
    found = load_study([("x.zip", out.getvalue())])
    assert found.study is not None
    told = [(run.model, run.settings.seed) for run in found.study.runs]
    assert told == [("modelA", 0), ("modelA", 1), ("modelB", 0), ("modelB", 1)]


@pytest.mark.parametrize(("name", "beside"), [("prediction", "reference"), ("judge.tone", "judge.tone_reason")])
def test_numbers_beside_captions_are_scores(name: str, beside: str) -> None:
    """A column of numbers is named after a model's prediction, or there are reasons beside it."""
    rows = [{"id": id, "hypothesis": said, name: 0.5, beside: refs[0]} for id, said, refs in zip(IDS, SAID, WRITTEN)]
    found = load_study([("m.json", json.dumps(rows).encode())])
    assert found.study is not None
    assert [score.name for score in found.study.scores] == [name]


def test_outputs_in_objects_named_by_runs_are_of_these_runs() -> None:
    names = ["id", "target", "blip.output", "git.output"]
    rows = [[id, refs[0], said, f"{said} too"] for id, refs, said in zip(IDS, WRITTEN, SAID)]
    found = load_study([("x.table.json", json.dumps({"columns": names, "data": rows}).encode())])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == ["blip", "git"]


def test_lists_of_rated_captions_keep_their_ratings() -> None:
    """Ratings of Flickr8k's captions do not show who wrote the captions."""
    rated = [
        [{"image_path": f"{id}.jpg", "caption": f"{said} {k}", "rating": k + 1.0} for k in range(2)]
        for id, said in zip(IDS, SAID)
    ]
    rows = {id: {"ground_truth": refs, "human_judgement": of} for id, refs, of in zip(IDS, WRITTEN, rated)}
    found = load_study([("flickr8k.json", json.dumps(rows).encode())])
    assert found.study is not None
    (run,) = found.study.runs
    assert dict(run.candidates) == {id: (f"{said} 0", f"{said} 1") for id, said in zip(IDS, SAID)}
    assert run.human == {id: {"rating": [{"": 1.0}, {"": 2.0}]} for id in IDS}
    assert any("human_judgement.image_path" in one.problem for one in found.findings)


def test_what_is_said_about_two_answers_is_no_caption() -> None:
    rows = [
        {"id": k, "answer1_id": f"a{k}", "answer2_id": f"b{k}", "content": f"{said} is better"}
        for k, said in enumerate(SAID)
    ]
    found = load_study(
        [("captions.json", json.dumps(dict(enumerate(SAID))).encode()), ("review.json", json.dumps(rows).encode())]
    )
    assert found.study is not None
    assert [run.name for run in found.study.runs] == ["captions"]
    assert not any(item.references for item in found.study.items)


def test_the_answer_of_a_baseline_is_a_run_beside_the_response() -> None:
    rows = [
        {"prompt": asked, "response": said, "baseline_model_response": f"here {said[2:]}", "reference": written}
        for asked, said, written in zip(ASKED, SAID, WRITTEN)
    ]
    found = load_study([("m.jsonl", "\n".join(map(json.dumps, rows)).encode())])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == ["response", "baseline_model"]

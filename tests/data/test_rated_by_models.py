"""Test that judgments by a language model do not count as people's, however a file names the model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.check import Loaded
from data.fields.models import is_model
from data.imported.judge_answers import judge_of, preferences_of_people
from data.judge_answers import JUDGE
from data.load import load_study
from data.records import Columns
from metrics.analysis.arena import votes
from metrics.analysis.judgments import preferences
from tests.data.test_any_records import IDS, KNOWN, SAID
from tests.data.test_shapes_of_further_files import BOTH, OTHER, codes, each, jsonl, runs_of, table

ANSWERS = [
    (f"{run}.jsonl", jsonl(*({"question_id": k, "model_id": run, "answer": said[k]} for k in range(3))))
    for run, said in BOTH
]
CAPTIONS = table(["image_id", "model", "caption"], [[IDS[k], run, said[k]] for run, said in BOTH for k in range(3)])


def raters(found: Loaded) -> dict[str, set[str]]:
    """Return the set of raters for each criterion."""
    assert found.study is not None, found.findings
    rated = [one for run in found.study.runs for of in (run.human or {}).values() for one in of.items()]
    return {criterion: {rater for name, of in rated if name == criterion for rater in of} for criterion, _ in rated}


def scores(found: Loaded) -> dict[str, list[float]]:
    """Return the values of the run `blip`, in the order of the items, for each metric."""
    assert found.study is not None
    return {one.name: [value for (value,) in one.values["blip"].values()] for one in found.study.scores}


def rated(column: str, *who: Any, captions: bool = True) -> tuple[str, bytes]:
    rows = [[IDS[k], run, *[said[k]] * captions, one, 2 + k] for run, said in BOTH for k in range(3) for one in who]
    return "ratings.csv", table(["image_id", "model", *["caption"] * captions, column, "fluency"], rows)


@pytest.mark.parametrize("captions", [True, False])
@pytest.mark.parametrize(
    ("column", "who"),
    [
        ("annotator", "gpt-4"),
        ("rater", "openai/gpt-4o-mini"),
        ("evaluator", "claude-3-5-sonnet"),
        ("judge", "prometheus-7b-v2.0"),
        ("judge", "['gpt-4', 'single-v1']"),
        ("judged_by", "LLM judge"),
        ("source", "llm"),
    ],
)
def test_numbers_beside_a_models_name_are_scores(column: str, who: str, captions: bool) -> None:
    found = load_study([rated(column, who, captions=captions), ("captions.csv", CAPTIONS)])
    assert scores(found) == {"fluency": [2.0, 3.0, 4.0]}
    assert not raters(found)
    assert "rated_by_model" in codes(found)


@pytest.mark.parametrize("who", [("anna", "ben"), ("A1", "A2"), ("worker_3", "worker_4"), ("Claude", "Gemma T.")])
def test_ratings_by_people_stay_theirs(who: tuple[str, ...]) -> None:
    found = load_study([rated("rater", *who)])
    assert raters(found) == {"fluency": {*who}}
    assert not codes(found) & {"rated_by_model", "rated_by_model_perhaps"}


@pytest.mark.parametrize("name", ["USER", "participant_id", "UserID"])
def test_users_beside_systems_are_raters(name: str) -> None:
    rows = [[run, IDS[k], who, 40 + k] for run, _ in BOTH for k in range(3) for who in ("u1", "u2")]
    found = load_study([("captions.csv", CAPTIONS), ("da.csv", table(["SYSTEM", "ITEM_ID", name, "SCORE"], rows))])
    assert raters(found) == {"rating": {"u1", "u2"}}


@pytest.mark.parametrize("several", [True, False])
def test_users_beside_captions_are_raters_if_they_differ_within_an_item(several: bool) -> None:
    rows = [
        [IDS[k], run, said[k], f"u{k + one}", 2 + one]
        for run, said in BOTH
        for k in range(3)
        for one in range(1 + several)
    ]
    found = load_study([("r.csv", table(["image_id", "model", "caption", "user_id", "fluency"], rows))])
    assert raters(found) == {"fluency": {"u0", "u1", "u2", "u3"} if several else {""}}


def test_a_model_among_people_is_set_apart() -> None:
    found = load_study([rated("annotator", "anna", "gpt-4")])
    assert raters(found) == {"fluency": {"anna"}}
    assert scores(found) == {"fluency_gpt-4": [2.0, 3.0, 4.0]}


def test_sources_that_are_people_or_models_are_raters() -> None:
    assert raters(load_study([rated("source", "human", "llm")])) == {"fluency": {"human"}}
    assert raters(load_study([rated("source", "flickr", "coco")])) == {"fluency": {"", "2"}}


@pytest.mark.parametrize(
    "row",
    [
        {"annotations": [{"annotator": "gpt-4", "fluency": 4}, {"annotator": "anna", "fluency": 2}]},
        {"fluency (GPT-4)": 4, "fluency (Anna)": 2},
    ],
)
def test_a_model_within_a_record_is_set_apart(row: dict[str, Any]) -> None:
    rows = [{"id": k, "prediction": SAID[k], "references": [OTHER[k]], **row} for k in range(3)]
    found = load_study([("blip.jsonl", jsonl(*rows))])
    assert {rater.lower() for rater in raters(found)["fluency"]} == {"anna"}
    assert [name.lower() for name in scores(found)] == ["fluency_gpt-4"]


def test_a_model_among_the_names_of_raters_makes_all_of_them_raters() -> None:
    rows = [{"id": k, "prediction": SAID[k], "ratings": {"anna": 2, "gpt-4o": 4}} for k in range(3)]
    assert raters(load_study([("blip.jsonl", jsonl(*rows))])) == {"rating": {"anna"}}


def test_a_model_beside_people_in_an_object_by_rater_is_set_apart() -> None:
    told = {"human": {"fluency": 2, "accuracy": 1}, "gpt-4o": {"fluency": 4, "accuracy": 5}}
    rows = [{"id": k, "prediction": SAID[k], "ratings": told} for k in range(3)]
    found = load_study([("blip.jsonl", jsonl(*rows))])
    assert raters(found) == {"fluency": {"human"}, "accuracy": {"human"}}
    assert scores(found) == {"fluency_gpt-4o": [4.0] * 3, "accuracy_gpt-4o": [5.0] * 3}


def test_a_model_that_rated_twice_gives_the_mean() -> None:
    rows = [
        {
            "question_id": k,
            "model": run,
            "judge": ["gpt-4", "v1"],
            "judgment": "Rating: [[4]]",
            "score": k + turn,
            "turn": turn,
        }
        for run, _ in BOTH
        for k in range(3)
        for turn in (1, 2)
    ]
    found = load_study([*ANSWERS, ("gpt-4_single.jsonl", jsonl(*rows))])
    assert scores(found) == {"rating": [1.5, 2.5, 3.5]}


@pytest.mark.parametrize("name", ["GPT-4 rating", "claude_rating", "rating_gpt-4o", "auto_rating", "Fluency (LLM)"])
def test_columns_named_after_a_model_are_scores_beside_peoples(name: str) -> None:
    for people in ([], ["human_rating"]):
        rows = [[IDS[k], run, said[k], *[1 + k] * len(people), 2 + k] for run, said in BOTH for k in range(3)]
        found = load_study([("ratings.csv", table(["image_id", "model", "caption", *people, name], rows))])
        assert list(raters(found).values()) == [{""}] * len(people)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"annotations": {"fluency": {"Rating": "4", "Rationale": "in part"}, "mood": {"Rating": "2"}}}, True),
        ({"annotations": {"fluency": {"Rating": "4"}, "mood": {"Rating": "2"}}}, False),
        ({"annotations": {"fluency": {"rating": 4, "explanation": "in part"}, "mood": {"rating": 2}}}, True),
        ({"fluency": 4, "fluency_reason": "It is short."}, True),
        ({"rating": 4, "rationale": "It is short."}, True),
        ({"rating": 4, "rating_explanation": "It is short."}, True),
        ({"rating": 4, "explanation": "It is short."}, False),
        ({"rating": 4, "reasoning": "It is short."}, False),
        ({"human_rating": 4, "explanation": "It is short."}, False),
        ({"annotator": "anna", "rating": 4, "explanation": "It is short."}, False),
        ({"judge_model": "mine", "ratings": {"fluency": 4}}, True),
        ({"judge_rating": 4}, True),
        ({"references": ["a red dog"], "judge_fluency_rating": 4}, True),
        ({"references": ["a red dog"], "rm_rating": 4}, True),
        ({"references": ["a red dog"], "Judge 1 rating": 4}, False),
        ({"references": ["a red dog"], "Judge A rating": 4}, False),
        ({"references": ["a red dog"], "How would you judge the fluency?": 4}, False),
        ({"human_rating": 4}, False),
    ],
)
def test_numbers_with_reasons_or_of_a_judge_are_scores(row: dict[str, Any], told: bool) -> None:
    rows = [{"id": k, "model": run, "caption": said[k], **row} for run, said in BOTH for k in range(3)]
    found = load_study([("all.jsonl", jsonl(*rows))])
    assert (bool(scores(found)), bool(raters(found))) == (told, not told)


@pytest.mark.parametrize("captions", [True, False])
@pytest.mark.parametrize(("some", "twice"), [(True, False), (False, True), (False, False)])
def test_numbers_are_peoples_if_some_lack_reasons_or_captions_have_several(
    some: bool, twice: bool, captions: bool
) -> None:
    rows = [
        [IDS[k], run, *[said[k]] * captions, 2 + k + more, "" if some and k else "It is short."]
        for more in range(1 + twice)
        for run, said in BOTH
        for k in range(3)
    ]
    sheet = table(["image_id", "model", *["caption"] * captions, "fluency rating", "reason"], rows)
    found = load_study([("captions.csv", CAPTIONS), ("r.csv", sheet)])
    assert bool(raters(found)) == (some or twice)
    assert bool(scores(found)) != (some or twice)


def test_reasons_do_not_matter_if_a_person_states_the_ratings() -> None:
    rows = [[IDS[k], run, said[k], 2 + k, "It is short."] for run, said in BOTH for k in range(3)]
    sheet = table(["image_id", "model", "caption", "fluency", "reason"], rows)
    found = load_study([("all.csv", sheet)], columns=Columns(ratings=("fluency",)))
    assert raters(found) == {"fluency": {""}}


@pytest.mark.parametrize("key", ["judge", "judge_model", "evaluator"])
def test_the_judge_of_a_whole_file_rated_all_of_its_records(key: str) -> None:
    rows = [{"id": k, "prediction": SAID[k], "references": [OTHER[k]], "fluency": 2 + k} for k in range(3)]
    found = load_study([("blip.json", json.dumps({key: "gpt-4o", "results": rows}).encode())])
    assert scores(found) == {"fluency": [2.0, 3.0, 4.0]}
    assert not raters(found)


def test_a_field_for_a_judges_model_names_a_model_whatever_its_name() -> None:
    found = load_study([rated("judge_model", "mine")])
    assert scores(found) == {"fluency": [2.0, 3.0, 4.0]}


def test_a_person_decides_who_rated() -> None:
    found = load_study([rated("rater", "gpt-4")], columns=Columns(ratings=("fluency",), rater="rater"))
    assert raters(found) == {"fluency": {"gpt-4"}}


def test_ratings_of_systems_by_a_model_are_a_metric() -> None:
    rows = [[run, who, 3 + k] for run, _ in BOTH for k, who in enumerate(("gpt-4", "anna"))]
    found = load_study([("human_ratings.csv", table(["system", "rater", "fluency"], rows))])
    assert found.study
    (of,) = found.study.systems
    assert (dict(of.criteria), dict(of.metrics)) == ({"fluency": (4.0, 4.0)}, {"fluency": (3.0, 3.0)})
    wide = table(["system", "rating_human", "rating_gpt4"], [[run, 4, 3] for run, _ in BOTH])
    found = load_study([("captions.csv", CAPTIONS), ("ratings.csv", wide)])
    assert found.study
    assert [(*of.criteria, *of.metrics) for of in found.study.systems] == [("human", "gpt4")]


@pytest.mark.parametrize(("name", "asked"), [("ratings_gpt4.csv", True), ("ratings_blip_gpt4.csv", False)])
def test_a_file_that_is_named_after_a_model_asks_who_rated(name: str, asked: bool) -> None:
    rows = [[IDS[k], run, 2 + k] for run, _ in BOTH for k in range(3)]
    found = load_study([("captions.csv", CAPTIONS), (name, table(["image_id", "model", "fluency"], rows))])
    assert ("rated_by_model_perhaps" in codes(found)) == asked


@pytest.mark.parametrize(("judge", "said"), [("gpt-4o-2024-08-06", True), ("anna", False)])
def test_pairs_that_a_model_judged_are_said_to_be_so(judge: str, said: bool) -> None:
    rows = [{"id": k, "model_a": "blip", "model_b": "git", "winner": "model_a", "judge": judge} for k in range(3)]
    found = load_study([*ANSWERS, ("pairs.jsonl", jsonl(*rows))])
    assert ("pairs_by_model" in codes(found)) == said
    assert found.study
    assert found.files[-1].format == f"3 pairs judged by {'a model' if said else 'people'}"
    assert ("ignored_columns" in codes(found)) == (not said), "the judge is used"
    assert len(found.study.preferences) == 3
    assert len(preferences_of_people(found.study)) == (0 if said else 3)
    assert votes.criteria(found.study) == (["judge:gpt-4o-2024-08-06 rating"] if said else ["rating"])
    assert judge_of(votes.criteria(found.study)[0]) == (judge if said else "")
    assert preferences.criteria(found.study) == ([] if said else ["rating"]), "what people compared"


@pytest.mark.parametrize(
    ("column", "said"), [("gpt4_winner", True), ("llm_preference", True), ("judge_winner", True), ("winner", False)]
)
def test_a_column_of_verdicts_may_be_named_after_a_model(column: str, said: bool) -> None:
    rows = [{"id": k, "model_a": "blip", "model_b": "git", column: "model_a"} for k in range(3)]
    found = load_study([*ANSWERS, ("pairs.jsonl", jsonl(*rows))])
    assert found.study is not None
    assert len(found.study.preferences) == 3
    assert ("pairs_by_model" in codes(found)) == said
    assert all(one.criterion.startswith(JUDGE) == said for one in found.study.preferences)


@pytest.mark.parametrize("user", [False, True])
@pytest.mark.parametrize(
    ("columns", "models"),
    [
        (["gpt4_winner", "claude3_winner"], ["gpt4_winner", "claude3_winner"]),
        (["rater1_winner", "gpt4_winner"], ["gpt4_winner"]),
        (["gpt4_winner", "rater1_winner"], ["gpt4_winner"]),
        (["judge1_winner", "judge2_winner"], []),
        (["judge_a_winner", "judge_b_winner"], []),
    ],
)
def test_each_column_of_verdicts_has_its_own_judge(columns: list[str], models: list[str], user: bool) -> None:
    """If the name of a column names a judge, this wins over a column of users."""
    rows = [
        {"id": k, "model_a": "blip", "model_b": "git"}
        | dict(zip(columns, ("model_a", "model_b")))
        | ({"user_id": f"u{k}"} if user else {})
        for k in range(3)
    ]
    found = load_study([*ANSWERS, ("pairs.jsonl", jsonl(*rows))])
    assert found.study is not None
    assert {judge_of(one.criterion) for one in found.study.preferences} - {""} == {*models}
    assert bool(preferences_of_people(found.study)) == (len(models) < len(columns))
    said = [one.problem for one in found.findings if one.code == "pairs_by_model"]
    assert len(said) == bool(models)
    assert all(name in said[0] for name in models)


@pytest.mark.parametrize(("judge", "said"), [("gpt-4o", True), ("anna", False)])
def test_ranks_beside_captions_may_be_a_models(judge: str, said: bool) -> None:
    rows = [[IDS[k], SAID[k], OTHER[k], 1 + k % 2, 2 - k % 2, judge] for k in range(3)]
    head = ["image_id", "blip caption", "git caption", "blip rank", "git rank", "judge"]
    found = load_study([("p.csv", table(head, rows))])
    assert found.study
    assert len(found.study.preferences) == 3
    assert len(preferences_of_people(found.study)) == (0 if said else 3)
    assert ("pairs_by_model" in codes(found)) == said


def test_a_preferred_run_beside_both_captions_may_be_a_models_choice() -> None:
    rows = [[IDS[k], SAID[k], OTHER[k], "BLIP", "gpt-4o"] for k in range(3)]
    rows += [[*rows[0][:4], "anna"]]
    found = load_study([("p.csv", table(["image_id", "BLIP caption", "GIT caption", "preferred", "judge"], rows))])
    assert "pairs_by_model" in codes(found)
    assert found.study
    assert [len(of) for of in (found.study.preferences, preferences_of_people(found.study))] == [4, 1]


@pytest.mark.parametrize("rejected", [True, False])
def test_judgments_that_were_rejected_do_not_count(rejected: bool) -> None:
    states = ("Rejected" if rejected else "Approved", "Approved")
    rows = [
        [IDS[k], run, said[k], state, who, 2]
        for run, said in BOTH
        for k in range(3)
        for who, state in enumerate(states)
    ]
    head = ["Input.image_id", "Input.model", "Input.caption", "AssignmentStatus", "WorkerId", "Answer.fluency"]
    assert raters(load_study([("Batch.csv", table(head, rows))])) == {"fluency": {"1"} if rejected else {"0", "1"}}


@pytest.mark.parametrize("kind", ["CODE", "LLM", "HUMAN"])
def test_annotations_of_programs_are_scores(kind: str) -> None:
    one = {"name": "tone", "annotator_kind": kind, "score": 0.5}
    rows = [{"id": IDS[k], "prediction": SAID[k], "annotations": [one]} for k in range(3)]
    found = load_study([("blip.jsonl", jsonl(*rows)), KNOWN])
    assert runs_of(found) == {"blip": each(SAID)}
    assert list(scores(found)) == ([] if kind == "HUMAN" else ["tone"])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        *((name, True) for name in ("GPT4", "gpt-4V", "Qwen2-VL-72B-Instruct", "o3-mini", "lab/skywork-8b-x", "LLMs")),
        *((name, False) for name in ("A3GPT4XX", "Ai Li", "Gemma", "rater 7b", "yi_2000", "5e8b12c9-456b-11ec-9f7b")),
    ],
)
def test_names_of_models(name: str, told: bool) -> None:
    assert is_model(name) == told

"""Test that answers of a judge are read, matched to captions, and converted to scores, preferences and distances."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from data.bundle.writing import pack
from data.imported.judge_answers import preferences_of_people, without
from data.judge_answers import Answer, to_jsonl_bytes
from data.load import Loaded, load_study
from data.marks import renamed, shown
from data.slices import only_slice
from data.study import Study
from metrics.analysis.judgments.points import pairs
from metrics.analysis.judgments.preferences import criteria as pair_criteria_of_people
from tests.data.test_shapes_of_further_files import table

REFERENCES = ("A dog.", "The dog.")
M, N = ("One.", "Two."), ("One.", "Three.")
FILE = (
    "a.json",
    json.dumps([{"id": id, "references": REFERENCES, "candidates": {"m": M, "n": N}} for id in ("1", "2")]).encode(),
)
SIGNED = "clair|v1|prompt:0a1b2c3d|model:org/J|temp:0"
FIRST = Answer("org/J", "clair", SIGNED, "1", ("m",), (0,), ("One.",), score=0.25, reason="short", fingerprint="J")


def read(*answers: Answer, files: list[tuple[str, bytes]] | None = None) -> Loaded:
    return load_study([*(files or [FILE]), ("answers.jsonl", to_jsonl_bytes(answers))])


def study_of(*answers: Answer) -> Study:
    study = read(*answers).study
    assert study is not None
    return study


def pair(score: float, order: int = 0, **changed: Any) -> Answer:
    sides = [("m", 0, "One."), ("n", 1, "Three.")][:: -1 if order else 1]
    runs, places, captions = zip(*sides)
    made = Answer("org/J", "pairwise", "pairwise|v1", "1", runs, places, captions, order=order, score=float(score))
    return replace(made, **changed)


def test_answers_read_back_as_they_were_written() -> None:
    second = replace(FIRST, repeat=1, score=math.nan, fault="it refused", reason="")
    facts = replace(FIRST, prompt="facts", signature="f", score=math.nan, facts=("a dog", "brown"))
    held = replace(FIRST, prompt="coverage", signature="c", score=0.5, facts=("a dog", "brown"), held=(True, False))
    given = (FIRST, second, facts, held, pair(1), pair(0.5, 1))
    study = study_of(*given)
    assert [repr(one) for one in study.answers] == [repr(one) for one in given]
    assert study.digest == load_study([FILE]).study.digest  # type: ignore[union-attr]


def test_facts_checked_both_ways_have_an_f1() -> None:
    """A caption's F1 is the harmonic mean of two scores: 0 if nothing is supported, and a gap if one score is
    unreadable.
    """
    tail, said = "|v1|model:org/J|temp:0", []
    known = {("m", 0): (0.5, 1.0), ("m", 1): (0.0, 0.0), ("n", 0): (0.25, math.nan), ("n", 1): (0.2, 0.3)}
    for (run, place), both in known.items():
        for prompt, score in zip(("coverage", "precision"), both):
            of = replace(FIRST, prompt=prompt, signature=prompt + tail, runs=(run,), places=(place,), score=score)  # type: ignore[arg-type]
            said.append(replace(of, captions=({"m": M, "n": N}[run][place],), fault="" if score == score else "empty"))
    scores = {one.name: one for one in study_of(*said).scores}
    assert list(scores) == ["fact_coverage_org_J", "fact_precision_org_J", "fact_f1_org_J"]
    f1 = scores["fact_f1_org_J"]
    assert f1.values["m"]["1"] == pytest.approx((2 / 3, 0.0))
    assert f1.values["n"]["1"] == pytest.approx((math.nan, 0.24), nan_ok=True)
    assert f1.signature == f"coverage{tail}|with:precision{tail}|fingerprint:J|f1|fingerprint:J"
    other = [replace(one, signature="coverage|v1|model:other") if one.prompt == "coverage" else one for one in said]
    assert len(study_of(*other).scores) == 2, "facts by two settings have no common value"
    assert not without(study_of(*said)).scores


def test_a_score_is_the_mean_of_readable_repeats_and_nan_without_any() -> None:
    repeats = [replace(FIRST, repeat=k, score=score) for k, score in enumerate((0.2, 0.4, math.nan))]
    repeats[2] = replace(repeats[2], fault="it is empty")
    unread = replace(FIRST, runs=("n",), score=math.nan, fault="it refused")
    loaded = read(*repeats, unread)
    assert loaded.study is not None
    (score,) = loaded.study.scores
    assert (score.name, score.grain, score.low, score.high) == ("clair_org_J", "candidate", 0, 1)
    assert score.signature == f"{SIGNED}|fingerprint:J"
    assert score.values["m"]["1"] == pytest.approx((0.3, math.nan), nan_ok=True)
    assert all(map(math.isnan, score.values["n"]["1"]))
    told = {(one.code, one.count) for one in loaded.findings if one.file == "answers.jsonl"}
    assert told >= {("answer_faults", 1), ("score_gaps", 3), ("score_gaps", 4)}


def test_a_pair_has_one_vote_shared_by_both_orders() -> None:
    sure, torn = study_of(pair(1), pair(0, 1)), study_of(pair(1), pair(1, 1))
    (only,) = sure.preferences
    assert only == ("1", ("m", 0), ("n", 1), 1.0, 0.0, "judge:org_J", "", 0.0)
    assert torn.preferences[0][3:5] == (0.5, 0.5)
    half = study_of(pair(0.5), pair(0, 1))
    assert (half.preferences[0][3:5], half.preferences[0].ties, torn.preferences[0].ties) == ((0.75, 0.25), 0.5, 0.0)
    more = study_of(pair(1), pair(0, 1), pair(0, repeat=1), pair(0, 1, repeat=1))
    assert more.preferences[0][3:5] == (0.75, 0.25)
    assert not study_of(pair(1)).preferences


def test_likeness_becomes_distances_of_complete_items() -> None:
    texts = {text: (run, k) for run, of in (("", REFERENCES), ("n", N), ("m", M)) for k, text in enumerate(of)}
    likeness = {frozenset((a, b)): (len(a) + len(b)) / 20 for a in texts for b in texts if a < b}
    answers = []
    for captions, score in likeness.items():
        first, second = sorted(captions)
        runs, places = (texts[first][0], texts[second][0]), (texts[first][1], texts[second][1])
        answers.append(Answer("J", "alike", "alike|v1", "1", runs, places, (first, second), score=score))
    study = study_of(*answers)
    (found,) = study.distances
    assert (found.name, found.signature) == ("alike_J", "alike|v1|fingerprint:none")
    for run, of in (("m", M), ("n", N)):
        every = (*of, *REFERENCES)
        slow = [[0.0 if one == other else 1 - likeness[frozenset((one, other))] for other in every] for one in every]
        np.testing.assert_array_equal(found.matrices[run]["1"], np.array(slow))
        assert found.matrices[run].keys() == {"1"}
    assert not study_of(*answers[1:]).distances[0].matrices.keys() >= {"m", "n"}


def test_two_signatures_of_one_judge_are_two_metrics() -> None:
    study = study_of(FIRST, replace(FIRST, signature="clair|v2", score=0.75))
    assert [one.name for one in study.scores] == ["clair_org_J", "clair_org_J_2"]
    assert [one.values["m"]["1"][0] for one in study.scores] == [0.25, 0.75]


def test_an_answer_about_other_words_is_left_out() -> None:
    loaded = read(FIRST, replace(FIRST, places=(1,), captions=("Twenty.",)))
    assert loaded.study is not None
    assert len(loaded.study.answers) == 1
    (found,) = (one for one in loaded.findings if one.code == "score_unknown")
    assert found.record == "line 2"


def test_answers_follow_their_runs_and_items() -> None:
    study = study_of(FIRST, pair(1), pair(0, 1), replace(FIRST, item="2", runs=("n",)))
    named = renamed(study, {"m": "z"})
    assert [one.runs for one in named.answers] == [("z",), ("z", "n"), ("n", "z"), ("n",)]
    assert [one.runs for one in shown(study, ["m"]).answers] == [("n",)]
    assert {one.item for one in only_slice(study, "s", ["2"]).answers} == {"2"}
    bare = without(named)
    assert (bare.answers, bare.scores, bare.preferences, bare.distances) == ((), (), (), ())


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"score": 1.5}, "the score 1.5, which clair cannot have"),
        ({"score": True}, "the score True"),
        ({"score": None}, "both a score and a `fault`, or neither"),
        ({"fault": "it refused"}, "both a score and a `fault`, or neither"),
        ({"prompt": "guess"}, "the prompt 'guess', which is not one of clair"),
        ({"places": [-1]}, "not a whole number from 0"),
        ({"runs": []}, "the run and place of each caption"),
        ({"captions": [7]}, "other than texts"),
        ({"order": 2}, "an order other than 0 and 1"),
        ({"held": ["yes"]}, "other than true and false in `held`"),
        ({"reason": "x" * 20_001}, "no text of at most 20,000 characters as `reason`"),
        ({"signature": ""}, "does not name its judge and signature"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(changed: dict[str, Any], why: str) -> None:
    row = {**json.loads(to_jsonl_bytes([FIRST])), **changed}
    loaded = load_study([FILE, ("answers.json", json.dumps([row]).encode())])
    (found,) = (one for one in loaded.findings if one.code == "answer_unusable")
    assert why in found.problem
    assert (found.file, found.record, found.severity) == ("answers.json", "record 1", "error")
    assert loaded.study is not None
    assert not loaded.study.answers


def test_a_bundle_carries_the_answers_and_makes_the_rest_of_them_again() -> None:
    clip = ("clip.csv", b"item,run,candidate,metric,value\n1,m,0,CLIP,.5\n1,m,1,CLIP,.4\n")
    votes = ("votes.csv", b"item,run_a,run_b,winner\n1,m,n,a\n")
    unread = replace(FIRST, repeat=1, score=math.nan, fault="it refused", reason="I would rather not.")
    alike = Answer("J", "alike", "alike|v1", "1", ("m", "n"), (0, 1), ("One.", "Three."), score=0.5)
    loaded = read(FIRST, unread, pair(1), pair(0, 1), alike, files=[FILE, clip, votes])
    study = loaded.study
    assert study is not None
    packed = pack(study, {}, b"", {})
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert b"clair" not in archive.read("imported.jsonl")
        assert b"judge:" not in archive.read("preferences.json")
        assert b"I would rather not." in archive.read("answers.jsonl")
    again = load_study([("study.zip", packed)])
    assert not [one for one in again.findings if one.code.startswith("bundle")]
    assert again.study is not None
    assert repr(again.study.answers) == repr(study.answers)
    assert {one.name: one.digest for one in again.study.scores} == {one.name: one.digest for one in study.scores}
    assert set(again.study.preferences) == set(study.preferences)
    (of_people,) = preferences_of_people(study)
    assert (of_people.criterion, len(study.preferences)) == ("rating", 2)
    assert pair_criteria_of_people(study) == ["rating"]
    assert len(pairs(study).preference) == 1, "what is said of people is said of their votes alone"
    assert pack(again.study, {}, b"", {}) == packed


PREFERRED = {f"Describe picture {k}.": (f"a red kite number {k}", f"some thing {k} there") for k in "123"}
TURNS = [{"role": "user", "content": "Describe."}, {"role": "assistant", "content": ""}]
OUTCOMES: dict[str, tuple[str, str, Callable[[str], Any]]] = {
    "texts": ("chosen", "rejected", lambda text: text),
    "conversations": ("chosen", "rejected", lambda text: [TURNS[0], {**TURNS[1], "content": text}]),
    "captions": ("preferred_caption", "dispreferred_caption", lambda text: text),
}


@pytest.mark.parametrize("models", [False, True])
@pytest.mark.parametrize("kind", OUTCOMES)
def test_columns_named_after_the_outcome_are_pairs(kind: str, models: bool) -> None:
    names, form = OUTCOMES[kind][:2], OUTCOMES[kind][2]
    runs = [name.partition("_")[0] for name in names]
    rows: list[dict[str, Any]] = [
        {"prompt": asked, **{name: form(text) for name, text in zip(names, pair)}} for asked, pair in PREFERRED.items()
    ]
    if models:
        rows = [{**row, **{f"{run}_model": f"m{k}" for k, run in enumerate(runs)}} for row in rows]
        runs = ["m0", "m1"]
    loaded = load_study([("dpo.jsonl", "\n".join(map(json.dumps, rows)).encode())])
    assert loaded.study is not None
    assert [item.metadata["prompt"] for item in loaded.study.items] == [*PREFERRED]
    said = [tuple(run.candidates[item.id][0] for run in loaded.study.runs) for item in loaded.study.items]
    assert (said, [run.name for run in loaded.study.runs]) == ([*PREFERRED.values()], runs)
    won = [one.first[0] if one.first_votes > one.second_votes else one.second[0] for one in loaded.study.preferences]
    assert won == [runs[0]] * 3
    assert ("preferences_read" in {one.code for one in loaded.findings}) != models


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv"])
def test_outcomes_within_an_object_are_pairs(name: str) -> None:
    """In the CSV file, as in RLHF-V, each object is JSON in a cell."""
    pairs = [dict(zip(("chosen", "rejected"), pair)) for pair in PREFERRED.values()]
    rows = [{"image": f"{k}.jpg", "text": {"question": "What is it?", **pair}} for k, pair in enumerate(pairs)]
    cells = [[row["image"], json.dumps(row["text"])] for row in rows]
    content = table(["image", "text"], cells) if name == "x.csv" else "\n".join(map(json.dumps, rows)).encode()
    study = load_study([(name, content)]).study
    assert study is not None
    assert {run.name: [text for (text,) in run.candidates.values()] for run in study.runs} == {
        name: [pair[name] for pair in pairs] for name in ("chosen", "rejected")
    }
    assert len(study.preferences) == 3


@pytest.mark.parametrize("nested", [True, False])
def test_outcomes_beside_a_caption_with_its_model_do_not_replace_it(nested: bool) -> None:
    pairs = [dict(zip(("chosen", "rejected"), pair)) for pair in PREFERRED.values()]
    rows = [
        {"id": k, "model": run, "caption": f"a dog of {run} runs", **({"dpo": pair} if nested else pair)}
        for run in ("blip", "git")
        for k, pair in enumerate(pairs)
    ]
    study = load_study([("x.jsonl", "\n".join(map(json.dumps, rows)).encode())]).study
    assert study is not None
    assert {run.name: {*run.candidates.values()} for run in study.runs} == {
        run: {(f"a dog of {run} runs",)} for run in ("blip", "git")
    }


def test_a_column_of_marks_is_no_outcome() -> None:
    rows = [
        {"id": k, "caption": pair[0], "chosen": "yes", "rejected": "no"} for k, pair in enumerate(PREFERRED.values())
    ]
    study = load_study([("x.json", json.dumps(rows).encode())]).study
    assert study is None or not study.preferences

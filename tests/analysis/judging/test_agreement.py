"""Test a judge beside people and metrics: which run is its own, its self-preference, and its agreement with people."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations, product
from math import isnan

import numpy as np
import pytest

from data.findings import Log
from data.imported.judge_answers import with_answers
from data.judge_answers import Answer
from data.study import Preference, Study
from metrics.analysis.judging.agreement import by_preferences, judged_scores, own_run, preference_for
from metrics.analysis.judging.answers import kinds
from metrics.analysis.judging.self_preference import self_preference
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.analysis.judging.studies import judged
from tests.studies import study as random_study

STUDY = replace(judged(items=10, rated=True), tokenizer="whitespace")
CLAIR, PAIRS = kinds(STUDY)


@pytest.mark.parametrize(
    ("judge", "expected"), [("run 2", "run 2"), ("org/Model 1", "run 1"), ("model 0", "run 0"), ("model", ""), ("", "")]
)
def test_its_own_run_is_called_as_the_judge_or_its_model_is(judge: str, expected: str) -> None:
    assert own_run(STUDY, judge) == expected


def test_scores_are_those_of_the_answers() -> None:
    found = judged_scores(STUDY, CLAIR)
    assert found is not None
    assert found.name == "clair_tiny"
    assert judged_scores(STUDY, PAIRS) is None


def test_self_preference_against_ratings_leaves_out_runs_of_the_same_model() -> None:
    models = ("tiny", "other", "third", "tiny")
    study = replace(STUDY, runs=tuple(replace(run, model=of) for run, of in zip(STUDY.runs, models)))
    scores = judged_scores(STUDY, CLAIR)
    assert scores is not None
    judge = np.array([[scores.values[f"run {k}"][item.id][0] for item in study.items] for k in range(3)])
    people = np.array([[run.human[item.id]["overall"][0] for item in study.items] for run in study.runs[:3]])  # type: ignore[index]
    found = preference_for(study, CLAIR, "run 0", {}, None, "overall")
    assert found.estimate == pytest.approx(self_preference(judge, people, 0, np.arange(10)), nan_ok=True)
    assert found.by == "people's ratings (overall)"


def test_self_preference_against_a_metric() -> None:
    study = replace(STUDY, runs=tuple(replace(run, model=run.name) for run in STUDY.runs))
    metric = METRICS["rouge_l"]
    results = scoring.score(study, [metric])
    found = preference_for(study, CLAIR, "run 3", results, metric, "")
    assert found.by == "ROUGE-L"
    assert found.estimate.n == sum(
        all(not isnan(value) for run in study.runs for value in judged_scores(study, CLAIR).values[run.name][item.id])  # type: ignore[union-attr]
        for item in study.items
    )


@pytest.mark.parametrize(
    ("run", "criterion", "why"),
    [
        ("", "overall", "no run or model is called tiny"),
        ("run 0", "overall", "2 runs of other models"),
    ],
)
def test_it_says_why_there_is_no_self_preference(run: str, criterion: str, why: str) -> None:
    found = preference_for(replace(STUDY, runs=STUDY.runs[:2]), CLAIR, run, {}, None, criterion)
    assert why in found.why
    assert isnan(found.estimate.value)
    alike = replace(PAIRS, prompt="alike", pairs=None)
    assert "only scores and pairs" in preference_for(STUDY, alike, "run 0", {}, None, criterion).why


def of_pairs(bonus: float, items: int = 60, noise: float = 1.0, seed: int = 0) -> Study:
    rng = np.random.default_rng(seed)
    made = random_study(items=items, runs=4, candidates=1, references=2, seed=3)
    made = replace(made, runs=tuple(replace(run, model=run.name) for run in made.runs))
    quality = rng.normal(size=(4, items)) + np.arange(4)[:, None]
    rated, seen = (quality + rng.normal(size=quality.shape) * noise for _ in range(2))
    human = [{item.id: {"overall": [float(rated[r, k])]} for k, item in enumerate(made.items)} for r in range(4)]
    made = replace(made, runs=tuple(replace(run, human=of) for run, of in zip(made.runs, human)))
    seen[0] += bonus
    said = []
    for (k, item), (a, b) in product(enumerate(made.items), permutations(range(4), 2)):
        names = (made.runs[a].name, made.runs[b].name)
        shown = tuple(made.run(name).candidates[item.id][0] for name in names)
        if shown[0] != shown[1]:
            one = Answer("tiny", "pairwise", "pairwise|v1|model:tiny", item.id, names, (0, 0), shown, int(a > b))
            said.append(replace(one, score=float(seen[a, k] > seen[b, k])))
    return with_answers(made, said, Log())


def test_self_preference_of_pairs_is_that_of_wins_counted_by_hand() -> None:
    study = replace(of_pairs(bonus=0.5, items=12), tokenizer="whitespace")
    votes = {(one.item, one.runs): one.score for one in study.answers}
    names = [run.name for run in study.runs]
    judge, people = np.zeros((2, 4, 12))
    for (r, name), (k, item), other in product(enumerate(names), enumerate(study.items), names):
        ratings = [study.run(one).human[item.id]["overall"][0] for one in (name, other)]  # type: ignore[index]
        people[r, k] += (float(ratings[0] > ratings[1]) - float(ratings[0] < ratings[1])) / 3
        if (item.id, (name, other)) in votes:
            judge[r, k] += (2 * votes[item.id, (name, other)] - 1) / 3
    (kind,) = kinds(study)
    found = preference_for(study, kind, names[0], {}, None, "overall")
    assert found.estimate == pytest.approx(self_preference(judge, people, 0, np.arange(12)), nan_ok=True)
    assert found.estimate.n == 12


def test_a_judge_of_pairs_that_favours_its_own_run_is_found_and_a_fair_one_is_not() -> None:
    p = []
    for bonus in (0.0, 2.0):
        study = replace(of_pairs(bonus), tokenizer="whitespace")
        (kind,) = kinds(study)
        p.append(preference_for(study, kind, study.runs[0].name, {}, None, "overall").estimate.p_value)
    assert p[0] > 0.05 > 0.001 > p[1]


def test_runs_that_a_judge_did_not_compare_with_all_others_have_no_value() -> None:
    study = of_pairs(bonus=0.0, items=12)
    fewer = [one for one in study.answers if one.item != study.items[0].id or study.runs[1].name not in one.runs]
    (kind,) = kinds(study := replace(with_answers(study, fewer, Log()), tokenizer="whitespace"))
    assert preference_for(study, kind, study.runs[0].name, {}, None, "overall").estimate.n == 11


def test_pairs_agree_with_people_as_counted_by_hand() -> None:
    votes = {(one.item, one.runs): one.score for one in STUDY.answers if one.prompt == "pairwise"}
    said, right = [], []
    for k, item in enumerate(STUDY.items):
        people = (2.0, 1.0) if k % 2 else (1.0, 2.0)
        names = ("run 0", "run 1") if k % 3 else ("run 1", "run 0")
        said.append(Preference(item.id, (names[0], 0), (names[1], 0), *people, "better", ""))
        shown = votes[item.id, names] + 1 - votes[item.id, names[::-1]]
        right.append(0.5 if shown == 1 else float((shown > 1) == (people[0] > people[1])))
    study = replace(STUDY, preferences=(*STUDY.preferences, *said))
    texts = [len({run.candidates[item.id] for run in study.runs[:2]}) == 2 for item in study.items]
    found = by_preferences(study, PAIRS)
    assert found.agree.value == pytest.approx(np.mean([one for one, differ in zip(right, texts) if differ]))
    assert isnan(by_preferences(STUDY, PAIRS).agree.value)


def test_without_preferences_pairs_agree_with_ratings_as_counted_by_hand() -> None:
    votes = {(one.item, one.runs): one.score for one in STUDY.answers if one.prompt == "pairwise"}
    right = []
    for item in STUDY.items:
        for one, other in pairwise(STUDY.runs):
            assert one.human is not None
            assert other.human is not None
            if one.candidates[item.id] == other.candidates[item.id]:
                continue
            gap = one.human[item.id]["overall"][0] - other.human[item.id]["overall"][0]
            shown = votes[item.id, (one.name, other.name)] + 1 - votes[item.id, (other.name, one.name)]
            right.append(0.5 if shown == 1 else float((shown > 1) == (gap > 0)))
    found = by_preferences(STUDY, PAIRS, "overall")
    assert found.agree.value == pytest.approx(np.mean(right))
    assert found.agree.n == len(right)
    assert found.criterion == "overall"
    assert found.agree.low < found.agree.value < found.agree.high
    runs = STUDY.runs
    vote = Preference(STUDY.items[0].id, (runs[0].name, 0), (runs[0].name, 1), 2, 1, "other", "")
    assert by_preferences(replace(STUDY, preferences=(vote,)), PAIRS, "overall") == found, "not a pair of the judge"

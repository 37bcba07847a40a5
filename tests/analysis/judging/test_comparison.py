"""A judge beside people and metrics: which run is its own, and how often it prefers what people prefer."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from data.study import Preference
from metrics.analysis.judging.answers import kinds
from metrics.analysis.judging.comparison import by_preferences, judged_scores, own_run, preference_for
from metrics.analysis.judging.self_preference import self_preference
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.analysis.judging.studies import judged

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
    assert "scores" in preference_for(STUDY, PAIRS, "run 0", {}, None, criterion).why


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

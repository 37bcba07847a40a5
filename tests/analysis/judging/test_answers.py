"""Test the counts and statistics of answers, by kind of question, against loops."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from data.findings import Log
from data.imported.judge_answers import with_answers
from data.judge_answers import Answer
from data.study import Preference, Study
from metrics.analysis.judging.answers import Kind, kinds, longer_by_people
from metrics.analysis.judging.repeatability import repeatability
from tests.analysis.judging.studies import answers, judged

STUDY = replace(judged(items=10, steady=0.3, place=0.3), tokenizer="whitespace")


def of(study: Study) -> dict[str, Kind]:
    return {kind.prompt: kind for kind in kinds(study)}


def test_a_kind_is_a_prompt_of_a_judge_and_what_it_was_asked_is_counted() -> None:
    clair, pairs = of(STUDY)["clair"], of(STUDY)["pairwise"]
    mine = [one for one in STUDY.answers if one.prompt == "clair"]
    unread = [one for one in mine if isnan(one.score)]
    assert (clair.answers, clair.questions, clair.items) == (80, 40, 10)
    assert clair.faults == {"no number in the answer": len(unread)}
    assert clair.unreadable == len(unread) > 0
    assert (pairs.answers, pairs.questions, pairs.unreadable) == (60, 60, 0)
    assert isnan(pairs.slope.value)
    assert clair.pairs is None


def test_repeats_are_of_one_caption_of_one_item() -> None:
    read = [one for one in STUDY.answers if one.prompt == "clair" and not isnan(one.score)]
    asked = sorted({(one.item, one.runs) for one in read})
    items = [item.id for item in STUDY.items]
    expected = repeatability(
        np.array([one.score for one in read]),
        np.array([asked.index((one.item, one.runs)) for one in read]),
        np.array([items.index(one.item) for one in read]),
    )
    found = of(STUDY)["clair"].repeats
    assert found.icc[:3] == pytest.approx(expected.icc[:3])
    assert found[1:] == pytest.approx(expected[1:])


def test_pairs_in_both_orders_by_loops() -> None:
    votes = {(one.item, one.runs): one.score for one in STUDY.answers if one.prompt == "pairwise"}
    captions = {(one.item, one.runs): one.captions for one in STUDY.answers if one.prompt == "pairwise"}
    first, agree, longer = [], [], []
    for (item, runs), vote in votes.items():
        texts = captions[item, runs]
        if runs > runs[::-1] or texts[0] == texts[1]:
            continue
        other = votes[item, runs[::-1]]
        first += [vote, other]
        agree.append(vote != other)
        gap = len(texts[0].split()) - len(texts[1].split())
        if gap:
            longer += [vote == (gap > 0), other == (gap < 0)]
    pairs = of(STUDY)["pairwise"].pairs
    assert pairs is not None
    found = pairs.first.value, pairs.agree.value, pairs.longer.value
    assert found == pytest.approx((np.mean(first), np.mean(agree), np.mean(longer)))
    assert pairs.agree.n == len(agree)


def test_the_slope_is_that_of_mean_scores_within_items() -> None:
    scores: dict[tuple[str, str], list[float]] = {}
    for one in STUDY.answers:
        if one.prompt == "clair" and not isnan(one.score):
            scores.setdefault((one.item, one.captions[0] + one.runs[0]), []).append(one.score)
    rows = [(item, np.mean(of), len(text.split())) for (item, text), of in scores.items()]
    x = y = 0.0
    for item in {item for item, *_ in rows}:
        mine = [(score, words) for other, score, words in rows if other == item]
        words = np.array([len(text[: text.rindex(".")].split()) for (i, text), _ in scores.items() if i == item])
        values = np.array([score for score, _ in mine])
        x += float(((words - words.mean()) ** 2).sum())
        y += float(((words - words.mean()) * values).sum())
    assert of(STUDY)["clair"].slope.value == pytest.approx(10 * y / x)


def test_equal_captions_are_no_pair() -> None:
    made = judged(items=8)
    same = replace(made.runs[1], candidates={id: made.runs[0].candidates[id] for id in made.runs[1].candidates})
    study = replace(made, runs=(made.runs[0], same), answers=())
    found = of(with_answers(study, answers(study), Log()))["pairwise"].pairs
    assert found is not None
    assert found.agree.n == 0


def test_a_list_of_facts_is_no_kind_of_question() -> None:
    facts = Answer("tiny", "facts", "facts|v1", STUDY.items[0].id, ("",), (0,), ("A dog.",), facts=("a dog",))
    assert of(replace(STUDY, answers=(facts,))) == {}


def test_how_often_people_prefer_the_longer_caption_leaves_out_judges() -> None:
    said = []
    lengths = {run.name: {id: len(texts[0].split()) for id, texts in run.candidates.items()} for run in STUDY.runs}
    for k, item in enumerate(STUDY.items):
        votes = (3.0, 1.0) if k % 3 else (0.0, 2.0)
        said.append(Preference(item.id, ("run 0", 0), ("run 1", 0), *votes, "better", ""))
    study = replace(STUDY, preferences=(*STUDY.preferences, *said))
    shares = [
        one.first_votes / (one.first_votes + one.second_votes)
        if gap > 0
        else one.second_votes / (one.first_votes + one.second_votes)
        for one in said
        if (gap := lengths["run 0"][one.item] - lengths["run 1"][one.item])
    ]
    found = longer_by_people(study)
    assert found.value == pytest.approx(np.mean(shares))
    assert found.n == len(shares)
    assert isnan(longer_by_people(STUDY).value)

"""Metrics on pairs that people compared: against a loop over the votes, by category, with ties, and the misses."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from data.study import Preference, Study
from metrics.analysis.judgments.preferences import misses, pair_agreement
from metrics.base import Metric
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.table import scores
from metrics.registry import resolve
from tests.studies import study as random_study

CHOSEN = resolve(("rouge_l", "bleu_1", "cider_d"))
Results = Mapping[tuple[str, str], Result]


def compared(items: int = 40, seed: int = 0) -> Study:
    """Four pairs an item with 12 votes, two of each category; some end in a tie."""
    source, study = random.Random(seed), random_study(items=items, candidates=3, runs=3)
    rows = []
    for item in study.items:
        for k in range(4):
            first, second = sorted(source.sample([(run.name, place) for run in study.runs for place in range(3)], 2))
            votes = source.randint(0, 12)
            rows.append(Preference(item.id, first, second, votes, 12 - votes, "rating", ("MM", "HM")[k % 2]))
    return replace(study, preferences=tuple(rows))


def by_loop(study: Study, results: Results, metric: Metric, category: str) -> tuple[float, int]:
    """The mean of 1, 0.5 and 0 over the decided pairs, from the table of scores."""
    table = scores(study, results, ["candidate"])
    table = table[table.metric == metric.name].set_index(["item", "run", "candidate"]).value
    said = []
    for one in study.preferences:
        if one.first_votes == one.second_votes or category not in ("", one.category):
            continue
        a, b = (table[one.item, run, place] for run, place in (one.first, one.second))
        liked, other = (a, b) if one.first_votes > one.second_votes else (b, a)
        said.append(0.5 if liked == other else float(liked > other))
    return float(np.mean(said)), len(said)


def test_accuracy_is_that_of_a_loop_over_the_votes() -> None:
    study = compared()
    results = scoring.score(study, CHOSEN)
    found = pair_agreement(study, results, CHOSEN, "rating")
    assert found.categories == ("", "MM", "HM")
    assert found.ties == sum(one.first_votes == one.second_votes for one in study.preferences) > 0
    assert found.n == len(study.preferences) - found.ties
    for metric, estimates in zip(CHOSEN, found.estimates):
        for category, one in zip(found.categories, estimates):
            value, n = by_loop(study, results, metric, category)
            assert (one.value, one.n) == (pytest.approx(value), n)
            assert one.low < one.value < one.high


def test_people_who_follow_a_metric_make_it_the_best_alone() -> None:
    study = compared(items=60)
    results = scoring.score(study, CHOSEN)
    table = scores(study, results, ["candidate"])
    first_metric = table[table.metric == CHOSEN[0].name].set_index(["item", "run", "candidate"]).value
    rows = []
    for one in study.preferences:
        first, second = (first_metric[one.item, run, place] for run, place in (one.first, one.second))
        rows.append(one._replace(first_votes=float(first > second), second_votes=float(second > first)))
    followed = replace(study, preferences=tuple(rows))
    found = pair_agreement(followed, results, CHOSEN, "rating")
    assert found.estimates[0][0].value == 1
    ranked = found.ranking()
    assert ranked.order[0] == 0
    assert ranked.best.tolist() == [True, False, False]
    assert misses(followed, results, CHOSEN[0], "rating") == []


def test_misses_are_unanimous_pairs_that_the_metric_orders_otherwise() -> None:
    study = compared()
    results = scoring.score(study, CHOSEN)
    found = misses(study, results, CHOSEN[0], "rating", most=5)
    assert len({one.item for one in found}) == 5
    assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)
    votes = {(one.item, one.first, one.second): one for one in study.preferences}
    for one in found:
        names = [(study.runs[run].name, place) for run, place in (one.preferred, one.other)]
        stated = votes[study.items[one.item].id, *sorted(names)]  # type: ignore[index]
        liked, other = (stated.first_votes, stated.second_votes)[:: 1 if names[0] == stated.first else -1]
        assert one.share == pytest.approx(liked / (liked + other))
        assert one.values[0] < one.values[1]


def test_pairs_that_people_tie_leave_nothing() -> None:
    study = compared(items=6)
    tied = replace(study, preferences=tuple(p._replace(first_votes=1, second_votes=1) for p in study.preferences))
    found = pair_agreement(tied, scoring.score(tied, CHOSEN), CHOSEN, "rating")
    assert (found.n, found.ties) == (0, 24)
    assert np.isnan(found.estimates[0][0].value)

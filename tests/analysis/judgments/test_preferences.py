"""Test metrics on pairs that people compared against a loop over the votes, by category and with ties."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from data.study import Preference, Study
from metrics.analysis.judgments.points import metric_values, pairs
from metrics.analysis.judgments.preferences import baselines, misses, pair_agreement
from metrics.base import Metric
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.scores_table import scores
from metrics.registry import resolve
from metrics.text.tokens import tokenize
from tests.studies import study as random_study

CHOSEN = resolve(("rouge_l", "bleu_1", "cider_d"))
Results = Mapping[tuple[str, str], Result]


def compared(items: int = 40, seed: int = 0) -> Study:
    """Make a study with four pairs per item, two of each category; the 12 votes on a pair may be evenly split."""
    source, study = random.Random(seed), random_study(items=items, candidates=3, runs=3)
    rows = []
    for item in study.items:
        for k in range(4):
            first, second = sorted(source.sample([(run.name, place) for run in study.runs for place in range(3)], 2))
            votes = source.randint(0, 12)
            rows.append(Preference(item.id, first, second, votes, 12 - votes, "rating", ("MM", "HM")[k % 2]))
    return replace(study, preferences=tuple(rows))


def by_loop(study: Study, results: Results, metric: Metric, category: str) -> tuple[float, int]:
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


def test_people_with_each_other_are_each_vote_against_the_majority_of_the_others() -> None:
    study = compared()
    found = pair_agreement(study, scoring.score(study, CHOSEN), CHOSEN, "rating")
    for category, estimate in zip(found.categories, found.others[-1]):
        right = []
        for one in study.preferences:
            votes = [1] * int(one.first_votes) + [-1] * int(one.second_votes)
            for k, vote in enumerate(votes if category in ("", one.category) else ()):
                rest = sum(votes[:k]) + sum(votes[k + 1 :])
                right += [float(rest * vote > 0)] if rest else []
        assert (estimate.value, estimate.n) == (pytest.approx(np.mean(right)), len(right))
        assert estimate.low < estimate.value < estimate.high


def test_baselines_choose_by_words_and_by_what_is_preferred_on_other_items() -> None:
    study = compared()
    of, texts = pairs(study, "rating"), {run.name: run.candidates for run in study.runs}
    scores, longer = baselines(study, of)
    decided = [one for one in study.preferences if one.first_votes != one.second_votes]
    known = {item.id: {word for text in tokenize(item.references) for word in text} for item in study.items}
    for k, one in enumerate(decided):
        wins: dict[str, list[float]] = {run.name: [] for run in study.runs}
        for other in decided:
            for (run, _), won in ((other.first, other.first_votes), (other.second, other.second_votes)):
                if other.item != one.item:
                    wins[run].append(float(won > 6))
        rank = {
            run: sum(np.mean(won) - np.mean(other) > 1 / len(won) + 1 / len(other) + 1e-9 for other in wins.values())
            for run, won in wins.items()
        }
        words = tokenize([texts[run][one.item][place] for run, place in (one.first, one.second)])
        gaps = (
            (len(words[0]) - len(words[1])) * (1 if longer else -1),
            rank[one.first[0]] - rank[one.second[0]],
            len(set(words[0]) & known[one.item]) - len(set(words[1]) & known[one.item]),
        )
        liked = 1 if one.first_votes > one.second_votes else -1
        expected = [(np.sign(gap) * liked + 1) / 2 for gap in gaps]
        assert scores[[0, 1, 3], k].tolist() == pytest.approx(expected)
    assert np.isnan(scores[2]).all(), "no caption has a label"
    assert scores[0].mean() >= 0.5


def test_an_equal_record_of_two_runs_chooses_neither() -> None:
    """Each run wins half of the pairs; if a pair itself is left out, the run that lost it is ahead by one win."""
    study = random_study(items=12, candidates=1, runs=2)
    rows = [
        Preference(i.id, ("run 0", 0), ("run 1", 0), k % 2, 1 - k % 2, "rating", "") for k, i in enumerate(study.items)
    ]
    study = replace(study, preferences=tuple(rows))
    scores, _ = baselines(study, pairs(study, "rating"))
    assert (scores[1] == 0.5).all()


def test_a_metric_that_people_follow_is_ahead_of_every_baseline_and_random_votes_give_none() -> None:
    study = compared(items=60)
    results = scoring.score(study, CHOSEN)
    at = pairs(study, "rating")
    assert all(lead.p_value > 0.05 for lead in pair_agreement(study, results, CHOSEN, "rating").leads)
    by = dict(
        zip(
            [(one.item, one.first, one.second) for one in study.preferences if one.first_votes != 6],
            metric_values(study, results, CHOSEN[0], at.first) - metric_values(study, results, CHOSEN[0], at.second),
        )
    )
    rows = [one._replace(first_votes=float(by[key] > 0), second_votes=float(by[key] <= 0))
            for one in study.preferences if (key := (one.item, one.first, one.second)) in by]  # fmt: skip
    followed = replace(study, preferences=tuple(rows))
    found = pair_agreement(followed, results, CHOSEN, "rating")
    assert found.leads[0].p_value < 0.01
    assert found.leads[0].difference.value > 0
    assert found.others[-1][0].n == 0, "one vote has no others"


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

"""Test that people's ratings rank the runs of a study if all runs are rated on enough items in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cli.metric_sets import with_ratings
from data.study import Study
from figures.leaderboard import verdict
from figures.leaderboard.latex import board_latex
from figures.leaderboard.rows import of_runs as board_of
from metrics.analysis.comparable_runs import unequal
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import of_results
from metrics.base import Metric
from metrics.bootstrap import LEAST
from metrics.engine import scoring
from metrics.registry import METRICS, resolve
from metrics.suite.ratings import RATINGS, ranking_ratings, rating_metrics
from tests.studies import study as random_study

BLEU, ROUGE = METRICS["bleu_4"], METRICS["rouge_l"]
SINGLE = random_study(items=24, references=2, candidates=1, runs=3, seed=5)


def rated(study: Study, *items: range) -> Study:
    """Rate run k about 3 - k by the criterion `total` on the items in the k-th of the ranges `items`, if there is
    one.
    """
    noise = np.random.default_rng(0).normal(0, 0.1, (len(study.runs), len(study.items)))
    of = [*items, *[range(0)] * (len(study.runs) - len(items))]
    runs = tuple(
        replace(run, human={study.items[i].id: {"total": 3 - k + noise[k, i]} for i in of[k]})
        for k, run in enumerate(study.runs)
    )
    return replace(study, runs=runs)


def ratings_of(study: Study) -> Metric:
    metric = ranking_ratings(study)
    assert metric is not None
    return metric


def test_ratings_rank_where_every_run_is_rated_on_enough_of_the_same_items() -> None:
    whole = rated(SINGLE, *[range(24)] * 3)
    assert first_to_rank(whole, (BLEU, ratings_of(whole))) == ratings_of(whole)
    assert first_to_rank(whole, (BLEU, ROUGE)) == first_to_rank(SINGLE, (BLEU, ROUGE)), "only where they are shown"
    apart = rated(SINGLE, range(12), range(12, 24), range(24))
    few, enough = (rated(SINGLE, range(n), range(24), range(24)) for n in (LEAST - 1, LEAST))
    assert ranking_ratings(rated(SINGLE, range(24), range(24))) is None, "a run is not rated"
    assert ranking_ratings(apart) is None, "no item is rated for all runs"
    assert ranking_ratings(few) is None
    assert ranking_ratings(enough) is not None
    partly = rating_metrics(few)["rated total"]
    assert first_to_rank(few, (BLEU, partly)) == BLEU


def test_the_board_has_them_first_with_their_means_and_says_so() -> None:
    study = rated(SINGLE, *[range(24)] * 3)
    metric = ratings_of(study)
    numbers = of_results(scoring.score(study, (BLEU, metric)), {})
    choice = LeaderboardChoice((BLEU, metric), first_to_rank(study, (BLEU, metric)), study.runs, None)
    board = board_of(of_runs(study, numbers, choice))
    assert [column.key for column in board.columns] == ["rated total", "bleu_4"]
    assert [row.name for row in board.rows] == [run.name for run in study.runs]
    for row, run in zip(board.rows, study.runs, strict=True):
        assert run.human is not None
        ratings = np.array([run.human[item.id]["total"] for item in study.items])
        cell, half = row.cell("rated total"), 1.96 * ratings.std() / np.sqrt(len(ratings))
        assert cell.value == pytest.approx(ratings.mean())
        assert (cell.low, cell.high) == pytest.approx((ratings.mean() - half, ratings.mean() + half), abs=half / 5)
    shown, _ = verdict.verdict(of_runs(study, numbers, choice))
    said = "".join(shown)
    assert said.startswith("run 0 is rated best by people (total), significantly ahead of both others.")
    assert list(board.frame().columns)[:4].count("Ratings (total)") == 1
    assert (choice.tested, board.p_label) == (None, ""), "p of BLEU-4 would stand beside the ranks by ratings"
    assert replace(choice, ranked=BLEU).tested == replace(choice, ranked=None).tested == BLEU
    text = board_latex(of_runs(study, numbers, choice), board)
    assert text.index("Ratings (total)") < text.index("BLEU-4")


def test_commands_take_them_beside_sets_and_by_name() -> None:
    study = rated(SINGLE, *[range(24)] * 3)
    assert with_ratings("fast", study) == "ratings,fast"
    assert with_ratings("bleu_4", study) == "bleu_4", "names are taken as they are"
    assert with_ratings("fast", SINGLE) == "fast"
    assert resolve(["bleu_4", RATINGS], study=study) == resolve(["rated total", "bleu_4"], study=study)
    assert [metric.name for metric in resolve(["bleu_4", RATINGS], study=study)] == ["rated total", "bleu_4"]
    assert "rated total" not in {metric.name for metric in resolve(["fast"], study=study)}
    assert resolve([RATINGS, "bleu_4"]) == resolve(["bleu_4"]), "a study is read later"
    with pytest.raises(ValueError, match="no two runs of this study have ratings by people"):
        resolve([RATINGS], study=SINGLE)


@pytest.mark.parametrize(("together", "compared"), [(False, True), (True, False)])
def test_runs_with_more_captions_are_compared_by_ratings_of_single_captions_alone(
    together: bool, compared: bool
) -> None:
    one, *others = SINGLE.runs
    twice = {item: (*texts, *texts) for item, texts in one.candidates.items()}
    more = replace(one, candidates=twice, human={item: {"total": 4 if together else [4, 3]} for item in twice})
    others = [replace(run, human={item: {"total": 2} for item in run.candidates}) for run in others]
    study = replace(SINGLE, runs=(more, *others))
    assert unequal(study, ratings_of(study), study.runs).keys() == (set() if compared else {one.name})

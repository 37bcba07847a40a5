"""Test that ties of many distances at their maximum are reported beside TRM, and that "no difference" is then not
claimed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.demo import load
from data.study import Study
from figures.leaderboard import words as leaderboard_words
from figures.leaderboard.rows import of_runs as board_of
from metrics.analysis import feasibility
from metrics.analysis.claims import SATURATED, compare_with_people
from metrics.analysis.feasibility import defaults, ranking_metric
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import Numbers
from metrics.analysis.triangles import triangle_view
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import from_arrays, to_arrays
from metrics.engine.tasks import Options
from metrics.mathematics.triangle import at_maximum
from metrics.registry import METRICS
from tests.studies import study as random_study

BLEU, ROUGE = METRICS["trm_bleu_4"], METRICS["trm_rouge_l"]
OPTIONS = Options(p_values=True, draws=999, resamples=100)


@pytest.fixture(scope="module")
def wrong() -> Study:
    """Make 24 scenes of the demo and two runs, each with three captions by people about other scenes."""
    demo = load()
    items = demo.items[:24]

    def of_others(step: int) -> dict[str, tuple[str, ...]]:
        return {
            item.id: tuple(items[(k + step + j) % 24].references[step] for j in range(1, 4))
            for k, item in enumerate(items)
        }

    runs = tuple(replace(run, candidates=of_others(step)) for step, run in enumerate(demo.runs[:2]))
    return Study("wrong captions", items, runs)


@pytest.fixture(scope="module")
def numbers(wrong: Study) -> Numbers:
    return Numbers(scoring.score(wrong, [BLEU, ROUGE], OPTIONS, Cache(None)))


def test_at_maximum_counts_pairs_with_nothing_in_common() -> None:
    far = np.array([[0.0, 1.0, 1.3], [1.0, 0.0, 0.5], [1.3, 0.5, 0.0]])
    assert at_maximum(far, 1.0) == pytest.approx(1 / 3)  # beyond the maximum, cosines are negative and do not tie


def test_a_result_has_the_mean_share_of_its_items(wrong: Study, numbers: Numbers) -> None:
    run = wrong.runs[0]
    for metric in (BLEU, ROUGE):
        views = [triangle_view(wrong, run.name, k, metric, Cache(None), OPTIONS) for k in range(4)]
        few = scoring.score(wrong.only([item.id for item in wrong.items[:4]]), [metric], Options(), Cache(None))
        assert few[run.name, metric.name].at_maximum == pytest.approx(np.mean([view.at_maximum for view in views]))
        found = numbers.results[run.name, metric.name]
        assert from_arrays(metric, to_arrays(found)).at_maximum == found.at_maximum


def test_wrong_captions_are_told_where_distances_do_not_saturate(wrong: Study, numbers: Numbers) -> None:
    """The threshold was set by this measurement: three wrong captions per scene, by distances with and without ties."""
    for run in wrong.runs:
        rouge, bleu = (numbers.results[run.name, metric.name] for metric in (ROUGE, BLEU))
        assert rouge.at_maximum < 0.2 < SATURATED < 0.8 < bleu.at_maximum
        assert rouge.p_value <= 0.05 < bleu.p_value
    told = compare_with_people([numbers.get(run, ROUGE) for run in wrong.runs])
    ties = compare_with_people([numbers.get(run, BLEU) for run in wrong.runs])
    assert (told.differ, told.undecided) == ((0, 1), ())
    # The other statistics of the joint test detect what tied triangles cannot.
    assert (ties.differ, ties.undecided) == ((0, 1), ())


def test_the_leaderboard_says_that_it_is_too_little_to_tell(wrong: Study) -> None:
    """Both runs have captions by other people: no difference is detected, and BLEU-4 distances could detect none."""
    items = tuple(replace(item, references=item.references[:4]) for item in wrong.items)
    said = [{item.id: item.references[k : k + 3] for item in wrong.items} for k in (4, 7)]
    study = replace(wrong, items=items, runs=tuple(replace(r, candidates=c) for r, c in zip(wrong.runs, said)))
    numbers = Numbers(scoring.score(study, [BLEU, ROUGE], OPTIONS, Cache(None)))
    choice = LeaderboardChoice((BLEU, ROUGE), BLEU, study.runs, None)
    board = board_of(of_runs(study, numbers, choice))
    verdict = "".join(map(str, leaderboard_words.verdict(of_runs(study, numbers, choice))))
    assert "oo many distances are at their maximum to judge both runs" in verdict
    assert "no difference from" not in verdict
    assert f"% of the distances of {board.rows[0].shown} are at their maximum, where triangles tie." in verdict
    assert "of its distances are at their maximum" in board.rows[0].cell(BLEU.name).note
    footer = leaderboard_words.footer(of_runs(study, numbers, choice), board)
    why = "Most distances are at their maximum, so finding no difference says little"
    assert f"{why}: TRM BLEU-4 (up to " in footer
    assert "TRM ROUGE-L (up to" not in footer


def test_ties_leave_an_image_no_small_p() -> None:
    study = random_study(items=1, references=3, candidates=3, runs=1)
    words = {"image 0": ("one two three four", "five six seven eight", "nine ten eleven twelve")}
    apart = replace(study, runs=(replace(study.runs[0], candidates=words),))
    view = triangle_view(apart, "run 0", 0, BLEU, Cache(None), OPTIONS)
    assert view.at_maximum >= SATURATED
    assert view.least_p > 0.05
    many = triangle_view(random_study(items=1, references=5, candidates=5), "run 0", 0, ROUGE, Cache(None), OPTIONS)
    assert many.test.floor <= many.least_p < 0.05


def test_an_upload_is_ranked_by_a_distance_that_does_not_saturate(monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study(items=10, runs=2)
    first = ranking_metric([METRICS[name] for name in defaults(study)])
    assert first is not None
    assert first.name == "trm_meteor"
    monkeypatch.setitem(feasibility.PATIENCE, "meteor", 0.0)
    without = ranking_metric([METRICS[name] for name in defaults(study)])
    assert without is not None
    assert without.name == "trm_rouge_l"

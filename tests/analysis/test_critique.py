"""Test the Critique page: words, misjudged captions, stored scores, and studies that are too small for training."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ttest_1samp, ttest_rel
from scipy.stats import t as t_of

from data.study import Item, Run, Settings, Study
from metrics.analysis import artifacts
from metrics.analysis.critique import machine_speed, mistakes, stored
from metrics.analysis.critique.critics import GAP, PEOPLE, PERFORMANCE, RUN, Critic, critics, halves_test
from metrics.analysis.critique.words import word_use
from metrics.cache.disk import Cache
from metrics.learned import critique as learned
from metrics.learned.critique_metric import Critique
from metrics.progress import Hooks
from tests.learned.small import small_networks
from tests.studies import study as random_study

DESIGN = stored.Design(Critique(context="none"))
STUDY = random_study(items=24, references=2, candidates=2, runs=2, seed=3)


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with small_networks():
        yield


@pytest.fixture(scope="module")
def cache() -> Cache:
    return Cache(None)


@pytest.fixture(scope="module")
def found(cache: Cache) -> list[Critic]:
    arrays = artifacts.critiques(STUDY, DESIGN, cache).compute(cache, Hooks())
    return stored.from_arrays(STUDY, DESIGN, arrays)


def spoken() -> Study:
    people = Item("a", ("The dog runs, the dog sleeps.", "A dog!", "dog dog the the the"))
    run = Run("r", "r", Settings(), {"a": ("a Cat and a dog", "cat cat cat cat.")})
    return Study("words", (people,), (run,))


def test_words_are_counted_without_case_and_marks_and_compared_as_scipy_does() -> None:
    use = word_use(spoken(), spoken().runs[0])
    assert use.words == ("dog", "the", "cat")
    assert use.people.tolist() == [5, 5, 0]
    assert use.run.tolist() == [1, 0, 5]
    assert use.totals == (13, 9)
    people, own = use.per_thousand()
    assert people.tolist() == pytest.approx([1000 * 5 / 13, 1000 * 5 / 13, 0])
    assert own.tolist() == pytest.approx([1000 / 9, 0, 1000 * 5 / 9])
    for k, gap in enumerate(use.surprise()):
        table = [[use.people[k], 13 - use.people[k]], [use.run[k], 9 - use.run[k]]]
        expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
        assert abs(gap) == pytest.approx(expected), use.words[k]
    assert (use.surprise() > 0).tolist() == [False, False, True]


def test_captions_on_the_wrong_side_are_the_extremes_of_either(found: list[Critic]) -> None:
    runs = mistakes.taken_for_people(STUDY, found, 5)
    scores = {(run.name, text) for run in STUDY.runs for texts in run.candidates.values() for text in texts}
    assert [one.score for one in runs] == sorted((one.score for one in runs), reverse=True)
    assert {(one.author, one.text) for one in runs} <= scores
    assert runs[0].score == max(np.concatenate([part for one in found for part in one.run_scores]))
    assert runs[0].text in STUDY.run(runs[0].author).candidates[STUDY.items[runs[0].item].id]
    people = mistakes.taken_for_a_machine(STUDY, found[0], 5)
    assert people[0].score == min(np.concatenate(found[0].people_scores))
    assert all(one.text in STUDY.items[one.item].references for one in people)
    assert len({one.text for one in people}) == 5


def test_the_gap_is_that_of_the_same_items(found: list[Critic]) -> None:
    for one in found:
        own = np.array([part.mean() for part in one.run_scores])
        people = np.array([part.mean() for part in one.people_scores])
        assert one.scores[GAP].value == pytest.approx((people - own).mean())
        assert one.scores[GAP].value == pytest.approx(one.scores[PEOPLE].value - one.scores[RUN].value)
        assert (one.scores[GAP].low > 0 or one.scores[GAP].high < 0) == (one.scores[GAP].p_value < 0.05)
        assert one.scores[GAP].low < one.scores[GAP].value < one.scores[GAP].high
        assert one.scores[PERFORMANCE].value == pytest.approx((1 + one.scores[GAP].value) / 2)
        t, half = ttest_rel(people, own).statistic / np.sqrt(2), len(people) / 2
        assert one.scores[GAP].p_value == pytest.approx(2 * t_of.sf(abs(t), half - 1))


def test_halves_that_judge_each_other_hold_the_level() -> None:
    """Each half is scored by what is learned from the other, so their scores depend on each other."""
    rng, of_items, of_halves = np.random.default_rng(0), 0, 0
    for _ in range(400):
        halves = rng.normal(size=(2, 20, 2))
        gaps = np.concatenate([halves[0] @ halves[1].mean(axis=0), halves[1] @ halves[0].mean(axis=0)])
        of_items += ttest_1samp(gaps, 0).pvalue <= 0.05
        of_halves += halves_test(gaps)[0] <= 0.05
    assert of_items / 400 > 0.09
    assert of_halves / 400 <= 0.05 + 3.2 * np.sqrt(0.05 * 0.95 / 400)
    reach = halves_test(gaps)[1]
    assert halves_test(gaps - gaps.mean() + reach)[0] == pytest.approx(0.05), "an interval that ends at 0 has p = .05"


def test_what_is_stored_are_the_critics_that_are_trained(cache: Cache, found: list[Critic]) -> None:
    again = critics(STUDY, DESIGN.metric, cache, Hooks())
    for one, other in zip(found, again, strict=True):
        for name, score in one.scores.items():
            assert score == pytest.approx(other.scores[name], nan_ok=True), name
    assert stored.trained_runs(STUDY, DESIGN, cache.has) == [run.name for run in STUDY.runs]
    assert not stored.trained_runs(STUDY, replace(DESIGN, metric=Critique()), cache.has)
    assert not stored.trained_runs(STUDY, replace(DESIGN, one_for_all=True), cache.has)


def test_runs_trained_first_are_shown_and_not_trained_again(tmp_path: Path) -> None:
    study, cache = random_study(items=24, references=2, candidates=1, runs=3), Cache(tmp_path)
    design, first = stored.Design(Critique(context="none", combination="linear")), ["run 0", "run 2"]
    assert not artifacts.trained_critiques(study, design, cache)
    artifacts.critiques(study.only(runs=first), design, cache).compute(cache, Hooks())
    assert [one.run for one in artifacts.trained_critiques(study, design, cache)] == first
    shares: list[float] = []
    done: set[str] = set()
    hooks = Hooks(lambda text: done.add(text.partition(",")[0]), share=shares.append)
    artifacts.critiques(study, design, cache).compute(cache, hooks)
    assert done == {"run 1"}
    assert shares[0] <= 0.5, "what was trained before is no part of this work"
    assert [one.run for one in artifacts.trained_critiques(study, design, cache)] == [run.name for run in study.runs]


def test_arrays_of_another_study_or_out_of_bounds_are_refused(cache: Cache, found: list[Critic]) -> None:
    work = artifacts.critiques(STUDY, DESIGN, cache)
    arrays = work.stored(cache)
    assert arrays is not None
    for name in arrays:
        for wrong in (np.inf, -1, 1e300):
            if name[0].isdigit():
                assert not work.fits({**arrays, name: np.full(arrays[name].shape, wrong)}), (name, wrong)
    assert not artifacts.critiques(random_study(items=23, references=2, runs=2), DESIGN, cache).fits(arrays)


def test_what_is_too_small_is_said_before_any_training() -> None:
    small = random_study(items=19, references=2, runs=2)
    why = stored.lacking(small, DESIGN)
    assert why is not None
    assert "learns from at least 10 items of each half" in why
    assert stored.lacking(STUDY, DESIGN) is None
    assert stored.seconds(STUDY, DESIGN) > stored.seconds(STUDY, replace(DESIGN, one_for_all=True)) > 1
    assert stored.seconds(STUDY, DESIGN, 3.0) == pytest.approx(3 * stored.seconds(STUDY, DESIGN))


@pytest.mark.parametrize(
    ("negatives", "one_for_all", "expected"), [("all", False, 3), ("all", True, 1), ("random_captions", False, 1)]
)
def test_as_many_critiques_are_trained_as_the_estimate_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, negatives: Any, one_for_all: bool, expected: int
) -> None:
    study = random_study(items=24, references=2, candidates=1, runs=3)
    metric = Critique(context="none", combination="linear", negatives=negatives, repeats=2)
    real, trainings = learned.train, []
    monkeypatch.setattr(learned, "train", lambda *given: trainings.append(given) or real(*given))
    design = stored.Design(metric, one_for_all)
    assert stored.critiques(study, design) == expected
    work = artifacts.critiques(study, design, Cache(tmp_path))
    work.compute(Cache(tmp_path), Hooks())
    assert len(trainings) == 4 * expected
    one = stored.Design(replace(metric, repeats=1), one_for_all)
    each = stored.seconds(study, design) - stored.seconds(study, one)
    assert each == pytest.approx(2 * expected * stored.EPOCHS * 48 / 20_000 / machine_speed.CORES)


def test_runs_with_captions_of_other_items_are_judged_by_other_critiques() -> None:
    study = random_study(items=24, references=2, candidates=1, runs=3)
    cut = {**study.runs[2].candidates, study.items[0].id: ()}
    runs = (*study.runs[:2], replace(study.runs[2], candidates=cut))
    alone = stored.Design(Critique(negatives="random_captions"))
    assert stored.critiques(replace(study, runs=runs), alone) == 2


def test_a_machine_whose_cores_wait_is_said_to_be_as_much_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    real = np.matmul

    def waiting(*given: Any) -> Any:
        time.sleep(10 * machine_speed.SECONDS_EACH)
        return real(*given)

    monkeypatch.setattr(machine_speed.np, "matmul", waiting)
    assert 10 < machine_speed.slowdown(0.05) <= machine_speed.MOST
    monkeypatch.setattr(machine_speed.np, "matmul", lambda *given: None)
    assert machine_speed.slowdown(0.01) == 0.25

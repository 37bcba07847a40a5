"""Test claims about runs and people: corrections, when there is too little data, and both tails of a score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from data.study import Item, Run, Settings, Study
from figures.notes.people import compare_with_people as sentence
from metrics.analysis import claims
from metrics.analysis.numbers import of_results
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study
from tools.demo.captions import render, scene_grammar
from tools.demo.grammar import sample
from tools.demo.models import distribution
from tools.demo.world import scenes

TRM, CIDER = METRICS["trm_bow"], METRICS["cider_d"]
MANY = 21


def of(p: float, metric: Metric = TRM, floor: float = 1e-4, lower: float | None = None, captions: int = 1) -> Result:
    units = np.repeat(np.arange(9), captions)
    return Result(metric, 9, 0.5, unit_item=units, p_two_sided=p, p_value=p if lower is None else lower, p_floor=floor)


def said(results: list[Result], names: list[str] | None = None) -> str:
    names = names or [f"run {k}" for k in range(len(results))]
    return sentence(results[0].metric, names, claims.compare_with_people(results), "by this metric")


def test_a_p_that_is_small_alone_is_not_small_among_all_runs_of_the_sentence() -> None:
    """One of 21 runs has p = .037, and 19 of the others differ; after correction, the run with .037 does not differ."""
    alone = claims.compare_with_people([of(0.037)])
    assert (alone.differ, alone.alike) == ((0,), ())
    assert said([of(0.0304)]).endswith("(permutation test, p = 0.030).")
    assert said([of(0.01), of(0.0304)]).endswith("(permutation test, corrected for 2 runs, p ≤ 0.031).")
    found = claims.compare_with_people([of(0.037), of(0.2), *[of(1e-4)] * (MANY - 2)])
    assert found.p[0] == pytest.approx(0.074)
    assert (found.alike, len(found.differ)) == ((0, 1), MANY - 2)
    assert found.tests == MANY


def test_runs_without_a_p_are_no_members() -> None:
    found = claims.compare_with_people([of(0.03), None, replace(of(0.5), p_two_sided=np.nan)])
    assert (found.differ, found.tests) == ((0,), 1)


def test_a_score_above_people_and_one_below_are_told_apart() -> None:
    results = [of(2e-4, CIDER, lower=1.0), of(2e-4, CIDER, lower=1e-4), of(0.4, CIDER, lower=0.2)]
    found = claims.compare_with_people(results)
    assert (found.above, found.differ, found.alike) == ((0,), (1,), (2,))
    assert said(results, ["VinVL", "b", "c"]) == (
        "VinVL scores higher by this metric than people's own captions do, as captions near the middle of "
        "what people say would; b scores lower than they do; no difference from people is "
        "detected for c (two-sided permutation test, corrected for 3 runs; p ≤ 0.05 where a difference is detected)."
    )
    assert said(results[:1], ["VinVL"]).startswith("It scores higher by this metric")
    sets = [replace(result, unit_item=np.repeat(np.arange(9), 5)) for result in results]
    assert said(sets).startswith(
        "run 0 scores higher by this metric than its captions mixed with people's do, as captions near the middle of"
    )
    assert "run 1 differs from people; swapping sets of captions shows too little to judge run 2" in said(sets)
    assert "lower" not in said(sets), "relabelled sets hold the run's own captions on both sides"


@pytest.mark.parametrize("references", [1, 2])
def test_one_reference_each_is_named_as_the_cause_with_the_remedy(references: int) -> None:
    """With one reference each, the sentence "Swapping sets of captions shows too little" would name neither cause nor
    remedy.
    """
    study = random_study(items=8, references=references, candidates=3, runs=2)
    numbers = of_results(scoring.score(study, (CIDER,), Options(p_values=True, draws=99)), {})
    found = numbers.against_people(study, CIDER, study.runs)
    assert found.one_reference == (references == 1)
    why = "One reference each is too few to judge both runs: add a second ("
    said = sentence(CIDER, ["a", "b"], replace(found, mixed=(0, 1), undecided=(0, 1), alike=(), differ=()), "")
    assert said.startswith(
        why if references == 1 else "Swapping sets of captions shows too little to judge both runs ("
    )


def test_too_little_to_tell_is_not_alike() -> None:
    """If p cannot be below .05, two corrected tests can never reject, so not rejecting says nothing about people."""
    assert claims.compare_with_people([of(0.4, floor=0.05)] * 2).undecided == (0, 1)
    assert said([of(0.4, floor=0.05)] * 2).startswith("There is too little data to judge both runs (")
    mixed = said([of(1e-4), of(1e-4), of(0.4, floor=0.06)], ["A", "B", "C"])
    assert "; there is too little data to judge C (" in mixed
    lone = said([of(0.4, floor=0.06)])
    assert lone.startswith("There is too little data to compare it with people (")
    assert "no difference" not in said([of(0.4, floor=0.05)] * 2)
    assert claims.compare_with_people([of(0.4, floor=0.02)] * 2).alike == (0, 1)
    assert said([of(0.4, floor=0.02)] * 2).startswith(
        "No difference from people by this metric is detected for any run (perm"
    )
    # A score has two tails: its smallest p is twice the floor of one tail.
    assert claims.compare_with_people([of(0.4, CIDER, floor=0.02)] * 2).undecided == (0, 1)


def scored(items: list[float], p: float = 0.4, metric: Metric = CIDER, captions: int = 5) -> Result:
    return replace(of(p, metric, lower=p / 2, captions=captions), items=np.array(items))


def test_a_score_unlike_that_of_people_is_not_called_like_people() -> None:
    """If varied captions are mixed with people's, both sides score lower, so relabelling may miss that the values
    differ.
    """
    people = scored([0.9, 1.0, 1.1, 0.8, 0.9, 1.0, 1.2, 0.9, 1.0])
    below, near = (
        scored(list(people.items - np.linspace(0.1, 0.2, 9))),
        scored(list(people.items + [0.1, -0.1, 0.0] * 3)),
    )
    found = claims.compare_with_people([below, near], people)
    assert (found.other_score, found.alike, found.by_score) == ((0,), (1,), True)
    sentence_of = sentence(CIDER, ["a", "b"], found, "by this metric")
    assert sentence_of == (
        "a scores differently from people's own captions by this metric; no difference from people is detected for b "
        "(two-sided permutation test and paired t-test of scores, corrected for 2 runs; p ≤ 0.05 where a difference is "
        "detected)."
    )
    both = claims.compare_with_people([scored(list(people.items - 0.2))], people)
    assert both.other_score == (0,), "every item differs by the same amount"
    assert claims.compare_with_people([scored(list(people.items))], people).alike == (0,)


def test_gaps_of_several_runs_are_corrected_together() -> None:
    gaps = np.array([0.1, 0.2, 0.3, -0.1, 0.25, 0.05, 0.2, -0.05, 0.1])
    people = scored([1.0] * 9)
    p = ttest_1samp(gaps, 0).pvalue
    assert 0.005 < p < 0.05
    run = scored(list(1 - gaps))
    assert claims.compare_with_people([run], people).other_score == (0,)
    assert claims.compare_with_people([run] * 2, people).alike == (0, 1), "0.0316 twice: 0.0248 with divisor n"


def test_the_best_of_more_references_is_no_score_above_people() -> None:
    """People's captions are scored against one reference fewer, so a higher score by the best reference is no
    evidence.
    """
    rouge = METRICS["rouge_l"]
    people = scored([0.5, 0.6, 0.4, 0.5, 0.5, 0.6, 0.7, 0.4, 0.5], metric=rouge)
    above, below = (scored(list(people.items + gap), metric=rouge) for gap in (0.3, -0.3))
    found = claims.compare_with_people([above, below], people)
    assert (found.undecided, found.mixed, found.other_score, found.alike) == ((0,), (0,), (1,), ())
    single = scored(list(people.items + 0.3), metric=rouge, captions=1)
    assert claims.compare_with_people([single], people).alike == (0,), "one caption is compared with people's own"


def test_names_keep_their_letters() -> None:
    assert said([of(1e-4), of(0.5)], ["small", "b"]).startswith("small differs from people")


def test_captions_from_the_middle_of_what_people_say_score_above_people() -> None:
    """Oracle at T = 0.3, with one caption per scene, has a higher CIDEr-D than people, so the p of the lower tail is
    1.
    """
    chosen = scenes()[:24]
    grammars = [scene_grammar(scene) for scene in chosen]
    rng = np.random.default_rng(0)

    def write(temperature: float, count: int) -> list[tuple[str, ...]]:
        how = distribution("Oracle", temperature)
        return [tuple(render(sample(grammar.root, how, rng)) for _ in range(count)) for grammar in grammars]

    items = tuple(Item(str(k), texts) for k, texts in enumerate(write(1.0, 6)))
    runs = tuple(
        Run(name, name, Settings(), {str(k): texts for k, texts in enumerate(write(temperature, 1))})
        for name, temperature in (("cold", 0.3), ("people again", 1.0))
    )
    found = scoring.score(Study("demo", items, runs), [CIDER], Options(p_values=True, draws=999), Cache(None))
    results = [found[run.name, "cider_d"] for run in runs]
    assert results[0].p_value > 0.95, "a test of one side alone calls it like people"
    standing = claims.compare_with_people(results)
    assert (standing.above, standing.alike) == ((0,), (1,))

"""Test which metrics can be compared with people's ratings, and the sign of their agreement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from data.study import Study
from figures.judgments.words import verdict
from figures.style.numbers import num
from metrics.analysis.judgments.caption_agreement import Design, measure
from metrics.analysis.judgments.points import criteria, points, rated_unit, suited
from metrics.engine import scoring
from metrics.registry import METRICS, resolve
from tests.studies import study as random_study


def rated(references: bool) -> Study:
    """Make captions, with or without `references`, that people rate lower the longer they are, except for every
    fifth.
    """
    study = random_study(items=30, references=2, candidates=1, runs=1, seed=3)
    items = study.items if references else tuple(replace(item, references=()) for item in study.items)
    (run,) = study.runs
    words = {name: len(texts[0].split()) for name, texts in run.candidates.items()}
    ratings = {name: n if k % 5 == 0 else -n for k, (name, n) in enumerate(words.items())}
    return replace(study, items=items, runs=(replace(run, human=ratings),))


def test_captions_without_references_are_compared_by_any_metric_of_a_caption() -> None:
    chosen = resolve(("bleu_1", "caption_length", "distinct_1"))
    named = {whole: [m.name for m in suited(rated(whole), "rating", chosen)] for whole in (True, False)}
    assert named == {True: ["bleu_1"], False: ["bleu_1", "caption_length"]}


def test_no_metric_agrees_where_the_best_is_against_people() -> None:
    study, metrics = rated(references=False), [METRICS["caption_length"]]
    assert list(criteria(study)) == ["rating"]
    found = measure(study, scoring.score(study, metrics), metrics, Design("rating", resamples=200))
    at = points(study, "rating")
    rho = stats.spearmanr(np.abs(at.value), at.value).statistic
    assert found.of(0, "spearman").value == pytest.approx(rho)
    assert found.of(0, "spearman").high < 0
    said = "".join(map(str, verdict(found, metrics, found.ranking("spearman"), "spearman")))
    assert said == f"No chosen metric agrees with people: Caption length comes nearest ({num(rho)})."


def test_a_metric_of_which_less_is_better_is_turned_round() -> None:
    study = random_study(items=12, references=3, candidates=3, runs=2, seed=1)
    mmd = METRICS["mmd_bow"]
    results = scoring.score(study, [mmd])
    runs = tuple(
        replace(run, human={i.id: {"close": -v} for i, v in zip(study.items, results[run.name, "mmd_bow"].items)})
        for run in study.runs
    )
    of_sets = replace(study, runs=runs)
    assert not mmd.higher_is_better
    assert rated_unit(of_sets, "close") == "set"
    assert rated_unit(rated(references=True), "rating") == "caption"
    found = measure(of_sets, results, [mmd], Design("close", resamples=100))
    assert found.of(0, "spearman").value == pytest.approx(1)
    assert found.inside(0, "pair_accuracy").value == 1

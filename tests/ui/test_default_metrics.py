"""Test that every page opens with metrics that have a value for this kind of study."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from data.study import Study
from metrics.analysis import defaults
from metrics.analysis.feasibility import defaults as first_metrics
from metrics.analysis.feasibility import is_pool, why_impossible
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import AppTest, chosen, page
from ui.rooms import ENTRIES

PAGES = [entry.file for entry in ENTRIES]
pytestmark = pytest.mark.usefixtures("quick_encoder")


def without_references(study: Study) -> Study:
    return replace(study, items=tuple(replace(item, references=()) for item in study.items))


@cache
def shapes() -> dict[str, Study]:
    sets, single = random_study(items=12, runs=3), random_study(items=12, candidates=1, runs=3)
    lone = random_study(items=12, candidates=1, runs=1, seed=2).runs[0]
    return {
        "sets": sets,
        "one caption a run": single,
        "one caption, one run": random_study(items=12, candidates=1, runs=1),
        "sets and single captions": replace(sets, runs=(*sets.runs, replace(lone, name="lone"))),
        "mostly single captions": replace(single, runs=(*single.runs, replace(sets.runs[0], name="a set"))),
        "sets, one reference": random_study(items=12, references=1, runs=3),
        "one caption, one reference": random_study(items=12, references=1, candidates=1, runs=3),
        "sets without references": without_references(sets),
        "one caption without references": without_references(single),
        "references alone": replace(sets, runs=()),
        "one item, few texts": random_study(items=1, runs=2),
        "one item, many texts": random_study(items=1, references=210, candidates=205, runs=2),
    }


def begun_with(at: AppTest) -> dict[str, list[str]]:
    found = {name: [values] if isinstance(values, str) else values for name, values in chosen(at).items()}
    return {name: [value for value in values if value in METRICS] for name, values in found.items()}


ORDERS = {"images": {"order": "disagreement"}}
"""Choices that make a page show further choices."""


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("shape", list(shapes()))
def test_a_page_begins_with_metrics_that_have_a_value(shape: str, name: str) -> None:
    study = shapes()[shape]
    at = page(name, study, **ORDERS.get(name, {}))
    assert not at.exception
    for choice, metrics in begun_with(at).items():
        for metric in metrics:
            assert why_impossible(study, METRICS[metric]) is None, f"{name}: {choice}"


@pytest.mark.parametrize("shape", list(shapes()))
def test_metrics_of_a_study_can_be_computed_and_there_are_some(shape: str) -> None:
    study = shapes()[shape]
    names = first_metrics(study)
    assert len(names) >= (5 if study.runs else 0)
    assert [name for name in names if why_impossible(study, METRICS[name]) is not None] == []
    assert [one for one in defaults.default_singles(study) if why_impossible(study, METRICS[one]) is not None] == []


def test_one_item_with_many_texts_begins_with_metrics_of_the_whole_corpus() -> None:
    study = shapes()["one item, many texts"]
    assert is_pool(study)
    names = first_metrics(study)
    assert {"corpus_bleu_4", "corpus_ms_jaccard_4", "corpus_frechet_bert", "corpus_self_bleu_4"} < set(names)
    assert not [name for name in names if METRICS[name].of_items and name != "caption_length"]
    quality, diversity = ([m for m in METRICS.values() if m.family == of] for of in ("quality", "diversity"))
    pair = METRICS["corpus_bleu_2"], METRICS["corpus_self_bleu_4"]
    assert defaults.default_pair(study, quality, diversity) == pair, "as on the Leaderboard"
    assert defaults.default_singles(study) == ["corpus_ms_jaccard_4", "corpus_frechet_bert"]


def test_metrics_that_a_corpus_is_too_large_or_too_small_for_are_not_offered() -> None:
    large = random_study(items=1, references=1_001, candidates=1_000, runs=1)
    for study, names in (
        (large, ("trm_bow", "mmd_bow", "self_cider", "cider_d")),
        (random_study(items=1), ("cider_d",)),
    ):
        for name in names:
            found = scoring.score(study, [METRICS[name]], Options(p_values=False), Cache(None))
            assert all(np.isnan(result.corpus) for result in found.values())
            assert why_impossible(study, METRICS[name])
    assert why_impossible(random_study(items=1, references=1_000, candidates=1_000, runs=1), METRICS["trm_bow"]) is None
    assert why_impossible(random_study(items=2), METRICS["cider_d"]) is None

"""Test metrics of whole runs on damaged sets: values scored separately, laws of blind metrics, and intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Captions, Item, Run, Settings, Study
from metrics.analysis.robustness import curves, damaged_runs, measure, tables
from metrics.analysis.robustness.damaged_sets import BETWEEN, held_out_sets
from metrics.analysis.robustness.design import Design
from metrics.analysis.robustness.measure import Measured
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS
from tests.analysis.robustness.test_damaged_sets import STUDY

ONE_NUMBER, SUMS = ("vocabulary", "zipf", "corpus_ms_jaccard_2"), ("corpus_bleu_2", "corpus_self_bleu_2")
CHOSEN = tuple(METRICS[name] for name in (*ONE_NUMBER, *SUMS, "distinct_1"))
FAULTS = tuple(TRANSFORMATIONS[name] for name in ("word_permutation", "random_words", "photo_prefix"))
DESIGN = Design(FAULTS, (0.3, 1.0), seed=3, sets=True)


@pytest.fixture(scope="module")
def found() -> Measured:
    arrays = measure.measure(STUDY, DESIGN, CHOSEN, Cache(None), Hooks())
    assert measure.fits(STUDY, DESIGN, CHOSEN, arrays)
    wrong = {**arrays, "totals|vocabulary": arrays["totals|distinct_1"]}
    assert not measure.fits(STUDY, DESIGN, CHOSEN, wrong)
    assert not measure.fits(STUDY, DESIGN, CHOSEN, {**arrays, "totals|zipf": arrays["totals|zipf"] * np.inf})
    return measure.from_arrays(DESIGN, CHOSEN, arrays)


def scored(name: str, texts: list[Captions]) -> float:
    items = tuple(Item(str(k), one.item.references) for k, one in enumerate(held_out_sets(STUDY, DESIGN)))
    said = {item.id: captions for item, captions in zip(items, texts, strict=True)}
    study = Study("alone", items, (Run("r", "r", Settings(), said),))
    return scoring.score(study, [METRICS[name]])["r", name].corpus


def column(found: Measured, k: int) -> list[Captions]:
    return [tuple(row[k].split(BETWEEN)) for row in found.texts]


def random_words(found: Measured) -> list[Captions]:
    study = damaged_runs.runs_study(STUDY, DESIGN, held_out_sets(STUDY, DESIGN), found.texts)
    return list(study.runs[damaged_runs.RANDOM].candidates.values())


@pytest.mark.parametrize("name", ["corpus_ms_jaccard_2", "corpus_bleu_2"])
def test_zero_is_random_words_where_references_are_compared_with(found: Measured, name: str) -> None:
    start = DESIGN.columns(FAULTS[2]).start
    untouched, some, every = (scored(name, column(found, k)) for k in (0, start, start + 1))
    unlike = scored(name, random_words(found))
    expected = [1, *((value - unlike) / (untouched - unlike) for value in (some, every))]
    curve = curves.curve(found, FAULTS[2], METRICS[name])
    assert curve.kept == pytest.approx(expected)
    assert curve.area.value == pytest.approx(np.trapezoid(expected, [0, 0.3, 1]))
    assert expected[2] < expected[1] < 1
    assert curve.n == len(held_out_sets(STUDY, DESIGN))
    assert curves.run_values(found, METRICS[name], start + 1) == pytest.approx((untouched, every, expected[2]))


def test_random_words_are_as_many_and_keep_about_nothing(found: Measured) -> None:
    drawn = random_words(found)
    assert [[len(caption.split()) for caption in captions] for captions in drawn] == [
        [len(caption.split()) for caption in captions] for captions in column(found, 0)
    ]
    last = DESIGN.columns(FAULTS[1]).stop - 1
    assert drawn != column(found, last)
    for name in ("corpus_ms_jaccard_2", "corpus_bleu_2"):
        assert abs(curves.curve(found, FAULTS[1], METRICS[name]).kept[-1]) < 0.25


@pytest.mark.parametrize("name", ["vocabulary", "zipf", "corpus_self_bleu_2"])
def test_of_variety_a_gain_and_a_loss_both_count(found: Measured, name: str) -> None:
    start = DESIGN.columns(FAULTS[1]).start
    untouched, some, every = (scored(name, column(found, k)) for k in (0, start, start + 1))
    expected = [1, *(1 - abs(value - untouched) / abs(untouched) for value in (some, every))]
    assert curves.curve(found, FAULTS[1], METRICS[name]).kept == pytest.approx(expected)


def test_who_counts_words_does_not_see_their_order(found: Measured) -> None:
    for name in ("vocabulary", "zipf", "distinct_1"):
        assert curves.curve(found, FAULTS[0], METRICS[name]).kept.tolist() == [1, 1, 1]
    assert curves.curve(found, FAULTS[0], METRICS["corpus_self_bleu_2"]).kept[-1] < 0.99


def test_one_number_has_no_interval_and_a_sum_over_items_has_one(found: Measured) -> None:
    for name in ONE_NUMBER:
        assert np.isnan(curves.curve(found, FAULTS[2], METRICS[name]).area[1:]).all()
    for name in SUMS:
        area = curves.curve(found, FAULTS[2], METRICS[name]).area
        assert area.low < area.value < area.high
    rows = tables.as_table([curves.curve(found, FAULTS[2], metric) for metric in CHOSEN])
    assert rows.groupby("metric")["of"].first().to_dict() == {
        **dict.fromkeys((*ONE_NUMBER, *SUMS), "runs"), "distinct_1": "sets",
    }  # fmt: skip


def test_what_a_run_is_too_small_for_is_said() -> None:
    metric, design = METRICS["corpus_frechet_bert"], replace(DESIGN, transformations=FAULTS[:1])
    arrays = measure.measure(STUDY, design, (metric,), Cache(None), Hooks())
    curve = curves.curve(measure.from_arrays(design, (metric,), arrays), FAULTS[0], metric)
    assert "needs 50 captions of the run, has 42" in curve.reason
    assert np.isnan(curve.kept).all()
    assert measure.fits(STUDY, design, (metric,), arrays)

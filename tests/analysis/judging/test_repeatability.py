"""Test repeatability: the intraclass correlation and its jackknife against analyses of variance, and constant
answers.
"""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy.stats import f_oneway, t

from metrics.analysis.judging.repeatability import repeatability
from metrics.mathematics.arrays import Floats, Integers


def answers(items: int = 9, captions: int = 3, repeats: int = 3, seed: int = 0) -> tuple[Floats, Integers, Integers]:
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(items, captions, 1)) + rng.normal(size=(items, 1, 1))
    score = np.round(2 * (own + rng.normal(size=(items, captions, repeats)))) / 2
    question = np.repeat(np.arange(items * captions), repeats)
    return score.ravel(), question, np.repeat(np.arange(items), captions * repeats)


def slow(score: Floats, question: Integers) -> tuple[float, float, float]:
    """Return the intraclass correlation, F and k of a one-way analysis of variance with scipy."""
    groups = [score[question == q] for q in np.unique(question) if (question == q).sum() > 1]
    sizes = np.array([len(group) for group in groups])
    k = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(sizes) - 1)
    f = float(f_oneway(*groups).statistic)
    return (f - 1) / (f + k - 1), f, float(k)


@pytest.mark.parametrize("lacking", [0, 11])
def test_it_is_that_of_an_analysis_of_variance(lacking: int) -> None:
    score, question, unit = answers()
    keep = np.random.default_rng(1).permutation(len(score))[lacking:]
    score, question, unit = score[keep], question[keep], unit[keep]
    found = repeatability(score, question, unit)
    value, f, k = slow(score, question)
    assert found.icc.value == pytest.approx(value)
    without = np.log([slow(score[unit != u], question[unit != u])[1] for u in np.unique(unit)])
    half = t.ppf(0.975, 8) * np.sqrt(8 / 9 * ((without - without.mean()) ** 2).sum())
    ends = np.exp([np.log(f) - half, np.log(f) + half])
    assert [found.icc.low, found.icc.high] == pytest.approx((ends - 1) / (ends + k - 1))


def test_the_error_of_an_answer_is_the_deviation_within_questions() -> None:
    score, question, unit = answers()
    found = repeatability(score, question, unit)
    groups = [score[question == q] for q in range(27)]
    assert found.error == pytest.approx(np.sqrt(np.mean([group.var(ddof=1) for group in groups])))
    assert found.repeated == 27
    assert found.changed == sum(len(set(group)) > 1 for group in groups)


def test_neither_scale_nor_order_of_answers_matters() -> None:
    score, question, unit = answers()
    order = np.random.default_rng(2).permutation(len(score))
    moved = repeatability(1000 + 20 * score[order], question[order] * 7 + 3, unit[order])
    assert moved.icc[:3] == pytest.approx(repeatability(score, question, unit).icc[:3])


def test_questions_asked_once_say_nothing() -> None:
    score, question, unit = answers()
    more = repeatability(
        np.append(score, 100.0), np.append(question, question.max() + 1), np.append(unit, unit.max() + 1)
    )
    assert more == repeatability(score, question, unit)
    assert repeatability(np.arange(4.0), np.arange(4), np.arange(4)).repeated == 0


def test_answers_that_never_change_are_all_captions() -> None:
    question, unit = np.repeat(np.arange(20), 2), np.repeat(np.arange(10), 4)
    steady = repeatability(np.repeat(np.arange(20) / 7 + 0.1, 2), question, unit)
    assert steady.icc.value == 1.0
    assert isnan(steady.icc.low)
    assert (steady.error, steady.changed) == (0.0, 0)
    same = repeatability(np.full(40, 0.3), question, unit)
    assert isnan(same.icc.value)


def test_one_item_that_changes_makes_no_interval() -> None:
    score = np.repeat(np.arange(20.0), 2)
    score[0] += 1
    found = repeatability(score, np.repeat(np.arange(20), 2), np.repeat(np.arange(10), 4))
    assert 0.99 < found.icc.value < 1
    assert isnan(found.icc.low)
    assert (found.changed, found.changed_items) == (1, 1)

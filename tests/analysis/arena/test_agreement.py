"""Test the agreement of metrics with votes on the order of runs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from metrics.analysis.arena.agreement import agreements
from metrics.analysis.numbers import Numbers
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.studies import study as random_study

STUDY = random_study(items=8, references=3, candidates=2, runs=5, seed=3)
NAMES = [run.name for run in STUDY.runs]
CHOSEN = [METRICS[name] for name in ("bleu_1", "rouge_l", "trm_bow", "self_bleu_2")]


def tau(one: np.ndarray, other: np.ndarray) -> float:
    pairs = [(i, j) for i in range(len(one)) for j in range(i)]
    return float(np.mean([np.sign(one[i] - one[j]) * np.sign(other[i] - other[j]) for i, j in pairs]))


def test_tau_and_p_are_those_of_all_orders() -> None:
    results = scoring.score(STUDY, CHOSEN)
    strengths = np.array([0.5, -0.2, 0.9, 0.1, -1.3])
    found = agreements(NAMES, strengths, Numbers(results), CHOSEN)
    assert {one.metric.higher_is_better for one in found} == {True, False}
    for one in found:
        values = np.array([results[name, one.metric.name].corpus for name in NAMES])
        values = values if one.metric.higher_is_better else -values
        assert one.tau == pytest.approx(tau(values, strengths))
        null = np.array([tau(values, np.array(order)) for order in permutations(strengths)])
        assert one.p_value == pytest.approx((np.abs(null) >= abs(one.tau) - 1e-9).mean())
        assert one.adjusted >= one.p_value
    assert [one.tau for one in found] == sorted((one.tau for one in found), reverse=True)


def test_metrics_without_values_or_without_a_better_side_are_left_out() -> None:
    results = scoring.score(STUDY, CHOSEN)
    two = {key: one for key, one in results.items() if key[0] in NAMES[:2]}
    assert agreements(NAMES, np.arange(5.0), Numbers(two), CHOSEN) == []
    assert {one.metric.has_better_side for one in agreements(NAMES, np.arange(5.0), Numbers(results), CHOSEN)} == {True}

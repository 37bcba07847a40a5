"""Test whether one more correct caption makes a score significantly worse, against t tests of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from metrics.analysis.unique_correct.experiment import cells
from metrics.analysis.unique_correct.steps import ever_worse

PAIRS = cells(2)
"""The cells are (0, 1), (0, 2), (1, 2), (2, 1) and (2, 2); there are two steps among sets of two different captions."""


def values(gap: float, items: int = 30, seed: int = 0) -> np.ndarray:
    """Draw (items, 2, cells) values that rise by 1 with the first correct caption, and by `gap` with the second."""
    rng = np.random.default_rng(seed)
    means = np.array([{0: 0.0, 1: 1.0, 2: 1.0 + gap}[m] for m, _ in PAIRS.tolist()])
    return means + rng.normal(scale=0.2, size=(items, 2, len(PAIRS)))


@pytest.mark.parametrize(("gap", "worse"), [(0.5, False), (0.0, False), (-0.5, True)])
def test_a_step_down_is_found_and_the_side_is_that_of_the_metric(gap: float, worse: bool) -> None:
    assert ever_worse(values(gap), PAIRS, higher_is_better=True) == worse
    assert ever_worse(-values(gap), PAIRS, higher_is_better=False) == worse


def test_it_is_the_corrected_t_test_of_the_items() -> None:
    one, two, three = ([list(p) for p in PAIRS.tolist()].index(pair) for pair in ([0, 2], [1, 2], [2, 2]))
    found = []
    for seed in range(40):
        of = values(-0.06, seed=seed)
        mean = of.mean(axis=1)
        tests = [ttest_rel(mean[:, b], mean[:, a]) for a, b in ((one, two), (two, three))]
        p = sorted(test.pvalue for test in tests)
        sure = tests[1].pvalue <= (0.025 if tests[1].pvalue == p[0] else 0.05)
        assert ever_worse(of, PAIRS, higher_is_better=True) == (sure and tests[1].statistic < 0)
        found.append(bool(sure))
    assert 0 < sum(found) < 40


def test_equal_values_and_a_single_item_show_nothing() -> None:
    assert not ever_worse(np.ones((5, 2, len(PAIRS))), PAIRS, higher_is_better=True)
    assert not ever_worse(values(-5.0, items=1), PAIRS, higher_is_better=True)

"""Test Holm's correction against the step-down procedure that defines it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.permutation.pvalues import holm


def rejected_at(p: list[float], alpha: float) -> list[bool]:
    out = [False] * len(p)
    for step, k in enumerate(sorted(range(len(p)), key=lambda k: p[k])):
        if p[k] > alpha / (len(p) - step):
            break
        out[k] = True
    return out


@given(st.lists(st.integers(0, 40).map(lambda n: n / 64), min_size=1, max_size=8), st.integers(1, 63))
def test_adjusted_p_reject_what_the_procedure_rejects(p: list[float], alpha: int) -> None:
    level = (alpha + 0.5) / 64.1  # between the possible values of adjusted p
    assert (holm(p) <= level).tolist() == rejected_at(p, level)


def test_values_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([0.2]) == pytest.approx([0.2])
    assert len(holm([])) == 0


def test_no_corrected_p_is_above_one() -> None:
    assert holm([0.9, 0.6, 0.2]).tolist() == [1.0, 1.0, pytest.approx(0.6)]


def test_a_test_that_was_not_made_is_no_member_of_the_family() -> None:
    found = holm([0.01, np.nan, 0.04])
    assert found[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(found[1])
    with pytest.raises(ValueError, match=r"p-values must lie in 0\.\.1"):
        holm([0.5, 1.5])

"""Test the exact corpus p against a list of all sums."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.engine import permutation_tests
from metrics.permutation.pvalues import CELLS, Null, exact_tails

NULLS = st.lists(st.lists(st.integers(-3, 3).map(lambda v: v / 7), min_size=1, max_size=9), min_size=1, max_size=5)


@given(NULLS, st.randoms(use_true_random=False))
def test_both_tails_are_those_of_all_sums(nulls: list[list[float]], source) -> None:
    observed = sum(source.choice(null) for null in nulls)
    sums = reduce(np.add.outer, nulls) if len(nulls) > 1 else np.array(nulls[0])
    low, high = exact_tails(observed, [Null.of(null) for null in nulls])
    assert low == pytest.approx(np.mean(np.ravel(sums) <= observed + 1e-9), abs=1e-12)
    assert high == pytest.approx(np.mean(np.ravel(sums) >= observed - 1e-9), abs=1e-12)


def test_sums_too_many_to_list_are_left_to_draws() -> None:
    rng = np.random.default_rng(0)
    four = [Null.of(rng.random(252)) for _ in range(4)]
    assert 252**2 <= CELLS < 252**3
    assert exact_tails(2.0, four) is not None
    assert exact_tails(2.0, [*four, four[0]]) is None
    assert exact_tails(2.0, [Null.of(rng.random(CELLS + 1))]) is None
    assert exact_tails(2.0, [*four, *[Null.of([0.5])] * 200]) == pytest.approx(exact_tails(2.0 - 100, four))


@given(st.lists(st.integers(1, 300), min_size=1, max_size=12), st.integers(0, 12))
def test_what_can_be_added_up_is_kept_in_every_chunk(sizes: list[int], cut: int) -> None:
    """Whether a p is exact must not depend on how its items were divided into chunks."""
    nulls = [np.arange(float(size)) for size in sizes]
    if exact_tails(0.0, [Null.of(null) for null in nulls]) is not None:
        for part in (nulls[:cut], nulls[cut:], nulls):
            assert len(collected(part)) == len(part)


def collected(nulls: list[np.ndarray]) -> dict[int, Null]:
    found = permutation_tests.Nulls()
    for item, null in enumerate(nulls):
        found.add(item, null)
    return found.kept


def test_large_nulls_are_not_kept() -> None:
    """For 10 against 10 captions, there are 92,378 partitions up to exchanging sides; a hundred such items fill the
    cache.
    """
    assert collected([np.arange(92_378.0)] * 3) == {}

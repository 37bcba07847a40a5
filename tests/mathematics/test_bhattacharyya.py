"""Test the Bhattacharyya distance against closed forms and exact sums, and its intervals by the effective sample
size.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from metrics.base import Stats
from metrics.bootstrap import bootstrap_totals, interval
from metrics.mathematics.bhattacharyya import LARGEST, effective_size, half_log_ratio, log_mean_exp, mean_weight
from metrics.suite.oracle import Bhattacharyya

METRIC = Bhattacharyya()


def normal_logs(x, mean, sd):
    return -((x - mean) ** 2) / (2 * sd**2) - math.log(sd * math.sqrt(2 * math.pi))


def closed_form(mean, sd, other_mean, other_sd):
    """Return the Bhattacharyya distance of two normal distributions (Bhattacharyya 1943)."""
    both = sd**2 + other_sd**2
    return (mean - other_mean) ** 2 / (4 * both) + math.log(both / (2 * sd * other_sd)) / 2


def estimate(own, oracle, people, people_oracle):
    rows = [
        [mean_weight(half_log_ratio(q, p)), mean_weight(half_log_ratio(a, b))]
        for p, q, a, b in zip(own, oracle, people, people_oracle, strict=True)
    ]
    stats = Stats(np.array(rows), np.arange(len(rows)), len(rows))
    totals = METRIC.totals(stats)
    return float(METRIC.finish(totals.sum(axis=0))), METRIC.items(stats), totals


@pytest.mark.parametrize("other", [(0.0, 1.0), (0.5, 1.0), (2.0, 1.0), (1.0, 2.0), (-3.0, 1.5)])
def test_two_normals_have_their_closed_form(other: tuple[float, float]) -> None:
    rng, n = np.random.default_rng(3), 200_000
    x, y = rng.normal(0, 1, (1, n)), rng.normal(*other, (1, n))
    found, items, _ = estimate(
        normal_logs(x, 0, 1), normal_logs(x, *other), normal_logs(y, 0, 1), normal_logs(y, *other)
    )
    true = closed_form(0, 1, *other)
    # Either mean has the relative variance (e^2B - 1) / n.
    error = math.sqrt((math.exp(2 * true) - 1) / (2 * n))
    assert found == pytest.approx(true, abs=4 * error + 1e-12)
    assert items[0] == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize(("p", "q"), [((0.5, 0.3, 0.2), (0.1, 0.1, 0.8)), ((0.9, 0.1, 0.0), (0.0, 0.5, 0.5))])
def test_two_discrete_sources_have_their_sum(p: tuple[float, ...], q: tuple[float, ...]) -> None:
    """Each source may generate texts to which the other gives probability 0."""
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(p), np.log(q)
    rng, n = np.random.default_rng(8), 100_000
    x, y = rng.choice(3, (1, n), p=p), rng.choice(3, (1, n), p=q)
    found, _, _ = estimate(log_p[x], log_q[x], log_p[y], log_q[y])
    true = -math.log(sum(math.sqrt(a * b) for a, b in zip(p, q, strict=True)))
    assert found == pytest.approx(true, abs=4 * math.sqrt((math.exp(2 * true) - 1) / (2 * n)))


def test_every_text_of_both_in_its_share_gives_the_exact_distance() -> None:
    """All probabilities are tenths, so a sample can have exactly these shares."""
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.1, 0.8])
    x, y = (np.repeat(np.arange(3), (10 * each).round().astype(int))[None] for each in (p, q))
    found, _, _ = estimate(np.log(p)[x], np.log(q)[x], np.log(p)[y], np.log(q)[y])
    assert found == pytest.approx(-math.log(np.sqrt(p * q).sum()), abs=1e-12)


def test_equal_sources_are_at_exactly_0_and_disjoint_ones_at_the_largest() -> None:
    logs = np.full((4, 5), -3.0)
    found, items, _ = estimate(logs, logs, logs, logs)
    assert found == 0.0
    assert not np.signbit(found)
    assert items.tolist() == [0.0] * 4
    nothing = np.full((4, 5), -np.inf)
    apart, items, _ = estimate(logs, nothing, nothing, logs)
    assert apart == pytest.approx(LARGEST)
    assert items == pytest.approx([LARGEST] * 4)


def test_far_log_probabilities_neither_overflow_nor_vanish() -> None:
    logs = np.array([-1000.0, -1001.0])
    assert log_mean_exp(logs) == pytest.approx(-1000 + math.log((1 + math.exp(-1)) / 2))
    assert log_mean_exp(logs + 2000) == pytest.approx(1000 + math.log((1 + math.exp(-1)) / 2))
    assert log_mean_exp(np.full(2, -np.inf)) == -np.inf
    with pytest.raises(OverflowError, match="not probabilities"):
        mean_weight(logs + 2000)
    with pytest.raises(ValueError, match="its own texts"):
        half_log_ratio(np.zeros(2), np.array([0.0, -np.inf]))


def test_effective_size() -> None:
    assert effective_size(np.full(7, -500.0)) == pytest.approx(7)
    assert effective_size(np.array([0.0, -np.inf, -np.inf])) == 1
    assert effective_size(np.full(3, -np.inf)) == 0
    assert effective_size(np.log([1.0, 2.0, 3.0])) == pytest.approx(36 / 14)


def test_texts_count_as_the_distance_says() -> None:
    """The weights sqrt(q/p) have mean e^-B and mean square 1, so n texts count as n e^-2B."""
    rng, n, apart = np.random.default_rng(5), 400_000, 2.0
    x = rng.standard_normal(n)
    found = effective_size(half_log_ratio(normal_logs(x, apart, 1), normal_logs(x, 0, 1)))
    assert found / n == pytest.approx(math.exp(-2 * apart**2 / 8), rel=0.03)


def drawn(rng, items, texts, shift):
    """Draw log-probabilities (items, texts) under two normals about `shift` apart, of the run's texts and of people's.

    In order: the run's texts under the run and under the oracle, then people's texts under the run and under the
    oracle.
    """
    apart = shift + 0.3 * rng.standard_normal((items, 1))
    x, y = rng.standard_normal((items, texts)), apart + rng.standard_normal((items, texts))
    return normal_logs(x, 0, 1), normal_logs(x, apart, 1), normal_logs(y, 0, 1), normal_logs(y, apart, 1)


def true_of(shift):
    """Return -ln of the mean of exp(-d^2 / 8) over d ~ N(shift, 0.3^2), by completing the square."""
    spread = 1 + 0.3**2 / 4
    return shift**2 / (8 * spread) + math.log(spread) / 2


@pytest.mark.parametrize(("shift", "least", "most"), [(1.0, 0.92, 0.98), (2.0, 0.92, 0.98), (5.0, 0.6, 0.87)])
def test_intervals_hold_the_distance_where_the_effective_sample_is_large(
    shift: float, least: float, most: float
) -> None:
    """With 48 items of 10 texts per side, the effective sample sizes are about 365, 174 and 9 texts."""
    rng, held, sizes = np.random.default_rng(1), [], []
    for _ in range(400):
        logs = drawn(rng, 48, 10, shift)
        totals = estimate(*logs)[2]
        low, high = interval(METRIC.finish(bootstrap_totals(totals, 400, 0)), 48)
        held.append(low <= true_of(shift) <= high)
        sizes.append(effective_size(half_log_ratio(logs[1], logs[0]).ravel()))
    assert least <= np.mean(held) <= most
    assert (np.median(sizes) >= 100) == (shift < 5)


def test_the_mean_of_single_items_is_too_high_where_the_run_is_not() -> None:
    """The mean is too high by about (e^2B - 1) / 4 (1/n + 1/m), so a run is judged by all items together."""
    rng, runs, items = np.random.default_rng(2), [], []
    for _ in range(300):
        x, y = rng.standard_normal((48, 10)), 1.5 + rng.standard_normal((48, 10))
        logs = normal_logs(x, 0, 1), normal_logs(x, 1.5, 1), normal_logs(y, 0, 1), normal_logs(y, 1.5, 1)
        value, of_items, _ = estimate(*logs)
        runs.append(value)
        items.append(of_items.mean())
    true = 1.5**2 / 8
    error = np.std(runs) / math.sqrt(len(runs))
    assert np.mean(runs) == pytest.approx(true, abs=4 * error)
    excess = (math.exp(2 * true) - 1) / 4 * (1 / 10 + 1 / 10)
    assert np.mean(items) - true == pytest.approx(excess, rel=0.25)

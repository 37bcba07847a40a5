"""Test intervals and tests of strengths against a jackknife, by laws, and in cases that have no numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm, t

from metrics.analysis.arena.davidson import fit
from metrics.analysis.arena.strengths import Standing, enough, standing
from metrics.analysis.arena.votes import Votes
from metrics.base import Undefined
from metrics.mathematics.arrays import Floats
from tests.analysis.arena.worlds import drawn, ranked, votes

STRENGTHS = np.array([-0.8, 0.9, 0.2, -0.3])


def without(of: Votes, unit: int) -> Votes:
    keep = of.unit != unit
    columns = (of.first, of.second, of.won, of.tied, of.lost, of.shown)
    first, second, won, tied, lost, shown = (column[keep] for column in columns)
    return Votes(first, second, won, tied, lost, shown, np.unique(of.unit[keep], return_inverse=True)[1], of.runs)


def jackknife(of: Votes, value: object) -> Floats:
    rows = np.array([value(without(of, unit)) for unit in range(of.units)])  # type: ignore[operator]
    return np.asarray(np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=0) * (of.units - 1) / of.units))


def factors(found: Standing, errors: Floats) -> Floats:
    upper = np.triu_indices(len(found.ranked), 1)
    return np.asarray(((found.pairs.high - found.pairs.low) / 2)[upper] / errors)


def test_errors_are_those_of_leaving_out_items() -> None:
    of = ranked(np.random.default_rng(5), STRENGTHS, 150)
    found = standing(of)

    def gaps(some: Votes) -> Floats:
        strengths = fit(some).strengths[found.ranked]
        return np.asarray((strengths[:, None] - strengths)[np.triu_indices(4, 1)])

    ratio = factors(found, jackknife(of, gaps))
    assert ratio == pytest.approx(ratio.mean(), rel=0.02)
    assert 2.5 < ratio.mean() < 2.9  # Tukey's studentized range of 4 gives 2.57 for pairs only


def test_two_runs_have_the_factor_of_t() -> None:
    of = drawn(np.random.default_rng(6), STRENGTHS[:2], 30, 4)
    found = standing(of)
    gap = lambda some: [np.ptp(fit(some).strengths)]  # noqa: E731
    assert factors(found, jackknife(of, gap)) == pytest.approx([t.ppf(0.975, 29)], rel=0.03)
    p = 2 * t.sf(found.pairs.value[0, 1] / ((found.pairs.high - found.pairs.low)[0, 1] / 2 / t.ppf(0.975, 29)), 29)
    assert found.pairs.p[0, 1] == pytest.approx(p, abs=0.01)


def test_runs_are_ordered_and_their_intervals_hold_them() -> None:
    found = standing(drawn(np.random.default_rng(7), STRENGTHS, 200, 5, 0.5, 0.4))
    assert found.ranked.tolist() == [1, 2, 3, 0]
    assert (np.diff(found.fit.strengths) < 0).all()
    assert found.fit.strengths.sum() == pytest.approx(0, abs=1e-12)
    assert ((found.low < found.fit.strengths) & (found.fit.strengths < found.high)).all()
    assert found.order.low < found.fit.order < found.order.high
    assert found.order.low > 0
    assert np.array_equal(found.pairs.value, -found.pairs.value.T)
    assert np.array_equal(found.pairs.p, found.pairs.p.T, equal_nan=True)


def test_repeating_every_vote_makes_nothing_surer() -> None:
    of = drawn(np.random.default_rng(8), STRENGTHS, 60, 4, 0.5)
    twice = replace(of, won=2 * of.won, tied=2 * of.tied, lost=2 * of.lost)
    once, again = standing(of), standing(twice)
    assert again.low == pytest.approx(once.low, abs=1e-8)
    assert again.each.p_model == pytest.approx(once.each.p_model, abs=1e-8)


def test_too_few_items_have_strengths_without_intervals() -> None:
    assert [enough(runs) for runs in (2, 3, 4, 10)] == [6, 6, 8, 20], "two units per run"
    of = drawn(np.random.default_rng(9), STRENGTHS, enough(4) - 1, 40)
    found = standing(of)
    assert np.isfinite(found.fit.strengths).all()
    assert np.isnan(found.low).all()
    assert np.isnan(found.pairs.p).all()
    assert not found.pairs.known.any()
    assert np.isfinite(standing(drawn(np.random.default_rng(9), STRENGTHS, enough(4), 40)).low).all()


def test_runs_outside_do_not_change_the_others() -> None:
    of = drawn(np.random.default_rng(10), STRENGTHS, 40, 5)
    beaten = votes((4, 0, 3, 0, 0, 0, 2))
    columns = ("first", "second", "won", "tied", "lost", "shown", "unit")
    more = Votes(*(np.append(getattr(of, name), getattr(beaten, name)) for name in columns), 5)  # type: ignore[call-arg, arg-type]
    found, alone = standing(more), standing(of)
    assert found.places.others == {4: "above"}
    assert found.fit.strengths == pytest.approx(alone.fit.strengths, abs=1e-12)
    assert found.ranked.tolist() == alone.ranked.tolist()


def test_no_two_runs_on_one_scale() -> None:
    with pytest.raises(Undefined, match="no two runs have each beaten the other"):
        standing(votes((0, 1, 3, 0, 0, 0, 0), (1, 2, 3, 0, 0, 0, 1)))


def test_pairs_have_what_was_cast_and_expected() -> None:
    of = drawn(np.random.default_rng(11), STRENGTHS, 80, 6, 0.5, 0.4)
    found = standing(of)
    each = found.each
    assert (each.won + each.tied + each.lost).sum() == of.total.sum()
    score = np.where(of.first == 1, of.score, of.total - of.score)
    mine = np.isin(of.first, (0, 1)) & np.isin(of.second, (0, 1))
    pair = int(np.flatnonzero((each.first == 1) & (each.second == 0))[0])
    assert each.observed[pair] == pytest.approx(score[mine].sum() / of.total[mine].sum())
    assert each.items[pair] == len(np.unique(of.unit[mine]))
    # At the maximum, each run's wins equal their expectation.
    for run in range(4):
        sides = [(each.first == run, 1), (each.second == run, -1)]
        n = each.won + each.tied + each.lost
        assert sum(sign * (n * (each.observed - each.expected))[at].sum() for at, sign in sides) == pytest.approx(
            0, abs=1e-6
        )


def test_a_pair_that_departs_is_found_and_the_deviation_is_that_of_leaving_out_items() -> None:
    of = ranked(np.random.default_rng(12), STRENGTHS, 300)
    turn = (of.first == 0) & (of.second == 1) & (np.arange(len(of.first)) % 4 < 3)
    of = replace(of, won=np.where(turn, 1.0, of.won), lost=np.where(turn, 0.0, of.lost))
    found = standing(of)
    assert found.each.p_model.min() < 1e-4
    worst = int(found.each.p_model.argmin())
    one, other = int(found.each.first[worst]), int(found.each.second[worst])
    assert {one, other} == {0, 1}

    def rest(some: Votes) -> list[float]:
        rows = (some.first == 0) & (some.second == 1)
        expected = fit(some).win_rate(fit(some).differences(some)) * some.total
        return [float((some.score - expected)[rows].sum())]

    z = float(norm.isf(found.each.p_model.min() / len(found.each.first) / 2))
    centred = rest(of)[0] / jackknife(of, rest)[0]
    assert z == pytest.approx(centred / np.sqrt(1 + centred**2 / 300), rel=0.02)  # our moments are about 0


def test_items_that_all_agree_leave_no_error() -> None:
    found = standing(votes(*((a, b, 3, 1, 1, 0, k) for k in range(12) for a, b in ((0, 1), (1, 2), (0, 2)))))
    assert found.low == pytest.approx(found.fit.strengths)
    assert found.pairs.p[0, 1] == 2.0**-11
    assert found.pairs.low == pytest.approx(found.pairs.high, nan_ok=True)


def test_two_runs_leave_the_model_no_choice() -> None:
    assert np.isnan(standing(drawn(np.random.default_rng(13), STRENGTHS[:2], 30, 4, 0.5)).each.p_model).all()


def test_seeds_move_intervals_by_a_percent_at_most() -> None:
    of = drawn(np.random.default_rng(14), STRENGTHS, 60, 4)
    widths = [np.subtract(*(getattr(standing(of, seed), end) for end in ("high", "low"))) for seed in range(3)]
    assert widths[0] == pytest.approx(widths[1], rel=0.02)
    assert not np.array_equal(widths[0], widths[1])
    assert np.array_equal(widths[0], np.subtract(*(getattr(standing(of, 0), end) for end in ("high", "low"))))

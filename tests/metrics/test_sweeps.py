"""Lines over temperature: their points, their optima by a slow second route, and what changes along them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from data.study import Run, Settings, Study
from metrics import engine, scored, sweep, table
from metrics.base import Undefined
from metrics.bootstrap import RESAMPLES
from metrics.cache import Cache
from metrics.human import Human
from metrics.registry import METRICS
from metrics.sweep import Decoder, by_decoder, decoder_of, level, neighbour, optimum, settings_of, sweeps_of
from tests.studies import study as random_study

NAMES = ("rouge_l", "ms_jaccard_2", "distinct_2", "vocabulary")


@pytest.fixture(scope="module")
def study() -> Study:
    """Model A at three temperatures, the middle one with two seeds; B at one; greedy without any; A by nucleus."""
    runs = random_study(items=8, references=4, candidates=4, runs=7).runs
    labels = [
        ("A", Settings(1.5, decoder="sample", seed=1)),
        ("A", Settings(0.5, decoder="sampling")),
        ("A", Settings(1.0, decoder="sample", seed=1)),
        ("A", Settings(1.0, decoder="sample", seed=2)),
        ("B", Settings(1.0)),
        ("B", Settings(decoder="greedy")),
        ("A", Settings(1.0, top_p=0.9, decoder="sample")),
    ]
    made = tuple(replace(run, model=model, settings=of) for run, (model, of) in zip(runs, labels))
    return replace(random_study(items=8, references=4, candidates=4, runs=7), runs=made)


@pytest.fixture(scope="module")
def numbers(study: Study, tmp_path_factory: pytest.TempPathFactory) -> scored.Numbers:
    cache = Cache(tmp_path_factory.mktemp("cache"))
    return scored.Numbers(engine.score(study, [METRICS[name] for name in NAMES], cache=cache))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (Settings(0.7), Decoder("sampling")),
        (Settings(0.7, decoder="sample"), Decoder("sampling")),
        (Settings(1.0, top_p=1.0, decoder="sampling"), Decoder("sampling")),
        (Settings(1.0, top_p=0.8, decoder="sample"), Decoder("nucleus", 0.8)),
        (Settings(decoder="nucleus"), Decoder("nucleus")),
        (Settings(0.5, top_k=10, decoder="top_k"), Decoder("top_k", top_k=10)),
        (Settings(0.5, top_p=0.9, top_k=10), Decoder("nucleus", 0.9, 10)),
        (Settings(decoder="Beam search 5"), Decoder("beam", width=5)),
        (Settings(decoder="beam10"), Decoder("beam", width=10)),
        (Settings(decoder="diverse_beam"), Decoder("diverse_beam")),
        (Settings(decoder="argmax"), Decoder("greedy")),
        (Settings(decoder="contrastive"), Decoder("contrastive")),
        (Settings(), Decoder("")),
    ],
)
def test_the_decoder_is_what_cuts_the_distribution(settings: Settings, expected: Decoder) -> None:
    assert decoder_of(settings) == expected


def test_lines_go_from_cold_to_hot_and_seeds_share_a_point(study: Study) -> None:
    settings = settings_of(study.runs)
    lines = sweeps_of(settings)
    assert [(line.model, line.decoder.kind) for line in lines] == [
        ("A", "sampling"),
        ("B", "sampling"),
        ("A", "nucleus"),
    ]
    assert [(stop.temperature, stop.runs) for stop in lines[0].stops] == [
        (0.5, ("run 1",)), (1.0, ("run 2", "run 3")), (1.5, ("run 0",)),
    ]  # fmt: skip
    on = {name for line in lines for stop in line.stops for name in stop.runs}
    off = {name for s in settings if not sweep.on_axis(s) for name in s.runs}
    assert on | off == {run.name for run in study.runs}
    assert off == {"run 5"}


def test_no_logarithm_takes_zero(study: Study) -> None:
    zero = replace(study.runs[0], name="zero", settings=Settings(0.0))
    settings = settings_of([zero, *study.runs])
    assert sweeps_of(settings)[0].stops[0].temperature == 0
    assert "zero" not in [name for line in sweeps_of(settings, positive=True) for s in line.stops for name in s.runs]
    assert not sweep.on_axis(settings[0], positive=True)


def test_decoders_stand_in_one_order_with_those_without_temperature(study: Study) -> None:
    groups = by_decoder(settings_of(study.runs), 1.0)
    assert [group[0].decoder.kind for group in groups] == ["greedy", "nucleus", "sampling"]
    assert [s.runs for s in groups[2]] == [("run 2", "run 3"), ("run 4",)]
    unknown = Run("x", "C", Settings(), study.runs[0].candidates)
    everything = by_decoder(settings_of([unknown, *study.runs]))
    assert everything[-1][0].decoder.kind == ""
    assert [s.temperature for s in everything[2]] == [0.5, 1.0, 1.5, 1.0]


def test_a_point_is_the_row_of_scores(study: Study, numbers: scored.Numbers) -> None:
    rows = table.scores(study, numbers.results).set_index(["run", "metric"])
    for name in NAMES:
        view = sweep.view(study, numbers, METRICS[name], settings_of(study.runs))
        for point in view.points:
            if len(point.setting.runs) == 1:
                row = rows.loc[(point.setting.runs[0], name)]
                assert point.value == row["value"]
                np.testing.assert_equal([point.low, point.high], [row["ci_low"], row["ci_high"]])
                assert point.n == row["n"]


def test_seeds_are_averaged_in_every_resample(study: Study, numbers: scored.Numbers) -> None:
    metric = METRICS["rouge_l"]
    _, boot = numbers.corpus(study, metric, study.runs)
    point = sweep.view(study, numbers, metric, settings_of(study.runs)).curves[0].points[1]
    both = [numbers.results[name, "rouge_l"].corpus for name in ("run 2", "run 3")]
    assert point.singles == tuple(both)
    assert point.value == pytest.approx(sum(both) / 2, abs=1e-12)
    assert (point.low, point.high) == pytest.approx(np.quantile((boot[2] + boot[3]) / 2, [0.025, 0.975]), abs=1e-12)


def slow_optimum(boot: np.ndarray, level: float = 0.95) -> tuple[list[float], int, int]:
    """Shares of resamples, and the first positions at which their running sum passes both tails, one by one."""
    shares = [0.0] * len(boot)
    for column in boot.T:
        ties = [k for k, value in enumerate(column) if value == min(column)]
        for k in ties:
            shares[k] += 1 / len(ties) / boot.shape[1]
    ends, total = [], 0.0
    for tail in ((1 - level) / 2, (1 + level) / 2):
        total, k = 0.0, -1
        while total < tail - 1e-9 or (tail < 0.5 and total <= tail + 1e-9):
            k += 1
            total += shares[k]
        ends.append(k)
    return shares, ends[0], ends[1]


@limits(deadline=None)
@given(arrays(np.int64, st.tuples(st.integers(2, 6), st.integers(1, 60)), elements=st.integers(0, 4)))
def test_the_optimum_is_counted_over_the_resamples(boot: np.ndarray) -> None:
    loss = boot.mean(axis=1)
    found = optimum(loss, boot.astype(float))
    shares, low, high = slow_optimum(boot)
    assert found is not None
    assert found.shares == pytest.approx(shares)
    assert (found.low, found.high) == (low, high)
    assert found.at == int(np.argmin(loss))
    assert sum(found.shares or ()) == pytest.approx(1)


@pytest.mark.parametrize(("tail", "ends"), [(24, (1, 1)), (26, (0, 2))])
def test_the_interval_holds_95_percent(tail: int, ends: tuple[int, int]) -> None:
    """2.4 % of the resamples on either side stay outside, 2.6 % do not."""
    winners = np.repeat([0, 1, 2], [tail, 1000 - 2 * tail, tail])
    found = optimum(np.array([1.0, 0.5, 1.0]), 1.0 - np.eye(3)[:, winners])
    assert found is not None
    assert (found.low, found.high) == ends


def test_undefined_points_are_no_optimum_and_one_point_has_none() -> None:
    loss = np.array([np.nan, 2.0, 1.0])
    found = optimum(loss, np.repeat(loss[:, None], 10, axis=1))
    assert found is not None
    assert (found.at, found.low, found.high, found.shares) == (2, 2, 2, (0.0, 0.0, 1.0))
    assert optimum(np.array([np.nan, 1.0]), np.ones((2, 10))) is None
    unsure = optimum(loss, np.full((3, 10), np.nan))
    assert unsure is not None
    assert (unsure.at, unsure.low, unsure.shares) == (2, None, None)


def test_goals(study: Study, numbers: scored.Numbers) -> None:
    assert sweep.goal_of(METRICS["rouge_l"], Human()) == "highest"
    assert sweep.goal_of(METRICS["trm_bow"], Human(0.3)) == "lowest"
    assert sweep.goal_of(METRICS["distinct_2"], Human()) == "highest"
    assert sweep.goal_of(METRICS["self_bleu_4"], Human()) == "lowest"
    assert sweep.goal_of(METRICS["self_bleu_4"], Human(0.3)) == "nearest"


def test_diversity_aims_at_people_on_the_same_items(study: Study, tmp_path: Path) -> None:
    """The references in a run's place are nearest to people in every resample."""
    copy = replace(study.runs[0], candidates={item.id: item.references for item in study.items})
    changed = replace(study, runs=(copy, *study.runs[1:]))
    metric = METRICS["distinct_2"]
    cache = Cache(tmp_path)
    _, references, diversity = sweep.people.needed(changed, [metric])
    assert references is not None
    numbers = scored.of_results(
        engine.score(changed, [metric], cache=cache), engine.score(references, diversity, cache=cache)
    )
    curve = sweep.view(changed, numbers, metric, settings_of(changed.runs)).curves[0]
    assert curve.best is not None
    assert curve.best.setting.runs == ("run 0",)
    assert curve.optimum is not None
    assert curve.optimum.shares == (0.0, 0.0, 1.0)


def test_a_run_s_value_has_no_resamples_and_its_optimum_no_interval(study: Study, numbers: scored.Numbers) -> None:
    curve = sweep.view(study, numbers, METRICS["vocabulary"], settings_of(study.runs)).curves[0]
    assert curve.optimum is not None
    assert curve.optimum.low is None
    assert np.isnan(curve.points[0].boot).all()


def test_who_cannot_be_told_apart(study: Study, numbers: scored.Numbers) -> None:
    settings = settings_of(study.runs)
    points = sweep.points_of(study, numbers, METRICS["rouge_l"], settings)
    best = points[0]
    worse = replace(best, value=best.value - 1, boot=best.boot - 1)
    noisy = replace(best, boot=best.boot + np.random.default_rng(0).normal(size=RESAMPLES))
    other_items = replace(worse, covers=best.covers + 1)
    assert level(best, [worse, noisy, other_items]) == (noisy, other_items)
    assert level(best, []) == ()
    mixed = replace(worse, covers=-1)
    assert level(best, [worse, mixed]) == (mixed,)
    assert level(replace(best, covers=-1), [worse, mixed]) == (worse, mixed), (
        "seeds of other items share them with none"
    )


def test_the_largest_differences_come_first(study: Study, numbers: scored.Numbers) -> None:
    metric = METRICS["rouge_l"]
    found = sweep.contrast(study, numbers, metric, "run 1", "run 2")
    values = [numbers.results[name, "rouge_l"].items for name in ("run 1", "run 2")]
    slow = sorted(range(8), key=lambda k: -abs(values[0][k] - values[1][k]))
    assert found.order.tolist() == slow
    result = numbers.results["run 1", "rouge_l"]
    gap = replace(result, items=np.where(np.arange(8) == slow[0], np.nan, result.items))
    holed = scored.Numbers({**numbers.results, ("run 1", "rouge_l"): gap})
    assert sweep.contrast(study, holed, metric, "run 1", "run 2").order.tolist() == slow[1:]


def test_what_cannot_be_contrasted_says_why(study: Study, numbers: scored.Numbers) -> None:
    with pytest.raises(Undefined, match="one value for a whole run"):
        sweep.contrast(study, numbers, METRICS["vocabulary"], "run 1", "run 2")
    with pytest.raises(Undefined, match="CIDEr-D of run 1 is not computed yet"):
        sweep.contrast(study, numbers, METRICS["cider_d"], "run 1", "run 2")


def test_the_next_setting(study: Study) -> None:
    path = sweeps_of(settings_of(study.runs))[0].stops
    assert [neighbour(path, name) for name in ("run 1", "run 3", "run 0")] == [path[1], path[2], path[1]]
    assert neighbour(path, "run 4") is None
    assert neighbour(path[:1], "run 1") is None


def test_numbers_that_are_not_there_yet(study: Study) -> None:
    view = sweep.view(study, scored.Numbers({}), METRICS["rouge_l"], settings_of(study.runs))
    assert all(curve.optimum is None for curve in view.curves)
    assert {point.reason for point in view.points} == {"not computed yet"}
    assert sweep.leader(view) is None

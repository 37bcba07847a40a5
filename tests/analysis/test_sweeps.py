"""Test lines over temperature: their points, their optima, and the changes along them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.study import Run, Settings, Study
from metrics.analysis import numbers as analysis_numbers
from metrics.analysis import sweeps
from metrics.analysis.human_line import Human
from metrics.analysis.sweeps import (
    Decoder,
    Point,
    Setting,
    by_decoder,
    decoder_of,
    neighbour,
    optimum,
    settings_of,
    sweeps_of,
    tied_with,
)
from metrics.base import Undefined
from metrics.bootstrap import RESAMPLES, percentiles
from metrics.cache.disk import Cache
from metrics.engine import scores_table, scoring
from metrics.registry import METRICS
from tests.studies import study as random_study

NAMES = ("rouge_l", "ms_jaccard_2", "distinct_2", "vocabulary")


@pytest.fixture(scope="module")
def study() -> Study:
    """Make a study of two models.

    Model A has three temperatures, the middle one with two seeds and with a nucleus. Model B has one temperature and
    greedy decoding.
    """
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
def numbers(study: Study, tmp_path_factory: pytest.TempPathFactory) -> analysis_numbers.Numbers:
    cache = Cache(tmp_path_factory.mktemp("cache"))
    return analysis_numbers.Numbers(scoring.score(study, [METRICS[name] for name in NAMES], cache=cache))


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
    assert [(stop.temperature, stop.runs) for stop in lines[0].settings] == [
        (0.5, ("run 1",)),
        (1.0, ("run 2", "run 3")),
        (1.5, ("run 0",)),
    ]
    on = {name for line in lines for stop in line.settings for name in stop.runs}
    off = {name for s in settings if not sweeps.on_axis(s) for name in s.runs}
    assert on | off == {run.name for run in study.runs}
    assert off == {"run 5"}


def test_no_logarithm_takes_zero(study: Study) -> None:
    zero = replace(study.runs[0], name="zero", settings=Settings(0.0))
    settings = settings_of([zero, *study.runs])
    assert sweeps_of(settings)[0].settings[0].temperature == 0
    assert "zero" not in [name for line in sweeps_of(settings, positive=True) for s in line.settings for name in s.runs]
    assert not sweeps.on_axis(settings[0], positive=True)


def test_decoders_stand_in_one_order_with_those_without_temperature(study: Study) -> None:
    groups = by_decoder(settings_of(study.runs), 1.0)
    assert [group[0].decoder.kind for group in groups] == ["greedy", "nucleus", "sampling"]
    assert [s.runs for s in groups[2]] == [("run 2", "run 3"), ("run 4",)]
    unknown = Run("x", "C", Settings(), study.runs[0].candidates)
    everything = by_decoder(settings_of([unknown, *study.runs]))
    assert everything[-1][0].decoder.kind == ""
    assert [s.temperature for s in everything[2]] == [0.5, 1.0, 1.5, 1.0]


def test_a_point_is_the_row_of_scores(study: Study, numbers: analysis_numbers.Numbers) -> None:
    rows = scores_table.scores(study, numbers.results).set_index(["run", "metric"])
    for name in NAMES:
        view = sweeps.sweep_view(study, numbers, METRICS[name], settings_of(study.runs))
        for point in view.points:
            if len(point.setting.runs) == 1:
                row = rows.loc[(point.setting.runs[0], name)]
                assert point.value == row["value"]
                np.testing.assert_equal([point.low, point.high], [row["ci_low"], row["ci_high"]])
                assert point.n == row["n"]


def test_seeds_are_averaged_in_every_resample(study: Study, numbers: analysis_numbers.Numbers) -> None:
    metric = METRICS["rouge_l"]
    _, boot = numbers.corpus(study, metric, study.runs)
    point = sweeps.sweep_view(study, numbers, metric, settings_of(study.runs)).curves[0].points[1]
    both = [numbers.results[name, "rouge_l"].corpus for name in ("run 2", "run 3")]
    assert point.singles == tuple(both)
    assert point.value == pytest.approx(sum(both) / 2, abs=1e-12)
    ends = np.quantile((boot[2] + boot[3]) / 2, percentiles(point.n))
    assert (point.low, point.high) == pytest.approx(ends, abs=1e-12)


def test_the_interval_of_seeds_is_of_as_many_images_as_are_independent(study: Study) -> None:
    items = tuple(replace(item, cluster=str(k // 4)) for k, item in enumerate(random_study(items=28).items))
    twice = [replace(run, settings=Settings(1.0, seed=k)) for k, run in enumerate(random_study(items=28, runs=2).runs)]
    of = replace(study, items=items, runs=tuple(replace(run, model="A") for run in twice))
    metric = METRICS["rouge_l"]
    numbers = analysis_numbers.Numbers(scoring.score(of, [metric]))
    (point,) = sweeps.points_of(of, numbers, metric, settings_of(of.runs))
    ends = np.quantile(numbers.corpus(of, metric, of.runs)[1].mean(axis=0), percentiles(7))
    assert (point.low, point.high) == pytest.approx(ends)


def judged(values: list[float], noise: float, items: int = 200) -> sweeps.Judged:
    source = np.random.default_rng(0)
    boot = np.array(values)[:, None] + source.normal(scale=noise, size=(len(values), RESAMPLES))
    points = [
        Point(
            Setting("A", Decoder("sampling"), float(k), (f"{k}",)), value, n=items, n_units=items, item_set=0, boot=row
        )
        for k, (value, row) in enumerate(zip(values, boot))
    ]
    return sweeps.SweepView(METRICS["trm_bow"], "lowest", (), tuple(points), Human()).judged


def test_what_may_be_best_is_what_no_other_point_beats_for_sure() -> None:
    """A point may be the best if and only if no other point beats it for sure, wherever it lies on the line."""
    values = [2.0, 1.04, 1.0, 1.03, 1.5]
    found = optimum(judged(values, 0.02))
    assert found is not None
    assert (found.at, found.may_be) == (2, (1, 2, 3))
    sharp = optimum(judged(values, 0.002))
    assert sharp is not None
    assert sharp.may_be == (2,)
    vague = optimum(judged(values, 1.0))
    assert vague is not None
    assert vague.may_be == (0, 1, 2, 3, 4)
    apart = optimum(judged([1.0, 1.5, 1.02], 0.02))
    assert apart is not None
    assert (apart.at, apart.may_be) == (0, (0, 2)), "a point that is beaten is none, between two that may be"


def test_the_best_of_equals_is_never_singled_out_more_often_than_five_percent() -> None:
    """If six temperatures have the same mean, at most 5 % of studies may leave one of them out of the set that may be
    best.
    """
    source = np.random.default_rng(1)
    missed, studies, items = 0, 300, 60
    for _ in range(studies):
        draws = source.normal(size=(6, items))
        weights = source.multinomial(items, [1 / items] * items, size=400) / items
        points = [
            Point(Setting("A", Decoder("sampling"), float(k), (f"{k}",)), row.mean(), n=items, item_set=0, boot=b)
            for k, (row, b) in enumerate(zip(draws, draws @ weights.T))
        ]
        found = optimum(sweeps.SweepView(METRICS["trm_bow"], "lowest", (), tuple(points), Human()).judged)
        assert found is not None
        missed += found.may_be != (0, 1, 2, 3, 4, 5)
    assert missed / studies <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / studies)


def test_undefined_points_are_no_optimum_and_one_point_has_none() -> None:
    found = optimum(judged([np.nan, 2.0, 1.0], 0.01))
    assert found is not None
    assert (found.at, found.may_be) == (2, (2,))
    assert optimum(judged([np.nan, 1.0], 0.01)) is None
    unsure = optimum(sweeps.Judged(np.array([2.0, 1.0]), np.zeros((2, 2), bool), np.zeros((2, 2), bool)))
    assert unsure is not None
    assert (unsure.at, unsure.may_be) == (1, ())


def test_goals(study: Study, numbers: analysis_numbers.Numbers) -> None:
    assert sweeps.goal_of(METRICS["rouge_l"], Human()) == "highest"
    assert sweeps.goal_of(METRICS["trm_bow"], Human(0.3)) == "lowest"
    assert sweeps.goal_of(METRICS["distinct_2"], Human()) == "highest"
    assert sweeps.goal_of(METRICS["self_bleu_4"], Human()) == "lowest"
    assert sweeps.goal_of(METRICS["self_bleu_4"], Human(0.3)) == "nearest"


def test_diversity_aims_at_people_on_the_same_items(study: Study, tmp_path: Path) -> None:
    """One run has the references as its captions, and is nearest to people in every resample."""
    copy = replace(study.runs[0], candidates={item.id: item.references for item in study.items})
    changed = replace(study, runs=(copy, *study.runs[1:]))
    metric = METRICS["distinct_2"]
    cache = Cache(tmp_path)
    _, diversity, references = sweeps.people.human_requirements(changed, [metric])
    assert references is not None
    numbers = analysis_numbers.of_results(
        scoring.score(changed, [metric], cache=cache), scoring.score(references, diversity, cache=cache)
    )
    curve = sweeps.sweep_view(changed, numbers, metric, settings_of(changed.runs)).curves[0]
    assert curve.best is not None
    assert curve.best.setting.runs == ("run 0",)
    assert curve.optimum is not None
    assert curve.optimum.at == 2


def test_distances_from_people_are_resampled_on_the_same_items() -> None:
    """If resamples of runs and of people vary together, even small differences in the distance are significant."""
    noise = np.random.default_rng(0).normal(scale=9, size=RESAMPLES)
    points = [
        Point(Setting("A", Decoder(""), float(k), (f"{k}",)), value, n_units=50, item_set=0, boot=value + noise)
        for k, value in enumerate((1.0, 1.2))
    ]
    found = sweeps.SweepView(METRICS["distinct_2"], "nearest", (), tuple(points), Human(0.5), 0.5 + noise)
    assert found.judged.ahead.tolist() == [[False, True], [False, False]]


def test_a_run_s_value_has_no_resamples_and_its_optimum_no_interval(
    study: Study, numbers: analysis_numbers.Numbers
) -> None:
    curve = sweeps.sweep_view(study, numbers, METRICS["vocabulary"], settings_of(study.runs)).curves[0]
    assert curve.optimum is not None
    assert curve.optimum.may_be == ()
    assert np.isnan(curve.points[0].boot).all()


def test_who_cannot_be_told_apart(study: Study, numbers: analysis_numbers.Numbers) -> None:
    settings = settings_of(study.runs)
    first, *_ = sweeps.points_of(study, numbers, METRICS["rouge_l"], settings)
    best = replace(first, n=40)
    noise = np.random.default_rng(0).normal(size=RESAMPLES)
    worse = replace(best, setting=settings[1], value=best.value - 1, boot=best.boot - 1)
    noisy = replace(best, setting=settings[2], boot=best.boot + noise)
    other_items = replace(worse, setting=settings[3], item_set=best.item_set + 1)

    def told(*points: Point) -> tuple[Point, ...]:
        return tied_with(sweeps.SweepView(METRICS["rouge_l"], "highest", (), points, Human()), points[0], points[1:])

    assert told(best, worse, noisy, other_items) == (noisy, other_items)
    assert told(best) == ()
    mixed = replace(other_items, item_set=-1)
    assert told(best, worse, mixed) == (mixed,)
    assert told(replace(best, item_set=-1), worse, mixed) == (worse, mixed), "seeds of other items share them with none"


def test_the_largest_differences_come_first(study: Study, numbers: analysis_numbers.Numbers) -> None:
    metric = METRICS["rouge_l"]
    found = sweeps.contrast(study, numbers, metric, ["run 1"], ["run 2"])
    values = [numbers.results[name, "rouge_l"].items for name in ("run 1", "run 2")]
    slow = sorted(range(8), key=lambda k: -abs(values[0][k] - values[1][k]))
    assert found.order.tolist() == slow
    both = sweeps.contrast(study, numbers, metric, ["run 1", "run 2"], ["run 2"])
    assert both.here == pytest.approx((values[0] + values[1]) / 2), "a setting has the mean of its seeds"
    result = numbers.results["run 1", "rouge_l"]
    gap = replace(result, items=np.where(np.arange(8) == slow[0], np.nan, result.items))
    holed = analysis_numbers.Numbers({**numbers.results, ("run 1", "rouge_l"): gap})
    assert sweeps.contrast(study, holed, metric, ["run 1"], ["run 2"]).order.tolist() == slow[1:]


def test_what_cannot_be_contrasted_says_why(study: Study, numbers: analysis_numbers.Numbers) -> None:
    with pytest.raises(Undefined, match="one value for a whole run"):
        sweeps.contrast(study, numbers, METRICS["vocabulary"], ["run 1"], ["run 2"])
    with pytest.raises(Undefined, match="CIDEr-D of run 1 is not computed yet"):
        sweeps.contrast(study, numbers, METRICS["cider_d"], ["run 1"], ["run 2"])


def test_the_next_setting(study: Study) -> None:
    path = sweeps_of(settings_of(study.runs))[0].settings
    assert [neighbour(path, name) for name in ("run 1", "run 3", "run 0")] == [path[1], path[2], path[1]]
    assert neighbour(path, "run 4") is None
    assert neighbour(path[:1], "run 1") is None


def test_numbers_that_are_not_there_yet(study: Study) -> None:
    view = sweeps.sweep_view(study, analysis_numbers.Numbers({}), METRICS["rouge_l"], settings_of(study.runs))
    assert all(curve.optimum is None for curve in view.curves)
    assert {point.reason for point in view.points} == {"not computed yet"}
    assert sweeps.leader(view) is None

"""Test correlations between metrics against scipy in plain loops, and the order and disagreements derived from them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from data.study import Settings, Study, SystemRatings
from metrics.analysis.agreement.matrix import agreement, ends, groups_alike, order
from metrics.analysis.agreement.observations import Observations, observations
from metrics.analysis.agreement.pair import disagreements, gaps
from metrics.analysis.agreement.tables import as_table
from metrics.chunk import caption_order
from metrics.engine import scoring
from metrics.registry import METRICS, resolve
from tests.studies import study as random_study

STUDY = random_study(items=12, candidates=3, runs=5, seed=2)
CHOSEN = resolve(("rouge_l", "bleu_1", "bleu_4", "trm_rouge_l", "self_bleu_4", "vocabulary"))
NAMES = tuple(metric.name for metric in CHOSEN)
RESULTS = scoring.score(STUDY, CHOSEN)


def points(values: np.ndarray, group: np.ndarray | None = None) -> Observations:
    count = values.shape[1]
    apart, names = np.full(count, -1), tuple(f"m{k}" for k in range(len(values)))
    return Observations("captions", names, values, apart, np.arange(count), apart, group or np.zeros(count, dtype=int))


def turned(name: str, value: float | np.ndarray) -> float | np.ndarray:
    return value if METRICS[name].higher_is_better else -value


def test_one_correlation_has_the_interval_of_scipy() -> None:
    values = np.random.default_rng(3).normal(size=(2, 40)) + np.random.default_rng(4).normal(size=40)
    found = points(values)
    expected = stats.pearsonr(*values).confidence_interval(0.95)
    assert [end[0, 1] for end in ends(found, agreement(found), "pearson")] == pytest.approx([*expected])


def test_over_runs_it_is_scipys_of_the_corpus_values() -> None:
    found = observations(STUDY, RESULTS, CHOSEN, "runs")
    assert found.names == NAMES
    both = agreement(found)
    for i, j in combinations(range(len(NAMES)), 2):
        x, y = ([turned(NAMES[k], RESULTS[run.name, NAMES[k]].corpus) for run in STUDY.runs] for k in (i, j))
        assert both.pearson[i, j] == pytest.approx(stats.pearsonr(x, y).statistic)
        assert both.spearman[j, i] == pytest.approx(stats.spearmanr(x, y).statistic)
    assert (both.n == 5).all()


def test_over_items_it_is_the_mean_of_the_runs_own() -> None:
    found = observations(STUDY, RESULTS, CHOSEN, "items")
    assert set(found.names) == set(NAMES) - {"vocabulary"}, "a vocabulary has no value of an item"
    both = agreement(found)
    for i, j in combinations(range(len(found.names)), 2):
        sides = [
            [turned(found.names[k], RESULTS[run.name, found.names[k]].items) for k in (i, j)] for run in STUDY.runs
        ]
        sides = [[x[~np.isnan(x) & ~np.isnan(y)] for x in (x, y)] for x, y in sides]
        usable = [(x, y) for x, y in sides if len(x) > 2 and np.ptp(x) > 0 and np.ptp(y) > 0]
        assert both.spearman[i, j] == pytest.approx(np.mean([stats.spearmanr(x, y).statistic for x, y in usable]))
        assert both.pearson[i, j] == pytest.approx(np.mean([stats.pearsonr(x, y).statistic for x, y in usable]))
        assert both.n[i, j] == sum(len(x) for x, _ in usable)
        assert both.groups[i, j] == len(usable)


def test_over_captions_each_caption_of_the_file_is_a_point() -> None:
    found = observations(STUDY, RESULTS, CHOSEN, "captions")
    assert set(found.names) == {"rouge_l", "bleu_1", "bleu_4"}
    assert agreement(found).n[0, 1] == 12 * 3 * 5
    k = 7 * 3 + 1  # the second caption in canonical order of the eighth item of the first run
    texts = STUDY.runs[0].candidates[STUDY.items[7].id]
    assert (found.run[k], found.item[k], found.place[k]) == (0, 7, caption_order(texts)[1])
    alone = replace(STUDY.runs[0], candidates={STUDY.items[7].id: (texts[found.place[k]],)})
    one = Study("one", (STUDY.items[7],), (alone,))
    assert scoring.score(one, resolve(("bleu_1",)))["run 0", "bleu_1"].corpus == pytest.approx(
        found.values[found.names.index("bleu_1"), k]
    )


def test_gaps_leave_out_points_pair_by_pair() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 6, size=(6, 40)).astype(float)
    values[1, :7] = np.nan
    values[2, 5:30:3] = np.nan
    values[3] = 2.5
    values[4] = np.nan
    values[5, :38] = np.nan
    both = agreement(points(values))
    for i, j in combinations(range(6), 2):
        known = ~np.isnan(values[i]) & ~np.isnan(values[j])
        x, y = values[i, known], values[j, known]
        if {i, j} & {3, 4, 5}:
            assert np.isnan(both.pearson[i, j])
            assert np.isnan(both.spearman[i, j])
            assert both.n[i, j] == 0
        else:
            assert both.n[i, j] == known.sum()
            assert both.pearson[i, j] == pytest.approx(stats.pearsonr(x, y).statistic)
            assert both.spearman[i, j] == pytest.approx(stats.spearmanr(x, y).statistic)


def test_runs_that_differ_in_a_seed_alone_are_one_setting() -> None:
    seeds = [Settings(0.5, seed=1), Settings(0.5, seed=2), Settings(1.0, seed=1), Settings(), Settings()]
    runs = tuple(replace(run, model="m", settings=of) for run, of in zip(STUDY.runs, seeds))
    study = replace(STUDY, runs=runs)
    found = observations(study, RESULTS, CHOSEN, "settings")
    assert found.labels == ("m, temperature 0.5", "run 2", "run 3", "run 4")
    mean = np.mean([RESULTS[name, "rouge_l"].corpus for name in ("run 0", "run 1")])
    assert found.values[found.names.index("rouge_l"), 0] == pytest.approx(mean)
    assert agreement(found).n[0, 1] == 4


def test_all_metrics_point_one_way() -> None:
    """TRM, a distance, and Self-BLEU, which falls as diversity rises, are negated, so that higher values mean better or
    more.
    """
    found = observations(STUDY, RESULTS, CHOSEN, "items")
    (bleu,) = (k for k, name in enumerate(found.names) if name == "self_bleu_4")
    assert "self_bleu_4" in found.lower
    assert found.stated(bleu)[:12] == pytest.approx(RESULTS["run 0", "self_bleu_4"].items, nan_ok=True)
    assert found.values[bleu][:12] == pytest.approx(-RESULTS["run 0", "self_bleu_4"].items, nan_ok=True)


def test_tables_of_systems() -> None:
    table = SystemRatings("t", ("A", "B", "C"), {"human": (1, 2, 3)}, {"up": (1, 2, 4), "down": (3, 2, 0)}, {"down"})  # type: ignore[arg-type]
    found = observations(replace(STUDY, systems=(table,)), {}, (), "systems")
    assert agreement(found).pearson[0, 1] == pytest.approx(stats.pearsonr((1, 2, 4), (-3, -2, 0)).statistic)
    assert not observations(STUDY, RESULTS, CHOSEN, "systems").names


def test_like_metrics_stand_side_by_side() -> None:
    rng = np.random.default_rng(3)
    common = rng.normal(size=(3, 400))
    values = np.stack([common[k % 3] + 0.4 * rng.normal(size=400) for k in range(9)])
    r = agreement(points(values)).pearson
    place = order(r)
    assert sorted(place) == list(range(9))
    assert [len({k % 3 for k in place[start : start + 3]}) for start in (0, 3, 6)] == [1, 1, 1]
    assert sorted(map(sorted, groups_alike(r))) == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    near = squareform(1 - r, checks=False)
    assert all(r[i, j] >= 0.7 for rows in groups_alike(r) for i, j in combinations(rows, 2))
    height = squareform(cophenet(linkage(near, "complete")))
    assert all(height[i, j] <= 0.3 for rows in groups_alike(r) for i, j in combinations(rows, 2))


def test_an_undefined_correlation_stands_anywhere() -> None:
    r = np.array([[1, np.nan, 0.9], [np.nan, 1, np.nan], [0.9, np.nan, 1]])
    assert order(r)[1] != 1 or order(r) == [0, 2, 1]
    assert groups_alike(r) == [[0, 2]]


def test_disagreements_are_the_largest_differences_of_mid_ranks() -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(0, 9, size=(2, 60)).astype(float)
    found = replace(points(values), item=np.repeat(np.arange(20), 3))
    expected = [(stats.rankdata(side) - 0.5) / 60 for side in values]
    assert gaps(found, 0, 1) == pytest.approx(expected[0] - expected[1])
    likes, dislikes = disagreements(found, 0, 1, most=4)
    gap = expected[0] - expected[1]
    assert likes[0].gap == pytest.approx(gap.max())
    assert dislikes[0].gap == pytest.approx(gap.min())
    assert len({one.point // 3 for one in likes}) == 4
    best = np.sort(gap.reshape(20, 3).max(axis=1))[::-1][:4]
    assert [one.gap for one in likes] == pytest.approx(best)


def test_what_a_metric_places_higher_has_a_high_value() -> None:
    """Most values of the first metric are almost 0; their ranks differ most from those of the second metric."""
    low = np.linspace(0.0, 0.01, 50)
    first = np.concatenate([low, [0.3, 0.5, 0.7]])
    second = np.concatenate([low[::-1], [0.004, 0.2, 0.9]])
    (shown,), _ = disagreements(points(np.stack([first, second])), 0, 1, most=1)
    assert shown.first == pytest.approx(0.3)


def test_the_table_has_every_pair_once() -> None:
    table = as_table([observations(STUDY, RESULTS, CHOSEN, over) for over in ("items", "captions", "runs")])
    assert len(table) == 2 * (10 + 3 + 15)
    row = table[(table.over == "runs") & (table.statistic == "pearson")].iloc[0]
    x, y = ([turned(name, RESULTS[run.name, name].corpus) for run in STUDY.runs] for name in (row.metric, row.other))
    assert row.value == pytest.approx(stats.pearsonr(x, y).statistic)

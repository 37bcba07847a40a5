"""Test the comparison of settings on scored captions: means over seeds, tests, tables, and why a difference is
missing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from data.study import Run
from metrics.analysis.frontier import frontier
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.setting_differences import by_item, differences, standing
from metrics.analysis.replicates.settings_as_runs import by_setting
from metrics.analysis.replicates.tables import COLUMNS, DIFFERENCES, as_table, differences_table
from metrics.engine.scoring import score
from metrics.registry import METRICS as METRICS_BY_NAME
from tests.analysis.replicates.studies import split
from tests.studies import study

STUDY = split(study(items=30, candidates=6, runs=2, seed=4), 3)
ROUGE, BLEU, ZIPF = METRICS = tuple(METRICS_BY_NAME[name] for name in ("rouge_l", "bleu_4", "zipf"))
NUMBERS = Numbers(score(STUDY, METRICS))
SETTINGS = replicates(STUDY.runs)


def items(run: Run | str, metric: str = "rouge_l") -> np.ndarray:
    return NUMBERS.results[run if isinstance(run, str) else run.name, metric].items


def test_a_setting_is_the_mean_of_its_seeds() -> None:
    assert [setting.name for setting in SETTINGS] == ["run 0", "run 1"]
    for metric in METRICS:
        found = standing(STUDY, NUMBERS, metric, SETTINGS)
        values = [[NUMBERS.results[name, metric.name].corpus for name in of.runs] for of in SETTINGS]
        assert found.values == pytest.approx(np.mean(values, axis=1))
        assert [one.sd for one in found.estimates] == pytest.approx(np.std(values, axis=1, ddof=1))
        assert [one.n for one in found.estimates] == [30, 30]
        assert np.isfinite([one.share for one in found.estimates]).all() == metric.additive


def test_the_difference_is_judged_over_items_and_seeds() -> None:
    """The expected variance is that of the paired t-test over items, plus that of the seeds, with Satterthwaite's
    df.
    """
    (found,) = differences(STUDY, NUMBERS, *SETTINGS, (ROUGE,))
    gap = np.mean([items(r) for r in SETTINGS[0].runs], axis=0) - np.mean([items(r) for r in SETTINGS[1].runs], axis=0)
    of_items, seeds, unsure = gap.var(ddof=1) / 30, 0.0, 0.0
    for setting in SETTINGS:
        values = np.array([items(run) for run in setting.runs])
        rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
        drawn, between = (rest**2).sum() / (2 * 29 * 30), values.mean(axis=1).var(ddof=1)
        seeds += max(between - drawn, 0) / 3
        unsure += (max(between, drawn) / 3) ** 2 / 2
    error = np.sqrt(of_items + seeds)
    freedom = error**4 / (of_items**2 / 29 + unsure)
    assert found.over == "items and seeds"
    assert found.difference == pytest.approx(gap.mean())
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(gap.mean()) / error, freedom), rel=0.1)
    reach = stats.t.isf(0.025, freedom) * error
    assert [found.low, found.high] == pytest.approx([gap.mean() - reach, gap.mean() + reach], rel=0.1, abs=0.004)
    assert found.p_holm == found.p_value
    deviations = [one.sd for one in found.estimates]
    assert found.seeds_apart == pytest.approx(np.sqrt(deviations[0] ** 2 + deviations[1] ** 2))


def test_a_metric_of_whole_runs_is_judged_over_seeds_alone() -> None:
    found = differences(STUDY, NUMBERS, *SETTINGS, METRICS)[-1]
    values = [[NUMBERS.results[name, "zipf"].corpus for name in of.runs] for of in SETTINGS]
    assert found.over == "seeds"
    assert found.p_value == pytest.approx(stats.ttest_ind(*values, equal_var=False).pvalue)
    assert found.p_holm >= found.p_value


def test_one_run_leaves_the_seeds_unknown() -> None:
    one = replace(STUDY, runs=STUDY.runs[2:])
    numbers = Numbers({key: result for key, result in NUMBERS.results.items() if key[0] in {r.name for r in one.runs}})
    settings = replicates(one.runs)
    by = dict(zip(("rouge_l", "bleu_4", "zipf"), differences(one, numbers, *settings, METRICS)))
    assert by["rouge_l"].over == "items"
    assert by["zipf"].reason == "no resamples, and the difference between seeds is not known"
    assert np.isnan(by["zipf"].p_value)
    table = differences_table(list(by.values()))
    assert table.note[0] == "one run of run 0 seed 2: the difference between seeds is not known"


def test_seeds_that_say_the_same_change_nothing() -> None:
    """If all replicates have the same captions, only the paired comparison over items is left."""
    first, second = STUDY.runs[0], STUDY.runs[3]
    copies = [replace(first, name=f"run 0 seed {k}", settings=replace(first.settings, seed=k)) for k in range(2)]
    others = [replace(second, name=f"run 1 seed {k}", settings=replace(second.settings, seed=k)) for k in range(2)]
    same = replace(STUDY, runs=(*copies, *others))
    metric = ROUGE
    numbers = Numbers(score(same, (metric,)))
    (found,) = differences(same, numbers, *replicates(same.runs), (metric,))
    pairs = numbers.pairs(same, metric, (copies[0], others[0]))
    assert (found.p_value, found.low) == pytest.approx((pairs.p[0, 1], pairs.low[0, 1]))


def test_the_tables_hold_all_of_it() -> None:
    table = as_table([standing(STUDY, NUMBERS, metric, SETTINGS) for metric in METRICS])
    assert tuple(table.columns) == COLUMNS
    assert len(table) == 6
    assert tuple(differences_table(differences(STUDY, NUMBERS, *SETTINGS, METRICS)).columns) == DIFFERENCES


@pytest.mark.parametrize("scored", [0, 1, 3, 6])
def test_a_frontier_of_settings_waits_for_the_numbers_of_a_metric(scored: int) -> None:
    """While results of a metric arrive, a setting is shown as soon as all of its seeds have a result."""
    some = [(run.name, "distinct_1") for run in STUDY.runs[:scored]]
    computed = {**NUMBERS.results, **score(STUDY, [METRICS_BY_NAME["distinct_1"]])}
    kept = {key: result for key, result in computed.items() if key[1] == "rouge_l" or key in some}
    merged, numbers = by_setting(STUDY, Numbers(kept), SETTINGS)
    found = frontier(merged, numbers, ROUGE, METRICS_BY_NAME["distinct_1"], merged.runs)
    assert [run.name for run in found.runs] == [of.name for of in SETTINGS[: scored // 3]]
    assert np.isfinite(found.diversity.value).all()


def test_settings_item_by_item_have_the_difference_of_the_test_and_no_test() -> None:
    (tested,) = differences(STUDY, NUMBERS, *SETTINGS, (ROUGE,))
    found = by_item(STUDY, NUMBERS, ROUGE, *SETTINGS)
    sides = [np.mean([items(run) for run in of.runs], axis=0) for of in SETTINGS]
    assert found.sides == pytest.approx(np.array(sides))
    assert found.difference == pytest.approx(tested.difference)
    assert np.isnan(found.test.p_value)
    turned = by_item(STUDY, NUMBERS, ROUGE, *SETTINGS[::-1])
    assert turned.difference == pytest.approx(-found.difference)


def test_settings_without_a_value_for_each_item_and_seed_say_so() -> None:
    assert "has no value for each item and seed" in by_item(STUDY, NUMBERS, ZIPF, *SETTINGS).reason
    seed = SETTINGS[1].runs[-1]
    fewer = Numbers({key: result for key, result in NUMBERS.results.items() if key != (seed, "rouge_l")})
    assert "has no value for each item and seed" in by_item(STUDY, fewer, ROUGE, *SETTINGS).reason
    assert not by_item(STUDY, fewer, BLEU, *SETTINGS).reason


def test_a_setting_that_leads_is_compared_for_all_pairs() -> None:
    several = split(study(items=30, candidates=6, runs=4, seed=4), 3)
    numbers = Numbers(score(several, [ROUGE, ZIPF]))
    every = replicates(several.runs)
    whole = standing(several, numbers, ROUGE, every)
    first, *others = (every[k] for k in np.argsort(-whole.values))
    led, alone = (differences(several, numbers, *pair, (ROUGE, ZIPF)) for pair in ((first, others[0]), others[:2]))
    assert [one.among for one in (*led, *alone)] == [4, 4, 2, 2]
    assert led[0].p_value == whole.pairs.p[every.index(first), every.index(others[0])]
    assert alone[0].p_value == standing(several, numbers, ROUGE, others[:2]).pairs.p[0, 1]
    assert differences_table(led)["note"].str.contains("all pairs of 4 settings").all()
    seeds = differences(several, numbers, first, others[0], (ROUGE, ZIPF))[1]
    welch = stats.ttest_ind(*(one.values for one in seeds.estimates), equal_var=False)
    assert seeds.over == "seeds"
    assert seeds.p_value == pytest.approx(min(6 * welch.pvalue, 1))

"""Test power by resampling against the noncentral t distribution and against loops, and that it is reproducible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from data.study import Run, Settings, Study
from figures.sensitivity import words
from metrics.analysis.sensitivity import power, speed, tables
from metrics.engine import scoring
from metrics.progress import Cancelled, Hooks
from metrics.registry import METRICS
from tests.studies import study as random_study

ROUGE = METRICS["rouge_l"]


def normal_world(mean: float, items: int = 4_000) -> np.ndarray:
    """Return differences (items, 1) with exactly this mean and standard deviation 1."""
    drawn = np.random.default_rng(3).normal(size=(items, 1))
    return (drawn - drawn.mean()) / drawn.std() + mean


@pytest.mark.parametrize(("mean", "items"), [(0.2, 50), (0.2, 200), (-0.1, 400), (0.5, 10)])
def test_power_in_a_normal_world_is_that_of_the_noncentral_t(mean: float, items: int) -> None:
    found = power.power(normal_world(mean), items, 6_000, np.random.default_rng(0))
    shift = abs(mean) * np.sqrt(items)
    expected = stats.nct.sf(stats.t.ppf(0.975, items - 1), items - 1, shift)
    assert found == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 6_000) + 0.002)


def test_without_a_difference_each_side_is_found_in_2_5_percent() -> None:
    found = power.power(normal_world(1e-9), 60, 8_000, np.random.default_rng(1))
    assert found == pytest.approx(0.025, abs=4 * np.sqrt(0.025 * 0.975 / 8_000))


def test_the_number_of_items_reaches_80_percent_and_its_interval_holds_what_it_says() -> None:
    need = power.needed(normal_world(0.2))
    assert need.items == 199  # by the noncentral t: (1.960 + 0.842) ** 2 / 0.04 + 1.92 = 198.1
    assert power.power(normal_world(0.2), 199, 4_000, np.random.default_rng(2)) == pytest.approx(0.8, abs=0.03)
    rng, held = np.random.default_rng(7), 0
    for _ in range(300):
        one = power.needed(rng.normal(0.3, 1, (150, 1)))
        held += one.low <= 90 <= one.high
    assert held / 300 == pytest.approx(0.8, abs=4 * np.sqrt(0.8 * 0.2 / 300))


@pytest.mark.parametrize("variants", [1, 40])
@pytest.mark.parametrize("items", [20, 40])
def test_of_few_items_the_interval_holds_the_number_too(items: int, variants: int) -> None:
    """A bootstrap interval covered the true number of items in only 66 % of studies of 3 items.

    In skewed studies of 20 items, it covered the number in 55 %.
    """
    rng, held = np.random.default_rng(items), 0
    for _ in range(500):
        drawn = rng.normal(0.3, 1, (items, 1)) + rng.normal(0, variants > 1, (items, variants))
        need = power.needed(drawn)
        held += need.low <= (90 if variants == 1 else 177) <= need.high
    assert held / 500 >= 0.78


def test_a_difference_within_chance_may_need_any_number_of_items() -> None:
    need = power.needed(normal_world(0.01, 100))
    assert np.isinf(need.high)
    assert power.needed(np.zeros((20, 1))) == (np.inf,) * 3
    assert power.needed(np.full((20, 3), 0.1)) == (2, 2, 2)
    assert power.paired_p(np.zeros(20)) == 1
    assert power.paired_p(np.full(20, 0.1)) == 2.0**-19


def test_p_is_that_of_the_paired_t_test() -> None:
    first, second = np.random.default_rng(0).normal(size=(2, 30))
    assert power.paired_p(second - first) == pytest.approx(stats.ttest_rel(second, first).pvalue)


def test_variants_draw_candidates_without_replacement() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random((5, 3, 4)), rng.random((5, 3, 4))
    every = power.variants(first, second, 4, rng)
    expected = (second - first).mean(axis=2)
    assert np.allclose(every, expected[:, np.arange(40) % 3])
    single = power.variants(first, second, 1, rng)
    for item in range(5):
        for k in range(40):
            options = np.subtract.outer(second[item, k % 3], first[item, k % 3])
            assert np.isclose(options, single[item, k]).any()
    second[2, :, 3] = np.nan
    fewer = power.variants(first, second, 4, rng)
    assert np.isnan(fewer[2]).all()
    assert not np.isnan(power.variants(first, second, 3, rng)).any()


def test_equal_runs_do_not_differ_in_the_last_digit() -> None:
    scores = np.random.default_rng(0).random((40, 1, 5))
    differences = power.variants(scores, scores[:, :, ::-1], 5, np.random.default_rng(1))
    assert not differences.any()
    assert power.paired_p(differences.mean(axis=1)) == 1
    assert np.isinf(power.needed(differences).low)


@pytest.fixture(scope="module")
def study() -> Study:
    """Make two runs with three candidates per item; those of the second run often repeat a reference."""
    made = random_study(items=30, references=3, candidates=3, runs=1, seed=2)
    said = {i.id: (i.references[0], *made.runs[0].candidates[i.id][1:]) for i in made.items}
    return replace(made, runs=(*made.runs, Run("better", "better", Settings(), said)))


@pytest.fixture(scope="module")
def found(study: Study) -> power.Power:
    made = power.design(study, ("run 0", "better"), ROUGE, (10, 60), draws=200)
    assert made is not None
    return power.measure(study, made, ROUGE)


def test_the_difference_with_everything_is_that_of_the_engine(study: Study, found: power.Power) -> None:
    assert found.design.items == (10, 30, 60)
    assert found.design.candidates == (1, 2, 3)
    assert found.design.references.sizes == (1, 2, 3)
    results = scoring.score(study, [ROUGE])
    gaps = results["better", "rouge_l"].items - results["run 0", "rouge_l"].items
    assert found.gap[-1, -1, 0] == pytest.approx(gaps.mean())
    assert found.gap[-1, -1, 1] == pytest.approx(gaps.std(), rel=1e-3)
    assert found.p[-1, -1] == pytest.approx(stats.ttest_1samp(gaps, 0).pvalue)
    effect = gaps.mean() / gaps.std(ddof=1) * (1 - 3 / (4 * 30 - 5))
    normal = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2 / effect**2 + stats.norm.ppf(0.975) ** 2 / 2
    assert found.significant
    assert found.needed(3, 3).items == max(2, np.ceil(normal))
    # More candidates and more items increase power.
    assert found.share[-1, 2, 0] >= found.share[-1, 0, 0]
    assert found.share[-1, 0, 2] >= found.share[-1, 0, 0]
    assert found.beyond(60)
    assert not found.beyond(30)


def equal_runs(items: int, seed: int) -> Study:
    return random_study(items=items, references=3, candidates=2, runs=2, seed=seed)


def test_a_difference_that_is_not_significant_has_no_number_but_its_interval() -> None:
    """Without the test, one in five pairs of equal runs had a number of items; now only pairs that differ at 5 % have
    one.
    """
    stated = []
    for seed in range(12):
        drawn = equal_runs(24, seed)
        made = power.design(drawn, ("run 0", "run 1"), ROUGE, (10,), draws=10)
        assert made is not None
        found = power.measure(drawn, made, ROUGE)
        need = found.needed(3, 2)
        assert np.isfinite(need.items) == found.significant
        assert np.isfinite(need.low)
        stated.append(np.isfinite(need.items))
    assert sum(stated) <= 2


def test_nothing_is_estimated_of_fewer_than_20_items() -> None:
    drawn = equal_runs(19, 0)
    made = power.design(drawn, ("run 0", "run 1"), ROUGE, (10, 60), draws=10)
    assert made is not None
    found = power.measure(drawn, made, ROUGE)
    assert not found.known
    assert not found.significant
    assert np.isnan(found.needed(3, 2)).all()
    assert power.fits(found.arrays(), made)


def test_power_is_reproducible_kept_and_stopped(study: Study, found: power.Power) -> None:
    again = power.measure(study, found.design, ROUGE)
    for name, array in found.arrays().items():
        assert np.array_equal(array, again.arrays()[name], equal_nan=True)
    kept = power.from_arrays(found.design, found.arrays())
    assert np.allclose(kept.need, found.need)
    assert power.fits(found.arrays(), found.design)
    assert not power.fits({**found.arrays(), "share": found.share + 1}, found.design)
    table = tables.power_table(found, ROUGE)
    assert len(table) == 27
    assert table[table["items"] == 60].extrapolated.all()
    with pytest.raises(Cancelled):
        power.measure(study, found.design, ROUGE, Hooks(should_stop=lambda: True))


def test_a_metric_of_sets_is_drawn_with_all_candidates(study: Study) -> None:
    metric = METRICS["trm_rouge_l"]
    made = power.design(study, ("run 0", "better"), metric, (10,), draws=50)
    assert made is not None
    assert made.candidates == (3,)
    found = power.measure(study, made, metric)
    assert np.isnan(found.share[0]).all()  # one reference: no triangle
    assert np.isfinite(found.share[1:]).all()
    bare = Study("bare", (replace(study.items[0], references=()),), study.runs)
    assert power.design(bare, ("run 0", "better"), ROUGE) is None


def test_speeds_are_of_the_captions_that_were_timed(study: Study) -> None:
    found = speed.measure(study, study.runs[0], [ROUGE, METRICS["bleu_4"]], items=20)
    assert [one.metric for one in found] == ["rouge_l", "bleu_4"]
    for one in found:
        assert (one.items, one.captions, one.error) == (20, 60, "")
        assert one.items_per_second * one.seconds == pytest.approx(20)
        assert one.captions_per_second == pytest.approx(3 * one.items_per_second)


def test_a_metric_of_runs_is_timed_too_and_one_without_a_value_has_no_speed(study: Study) -> None:
    run, metrics = study.runs[0], [METRICS["corpus_ms_jaccard_4"], METRICS["mauve_bert"]]
    (words, mauve) = speed.measure(study, run, metrics, items=20)
    assert (words.items, words.captions, words.error, mauve.error) == (20, 60, "", "")
    assert min(words.captions_per_second, mauve.captions_per_second) > 0
    (few,) = speed.measure(study, run, [METRICS["mauve_bert"]], items=4)
    assert few.error == "needs 50 captions of the run, has 12"
    assert np.isnan(few.captions_per_second)


def test_of_clusters_as_many_images_are_needed_as_their_sums_say() -> None:
    """Two equal images in a cluster carry as much information as one, so the same power needs twice as many images."""
    alone = normal_world(0.2, 200)
    twice, each = power.in_clusters(np.repeat(alone, 2, axis=0), np.repeat(np.arange(200), 2))
    assert each == 2
    assert np.allclose(twice, alone)
    uneven, each = power.in_clusters(np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 1, 2]))
    assert uneven[:, 0].tolist() == [3, 2, 2.5]
    assert (each, uneven.mean()) == (2, 2.5)


def test_a_study_in_clusters_draws_whole_ones_and_says_so(study: Study) -> None:
    items = tuple(replace(item, cluster=str(k // 2) if k < 10 else "") for k, item in enumerate(study.items))
    of = replace(study, items=items)
    made, alone = (power.design(one, ("run 0", "better"), ROUGE, (10,), draws=50) for one in (of, study))
    assert made is not None
    assert alone is not None
    found, before = power.measure(of, made, ROUGE), power.measure(study, alone, ROUGE)
    assert found.gap[-1, -1, 0] == pytest.approx(before.gap[-1, -1, 0])
    assert found.p[-1, -1] != before.p[-1, -1]
    assert power.key(of, made, ROUGE) != power.key(study, alone, ROUGE)
    assert "n = 30 images in 25 clusters, each drawn as a whole" in words.power_facts(found, 3, "image")[0]
    few = tuple(replace(item, cluster=str(k // 2)) for k, item in enumerate(study.items))
    made = power.design(replace(study, items=few), ("run 0", "better"), ROUGE, (10,), draws=50)
    assert made is not None
    assert not power.measure(study, made, ROUGE).known  # 15 clusters

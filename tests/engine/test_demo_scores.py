"""What ships with the demo is complete, is what the engine computes, and shows the effects the demo was made for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from data.demo import CACHE_LAYER, load
from data.study import Study
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS, resolve

OPTIONS = Options(p_values=True)
TRUTH = "Oracle T=1.0"


@pytest.fixture(scope="module")
def demo() -> Study:
    return load()


@pytest.fixture(scope="module")
def shipped(demo: Study) -> scoring.Results:
    plan = scoring.plan(demo, METRICS.values(), OPTIONS, Cache(None, (CACHE_LAYER,)))
    assert not plan.todo, "run `python -m metrics demo --out DIR --scores` and ship its scores.zip"
    return plan.ready


def by_run(demo: Study, shipped: scoring.Results, metric: str) -> dict[str, float]:
    return {run.name: shipped[run.name, metric].corpus for run in demo.runs}


def test_the_layer_is_small() -> None:
    assert CACHE_LAYER.stat().st_size < 4_000_000


@pytest.mark.parametrize("metric", ["trm_meteor", "trm_bert"])
def test_the_truth_has_the_lowest_triangle_rank(demo: Study, shipped: scoring.Results, metric: str) -> None:
    values = by_run(demo, shipped, metric)
    assert min(values, key=values.__getitem__) == TRUTH
    result = shipped[TRUTH, metric]
    assert result.item_p is not None
    assert kstest(result.item_p, "uniform").pvalue > 0.05
    assert result.p_value > 0.05
    assert result.p_hmp > 0.05


def test_every_other_setting_is_rejected_by_triangle_rank(demo: Study, shipped: scoring.Results) -> None:
    for run in demo.runs:
        if run.name != TRUTH:
            assert shipped[run.name, "trm_meteor"].p_value < 0.05, run.name


def test_peaked_wins_by_quality_alone(demo: Study, shipped: scoring.Results) -> None:
    for metric in ("cider_d", "bleu_4", "meteor", "rouge_l"):
        assert shipped["Peaked T=1.0", metric].corpus > shipped[TRUTH, metric].corpus, metric


def test_loose_is_the_most_diverse(demo: Study, shipped: scoring.Results) -> None:
    for metric, sign in (("distinct_2", 1), ("self_bleu_4", -1), ("vendi_bert", 1)):
        for temperature in ("0.7", "1.0", "1.3", "1.6"):
            found = {
                name: sign * shipped[f"{name} T={temperature}", metric].corpus for name in ("Oracle", "Peaked", "Loose")
            }
            assert max(found, key=found.__getitem__) == "Loose", (metric, temperature)


@pytest.mark.slow
def test_a_sample_is_what_the_engine_computes(demo: Study, shipped: scoring.Results) -> None:
    """Three items of one run anew: every metric that does not look at the whole study."""
    run, places = "Loose T=1.3", [3, 20, 41]
    small = demo.only(items=[demo.items[k].id for k in places], runs=[run])
    metrics = [m for m in METRICS.values() if m.of_items and m.learns == "nothing"]
    for (name, metric), result in scoring.score(small, metrics, OPTIONS).items():
        whole = shipped[name, metric]
        slack = 2e-6 if result.metric.work == "encoder" else 1e-12
        np.testing.assert_allclose(
            result.items, whole.items[places], rtol=1e-5 if slack > 1e-9 else 0, atol=slack, err_msg=metric
        )
        if result.item_p is not None and whole.item_p is not None:
            np.testing.assert_allclose(
                result.item_p, whole.item_p[places], atol=5e-3 if slack > 1e-9 else 0, err_msg=metric
            )


@pytest.mark.slow
def test_metrics_of_the_whole_study_are_what_the_engine_computes(demo: Study, shipped: scoring.Results) -> None:
    run = "Peaked T=0.7"
    names = ["cider_d", "self_cider", "vocabulary", "corpus_ms_jaccard_4", "corpus_self_bleu_4"]
    found = scoring.score(demo.only(runs=[run]), resolve(names), Options())
    for name in names:
        assert found[run, name].corpus == pytest.approx(shipped[run, name].corpus, abs=1e-12), name
        assert found[run, name].low == pytest.approx(shipped[run, name].low, abs=1e-9), name

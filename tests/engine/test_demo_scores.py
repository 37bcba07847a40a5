"""Test results that ship with the demo: they are complete, equal the engine's and show known effects; stale ones are
replaced.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest, ttest_rel

from data.demo import CACHE_LAYER, LAYERS, load
from data.study import Study
from metrics.analysis import artifacts
from metrics.analysis import shipped_results as shipping
from metrics.analysis.critique import stored
from metrics.cache.disk import KINDS, Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS, resolve
from metrics.suite.distribution import MsJaccard
from metrics.suite.diversity import UniqueCaptions
from tests.engine.test_damage import equal

OPTIONS = Options(p_values=True)
TRUTH = "Oracle T=1.0"


@pytest.fixture(scope="module")
def demo() -> Study:
    return load()


FILES = sorted(CACHE_LAYER.glob("*.zip"))


@pytest.fixture(scope="module")
def shipped(demo: Study) -> scoring.Results:
    metrics = [METRICS[path.stem] for path in FILES]
    return scoring.plan(demo, metrics, OPTIONS, Cache(None, (CACHE_LAYER,))).ready


def by_run(demo: Study, shipped: scoring.Results, metric: str) -> dict[str, float]:
    return {run.name: shipped[run.name, metric].corpus for run in demo.runs}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_metric_is_whole_and_small(demo: Study, path: Path) -> None:
    """Results of a metric need not ship; without them, they are computed on request."""
    assert path.stem in METRICS, f"{path.name} belongs to no metric: remove it"
    again = "run `trilens demo --out DIR --scores` and copy this file of DIR/scores"
    found = shipping.entry_keys(METRICS[path.stem], demo, OPTIONS, Cache(None, (CACHE_LAYER,)))
    assert shipping.members(path) == found, again
    assert path.stat().st_size < (1_200_000 if any(key.startswith("pooled/") for key in found) else 200_000)


def test_every_value_lies_in_its_interval(shipped: scoring.Results) -> None:
    stated = [one for one in shipped.values() if np.isfinite(one.low)]
    assert len(stated) > 500
    beyond = [(run, name) for (run, name), one in shipped.items() if one.corpus < one.low or one.corpus > one.high]
    assert beyond == []


def test_all_of_it_is_small() -> None:
    assert sum(path.stat().st_size for path in FILES) < 80_000 * max(len(FILES), 50)


def test_the_critiques_of_the_page_ship_trained_and_show_the_known_effects(demo: Study) -> None:
    design, cache = stored.Design(), Cache(None, LAYERS)
    arrays = artifacts.critiques(demo, design, cache).stored(cache)
    assert arrays is not None, "run `trilens demo --out DIR --scores` and copy DIR/critiques.zip"
    found = {one.run: one for one in stored.from_arrays(demo, design, arrays)}
    slow = {
        name: np.mean([people.mean() - own.mean() for people, own in zip(one.people_scores, one.run_scores)])
        for name, one in found.items()
    }
    assert {name: one.scores["people_less_run"].value for name, one in found.items()} == pytest.approx(slow)
    assert abs(slow[TRUTH]) < 0.02, "nobody can tell the truth from people"
    assert max(slow, key=lambda name: slow[name]) == "Loose T=1.6", "the hottest of the model that gets facts wrong"


@pytest.fixture(scope="module")
def rewritten(demo: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which `demo --scores` found one complete, one stale, one damaged and one unknown file."""
    folder = tmp_path_factory.mktemp("scores")
    (folder / "bleu_1.zip").write_bytes((CACHE_LAYER / "bleu_1.zip").read_bytes())
    (folder / "bleu_2.zip").write_bytes((CACHE_LAYER / "bleu_3.zip").read_bytes())
    (folder / "zipf.zip").write_bytes(b"PK")
    (folder / "forgotten.zip").write_bytes(b"")
    metrics = resolve(["bleu_1", "bleu_2", "zipf", "distinct_1", "trm_bert"])
    cache = Cache(None, (CACHE_LAYER,))
    written = shipping.write_scores(folder, demo, metrics, OPTIONS, cache)
    assert {path.stem for path in written} == {"bleu_2", "zipf", "distinct_1", "trm_bert"}
    assert not cache.keys("stats"), "everything ships, so nothing was computed"
    assert shipping.write_scores(folder, demo, metrics, OPTIONS, cache) == []
    return folder


def test_only_what_is_missing_or_stale_is_written(rewritten: Path) -> None:
    assert {path.stem for path in rewritten.iterdir()} == {"bleu_1", "bleu_2", "zipf", "distinct_1", "trm_bert"}


@pytest.mark.parametrize("name", ["bleu_2", "zipf", "distinct_1", "trm_bert"])
def test_a_file_that_is_written_again_holds_the_same_arrays(rewritten: Path, name: str) -> None:
    one, other = (Cache(None, (folder / f"{name}.zip",)) for folder in (CACHE_LAYER, rewritten))
    keys = [key for kind in KINDS for key in one.keys(kind)]
    assert keys
    assert sorted(keys) == sorted(key for kind in KINDS for key in other.keys(kind))
    for key in keys:
        assert equal(one.get(key) or {}, other.get(key) or {}), key


def test_an_edited_metric_is_computed_and_replaced_alone(
    demo: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics, cache = resolve(["unique_captions", "caption_length"]), Cache(None, (CACHE_LAYER,))
    shipping.write_scores(tmp_path, demo, metrics, OPTIONS, cache)
    before = (tmp_path / "caption_length.zip").read_bytes()
    monkeypatch.setattr(UniqueCaptions, "version", 7)
    assert shipping.write_scores(tmp_path, demo, metrics, OPTIONS, cache) == [tmp_path / "unique_captions.zip"]
    assert (tmp_path / "caption_length.zip").read_bytes() == before
    assert shipping.members(tmp_path / "unique_captions.zip") <= cache.keys("results")


def test_a_metric_without_shipped_results_is_computed_when_asked_for(demo: Study) -> None:
    metric = MsJaccard(n=4, tokenizer="whitespace")
    found = scoring.score(demo.only(runs=[TRUTH]), [metric], Options(), Cache(None, (CACHE_LAYER,)))
    assert 0 < found[TRUTH, metric.name].corpus < 1


@pytest.mark.parametrize("metric", ["trm_meteor", "trm_bert"])
def test_the_truth_has_the_lowest_triangle_rank(demo: Study, shipped: scoring.Results, metric: str) -> None:
    values = by_run(demo, shipped, metric)
    first, second = sorted(values, key=values.__getitem__)[:2]
    assert first == TRUTH
    assert values[second] - values[first] > 0.05
    result = shipped[TRUTH, metric]
    for run in set(values) - {TRUTH}:
        farther = ttest_rel(shipped[run, metric].items, result.items, alternative="greater")
        assert farther.pvalue < 0.05, run
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
    """Three items of one run are scored again by all metrics whose values do not depend on the rest of the study."""
    run, places = "Loose T=1.3", [3, 20, 41]
    small = demo.only(items=[demo.items[k].id for k in places], runs=[run])
    metrics = [m for m in METRICS.values() if m.of_items and m.learns == "nothing" and (run, m.name) in shipped]
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

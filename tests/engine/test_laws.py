"""Test laws that hold for every registered metric."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.central import study as central_study
from metrics.base import Metric
from metrics.bootstrap import LEAST
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.distances.base import pooled_key
from metrics.engine import scoring, tasks
from metrics.engine.result import Result
from metrics.engine.scores_table import scores
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.guide import documentation
from metrics.laws.studies import with_logprobs
from metrics.registry import METRICS, SETS, resolve, with_parameters
from metrics.suite.consensus import Consensus
from metrics.suite.distribution import Trm
from metrics.suite.quality import PairQuality
from tests.studies import captions, study

ROOT = Path(__file__).parents[2]
ALL = tuple(METRICS.values())
ENCODED = 2e-6  # the encoder's error for the same text in another batch
OPTIONS = Options(p_values=True, draws=999, resamples=200)


def compute_results(of: Study, options: Options = OPTIONS, **more: object) -> scoring.Results:
    return scoring.score(with_logprobs(of), ALL, options, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def plain() -> Study:
    # Enough texts for the corpus metrics of embeddings, and few enough partitions for fast tests.
    return study(items=13, references=4, candidates=5, runs=2, seed=3)


@pytest.fixture(scope="module")
def results(plain: Study) -> scoring.Results:
    return compute_results(plain)


def same(one: Result, other: Result, tolerance: float = 0.0) -> None:
    """Check that values are equal at every level, up to ENCODED for metrics that use an encoder, else up to
    `tolerance`.

    If values must be exactly equal, so must p.
    """
    slack = ENCODED if one.metric.work == "encoder" else tolerance
    for name in ("corpus", "items", "totals"):
        left, right = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(
            left, right, rtol=1e-5 if slack else 0, atol=slack, err_msg=f"{one.metric.name} {name}"
        )
    if slack == 0:
        np.testing.assert_equal((one.p_value, one.p_hmp), (other.p_value, other.p_hmp), err_msg=one.metric.name)


def alike(some: scoring.Results, others: scoring.Results, tolerance: float = 0.0) -> bool:
    assert some
    assert some.keys() == others.keys()
    for key, result in some.items():
        same(result, others[key], tolerance)
    return True


def test_every_metric_has_a_value_here(results: scoring.Results) -> None:
    missing = {key: result.why() for key, result in results.items() if np.isnan(result.corpus)}
    assert missing == {}


def test_order_of_captions_is_irrelevant(plain: Study, results: scoring.Results) -> None:
    source = random.Random(1)
    shuffled = replace(
        plain,
        items=tuple(replace(i, references=tuple(source.sample(i.references, len(i.references)))) for i in plain.items),
        runs=tuple(
            replace(r, candidates={k: tuple(source.sample(c, len(c))) for k, c in r.candidates.items()})
            for r in plain.runs
        ),
    )
    assert alike(results, compute_results(shuffled))


def test_chunk_size_and_threads_are_irrelevant(plain: Study, results: scoring.Results) -> None:
    again = compute_results(plain, replace(OPTIONS, chunk=6), workers=Workers(jobs=1))  # the last chunk has one item
    assert alike(results, again, tolerance=1e-12)


def test_second_computation_and_cache_are_the_same(plain: Study, results: scoring.Results, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for _ in range(2):
        assert alike(results, compute_results(plain, cache=cache))
    assert not scoring.plan(with_logprobs(plain), ALL, OPTIONS, cache).todo


def test_intervals_hold_the_value(results: scoring.Results) -> None:
    for result in results.values():
        if np.isnan(result.low):
            known = result.items[~np.isnan(result.items)]
            assert np.isnan(result.high), result.metric.name
            assert len(set(known)) < 2, f"{result.metric.name} has no interval, though items differ"
        else:
            assert result.low <= result.corpus <= result.high, result.metric.name


def test_p_values_are_possible(results: scoring.Results) -> None:
    for result in results.values():
        assert result.tested == result.metric.tested, result.metric.name
        if result.item_p is not None and result.item_floor is not None:
            assert ((result.item_p >= result.item_floor - 1e-12) & (result.item_p <= 1)).all(), result.metric.name
            assert result.p_floor <= result.p_value <= 1, result.metric.name


BEST = {
    "bleu_1": 1.0,
    "bleu_2": 1.0,
    "bleu_3": 1.0,
    "bleu_4": 1.0,
    "rouge_l": 1.0,
    "bert": 1.0,
    "frechet_bert": 0.0,
    "corpus_frechet_bert": 0.0,
    "mauve_bert": 1.0,
    "ms_jaccard_2": 1.0,
    "ms_jaccard_3": 1.0,
    "ms_jaccard_4": 1.0,
    "ms_jaccard_5": 1.0,
    "corpus_ms_jaccard_2": 1.0,
    "corpus_ms_jaccard_3": 1.0,
    "corpus_ms_jaccard_4": 1.0,
    "corpus_ms_jaccard_5": 1.0,
}


@pytest.fixture(scope="module")
def twins() -> tuple[Study, scoring.Results]:
    source = random.Random(5)
    items = tuple(Item(str(k), captions(source, 5)) for k in range(12))
    runs = (Run("twin", "twin", Settings(), {i.id: tuple(reversed(i.references)) for i in items}),)
    same_sets = Study("twins", items, runs)
    return same_sets, compute_results(same_sets)


@pytest.mark.parametrize("name", BEST)
def test_identical_sets_are_best(twins: tuple[Study, scoring.Results], name: str) -> None:
    assert twins[1]["twin", name].corpus == pytest.approx(BEST[name], abs=2e-4 if "frechet" in name else 1e-6)


def test_identical_sets_leave_no_doubt_of_equality(twins: tuple[Study, scoring.Results]) -> None:
    """If both sides have the same captions, no test of kernels, covariances or scores may reject equality."""
    for (_, name), result in twins[1].items():
        if result.item_p is not None and not isinstance(result.metric, Trm):
            assert result.p_value > 0.5, name


def test_diversity_of_identical_sets_is_that_of_the_references(twins: tuple[Study, scoring.Results]) -> None:
    of, results = twins
    people = Study("people", of.items, (Run("people", "people", Settings(), {i.id: i.references for i in of.items}),))
    alone = [metric for metric in ALL if not metric.has_better_side]
    for (_, name), result in scoring.score(with_logprobs(people), alone, Options()).items():
        assert result.corpus == pytest.approx(results["twin", name].corpus, abs=1e-6), name


def test_an_item_that_fails_leaves_the_others(plain: Study, results: scoring.Results) -> None:
    bad = Item("bad", ("!!!",))
    runs = tuple(replace(run, candidates={**run.candidates, "bad": ("...",)}) for run in plain.runs)
    more = compute_results(replace(plain, items=(*plain.items, bad), runs=runs))
    for key, result in more.items():
        if len(result.items):
            assert not np.isnan(result.items[:-1]).any(), key
            assert np.isnan(result.items[-1]) <= (len(plain.items) in result.reasons), key
        if result.metric.learns == "nothing" and len(result.items):
            slack = ENCODED if result.metric.work == "encoder" else 0
            np.testing.assert_allclose(result.items[:-1], results[key].items, rtol=1e-5, atol=slack, err_msg=str(key))


def test_a_metric_that_fails_is_a_row(plain: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr("metrics.text.rouge.rouge_l_block", broken)
    table = scores(plain, scoring.score(plain, resolve(["rouge_l", "bleu_1"]), Options()))
    by_metric = table.set_index("metric")
    assert by_metric.loc["rouge_l", "error"].tolist() == ["RuntimeError: no luck"] * 2
    assert by_metric.loc["bleu_1", "value"].notna().all()


def test_signatures_are_unique_and_hold_every_parameter() -> None:
    assert len({metric.signature for metric in ALL}) == len(ALL)
    for metric in ALL:
        assert METRICS[metric.name] is metric
        if metric.work == "words" and metric.learns != "logprobs" and metric.name != "compression_ratio":  # bytes
            assert "tok:ptb" in metric.signature
            other = with_parameters(metric, {"tokenizer": "whitespace"})
            assert other.signature == metric.signature.replace("tok:ptb", "tok:whitespace")


@pytest.mark.parametrize("metric", [m for m in ALL if hasattr(m, "space")], ids=lambda metric: metric.name)
def test_a_changed_distance_is_another_number(metric: Metric, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the version of a distance changes, neither stored distances nor numbers computed from them are found."""
    of = study(items=2)
    chunk = Chunk.of(of.items, of.runs[0], Cache(None))
    made = [metric, Consensus(metric)] if isinstance(metric, PairQuality) else [metric]

    def keys() -> set[str]:
        results = {scoring.result_key(one, of.runs[0], of, Options()) for one in made}
        return results | {pooled_key(metric.space, chunk), central_study.key(of, metric.space)}

    before, (name, _, parameters) = keys(), metric.signature.split("|", 2)
    assert keys() == before
    newer = metric.space.version + 1
    monkeypatch.setattr(type(metric.space), "version", newer)
    assert not keys() & before
    assert metric.signature == f"{name}|v{metric.version}.{newer}|{parameters}"


def test_numbers_of_an_older_rule_of_intervals_or_tests_are_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    of, cache = study(items=2), Cache(None)

    def new(resamples: int, p_values: bool = True) -> set[str]:
        kinds = ("results", "stats", "tests")
        before = {kind: cache.keys(kind) for kind in kinds}
        scoring.score(of, [METRICS["trm_bow"]], Options(p_values=p_values, draws=19, resamples=resamples), cache)
        return {kind for kind in kinds if cache.keys(kind) - before[kind]}

    assert [new(5), new(5), new(6)] == [{"results", "stats", "tests"}, set(), {"results"}]
    monkeypatch.setattr(scoring, "VERSION", scoring.VERSION + 1)
    assert new(5) == {"results"}
    assert [new(5, p_values=False), new(5, p_values=False)] == [{"results"}, set()]
    monkeypatch.setattr(tasks, "VERSION", tasks.VERSION + 1)
    assert new(5) == {"results", "tests"}
    assert new(5, p_values=False) == set(), "a result without tests stays"


@pytest.mark.filterwarnings("error:.*(invalid|divide|empty|NaN):RuntimeWarning")
def test_few_items_have_values_and_no_bootstrap_interval() -> None:
    for result in compute_results(study(items=LEAST - 1, candidates=4, runs=1), Options()).values():
        if result.metric.of_items:
            assert np.isfinite(result.corpus), result.metric.name
            assert np.isnan([result.low, result.high]).all(), result.metric.name


def test_names_are_those_promised() -> None:
    promised = """bleu_1 bleu_2 bleu_3 bleu_4 rouge_l meteor cider_d bert trm_meteor trm_cider_d trm_bert trm_bleu_4
    trm_rouge_l trm_bow mmd_bert mmd_bow frechet_bert corpus_frechet_bert mauve_bert ms_jaccard_2 ms_jaccard_3
    ms_jaccard_4 ms_jaccard_5 self_bleu_2 self_bleu_3 self_bleu_4 self_bleu_5 corpus_ms_jaccard_2 corpus_ms_jaccard_3
    corpus_ms_jaccard_4 corpus_ms_jaccard_5 corpus_self_bleu_2 corpus_self_bleu_3 corpus_self_bleu_4
    corpus_self_bleu_5 distinct_1 distinct_2 unique_captions vocabulary caption_length zipf self_cider vendi_bert
    consensus_meteor consensus_cider_d consensus_bleu_4 consensus_rouge_l consensus_bert"""
    assert set(promised.split()) <= set(METRICS)
    assert SETS["fast"] == SETS["full"] == tuple(METRICS)


def test_documented_and_fresh() -> None:
    assert (ROOT / "docs" / "metrics.md").read_text(encoding="utf8") == documentation.markdown(), "run `make docs`"

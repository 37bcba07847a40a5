"""Test SCORES: one row per number, in a fixed order, with the candidate of each value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from data.study import Item, Run, Settings, Study
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.distances.words import BleuDistance, BowDistance
from metrics.engine import scoring
from metrics.engine.scores_table import COLUMNS, scores
from metrics.engine.tasks import Options
from metrics.permutation.pvalues import uniform_averages
from metrics.registry import METRICS, resolve
from metrics.suite.distribution import Frechet, Mmd, Trm
from tests.studies import study


@pytest.fixture(scope="module")
def mixed() -> Study:
    """Return a study in which the file's order of candidates is not alphabetical, and two metrics cannot score an
    item.
    """
    items = (
        Item("a", ("a dog runs on the beach", "a dog is running", "the dog runs")),
        Item("b", ("a red bus in the street", "a bus on a road")),
    )
    candidates = {"a": ("zebras eat grass", "a dog runs on the beach", "the dog"), "b": ("a red bus in the street",)}
    return Study("mixed", items, (Run("r", "m", Settings(0.7, 0.9, 5, "nucleus", 1), candidates),))


@pytest.fixture(scope="module")
def table(mixed: Study) -> pd.DataFrame:
    results = scoring.score(mixed, resolve(["rouge_l", "trm_bow", "vocabulary"], "whitespace"), Options(p_values=True))
    return scores(mixed, results, ("corpus", "item", "candidate"))


def test_columns_and_types(table: pd.DataFrame) -> None:
    assert tuple(table.columns) == COLUMNS
    assert table.loc[0, ["dataset", "run", "model", "temperature", "top_p", "top_k", "decoder"]].tolist() == [
        "mixed",
        "r",
        "m",
        0.7,
        0.9,
        5,
        "nucleus",
    ]


def test_candidates_keep_the_order_of_the_file(table: pd.DataFrame) -> None:
    rows = table[(table.metric == "rouge_l") & (table.level == "candidate") & (table.item == "a")]
    assert rows.candidate.tolist() == [0, 1, 2]
    assert rows.value.iloc[0] == 0
    assert rows.value.iloc[1] == pytest.approx(1)
    assert 0 < rows.value.iloc[2] < 1


def test_each_column_of_a_test_holds_its_own_number() -> None:
    of = study(items=12, references=3, candidates=3, runs=1, seed=5)
    results = scoring.score(of, resolve(["rouge_l"], "whitespace"), Options(p_values=True))
    (row,) = scores(of, results).to_dict("records")
    result = results["run 0", "rouge_l"]
    for column in ("p_value", "p_two_sided", "p_hmp_raw", "p_hmp", "p_floor", "sd"):
        assert row[column] == getattr(result, column), column
    assert row["p_joint"] == (result.joint.p if result.joint else pytest.approx(np.nan, nan_ok=True))
    tests = ("p_value", "p_two_sided", "p_hmp_raw", "p_hmp", "p_floor")
    assert len({row[column] for column in tests}) == len(tests), "equal numbers could not tell columns apart"


def test_the_interval_has_its_lower_end_first_and_holds_the_value() -> None:
    of = study(items=12, references=3, candidates=3, runs=2, seed=5)
    metrics = resolve(["rouge_l", "cider_d", "distinct_1", "mmd_bow", "vocabulary"])
    found = scores(of, scoring.score(of, metrics, Options(p_values=False)))
    known = found.dropna(subset="ci_low")
    assert set(known.metric) >= {"rouge_l", "cider_d", "distinct_1"}
    assert (known.ci_low < known.ci_high).all()
    assert (known.ci_low <= known.value).all()
    assert (known.value <= known.ci_high).all()


def test_means_agree_between_levels(table: pd.DataFrame) -> None:
    rouge = table[table.metric == "rouge_l"]
    by_item = rouge[rouge.level == "candidate"].groupby("item").value.mean()
    items = rouge[rouge.level == "item"].set_index("item").value
    np.testing.assert_allclose(items[by_item.index], by_item, rtol=1e-12)
    assert rouge[rouge.level == "corpus"].value.item() == pytest.approx(items.mean(), rel=1e-12)


def test_undefined_is_nan_with_its_reason_and_n_says_so(table: pd.DataFrame) -> None:
    trm = table[table.metric == "trm_bow"]
    undefined = trm[(trm.level == "item") & (trm.item == "b")].iloc[0]
    assert np.isnan(undefined.value)
    assert undefined.error == "needs 2 captions of the run, has 1"
    assert undefined.n == 0
    corpus = trm[trm.level == "corpus"].iloc[0]
    assert corpus.n == 1
    assert not np.isnan(corpus.value)


def test_run_metrics_have_no_rows_below_the_run(table: pd.DataFrame) -> None:
    assert table[table.metric == "vocabulary"].level.tolist() == ["corpus"]


def test_rows_stand_in_the_order_of_runs_and_registry() -> None:
    of = study(runs=3)
    names = ["vocabulary", "bleu_1", "consensus_bleu_4", "rouge_l"]
    table = scores(of, scoring.score(of, resolve(names, "whitespace"), Options()))
    order = list(METRICS)
    assert table.run.tolist() == [f"run {r}" for r in range(3) for _ in range(3)] + ["references"]
    ranks = table[table.run == "run 0"].metric.map(order.index).tolist()
    assert ranks == sorted(ranks)


TESTED = [
    *(metric for metric in METRICS.values() if metric.tested),
    Trm(BleuDistance(), ties="paper"),
    Mmd(BowDistance(), biased=True),
    Mmd(BowDistance(), bandwidth=2.0),
    Frechet(BowDistance(), squared=False),
]


@pytest.mark.parametrize("metric", TESTED, ids=lambda metric: metric.signature)
def test_the_statistic_that_is_tested_is_the_value_that_is_shown(metric: Metric) -> None:
    of, metric = study(items=3, runs=1), metric.tested_as
    chunk = Chunk.of(of.items, of.runs[0], Cache(None), whole=StudyDigests.of(of, of.runs[0]))
    context = metric.prepare(of)
    values = metric.items(metric.stats(context, chunk))
    for index, value in enumerate(values):
        found = metric.test(context, chunk, index, 200_000, 0)
        assert found.statistic == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert found.null[0] == pytest.approx(value, rel=1e-7, abs=1e-9)  # over all partitions, the observed one first


def test_averages_of_p_stand_beside_those_of_uniform_p(table: pd.DataFrame) -> None:
    found = table[(table.metric == "rouge_l") & (table.level == "corpus")].iloc[0]
    items = table[(table.metric == "rouge_l") & (table.level == "item")]
    assert found.p_mean == pytest.approx(items.p_value.mean())
    assert found.ln_p_mean == pytest.approx(np.log(items.p_value).mean())
    expected = uniform_averages(items.p_floor)
    assert found.p_mean_uniform == pytest.approx(expected.mean)
    assert (found.p_hmp_raw_uniform, found.p_hmp_uniform) == pytest.approx(expected.harmonic)
    assert table[table.metric == "vocabulary"].p_mean.isna().all()

"""Test the table of `trilens judge`: agreement with ratings, pairs and systems."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from data.convert import to_jsonl_bytes
from data.load import load_study
from metrics.analysis.judgments.tables import CHANCE, COLUMNS, LEAD
from metrics.engine import scoring
from metrics.engine.scores_table import scores
from metrics.registry import METRICS
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=12, candidates=2, runs=4)
RNG = np.random.default_rng(0)
RATINGS = pd.DataFrame(
    [
        {"item": item.id, "run": run.name, "candidate": place, "overall_1": int(RNG.integers(1, 6)),
         "overall_2": int(RNG.integers(1, 6))}
        for run in STUDY.runs for item in STUDY.items for place in range(2)
    ]
)  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    RATINGS.to_csv(tmp_path / "ratings.csv", index=False)
    pairs = [("image 0", "run 0", 0, "run 1", 0, "a", "HC"), ("image 1", "run 0", 1, "run 2", 1, "b", "MM")]
    names = ["item", "run_a", "caption_index_a", "run_b", "caption_index_b", "winner", "category"]
    pd.DataFrame(pairs, columns=names).to_csv(tmp_path / "pairs.csv", index=False)
    return [str(tmp_path / name) for name in ("study.jsonl", "ratings.csv", "pairs.csv")]


def judged(*arguments: str, expect: int = 0) -> str:
    return trilens("judge", *arguments, expect=expect).output


def value(table: pd.DataFrame, metric: str, level: str, statistic: str) -> float:
    rows = table[(table.metric == metric) & (table.level == level) & (table.statistic == statistic)]
    assert len(rows) == 1
    return float(rows.value.iloc[0])


def of_captions(metric: str) -> pd.DataFrame:
    results = scoring.score(STUDY, [METRICS[metric]])
    table = scores(STUDY, results, ["candidate"])[["run", "item", "candidate", "value"]]
    return table.merge(RATINGS, on=["run", "item", "candidate"])


def test_chance_adds_the_floor_of_each_metric_and_says_who_is_not_above_it(files: list[str], tmp_path: Path) -> None:
    plain, added = tmp_path / "plain.csv", tmp_path / "added.csv"
    judged(*files, "--metrics", "rouge_l,bleu_1", "--out", str(plain))
    said = judged(*files, "--metrics", "rouge_l,bleu_1", "--chance", "--out", str(added))
    assert "agreement above chance, given by the references of other items, is not detected for any metric" in said
    table = pd.read_csv(added)
    assert list(table.columns) == [*COLUMNS, *LEAD, *CHANCE]
    pd.testing.assert_frame_equal(table.drop(columns=list(CHANCE)), pd.read_csv(plain))
    known = table.dropna(subset="chance")
    assert set(known.metric) == {"rouge_l", "bleu_1"}
    assert len(known) == 2 * 7 * known.criterion.nunique()
    assert ((known.chance_low <= known.chance) & (known.chance <= known.chance_high)).all()
    np.testing.assert_allclose(known.value - known.chance, known.over_chance, atol=1e-12)


def test_each_rating_or_the_mean(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    captions = of_captions("rouge_l")
    judged(*files[:2], "--metrics", "rouge_l", "--out", str(out))
    table = pd.read_csv(out)
    assert tuple(table.columns) == (*COLUMNS, *LEAD)
    known = table.dropna(subset="ci_low")
    assert len(known)
    assert ((known.ci_low <= known.value) & (known.value <= known.ci_high)).all()
    x, y = np.tile(captions.value, 2), np.concatenate([captions.overall_1, captions.overall_2])
    assert value(table, "rouge_l", "candidate", "kendall_tau_b") == pytest.approx(stats.kendalltau(x, y).statistic)
    assert value(table, "rouge_l", "candidate", "pearson") == pytest.approx(stats.pearsonr(x, y).statistic)
    judged(*files[:2], "--metrics", "rouge_l", "--raters", "mean", "--out", str(out))
    mean = pd.read_csv(out)
    expected = stats.spearmanr(captions.value, captions[["overall_1", "overall_2"]].mean(axis=1)).statistic
    assert value(mean, "rouge_l", "candidate", "spearman") == pytest.approx(expected)
    assert set(table.level) == {"candidate", "within", "system"}
    ceiling = stats.pearsonr(
        np.concatenate([captions.overall_2, captions.overall_1]),
        np.concatenate([captions.overall_1, captions.overall_2]),
    )
    assert value(table, "people", "candidate", "pearson") == pytest.approx(ceiling.statistic)


def test_trivial_baselines_have_rows_and_a_metric_behind_one_is_said_to_be(tmp_path: Path) -> None:
    """If people rate only by run, the run predicts ratings better than anything that a metric reads in captions."""
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    rated = RATINGS.assign(overall=[int(name[-1]) + (k % 3 == 0) for k, name in enumerate(RATINGS.run)])
    rated.drop(columns=["overall_1", "overall_2"]).to_csv(tmp_path / "ratings.csv", index=False)
    out = tmp_path / "out.csv"
    files = [str(tmp_path / name) for name in ("study.jsonl", "ratings.csv")]
    said = judged(*files, "--metrics", "rouge_l", "--out", str(out))
    table = pd.read_csv(out)
    run = value(table, "run alone", "candidate", "kendall_tau_b")
    assert run == pytest.approx(stats.kendalltau(rated.run, rated.overall).statistic)
    (row,) = table[
        (table.metric == "rouge_l") & (table.statistic == "kendall_tau_b") & (table.level == "candidate")
    ].itertuples()
    assert (row.baseline, row.lead) == ("run alone", pytest.approx(row.value - run))
    assert row.lead_high < 0
    assert row.p_ahead_of_all == 1
    assert "no metric is significantly ahead of every trivial baseline" in said
    words = METRICS["caption_length"]
    lengths = scores(STUDY, scoring.score(STUDY, [words]), ["candidate"])[["run", "item", "candidate", "value"]]
    both = lengths.merge(rated, on=["run", "item", "candidate"])
    tau = stats.kendalltau(both.value, both.overall).statistic
    way = f"length alone ({'more' if tau > 0 else 'fewer'} words)"
    assert value(table, way, "candidate", "kendall_tau_b") == pytest.approx(abs(tau))


def test_runs_are_systems_and_pairs_have_categories(files: list[str], tmp_path: Path) -> None:
    out, differences = tmp_path / "out.csv", tmp_path / "pairs_of_metrics.csv"
    judged(*files, "--metrics", "rouge_l,bleu_1", "--out", str(out), "--differences", str(differences))
    table = pd.read_csv(out)
    corpus = scoring.score(STUDY, [METRICS["rouge_l"]])
    x = [corpus[run.name, "rouge_l"].corpus for run in STUDY.runs]
    y = RATINGS.groupby("run")[["overall_1", "overall_2"]].mean().mean(axis=1)[[run.name for run in STUDY.runs]]
    assert value(table, "rouge_l", "system", "pearson") == pytest.approx(stats.pearsonr(x, y).statistic)
    assert set(table[table.level == "pair"].statistic) == {"accuracy", "accuracy_HC", "accuracy_MM"}
    pairs = pd.read_csv(differences)
    assert set(pairs.level) == {"candidate", "system"}
    first = pairs[(pairs.level == "candidate") & (pairs.statistic == "kendall_tau_b")].iloc[0]
    gap = value(table, first.metric, "candidate", "kendall_tau_b") - value(
        table, first.other, "candidate", "kendall_tau_b"
    )
    assert first.difference == pytest.approx(gap)


def test_lower_is_better_is_turned_round(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    captions = of_captions("rouge_l")
    wer = captions[["run", "item", "candidate"]].assign(WER=1 - captions.value)
    wer.to_csv(tmp_path / "wer_scores.csv", index=False)
    judged(*files[:2], str(tmp_path / "wer_scores.csv"), "--metrics", "rouge_l,imported", "--out", str(out))
    table = pd.read_csv(out)
    one, other = (value(table, name, "candidate", "kendall_tau_b") for name in ("rouge_l", "WER"))
    assert one == pytest.approx(other)


def test_systems_alone(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"system": list("ABCDEFG"), "human": rng.normal(size=7), "CIDEr": rng.normal(size=7)})
    table.to_csv(tmp_path / "systems.csv", index=False)
    judged(str(tmp_path / "systems.csv"), "--out", str(tmp_path / "out.json"))
    rows = json.loads((tmp_path / "out.json").read_text())
    (tau,) = (row for row in rows if row["statistic"] == "kendall_tau_b")
    known = stats.kendalltau(table.human, table.CIDEr)
    assert tau["value"] == pytest.approx(known.statistic)
    assert tau["p_value"] == pytest.approx(known.pvalue, abs=1e-3)  # scipy's p is exact without ties
    assert {row["level"] for row in rows} == {"system"}


def test_what_is_missing_is_said(files: list[str], tmp_path: Path) -> None:
    assert "no ratings by people" in judged(files[0], expect=2)
    assert "there is no criterion 'fluency'; there are overall" in judged(
        *files[:2], "--criterion", "fluency", expect=2
    )
    assert "there is no run 'x'" in judged(*files[:2], "--run", "x", expect=2)


def test_a_study_with_a_repaired_loader_keeps_its_ratings(files: list[str]) -> None:
    study = load_study(files[:2]).study
    assert study is not None
    assert {run.name for run in study.runs if run.human} == {run.name for run in STUDY.runs}

"""Test the tables of `trilens consensus` (agreement, subsets of references and budgets) and its errors."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from data.convert import write_jsonl
from metrics.analysis.references import DRAWS, stability, subset_totals, subsets
from metrics.engine import scoring
from metrics.registry import METRICS
from metrics.suite.consensus import Consensus, ConsensusBleu
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=7, references=4, runs=3)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    return tmp_path / "study.jsonl"


run = partial(trilens, "consensus")


def test_the_tables_hold_the_numbers_of_the_engine_and_of_the_draws(file: Path, tmp_path: Path) -> None:
    out, moved, costs = (tmp_path / f"{name}.csv" for name in ("out", "moved", "costs"))
    chosen = (METRICS["bleu_4"], METRICS["cider_d"])
    done = run(
        file, "--metrics", "bleu_4,cider_d", "--out", out, "--stability", moved, "--budget", costs, "--draws", 30
    )
    own = (ConsensusBleu(), *(Consensus(metric) for metric in chosen))
    scored = {metric.name: result for (_, _), result in scoring.score(STUDY, own).items() for metric in [result.metric]}
    table = pd.read_csv(out).set_index("metric")
    assert list(table.index) == [metric.name for metric in own]
    for name, result in scored.items():
        assert table.loc[name, ["mean", "sd", "n"]].tolist() == pytest.approx([result.corpus, result.sd, 7])
    design = subsets.design(STUDY)
    assert design is not None
    expected = stability.stability(subset_totals.measure(STUDY, design, chosen), "cider_d", 30)
    rows = pd.read_csv(moved)
    rows = rows[rows.metric == "cider_d"]
    assert rows["mean"].tolist() == pytest.approx(expected.mean.ravel().tolist())
    assert rows.groupby("references").pairs_swapped.first().tolist() == pytest.approx(expected.swapped.tolist())
    assert len(pd.read_csv(costs)) == 2 * 9 * 4 * 3
    order = "the order is not significant; more items would settle it sooner than more references."
    assert f"cider_d: {order}" in done.stdout
    run(file, "--metrics", "bleu_4,cider_d", "--stability", tmp_path / "again.csv", "--draws", 30)
    assert (tmp_path / "again.csv").read_bytes() == moved.read_bytes()


def test_items_of_most_and_least_agreement_list_every_reference(file: Path, tmp_path: Path) -> None:
    run(file, "--metrics", "bleu_1,rouge_l", "--items", tmp_path / "items.csv")
    table = pd.read_csv(tmp_path / "items.csv")
    assert table.metric.unique().tolist() == ["bleu_1", "rouge_l"]
    result = next(iter(scoring.score(STUDY, [Consensus(METRICS["rouge_l"])]).values()))  # type: ignore[arg-type]
    first = table[table.metric == "rouge_l"].head(4)
    assert first.agreement.unique() == pytest.approx([result.items.max()])
    assert first.score.mean() == pytest.approx(result.items.max())
    assert set(table.reference) <= {text for item in STUDY.items for text in item.references}


def test_several_studies_are_one_table(file: Path, tmp_path: Path) -> None:
    other = replace(random_study(items=5, references=3, runs=1, seed=4), name="other")
    write_jsonl(other, tmp_path / "other.jsonl")
    out, items = tmp_path / "out.csv", tmp_path / "items.csv"
    done = run(file, "--beside", tmp_path / "other.jsonl", "--metrics", "rouge_l", "--out", out, "--items", items)
    table = pd.read_csv(out)
    assert table[["study", "metric", "n"]].to_numpy().tolist() == [
        [STUDY.name, "consensus_rouge_l", 7],
        ["other", "consensus_rouge_l", 5],
    ]
    alone = next(iter(scoring.score(other, [Consensus(METRICS["rouge_l"])]).values()))  # type: ignore[arg-type]
    assert table["mean"][1] == pytest.approx(alone.corpus)
    assert pd.read_csv(items).study.unique().tolist() == [STUDY.name, "other"]
    assert "other" in done.stdout


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("--metrics", "distinct_2"), "distinct_2: consensus takes quality metrics"),
        (("--draws", 1), "--draws takes a number from 2"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(file: Path, asked: tuple[object, ...], why: str) -> None:
    done = run(file, *asked, expect=2)
    assert why in done.stderr


def test_one_reference_an_item_has_no_subsets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(random_study(items=3, references=1), tmp_path / "study.jsonl")
    done = run(tmp_path / "study.jsonl", "--metrics", "rouge_l", "--stability", tmp_path / "moved.csv", expect=2)
    assert "items with at least two references" in done.stderr


def test_the_draws_of_the_page_are_those_of_the_command_without_a_number(file: Path, tmp_path: Path) -> None:
    for name, more in (("own.csv", ()), ("said.csv", ("--draws", DRAWS))):
        run(file, "--metrics", "rouge_l", "--stability", tmp_path / name, *more)
    assert (tmp_path / "own.csv").read_bytes() == (tmp_path / "said.csv").read_bytes()
    assert pd.read_csv(tmp_path / "own.csv").draws.unique().tolist() == [DRAWS]


def test_frequencies_of_elsewhere_weigh_the_words(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    write_jsonl(random_study(items=20, references=3, runs=1, seed=9), other)
    trilens("idf", other, "--out", tmp_path / "idf.npz")
    for name, more in (("own.csv", ()), ("other.csv", ("--idf", tmp_path / "idf.npz"))):
        run(file, "--metrics", "cider_d,rouge_l", "--out", tmp_path / name, *more)
    own, given = (pd.read_csv(tmp_path / name).set_index("metric")["mean"] for name in ("own.csv", "other.csv"))
    assert own["consensus_rouge_l"] == given["consensus_rouge_l"]
    assert own["consensus_cider_d"] != pytest.approx(given["consensus_cider_d"], abs=1e-3)

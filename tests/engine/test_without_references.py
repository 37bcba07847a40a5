"""Test the scores, ratings and default metrics of a study without references."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from data.load import load_study
from metrics.analysis.feasibility import NO_REFERENCES, defaults, why_impossible
from metrics.engine.scoring import score
from metrics.registry import METRICS, resolve
from tests.command_line import trilens

RNG = np.random.default_rng(3)
WORDS = ["a", "the", "dog", "cat", "runs", "sleeps", "on", "sand", "grass", "fast", "slow", "red", "big"]


def sets(task: str, count: int) -> list[dict[str, object]]:
    made: list[dict[str, object]] = []
    for k in range(count):
        heat = float(RNG.uniform(0.1, 1))
        pool = WORDS[: 2 + int(heat * len(WORDS))]
        said = [" ".join(RNG.choice(pool, 6)) for _ in range(5)]
        human = {task: {"variety": heat + float(RNG.normal(0, 0.2))}}
        made.append({"id": f"{task}{k}", "candidates": {task: said}, "human": human, "metadata": {"temperature": heat}})
    return made


ROWS = sets("story", 12) + sets("reply", 10)


@pytest.fixture
def study_file(tmp_path: Path) -> str:
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    return str(path)


def test_each_task_and_the_temperature_by_spearman(study_file: str, tmp_path: Path) -> None:
    out = tmp_path / "judged.csv"
    command = ["judge", study_file, "--metrics", "distinct_mean(tokenizer=whitespace)", "--against", "temperature"]
    trilens(*command, "--by", "run", "--out", out, "--no-cache")
    table = pd.read_csv(out)
    table = table[(table["statistic"] == "spearman") & (table["level"] == "candidate")]
    table = table[table["metric"].str.startswith("distinct_mean")]
    for task in ("", "story", "reply"):
        rows = [row for row in ROWS if task in row["candidates"] or not task]  # type: ignore[operator]
        shares = []
        for row in rows:
            (said,) = row["candidates"].values()  # type: ignore[attr-defined]
            words = [text.split() for text in said]
            grams = [[tuple(w[k : k + n]) for w in words for k in range(len(w) - n + 1)] for n in range(1, 6)]
            shares.append(np.mean([len(set(of)) / len(of) for of in grams]))
        for criterion in ("metadata.temperature", "variety"):
            people = [
                row["metadata"]["temperature"]  # type: ignore[index]
                if criterion != "variety"
                else next(iter(row["human"].values()))["variety"]  # type: ignore[attr-defined]
                for row in rows
            ]
            mine = table[(table["run"].fillna("") == task) & (table["criterion"] == criterion)]
            assert mine["value"].tolist() == pytest.approx([spearmanr(shares, people)[0]], abs=1e-9)
            assert mine["n"].tolist() == [len(rows)]
            assert (mine["ci_low"] < mine["value"]).all()


def test_unknown_fields_are_named(study_file: str) -> None:
    for option, words in (("--against", "no item has a number 'heat'"), ("--by", "no item has 'heat'")):
        found = trilens("judge", study_file, option, "heat", expect=2)
        assert words in found.output


def test_every_metric_has_a_value_or_a_reason(study_file: str) -> None:
    study = load_study([study_file]).study
    assert study is not None
    possible = [metric for metric in METRICS.values() if why_impossible(study, metric) is None]
    assert {metric.family for metric in possible} == {"diversity"}
    assert why_impossible(study, METRICS["trm_bert"]) == NO_REFERENCES
    assert set(defaults(study)) <= {metric.name for metric in possible}
    wanted = resolve([m.name for m in METRICS.values() if m.work == "words"], "whitespace")
    for (_, name), result in score(study, wanted).items():
        known = why_impossible(study, METRICS[name]) is None
        assert np.isfinite(result.corpus) == known, name
        assert known or result.why(), name


def test_self_cider_says_that_it_has_no_document_frequencies(study_file: str) -> None:
    study = load_study([study_file]).study
    assert study is not None
    alone, pooled = score(study, resolve(["self_cider", "self_cider(idf=pooled)"], "whitespace")).values()
    assert "no references to count n-grams in" in (alone.why() or "")
    assert 0 < pooled.corpus < 1

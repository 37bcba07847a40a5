"""Test that the value of a run that lacks captions for some items is shown with bounds everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from data.check import repair
from data.load import load_study
from data.marks import renamed
from data.study import Study
from figures.leaderboard.rows import of_runs as board_of
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import Numbers
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.missing_captions import bounds
from metrics.engine.scores_table import scores
from metrics.registry import resolve
from tests import studies
from tests.command_line import trilens

NAMES = ["rouge_l", "caption_length", "bleu_4"]


def content() -> bytes:
    rows = []
    whole = studies.study(items=20, runs=2, candidates=1, seed=5)
    for k, one in enumerate(whole.items):
        said = {run.name: run.candidates[one.id] for run in whole.runs[: 1 if k < 5 else 2]}
        rows.append({"id": one.id, "references": one.references, "candidates": said})
    return json.dumps(rows).encode()


@pytest.fixture(scope="module")
def study() -> Study:
    found = load_study([("x.json", content())]).study
    assert found is not None
    return found


@pytest.fixture(scope="module")
def results(study: Study) -> scoring.Results:
    return scoring.score(study, resolve(NAMES, "whitespace"), cache=Cache(None))


def test_the_study_knows_who_lacks_what(study: Study) -> None:
    assert (len(study.items), study.lacking) == (15, {"run 1": 5})
    assert study.only(runs=["run 1"]).lacking == {"run 1": 5}
    assert renamed(study, {"run 1": "mine"}).lacking == {"mine": 5}
    kept = repair(load_study([("x.json", content())]), ["widest_runs"]).study
    assert kept is not None
    assert kept.lacking == {}


def test_bounds_are_the_metrics_or_those_of_the_worst_and_best_item(study: Study, results: scoring.Results) -> None:
    run = study.runs[1]
    by_metric = bounds(study, run, results["run 1", "rouge_l"], ())
    value = results["run 1", "rouge_l"].corpus
    assert by_metric == pytest.approx((15 * value / 20, (15 * value + 5) / 20, True))
    every = [results[name, "caption_length"] for name in ("run 0", "run 1")]
    seen, mean = np.concatenate([one.items for one in every]), every[1].corpus
    found = bounds(study, run, every[1], every)
    assert found == pytest.approx(((15 * mean + 5 * seen.min()) / 20, (15 * mean + 5 * seen.max()) / 20, False))
    assert bounds(study, study.runs[0], results["run 0", "rouge_l"], ()) is None
    assert bounds(study, run, results["run 1", "bleu_4"], ()) is None


def test_scores_and_leaderboard_say_it(study: Study, results: scoring.Results) -> None:
    table = scores(study, results).set_index(["run", "metric"])["note"]
    assert "missing for 5 items" in table["run 1", "rouge_l"]
    assert "with these at the bounds of the metric, the value is" in table["run 1", "rouge_l"]
    assert "as the worst and the best item of all runs" in table["run 1", "caption_length"]
    assert table["run 1", "bleu_4"] == "captions are missing for 5 items that other runs describe"
    assert table[["run 0"]].isna().all()
    numbers, metric = Numbers(results), results["run 1", "rouge_l"].metric
    choice = LeaderboardChoice((metric,), metric, study.runs, None)
    shown = board_of(of_runs(study, numbers, choice))
    assert {row.name: bool(row.cell(metric.name).note) for row in shown.rows} == {"run 0": False, "run 1": True}


def test_compare_says_it(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content())
    done = trilens("compare", tmp_path / "x.json", "--metrics", "caption_length", "--no-cache")
    assert "run 1, caption_length: captions are missing for 5 items" in done.stderr

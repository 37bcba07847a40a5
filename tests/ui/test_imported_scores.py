"""Test imported scores in the panel, the order of images and the report, and by laws; also the metrics of plug-ins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from cli.app import app
from data.convert import scores_to_jsonl_bytes, write_jsonl
from data.study import ImportedScores, Study
from metrics.engine import scoring
from metrics.extensions import plugins
from metrics.laws.scored import values
from metrics.registry import METRICS, imported_metrics
from tests.engine.test_plugins import METRIC
from tests.studies import study as random_study
from tests.ui.shown import chosen, page, score
from ui.jobs import jobs

SOURCE = np.random.default_rng(3)
PLAIN = random_study(items=6, references=4, candidates=3, runs=2)
VALUES = {run.name: {item.id: tuple(SOURCE.random(3).round(4).tolist()) for item in PLAIN.items} for run in PLAIN.runs}
STUDY = replace(PLAIN, scores=(ImportedScores("CLIP", "candidate", True, 0.0, 1.0, VALUES),))


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    yield
    for one in plugins.loaded():
        plugins.unload(one)


def test_the_panel_says_what_they_are_and_turns_their_direction() -> None:
    at = page("dataset", STUDY)
    assert not at.exception
    (metric,) = imported_metrics(STUDY).values()
    assert f"36 values, one for each caption; range 0 to 1. {metric.signature}" in captions(at)
    (side,) = [one for one in at.get("button_group") if one.key.startswith("imported_0_")]
    assert side.value == "higher"
    side.set_value("lower")
    at.run()
    assert not at.exception
    assert any("better:lower" in text for text in captions(at))


def captions(at: AppTest) -> list[str]:
    """Return the small print of a page, without the backslashes that escape Markdown."""
    return [caption.value.replace("\\", "") for caption in at.caption]


@pytest.mark.parametrize("end", ["low", "high"])
def test_images_come_in_the_order_of_a_plugin_or_an_imported_metric(end: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(METRIC)
    plugins.load(tmp_path / "mine.py")
    score(STUDY, ["length_gap"])
    metrics = (METRICS["length_gap"], *imported_metrics(STUDY).values())
    results = scoring.score(STUDY, metrics, jobs.OPTIONS, jobs.jobs().cache)
    for metric in metrics:
        at = page("images", STUDY, order="metric", by=metric.name, of="run 0", **{"from": end})
        assert not at.exception
        by = results["run 0", metric.name].items
        first = int(by.argmin() if end == "low" else by.argmax())
        assert chosen(at)["image"] == STUDY.items[first].id
        assert metric.label in str([one.options for one in at.selectbox])


def test_a_report_has_imported_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(PLAIN, tmp_path / "study.jsonl")
    (tmp_path / "clip.jsonl").write_bytes(scores_to_jsonl_bytes(STUDY.scores))
    files, out = [str(tmp_path / "study.jsonl"), str(tmp_path / "clip.jsonl")], tmp_path / "r.html"
    done = CliRunner().invoke(
        app, ["report", *files, "--metrics", "CLIP,rouge_l", "--pages", "leaderboard,methods", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    made = out.read_text(encoding="utf-8")
    (metric,) = imported_metrics(STUDY).values()
    assert "CLIP (imported)" in made
    assert metric.signature in made
    for run in STUDY.runs:
        mean = np.mean([np.mean(of) for of in VALUES[run.name].values()])
        assert f"{mean:.3f}".removeprefix("0") in made


def test_laws_that_need_no_other_captions_hold_for_imported_scores() -> None:
    """These are the laws of signature, order, chunks, bounds and gaps, tested on the captions that have scores."""
    (metric,) = imported_metrics(STUDY).values()
    plain = scoring.score(STUDY, [metric])["run 0", "CLIP"]
    assert np.allclose(plain.items, [np.mean(VALUES["run 0"][item.id]) for item in STUDY.items])
    assert (values(plain) >= metric.bounds[0]).all()
    assert (values(plain) <= metric.bounds[1]).all()
    turned = replace(STUDY, items=STUDY.items[::-1])
    assert np.array_equal(scoring.score(turned, [metric])["run 0", "CLIP"].items, plain.items[::-1])
    for chunk in (1, 2):
        again = scoring.score(STUDY, [metric], replace(jobs.OPTIONS, p_values=False, chunk=chunk))
        assert np.array_equal(again["run 0", "CLIP"].items, plain.items)
    other = replace(metric, scores=replace(metric.scores, values={**VALUES, "run 0": VALUES["run 1"]}))
    assert other.signature != metric.signature
    gap = {**VALUES, "run 0": {**VALUES["run 0"], "image 1": (np.nan, 0.5, 0.5)}}
    lacking: Study = replace(STUDY, scores=(replace(STUDY.scores[0], values=gap),))
    found = scoring.score(lacking, imported_metrics(lacking).values())["run 0", "CLIP"]
    assert np.isnan(found.items[1])
    assert found.reasons[1]

"""Test that the Coherence page, its report section and its command give the same numbers, and say what is missing."""

from __future__ import annotations

import io
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from typer.testing import CliRunner

from cli.app import app
from data.convert import write_jsonl
from data.study import Run, Settings
from figures.coherence.words import verdict
from figures.report.coherence import coherence
from figures.report.html import LeftOut
from figures.report.request import Request
from figures.style.numbers import num
from metrics.analysis.coherence.label_scores import LabelScore, by_label, with_people
from metrics.analysis.numbers import of_results
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.registry import METRICS, resolve
from tests.analysis.test_label_scores import STUDY
from tests.report_text import whole
from tests.studies import study as random_study
from tests.ui.shown import chosen, markup, page, score


def test_a_study_without_labels_says_what_it_needs_and_offers_the_demo() -> None:
    at = page("coherence", random_study(items=4))
    assert not at.exception
    assert "This study has no coherence labels" in markup(at)
    assert "coherence&quot;: {&quot;candidates" in markup(at)


def test_verdict_captions_and_choice_are_in_the_address() -> None:
    score(STUDY, ["rouge_l"])
    at = page("coherence", STUDY, scored_by="rouge_l", run="A", image="i7")
    assert not at.exception
    said = markup(at)
    (visible,) = (
        one
        for one in by_label(STUDY, score(STUDY, ["rouge_l"]), METRICS["rouge_l"])
        if one.label == "Visible" and one.run == "A"
    )
    assert f"captions of A highest ({num(visible.value, 2)})" in said
    assert "zebras never sleep at night" in said
    assert STUDY.items[7].references[0] in said
    assert chosen(at)["run"] in ("A", ["A"])
    other = page("coherence", STUDY, scored_by="rouge_l", run="nobody", image="i7")
    assert "There is no run named" in markup(other)


def test_without_a_metric_captions_are_shown_by_label() -> None:
    items = tuple(replace(item, references=(), coherence=()) for item in STUDY.items)
    alone = replace(STUDY, items=items)
    at = page("coherence", alone, run="A", image="i7")
    assert not at.exception
    said = markup(at)
    assert "No metric to compare by" in said
    assert alone.run("A").candidates["i7"][0] in unescape(said)
    assert "Visible" in said


def test_the_verdict_says_which_labels_it_compares() -> None:
    few = LabelScore("A", "Meta", 2.0, np.nan, np.nan, 3, 3, 0.1, 0.1)
    ends = (("Visible", 1.0), ("Story", 0.0))
    high, low = (LabelScore("A", label, v, v - 0.1, v + 0.1, 40, 20, 0.4, 0.4) for label, v in ends)
    said = "".join(verdict([few, high, low], "A", "A", METRICS["rouge_l"]))
    assert said.startswith("Among labels on 6 or more images, ROUGE-L scores Visible captions of A highest (1.00)")
    assert "".join(verdict([high, low], "A", "A", METRICS["rouge_l"])).startswith("ROUGE-L scores Visible")


def test_the_command_gives_the_same_numbers(tmp_path: Path) -> None:
    path, out = tmp_path / "s.jsonl", tmp_path / "o.csv"
    write_jsonl(STUDY, path)
    done = CliRunner().invoke(app, ["coherence", str(path), "--metric", "rouge_l", "--no-cache", "--out", str(out)])
    assert done.exit_code == 0, done.output
    expected = by_label(STUDY, score(STUDY, ["rouge_l"]), METRICS["rouge_l"])
    for written in (pd.read_csv(out), pd.read_csv(io.StringIO(done.stdout), sep="\t")):
        assert written.value.tolist() == pytest.approx([one.value for one in expected], nan_ok=True)
        assert written.high.tolist() == pytest.approx([one.high for one in expected], nan_ok=True)
    write_jsonl(random_study(items=4), path)
    lacking = CliRunner().invoke(app, ["coherence", str(path)])
    assert lacking.exit_code == 2
    assert "no caption has a coherence label" in " ".join(lacking.output.split())
    write_jsonl(STUDY, path)
    assert CliRunner().invoke(app, ["coherence", str(path), "--metric", "trm_bow"]).exit_code == 2


def test_runs_are_set_beside_people_who_rated_them(tmp_path: Path) -> None:
    """Kendall's tau over runs, on the page and by `judge`, is scipy's.

    If people rated too few runs, none is shown.
    """
    first, ids = STUDY.runs[0], [item.id for item in STUDY.items]
    runs, ratings = [], {"W": 1.0, "X": 4.0, "Y": 3.0, "Z": 5.0}
    for k, (name, rating) in enumerate(ratings.items()):
        said = {id: (first.candidates[id][0] + " indeed" * k,) for id in ids}
        human = {id: {"quality": rating + (place % 2)} for place, id in enumerate(ids)}
        runs.append(Run(name, name, Settings(), said, human, coherence=dict.fromkeys(ids, ("Visible",))))
    study = replace(STUDY, runs=tuple(runs))
    results = score(study, ["rouge_l"])
    means = [results[run.name, "rouge_l"].corpus for run in runs]
    expected = kendalltau(means, list(ratings.values())).statistic
    ((name, one),) = with_people(study, results, METRICS["rouge_l"])
    assert (name, one.n, one.value) == ("quality", 4, pytest.approx(expected))
    at = page("coherence", study, scored_by="rouge_l", run="W")
    assert not at.exception
    assert f"tau-b over 4 runs with people's quality: {num(expected, 2)}" in unescape(markup(at))
    path, out = tmp_path / "s.jsonl", tmp_path / "o.csv"
    write_jsonl(study, path)
    line = ["judge", str(path), "--metrics", "rouge_l", "--no-cache", "--out", str(out)]
    assert CliRunner().invoke(app, line).exit_code == 0
    judged = pd.read_csv(out).query("level == 'system' and statistic == 'kendall_tau_b'")
    assert judged.value.tolist() == pytest.approx([expected])
    assert judged.p_value.tolist() == pytest.approx([one.p_value])
    assert with_people(study.only(runs=["W", "X"]), results, METRICS["rouge_l"]) == []
    assert with_people(STUDY, score(STUDY, ["rouge_l"]), METRICS["rouge_l"]) == []


def test_the_report_has_a_section_or_says_why_not() -> None:
    chosen = resolve(("rouge_l", "distinct_2"))

    def made(study: object, metrics: object = chosen) -> object:
        numbers = of_results(scoring.score(study, chosen), {})  # type: ignore[arg-type]
        return coherence(Request(study, numbers, metrics, ("coherence",), "2026-01-31", cache=Cache(None)))  # type: ignore[arg-type]

    section = made(STUDY)
    assert not isinstance(section, LeftOut)
    blocks = whole(section)  # type: ignore[arg-type]
    assert "label by label" in blocks
    assert "--metric rouge_l" in blocks
    assert 'download="coherence.csv"' in blocks
    bare = made(random_study(items=4))
    assert isinstance(bare, LeftOut)
    assert "no coherence labels" in bare.why
    assert isinstance(made(STUDY, ()), LeftOut)

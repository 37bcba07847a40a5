"""Test COSMic with asserted labels against a forward pass in the test; also its training, page, command and report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import write_jsonl
from data.study import Study
from figures.coherence import words
from figures.coherence.asserted import matrix
from figures.report.coherence import coherence as coherence_page
from figures.report.html import Section
from figures.report.request import Request
from figures.style.numbers import num
from metrics.analysis.coherence import asserted_labels
from metrics.analysis.coherence.asserted_labels import AS_LABELLED, Asserted, labels, metrics, of_image, spread, sweep
from metrics.analysis.numbers import of_results
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.engine.tasks import Options
from metrics.learned.cosmic_metric import Cosmic, bound
from metrics.parameters import with_values
from tests.command_line import trilens
from tests.learned.small import small_networks
from tests.learned.test_cosmic_metric import STUDY, forward, saved
from tests.ui.shown import markup, page
from ui.jobs import jobs

LABELS = ("Meta", "Visible", "Subjective", "Story")


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with small_networks(epochs=2):
        yield


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def metric(tmp_path_factory: pytest.TempPathFactory, cache: Cache) -> Cosmic:
    return saved(tmp_path_factory.mktemp("weights") / "tiny.safetensors", cache)


def test_each_label_is_a_forward_pass_with_that_label(metric: Cosmic, cache: Cache) -> None:
    """Either the label of the caption is replaced, or those of all references, even of one without a label."""
    item, run = STUDY.items[11], STUDY.run("tale")
    (caption,) = run.candidates[item.id]
    for side in asserted_labels.SIDES:
        by = metrics(STUDY, metric, side)
        assert list(by) == [AS_LABELLED, *LABELS]
        assert len({one.name for one in by.values()} | {one.signature for one in by.values()}) == 10
        results = score(STUDY, list(by.values()), cache=cache)
        for label in LABELS:
            mine, theirs = (label, ("Visible",)) if side == "candidates" else ("Story", (label, label))
            expected = np.mean([forward(metric.weights, caption, mine, *of) for of in zip(item.references, theirs)])
            found = results[run.name, by[label].name]
            assert found.values[11] == pytest.approx(expected, abs=1e-5)
            assert found.n == 60
        same = "Story" if side == "candidates" else None
        if same:
            assert results[run.name, by[same].name].values == pytest.approx(results[run.name, "cosmic"].values)


def test_captions_without_a_label_have_a_value_under_each(metric: Cosmic, cache: Cache) -> None:
    bare = Study("s", STUDY.items, (replace(STUDY.runs[0], coherence=None),))
    by = metrics(bare, metric, "candidates")
    found = {one.label: one for one in sweep(bare, score(bare, list(by.values()), cache=cache), by)}
    assert np.isnan(found[AS_LABELLED].value)
    assert found[AS_LABELLED].n == 0
    labelled = score(STUDY, [metric], cache=cache)["plain", "cosmic"]
    assert found["Visible"].value == pytest.approx(labelled.corpus)
    assert (found["Visible"].low, found["Visible"].high) == pytest.approx((labelled.low, labelled.high))
    unknown = with_values(metric, {"candidates_as": "irony"})
    assert "has not learned the label irony" in str(score(bare, [unknown], cache=cache)["plain", unknown.name].why())


def test_a_network_without_labels_has_none_to_assert(tmp_path: Path, cache: Cache) -> None:
    blind = saved(tmp_path / "blind.safetensors", cache, labels=False)
    assert labels(STUDY, blind) == ()
    assert metrics(STUDY, blind, "candidates") == {}


@small_networks(epochs=12)
def test_own_ratings_are_learned_from_as_before(cache: Cache) -> None:
    """Rows that are only scored do not affect training, so asserting a caption's own label gives the value as
    labelled.
    """
    own = bound(Cosmic(), STUDY)
    before = own.signature
    by = metrics(STUDY, own, "candidates")
    results = score(STUDY, list(by.values()), cache=cache)
    for run, label in (("plain", "Visible"), ("tale", "Story")):
        as_labelled = results[run, "cosmic"].values
        assert results[run, by[label].name].values == pytest.approx(as_labelled, abs=1e-6)
        other = "Story" if label == "Visible" else "Visible"
        assert np.abs(results[run, by[other].name].values - as_labelled).max() > 1e-3
    assert before == own.signature
    assert "candidates_as" not in before
    assert len(cache.keys("cosmics")) == 2, "one training as labelled, one for all labels of a side"


def test_spread_and_image_name_what_moves_most(metric: Cosmic, cache: Cache) -> None:
    rows = [
        Asserted(run, label, value, value - 0.1, value + 0.1, 9)
        for run, values in (("A", (0.9, 0.1)), ("B", (0.7, 0.2)))
        for label, value in zip(("Visible", "Story"), values)
    ]
    found = spread([Asserted("A", AS_LABELLED, 5.0, 0, 0, 9), *rows])
    assert found is not None
    assert (found.label, found.run, found.runs, found.under) == pytest.approx((0.8, "A", 0.2, "Visible"))
    assert (
        "score of A changes by up to 0.80; with Visible for all, scores of runs differ by up to 0.20"
        in words.asserted_line(found, {"A": "A", "B": "B"})
    )
    assert spread(rows[:2]) is None
    by = metrics(STUDY, metric, "candidates")
    results = score(STUDY, list(by.values()), cache=cache)
    (one,) = of_image(STUDY, results, by, STUDY.runs[0], 5)
    assert (one.text, one.label) == ("plain river number 5", "Visible")
    assert one.scores["Meta"] == pytest.approx(results["plain", by["Meta"].name].values[5])
    drawn = matrix(sweep(STUDY, results, by), {"plain": "P", "tale": "T"}, "light")
    assert np.array(drawn.data[0].z).shape == (2, 5)
    assert list(drawn.layout.yaxis.ticktext) == ["P", "T"]


def test_the_command_and_the_page_give_the_same_numbers(metric: Cosmic, tmp_path: Path) -> None:
    path, out = tmp_path / "s.jsonl", tmp_path / "o.csv"
    write_jsonl(STUDY, path)
    said = ["coherence", str(path), "--no-cache", "--out", str(out)]
    trilens(*said, "--metric", "cosmic", "--cosmic", metric.weights, "--asserted", "references")
    by = metrics(STUDY, metric, "references")
    expected = sweep(STUDY, score(STUDY, list(by.values()), cache=Cache(None)), by)
    assert pd.read_csv(out).value.tolist() == pytest.approx([one.value for one in expected])
    refused = trilens(*said, "--metric", "rouge_l", "--asserted", "candidates", expect=2)
    assert "--asserted takes --metric cosmic" in " ".join(refused.output.split())


def test_the_page_asserts_labels_when_asked() -> None:
    own = bound(Cosmic(), STUDY)
    by = metrics(STUDY, own, "candidates")
    results = score(STUDY, list(by.values()), jobs.OPTIONS, jobs.jobs().cache)
    at = page("coherence", STUDY, scored_by="cosmic", run="plain", image="image 7")
    assert not at.exception
    assert "Give each label to" in [one.label for one in at.get("button_group")]
    assert "Under every label" not in markup(at)
    at = page("coherence", STUDY, scored_by="cosmic", run="plain", image="image 7", asserted="candidates")
    assert not at.exception
    said = markup(at)
    assert "Under every label" in said
    found = spread(sweep(STUDY, results, by))
    assert found is not None
    assert f"by up to {num(found.label, 2)}" in said
    (shown,) = (one.value for one in at.dataframe if "Own label" in one.value.columns)
    assert shown["Caption"].tolist() == ["plain horse number 7"]
    assert shown["Story"].tolist() == pytest.approx([results["plain", by["Story"].name].values[7]])


def test_the_report_shows_every_run_under_every_label(metric: Cosmic, cache: Cache, tmp_path: Path) -> None:
    """A network from a file scores all labels; if COSMic is trained on the study, only cached labels are shown."""

    def blocks(of: Cosmic, kept: Cache) -> str:
        numbers = of_results(score(STUDY, [of], cache=kept), {})
        section = coherence_page(Request(STUDY, numbers, (of,), ("coherence",), "2026-01-31", cache=kept))
        assert isinstance(section, Section)
        return unescape("\n".join(section.blocks))

    said = blocks(metric, cache)
    by = metrics(STUDY, metric, "candidates")
    rows = sweep(STUDY, score(STUDY, list(by.values()), cache=cache), by)
    assert "The same captions under every label" in said
    assert words.asserted_line(spread(rows), {run.name: run.name for run in STUDY.runs}) in said
    assert all(num(one.value, 2) in said for one in rows)
    learns, fresh = bound(Cosmic(), STUDY), Cache(tmp_path)
    assert "under every label" not in blocks(learns, fresh)
    score(STUDY, list(metrics(STUDY, learns, "candidates").values()), Options(p_values=False), fresh)
    assert "under every label" in blocks(learns, fresh)


def test_a_report_of_a_study_half_scored_has_no_matrix(metric: Cosmic, cache: Cache) -> None:
    found = score(STUDY, [metric], cache=cache)
    half = {key: result for key, result in found.items() if key[0] == STUDY.runs[0].name}
    request = Request(STUDY, of_results(half, {}), (metric,), ("coherence",), "2026-01-31", cache=cache)
    section = coherence_page(request)
    assert isinstance(section, Section)
    assert "under every label" not in "\n".join(section.blocks)

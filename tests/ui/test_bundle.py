"""Test that only the session that opened a study bundle sees its numbers, which are said not to be computed here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data.load import load_study
from metrics.analysis import artifacts
from metrics.analysis.bundle import study_bundle
from metrics.cache.disk import Cache
from metrics.cache.entry import encode
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import METRICS, TRMS
from tests.studies import study as random_study
from tests.ui.shown import ROOT, page, score
from ui.jobs.jobs import OPTIONS, jobs
from ui.session import state
from ui.views import report as views_report
from ui.widgets import show

METRIC = METRICS["bleu_4"]


def test_the_numbers_of_a_bundle_are_seen_by_their_session_alone():
    study, cache = random_study(items=3), Cache(None)
    scored = scoring.score(study, [METRIC], OPTIONS, cache)
    loaded = load_study([("b.zip", study_bundle(study, cache))])
    assert loaded.study is not None
    jobs().attach_bundle("theirs", loaded.numbers)
    mine = jobs().view(loaded.study, [METRIC], "mine", start=False)
    theirs = jobs().view(loaded.study, [METRIC], "theirs", start=False)
    assert mine.results == {}
    assert {key: result.corpus for key, result in theirs.results.items()} == {
        key: result.corpus for key, result in scored.items()
    }
    jobs().attach_bundle("theirs", {})
    assert jobs().view(loaded.study, [METRIC], "theirs", start=False).results == {}


def test_what_pages_computed_is_seen_by_their_session_alone_and_kept_for_nobody():
    study, cache = random_study(items=3, seed=8), Cache(None)
    space = TRMS["bag of words"].space
    arrays = artifacts.centres(study, space, cache).compute(cache, Hooks())
    loaded = load_study([("b.zip", study_bundle(study, cache))])
    assert loaded.study is not None
    call = artifacts.centres(loaded.study, space, jobs().cache)
    jobs().attach_bundle("theirs", loaded.numbers)
    theirs = jobs().artifact(call, "theirs", start=False).arrays
    assert theirs is not None
    np.testing.assert_array_equal(theirs["near"], arrays["near"])
    assert jobs().has(call.key, "theirs")
    assert jobs().artifact(call, "mine", start=False).arrays is None
    assert not jobs().has(call.key, "mine")
    assert jobs().cache.get(call.key) is None
    jobs().attach_bundle("theirs", {})
    assert jobs().artifact(call, "theirs", start=False).arrays is None


def test_a_bundle_s_arrays_of_another_shape_are_not_believed():
    study = random_study(items=3, seed=9)
    call = artifacts.centres(study, TRMS["bag of words"].space, jobs().cache)
    jobs().attach_bundle("theirs", {call.key: encode(call.key, {"near": np.zeros((9, 9))}, compress=True)})
    assert jobs().artifact(call, "theirs", start=False).arrays is None
    jobs().attach_bundle("theirs", {})


def test_pages_say_what_was_not_computed_here_and_compute_it_when_asked():
    study, cache = random_study(items=3, seed=10), Cache(None)
    scoring.score(study, [METRIC], OPTIONS, cache)
    loaded = load_study([("b.zip", study_bundle(study, cache))])
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.query_params["study"] = token = state.library().add(loaded)
    for name in ("dataset", "leaderboard", "paired"):
        at.switch_page(f"pages/{name}.py").run()
        said = [caption.value for caption in at.caption if "Not computed here" in caption.value]
        assert said == ["Not computed here: 2 numbers came with the study bundle."]
    at.button(key="compute_here").click().run()
    assert not any("Not computed here" in caption.value for caption in at.caption)
    kept = state.library().get(token)
    assert kept is not None
    assert not kept.numbers
    assert not at.exception


def test_what_is_saved_says_what_was_not_computed_for_it(monkeypatch: pytest.MonkeyPatch):
    study, names = random_study(items=7, references=4, candidates=3, runs=4, seed=11), ["bleu_4", "distinct_1"]
    score(study, names)
    loaded = load_study([("b.zip", study_bundle(study, jobs().cache))])
    jobs().cache.clear()
    jobs.cache_clear()
    tables: dict[str, Callable[[], str]] = {}
    below: list[str] = []
    monkeypatch.setattr(st, "download_button", lambda label, data, name="", *_, **__: tables.update({name: data}))
    monkeypatch.setattr(show, "save", lambda *_, footer, **__: below.append(footer))
    said = f"Not computed for this file: {len(loaded.numbers)} numbers came with the study bundle."
    pair = {"quality-metric": names[0], "diversity-metric": names[1]}
    for foreign in (True, False):
        tables.clear()
        below.clear()
        assert not page("leaderboard", loaded, distribution="", quality=names[0], diversity=names[1]).exception
        frontier = page("frontier", loaded, **pair)
        assert not frontier.button(key="frontier_swap").click().run().exception
        latex = [artifacts() for name, artifacts in tables.items() if name.endswith(".tex")]
        ends = {name.endswith("-bundle-numbers.csv") for name in tables if name.endswith(".csv")}
        assert {table.startswith(f"% {said}\n") for table in latex} == {foreign}
        assert {footer.endswith(f"\n{said}") for footer in below} == {foreign}
        assert ends == {foreign}
        score(study, names)


@pytest.mark.parametrize("foreign", [True, False])
def test_the_report_of_the_app_says_it_too(foreign: bool):
    study, cache = random_study(items=3, seed=12), Cache(None)
    scoring.score(study, [METRIC], OPTIONS, cache)
    loaded = load_study([("b.zip", study_bundle(study, cache))])
    if not foreign:
        scoring.score(study, [METRIC], OPTIONS, jobs().cache)
    jobs().attach_bundle("me", loaded.numbers)
    report = views_report.make(loaded.study, loaded, (METRIC,), ("leaderboard",), "", True, "me", False).decode()
    head = report[report.index("</h1>") : report.index("<nav ")]
    said = "Not computed for this file: 2 numbers came with the study bundle."
    assert (said in head) == foreign

"""Test that the findings on the Overview are those that their pages state by default."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from data.study import Study
from figures.style.html import answer
from figures.views.view import Presentation
from metrics.analysis.artifacts import Artifact
from metrics.cache.disk import entry_key
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score, worked
from tests.ui.test_visit import other
from ui import render, rooms
from ui.jobs import jobs, numbers
from ui.jobs.jobs import ArtifactView


def test_pages_are_named_until_they_have_been_opened_and_then_say_what_they_found():
    study = random_study(items=12, runs=3)
    study = replace(study, runs=study.runs[::-1])  # the leader, on which pages open, is not the first run
    score(study, ["cider_d", "trm_bow", "rouge_l", "bleu_2", "distinct_1"])
    at = page("overview", study)
    for _ in range(4):  # each run begins one view that takes seconds
        worked()
        at.run()
    assert not at.exception
    assert "More pages" in markup(at)
    names = {link.proto.label for link in at.get("page_link")}
    titles = {name.rpartition(": ")[2] for name in names}
    missing = rooms.lacking(study)
    wanted = {rooms.title(one, study) for one in rooms.ENTRIES if one.file not in missing}
    wanted -= {"Overview", "Data", "Images"}
    assert wanted - {"Triangles", "Methods"} <= titles, "every page that the study can fill"
    assert "Language: Words" in names, "found without being opened"
    index = markup(at)
    for name in ("words", "paired"):
        other(at, name)
        worked()
        said = re.search(r'<div class="tl-verdict"><p>(.*?)</p>', markup(at.run()))
        assert said is not None
        if name == "paired":
            other(at, "overview")
            index = markup(at)
        assert said[1] in index, "in the words of the page"


def test_what_agrees_with_people_is_found_without_opening_its_page():
    study = random_study(items=12, candidates=1, runs=3)
    ratings = ({item.id: {"total": k + 0.1 * i} for i, item in enumerate(study.items)} for k in range(3))
    study = replace(study, runs=tuple(replace(run, human=of) for run, of in zip(study.runs, ratings)))
    at = page("overview", study, quality=["cider_d", "bleu_2"], diversity=["distinct_1"])
    for _ in range(6):  # after the views
        worked()
        at.run()
    index = markup(at)
    other(at, "judgments")
    worked()
    said = re.search(r'<div class="tl-verdict"><p>(.*?)</p>', markup(at.run()))
    assert said is not None
    assert said[1] in index, "in the words of the page"


def test_a_stopped_view_does_not_hold_up_the_others_and_findings_return_with_their_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing = Artifact(entry_key("experiments", "no finding"), lambda hooks: {"x": np.array([object()])}, "Trying")
    stopped = jobs.jobs().artifact(failing, "somebody")
    worked()

    def immediate(name: str, study: Study, start: bool) -> Presentation | ArtifactView:
        return stopped if name == "words" else Presentation((f"{name} of {len(study.runs)}",), ())

    monkeypatch.setattr(render, "immediate", immediate)

    def app() -> None:
        import streamlit as st

        from ui.session import state
        from ui.views import overview_findings

        study = state.study()
        few = study.only(runs=[study.runs[0].name])
        left = [overview_findings._find(of, ["words", "central"], True) for of in (study, few)]
        st.text(repr((left, *(overview_findings._seen(of)["central"] for of in (study, few)))))

    at = AppTest.from_function(app).run()
    assert not at.exception
    assert at.text[0].value == "([None, None], ('central of 21',), ('central of 1',))"


def test_numbers_are_complete_only_with_those_of_people() -> None:
    """A finding is kept, so it must not be made from only some of the numbers that its page waits for."""
    study, metric = random_study(items=3, runs=2), METRICS["rouge_l"]
    scoring.score(study, [metric], jobs.OPTIONS, jobs.jobs().cache)
    assert numbers.complete(study, (metric,), "somebody") is not None
    assert numbers.complete(study, (metric,), "somebody", human=True) is None
    score(study, ["rouge_l"])
    assert numbers.complete(study, (metric,), "somebody", human=True) is not None


def test_a_finding_is_the_visible_part_of_a_verdict():
    parts = ["First sentence of <b>. ", *(f"Word {k} of many. " for k in range(20))]
    assert answer(parts) == "First sentence of &lt;b&gt;. Word 0 of many. "

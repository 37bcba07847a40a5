"""Test the Slices page: what it needs, its verdict, a chosen slice, a single run, and a broken link."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from data.load import Loaded, load_study
from data.run_settings import regroup
from data.slices import decode, encode
from data.study import Item, Run, Settings, Study
from metrics.analysis import artifacts
from metrics.analysis.slices import differences as analysis
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.progress import Hooks
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import markup, page
from ui import rooms
from ui.jobs import jobs
from ui.session import state

ROUGE = METRICS["rouge_l"]


def worded(items: int = 60) -> Study:
    """Make a study in which run A repeats people's captions only for dogs, and run B describes the wall of every
    item.
    """
    rng = np.random.default_rng(1)
    made, said = [], {"A": {}, "B": {}}  # type: ignore[var-annotated]
    for k in range(items):
        extra = " ".join(rng.choice(["red", "old", "big", "wet", "new", "far"], size=3, replace=False))
        text = f"a {'dog' if k % 4 == 0 else 'cat'} near a {extra} wall"
        made.append(Item(f"i{k}", (text, f"{extra} wall"), metadata={"split": "xy"[k % 2]}))
        said["A"][f"i{k}"] = (text if k % 4 == 0 else "nothing of the kind",)
        said["B"][f"i{k}"] = (f"a wall that is {extra}",)
    return Study("worded", tuple(made), tuple(Run(n, n, Settings(), of) for n, of in said.items()))


STUDY = worded()


@pytest.fixture(autouse=True)
def computed() -> None:
    cache = jobs.jobs().cache
    results = scoring.score(STUDY, analysis.needed(STUDY, ROUGE), Options(p_values=True), cache)
    for second in ("B", None):
        of = analysis.values(STUDY, results, ROUGE, analysis.Design("A", second, 5))
        assert not isinstance(of, str)
        artifacts.slices(STUDY, of).compute(cache, Hooks())


def test_a_study_of_few_items_is_told_what_it_lacks() -> None:
    at = page("slices", random_study(items=4))
    assert not at.exception
    assert "Too few items" in markup(at)


def test_the_word_that_tells_two_runs_apart_is_in_the_verdict() -> None:
    at = page("slices", STUDY, a="A", b="B", scored_by="rouge_l")
    assert not at.exception
    said = markup(at)
    assert "<b>A</b> leads B on items where people say “dog”" in said
    assert " and trails it on “cat”" in said
    verdict = re.sub("<[^>]+>", "", said[said.index("<b>A</b>") : said.index(" from the rest.")])
    assert len(verdict.split()) <= 33
    assert "“dog”: where the two differ most" in said or "“cat”: where the two differ most" in said
    assert re.search(r">A: ROUGE-L \d\.\d\d<", said), "the metric stands at its number"


def test_a_slice_is_chosen_by_its_link() -> None:
    at = page("slices", STUDY, a="A", b="B", scored_by="rouge_l", within="field:split:x")
    assert not at.exception
    assert "split: x: where the two differ most" in markup(at)
    other = page("slices", STUDY, a="A", b="B", scored_by="rouge_l", within="word:zzz")
    assert not other.exception
    assert "There is no slice named " in markup(other)


def test_where_nothing_stands_out_the_nearest_slices_are_shown_with_the_gap_that_would() -> None:
    alike = Run("C", "C", Settings(), {**STUDY.runs[1].candidates, "i0": ("old wall",)})
    study = replace(STUDY, runs=(STUDY.runs[1], alike))
    results = scoring.score(study, analysis.needed(study, ROUGE), Options(p_values=True), jobs.jobs().cache)
    for second in ("C", None):
        of = analysis.values(study, results, ROUGE, analysis.Design("B", second, 5))
        assert not isinstance(of, str)
        artifacts.slices(study, of).compute(jobs.jobs().cache, Hooks())
        at = page("slices", study, a="B", b=second or "B", scored_by="rouge_l")
        assert not at.exception
        assert any("slices that come nearest to standing out" in one.label for one in at.expander)
        assert "slices_figure" not in markup(at)
        assert "from the rest would stand out in about 4 of 5 cases" in markup(at)


def test_without_captions_by_people_and_fields_there_are_no_slices() -> None:
    plain = replace(STUDY, items=tuple(replace(item, references=(), metadata={}) for item in STUDY.items))
    for study, divided in ((STUDY, True), (plain, False)):
        assert ("slices" in rooms.lacking(study)) is not divided
        assert ("Nothing divides the items of this study" in markup(page("slices", study))) is not divided


def test_a_run_against_itself_is_compared_with_its_own_mean() -> None:
    at = page("slices", STUDY, a="A", b="A", scored_by="rouge_l")
    assert not at.exception
    assert "<b>A</b> does better on items where people say “dog”" in markup(at)
    assert "furthest from the mean" in markup(at)


def leaderboard(**query: str) -> AppTest:
    return page("leaderboard", STUDY, quality="rouge_l", **query)


def test_a_slice_in_the_address_filters_every_page_and_can_be_taken_off() -> None:
    dogs = [item.id for item in STUDY.items if "dog" in item.references[0]]
    at = leaderboard(slice="dogs", slice_items=encode(STUDY, dogs))
    assert not at.exception
    said = [caption.value for caption in at.caption]
    assert "Slice **dogs**: 15 of 60 items on every page." in said
    assert "worded: dogs" in markup(at)
    at.button(key="slice_leave").click().run()
    assert not at.exception
    assert "slice" not in at.query_params
    assert "worded: dogs" not in markup(at)


def test_a_slice_of_another_study_is_said_and_dropped() -> None:
    other = encode(random_study(items=7), ["image 1"])
    at = leaderboard(slice="dogs", slice_items=other)
    assert not at.exception
    assert "of this link has no items of this study" in markup(at)
    assert "slice_items" not in at.query_params


def test_another_study_of_the_same_items_opens_whole() -> None:
    """A slice is found by the ids of its items, and the other study has the same ids."""
    at = leaderboard(slice="dogs", slice_items=encode(STUDY, ["i0", "i4"]))
    del at.query_params["slice"], at.query_params["slice_items"]
    at.query_params["study"] = state.library().add(Loaded(replace(STUDY, name="more"), (), ()))
    at.run()
    assert not at.exception
    assert "slice_items" not in at.query_params
    assert not [one for one in at.caption if "Slice **dogs**" in one.value]


def test_a_saved_slice_is_in_force_and_in_the_address() -> None:
    at = page("slices", STUDY, a="A", b="B", scored_by="rouge_l", within="word:dog")
    at.button(key="slices_save_save").click().run()
    assert not at.exception
    assert at.query_params["slice"] == "dog"
    assert "Slice **dog**: 15 of 60 items on every page." in [caption.value for caption in at.caption]


def test_saved_slices_stay_with_the_same_items_in_other_runs_and_a_bundle_adds_its_own() -> None:
    at = page("slices", STUDY, a="A", b="B", scored_by="rouge_l", within="word:dog")
    at.button(key="slices_save_save").click().run()
    token = str(at.query_params["study"])
    other = {"cats": encode(STUDY, ["i1", "i2"]), "dog": encode(STUDY, ["i3"])}
    for changed in (regroup(STUDY, {"A": "one", "B": "one"}), replace(STUDY, name="more", runs=STUDY.runs[::-1])):
        state.library().replace(token, Loaded(changed, (), (), slices=other))
        at.run()
        assert not at.exception
    (saved,) = at.session_state["_slices"].values()
    assert list(saved) == ["dog", "cats"]
    assert decode(STUDY, saved["dog"]) == tuple(f"i{k}" for k in range(0, 60, 4)), "the one saved here stays"


def packing() -> None:
    import streamlit

    from ui.session import state
    from ui.views import dataset

    streamlit.session_state["shown"] = len(state.study().items)
    streamlit.session_state["packed"] = dataset.whole_bundle()()


def test_a_bundle_holds_the_whole_study_and_its_slices_while_one_is_in_force() -> None:
    at = page("slices", STUDY, a="A", b="B", scored_by="rouge_l", within="word:dog")
    at.button(key="slices_save_save").click().run()
    packer = AppTest.from_function(packing)
    for name, value in at.query_params.items():
        packer.query_params[name] = value
    packer.session_state["_slices"] = at.session_state["_slices"]
    packer.run()
    assert not packer.exception
    assert packer.session_state["shown"] == 15
    opened = load_study([("b.zip", packer.session_state["packed"])])
    assert opened.study is not None
    assert len(opened.study.items) == len(STUDY.items)
    assert list(opened.slices) == ["dog"]

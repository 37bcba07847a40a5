"""Test the Central captions page in every state, without a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from data.study import ImportedVectors, Item, Study
from figures.style.numbers import num
from figures.views.controls import distance
from figures.views.view import Known
from metrics.analysis.central import study as central_study
from metrics.analysis.central.item import centre_view
from metrics.distances.base import Distance
from metrics.distances.words import BowDistance, RougeLDistance
from metrics.registry import DISTANCES, OWN, with_imported
from tests.studies import study as random_study
from tests.ui.shown import chosen, markup, page, part, unfolded
from ui.frame.look import esc
from ui.jobs.jobs import jobs
from ui.views import central

BOW, IMAGE = {"distance": "bag of words"}, {"scope": "image"}


def across(study: Study, space: Distance | None = None, **query: str | list[str]) -> AppTest:
    space = space or BowDistance()
    jobs().cache.put(central_study.key(study, space), central_study.measure(study, space, jobs().cache))
    return page("central", study, scope="study", **{"distance": space.label, **query})


def frame(at: AppTest, column: str) -> pd.DataFrame:
    return next(table.value for table in at.dataframe if column in table.value.columns)


def test_the_centre_of_an_image_and_of_its_runs():
    study = random_study(items=3, references=5)
    at = page("central", study, image="image 1", beside=["run 0", "run 1"], **BOW)
    assert not at.exception
    view = centre_view(study, ["run 0", "run 1"], 1, BowDistance(), jobs().cache)
    middle = view.references.centres[0]
    assert f"<b>“{esc(middle)}”</b>" in markup(at)
    assert f", {num(float(view.references.expected.min()))} from the others on average" in markup(at)
    for name in ("run 0", "run 1"):
        best = view.runs[name].centres[0]
        assert f'<q dir="auto">{esc(best)}</q>' in markup(at)
    for word, number in view.lost_words:
        assert f'<bdi dir="auto">{word}</bdi><em>{number}</em>' in markup(at)
    assert not at.dataframe, "the table is behind its figure"
    shown = frame(at.button(key="central_bars_swap").click().run(), "Mean distance")
    assert shown["Mean distance"][:5].tolist() == view.references.expected.tolist()
    assert "central_bow|v1|words:all|tok:ptb" in markup(at)
    assert "n = 1 item, 5 captions by people and 5 by each run" in markup(at)


def test_the_address_says_the_view_and_opens_it_again():
    study = random_study(items=4)
    at = page("central", study, **IMAGE, **BOW)
    at.button(key="image_Right").click().run()
    at.selectbox(key="distance_select").set_value("ROUGE-L").run()
    asked = {k: v for k, v in chosen(at).items() if k != "study"}
    assert asked["image"] == "image 1"
    assert (asked["scope"], asked["distance"]) == ("image", "ROUGE-L")
    again = page("central", study, **asked)
    assert markup(again) == markup(at)
    again.selectbox(key="scope_select").set_value("study").run()
    assert chosen(again)["scope"] == "study"


def test_a_distance_that_other_pages_lack_is_no_surprise():
    study = random_study(items=2)
    at = page("central", study, scope="image", distance="BLEU-1")
    assert "There is no" not in markup(at)
    assert "central_bleu_1|v1" in markup(at)
    at = page("central", study, scope="image", distance="nonsense")
    assert "There is no distance named <b>nonsense</b>" in markup(at)
    assert chosen(at)["distance"] == "bag of words"


def test_the_study_page_shows_the_numbers_of_the_centres():
    study = random_study(items=12, references=4, runs=3)
    at = across(study)
    assert not at.exception
    found = central_study.across(study, central_study.measure(study, BowDistance(), jobs().cache))
    assert [chart.key for chart in at.get("plotly_chart")] == ["runs_wide", "runs_narrow"]
    assert not at.dataframe
    assert markup(at).index("than people are") < markup(at).index("most central captions are")
    assert "Captions of" in [box.label for box in at.selectbox], "captions are in sight"
    runs = frame(at.button(key="runs_swap").click().run(), "Of people's own")
    assert runs["Of people's own"].tolist() == sorted(run.ratio for run in found.runs)
    at.button(key="runs_swap").click().run()
    nearest = study.items[int(np.argmin(found.runs[0].items))]
    at.selectbox(key="run_select").set_value("run 0").run()
    assert f"{100 * found.runs[0].items.min():.0f} % of people&#x27;s own" in markup(at)
    assert frame(unfolded(at), "People's most central caption").iloc[:, 1].is_monotonic_increasing
    assert len(part(at, "lengths").get("plotly_chart")) == 4
    assert frame(at.button(key="lengths_swap").click().run(), "Length in")["Difference"].tolist() == [
        found.words.mean,
        found.content.mean,
    ]
    part(at, "cards")
    link = parse_qs(unescape(re.findall(r'class="tl-go" href="\?([^"]+)"', markup(at))[0]))
    asked = {name: link[name][0] for name in ("scope", "image", "beside")}
    assert asked == {"scope": "image", "image": nearest.id, "beside": "run 0"}
    assert "Most central of each run" in [tab.label for tab in page("central", study, **asked, **BOW).tabs]


def test_the_other_end_of_the_gallery():
    study = random_study(items=12)
    at = across(study, run="run 1", **{"from": "far"})
    shown = re.findall(r"<small>(\d+) % of people&#x27;s own distance</small>", markup(at))
    assert [int(share) for share in shown] == sorted(map(int, shown), reverse=True)
    assert len(shown) == central.GALLERY


def panels(at: AppTest) -> str:
    return " ".join(block.proto.popover.label for block in at.get("popover"))


def test_the_direction_is_asked_of_a_distance_that_has_one():
    study = random_study(items=4)
    jobs().cache.put(
        central_study.key(study, RougeLDistance(), True),
        central_study.measure(study, RougeLDistance(), jobs().cache, as_reference=True),
    )
    at = page("central", study, scope="study", distance="ROUGE-L", **{"as": "reference"})
    assert not at.exception
    assert "Captions serve as references" in markup(at)
    assert "|as_reference" in markup(at)
    assert "Options" in panels(at)
    at = page("central", study, scope="study", **BOW)
    assert "A caption is" not in [group.label for group in at.button_group]
    assert "Options" not in panels(at), "a panel of no choices"


def test_references_alone():
    study = replace(random_study(items=8), runs=())
    at = page("central", study, **IMAGE, **BOW)
    assert not at.exception
    assert "What the centre leaves out" in markup(at)
    at = across(study)
    assert not at.exception
    assert "most central captions are" in markup(at)
    assert "How far are models" not in markup(at)
    assert "How close do models stay to the middle of what people say?" in markup(at)
    assert "Are central captions longer or shorter?" in markup(at)
    assert not at.tabs


def test_one_candidate_an_image():
    study = random_study(items=3, candidates=1, runs=1)
    at = page("central", study, **IMAGE, **BOW)
    assert not at.exception
    assert "Its only caption" in markup(at)
    assert not across(study).exception


def test_one_reference_has_no_centre_and_the_way_to_one_that_has():
    study = random_study(items=3)
    items = (Item("alone", study.items[0].references[:1]), *study.items[1:])
    runs = tuple(replace(r, candidates={"alone": ("a b", "c d", "a b"), **r.candidates}) for r in study.runs)
    few = replace(study, items=items, runs=runs)
    at = page("central", few, **IMAGE, **BOW)
    assert chosen(at)["image"] == "image 1", "it begins where there is a centre"
    at = page("central", few, image="alone", **BOW)
    assert not at.exception
    assert "A centre needs three captions by people. 2 of 3 items have them. Here: 1 caption by people." in markup(at)
    shown = across(few)
    assert "1 left out for lack of a centre" in markup(shown)


def test_of_two_captions_none_is_the_centre():
    study = random_study(items=3, references=2)
    for scope in ("image", "study"):
        shown = page("central", study, scope=scope, **BOW)
        assert not shown.exception
        assert "A centre needs three captions by people, and no item has three" in markup(shown)


def test_ties_are_said():
    study = random_study(items=1, references=3, candidates=2, runs=1)
    apart = ("one two three four", "five six seven eight", "nine ten eleven twelve")
    run = replace(study.runs[0], candidates={"image 0": ("ab cd ef gh", "ij kl mn op")})
    at = page("central", replace(study, items=(Item("image 0", apart),), runs=(run,)), scope="image", distance="BLEU-4")
    assert "All 3 captions by people tie by BLEU-4" in markup(at)
    assert "What people wrote, all tied" in markup(at)
    assert "All 2 tie: 1.000 from its other captions, 1.000 from people's." in markup(at).replace("&#x27;", "'")
    shown = across(replace(study, items=(Item("image 0", apart),), runs=(run,)), DISTANCES["BLEU-4"])
    assert "By BLEU-4, all captions by people tie on every item." in markup(shown)


def test_too_many_captions_for_a_matrix():
    study = random_study(items=1, references=3, candidates=2001, runs=1)
    at = page("central", study, **IMAGE, **BOW)
    assert not at.exception
    assert "too many for the matrix of all pairs by bag of words, at most 2,000" in markup(at)
    assert "The most central of 3 captions by people" in markup(at), "people's captions alone are few enough"


def test_what_the_machine_lacks_is_said(monkeypatch):
    monkeypatch.setattr("figures.views.central.unmet", lambda need: f"install {need}" if need == "java" else None)
    at = page("central", random_study(items=2), **BOW)
    assert not at.exception
    assert "Bag of words cannot be computed here" in markup(at)
    assert "install java" in markup(at)


def test_distances_are_all_there():
    known = Known(random_study(items=2), distances=OWN.trms)
    offered = distance().options(known, {})
    assert set(offered) == {*DISTANCES, "BLEU-1", "BLEU-2", "BLEU-3"}
    for label, space in DISTANCES.items():
        assert known.trm(label).space.of_references == space.of_references
    other = replace(known, study=replace(known.study, tokenizer="whitespace"))
    assert "tok:whitespace" in other.trm("BLEU-1").space.parameters


def with_vectors(study: Study, lacking: int = 0) -> Study:
    """Return the study with imported embeddings of all texts except, in alphabetical order, the first `lacking`."""
    said = [caption for run in study.runs for captions in run.candidates.values() for caption in captions]
    texts = sorted({*said, *(reference for item in study.items for reference in item.references)})
    rows = np.random.default_rng(0).normal(size=(len(texts), 8)).astype(np.float32)
    return replace(study, vectors=(ImportedVectors("clip", tuple(texts)[lacking:], rows[lacking:]),))


@pytest.mark.parametrize("lacking", [0, 1])
def test_embeddings_from_elsewhere_are_a_distance_here(lacking: int):
    study = with_vectors(random_study(items=4, references=4, seed=3), lacking)
    space = next(trm.space for label, trm in with_imported(OWN, study).trms.items() if label not in DISTANCES)
    at = page("central", study, scope="image", distance=space.label)
    assert not at.exception
    assert f"central_clip|v1|{space.parameters}" in markup(at) or "has no vector for 1" in markup(at)
    at = across(study, space)
    assert not at.exception
    assert f"central_clip|v1|{space.parameters}" in markup(at)


def test_it_begins_with_the_study_and_a_link_to_an_image_with_that_image():
    study = random_study(items=3)
    assert chosen(page("central", study, **BOW))["scope"] == "study"
    assert chosen(page("central", study, image="image 2", **BOW))["scope"] == "image"
    assert chosen(page("central", study, image="image 2", scope="study", **BOW))["scope"] == "study"


def test_the_distances_of_an_image_are_in_a_part_of_their_own():
    at = page("central", random_study(items=3), part="spread", **IMAGE, **BOW)
    assert "Distance to the centre of what people wrote" in markup(at)
    assert len(at.get("plotly_chart")) == 2
    assert len(part(at, "runs").get("plotly_chart")) == 1

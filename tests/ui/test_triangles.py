"""Test the Triangles page in every state, without a browser."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from data.study import Item, Run, Settings, Study
from figures.style.html import split_verdict
from figures.style.numbers import num, p_bound, p_text
from figures.triangles import words as triangles_words
from metrics.analysis.overview_image import telling
from metrics.analysis.triangles import READINGS
from metrics.engine import scores_table
from metrics.registry import TRMS
from tests.studies import study as random_study
from tests.ui.shown import chosen, markup, page, score
from ui import rooms, warm
from ui.frame.look import esc
from ui.jobs.jobs import OPTIONS
from ui.session import address
from ui.views import triangles

NASTY = (
    "$5 :red[x] <script>alert(1)</script> **bold**",
    "\U0001f9d1\u200d\U0001f9d1\u200d\U0001f9d2 a family \u2014 \u201cat home\u201d",
    "\u0631\u062c\u0644 \u064a\u0631\u0643\u0628 \u062f\u0631\u0627\u062c\u0629",
    "word " * 400,
)


def stat(at: AppTest, label: str) -> str:
    return markup(at).partition(f"<small>{label}</small><b>")[2].partition("</b>")[0]


def test_the_number_shown_is_the_row_of_scores():
    study = random_study(items=4)
    found = scores_table.scores(study, score(study, ["trm_bow"]), ["item"])
    for row in found[found.run == "run 1"].itertuples():
        at = page("triangles", study, distance="bag of words", run="run 1", image=row.item)
        assert not at.exception
        assert stat(at, "TRM") == num(row.value)
        assert stat(at, "p") == p_text(row.p_value, row.p_floor)
        position = [item.id for item in study.items].index(row.item)
        view = triangles.compute(study, study.run("run 1"), position, TRMS["bag of words"])
        assert (view.value, view.test.p_value, view.test.floor) == (row.value, row.p_value, row.p_floor)
    assert "n = 5 captions by the run, 4 by people, 70 triangles" in markup(at)
    assert "trm_bow|v1|ties:shared|words:5000-pooled|tok:ptb" in markup(at)
    assert "of 4 items; up to 0 expected by chance<" in markup(at)
    assert stat(at, "Run differs on") == str((found[found.run == "run 1"].p_value <= 0.05).sum())


def test_the_address_says_the_view_and_opens_it_again():
    study = random_study(items=5)
    at = page("triangles", study, distance="ROUGE-L", image="image 0")
    at.button(key="image_Right").click().run()
    at.button(key="image_Right").click().run()
    at.selectbox(key="run_select").set_value("run 1").run()
    asked = dict(at.query_params)
    assert {k: asked[k] for k in ("image", "run", "distance")} == {
        "image": "image 2",
        "run": "run 1",
        "distance": "ROUGE-L",
    }
    again = page("triangles", study, image="image 2", run="run 1", distance="ROUGE-L")
    assert markup(again) == markup(at)
    at.button(key="image_Left").click().run()
    assert dict(at.query_params)["image"] == "image 1"
    at.selectbox(key="image_select").set_value(4).run()
    assert dict(at.query_params)["image"] == "image 4"
    at.button(key="image_Right").click().run()
    assert dict(at.query_params)["image"] == "image 0", "after the last comes the first"


def test_what_the_study_does_not_have_is_said():
    at = page("triangles", random_study(), image="<b>gone</b>", run="lost", distance="bag of words")
    assert not at.exception
    assert "There is no image named <b>&lt;b&gt;gone&lt;/b&gt;</b> in this study" in markup(at)
    assert "There is no run named <b>lost</b>" in markup(at)
    at.run()
    assert "There is no" not in markup(at)


def test_what_a_broken_run_left_is_said_by_its_own_page_alone(monkeypatch):
    def broken():
        raise RuntimeError("broken off")

    said = "There is no run named <b>lost</b>"
    for after in ("triangles", "images"):
        with monkeypatch.context() as breaking:
            breaking.setattr(address, "show_unknown", broken)
            at = page("triangles", random_study(), run="lost", distance="bag of words")
        assert said not in markup(at)
        at.switch_page(f"pages/{after}.py").run()
        assert not at.exception
        assert (said in markup(at)) == (after == "triangles")


def middle(rows):
    return rows.sort_values("value", kind="stable").iloc[(len(rows) - 1) // 2]


def test_it_begins_at_a_typical_image_and_not_at_the_least_p():
    study = random_study(items=6)
    found = scores_table.scores(study, score(study, ["trm_bow"]), ["item"])
    of_run = {name: middle(found[found.run == name]) for name in ("run 0", "run 1")}
    assert all(row.p_value > found.p_value.min() for row in of_run.values()), "else the test could not fail"
    at = page("triangles", study)
    asked = chosen(at)
    assert (asked["run"], asked["image"]) == ("run 0", of_run["run 0"]["item"])
    assert asked == chosen(page("triangles", study))
    at = page("triangles", study, run="run 1", distance="bag of words")
    assert chosen(at)["image"] == of_run["run 1"]["item"]
    at = page("triangles", study, image="image 3", distance="bag of words")
    assert (chosen(at)["run"], chosen(at)["image"]) == ("run 0", "image 3")
    assert "Dashes: one third each." in markup(at)


def test_it_begins_where_a_run_differs_if_it_does_so_more_often_than_by_chance():
    study = random_study(items=6)
    other = {item.id: ("Some boats sail far out.",) * 2 + ("Boats!", "Sails", "A ship") for item in study.items[3:]}
    run = replace(study.runs[0], candidates=study.runs[0].candidates | other)
    study = replace(study, runs=(run, study.runs[1]))
    assert chosen(page("triangles", study))["image"] == "image 3", "without results"
    found = score(study, ["trm_bow"])["run 0", "trm_bow"]
    assert (found.item_p[3:] <= 0.05).all()
    median = sorted(range(3, 6), key=found.items.__getitem__)[1]
    assert chosen(page("triangles", study, run="run 0"))["image"] == f"image {median}", "of those that differ"
    score(study, ["bert"])
    assert chosen(page("triangles", study, run="run 0"))["distance"] == "MiniLM", "captions were compared by meaning"


def test_it_begins_with_a_run_that_says_more_than_one_thing():
    study = random_study(items=3)
    copies = {item.id: study.runs[0].candidates[item.id][:1] * 5 for item in study.items}
    study = replace(study, runs=(replace(study.runs[0], candidates=copies), study.runs[1]))
    score(study, ["trm_bow"])
    assert chosen(page("triangles", study))["run"] == "run 1"


def test_too_few_captions_are_a_state_with_the_captions():
    study = random_study(items=2)
    single = Run("one each", "model 9", Settings(), {i.id: ("only this one",) for i in study.items})
    study = replace(study, runs=(*study.runs, single))
    at = page("triangles", study, run="one each", distance="bag of words")
    assert not at.exception
    assert "Too few captions for a verdict: 1 caption by the run." in markup(at)
    assert "These runs have enough of this item:" in markup(at)
    assert not at.get("plotly_chart"), "no chart of what says nothing"
    assert 'class="tl-stats"' not in markup(at)
    assert "only this one" in markup(at)
    assert esc(study.items[0].references[0]) in markup(at)


def test_a_study_without_any_triangles_says_what_they_need():
    """Two captions by each run are a set, but too few for a verdict."""
    study = random_study(items=2, candidates=2)
    assert "triangles" in rooms.lacking(study)
    assert "triangles" not in rooms.lacking(random_study(items=2))
    at = page("triangles", study)
    assert not at.exception
    assert "Triangles need 3 captions by people and 3 by a run of the same item" in markup(at)
    assert "a run has at most 2 per item" in markup(at)
    assert not at.selectbox, "there is nothing to choose"


def test_a_run_that_has_enough_is_one_click_away():
    study = random_study(items=2, runs=9)
    single = Run("one each", "model 9", Settings(), {i.id: ("only this one",) for i in study.items})
    study = replace(study, runs=(*study.runs, single))
    at = page("triangles", study, run="one each", distance="bag of words")
    offered = [one.label for one in at.button if (one.key or "").startswith("triangles_run_")]
    assert offered == [f"run {k}" for k in range(6)]
    assert "3 more are in the list of runs above." in markup(at)
    at.button(key="triangles_run_1").click().run()
    assert not at.exception
    assert chosen(at)["run"] == "run 1"
    assert "Too few captions" not in markup(at)


def test_the_way_to_the_one_run_and_image_that_have_enough():
    study = random_study(items=2, runs=2)
    first, second = (item.id for item in study.items)
    few = {first: ("only this one",), second: ("and this",)}
    runs = (
        replace(study.runs[0], candidates=few),
        replace(study.runs[1], candidates={**study.runs[1].candidates, first: ("a",)}),
    )
    at = page("triangles", replace(study, runs=runs), run="run 0", image=first, distance="bag of words")
    at.button(key="triangles_any").click().run()
    assert (chosen(at)["run"], chosen(at)["image"]) == ("run 1", second)
    assert "Too few captions" not in markup(at)


def test_the_way_to_an_image_that_has_enough():
    study = random_study(items=2)
    items = (Item("alone", ("one reference",)), study.items[1])
    runs = tuple(replace(r, candidates={"alone": ("a b", "c d"), **r.candidates}) for r in study.runs)
    at = page("triangles", replace(study, items=items, runs=runs), image="alone", distance="bag of words")
    assert "Too few captions for a verdict: 2 captions by the run and 1 caption by people." in markup(at)
    assert "1 of 2 items has enough" in markup(at)
    go = next(b for b in at.button if b.label.startswith("Go to"))
    go.click().run()
    assert dict(at.query_params)["image"] == "image 1"
    assert "have enough" not in markup(at)


def test_a_study_without_runs_is_an_empty_state():
    at = page("triangles", replace(random_study(), runs=()))
    assert not at.exception
    assert "captions by people but none by a model" in markup(at)


@pytest.mark.parametrize("file", ["triangles", "images"])
def test_captions_are_shown_as_they_are(file):
    study = random_study(items=1, runs=1)
    item, run = study.items[0], study.runs[0]
    items = (replace(item, id="<i>x</i>", references=(*NASTY, *NASTY[:1])),)
    study = Study("*s*", items, (Run("$r$ <b>", "m", run.settings, {"<i>x</i>": NASTY * 10}),))
    at = page(file, study, distance="bag of words")
    assert not at.exception
    for text in NASTY:
        assert f'<q dir="auto">{esc(text.strip())}</q>' in markup(at)
    assert "<script" not in markup(at)
    assert "×10" in markup(at)
    assert "×2" in markup(at)


def test_every_reading_has_words():
    assert set(triangles_words.WORDS) == set(triangles_words.SAYS) == set(READINGS.values())
    assert all(words for code, words in triangles_words.WORDS.items() if code != "none")
    assert all(triangles_words.SAYS.values())


@pytest.mark.parametrize(
    ("spread", "said"),
    [
        (0.0, "run 0's captions of this item are closer to one another than to people's: TRM "),
        (None, "No significant difference between run 0's captions of this item and people's: TRM "),
    ],
)
def test_the_reading_follows_the_captions(spread, said):
    """Copies of one reference are too alike, while the references do not differ from themselves."""
    study = random_study(items=1, references=10, runs=1)
    references = study.items[0].references
    candidates = references if spread is None else references[:1] * 10
    run = replace(study.runs[0], candidates={study.items[0].id: candidates})
    view = triangles.compute(replace(study, runs=(run,)), run, 0, TRMS["bag of words"])
    parts = triangles_words.verdict(study, run, view)
    assert "".join(parts).startswith(said)
    shown = "".join(split_verdict(parts)[0])
    assert f"TRM {num(view.value)}, p" in shown, "the numbers are in sight"
    picked = " Pages open on an item that stands out: this p holds only for one picked before you saw numbers."
    assert "".join(parts).endswith(picked) == (spread is not None), "an image that stands out has a small p by that"
    assert OPTIONS.budget >= view.partitions


def test_what_is_not_sure_is_not_read():
    """A share outside its own range is no evidence if the test as a whole finds nothing."""
    study = random_study(items=40, references=5, runs=1)
    views = [triangles.compute(study, study.runs[0], k, TRMS["bag of words"]) for k in range(40)]
    hints = [view for view in views if view.test.p_value > 0.05 and view.reading.evidence]
    assert hints, "else the test could not fail"
    for view in hints:
        said = "".join(triangles_words.verdict(study, study.runs[0], view))
        assert said.startswith("No significant difference between ")
        assert said.endswith(
            ". Bags of words only count words in common: compare by meaning before you take them for alike."
        )
        assert not [words for words in triangles_words.SAYS.values() if words in said]


def test_too_few_captions_to_tell_are_said_to_be_that():
    """With three captions against three, p cannot be .05 or less, which must not be read as "no difference"."""
    study = random_study(items=1, references=3, candidates=3, runs=1)
    view = triangles.compute(study, study.runs[0], 0, TRMS["bag of words"])
    floor = view.test.floor
    assert floor > 0.05
    words = f"Too few captions for a verdict: 3 by the run and 3 by people (smallest possible p: {p_bound(floor)})."
    assert "".join(triangles_words.verdict(study, study.runs[0], view)).startswith(words)


def test_the_mathematics_is_loaded_once_in_the_background():
    thread = warm.start()
    assert warm.start() is thread
    thread.join(120)
    assert not thread.is_alive()
    assert "metrics.permutation.triangles" in sys.modules


def test_a_distance_that_only_another_page_has_is_not_traded_for_a_slow_one():
    at = page("central", random_study(), distance="BLEU-1")
    assert dict(at.query_params)["distance"] == "BLEU-1"
    at.switch_page("pages/triangles.py").run()
    assert not at.exception
    assert at.selectbox(key="distance_select").value == "bag of words"
    at.switch_page("pages/central.py").run()
    assert at.selectbox(key="distance_select").value == "bag of words", "pages share what they both have"


def test_the_distance_to_begin_with_is_one_that_is_scored():
    study = random_study()
    score(study, ["trm_rouge_l"])
    for file in ("triangles", "central"):
        assert page(file, study).selectbox(key="distance_select").value == "ROUGE-L"
        assert page(file, study, distance="lost").selectbox(key="distance_select").value == "ROUGE-L"
        assert page(file, study, distance="CIDEr-D").selectbox(key="distance_select").value == "CIDEr-D"


def test_a_link_says_the_distance_that_another_would_replace_once_it_is_scored():
    """Bags of words replace METEOR until it is computed; without the distance, a link could later show another TRM."""
    study = random_study(seed=11)
    seen = page("triangles", study)
    said = {name: values for name, values in dict(seen.query_params).items() if name in ("run", "image", "distance")}
    assert said["distance"] in ("bag of words", ["bag of words"])
    score(study, ["trm_meteor"])
    assert page("triangles", study).selectbox(key="distance_select").value == "METEOR"
    again = page("triangles", study, **{k: v[0] if isinstance(v, list) else v for k, v in said.items()})
    assert markup(again) == markup(seen)


def test_the_triangle_is_of_this_image_s_captions_and_its_letters_stand_beside_them():
    study = random_study(items=2, references=6, candidates=6)
    at = page("triangles", study, distance="bag of words", run="run 1", image="image 1")
    assert not at.exception
    view = triangles.compute(study, study.run("run 1"), 1, TRMS["bag of words"])
    drawn = telling(view.distances, view.shares)
    assert drawn is not None
    sides = study.run("run 1").candidates["image 1"], study.items[1].references
    pair, point = sides if drawn.of_run else sides[::-1]
    assert set(drawn.pair) <= set(pair)
    assert drawn.point in point
    shown = markup(at)
    for letter, text in zip("ABC", (*drawn.pair, drawn.point)):
        assert f'<b>{letter}</b><q dir="auto">{esc(text)}</q>' in shown, "in its step"
        assert re.search(rf'{re.escape(esc(text))}</q>(<em [^>]*>[^<]*</em>)?<em class="tl-mark">{letter}</em>', shown)
    assert f"One of its {view.triangles} triangles" in shown


def test_names_of_runs_are_short():
    study = random_study(items=1, references=5)
    runs = tuple(replace(run, name=f"{run.model} T={k}.5") for k, run in enumerate(study.runs))
    at = page("triangles", replace(study, runs=runs), distance="bag of words")
    assert not at.exception
    assert at.selectbox(key="run_select").options == [f"model {k} · T {k}.5" for k in range(2)], "spaces as typed"

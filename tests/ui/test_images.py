"""Test the Images page in every state, without a browser."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import partial
from html import unescape
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from data.study import Item, Run, Settings, Study
from figures.images import titles
from figures.images import words as images_words
from figures.style import html
from figures.style.escaping import esc, short
from figures.style.wording import item_noun
from metrics.analysis.item_order import in_order
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import chosen, markup, page, part, score, sent
from ui.views import images_all, images_order
from ui.widgets import image_picker

FIRST = {"measures": ["cider_d", "distinct_2"], "distance": "bag of words"}


def here(at: AppTest) -> str:
    return str(chosen(at)["image"])


def opened(at) -> list[str]:
    """Return the images that the rows or cards open, in order."""
    links = re.findall(r'<a class="tl-go" href="([^"]*)"', markup(at))
    asked = [parse_qs(urlsplit(unescape(link)).query) for link in links]
    return [of["image"][0] for of in asked if of["images_as"] == ["one"]]


def walk(at: AppTest, steps: int) -> list[str]:
    seen = [here(at)]
    for _ in range(steps):
        at.button(key="image_Right").click().run()
        seen.append(here(at))
    return seen


def test_runs_stand_side_by_side_with_their_numbers():
    study = random_study(items=3, runs=3)
    found = score(study, FIRST["measures"])
    at = page("images", study, image="image 1", beside=["run 2", "run 0"], **FIRST)
    assert not at.exception
    assert "<b>CIDEr-D</b><small>higher is better</small>" in markup(at)
    at.button(key="image_swap").click().run()
    assert list(at.dataframe[0].value["Run"]) == ["run 0", "run 2"]
    shown = at.dataframe[0].value["CIDEr-D"].tolist()
    assert shown == [found[run, "cider_d"].items[1] for run in ("run 0", "run 2")]
    for run in ("run 0", "run 2"):
        assert all(text in markup(at) for text in study.run(run).candidates["image 1"])
    assert not any('<b dir="auto">run 1</b>' in part for part in markup(at).splitlines())
    assert "cider_d|v1" in markup(at)
    assert "n = 3 items" not in markup(at), "a page on one item has no sample"


@pytest.mark.parametrize("end", ["low", "high"])
def test_order_by_one_metric(end):
    study = random_study(items=5)
    found = score(study, FIRST["measures"])
    at = page("images", study, order="metric", by="cider_d", of="run 1", **{"from": end}, **FIRST)
    wanted = in_order(found["run 1", "cider_d"].items, descending=end == "high")
    assert walk(at, 4) == [study.items[k].id for k in wanted]


def test_order_by_the_difference_of_two_runs():
    study = random_study(items=5)
    found = score(study, FIRST["measures"])
    at = page("images", study, order="difference", by="cider_d", of="run 0", against="run 1", **FIRST)
    wanted = in_order(found["run 0", "cider_d"].items - found["run 1", "cider_d"].items)
    assert walk(at, 4) == [study.items[k].id for k in wanted]
    assert "CIDEr-D, run 0 less run 1" in markup(part(at, "list"))


def test_order_by_disagreement():
    study = random_study(items=6)
    score(study, ["cider_d", "trm_bow", "distinct_2"])
    choice = images_order.ImagesChoice("disagreement", ("cider_d", "trm_bow"), ("run 0",), True)
    order = images_order.ordered(study, score(study, ["cider_d", "trm_bow"]), choice)
    assert order.values is not None
    assert order.values.sum() == pytest.approx(0)
    assert (np.diff(order.values[list(order.positions)]) <= 0).all()
    at = page(
        "images", study, order="disagreement", by="cider_d", less="trm_bow", of="run 0", **{"from": "high"}, **FIRST
    )
    assert walk(at, 5) == [study.items[k].id for k in order.positions]


def test_the_file_order_holds_while_numbers_are_missing():
    study = random_study(items=3)
    order = images_order.ordered(study, {}, images_order.ImagesChoice("metric", ("cider_d",), ("run 0",)))
    assert order.positions == (0, 1, 2)
    assert order.values is None


def test_search_finds_texts_as_they_are():
    study = random_study(items=4, runs=1)
    run = study.runs[0]
    said = {**run.candidates, "image 2": (*run.candidates["image 2"], "costs $5 (.*) <B>now</B>")}
    study = replace(study, runs=(replace(run, candidates=said),))
    at = page("images", study, find="(.*) <b>NOW", **FIRST)
    assert here(at) == "image 2"
    assert "found" in markup(at)
    assert at.selectbox(key="image_select").options == [f"1. {image_picker.title(study, study.items[2])}"]
    at.text_input(key="find_text").set_value("nobody says this").run()
    assert not at.exception
    assert "is in none of 4 items" in markup(at)
    at.text_input(key="find_text").set_value("").run()
    assert "find" not in dict(at.query_params)
    assert len(at.selectbox(key="image_select").options) == 4


def test_undefined_numbers_say_why():
    study = random_study(items=2, runs=1)
    single = Run("one each", "m", Settings(), {i.id: ("only this one",) for i in study.items})
    study = replace(study, runs=(*study.runs, single))
    score(study, ["trm_bow"])
    at = page("images", study, measures="trm_bow", distance="bag of words")
    assert "TRM bag of words: needs 2 captions of the run, has 1 (one each)" in markup(at)
    assert markup(at).count('<td><span class="mut">–</span></td>') == 1


def test_numbers_that_are_missing_are_computed_and_then_shown():
    study = random_study(items=2)
    at = page("images", study, **FIRST)
    end = time.monotonic() + 60
    while '<span class="mut">' in markup(at) and time.monotonic() < end:
        time.sleep(0.2)
        at.run()
    assert not at.exception
    assert '<span class="mut">' not in markup(at)


def test_references_alone_can_be_read_and_searched():
    study = replace(random_study(), runs=())
    at = page("images", study, image="image 2")
    assert not at.exception
    assert "This study has only captions by people" in markup(at)
    assert study.items[2].references[0] in markup(at)
    at.button(key="image_Right").click().run()
    assert here(at) == "image 3"
    at.text_input(key="find_text").set_value(study.items[5].references[0]).run()
    assert here(at) == "image 5"
    empty = page("images", Study("nothing", (), ()))
    assert not empty.exception
    assert "This study has no items" in markup(empty)


def test_metrics_that_cannot_be_are_not_shown_at_first():
    study = random_study(candidates=1)
    at = page("images", study, distance="bag of words")
    assert chosen(at)["measures"] in ("cider_d", ["cider_d", "distinct_2"])


def test_no_runs_and_no_metrics_chosen():
    at = page("images", random_study(), **FIRST)
    at.button_group(key="beside_pills").set_value([]).run()
    assert not at.exception
    assert "No run is chosen" in markup(at)
    at.button_group(key="measures_pills").set_value([]).run()
    assert not at.exception


def test_captions_that_differ_in_spaces_at_their_ends_are_one_row_without_them():
    shown = image_picker.distinct_captions((" a dog", "a cat", "a dog\t"), (True, False, True))
    assert [(c.count, c.marks) for c in shown] == [(2, ("central",)), (1, ())]
    assert '<q dir="auto">a dog</q><em title="said 2 times">×2</em>' in html.captions("m", shown)
    study = random_study(items=1)
    assert titles.title(study, replace(study.items[0], references=("  a dog", "b"))) == "a dog"
    addressed = replace(study.items[0], id="https://a.org/pictures/a-dog.jpg", references=(), metadata={})
    assert titles.title(study, addressed) == "a-dog.jpg"


def test_equal_captions_are_one_line_and_the_central_ones_marked():
    shown = image_picker.distinct_captions(("b", "a", "b", "c"), (True, False, True, False), words="C")
    assert [(c.text, c.count, c.marks) for c in shown] == [("b", 2, ("central",)), ("a", 1, ()), ("c", 1, ("found",))]
    assert [c.marks for c in image_picker.distinct_captions(("a", "a"), (True, True))] == [()], (
        "a mark on all tells nothing"
    )


def test_a_step_and_a_search_take_as_long_among_five_thousand_images_as_among_fifty():
    spent = {}
    for count in (50, 5_000):
        study = random_study(items=count, references=5, candidates=5, runs=2)
        score(study, ["distinct_2"])
        wanted = {"measures": "distinct_2", "distance": "bag of words", "order": "metric", "by": "distinct_2"}
        at = page("images", study, seconds=120, **wanted)
        assert not at.exception
        spent[count] = _seconds(at)
    assert sum(spent[5_000]) < 3 * sum(spent[50]), spent  # about equal
    at.text_input(key="find_text").set_value("").run()
    assert at.selectbox(key="image_select").options[image_picker.PAGE :][::48] == ["101 to 200 …", "4,901 to 5,000 …"]
    at.selectbox(key="image_select").set_value("4,901 to 5,000 …").run()
    listed = [said[:14] for said in at.selectbox(key="image_select").options]
    assert (*listed[:49:48], listed[49][:6], listed[-1][:6]) == ("1 to 100 …", "4,801 to 4,900", "4,901.", "5,000.")


def _seconds(at: AppTest) -> tuple[float, float]:
    """Return the processor seconds of a step and of a search.

    Each is the smallest of four measurements, since other work may slow some of them down.
    """
    spent: list[list[float]] = [[], []]
    for k in range(4):
        for change, of in zip(
            (at.button(key="image_Right").click, partial(at.text_input(key="find_text").set_value, f"kite {k}")), spent
        ):
            change()
            start = time.process_time()
            at.run()
            of.append(time.process_time() - start)
    return min(spent[0]), min(spent[1])


@pytest.mark.parametrize("label", ["9. an image of a slice that is left", ""])
def test_a_label_of_an_earlier_run_of_the_page_changes_nothing(label):
    at = page("images", random_study(items=5), image="image 2", **FIRST)
    sent(at, "image_select", label)
    assert not at.exception
    assert here(at) == "image 2"


def test_a_run_that_a_link_names_in_vain_is_said_once():
    study = random_study(items=3, runs=3)
    score(study, FIRST["measures"])
    at = page("images", study, image="image 1", beside=["run 2", "lost"], **FIRST)
    assert markup(at).count("There is no run named <b>lost</b>") == 1
    assert "There is no" not in markup(at.run())


def test_items_are_named_by_a_caption_and_people_stand_beside_the_runs_without_a_picture():
    study = random_study(items=3, runs=3)
    score(study, FIRST["measures"])
    at = page("images", study, image="image 1", **FIRST)
    first = study.items[1].references[0]
    assert image_picker.title(study, study.items[1]) == short(first, 46)
    assert image_picker.title(study, Item("7", ())) == "7"
    assert image_picker.title(study, Item("7", ("", " ", "a cow"))) == "a cow"
    named = Item("7", ("a cow",), None, {"title": "The farm"})
    assert image_picker.title(study, named) == "The farm"
    assert ">image 1<" not in markup(at), "the id is in the address, not on the page"
    assert markup(at).count('<div class="tl-caps"') == 4
    assert not at.get("imgs")
    at = page("images", study, images_as="table", **FIRST)
    assert all(f">{esc(image_picker.title(study, item, 110))}</a>" in markup(at) for item in study.items)


def test_the_best_run_and_the_worst_begin_on_the_image_where_they_differ_most():
    few = random_study(items=5, runs=4)
    score(few, ["cider_d"])
    at = page("images", few, measures="cider_d", distance="bag of words")
    assert len(chosen(at)["beside"]) == 4, "up to six runs are all shown"
    assert "Shown: " not in markup(at)
    study = random_study(items=5, runs=7)
    found = score(study, ["trm_bow", "cider_d"])
    at = page("images", study, measures="cider_d", distance="bag of words")
    by = sorted(study.runs, key=lambda run: -found[run.name, "cider_d"].corpus)
    rival = next(run for run in by if run.model != by[0].model)
    assert set(chosen(at)["beside"]) == {by[0].name, rival.name, by[-1].name}
    gaps = [max(v) - min(v) for v in zip(*(found[run, "cider_d"].items for run in chosen(at)["beside"]))]
    assert walk(at, 4) == [study.items[k].id for k in sorted(range(5), key=lambda k: -gaps[k])]
    assert re.findall(r'<th scope="col"><b>(.*?)</b>', markup(page("images", few, by="bleu_4", **FIRST)))[1] == "BLEU-4"
    assert "Shown: the best run, the best of another model and the worst by CIDEr-D." in markup(at)
    assert "Items where runs differ most by CIDEr-D come first." in markup(at)
    assert "Shown: " not in markup(page("images", study, beside=["run 0", "run 1"], order="file", **FIRST))


def test_each_caption_has_its_value_and_people_their_rating():
    study = random_study(items=3, runs=2, candidates=2)
    run = study.runs[0]
    rated = {item.id: [[1.0, 4.0], [5.0]] for item in study.items}
    study = replace(study, runs=(replace(run, human=rated), *study.runs[1:]))
    found = score(study, ["cider_d"])["run 0", "cider_d"]
    texts = run.candidates[study.items[1].id]
    values = dict(zip(sorted(texts), found.values[found.unit_item == 1]))
    at = page("images", study, image=study.items[1].id, beside="run 0", measures="cider_d", distance="bag of words")
    assert "<small>each by CIDEr-D · rating</small>" in markup(at)
    assert at.toggle(key="among_toggle").set_value(True).run().get("plotly_chart")
    for text, rating in zip(texts, ("2.5", "5.0")):
        assert f"<em>{values[text]:.2f} · {rating}</em>" in markup(at)


def test_the_sheet_and_the_table_show_the_images_of_the_order_and_open_them():
    study = random_study(items=18, runs=2)
    said = {**study.runs[0].candidates, study.items[3].id: ("<b>one</b> **x** $5", "two", "two")}
    study = replace(study, runs=(replace(study.runs[0], candidates=said), study.runs[1]))
    found = score(study, ["cider_d"])
    asked: dict[str, str | list[str]] = {"measures": "cider_d", "distance": "bag of words", "order": "file"}
    at = page("images", study, images_as="sheet", **asked)
    assert markup(at).count('<div class="tl-card">') == 2 * images_all.SHEET, "without pictures"
    assert ">&lt;b&gt;one&lt;/b&gt;" not in markup(at), "the most frequent caption stands for the others"
    assert ">two</q>" in markup(at)
    assert 'title="and 1 other">+1</em>' in markup(at)
    assert at.button(key="sheet_back").disabled
    at.button(key="sheet_on").click().run()
    assert markup(at).count('<div class="tl-card">') == 18 - 2 * images_all.SHEET
    assert at.button(key="sheet_on").disabled
    at.button(key="sheet_back").click().run()
    assert opened(at) == [item.id for item in study.items[: 2 * images_all.SHEET]]
    choice = images_order.ImagesChoice("file")
    runs, order = study.runs, images_order.ordered(study, found, choice)
    table = images_all.listing(study, order, runs, [METRICS["cider_d"]], found)
    assert list(table) == ["Item", "run 0", "CIDEr-D, run 0", "run 1", "CIDEr-D, run 1", "People", "Id"]
    assert table["CIDEr-D, run 1"].tolist() == found["run 1", "cider_d"].items.tolist()
    assert table["run 0"][3] == "<b>one</b> **x** $5 | two | two"
    assert table["Id"].tolist() == [item.id for item in study.items]


def test_the_headings_of_the_table_sort_it_and_another_order_begins_on_its_first_page():
    study = random_study(items=images_all.ROWS + 3, runs=2)
    values = score(study, ["cider_d"])["run 1", "cider_d"].items
    at = page("images", study, images_as="table", measures="cider_d", distance="bag of words", order="file")
    assert opened(at) == [item.id for item in study.items[: images_all.ROWS]]
    at.button(key="sheet_on").click().run()
    assert opened(at) == [item.id for item in study.items[images_all.ROWS :]]
    for end, sign in (("high", -1), ("low", 1)):
        head = re.search(r'href="([^"]*)"[^>]*aria-label="Sort by CIDEr-D of run 1', markup(at))
        assert head is not None
        asked = parse_qs(urlsplit(unescape(head[1])).query)
        assert asked["from"] == [end]
        del asked["study"]
        at = page("images", study, **asked)
        best = [study.items[k].id for k in np.argsort(sign * values, kind="stable")]
        assert opened(at) == best[: images_all.ROWS]


def test_an_answer_is_named_by_what_was_asked():
    asked = Item("7::a", (), None, {"context": "The lift broke. Sam was inside.", "temperature": 0.5})
    study = replace(random_study(items=1), items=(asked,))
    assert titles.title(study, asked) == "The lift broke. Sam was inside."
    assert titles.title(study, replace(asked, references=("a lift",))) == "a lift"


def test_what_all_items_were_asked_names_none_of_them_unless_there_is_one_item():
    items = tuple(Item(f"k{i}", (), None, {"prompt": "Describe it.", "Source": f"text {i}"}) for i in range(3))
    study = replace(random_study(items=3, runs=1), items=items)
    assert [titles.asked(study, item) for item in items] == ["text 0", "text 1", "text 2"]
    assert item_noun(study) == "item"
    one = replace(study, items=items[:1])
    assert (titles.asked(one, items[0]), item_noun(one)) == ("Describe it.", "prompt")


@pytest.mark.parametrize("referenced", [True, False])
def test_what_was_asked_is_shown_whole(referenced):
    study, asked = random_study(items=3, runs=2), " ".join(["The lift broke."] * 20)
    items = tuple(
        replace(item, references=item.references * referenced, metadata={"context": f"{asked} {item.id}."})
        for item in study.items
    )
    at = page("images", replace(study, name="asked", items=items), image="image 1", **FIRST)
    text = markup(at)
    assert at.title[0].value == "Contexts"
    assert f">{asked} image 1.<" in text
    assert (">People<" in text) == referenced


def test_the_reading_names_the_best_run_of_this_image_and_nothing_where_none_is():
    study = random_study(items=4, runs=3)
    found = score(study, ["cider_d", "trm_bow", "distinct_2"])
    metrics = [METRICS[name] for name in ("cider_d", "trm_bow", "distinct_2")]
    said = "".join(images_words.reading(study, 2, study.runs, metrics, found))
    values = {run.name: found[run.name, "cider_d"].items[2] for run in study.runs}
    best = max(values, key=lambda name: values[name])
    assert not said.startswith("On this item"), "the line above says so"
    assert f"{best} is best by CIDEr-D ({values[best]:.3f}" in said
    lowest = min(study.runs, key=lambda run: found[run.name, "trm_bow"].items[2]).name
    value = found[lowest, "trm_bow"].items[2]
    assert f"TRM bag of words ({value:.3f})" in said
    assert "distinct-2" not in said, "more is not better"
    some = "".join(images_words.reading(study, 2, study.runs[:2], metrics, found))
    assert some.startswith("Of the 2 runs shown, ")
    better = max(study.runs[:2], key=lambda run: found[run.name, "cider_d"].items[2]).name
    assert f"{better} is best by CIDEr-D" in some, "the best of those shown, whatever the third has"
    assert images_words.reading(study, 2, study.runs[:1], metrics, found) == ()
    assert images_words.reading(study, 2, study.runs, metrics, {}) == ()
    at = page("images", study, image="image 2", measures=["cider_d", "trm_bow"], distance="bag of words")
    assert markup(at).count("is best by") >= 1


def test_a_closed_part_is_not_drawn_and_long_lists_open_in_place():
    study = random_study(items=3, candidates=9, references=9)
    score(study, FIRST["measures"])
    at = page("images", study, **FIRST)
    assert not at.get("plotly_chart")
    assert '<div class="tl-vals"' in markup(at)
    assert len(part(at, "among").get("plotly_chart")) == 2
    assert '<div class="tl-vals"' not in markup(at)
    assert markup(at).count("<summary><span>Show all ") >= 1

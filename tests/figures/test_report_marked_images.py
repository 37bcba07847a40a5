"""Test that a report shows stars, notes and hidden runs, and names images by captions rather than by ids."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from data.load import Loaded, load_study
from data.marks import Marks
from data.study import Item, Study
from figures.images.titles import CUT, title
from figures.report import html as report_html
from figures.report.charts import Charts
from figures.report.html import LeftOut, Section
from figures.report.marked_images import MOST, marked, with_marks
from figures.report.pages import PAGES, build_report
from figures.report.request import Request
from figures.style.escaping import esc
from metrics.analysis import bundle
from metrics.analysis.overview import stand_ins
from metrics.cache.disk import Cache
from metrics.registry import METRICS
from tests.figures.test_report import NASTY, request
from tests.studies import study as random_study


@pytest.fixture(scope="module")
def study() -> Study:
    return random_study(items=4, references=4, candidates=3, runs=3, seed=2)


@pytest.fixture(scope="module")
def asked(study: Study) -> Request:
    return request(study)


def read(study: Study, marks: Marks) -> Loaded:
    return bundle.checked(load_study([("b.trilens.zip", bundle.study_bundle(study, Cache(None), marked=marks))]))


def test_stars_and_notes_are_shown_by_caption_each_note_as_it_was_written(study, asked):
    first, second = study.items[:2]
    marks = Marks({}, frozenset(), frozenset({first.id}), {second.id: NASTY})
    page = marked(with_marks(asked, read(study, marks), False))
    assert isinstance(page, Section)
    said = "".join(page.blocks)
    assert f"★ {esc(first.references[0][: CUT - 1].rstrip())}" in said
    assert esc(NASTY) in said
    assert NASTY not in said
    assert said.count('class="tl-marked"') == 2
    assert "<span>1 star</span><span>1 note</span>" in said
    assert first.id not in re.sub(r'title="[^"]*"|<details>.*', "", said), "an id is said on hover and in the table"


def test_many_marks_are_shown_in_part_and_all_in_the_table(asked):
    many = random_study(items=MOST + 3, references=3, candidates=1, runs=2, seed=4)
    marks = Marks({}, frozenset(), frozenset(item.id for item in many.items))
    page = marked(replace(asked, study=many, marks=marks))
    assert isinstance(page, Section)
    said = "".join(page.blocks)
    assert said.count('class="tl-marked"') == MOST
    assert f"the first {MOST} of {MOST + 3} items are shown" in said
    assert said.count("<tr>") == 1 + MOST + 3


def test_without_marks_the_page_is_left_out_with_the_reason(asked):
    page = marked(asked)
    assert isinstance(page, LeftOut)
    assert page.why == "no item has a star or a note"


def test_hidden_runs_are_said_below_the_headline(study):
    hidden = study.runs[1].name
    loaded = read(study, Marks({}, frozenset({hidden})))
    part = study.only(runs=[run.name for run in study.runs if run.name != hidden])
    shown = with_marks(replace(request(part), pages=("leaderboard",)), loaded, False)
    front = build_report(shown).html
    assert shown.hidden == 1
    assert "1 of 3 runs is hidden and left out." in front[front.index("</h1>") : front.index("<nav ")]
    assert (
        "hidden" not in build_report(replace(shown, hidden=0, charts=Charts())).html.split("<nav ")[0].split("</h1>")[1]
    )


def test_an_image_is_named_by_its_title_else_a_caption_by_people_else_by_a_run(study):
    bare, run = Item("a/b.jpg", ()), study.runs[0]
    alone = replace(study, items=(bare,), runs=(replace(run, candidates={bare.id: (" ", "a cow by a fence")}),))
    assert title(alone, bare) == "a cow by a fence"
    assert title(replace(alone, runs=()), bare) == "a/b.jpg"
    named = replace(bare, references=("a dog",))
    assert title(replace(alone, items=(named,)), named) == "a dog"
    titled = replace(named, metadata={"title": "The farm"})
    assert title(alone, titled) == "The farm"
    spoken = replace(bare, id="prompt 3")
    assert title(replace(alone, items=(spoken,)), spoken) == "prompt 3"


def test_no_caption_names_an_item_if_its_run_says_the_same_of_another(study):
    items, run = (Item("a", ()), Item("b", ())), study.runs[0]
    one, both = ({"a": ("a cow",), "b": (f"a {other}",)} for other in ("cow", "dog"))
    for runs, named in ((one,), ["a", "b"]), ((one, both), ["a cow", "a dog"]):
        of = replace(
            study, items=items, runs=tuple(replace(run, name=f"{k}", candidates=c) for k, c in enumerate(runs))
        )
        assert [title(of, item) for item in items] == named


def test_images_and_the_cloud_are_named_by_captions(study, asked):
    page = PAGES["images"][1](replace(asked, charts=Charts()))
    assert isinstance(page, Section)
    headings = re.findall(r"<h3[^>]*>(.*?)</h3>", "".join(page.blocks))
    assert headings == [esc(title(study, study.items[place], 110)) for place in asked.images]


def test_every_class_of_the_file_has_a_rule_in_its_style(asked):
    made = build_report(replace(asked, charts=Charts())).html
    style, body = made[: made.index("</style>")], made[made.index("<body>") :]
    used = {
        name for names in re.findall(r'class="([^"]*)"', body) for name in names.split() if name.startswith("tl-ov-")
    }
    assert {"tl-ov-step", "tl-ov-d", "tl-ov-set"} <= used
    unset = {name for name in used if f".{name}" not in style}
    assert unset <= {"tl-ov-k0"}, "the first of three shades of a bar is as its colour"
    assert report_html.own_css() in style


def test_the_overview_has_its_own_metrics_for_what_was_not_chosen(study):
    chosen = tuple(METRICS[name] for name in ("cider_d", "rouge_l"))
    assert [metric.name for metric in stand_ins(study, chosen, METRICS)] == ["trm_meteor"]
    assert stand_ins(study, (METRICS["trm_bow"], METRICS["bleu_4"]), METRICS) == ()
    assert [metric.name for metric in stand_ins(study, (METRICS["trm_bow"],), METRICS)] == ["meteor"]
    alone = random_study(items=4, references=1, candidates=1, runs=2, seed=3)
    assert [m.name for m in stand_ins(alone, (METRICS["distinct_2"],), METRICS)] == ["cider_d", "corpus_ms_jaccard_4"]
    assert [m.name for m in stand_ins(alone, (METRICS["rouge_l"],), METRICS)] == ["corpus_ms_jaccard_4"]
    assert [m.name for m in stand_ins(alone, chosen, METRICS)] == ["corpus_ms_jaccard_4"]

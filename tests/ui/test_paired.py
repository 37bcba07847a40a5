"""Test the Paired comparison page in every state, without a browser."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from data.study import Study
from figures.style.html import WORDS
from metrics.analysis.numbers import Numbers
from metrics.engine import scores_table
from metrics.engine.result import failed
from metrics.engine.scoring import Results
from metrics.permutation.pvalues import ALPHA
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import chosen, markup, page, score, unfolded
from ui.jobs.jobs import ScoreView
from ui.views import images, images_order, paired

CHOSEN = {"distribution": ["trm_bow"], "quality": ["rouge_l", "bleu_2"], "diversity": ["distinct_1"]}
NAMES = [name for names in CHOSEN.values() for name in names]


def apart(items: int = 12) -> tuple[Study, Results]:
    """Make a study whose run 1 repeats the references, so that it is better by every quality metric; return its
    results, too.
    """
    study = random_study(items=items, references=5, seed=2)
    copied = replace(study.runs[1], candidates={item.id: item.references for item in study.items})
    study = replace(study, runs=(study.runs[0], copied))
    return study, score(study, NAMES)


def opened(study: Study, **query: str | list[str]) -> AppTest:
    at = page("paired", study, **{**CHOSEN, **query})
    assert not at.exception
    return at


def frame(at: AppTest, first: str = "Metric", key: str = "paired_forest"):
    swapped = f"_{key}_as_table"
    if first in ("Metric", "Run") and not (at.session_state.get(swapped)):
        at.button(key=f"{key}_swap").click().run()
        assert not at.exception
    return next(df.value for df in at.dataframe if df.value.columns[0] == first)


def verdict(at: AppTest) -> str:
    found = re.search(r'<div class="tl-verdict">(.*?)(<details>|</div>)', markup(at), re.S)
    assert found
    return re.sub(r"<[^>]+>", "", found.group(1)).strip()


def only(study: Study, family: str, name: str, **query: str) -> AppTest:
    at = page("paired", study, **{**CHOSEN, **query})
    for other in CHOSEN:
        at.query_params.pop(other, None)
        at.session_state[f"_address_{other}"] = (name,) if other == family else ()
    at.run()
    assert not at.exception
    return at


def test_the_numbers_are_those_of_scores():
    study, results = apart()
    at = opened(study, a="run 1", b="run 0")
    found = scores_table.scores(study, results)
    shown = frame(at).set_index("Metric")
    for name, label in (("rouge_l", "ROUGE-L"), ("bleu_2", "BLEU-2"), ("trm_bow", "TRM bag of words")):
        values = {row.run: row.value for row in found[found.metric == name].itertuples()}
        assert shown.loc[label, "run 1 (A)"] == pytest.approx(values["run 1"])
        assert shown.loc[label, "Difference"] == pytest.approx(values["run 1"] - values["run 0"])
        assert shown.loc[label, ["Ahead", "Ties", "Behind"]].sum() == 12
    assert (shown["Corrected p"] >= shown["p"]).all()
    assert "<b>run 1</b> is better than <b>run 0</b> by" in markup(at)
    assert "corrected for 4 comparisons of the two runs, one for each metric (Holm)" in markup(at)
    assert "12 comparisons" not in markup(at)
    assert "all 4,096 assignments, p ≥ 0.00049" in markup(at)
    assert "rouge_l|v" in markup(at)


def test_a_link_says_the_view_and_the_swap_turns_it_round():
    study, _ = apart()
    at = opened(study, a="run 1", b="run 0", main="rouge_l", other="bleu_2")
    first = frame(at).set_index("Metric").loc["ROUGE-L", "Difference"]
    at.button(key="swap_runs").click().run()
    assert (chosen(at)["a"], chosen(at)["b"]) == ("run 0", "run 1")
    assert frame(at).set_index("Metric").loc["ROUGE-L", "Difference"] == pytest.approx(-first)
    asked = {k: v for k, v in chosen(at).items() if k != "study"}
    assert (asked["main"], asked["other"]) == ("rouge_l", "bleu_2")
    again = opened(study, **asked)
    frame(again)  # opens the table, as above
    first, second = (re.sub(r"study=[\w-]+", "", markup(one)) for one in (again, at))
    assert first == second
    at.selectbox(key="main_select").set_value("bleu_2").run()
    assert chosen(at)["main"] == "bleu_2"
    assert "The middle item by BLEU-2" in markup(at)


def test_it_begins_with_the_best_against_another_model():
    study, _ = apart()
    at = opened(study)
    assert (chosen(at)["a"], chosen(at)["b"]) in {("run 0", "run 1"), ("run 1", "run 0")}
    p = frame(at).set_index("Metric")["Corrected p"]
    assert "main" not in chosen(at), "a default is not remembered, so that a choice can be told from it"
    assert p[METRICS[at.selectbox(key="main_select").value].label] <= ALPHA, "images are by a metric that differs"


@pytest.mark.parametrize("file", ["paired", "slices"])
def test_a_first_visit_chooses_the_pair_once_its_numbers_are_there(file: str):
    study = random_study(items=30, references=5, runs=4, seed=3)
    best, second = study.runs[3], study.runs[2]
    copied = [replace(best, candidates={item.id: item.references for item in study.items})]
    half = {item.id: item.references for item in study.items[::2]}
    copied += [replace(second, candidates={**second.candidates, **half})]
    study = replace(study, runs=(*study.runs[:2], copied[1], copied[0]))
    leader = "run 3"
    if file == "slices":  # Whatever they are by, TRM METEOR ranks the runs of this study.
        study, leader = replace(study, runs=study.runs[::-1]), "run 0"
    assert study.runs[0].name != leader
    wanted = {"scored_by": "rouge_l"} if file == "slices" else {"quality": "rouge_l", "distribution": "trm_bow"}
    at = page(file, study, **wanted)
    assert not {"a", "b"} & set(chosen(at)), "no pair is in the address before it is known"
    end = time.monotonic() + 60
    while "a" not in chosen(at):
        assert time.monotonic() < end
        time.sleep(0.2)
        at.run()
        assert not at.exception
    again = page(file, study, **wanted)
    assert [chosen(at)[name] for name in "ab"] == [chosen(again)[name] for name in "ab"]
    assert leader in (chosen(at)["a"], chosen(at)["b"]), "the best of all, which is not the first in the file"


def test_all_pairs_are_those_of_the_runs_judged_at_once():
    study = random_study(items=8, runs=5, seed=3)
    results = score(study, NAMES)
    at = opened(study, compare="all", main="rouge_l")
    assert "a_select" not in {box.key for box in at.selectbox}
    said = verdict(at)
    assert len(said.split()) <= WORDS
    shown = frame(at, "Run", "paired_pairs_figure")
    assert len(shown) == 10
    values = {run.name: results[run.name, "rouge_l"].corpus for run in study.runs}
    expected = [values[a] - values[b] for a, b in zip(shown["Run"], shown["Against"])]
    assert list(shown["ROUGE-L difference"]) == pytest.approx(expected)
    assert all(gap >= 0 for gap in expected), "the better run first"
    numbers = Numbers(results)
    found = numbers.pairs(study, METRICS["rouge_l"], study.runs)
    place = {run.name: k for k, run in enumerate(study.runs)}
    p = [found.p[place[a], place[b]] for a, b in zip(shown["Run"], shown["Against"])]
    assert list(shown["Corrected p"]) == pytest.approx(p)
    untold = sum(one > ALPHA for one in p)
    assert f"In {untold} of 10 pairs, no difference is detected." in said
    for one in shown.itertuples():
        assert bool(set(one.Letters) & set(one[8])) == (one[6] > ALPHA), "letters say what p says"


def test_the_largest_differences_show_their_words():
    study = random_study(items=3, candidates=1, seed=5)
    said = [
        {"image 0": ("a red dog runs",), "image 1": ("a cat",), "image 2": ("the same",)},
        {"image 0": ("a blue dog sleeps",), "image 1": ("a cat sits",), "image 2": ("the same",)},
    ]
    runs = tuple(replace(run, candidates=c) for run, c in zip(study.runs, said))
    study = replace(study, runs=runs, items=tuple(replace(i, references=("a red dog runs",)) for i in study.items))
    score(study, ["rouge_l"])
    at = only(study, "quality", "rouge_l", a="run 0", b="run 1")
    html = markup(at)
    assert 'a <span class="wo">red</span> dog' in html
    assert 'a <span class="w2 wo">blue</span> dog' in html
    assert "1 caption, 50 % unmatched" in html
    assert "<b>1.000</b><span>0.500</span>" in html


def test_images_are_by_the_metric_of_the_verdict_and_never_tied():
    study, _ = apart(items=14)
    best, tied = study.runs[1], [item.id for item in study.items[:2]]
    worse = replace(study.runs[0], candidates={**study.runs[0].candidates, **{i: best.candidates[i] for i in tied}})
    study = replace(study, runs=(worse, best))
    score(study, NAMES)
    at = opened(study, a="run 0", b="run 1")
    cards = re.findall(r'<div class="tl-top">.*?href="(.*?)"', markup(at))
    shown = [parse_qs(urlsplit(unescape(link)).query) for link in cards]
    assert len(shown) == 3
    assert not {one["image"][0] for one in shown} & set(tied)
    numbers = "".join(re.findall(r'<div class="tl-nums">(.*?)</div>', markup(at)))
    table = frame(at).set_index("Metric")
    shown_by = {name for name in table.index if f"<span>{name}</span>" in numbers}
    assert shown_by
    assert (table.loc[sorted(shown_by), "Corrected p"] <= ALPHA).all()
    assert (table["Corrected p"] > ALPHA).any(), "a metric that does not differ could have been shown"


def test_a_chosen_image_is_shown_and_an_unknown_one_is_not():
    study, _ = apart()
    at = opened(study, a="run 0", b="run 1", image="image 4")
    assert "The item you chose" in markup(at)
    at = opened(study, a="run 0", b="run 1", image="<b>gone</b>")
    assert "The item you chose" not in markup(at)


def test_the_table_of_items_has_every_item_in_order():
    study, results = apart()
    at = opened(study, a="run 1", b="run 0", main="rouge_l")
    shown = frame(unfolded(at), "Item")
    gap = results["run 1", "rouge_l"].items - results["run 0", "rouge_l"].items
    assert list(shown["A minus B"]) == pytest.approx(sorted(gap, reverse=True))
    assert (shown["Ahead"] == "A").sum() == (gap > 1e-9).sum()


def test_images_go_on_in_the_order_of_the_cards():
    """From a card on A's side, the next image is that of the next card on this side; the same holds for B's side."""
    study = random_study(items=12, references=5, seed=2)
    results = score(study, NAMES)
    at = opened(study, a="run 1", b="run 0", main="rouge_l")
    gap = results["run 1", "rouge_l"].items - results["run 0", "rouge_l"].items
    found = re.findall(r'<div class="tl-top">.*?href="(.*?)"', markup(at))
    links = [parse_qs(urlsplit(unescape(link)).query) for link in found]
    assert len(links) == 3
    places = {item.id: k for k, item in enumerate(study.items)}
    assert np.argmax(gap) in [places[link["image"][0]] for link in links]
    for link in links:
        end = "high" if gap[places[link["image"][0]]] > 0 else "low"
        assert {name: link[name][0] for name in ("order", "by", "of", "against", "from")} == {
            "order": "difference",
            "by": "rouge_l",
            "of": "run 1",
            "against": "run 0",
            "from": end,
        }
    choice = images.ImagesChoice("difference", ("rouge_l",), ("run 1", "run 0"), descending=True)
    assert images_order.ordered(study, results, choice).positions[0] == np.argmax(gap)


def test_what_the_study_does_not_have_is_said():
    study, _ = apart()
    at = opened(study, a="<i>lost</i>", b="run 1", main="nothing", compare="sideways")
    assert "There is no run named <b>&lt;i&gt;lost&lt;/i&gt;</b>" in markup(at)
    assert "There is no part named <b>sideways</b>" in markup(at)


def test_states_with_nothing_to_compare():
    study, _ = apart()
    assert "captions by people but none by a model" in markup(opened(replace(study, runs=())))
    assert "A comparison needs two" in markup(opened(replace(study, runs=study.runs[:1])))
    assert "The same run twice" in markup(opened(study, a="run 0", b="run 0"))
    assert "No metric to compare by" in markup(only(study, "diversity", "vocabulary"))


def test_diversity_has_no_winner():
    study, _ = apart()
    at = only(study, "diversity", "distinct_1", a="run 0", b="run 1")
    assert "more diversity is not better in itself" in markup(at)
    assert "is better" not in markup(at)
    assert "further right: run 0 more varied" in markup(at)


def test_one_candidate_one_reference_and_other_items():
    """Metrics of sets say why they have no value; runs with different items are compared on the items in common."""
    study = random_study(items=6, references=1, candidates=1)
    short = {k: v for k, v in study.runs[1].candidates.items() if k not in ("image 0", "image 1")}
    study = replace(study, runs=(study.runs[0], replace(study.runs[1], candidates=short)))
    score(study, NAMES)
    at = opened(study, a="run 0", b="run 1")
    shown = frame(at).set_index("Metric")
    assert shown.loc["ROUGE-L", "n"] == 4
    assert shown.loc["ROUGE-L", "Left out"] == 2
    assert shown.loc["TRM bag of words", "Note"] != ""
    assert "Left out: up to 2 items" in markup(at)
    assert re.search(r"all (16|8) assignments", markup(at))
    assert "swapped their captions of any item." in markup(at)


def test_a_study_of_one_item_is_not_told_apart():
    study = random_study(items=1)
    score(study, NAMES)
    at = opened(study, a="run 0", b="run 1")
    assert "No metric of quality or distance to people shows a significant difference" in markup(at)
    assert frame(at)["95 % from"].isna().all()


def test_a_metric_that_failed_says_why_and_the_others_stand(monkeypatch: pytest.MonkeyPatch):
    study, results = apart(items=9)  # what was compared once is kept
    for run in study.runs:
        results[run.name, "bleu_2"] = failed(METRICS["bleu_2"], 9, "no <java> here")
    monkeypatch.setattr(paired.jobs_numbers, "fetch", lambda *_: (Numbers(results), ScoreView({})))
    at = opened(study, a="run 1", b="run 0")
    shown = frame(at).set_index("Metric")
    assert shown.loc["BLEU-2", "Note"] == "no <java> here"
    assert np.isnan(shown.loc["BLEU-2", "Corrected p"])
    assert "corrected for 3 comparisons" in markup(at)
    at = opened(study, a="run 1", b="run 0", main="bleu_2")
    assert "BLEU-2: no &lt;java&gt; here." in markup(at)
    assert "Where it shows" not in markup(at)


@pytest.mark.parametrize("compare", ["two", "all"])
def test_numbers_that_are_not_there_yet_are_said(monkeypatch: pytest.MonkeyPatch, compare: str):
    """The page is in the state in which a job leaves it if it is cancelled before its first number."""
    monkeypatch.setattr(paired.jobs_numbers, "fetch", lambda *_: (Numbers({}), ScoreView({})))
    at = opened(random_study(), compare=compare)
    said = {"two": "There is nothing to compare yet: not computed yet.", "all": "not computed yet, or no values."}
    assert said[compare] in markup(at)
    assert compare == "two" or "computing</span>" in markup(at)


def test_thirty_runs_with_long_names_are_all_compared():
    study = random_study(items=8, runs=30)
    named = tuple(replace(run, name=f"{run.name} with a name of many words " * 3) for run in study.runs)
    study = replace(study, runs=named)
    score(study, ["rouge_l"])
    at = only(study, "quality", "rouge_l", compare="all")
    assert len(frame(at, "Run", "paired_pairs_figure")) == 435
    assert "of 435 pairs, no difference is detected" in verdict(at)

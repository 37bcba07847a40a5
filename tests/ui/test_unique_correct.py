"""Test the Unique vs correct page in every state, without a browser."""

from __future__ import annotations

import time
from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from data import demo
from data.study import Item, Study
from figures.style.escaping import esc
from figures.style.numbers import num
from figures.unique_correct import words as unique_correct_words
from metrics.analysis.unique_correct import experiment
from metrics.analysis.unique_correct.experiment import Design
from metrics.analysis.unique_correct.variance_shares import VarianceShares, variance_shares
from metrics.progress import Hooks
from metrics.registry import TRMS
from tests.studies import study as random_study
from tests.ui.shown import ROOT, chosen, markup, page, part, unfolded
from ui.jobs.jobs import jobs


def stored(study: Study, design: Design, label: str = "CIDEr-D") -> VarianceShares:
    trm = TRMS[label]
    found = experiment.experiment(study, design, trm, jobs().cache)
    jobs().cache.put(experiment.experiment_key(study, design, trm), found.arrays())
    return variance_shares(found, trm, study)


def first(study: Study, label: str = "CIDEr-D") -> Design:
    return experiment.default_design(experiment.distinct_references(study), TRMS[label])


def arrived(at: AppTest, seconds: float = 60) -> AppTest:
    end = time.monotonic() + seconds
    while 'class="tl-verdict' not in markup(at):
        assert time.monotonic() < end
        time.sleep(0.2)
        at.run()
    return at


def cells(at: AppTest, metric: str = "", key: str = "unique_correct") -> pd.DataFrame:
    at.session_state[f"_{key}_as_table"] = True
    table = at.run().dataframe[0].value
    return table[table["Metric"] == metric] if metric else table


def test_the_demo_says_its_sentence_by_a_job_of_its_own() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/unique_correct.py").run()
    assert not at.exception
    arrived(at)
    study = demo.load()
    found = stored(study, first(study))
    for sentence in unique_correct_words.verdict(found):
        assert esc(sentence) in markup(at)
    assert "Left out: 2 images with fewer than 10 different captions by people." in markup(at)
    titles = ["Captions behind a score", "This study's runs", "Why scores differ"]
    assert [tab.label for tab in at.tabs] == titles
    assert len(at.get("plotly_chart")) == 2
    assert len(part(at, "variance").get("plotly_chart")) == 3
    assert cells(at, key="unique_correct_variance")["Percent"].sum() == pytest.approx(200)
    assert cells(at, "trm_cider_d").shape == (26, 7)


def test_references_alone_are_enough() -> None:
    study = replace(random_study(references=8), runs=())
    found = stored(study, first(study))
    at = page("unique_correct", study)
    assert not at.exception
    assert esc(unique_correct_words.verdict(found)[0]) in markup(at)
    assert cells(at)["n"].iloc[0] == len(found.experiment.items)


def test_the_captions_of_the_chosen_cell_image_and_repeat_are_those_behind_the_number() -> None:
    study = demo.load()
    found = stored(study, first(study))
    position = int(found.experiment.items[7])
    query = {"image": study.items[position].id, "correct": "3", "unique": "4", "repeat": "2"}
    at = page("unique_correct", study, **query)
    assert not at.exception
    drawn = experiment.draw(experiment.distinct_references(study), found.experiment.design, position, 1)
    cell = found.cell(3, 4)
    html = markup(at)
    for text, copies in zip(drawn.candidates, drawn.copies[cell]):
        assert (f'<q dir="auto">{esc(text)}</q>' in html) == (copies > 0 or text in drawn.held_out)
    for text in drawn.held_out:
        assert f'<q dir="auto">{esc(text)}</q>' in html
    assert "Set of 3 correct and 2 foreign captions, 4 unique" in html
    for values in (found.experiment.base, found.experiment.trm):
        assert f"<b>{num(float(values[7, 1, cell]))}</b>" in html
    assert html.count('<em class="tl-mark">correct</em>') + html.count('<em class="tl-mark">foreign</em>') == 4


def test_choices_live_in_the_address_and_move_to_what_is_possible() -> None:
    """A single text cannot be both correct and foreign; larger sets leave fewer references."""
    study = demo.load()
    stored(study, first(study))
    stored(study, Design(8, 2, 5))
    at = page("unique_correct", study, correct="5", unique="1")
    assert not at.exception
    at.selectbox("correct_select").set_value("2").run()
    assert at.selectbox("unique_select").value == "2"
    assert at.query_params["unique"] == "2"
    assert "There is no" not in markup(at)
    at.selectbox("size_select").set_value("8").run()
    assert not at.exception
    assert at.query_params["size"] == "8"
    assert chosen(at)["held"] == "2"
    assert cells(at)["Correct"].max() == 8
    assert "There is no" not in markup(at)


def test_stale_values_in_the_address_are_said_and_replaced() -> None:
    study = demo.load()
    stored(study, first(study))
    at = page("unique_correct", study, distance="nonsense", size="x", correct="7,5", image="gone", repeat="99")
    assert not at.exception
    assert "There is no distance named" in markup(at)
    assert at.selectbox("distance_select").value == "CIDEr-D"
    assert at.selectbox("size_select").value == "5"
    assert at.selectbox("correct_select").value == "5"
    assert at.selectbox("repeat_select").value == "5"


def test_seed_repeats_and_distance_are_part_of_the_experiment() -> None:
    study = random_study(references=8)
    design = replace(first(study), repeats=2, seed=3)
    found = stored(study, design, "bag of words")
    at = page("unique_correct", study, distance="bag of words", repeats="2", seed="3")
    assert not at.exception
    assert "2 repeats each, seed 3" in markup(at)
    assert esc(found.trm.signature) in markup(at)
    assert cells(at, "trm_bow")["Value"].tolist() == found.of_trm.mean.tolist()


@pytest.mark.parametrize(
    ("study", "why"),
    [
        (
            random_study(references=1),
            "It needs items with at least 4 captions by people; the most here is 1.",
        ),
        (random_study(references=3), "It needs items with at least 4 captions by people; the most here is"),
        (random_study(items=1, references=9), "two items with captions by people are needed"),
        (Study("none", (), ()), "This study has no captions by people"),
    ],
)
def test_too_few_references_are_said_with_what_it_takes(study: Study, why: str) -> None:
    at = page("unique_correct", study)
    assert not at.exception
    assert "tl-empty" in markup(at)
    assert why in markup(at)
    assert not at.get("plotly_chart")


def test_items_without_references_are_counted_and_left_out() -> None:
    whole = random_study(references=9)
    study = replace(whole, items=(replace(whole.items[0], references=()), *whole.items[1:]))
    stored(study, first(study))
    at = page("unique_correct", study)
    assert not at.exception
    assert "Left out: 1 item with fewer than" in markup(at)


def test_items_that_all_fail_say_why() -> None:
    """Two items with the same captions have no foreign captions."""
    same = tuple(f"a dog number {k}" for k in range(6))
    study = Study("same", (Item("a", same), Item("b", same)), ())
    trm, design = TRMS["CIDEr-D"], first(study)
    found = experiment.experiment(study, design, trm, jobs().cache)
    jobs().cache.put(experiment.experiment_key(study, design, trm), found.arrays())
    at = page("unique_correct", study)
    assert not at.exception
    assert "No item has a value: needs 3 captions of other items, there are 0" in markup(at)


def test_a_running_job_shows_its_sets_and_is_cancelled_and_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study(references=8)
    real = experiment.experiment

    def endless(*args: object) -> experiment.Experiment:
        hooks = args[-1]
        assert isinstance(hooks, Hooks)
        while True:
            hooks.check()
            time.sleep(0.01)

    monkeypatch.setattr(experiment, "experiment", endless)
    at = page("unique_correct", study)
    assert not at.exception
    assert 'class="tl-verdict' not in markup(at)
    cancel = next(button for button in at.button if button.label == "Cancel")
    cancel.click().run()
    assert "Cancelled: Comparing sets of captions of" in at.info[0].value.replace("\\", "")
    monkeypatch.setattr(experiment, "experiment", real)
    next(button for button in at.button if button.label == "Resume").click().run()
    arrived(at)
    assert not at.exception


def test_a_failed_job_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> experiment.Experiment:
        raise RuntimeError("no Java here")

    monkeypatch.setattr(experiment, "experiment", broken)
    at = page("unique_correct", random_study(references=8))
    end = time.monotonic() + 20
    while not at.error:
        assert time.monotonic() < end
        time.sleep(0.1)
        at.run()
    assert "no Java here" in at.error[0].value
    assert not at.exception


def test_the_papers_draw_is_chosen_labelled_and_shows_its_sets() -> None:
    study = demo.load()
    design = replace(first(study), draw="paper")
    found = stored(study, design)
    at = page("unique_correct", study, draw="paper", correct="3", unique="1")
    assert not at.exception
    html = markup(at)
    assert chosen(at)["draw"] == "paper"
    assert html.count("The stronger a cell&#x27;s colour") == 2
    assert "which takes 20 references for each image" in html
    assert "Set of 3 correct and 2 foreign captions, drawn from pools of 1" in html
    assert cells(at, "trm_cider_d").shape == (30, 7)
    assert "--draw paper" in unfolded(at).code[0].value
    for sentence in unique_correct_words.verdict(found):
        assert esc(sentence) in html


def test_people_who_repeat_themselves_are_shown_by_the_papers_draw_with_all_items() -> None:
    """With two different captions per item, the even draw is impossible, so only the paper's draw is offered."""
    said = [Item(f"image {k}", (f"dog {k}", f"Dog {k}.", f"dog {k}!", f"two cats {k}")) for k in range(3)]
    study = Study("repeats", tuple(said), ())
    design = experiment.default_design(experiment.pools_of(study, "paper"), TRMS["CIDEr-D"], draw="paper")
    found = stored(study, design)
    assert len(found.experiment.items) == 3
    at = page("unique_correct", study)
    assert not at.exception
    assert "draw" not in chosen(at)
    assert "of 2 captions by people for one item, 1.50 are different on average (75 %)" in markup(at)
    assert set(cells(at)["People, different"]) == {1.5}


def test_other_numbers_of_the_same_experiment_are_not_those_shown_before() -> None:
    """A bundle may bring different numbers, so one person's page must not be served to another from the cache."""
    study = random_study(references=8)
    design, trm = first(study), TRMS["CIDEr-D"]
    before = stored(study, design)
    sentences = unique_correct_words.verdict(before)
    assert all(esc(sentence) in markup(page("unique_correct", study)) for sentence in sentences)
    arrays = {**before.experiment.arrays(), "base": before.experiment.base[:, :, ::-1].copy()}
    jobs.cache_clear()
    jobs().cache.put(experiment.experiment_key(study, design, trm), arrays)
    after = unique_correct_words.verdict(variance_shares(experiment.experiment_from(design, arrays), trm, study))
    assert after != sentences
    assert all(esc(sentence) in markup(page("unique_correct", study)) for sentence in after)

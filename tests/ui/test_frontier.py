"""Test the Frontier page in every state, without a browser."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data.study import ImportedScores, Settings, Study
from figures.frontier import words as frontier_words
from figures.views.frontier import VIEW
from figures.views.view import Known
from metrics.analysis.numbers import Numbers
from metrics.engine.scores_table import scores
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import ROOT, chosen, markup, page, part, score, worked
from ui import rooms
from ui.views import frontier_pair

PAIR = {"quality-metric": "rouge_l", "diversity-metric": "self_bleu_2"}
SINGLES = {"single": ["trm_bow", "ms_jaccard_2"]}
NAMES = ("rouge_l", "self_bleu_2", "trm_bow", "ms_jaccard_2", "consensus_rouge_l")


@pytest.fixture
def study() -> Study:
    return random_study(items=5, references=3, candidates=3, runs=4)


def test_the_menu_has_a_frontier_only_where_quality_can_be_measured(study: Study):
    alone = replace(study, items=tuple(replace(item, references=()) for item in study.items))
    values = {run.name: {item.id: (0.5,) for item in alone.items} for run in alone.runs}
    rated = ImportedScores("CLIP", "item", True, 0.0, 1.0, values)
    assert "frontier" in rooms.lacking(alone)
    assert "frontier" not in rooms.lacking(study)
    assert "frontier" not in rooms.lacking(replace(alone, scores=(rated,)))


def text(at: AppTest) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", markup(at)))


def opened(study: Study, names=NAMES, **query) -> AppTest:
    score(study, names)
    at = page("frontier", study, **{**PAIR, **query})
    assert not at.exception
    return at


def first_table(at: AppTest):
    return as_table(at, "frontier").set_index(frontier_words.RUN)


def as_table(at: AppTest, figure: str):
    """Return the table that replaces a figure, and show the figure again."""
    shown = at.button(key=f"{figure}_swap").click().run().dataframe[0].value
    at.button(key=f"{figure}_swap").click().run()
    return shown


def test_a_number_on_the_page_is_the_table_s(study):
    at = opened(study, run="run 1", part="run")
    rows = scores(study, score(study, NAMES)).set_index(["run", "metric"])
    table = first_table(opened(study, run="run 1"))
    for run in study.runs:
        for name in ("rouge_l", "self_bleu_2"):
            assert table.loc[run.name, METRICS[name].label] == rows.loc[(run.name, name), "value"]
    assert f"<b>{rows.loc[('run 1', 'rouge_l'), 'value']:.3f}</b>" in markup(at)
    assert METRICS["rouge_l"].signature in markup(at)
    assert "n = 5 items, 3 captions by each run and 3 by people" in text(at)


def test_the_address_says_the_view_and_opens_it_again(study):
    at = opened(study, (*NAMES, "bleu_1"), part="run")
    at.selectbox(key="quality-metric_select").set_value("bleu_1").run()
    at.selectbox(key="run_select").set_value("run 3").run()
    at.segmented_control(key="marks_segments").set_value("both").run()
    asked = {k: v for k, v in chosen(at).items() if k != "study"}
    assert asked["quality-metric"] == "bleu_1"
    assert asked["run"] == "run 3"
    assert asked["marks"] == "both"
    again = page("frontier", study, **asked)
    assert not again.exception
    assert "run 3 is" in text(again)
    assert "Dotted" in text(again)
    assert markup(again) == markup(at)


def test_a_link_to_the_tab_of_tables_opens_the_first_one(study):
    """The tables that were on this tab are now behind the icons of the figures."""
    at = part(opened(study), "tables")
    assert not at.exception
    assert "There is no" not in text(at)
    assert "Area covered" in text(at)


def test_the_run_to_begin_with_is_not_kept_while_numbers_are_missing():
    """A run that is first while other runs have no numbers need not stay first."""
    study = random_study(items=5, references=3, candidates=3, runs=4, seed=78)
    score(replace(study, runs=study.runs[3:]), NAMES)
    at = page("frontier", study, part="run", **PAIR)
    early = at.selectbox(key="run_select").value
    worked()
    last = at.run().selectbox(key="run_select").value
    assert last == opened(study, part="run").selectbox(key="run_select").value
    assert last != early, "the study does not show it"


def test_unknown_values_in_the_address_are_said(study):
    at = opened(study, **{"quality-metric": "beauty", "run": "gone"})
    assert "There is no quality metric named beauty in this study" in text(at)
    lost = opened(study, run="gone", part="run")
    assert "There is no run named gone in this study" in text(lost)


def test_the_pair_of_the_paper_at_a_press(study):
    score(study, [*NAMES, "bleu_4", "self_bleu_4"])
    at = page("frontier", study, **PAIR)
    at.segmented_control(key="frontier_pair").set_value("Montahaei fig. 1").run()
    assert not at.exception
    assert at.query_params["quality-metric"] in ("bleu_4", ["bleu_4"])
    assert at.selectbox(key="diversity-metric_select").value == "self_bleu_4"
    assert "diversity-metric" not in at.query_params, "it is what the page begins with"
    assert "BLEU-4 against Self-BLEU-4" in text(at)


def test_the_models_are_compared_in_the_first_part(study):
    at = opened(study)
    assert [tab.label for tab in at.tabs] == ["Models", "One run"]
    assert "Area covered" in text(at)
    assert list(as_table(at, "frontier_models")["Model"]) == ["model 0", "model 1"]
    lone = tuple(replace(run, model=run.name) for run in study.runs)
    assert "Area covered" not in text(opened(replace(study, runs=lone))), "models of one setting cover no area"


def numbers_page(study: Study, **query) -> AppTest:
    score(study, NAMES)
    at = page("unique_correct", study, **{**PAIR, **SINGLES, **query})
    assert not at.exception
    return at


def test_what_one_number_says_is_on_unique_vs_correct(study):
    at = numbers_page(study)
    assert "agrees in" in text(at) or "No run is at least as good as another" in text(at)
    assert METRICS["trm_bow"].signature in markup(at)
    assert not numbers_page(study, single=[]).exception


def test_ranks_leave_without_decimals(study, monkeypatch):
    made = {}
    monkeypatch.setattr(st, "download_button", lambda label, data, *_, key, **__: made.setdefault(key, data))
    numbers_page(study, single=["trm_bow"])
    rows = re.findall(
        r"^run (\d) & (?:yes|no) & (?:\\\w+\{)?\d\.\d{3}\}? & (\S+) ", made["frontier_ranks_tex"](), flags=re.M
    )
    assert [run for run, _ in rows] == ["0", "1", "2", "3"]
    assert sorted(rank for _, rank in rows) == ["1", "2", "3", "4"]


def test_references_alone(study):
    at = page("frontier", replace(study, runs=()))
    assert not at.exception
    assert "This study has captions by people but no runs" in text(at)


def test_one_run(study):
    at = opened(replace(study, runs=study.runs[:1]))
    assert "run 0 is the only run with both values" in text(at)


def test_one_candidate_an_item_has_the_diversity_of_whole_runs():
    study = random_study(items=8, references=3, candidates=1, runs=4)
    score(study, ["bleu_1", "corpus_self_bleu_2", "vocabulary", "corpus_ms_jaccard_2"])
    chosen = {"quality-metric": "bleu_1"}
    at = page("frontier", study, **chosen, **{"diversity-metric": "corpus_self_bleu_2"})
    assert not at.exception
    shares = first_table(at)[frontier_words.ON_FRONT]
    assert shares.between(0, 100).all()
    assert shares.sum() >= 100, "somebody is on the front of each resample"
    at = page("frontier", study, **chosen, **{"diversity-metric": "vocabulary"})
    assert "is one value of a whole run, not a sum over its parts, so runs cannot be resampled together" in text(at)
    assert np.isnan(first_table(at)[frontier_words.ON_FRONT]).all()
    assert not [name for name in frontier_pair.offers(study).diversity if "self_bleu" in name and "corp" not in name]
    without = page("frontier", study)
    assert {s.label: s.value for s in without.selectbox}["Diversity"] == "corpus_self_bleu_4"


def test_a_run_without_diversity_is_listed_with_its_reason(study):
    lone = replace(study.runs[0], candidates={i: c[:1] for i, c in study.runs[0].candidates.items()})
    at = opened(replace(study, runs=(lone, *study.runs[1:])))
    assert "Not drawn: run 0 (Self-BLEU-2: needs 2 captions of the run, has 1)" in text(at)
    assert "run 0" not in first_table(at).index


def test_no_run_has_both(study):
    lone = tuple(replace(r, candidates={i: c[:1] for i, c in r.candidates.items()}) for r in study.runs[:2])
    sets = study.runs[2]
    study = replace(study, runs=(*lone, sets))
    at = opened(study, runs=["run 0", "run 1"])
    assert "No run has both values" in text(at)
    assert "needs 2 captions of the run" in text(at)


def test_the_frontier_waits_while_only_a_run_without_diversity_has_both_results(study):
    lone = replace(study.runs[0], candidates={i: c[:1] for i, c in study.runs[0].candidates.items()})
    study = replace(study, runs=(lone, *study.runs[1:]))
    every = score(study, ["rouge_l", "self_bleu_2"])
    early = {key: one for key, one in every.items() if key[1] == "rouge_l" or key[0] == lone.name}
    known = Known(study, (METRICS["rouge_l"], METRICS["self_bleu_2"]), Numbers(early), complete=False)
    assert VIEW.work(known, PAIR) is None
    assert VIEW.work(replace(known, complete=True), PAIR) == {}
    assert VIEW.work(replace(known, numbers=Numbers(every)), PAIR) == {}


def test_one_reference_and_no_temperature(study):
    items = tuple(replace(item, references=item.references[:1]) for item in study.items)
    runs = tuple(replace(run, settings=Settings()) for run in study.runs)
    study = replace(study, items=items, runs=runs)
    score(study, ["rouge_l", "self_bleu_2", "ms_jaccard_2"])
    at = page("frontier", study, **PAIR)
    assert not at.exception
    assert "on the front" in text(at)
    assert first_table(at)["T"].isna().all()
    assert "Its triangles" not in [link.proto.label for link in at.get("page_link")], "they need three by people"


def test_an_item_without_references(study):
    items = (replace(study.items[0], references=()), *study.items[1:])
    at = opened(replace(study, items=items))
    assert "on the front" in text(at)


def test_a_metric_that_failed_is_said(study, monkeypatch):
    def broken(self, context, chunk):
        raise ValueError("out of luck")

    monkeypatch.setattr(type(METRICS["rouge_l"]), "stats", broken)
    score(study, NAMES[1:4])
    at = page("frontier", study, **PAIR)
    end = time.monotonic() + 60
    while "No run has both values" not in text(at) and time.monotonic() < end:
        time.sleep(0.3)
        at.run()
    assert not at.exception
    assert "out of luck" in text(at)


def test_the_demo_opens_without_a_job():
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page("pages/frontier.py")
    at.run()
    assert not at.exception
    assert "15 of 21 runs are on the front: 7 of Oracle, 6 of Peaked and 2 of Loose" in text(at)
    assert "Oracle keeps the best METEOR, 0.273" in text(at)

"""Test the Leaderboard in every state: its numbers are those of the table, and its words fit its numbers."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from data.load import Loaded
from data.study import Study
from figures.leaderboard import difference_tables
from figures.leaderboard import words as leaderboard_words
from figures.leaderboard.html import board_html
from figures.leaderboard.rows import of_runs as board_of
from figures.style.html import WORDS
from metrics.analysis import feasibility, run_differences
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import Numbers
from metrics.engine.scores_table import scores
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import chosen, markup, page, score
from ui.session import state

CHOSEN = {"distribution": ["ms_jaccard_2"], "quality": ["cider_d", "rouge_l"], "diversity": ["distinct_2"]}
NAMES = [name for names in CHOSEN.values() for name in names]


@pytest.fixture
def study() -> Study:
    return random_study(items=6, references=4, candidates=4, runs=3)


def ready(study: Study) -> None:
    score(study, [*NAMES, "consensus_cider_d", "consensus_rouge_l"])


def words(at) -> str:
    return re.sub(r"<[^>]+>", " ", markup(at))


def as_table(at) -> AppTest:
    return at.button(key="leaderboard_swap").click().run()


def saving(at) -> AppTest:
    at.session_state["leaderboard_save"] = True
    return at.run()


def verdict(at) -> str:
    found = re.search(r'<div class="tl-verdict">(.*?)(<details>|</div>)', markup(at), re.S)
    assert found
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", found.group(1))).strip()


def test_a_number_on_screen_is_the_table_s(study):
    ready(study)
    at = page("leaderboard", study, rank="cider_d", **CHOSEN)
    assert not at.exception
    said = words(at)
    table = scores(study, score(study, NAMES)).set_index(["run", "metric"])
    shown = as_table(at).dataframe[0].value.set_index("Run")
    for run in study.runs:
        for name in NAMES:
            row = table.loc[(run.name, name)]
            label = METRICS[name].label
            assert shown.loc[run.name, label] == row["value"]
            assert shown.loc[run.name, f"{label} 95 % from"] == row["ci_low"]
            assert f"{row['value']:.3f}" in said
    assert shown.loc["People", "CIDEr-D"] > 0


def test_the_order_is_the_ranking_s(study):
    ready(study)
    for metric in ("cider_d", "rouge_l"):
        at = page("leaderboard", study, rank=metric, **CHOSEN)
        said = verdict(at)
        shown = as_table(at).dataframe[0].value
        values = shown[METRICS[metric].label].tolist()[:-1]
        assert values == sorted(values, reverse=True)
        assert f"{shown['Run'].iloc[0]} has the highest {METRICS[metric].label}" in said
        assert len(said.split()) <= WORDS


def test_differences_are_against_the_baseline(study):
    ready(study)
    at = page("leaderboard", study, show="Difference", base="run 1", rank="cider_d", **CHOSEN)
    assert not at.exception
    results = score(study, NAMES)
    for run in ("run 0", "run 2"):
        gap = results[run, "cider_d"].corpus - results["run 1", "cider_d"].corpus
        assert f"{abs(gap):.3f}" in words(at)
    assert at.selectbox(key="show_select").value == "run 1"
    assert "2 runs against run 1" in words(at)
    assert "Differences from run 1" in words(at)
    assert len(verdict(at).split()) <= WORDS
    assert {button.key for button in saving(at).get("download_button")} >= {"differences_csv", "differences_tex"}
    plain = page("leaderboard", study, rank="cider_d", **CHOSEN)
    alone = page("leaderboard", study.only(runs=["run 1"]), show="Difference", rank="cider_d", **CHOSEN)
    assert not alone.exception
    for other in (plain, alone):
        assert not {"differences_csv"} & {button.key for button in saving(other).get("download_button")}
    assert "One run alone" in words(alone)


def test_differences_begin_against_the_leader(study):
    ready(study)
    at = page("leaderboard", study, rank="cider_d", show="Difference", **CHOSEN)
    found = score(study, ["cider_d"])
    assert (
        at.selectbox(key="show_select").value == max(study.runs, key=lambda run: found[run.name, "cider_d"].corpus).name
    )


def test_another_study_begins_with_metrics_of_its_own(study):
    """A metric that was chosen for a small study could take minutes on a large study."""
    at = page("leaderboard", study, **CHOSEN)
    assert chosen(at)["distribution"] == "ms_jaccard_2"
    for name in CHOSEN:
        del at.query_params[name]
    at.query_params["study"] = state.library().add(Loaded(random_study(items=2, runs=2), (), ()))
    assert "ms_jaccard_2" not in chosen(at.run())["distribution"]


def test_a_difference_is_filled_by_the_corrected_p_and_not_by_its_interval(study):
    ready(study)
    at = page("leaderboard", study, show="Difference", base="run 1", rank="cider_d", **CHOSEN)
    metrics = tuple(METRICS[name] for name in NAMES)
    numbers = Numbers(score(study, NAMES), {}, {})
    choice = LeaderboardChoice(metrics, METRICS["cider_d"], study.runs, "run 1")
    board = board_of(of_runs(study, numbers, choice))
    found = difference_tables.families(of_runs(study, numbers, choice), board, "run 1")
    sure = {(key, c.first) for key, of in found.items() for c, firm in zip(of.comparisons, of.significant()) if firm}
    shown = difference_tables.with_tests(board, found)
    assert {(key, row.name) for row in shown.rows for key, cell in row.cells.items() if cell.sure} == sure
    # The key below the table has one of each.
    assert markup(at).count('class="ci o"') == 2 * len(NAMES) - len(sure)
    assert markup(at).count('class="pt"') == len(sure)


def test_what_is_shown_lives_in_the_address(study):
    ready(study)
    at = page("leaderboard", study, rank="cider_d", **CHOSEN)
    assert chosen(at)["show"] in ("Values", ["Values"])
    at.selectbox(key="show_select").set_value("run 0").run()
    assert chosen(at)["show"] in ("Difference", ["Difference"])
    assert chosen(at)["base"] in ("run 0", ["run 0"])
    assert "2 runs against run 0" in words(at)
    at.selectbox(key="show_select").set_value("").run()
    assert chosen(at)["show"] in ("Values", ["Values"])
    assert "3 runs against people" in words(at)
    other = page("leaderboard", study, show="Quotient", rank="cider_d", **CHOSEN)
    assert "There is no view named <b>Quotient</b>" in markup(other)


def test_a_filter_keeps_the_numbers(study):
    ready(study)
    at = page("leaderboard", study, runs=["run 0", "run 2"], **CHOSEN)
    assert "2 runs against people" in words(at)
    assert set(as_table(at).dataframe[0].value["Run"]) == {"run 0", "run 2", "People"}
    one = page("leaderboard", study, runs="run 2", **CHOSEN)
    assert "nothing to compare" in words(one)


def test_a_study_without_runs_and_nothing_chosen(study):
    assert "no runs" in words(page("leaderboard", replace(study, runs=())))
    ready(study)
    at = page("leaderboard", study, **CHOSEN)
    for family in CHOSEN:
        at.pills(key=f"{family}_pills").set_value([])
    at.run()
    assert "Nothing chosen" in words(at)
    assert not at.exception


def test_diversity_alone_does_not_rank(study):
    ready(study)
    at = page("leaderboard", study, **CHOSEN)
    for family in ("distribution", "quality"):
        at.pills(key=f"{family}_pills").set_value([])
    at.run()
    assert not at.exception
    assert "is the most diverse by" in words(at)
    assert "This does not say which run is better." in words(at)
    assert "in every column, further right is more varied" in words(at), "and not better"
    assert "further right is better" in words(page("leaderboard", study, **CHOSEN))


def test_one_item_has_no_intervals_and_says_so():
    study = random_study(items=1, references=3, candidates=3, runs=2)
    score(study, ["rouge_l"])
    at = page(
        "leaderboard", study, quality="rouge_l", distribution="ms_jaccard_2", diversity="distinct_2", rank="rouge_l"
    )
    assert not at.exception
    assert "no interval" in words(at)


def test_numbers_appear_by_a_job_and_cancelling_keeps_them(study):
    at = page("leaderboard", study, **CHOSEN)
    end = time.monotonic() + 60
    while "has the highest" not in re.sub(r"\s+", " ", words(at)) and time.monotonic() < end:
        time.sleep(0.3)
        at.run()
    assert "has the highest" in re.sub(r"\s+", " ", words(at))
    assert not at.exception


def test_a_link_that_ranks_by_what_is_not_there_is_told_so(study):
    ready(study)
    at = page("leaderboard", study, rank="nonsense", **CHOSEN)
    assert "There is no metric to rank by named <b>nonsense</b>" in markup(at)


def test_the_defaults_of_an_upload_hold_meteor_where_it_is_quick(study, monkeypatch):
    names = feasibility.defaults(study)
    assert names[0] == "trm_meteor"
    assert "meteor" in names
    assert not {"trm_rouge_l", "rouge_l"} & set(names)
    with monkeypatch.context() as patch:
        patch.setitem(feasibility.PATIENCE, "meteor", 1.0)
        slow = feasibility.defaults(study)
    assert all(METRICS[name].work != "meteor" for name in slow)
    assert slow[0] == "trm_rouge_l"
    assert len(slow) == len(names)
    lone = replace(
        study,
        runs=tuple(
            replace(run, candidates={i: texts[:1] for i, texts in run.candidates.items()}) for run in study.runs
        ),
    )
    assert all("two candidates" not in METRICS[name].needs for name in feasibility.defaults(lone))


def test_single_captions_are_ranked_by_cider_d(study):
    lone = replace(
        study,
        runs=tuple(
            replace(run, candidates={i: texts[:1] for i, texts in run.candidates.items()}) for run in study.runs
        ),
    )
    score(lone, ["cider_d", "meteor", "rouge_l", "bleu_4", "corpus_ms_jaccard_4"])
    at = page("leaderboard", lone)
    assert not at.exception
    assert at.selectbox(key="rank_select").value == "cider_d"
    assert "has the highest CIDEr-D" in verdict(at)


@pytest.mark.parametrize("tied", [0, 1, 2, 3])
def test_the_verdict_counts_who_cannot_be_told_apart(tied):
    found = run_differences.Verdict(0, 6, tuple(range(1, 1 + tied)), tuple(range(1 + tied, 6)), ())
    study = random_study(items=9, runs=6)
    said = leaderboard_words._tail(study, found, study.runs)
    if not tied:
        assert "all 5 other runs are significantly behind (9 items" in said
    elif tied <= 2:
        assert all(f"run {k}" in said for k in range(1, 1 + tied))
    else:
        assert (
            "but 3 of the 5 other runs may be as good: no difference from the leader is detected over 9 items." in said
        )


@pytest.mark.parametrize("name", ["trm_bow", "cider_d"])
def test_the_best_of_either_direction_has_the_first_rank(study, name):
    results, metric = score(study, [name]), METRICS[name]
    board = board_of(of_runs(study, Numbers(results, {}, {}), LeaderboardChoice((metric,), metric, study.runs, None)))
    assert board.rows[0].cell(name).value == board.best(board.columns[0])
    assert board.rows[0].rank_low == 1
    assert board.rows[-1].rank_high == len(study.runs)


def test_no_value_is_the_best_while_another_is_being_computed(study):
    metric, last = METRICS["cider_d"], study.runs[-1].name
    results = {key: one for key, one in score(study, ["cider_d"]).items() if last not in key}
    board = board_of(of_runs(study, Numbers(results, {}, {}), LeaderboardChoice((metric,), metric, study.runs, None)))
    assert [row.cell("cider_d").waiting for row in board.rows].count(True) == 1
    assert np.isnan(board.best(board.columns[0]))


def test_undefined_numbers_are_dashes_with_their_reason(study):
    lone = replace(study.runs[0], candidates={i: texts[:1] for i, texts in study.runs[0].candidates.items()})
    study = replace(study, runs=(lone, *study.runs[1:]))
    results = score(study, ["trm_bow", "rouge_l"])
    metrics = (METRICS["trm_bow"], METRICS["rouge_l"])
    board = board_of(of_runs(study, Numbers(results, {}, {}), LeaderboardChoice(metrics, metrics[0], study.runs, None)))
    assert board.rows[-1].name == "run 0"
    assert board.rows[-1].rank_low is None
    assert "needs 2 captions of the run, has 1" in board_html(board, "light")
    assert np.isnan(board.rows[-1].cell("trm_bow").value)
    unranked = board_of(of_runs(study, Numbers(results, {}, {}), LeaderboardChoice(metrics, None, study.runs, None)))
    by = sorted((run.name for run in study.runs[1:]), key=lambda name: results[name, "trm_bow"].corpus)
    assert [row.name for row in unranked.rows] == [*by, "run 0"]


def test_people_are_told_from_a_run_of_that_name_and_unequal_sets_are_named(study):
    first = study.runs[0]
    fewer = {item: captions[:2] for item, captions in first.candidates.items()}
    named = replace(study, runs=(replace(first, name="People", candidates=fewer), *study.runs[1:]))
    score(named, NAMES)
    at = page("leaderboard", named, **CHOSEN)
    assert sorted(as_table(at).dataframe[0].value["Run"]) == ["People", "People (not a run)", "run 1", "run 2"]
    assert "People has 2 captions for each item, the others" in words(at)
    mend = "Draw equal numbers of captions: a check on Data"
    assert mend in [link.proto.label for link in at.get("page_link")]
    score(study, NAMES)
    assert mend not in [link.proto.label for link in page("leaderboard", study, **CHOSEN).get("page_link")]

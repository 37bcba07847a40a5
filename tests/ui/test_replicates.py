"""Test runs that differ only in their seed on Leaderboard, Frontier, Sweeps, Paired and Data."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from data.load import Loaded
from data.marks import renamed
from data.slices import encode
from data.study import Study
from figures.style.html import WORDS
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.setting_differences import SettingDifference, by_item, differences
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.analysis.replicates.studies import split
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score
from ui.session import state
from ui.views import paired_settings
from ui.views.seeds import by_hand

CHOSEN = {"distribution": ["ms_jaccard_2"], "quality": ["cider_d", "rouge_l"], "diversity": ["distinct_2"]}
NAMES = [name for names in CHOSEN.values() for name in names]
SEEDS = 3


@pytest.fixture
def study() -> Study:
    return split(random_study(items=8, references=4, candidates=6, runs=3), SEEDS)


def ready(study: Study) -> scoring.Results:
    return score(study, [*NAMES, "consensus_cider_d", "consensus_rouge_l"])


def words(at: AppTest) -> str:
    return re.sub(r"<[^>]+>", " ", markup(at))


def verdict(at: AppTest) -> str:
    found = re.search(r'<div class="tl-verdict">(.*?)(<details>|</div>)', markup(at), re.S)
    assert found
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", found.group(1))).strip()


def table(at: AppTest, key: str) -> pd.DataFrame:
    return at.button(key=f"{key}_swap").click().run().dataframe[0].value


def test_the_leaderboard_has_a_row_a_setting(study: Study) -> None:
    results = ready(study)
    at = page("leaderboard", study, rank="cider_d", **CHOSEN)
    assert not at.exception
    said = verdict(at)
    assert "(3 seeds) has the highest CIDEr-D" in said
    assert len(said.split()) <= WORDS
    assert "ticks: single seeds" in words(at)
    assert markup(at).count('<i class="sd"') >= 3 * SEEDS
    shown = table(at, "leaderboard").set_index("Setting")
    for setting in replicates(study.runs):
        values = [results[name, "cider_d"].corpus for name in setting.runs]
        assert shown.loc[setting.name, "CIDEr-D"] == pytest.approx(np.mean(values))
        assert shown.loc[setting.name, "CIDEr-D sd of seeds"] == pytest.approx(np.std(values, ddof=1))
    assert "p" not in shown


def test_one_row_a_run_is_the_leaderboard_as_it_was(study: Study) -> None:
    ready(study)
    at = page("leaderboard", study, rank="cider_d", seeds="runs", **CHOSEN)
    assert not at.exception
    assert len(table(at, "leaderboard").set_index("Run")) >= 3 * SEEDS
    plain = random_study(items=8, references=4, candidates=6, runs=3)
    ready(plain)
    without = page("leaderboard", plain, rank="cider_d", **CHOSEN)
    assert "seeds" not in words(without)
    assert not [one for one in without.segmented_control if one.label.startswith("Seeds")]


def test_settings_against_a_baseline(study: Study) -> None:
    results = ready(study)
    at = page("leaderboard", study, rank="cider_d", show="Difference", base="run 1", **CHOSEN)
    assert not at.exception
    assert "2 settings against run 1" in words(at)
    first, second = (next(of for of in replicates(study.runs) if of.name == name) for name in ("run 0", "run 1"))
    (gap,) = differences(study, Numbers(results), first, second, [METRICS["cider_d"]])
    assert f"{abs(gap.difference):.3f}" in words(at)
    assert len(verdict(at).split()) <= WORDS


def test_two_settings_are_compared(study: Study) -> None:
    results = ready(study)
    at = page("paired", study, setting_a="run 1", setting_b="run 2", **CHOSEN)
    assert not at.exception
    assert "between run 1 and run 2." in verdict(at)
    assert len(verdict(at).split()) <= WORDS
    shown = table(at, "paired_settings").set_index("Metric")
    first, second = (next(of for of in replicates(study.runs) if of.name == name) for name in ("run 1", "run 2"))
    (gap,) = differences(study, Numbers(results), first, second, [METRICS["cider_d"]])
    assert shown.loc["CIDEr-D", "Difference"] == pytest.approx(gap.difference)
    assert shown.loc["CIDEr-D", "p"] == pytest.approx(gap.p_value)
    assert shown.loc["CIDEr-D", "Seeds of A"] == SEEDS
    items = by_item(study, Numbers(results), METRICS["ms_jaccard_2"], first, second)
    values = [np.mean([results[name, "ms_jaccard_2"].items for name in of.runs], axis=0) for of in (first, second)]
    assert items.sides == pytest.approx(np.array(values))
    largest = int(np.argmax(values[0] - values[1]))
    assert "Largest lead of A by MS-Jaccard-2" in words(at)
    assert [f"{side[largest]:.3f}" in words(at) for side in values] == [True, True]
    said = {text for name in first.runs for text in study.run(name).candidates[study.items[largest].id]}
    assert f"{len(said)} different" in words(at), "captions of every seed"
    same = page("paired", study, setting_a="run 1", setting_b="run 1", **CHOSEN)
    assert "The same setting twice" in words(same)


def test_one_seed_says_what_is_not_known(study: Study) -> None:
    some = study.only(runs=[run.name for run in study.runs if not run.name.startswith("run 2") or run.name[-1] == "0"])
    ready(some)
    at = page("paired", some, setting_a="run 0", setting_b="run 2 seed 0", **CHOSEN)
    assert "has one run, so how much its seeds differ is unknown." in verdict(at)


def test_the_frontier_has_a_mark_a_setting(study: Study) -> None:
    ready(study)
    chosen = {"quality-metric": "cider_d", "diversity-metric": "distinct_2", "single": "ms_jaccard_2"}
    at = page("frontier", study, **chosen)
    assert not at.exception
    assert "One mark for each setting: the mean over its seeds" in words(at)
    every = at.button(key="frontier_swap").click().run().dataframe[0].value
    assert sorted(every["Run"]) == ["run 0", "run 1", "run 2"]
    each = page("frontier", study, seeds="runs", **chosen).button(key="frontier_swap").click().run()
    assert len(each.dataframe[0].value) == 3 * SEEDS


def test_a_sweep_is_judged_over_seeds_too(study: Study) -> None:
    ready(study)
    at = page("sweeps", study, **CHOSEN)
    assert not at.exception
    assert "what may be best is judged over items and seeds" in words(at).replace("image", "item")


def test_runs_are_grouped_by_hand_and_back(study: Study) -> None:
    plain = random_study(items=4, runs=3)
    at = page("dataset", plain)
    found = {run.name: run.name for run in plain.runs}
    assert by_hand(plain, found, found) is None
    wanted = {**found, "run 0": " mine  ", "run 2": "mine"}
    grouped = by_hand(plain, wanted, found)
    assert grouped == {"run 0": "mine", "run 1": "run 1", "run 2": "mine"}
    assert "Settings and seeds" in [one.label for one in at.expander]


def test_a_grouping_is_kept_with_the_study_and_undone(study: Study) -> None:
    def script() -> None:
        import streamlit as st

        from ui.session import state
        from ui.views import seeds

        wanted = {"run 0": "mine", "run 1": "mine"}
        st.button("group", on_click=seeds.group, args=(wanted,))
        st.button("undo", on_click=seeds.undo)
        st.write(" ".join(str(run.setting) for run in state.study().runs))

    at = AppTest.from_function(script, default_timeout=60)
    whole = random_study(items=4, runs=3)
    token = str(state.library().add(Loaded(whole, (), ())))
    at.query_params["study"] = token
    at.query_params["slice_items"] = encode(whole, ["image 1", "image 2"])  # a slice is in force
    assert at.run().markdown[0].value == "None None None"
    assert at.button[0].click().run().markdown[0].value == "mine mine None"
    grouped = state.library().get(token)
    assert grouped is not None
    assert grouped.study is not None
    assert len(grouped.study.items) == 4, "grouping runs drops no item that the slice hides"
    assert at.button[1].click().run().markdown[0].value == "None None None"
    at.button[0].click().run()
    at.button[0].click().run()
    at.query_params["study"] = state.library().add(Loaded(whole, (), ()))
    at.run()
    assert at.button[1].click().run().markdown[0].value == "None None None", "of another study with the same runs"
    at.query_params["study"] = token
    at.run()
    grouped = state.library().get(token)
    assert grouped is not None
    assert grouped.study is not None
    state.library().replace(token, replace(grouped, study=renamed(grouped.study, {"run 0": "mine"})))
    assert at.button[1].click().run().markdown[0].value == "mine mine None", "of a name that is no longer there"


def test_cards_are_of_the_metric_that_differs_most_surely_and_has_a_better_side(study: Study) -> None:
    first, second = replicates(study.runs)[:2]
    p = {"rouge_l": 0.3, "cider_d": 0.01, "meteor": np.nan, "zipf": 0.001, "distinct_2": 0.001}
    found = [SettingDifference(METRICS[name], first, second, (), p_value=value) for name, value in p.items()]  # type: ignore[arg-type]
    for given in (found, found[::-1]):
        names = [metric.name for metric in paired_settings._most_apart(given)]
        assert names == ["cider_d", "rouge_l", "meteor", "distinct_2"], "and none of whole runs"


def test_what_is_being_computed_is_not_said_to_lack_seeds(study: Study) -> None:
    at = page("paired", study, setting_a="run 1", setting_b="run 2", **CHOSEN)
    assert not at.exception
    assert "add runs of other seeds" not in markup(at)

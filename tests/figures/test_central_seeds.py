"""Test the rows of settings with seeds in the figures of central captions, and the run on which the page opens."""

from __future__ import annotations

from dataclasses import replace

from figures.central import standings as central_standings
from figures.central import verdict
from figures.central import words as central_words
from figures.notes.seeds import among_seeds
from figures.style.html import split_verdict
from figures.style.palette import model_styles
from figures.views.central import VIEW
from figures.views.controls import of_quality
from figures.views.view import Known
from metrics.analysis.central import study as central_study
from metrics.analysis.numbers import Numbers
from metrics.cache.disk import Cache
from metrics.distances.embeddings import BertDistance
from metrics.distances.words import BowDistance
from metrics.engine import scoring
from metrics.registry import METRICS
from metrics.suite.distribution import Trm
from tests.figures.test_central import across
from tests.studies import study as random_study


def test_seeds_of_a_setting_share_a_row_by_their_mean() -> None:
    study = random_study(items=8, references=4, runs=4)
    found = central_study.across(study, central_study.measure(study, BowDistance(), Cache(None)))
    seeds = {"run 0": "wide", "run 3": "wide"}
    seeded = replace(study, runs=tuple(replace(run, setting=seeds.get(run.name, "")) for run in study.runs))
    rows = central_words.standings(seeded, found, model_styles([run.model for run in study.runs]))
    ratio = {run.run: run.ratio for run in found.runs}
    mean = {"wide": (ratio["run 0"] + ratio["run 3"]) / 2, "run 1": ratio["run 1"], "run 2": ratio["run 2"]}
    assert list(dict.fromkeys(row.setting for row in rows)) == sorted(mean, key=lambda name: mean[name])
    said = "".join(verdict.study_verdict(seeded, found, "X"))
    first, *_, last = sorted(mean, key=lambda name: mean[name])
    assert f"Mean distances are {mean[first]:.2f} ({first}) to {mean[last]:.2f} ({last}) times people's own." in said
    figure = central_standings.standings(rows, "light")
    place = {trace.customdata[0][0]: (trace.x[0], trace.y[0]) for trace in figure.data if trace.name != "wide"}
    [middle] = [trace for trace in figure.data if trace.name == "wide"]
    assert (middle.x[0], middle.y[0]) == (mean["wide"], place["run 0"][1])
    assert len([one for one in figure.layout.shapes if one.layer == "between"]) == 2, "no intervals on one another"
    assert {run: x for run, (x, _) in place.items()} == ratio
    assert len({y for _, y in place.values()}) == 3
    assert place["run 0"][1] == place["run 3"][1]
    assert f"<b>{mean['wide']:.2f}</b>" in [a.text for a in figure.layout.annotations]


def test_a_card_says_that_its_run_is_one_of_several_seeds() -> None:
    study = random_study(items=2, runs=4)
    seeds = {"run 0": "wide", "run 3": "wide"}
    seeded = replace(study, runs=tuple(replace(run, setting=seeds.get(run.name, "")) for run in study.runs))
    assert [among_seeds(seeded, f"run {k}") for k in range(4)] == ["one of 2 seeds", "", "", "one of 2 seeds"]


def test_settings_whose_seeds_all_differ_are_counted_apart_from_those_of_which_some_do() -> None:
    study = random_study(runs=6)
    seeded = replace(study, runs=tuple(replace(run, setting=f"s{k // 2}") for k, run in enumerate(study.runs)))

    def told(*ratios: float) -> str:
        ends = [(ratio, ratio - 0.05, ratio + 0.05) for ratio in ratios]
        return "".join(split_verdict(verdict.study_verdict(seeded, across(*ends), "X"))[0])

    than = "people's most central captions than people are"
    assert told(0.7, 0.7, 0.7, 1, 1, 1).startswith(f"s0 is nearer to {than}; s1 is so with some seeds only. For s2, ")
    assert told(*[0.7] * 6).startswith(f"All 3 settings are nearer to {than}. ")
    assert told(1, 1, 0.7, 1, 1, 1).startswith(
        f"s1 is nearer to {than}, or farther, with some seeds only. For the other 2"
    )
    assert told(0.7, 0.7, 1.4, 1, 1, 1).startswith(
        f"s0 is nearer to {than}; s1 is nearer or farther with some seeds only. For s2, "
    ), "a seed that is farther is not nearer, too"
    assert told(*[1.0] * 6).startswith(f"None of 3 settings is clearly nearer to {than}, or farther. ")
    study = random_study(runs=2)
    seeded = replace(study, runs=tuple(replace(run, setting="s0") for run in study.runs))
    assert told(1, 1).startswith(f"s0 is not clearly nearer to {than}, or farther. Its mean distance is 1.00 times")


def test_a_page_opens_on_the_leader_and_on_a_distance_by_meaning_once_they_are_scored() -> None:
    study = random_study(items=8, references=4, runs=4)
    found = central_study.across(study, central_study.measure(study, BowDistance(), Cache(None)))
    trm = Trm(BertDistance())
    plain = Known(study, (METRICS["cider_d"],), distances={"MiniLM": trm})
    assert (VIEW.picked(plain, found, ""), VIEW.picked(plain, found, "run 2")) == ("run 0", "run 2")
    assert VIEW.control("distance").default(plain, {}) == "bag of words"
    [by] = of_quality(plain)
    scored = scoring.score(study, [by])
    known = replace(plain, numbers=Numbers(scored | {("run 0", "bert"): next(iter(scored.values()))}))
    best = max((run.name for run in study.runs), key=lambda name: scored[name, by.name].items.mean())
    assert best != "run 0"
    assert VIEW.picked(known, found, "") == best
    assert VIEW.control("distance").default(known, {}) == "MiniLM"
    assert {METRICS["bert"], by} <= {*VIEW.optional(plain)}

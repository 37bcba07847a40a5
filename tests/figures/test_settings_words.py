"""Test that verdicts about settings state whether the test was over items, seeds, or both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.study import Run, Study
from figures.leaderboard import rows, settings_words
from figures.leaderboard.board import Cell, Row
from figures.paired import settings as paired
from metrics.analysis.leaderboard import LeaderboardChoice, of_settings
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.setting_differences import differences
from metrics.engine.scoring import score
from metrics.registry import METRICS
from tests.analysis.replicates.studies import split
from tests.studies import study as random_study

ROUGE, JACCARD = METRICS["rouge_l"], METRICS["corpus_ms_jaccard_3"]
PLAIN = random_study(items=20, candidates=6, runs=2, seed=4)


def apart(study: Study) -> Study:
    """Return the study with captions in the first run that repeat the references, so that it is significantly ahead."""
    first, second = study.runs
    told = {item.id: tuple(item.references[k % len(item.references)] for k in range(6)) for item in study.items}
    return replace(study, runs=(replace(first, candidates=told), second))


def seeds(study: Study, *of: int) -> Study:
    runs: list[Run] = []
    for run, count in zip(study.runs, of):
        runs += split(replace(study, runs=(run,)), count).runs
    return replace(study, runs=tuple(runs))


@pytest.mark.parametrize(
    ("of", "over"),
    [
        ((3, 3), "over images and seeds"),
        ((3, 1), "over images, and seeds where a setting has several"),
        ((1, 3), "over images, and seeds where a setting has several"),
    ],
)
def test_the_leaderboard_says_what_a_lead_was_tested_over(of: tuple[int, int], over: str) -> None:
    study = seeds(apart(PLAIN), *of)
    settings = replicates(study.runs)
    choice = LeaderboardChoice((ROUGE,), ROUGE, study.runs, None, settings=settings)
    found = of_settings(study, Numbers(score(study, (ROUGE,))), choice)
    shown = rows.of_settings(found)
    people = replace(shown, people=Row("People", {ROUGE.name: Cell(float("nan"), reason="none wrote two")}))
    assert "No value (–). People, ROUGE-L: none wrote two." in settings_words.footer(found, people)
    assert "– no value, for the reasons under" in settings_words.facts(found, people)
    over = over if "image" in settings_words.footer(found, shown) else over.replace("image", "item")
    assert f", significantly ahead of the other, {over}." in "".join(settings_words.verdict(found)[0])
    against = replace(found, choice=replace(choice, baseline=settings[1].name))
    said = "".join(settings_words.difference_verdict(against))
    assert said.startswith("1 of 1 setting significantly beats ")
    assert f" by ROUGE-L, {over}; 0 are behind, and 0 undecided." in said


def test_of_a_distance_the_smaller_is_ahead_of_the_baseline() -> None:
    study = seeds(apart(PLAIN), 3, 3)
    settings, trm = replicates(study.runs), METRICS["trm_bow"]
    for base, words in ((1, "1 of 1 setting significantly beats "), (0, "No setting significantly beats ")):
        choice = LeaderboardChoice((trm,), trm, study.runs, settings[base].name, settings=settings)
        found = of_settings(study, Numbers(score(study, (trm,))), choice)
        assert "".join(settings_words.difference_verdict(found)).startswith(words)


def test_a_pair_of_settings_says_which_metric_was_tested_over_seeds_alone() -> None:
    study = seeds(apart(PLAIN), 3, 3)
    settings = replicates(study.runs)
    numbers = Numbers(score(study, (ROUGE, JACCARD)))
    both = differences(study, numbers, settings[0], settings[1], (ROUGE, JACCARD))
    assert [one.over for one in both] == ["items and seeds", "seeds"]
    names = settings[0].name, settings[1].name

    def said(*metrics: int) -> str:
        return "".join(paired.verdict(study, [both[k] for k in metrics], names)).replace("image", "item")

    assert " over " not in said(0)
    assert ", over seeds only, for these items." in said(1)
    assert " (Corpus MS-Jaccard-3: over seeds only)." in said(0, 1)


@pytest.mark.parametrize(("of", "over"), [((3, 3), "images and seeds"), ((3, 1), "images"), ((1, 3), "images")])
def test_the_figure_of_two_settings_says_what_its_bars_and_its_right_side_mean(of: tuple[int, int], over: str) -> None:
    study = seeds(apart(PLAIN), *of)
    settings = replicates(study.runs)
    metrics = (ROUGE, METRICS["distinct_1"], METRICS["corpus_ms_jaccard_4"])
    found = differences(study, Numbers(score(study, metrics)), settings[0], settings[1], metrics)
    assert paired.resampled(study, found).replace("item", "image") == over
    assert [paired.lead(found[:1]), paired.lead(found)] == ["better", "better or more varied"]
    assert paired.lead(found[1:2]) not in ("better", "better or more varied")
    for width, names in ((None, 1), (340.0, 2)):
        text = paired.seeds_figure(found, "light", width).layout.yaxis.ticktext
        assert "…" not in "".join(text), "names are whole"
        assert all(one.count("<br>") < names for one in text)

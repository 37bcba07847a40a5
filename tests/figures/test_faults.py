"""Test that a fault of the leading run comes first in the Overview's headline and in the Leaderboard's verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.study import Run, Settings, Study
from figures.leaderboard.verdict import verdict
from figures.notes.hazards import gravest
from figures.overview import words
from figures.overview.names import called
from figures.style.html import split_verdict
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import of_results
from metrics.analysis.overview import overview
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.studies import study as random_study

BASE = random_study(items=8, references=5, runs=3)
QUALITY, DISTANCE = METRICS["cider_d"], METRICS["trm_cider_d"]


def saying(run: Run, said: dict[str, tuple[str, ...]]) -> Run:
    return replace(run, candidates=said)


ONE, TWO, THREE = BASE.runs
COPIED = saying(ONE, {item.id: item.references for item in BASE.items})
SAME = saying(ONE, dict.fromkeys(ONE.candidates, ("A dog sits on a bench.",) * 5))
CASES = {
    "copies": ((COPIED, TWO), "run 0 repeats a reference word for word on all 8 items."),
    "one caption": ((TWO, SAME), "run 0 gives one caption to all 8 items."),
    "samples": (
        (TWO, saying(ONE, {i: of[:1] * 5 for i, of in ONE.candidates.items()})),
        "run 0 gives the same caption every time on all 8 items with several captions.",
    ),
    "twins": ((ONE, replace(ONE, name="a, b. c")), "run 0 and a, b. c have the same captions."),
    "two of three": ((ONE, TWO, replace(ONE, name="twin")), "run 0 and twin have the same captions."),
    "all the same": (tuple(replace(ONE, name=n) for n in "abc"), "All 3 runs have the same captions."),
    "three of four": (
        (TWO, *(replace(ONE, name=n) for n in "abc")),
        "3 of 4 runs have the same captions.",
    ),
    "two faults": (
        (saying(TWO, dict(SAME.candidates)), COPIED, replace(THREE, name="x"), THREE),
        "run 0 repeats a reference word for word on all 8 items; 3 other runs need a check, too.",
    ),
    "one fault of two": (
        (
            TWO,
            saying(ONE, {**ONE.candidates, **{item.id: item.references for item in BASE.items[:6]}}),
            replace(COPIED, name="worst"),
        ),
        "worst repeats a reference word for word on all 8 items, and run 0 has a similar fault.",
    ),
    "nothing": ((ONE, TWO), ""),
}
SOUND_BY_QUALITY = {"one caption", "two of three", "three of four", "nothing"}
SOUND_BY_DISTANCE = SOUND_BY_QUALITY | {"copies", "samples", "one fault of two"}
"""The cases in which the leading run has no fault."""


@pytest.mark.parametrize("case", CASES)
def test_the_gravest_fault_is_named_and_others_are_counted(case: str) -> None:
    runs, fault = CASES[case]
    study: Study = replace(BASE, runs=runs)
    numbers = of_results(scoring.score(study, (QUALITY, DISTANCE)), {})
    seen = overview(study, numbers, QUALITY, DISTANCE)
    said = " ".join(words.headline(seen)).replace("\u00a0", " ")
    assert said.startswith(fault) is (case not in SOUND_BY_QUALITY) or not fault
    assert (fault in said) is (case not in SOUND_BY_QUALITY) or not fault, "a fault of other runs is below the chart"
    assert len(said.split()) <= words.MOST
    assert len(said) > len(fault) + 20, "what the study says follows"
    assert said.count("captions") == fault.count("captions") * (fault in said), "and no other fault"
    choice = LeaderboardChoice((QUALITY, DISTANCE), DISTANCE, runs, None)
    shown, _ = split_verdict(verdict(of_runs(study, numbers, choice))[0])
    assert "".join(shown).startswith(fault) is (case not in SOUND_BY_DISTANCE) or not fault
    assert fault in "".join(shown)
    assert len("".join(shown)) > len(fault) + 20, "the verdict beside it"


def test_a_seed_with_a_fault_is_named_by_its_setting_as_in_the_chart() -> None:
    seeds = [
        replace(run, name=f"m_T1.0_seed{k}", model="m", settings=Settings(1.0, seed=k))
        for k, run in enumerate((ONE, SAME))
    ]
    study: Study = replace(BASE, runs=(*seeds, replace(TWO, name="other", model="other", settings=Settings(1.0))))
    seen = overview(study, of_results(scoring.score(study, (QUALITY, DISTANCE)), {}), QUALITY, DISTANCE)
    setting = called(seen.study.runs, seen.study.runs[0])
    assert words.fault(seen).startswith(f"Seed\u00a01 of {setting} gives one caption to all 8 items")


def test_runs_that_are_not_shown_have_no_fault_on_the_leaderboard() -> None:
    study = replace(BASE, runs=(COPIED, TWO, THREE))
    numbers = of_results(scoring.score(study, (QUALITY,)), {})
    said = verdict(of_runs(study, numbers, LeaderboardChoice((QUALITY,), QUALITY, (TWO, THREE), None)))[0]
    assert "repeats" not in "".join(said)


def test_a_fault_that_most_runs_share_is_said_of_all_of_them() -> None:
    copies = [{**ONE.candidates, **{item.id: item.references for item in BASE.items[:n]}} for n in (5, 6, 7, 8)]
    runs = [replace(saying(ONE, of), name=f"copies {k}") for k, of in enumerate(copies)]
    every = (TWO, *runs)
    said = "".join(gravest(replace(BASE, runs=every), {run.name: run.name for run in every}))
    assert said == "4 of 5 runs have similar faults: copies 3 repeats a reference word for word on all 8 items."

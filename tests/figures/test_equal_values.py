"""Test that a single run is said to be first only if no other run has an equal value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from data.study import Study
from figures.frontier import words as frontier_words
from figures.frontier.single_numbers_words import singles_table
from figures.leaderboard import settings_words
from figures.leaderboard import verdict as leaderboard
from figures.leaderboard.words import unranked_verdict
from figures.overview import words as overview_words
from figures.overview.tables import twin
from figures.style.line_styles import marks_of
from figures.style.wording import of_others
from figures.sweeps import decoder_words
from figures.sweeps import words as sweeps_words
from metrics.analysis.frontier import frontier
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs, of_settings
from metrics.analysis.numbers import Numbers
from metrics.analysis.overview import overview
from metrics.analysis.replicates.grouping import replicates
from metrics.engine.scoring import score
from metrics.registry import METRICS
from tests.figures.test_arena import even, said
from tests.figures.test_settings_words import seeds
from tests.figures.test_sweeps import runs_of, view_of
from tests.studies import study as random_study

ROUGE, BLEU, SELF = METRICS["rouge_l"], METRICS["bleu_1"], METRICS["self_bleu_4"]
WORLD = random_study(items=9, candidates=2, runs=4, seed=6)


def world(of: Sequence[int], items: int = 9) -> Study:
    """Return a study of the runs of WORLD, in which each run has the captions of the run at the position given.

    Positions may repeat.
    """
    few = replace(WORLD, items=WORLD.items[:items])
    return replace(few, runs=tuple(replace(run, candidates=WORLD.runs[k].candidates) for run, k in zip(few.runs, of)))


def numbers(study: Study) -> Numbers:
    return Numbers(score(study, [ROUGE, BLEU, SELF]))


def headline(study: Study) -> str:
    return " ".join(overview_words.headline(overview(study, numbers(study), ROUGE, BLEU, "Not measured.")))


def board(study: Study) -> str:
    choice = LeaderboardChoice((ROUGE,), ROUGE, study.runs, None)
    head, more = leaderboard.verdict(of_runs(study, numbers(study), choice))
    return f"{''.join(head)} {''.join(more)}"


@pytest.mark.parametrize("items", [1, 9])
@pytest.mark.parametrize("of", [(0, 0), (0, 0, 0), (0, 1, 1), (0, 1, 0, 1), (2, 2, 2, 1), (0, 1, 2), (3, 1)])
def test_one_run_is_first_only_with_a_value_above_all_others(of: tuple[int, ...], items: int) -> None:
    study = world(of, items)
    found = numbers(study)
    values = np.array([found.results[run.name, "rouge_l"].corpus for run in study.runs])
    first = [run.name for run, value in zip(study.runs, values) if value == values.max()]
    one, two = headline(study), board(study)
    alone, every = len(first) == 1, len(first) == len(of)
    assert (f"{first[0]} is first" in one.replace("\u00a0", " ")) == alone
    assert (f"{first[0]} has the highest ROUGE-L" in two) == alone
    assert all(("have the same ROUGE-L" in said) == every for said in (one, two))
    assert ("share first place" in one) == ("share the highest ROUGE-L" in two) == (not alone and not every)
    if not every:
        assert all(name in said.replace("\u00a0", " ") for name in first for said in (one, two))
    places = twin(overview(study, found, ROUGE, BLEU)).set_index("Run")["Rank by ROUGE-L from"]
    assert sorted(places[name] for name in first) == [1] * len(first)


@pytest.mark.parametrize(("of", "who"), [((0, 0), "Both runs"), ((0, 0, 0), "All 3 runs"), ((0, 1), "")])
def test_equal_runs_have_one_mark_on_the_front_and_no_test_of_it(of: tuple[int, ...], who: str) -> None:
    study = world(of)
    view = frontier(study, numbers(study), ROUGE, SELF, study.runs)
    shown, _ = frontier_words.verdict(study, view)
    text, facts = "".join(shown), " ".join(map(str, frontier_words.facts(study, view, None)))
    none = "none" if len(of) > 2 else "neither"
    same = f"{who} have the same ROUGE-L and Self-BLEU-4: {none} is better or more diverse."
    assert (
        (text.strip() == same)
        == ("one mark: run 0 and run 1" in facts or "one mark: run 0, run 1" in facts)
        == bool(who)
    )


def test_of_equal_runs_the_others_are_those_behind() -> None:
    said = board(world((1, 1, 1, 2)))
    assert "run 0, run 1 and run 2 share the highest ROUGE-L" in said
    assert "all 3 others" not in said
    assert "the other run" in said or "may be as good" in said


def test_diversity_and_settings_are_shared_as_well() -> None:
    study = world((1, 1, 0))
    found = of_runs(study, numbers(study), LeaderboardChoice((SELF,), None, study.runs, None))
    names = [run.name for run in study.runs]
    assert "".join(unranked_verdict(found, names, "run")).count("share the") == 1
    twice = seeds(world((0, 0)), 2, 2)
    choice = LeaderboardChoice((ROUGE,), ROUGE, twice.runs, None, settings=tuple(replicates(twice.runs)))
    head, _ = settings_words.verdict(of_settings(twice, numbers(twice), choice))
    assert "".join(head).startswith("Both settings have the same ROUGE-L.")


def test_equal_settings_of_sweeps_share_the_best_value() -> None:
    runs = runs_of("A", "B")
    marks = marks_of(runs)
    flat = view_of(runs, {m: [2.0, 2.0, 2.0] for m in "AB"})
    assert "All 6 settings have the same" in "".join(sweeps_words.verdict([flat], marks))
    assert "6 settings" in sweeps_words.panel_sub(flat, marks)
    both = view_of(runs, {m: [2.0, 1.0, 1.2] for m in "AB"})
    assert "A at T 1.0 and B at T 1.0 share the lowest" in "".join(sweeps_words.verdict([both], marks))
    assert "share the lowest" in "".join(decoder_words.decoder_verdict(both, both.points))
    many = [f"m{k}" for k in range(6)]
    level = view_of(runs_of(*many), {m: [1.0, 1.0, 1.0] for m in many})
    assert "All 6 lines have the same" in "".join(sweeps_words.verdict([level], marks_of(runs_of(*many))))


def test_equally_strong_runs_and_those_that_a_single_number_puts_first() -> None:
    assert said(even((0, 1, 1, 1), (1, 2, 1, 1), (0, 2, 1, 1))).startswith("All 3 runs are equally strong")
    study = world((0, 0, 1))
    shown = frontier(study, numbers(study), ROUGE, SELF, study.runs, (BLEU,))
    first = singles_table(shown)["Puts first"].iloc[0]
    values = [numbers(study).results[run.name, "bleu_1"].corpus for run in study.runs]
    assert first == ", ".join(run.name for run, value in zip(study.runs, values) if value == max(values))


def test_all_others_are_counted_in_words() -> None:
    said = [of_others(*counts) for counts in ((1, 1), (2, 2), (3, 3), (1, 2), (2, 5))]
    assert said == ["the other", "both others", "all 3 others", "1 of 2 others", "2 of 5 others"]
    found = of_runs(WORLD, numbers(WORLD), LeaderboardChoice((SELF,), None, WORLD.runs[:3], None))
    assert "both others may be as" in "".join(unranked_verdict(found, ["a", "b", "c"], "run"))

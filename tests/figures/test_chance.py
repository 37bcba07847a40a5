"""Test how the score expected by chance is shown on the board and in the panels of sweeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from data.study import Settings, Study
from figures.leaderboard import settings_words
from figures.leaderboard.html import board_html
from figures.leaderboard.rows import of_runs as board_of
from figures.leaderboard.rows import of_settings as settings_board
from figures.leaderboard.words import facts
from figures.style.line_styles import marks_of
from figures.sweeps.chart import temperature_panel
from figures.sweeps.decoders import decoder_panel
from metrics.analysis.chance import Chance
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs, of_settings
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.sweeps import by_decoder, settings_of, sweep_view
from metrics.engine.scoring import score
from metrics.registry import METRICS
from tests.studies import study

BLEU, DISTINCT = METRICS["bleu_1"], METRICS["distinct_1"]


def numbered(of: Study) -> tuple[Numbers, LeaderboardChoice]:
    results = score(of, (BLEU, DISTINCT))
    ends = (0.0, 1.0)
    by_run = {
        run.name: Chance(end, end - 0.01, end + 0.01, np.zeros((len(of.items), 3))) for run, end in zip(of.runs, ends)
    }
    choice = LeaderboardChoice((BLEU, DISTINCT), BLEU, of.runs, None, by_chance=True)
    return Numbers(results, chance={"bleu_1": by_run}), choice


def test_the_board_has_a_row_of_chance_and_says_which_run_is_no_better() -> None:
    of = study()
    numbers, choice = numbered(of)
    shown = board_of(of_runs(of, numbers, choice))
    assert shown.chance is not None
    assert shown.apart[-1] is shown.chance
    cell = shown.chance.cell("bleu_1")
    assert (cell.value, cell.low, cell.high) == (0.5, -0.01, 1.01)
    assert np.isnan(shown.chance.cell("distinct_1").value)
    assert shown.chance.cell("distinct_1").reason == "does not depend on which item is described"
    html = board_html(shown, "light")
    assert html.count("not above the range of chance") == 1
    assert "run 1, BLEU-1" in html.partition(", not above the range of chance")[0].rpartition("title=")[2]
    assert html.count('<i class="ch"') == 3
    assert any("chance" in said for said in facts(of, shown))
    assert "Chance" in set(shown.frame()["Run"])


def test_without_chance_the_board_is_as_before() -> None:
    of = study()
    numbers, choice = numbered(of)
    shown = board_of(of_runs(of, replace(numbers, chance={}), choice))
    assert shown.chance is None
    assert "chance" not in board_html(shown, "light").lower().replace("chance of a difference", "").replace(
        "large by chance", ""
    )


def test_sweeps_have_a_floor_within_their_range() -> None:
    of = study(runs=3)
    runs = tuple(replace(run, model="m", settings=Settings(0.5 * k, decoder="sample")) for k, run in enumerate(of.runs))
    of = replace(of, runs=runs)
    numbers, _ = numbered(of)
    view = sweep_view(of, numbers, BLEU, settings_of(of.runs))
    assert view.chance is not None
    marks = marks_of(of.runs, of.every_model)
    with_floor, without = (temperature_panel(one, marks, "light") for one in (view, replace(view, chance=None)))
    assert len(with_floor.layout.shapes) == len(without.layout.shapes) + 2
    low, high = with_floor.layout.yaxis.range
    assert low < view.chance.low < view.chance.high < high
    assert sweep_view(of, numbers, DISTINCT, settings_of(of.runs)).chance is None
    points = {point.setting: point for point in view.points}
    groups = [[points[one] for one in group] for group in by_decoder(settings_of(of.runs), None)]
    styles = {"m": next(iter(marks.values())).style}
    drawn = decoder_panel(BLEU, groups, view.human, styles, "light", chance=view.chance)
    assert view.chance.value in [shape.x0 for shape in drawn.layout.shapes]


def test_a_setting_has_the_floor_of_its_seeds() -> None:
    of = study(runs=3)
    runs = tuple(replace(run, model="m", setting="both" if k < 2 else "alone") for k, run in enumerate(of.runs))
    of = replace(of, runs=runs)
    numbers, choice = numbered(of)
    seeds = replicates(of.runs)
    choice = replace(choice, settings=seeds, by_chance=True)
    found = of_settings(of, numbers, choice)
    shown = settings_board(found)
    floors = {row.name: row.cell("bleu_1").chance for row in shown.rows}
    assert floors["both"] == (0.5, -0.01, 1.01), "run 0 has 0 and run 1 has 1"
    assert np.isnan(floors["run 2"]).all()
    assert shown.chance is not None
    assert board_html(shown, "light").count("not above the range of chance") == 1
    assert any("shaded: chance" in said for said in settings_words.facts(found, shown))
    assert not any(
        "chance" in said
        for said in settings_words.facts(replace(found, choice=replace(choice, by_chance=False)), shown)
    )

"""The report's pages that compare runs, with the same tables, figures and sentences as in the app."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import plotly.graph_objects as go

from figures.export.paper import COLUMN, layout_width
from figures.frontier import single_numbers_words
from figures.frontier.single_numbers import agreement_figure, order_figure
from figures.leaderboard import rows
from figures.leaderboard import verdict as leaderboard_verdict
from figures.leaderboard import words as leaderboard_words
from figures.leaderboard.board import Board
from figures.leaderboard.html import board_html
from figures.notes import flags
from figures.paired import forest as paired_forest
from figures.paired import words as paired_words
from figures.report import charts
from figures.report import html as report_html
from figures.report import replicates as replicates_report
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.line_styles import marks_of, run_marks
from figures.style.palette import Mode, styles_of
from figures.style.run_names import short_names
from figures.style.wording import direction_arrow, heading, item_noun
from figures.sweeps import chart as sweeps_chart
from figures.sweeps import tables as sweeps_tables
from figures.sweeps import words as sweeps_words
from figures.sweeps.decoder_words import question
from metrics.analysis.defaults import default_pair, ranking_first
from metrics.analysis.frontier import frontier as frontier_of
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.paired import against
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.settings_as_runs import by_setting
from metrics.analysis.sweeps import settings_of, sweep_view

BESIDE = 4
"""Maximum number of columns beside the one that ranks the runs, each with room for its bars."""


def leaderboard(request: Request) -> Page:
    """Return the runs by all metrics, ranked by the first metric that can rank, or why they are left out."""
    study, numbers = request.study, request.numbers
    if not study.runs or not request.board:
        return LeftOut("there are no runs" if not study.runs else "no numbers are finished")
    choice = LeaderboardChoice(request.board, request.ranked, study.runs, None)
    found = of_runs(study, numbers, choice)
    board = rows.of_runs(found)
    shown, more = leaderboard_verdict.verdict(found)
    settings, lines = replicates_report.board(request)
    _, *rules = style_html.sentences(leaderboard_words.footer(found, board))
    facts = leaderboard_words.facts(study, board)
    blocks = (
        *(charts.both(partial(board_html, part)) for part in boards(board)),
        style_html.figure_footer(facts, [" ".join(rules)], request.signatures),
        request.table(board.frame(), "leaderboard", "The same numbers as a table"),
        *settings,
    )
    return Section(
        "Leaderboard", "Which model is better, and how sure is that?", tuple(shown), blocks, lines, tuple(more)
    )


def boards(board: Board) -> list[Board]:
    """Return boards that fit on a sheet of paper, each with the column that ranks; only the first has p."""
    ranking_column = [column for column in board.columns if column.key == board.ranked]
    others = [column for column in board.columns if column.key != board.ranked]
    parts = -(-len(others) // BESIDE) or 1
    each = -(-len(others) // parts)
    return [
        replace(
            board,
            columns=(*ranking_column, *others[k * each : (k + 1) * each]),
            p_label="" if k else board.p_label,
        )
        for k in range(parts)
    ]


def temperature_sweeps(request: Request) -> Page:
    """Return the metrics by temperature; they are left out unless a model has numbers at two temperatures."""
    study = request.study
    settings = settings_of(study.runs)
    views = [sweep_view(study, request.numbers, metric, settings) for metric in ranking_first(study, request.metrics)]
    drawn = [one for one in views if any(len(curve.points) > 1 for curve in one.curves)]
    if not drawn:
        return LeftOut("no model has numbers at two temperatures")
    marks = marks_of(study.runs, study.every_model)
    panels = [
        request.charts.block(
            partial(sweeps_chart.temperature_panel, one, marks, width=layout_width(COLUMN)),
            sweeps_words.alt(one, marks),
            one.metric.label,
            sweeps_words.panel_sub(one, marks),
            direction_arrow(one.metric),
        )
        for one in drawn
    ]
    blocks = (
        report_html.grid(panels),
        report_html.footer(sweeps_words.footer(study, study.runs, drawn), request.signatures),
        request.table(sweeps_tables.table(drawn), "sweeps", "Every point as a table"),
    )
    return Section("Sweeps", question(settings), tuple(sweeps_words.verdict(drawn, marks)), blocks)


def single_numbers(request: Request) -> list[str]:
    """Return blocks on whether any single number in the report orders the runs as quality and diversity together do.

    [] if nothing can be compared.
    """
    study, numbers = by_setting(request.study, request.numbers, replicates(request.study.runs))
    of_families = ("quality", "diversity", "distribution")
    *offered, singles = ([metric for metric in request.board if metric.family == of] for of in of_families)
    if not all(offered) or not singles:
        return []
    quality, diversity = default_pair(study, *offered)
    found = frontier_of(study, numbers, quality, diversity, study.runs, singles)
    if not found.singles or len(found.runs) < 2:
        return []
    marks = run_marks(study.runs, study.every_model)
    said = "; ".join(single_numbers_words.agreed(single) for single in found.singles)
    pictures = (
        request.charts.block(partial(agreement_figure, found), said, "Agreement with both metrics"),
        request.charts.block(partial(order_figure, found, marks), said, "The same runs in one order"),
    )
    return [
        style_html.verdict(single_numbers_words.singles_verdict(study, found), "Agreement"),
        report_html.grid(pictures),
        request.table(single_numbers_words.ranks_table(found), "ranks", "Ranks by single metrics"),
    ]


def all_against_best(request: Request) -> Page:
    """Return the comparison of every run with the best one, or why it is left out.

    The best run is the best by the metric that ranks the runs or, if that has no value for each item, by the first one
    that does. The tests are corrected for all pairs of runs.
    """
    study = request.study
    of_items = [m for m in (request.ranked, *request.metrics) if m is not None and m.of_items]
    if not of_items or len(study.runs) < 2:
        return LeftOut(f"it needs two runs and a metric with a value for each {item_noun(study)}")
    metric = of_items[0]
    best = request.best(metric)
    if best is None:
        return LeftOut(f"no run has a value of {metric.label}")
    found = against(study, request.numbers, best, metric, study.runs)
    styles = styles_of(study)
    lines = paired_forest.run_lines(study, found, {run.name: styles[run.model] for run in study.runs})
    base = short_names(study.runs)[best.name]
    better = metric.has_better_side
    across = f"{'better' if better else metric.more_means} than {base} by {metric.label}"
    heads = ("by", "corrected p", "wins", "loses") if better else ("by", "corrected p", "more", "less")
    settings, commands = replicates_report.pair(request)

    def figure(*, mode: Mode) -> go.Figure:
        return paired_forest.forest(lines, mode, across, heads)

    blocks = (
        request.charts.block(
            figure,
            paired_words.forest_alt(study, found),
            f"{heading(metric)} against {base}",
            f"Line: 95 % interval, corrected for all pairs of runs. Bars: {item_noun(study)}s won and lost.",
            "better is to the right" if better else "",
            560,
        ),
        report_html.footer(paired_words.footer(study, found), (metric.signature,), flags.facts(study, study.runs)),
        request.table(paired_words.table(found), "paired", "The tests as a table"),
        *settings,
    )
    question, said = (
        "Is the difference between two runs real, and where is it?",
        tuple(paired_words.verdict_all(study, found)),
    )
    return Section("Paired comparison", question, said, blocks, commands)

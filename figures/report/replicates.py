"""The report's parts about runs that differ only in a seed: settings on the leaderboard, and the first two compared."""

from __future__ import annotations

from functools import partial

from figures.leaderboard import rows, settings_words
from figures.leaderboard.html import board_html
from figures.notes.seeds import short_settings
from figures.paired import settings as paired_settings
from figures.report import charts, commands
from figures.report import html as report_html
from figures.report.request import Request
from figures.style import html as style_html
from metrics.analysis.leaderboard import LeaderboardChoice, of_settings
from metrics.analysis.replicates.grouping import Replicates, replicated, replicates
from metrics.analysis.replicates.setting_differences import SettingDifference, differences, standing
from metrics.analysis.run_differences import ranking


def settings_of(request: Request) -> tuple[Replicates, ...]:
    """Return the settings of a study if at least two of its runs differ only in their seed, else ()."""
    found = replicates(request.study.runs)
    return found if replicated(found) else ()


Parts = tuple[tuple[str, ...], tuple[str, ...]]
"""Blocks of HTML, and the commands that print the same numbers."""
NOTHING: Parts = ((), ())


def board(request: Request) -> Parts:
    """Return the leaderboard with a row for each setting; empty if no two runs differ only in their seed."""
    settings = settings_of(request)
    if not settings:
        return NOTHING
    study = request.study
    choice = LeaderboardChoice(request.board, request.ranked, study.runs, None, settings=settings)
    found = of_settings(study, request.numbers, choice)
    shown = rows.of_settings(found)
    said, more = settings_words.verdict(found)
    names = [metric.name for metric in request.metrics]
    blocks = (
        report_html.heading("Settings over their seeds"),
        style_html.folding_verdict(said, more),
        charts.both(partial(board_html, shown)),
        report_html.footer(settings_words.footer(found, shown), request.signatures),
        request.table(shown.frame(), "settings", "Settings over their seeds as a table"),
    )
    return blocks, (commands.replicates(request.named, names),)


def pair(request: Request) -> Parts:
    """Return the best two settings by every metric, beside the distance between two seeds.

    Empty without seeds, or without a metric that ranks runs.
    """
    settings, metric = settings_of(request), request.ranked
    if len(settings) < 2 or metric is None:
        return NOTHING
    study, numbers = request.study, request.numbers
    order = ranking(standing(study, numbers, metric, settings).values, metric.higher_is_better)
    first, second = (settings[k] for k in order[:2])
    metrics = sorted((m for m in request.metrics if m.reads_candidates), key=lambda m: m is not metric)
    found = differences(study, numbers, first, second, metrics)
    short = short_settings(study, settings)
    names = short[first.name], short[second.name]
    drawn = () if paired_settings.without_seeds(found) else (_chart(request, found, names),)
    blocks = (
        report_html.heading("Two settings over their seeds"),
        style_html.folding_verdict(paired_settings.verdict(study, found, names)),
        *drawn,
        report_html.footer(paired_settings.footer(study, found), request.signatures),
        request.table(paired_settings.table(found), "paired_settings", "The two settings as a table"),
    )
    return blocks, (commands.replicates(request.named, [m.name for m in metrics], (first.name, second.name)),)


def _chart(request: Request, found: tuple[SettingDifference, ...], names: tuple[str, str]) -> str:
    figure, title = partial(paired_settings.seeds_figure, found), f"{names[0]} (A) against {names[1]} (B)"
    return request.charts.block(figure, paired_settings.alt(found), title, "Shaded: the difference between two seeds.")

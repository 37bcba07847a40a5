"""The study's own runs on Unique vs correct: where one beats another on both axes, and whether one number shows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from data.study import Study
from figures.export.column_metrics import better_ends
from figures.export.paper import Ground
from figures.frontier import single_numbers_words
from figures.frontier.single_numbers import NAMED, agreement_figure, order_figure
from figures.frontier.words import RUN
from figures.style.line_styles import Mark, line_of, model_names, run_marks
from figures.style.palette import styles_of
from metrics.analysis.frontier import Frontier, frontier
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.settings_as_runs import by_setting
from metrics.base import Metric
from ui.frame import look
from ui.jobs import numbers as jobs_numbers
from ui.jobs import progress, study_metrics
from ui.session import address
from ui.views import frontier_pair
from ui.widgets import image_picker, metric_picker, show

FEW = 3
"""With at most this many runs, an order of them shows nothing that the leaderboard does not."""
KEYED = 12
"""The number of models above which only those on the front, whose marks are filled, are in the key."""


def possible(study: Study) -> bool:
    """Return whether the study has at least two runs, a quality metric and a diversity metric."""
    return len(study.runs) > 1 and not frontier_pair.lacking(study)


def tabs(study: Study) -> dict[str, Callable[[Study], None]]:
    """Return the tab of the runs if `possible`, else {}."""
    return {"runs": show_runs} if possible(study) else {}


def show_alone(study: Study) -> None:
    """Show the runs, if there are more than FEW, of a study from which no sets can be made."""
    if possible(study) and len(study.runs) > FEW:
        look.section("This study's runs")
        show_runs(study)


def show_runs(study: Study) -> None:
    """Show controls and the verdict and, if there is something to compare, both charts and their tables."""
    with image_picker.row():
        quality, diversity = frontier_pair.pick(study)
        singles = _singles(study)
    address.show_unknown()
    numbers, job = jobs_numbers.fetch(study, (quality, diversity, *singles))
    progress.show(job)
    study, numbers = by_setting(study, numbers, replicates(study.runs))
    view = frontier(study, numbers, quality, diversity, study.runs, singles)
    line = single_numbers_words.singles_line(view)
    if line:
        look.figure_title("", line)
    else:
        look.note(*single_numbers_words.singles_verdict(study, view))
    if not view.singles or len(view.runs) < 2:
        return
    _charts(study, view)
    with st.expander("Tables", key="dominance_tables"):
        _tables(study, view)


def _singles(study: Study) -> tuple[Metric, ...]:
    offers = frontier_pair.offers(study)
    chosen = address.select_several("single", list(offers.distribution), offers.singles)
    with st.popover(f"Single metrics: {len(chosen)}"):
        chosen = metric_picker.pills("Metrics to compare with", "single", offers.distribution, offers.singles)
    return tuple(offers.distribution[name] for name in chosen)


def _charts(study: Study, view: Frontier) -> None:
    signatures = [single.metric.signature for single in view.singles]
    printed = f"{single_numbers_words.singles_print_footer(view)} {', '.join(signatures)}"
    marks, alt = (
        run_marks(study.runs, study.every_model),
        "; ".join(single_numbers_words.agreed(single) for single in view.singles),
    )
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        with two.cell(), look.figure():
            look.figure_title(
                "Agreement with both axes", "Of the pairs in which one run matches or beats the other on both axes."
            )
            show.chart(partial(_agreement, view), "frontier_agreement", alt, footer=printed)
        with two.cell(), look.figure():
            look.figure_title("The same runs in one order", "Hollow: another run matches or beats it on both axes.")
            show.chart(
                partial(_order, view, marks),
                "frontier_order",
                "Runs in the order of each metric; the tables below list all ranks.",
                footer=f"Hollow: another run matches or beats it on both axes. {printed}",
            )
    if len(view.runs) > NAMED:
        styles, names, mode = styles_of(study), model_names(map(line_of, view.runs)), look.mode()
        filled = {run.model for run, there in zip(view.runs, view.front) if there}
        keyed = [m for m in names if len(names) <= KEYED or m in filled]
        look.key_line([look.Key(names[m], f"dot {styles[m].symbol}", styles[m].mark(mode)) for m in keyed])
    look.footer(single_numbers_words.singles_footer(study, view), *signatures)


def _agreement(view: Frontier, on: Ground) -> go.Figure:
    return agreement_figure(view, on.mode)


def _order(view: Frontier, marks: dict[str, Mark], on: Ground) -> go.Figure:
    return order_figure(view, marks, on.mode, None, on.width)


def _tables(study: Study, view: Frontier) -> None:
    caption = single_numbers_words.singles_caption(study, view)
    show.table(
        single_numbers_words.singles_table(view), "frontier_singles", name=f"{study.name} agreement", caption=caption
    )
    ranks = single_numbers_words.ranks_table(view)
    show.table(
        ranks,
        "frontier_ranks",
        name=f"{study.name} ranks",
        best=better_ends(ranks, study_metrics.metrics().values()),
        columns={RUN: st.column_config.TextColumn(pinned=True, width="medium")},
        formats={str(name): "%g" for name in ranks if str(name).startswith(single_numbers_words.RANK)},
        caption=caption,
    )

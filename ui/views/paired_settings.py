"""Two settings on the Paired comparison page: is their difference larger than that between two seeds?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.study import Study
from figures.notes.seeds import short_settings
from figures.paired import settings as chart
from figures.style.numbers import P_VALUE
from figures.style.wording import item_noun
from metrics.analysis import paired_defaults
from metrics.analysis.replicates.grouping import replicated, replicates
from metrics.analysis.replicates.setting_differences import SettingDifference, by_item, differences
from metrics.base import Metric
from metrics.engine.result import PENDING
from metrics.permutation.pvalues import ALPHA
from ui.frame import look
from ui.jobs import numbers as jobs_numbers
from ui.jobs import progress
from ui.session import address
from ui.views import paired_items
from ui.widgets import figure, image_picker, metric_picker, show

PHONE = 340.0
"""Width in px of the chart on a phone."""
EVERY = 99
"""The default number of metrics per family: large enough for all of them."""


def offered(study: Study) -> bool:
    """Return whether the study has runs that differ only in their seed."""
    return replicated(replicates(study.runs))


def show_settings(study: Study, row: DeltaGenerator) -> None:
    """Show the controls, the verdict and the chart of two settings, and images on which they differ."""
    settings = {of.name: of for of in replicates(study.runs)}
    short = short_settings(study, list(settings.values()))
    with row:
        places = [image_picker.row("content") for _ in range(2)]
        with st.container(width="content"):
            metrics = tuple(m for m in metric_picker.pick_metrics(study, EVERY) if m.reads_candidates)
        numbers, view = jobs_numbers.fetch(study, metrics)
        main = paired_defaults.main_metric(study, metrics)
        first, second = paired_defaults.pair_of_settings(study, numbers, main)
        ready, names = view.job is None or view.job.ended, list(settings)
        with places[0]:
            a = address.select("A", "setting_a", names, first, keep=ready, format_func=short.__getitem__)
        with places[1]:
            b = address.select("B", "setting_b", names, second, keep=ready, format_func=short.__getitem__)
    address.show_unknown()
    progress.show(view)
    if a == b or not metrics:
        same = a == b
        look.empty("The same setting twice" if same else "No metric is chosen", "Choose another one above.")
        return
    found = differences(study, numbers, settings[a], settings[b], _judged_first(metrics, main))
    waits = chart.without_seeds(found) and any(one.reason == PENDING for one in found)
    if waits and view.job is not None and not view.job.ended:
        look.pending(*(one.metric.label for one in found))
        return
    look.verdict(*chart.verdict(study, found, (short[a], short[b])))
    if not waits:
        _chart(study, found, (short[a], short[b]))
    of_items = [by_item(study, numbers, metric, settings[a], settings[b]) for metric in _most_apart(found)]
    if shown := next((items for items in of_items if not items.reason), None):
        paired_items.show_settings(study, (settings[a], settings[b]), (short[a], short[b]), shown)


def _most_apart(found: Sequence[SettingDifference]) -> list[Metric]:
    able = [one for one in found if one.metric.of_items]
    return [
        one.metric
        for one in sorted(able, key=lambda one: (not one.metric.has_better_side, np.nan_to_num(one.p_value, nan=1.0)))
    ]


def _judged_first(metrics: tuple[Metric, ...], main: Metric | None) -> list[Metric]:
    return sorted(metrics, key=lambda metric: (metric is not main, not metric.has_better_side))


def _plots(found: tuple[SettingDifference, ...]) -> None:
    for key, width in (("wide", None), ("narrow", PHONE)):
        with st.container(key=f"tl-{key}-metrics"):
            show.plot(chart.seeds_figure(found, look.mode(), width), f"settings_{key}", chart.alt(found))


def _chart(study: Study, found: tuple[SettingDifference, ...], names: tuple[str, str]) -> None:
    if chart.without_seeds(found):
        look.empty("No distance between seeds", "Neither setting has two runs with values: add runs of other seeds.")
        return
    n = sorted({of.n for one in found for of in one.estimates if of.n}) or [0]
    seeds = " and ".join(str(len(of.runs)) for of in (found[0].first, found[0].second))
    figure.figure(
        "paired_settings",
        "Metric by metric",
        f"further right: {names[0]} {chart.lead(found)}",
        draw=lambda on: chart.seeds_figure(found, on.mode, on.width),
        body=partial(_plots, found),
        alt=chart.alt(found),
        twin=figure.Twin(chart.table(found), {"formats": {"p": P_VALUE, "Corrected p": P_VALUE}}),
        foot=figure.Foot(
            (
                f"n = {n[-1]:,} {item_noun(study)}s, {seeds} seeds",
                f"bars: 95 % over {chart.resampled(study, found)}",
                "shaded: the difference between two seeds",
                f"filled: p ≤ {ALPHA}, corrected for {chart.corrected(found)}",
            ),
            (chart.footer(study, found),),
            tuple(one.metric.signature for one in found),
        ),
        metrics=tuple(one.metric for one in found),
        name=f"{names[0]} against {names[1]} over seeds",
    )

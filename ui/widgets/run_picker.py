"""The leaderboard's row of controls, stored in the address, and the choice of models and runs on other pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from data.study import Run, Study
from figures.leaderboard.html import View
from figures.leaderboard.rows import joint_metric
from figures.notes.seeds import short_settings
from figures.style.run_names import short_names
from figures.views.view import without_runs
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.leaderboard import LeaderboardChoice
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired_defaults import best_first
from metrics.analysis.replicates.grouping import Replicates, replicated, replicates
from metrics.base import Metric
from ui.frame import errors, look
from ui.frame.wording import plain, with_typed_spaces
from ui.jobs import chance
from ui.jobs import numbers as jobs_numbers
from ui.jobs.jobs import ScoreView
from ui.session import address
from ui.widgets import image_picker, metric_picker

SEEDS = {"settings": "Setting", "runs": "Run"}
VIEWS: dict[str, View] = {"Values": "values", "Difference": "difference"}


def no_runs(study: Study) -> None:
    """Show a message if a study has no runs."""
    if (lacking := without_runs(study)) is not None:
        with look.empty(lacking.title, lacking.remedy):
            image_picker.data_link()


def leaderboard(study: Study) -> tuple[LeaderboardChoice, View, Numbers, ScoreView]:
    """Show the controls; return their choices, whether to show values or differences, the numbers, and their job."""
    with image_picker.row():
        place, ranking = st.container(width="content"), st.container(width="content")
        with ranking:
            metrics = metric_picker.pick_board(study)
        ranked = None
        if any(metric.has_better_side for metric in metrics):  # an empty container would still take up its gap
            with place, image_picker.row("content"):
                ranked = _ranked(study, metrics)
        numbers, job = jobs_numbers.fetch(study, metrics, detect=joint_metric(metrics, ranked))
        everything = replicates(study.runs)
        by_setting = replicated(everything) and address.select_one("seeds", list(SEEDS), "settings") == "settings"
        ready = job.job is None or job.job.ended
        baseline = _view(_names(study, numbers, ranked, everything if by_setting else ()), ready)
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            if replicated(everything):
                address.segments(
                    "Seeds: one row for each", "seeds", list(SEEDS), "settings", format_func=SEEDS.__getitem__
                )
            chosen = runs(study)
            harmonic = not by_setting and metric_picker.p_harmonic()
            by_chance = chance.asked()
    settings = replicates(chosen) if by_setting else ()
    shown = [of.name for of in settings] if by_setting else [run.name for run in chosen]
    if baseline is not None and baseline not in shown:
        baseline = shown[0] if shown else None
    choice = LeaderboardChoice(metrics, ranked, chosen, baseline, harmonic, settings, by_chance)
    return choice, "difference" if baseline else "values", numbers, job


def _names(study: Study, numbers: Numbers, ranked: Metric | None, settings: Sequence[Replicates]) -> dict[str, str]:
    short = short_settings(study, settings) if settings else short_names(study.runs)
    best = best_first(study, numbers, ranked)[:1]
    first = [of.name for of in settings if best and best[0] in of.runs] or best
    return {name: short[name] for name in dict.fromkeys([*first, *short]) if name in short}


def _view(short: Mapping[str, str], ready: bool) -> str | None:
    """Show one select box for values or a baseline of differences; return the baseline, or None for values.

    The address stores it as `show` and `base`. `short` has the short names of the rows that may be the baseline. The
    first of them, the leader, is the default; it is unknown until all numbers are `ready`.
    """
    names = list(short)
    show = address.select_one("show", list(VIEWS), "Values")
    base = address.select_one("base", names, names[0], keep=ready) if show == "Difference" else None
    st.session_state["show_select"] = base or ""

    def take() -> None:
        picked = st.session_state["show_select"]
        address.store("show", "Difference" if picked else "Values")
        if picked:
            address.store("base", picked)

    st.selectbox(
        "Show",
        ["", *names],
        key="show_select",
        on_change=errors.callback(take),
        format_func=lambda name: f"difference from {with_typed_spaces(short[name])}" if name else "values",
    )
    return base


def _ranked(study: Study, metrics: tuple[Metric, ...]) -> Metric | None:
    able = {m.name: m for m in metrics if m.has_better_side}
    first = first_to_rank(study, metrics)
    if first is None:
        return None
    address.follow("rank", able)
    name = metric_picker.select("Rank by", "rank", able, first.name)
    return able[name]


def runs(study: Study) -> tuple[Run, ...]:
    """Show the controls of models and runs, if there are several runs; return the displayed runs.

    These are all runs, those of chosen models, or those chosen by name.
    """
    if len(study.runs) < 2:
        return study.runs
    models, short = list(dict.fromkeys(run.model for run in study.runs)), short_names(study.runs)
    wanted = address.existing("models", models), address.existing("runs", [run.name for run in study.runs])
    by_model = _subset_pills("Models", "models", models, wanted[0], {}) if len(models) > 1 else models
    able = [run.name for run in study.runs if run.model in by_model]
    by_name = _subset_pills("Runs", "runs", able, wanted[1], short)
    return tuple(run for run in study.runs if run.name in by_name)


def _subset_pills(
    label: str, name: str, options: Sequence[str], wanted: Collection[str], short: Mapping[str, str]
) -> list[str]:
    key = f"{name}_pills"
    chosen = [option for option in options if option in wanted] or list(options)
    st.session_state[key] = chosen

    def take() -> None:
        picked = [option for option in options if option in st.session_state[key]]
        address.store(name, *(picked if len(picked) < len(options) else ()))

    st.pills(
        f"{label}: {len(chosen)} of {len(options)}",
        options,
        selection_mode="multi",
        key=key,
        format_func=lambda option: plain(short.get(option, option)),
        on_change=errors.callback(take),
    )
    return chosen

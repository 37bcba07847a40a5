"""The leaderboard's row of controls, all of it in the address, and the states in which there is nothing to show."""

from __future__ import annotations

import streamlit as st

from data.study import Run, Study
from figures.leaderboard.html import View
from figures.leaderboard.standings import Choice
from metrics.analysis.feasibility import defaults, ranking_metric
from metrics.base import Metric
from ui.frame import look
from ui.frame.wording import plain
from ui.session import address, state
from ui.widgets import image_picker, metric_picker

VIEWS: dict[str, View] = {"Values": "values", "Difference": "difference"}


def notice() -> None:
    """What another page left to be said."""
    if (said := state.notice()) is not None:
        st.info(plain(said))


def no_runs() -> None:
    """A study of references alone."""
    with look.empty("This study has references but no runs", "Add files of generated captions to compare them."):
        image_picker.workspace_link()


def leaderboard(study: Study) -> tuple[Choice, View]:
    """What to show, as chosen."""
    with image_picker.row():
        metrics, harmonic = metric_picker.pick(study)
        chosen = runs(study)
        ranked = _ranked(study, metrics)
        view = address.segments(
            "Show", "show", list(VIEWS), "Values",
            help="Difference: every number minus the baseline's, with the interval of the difference.",
        )  # fmt: skip
        baseline = _baseline(chosen) if view == "Difference" else None
    return Choice(metrics, ranked, chosen, baseline, harmonic), VIEWS[view] if baseline else "values"


def _baseline(shown: tuple[Run, ...]) -> str | None:
    if not shown:
        return None
    names = [run.name for run in shown]
    return address.select("Baseline", "base", names, names[0], width=210)


def _ranked(study: Study, metrics: tuple[Metric, ...]) -> Metric | None:
    able = {m.name: m for m in metrics if m.has_better_side}
    # A picker lists by family, what a study begins with by what matters.
    wanted = [able[name] for name in defaults(study) if name in able]
    first = ranking_metric([*wanted, *metrics])
    if first is None:
        return None
    name = address.select(
        "Rank by", "rank", list(able), first.name, named=lambda n: able[n].label, width=160,
        help="Diversity metrics cannot rank: a word salad is very diverse.",
    )  # fmt: skip
    return able[name]


def runs(study: Study) -> tuple[Run, ...]:
    """The runs shown: all, those of chosen models, or those chosen by name."""
    if len(study.runs) < 2:
        return study.runs
    models = list(dict.fromkeys(run.model for run in study.runs))
    chosen = len(address.wanted("runs") or ()), len(address.wanted("models") or ())
    with st.popover("Runs: chosen" if any(chosen) else f"Runs: all {len(study.runs)}", icon=":material/filter_list:"):
        by_model: tuple[str, ...] = ()
        if len(models) > 1:
            by_model = address.pills("Models", "models", models, (), named=plain, help="None chosen shows all.")
        offered = [run.name for run in study.runs if not by_model or run.model in by_model]
        by_name = address.pills("Runs", "runs", offered, (), named=plain, help="None chosen shows all.")
    wanted = set(by_name or offered)
    return tuple(run for run in study.runs if run.name in wanted)

"""The parts of the frontier page: its controls, the chart, the models compared, one run, the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from data.study import Run, Study
from figures.export.column_metrics import better_ends
from figures.export.paper import Ground
from figures.frontier import trade_words
from figures.frontier import words as frontier_words
from figures.frontier.chart import frontier_figure
from figures.frontier.trades import trade_figure
from figures.style.lines import Mark, run_marks
from figures.style.numbers import defined, interval, num
from figures.style.run_names import short_names
from figures.style.wording import names_in_a_row
from metrics.analysis.frontier import Axis, Frontier
from metrics.analysis.numbers import Numbers
from metrics.analysis.overview import distance_metric
from metrics.analysis.replicates.grouping import replicated, replicates
from metrics.analysis.replicates.merged import by_setting
from metrics.base import Metric
from metrics.engine.result import PENDING
from ui.frame import look
from ui.jobs import registry
from ui.jobs.jobs import jobs
from ui.session import address, state
from ui.views import frontier_pair
from ui.widgets import image_picker, parts, show
from ui.widgets.run_picker import runs as runs_shown

MARKS = {
    "intervals": "Intervals",
    "fit": "Curve for each model",
    "both": "Intervals and curves",
    "points": "Points alone",
}
PART = "part"
"""The address's name for the part below the chart."""


@dataclass(frozen=True)
class FrontierChoice:
    """The state of the controls."""

    quality: Metric
    diversity: Metric
    runs: tuple[Run, ...]
    marks: str
    one_run_each: bool = False

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics to be scored."""
        return self.quality, self.diversity


def controls(study: Study) -> FrontierChoice:
    """Show both metrics, and the pairs, runs and marks under Options; call it inside a row of controls."""
    address.begin_anew(*frontier_pair.NAMES)
    quality, diversity = frontier_pair.pick(study)
    with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
        frontier_pair.known_pairs(study)
        runs = runs_shown(study)
        marks = address.select("Show", "marks", list(MARKS), "intervals", format_func=MARKS.__getitem__, width=190)
        each = _one_run_each(study)
    return FrontierChoice(quality, diversity, runs, marks, each)


def _one_run_each(study: Study) -> bool:
    """Whether runs that differ only in their seed have marks of their own; asked only where there are some."""
    if not replicated(replicates(study.runs)):
        return False
    kinds = {"settings": "Setting", "runs": "Run"}
    return (
        address.select("One mark for each", "seeds", list(kinds), "settings", format_func=kinds.__getitem__, width=110)
        == "runs"
    )


def rows(study: Study, numbers: Numbers, choice: FrontierChoice) -> tuple[Study, Numbers, tuple[Run, ...]]:
    """Return what the chart has marks for: the chosen runs, or the settings of which they are seeds."""
    settings = replicates(choice.runs)
    if choice.one_run_each or not replicated(settings):
        return study, numbers, choice.runs
    merged, means = by_setting(study, numbers, settings)
    return merged, means, merged.runs


def with_test(study: Study, numbers: Numbers) -> Numbers:
    """Return the numbers with the test against people that Overview begins with, if it was made: none is started."""
    trms = {metric.name: metric for metric in registry.trms().values()}
    metric = trms[distance_metric(study, trms, lambda _: False)]
    found = jobs().view(study, (metric,), state.session(), start=False).results
    return replace(numbers, results={**numbers.results, **found})


def show_frontier(study: Study, view: Frontier, choice: FrontierChoice) -> None:
    """Show the chart with its footer."""
    chosen = _chosen(view)
    marks = run_marks(study.runs, study.every_model)
    crosses, curves = choice.marks in ("intervals", "both"), choice.marks in ("fit", "both")
    signatures = (choice.quality.signature, choice.diversity.signature)

    def draw(on: Ground) -> go.Figure:
        ring = on.on_screen(chosen)
        return frontier_figure(view, marks, on.mode, intervals=crosses, curves=curves, chosen=ring, width=on.width)

    bars = " Thick marks: where a model is as diverse as people." if view.trades.reaching else ""
    with look.figure():
        look.figure_title(
            f"{choice.quality.label} against {choice.diversity.label}",
            f"{frontier_words.lines(view)}{bars} Shaded: matched or beaten on both axes.",
        )
        show.chart(
            draw,
            "frontier",
            alt(study, view),
            f"{study.name} {choice.quality.name} {choice.diversity.name}",
            footer=f"{frontier_words.print_footer(study, view, crosses, curves)} {', '.join(signatures)}",
            on_select=lambda: _take(view),
            selection_mode="points",
        )
    rules = frontier_words.rules(study, view, crosses, curves)
    look.figure_footer(frontier_words.facts(study, view, chosen), [" ".join(rules)], signatures)


def show_parts(study: Study, view: Frontier) -> None:
    """Show one of the parts below the chart: the models compared, the run chosen in the chart, or all numbers."""
    chosen, several = _chosen(view), len(view.trades.models) > 1 and trade_words.shown(view)
    titles = {"models": "Models", "run": "One run", "tables": "Tables"}
    part = parts.tabs(PART, {name: title for name, title in titles.items() if name != "models" or several}, titles)
    if part == "models":
        _models(study, view)
    elif part == "run" and chosen is not None:
        _one_run(study, view, chosen)
    elif part == "tables":
        _tables(study, view)


def _models(study: Study, view: Frontier) -> None:
    """Show what each model keeps at people's diversity, and the area under its settings."""
    marks = run_marks(study.runs, study.every_model)
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        for how in trade_words.shown(view):
            with two.cell(), look.figure():
                look.figure_title(*trade_words.title(view, how))
                show.chart(
                    partial(_trade_chart, view, marks, how),
                    f"frontier_{how}",
                    trade_words.alt(view, how),
                    footer=f"{trade_words.print_footer(study, view)} {_signatures(view)}",
                )
    look.footer(trade_words.footer(study, view), *view_signatures(view))


def _trade_chart(view: Frontier, marks: Mapping[str, Mark], how: trade_words.How, on: Ground) -> go.Figure:
    return trade_figure(view, marks, how, on.mode)


def view_signatures(view: Frontier) -> tuple[str, str]:
    """Return the signatures of both metrics."""
    return view.quality.metric.signature, view.diversity.metric.signature


def _signatures(view: Frontier) -> str:
    return ", ".join(view_signatures(view))


def show_nothing(view: Frontier) -> None:
    """Show why no run has both numbers, and what would help."""
    reasons = dict.fromkeys(why for _, why in view.missing)
    if any(why.endswith(PENDING) for why in reasons):
        look.empty("No numbers yet", "The chart appears with the first runs that have both values.")
        return
    said = f"{next(iter(reasons))}. Choose another pair above." if reasons else "Choose a run above."
    look.empty("No run has both values", said)


def alt(study: Study, view: Frontier) -> str:
    """Return the text alternative of the chart."""
    on = [short_names(study.runs)[view.runs[k].name] for k in view.order]
    return (
        f"{len(view.runs)} runs by {view.quality.metric.label} and {view.diversity.metric.label}; on the front, from "
        f"the most quality to the most diverse: {names_in_a_row(on, 12)}. The Tables tab lists every run."
    )


def _take(view: Frontier) -> None:
    """Store the run whose mark was clicked."""
    for place, *_ in show.picked("frontier"):
        address.store("run", view.runs[int(place)].name)
        address.store(PART, "run")


def _chosen(view: Frontier) -> int | None:
    """Position of the run given by the address, else of the one that the page begins with; None without runs."""
    names = [run.name for run in view.runs]
    if not names:
        return None
    asked = address.value("run")
    return names.index(asked) if asked in names else _first(view)


def _first(view: Frontier) -> int:
    """The setting of the first model that is nearest to people's diversity; the first on the front without people."""
    models, people = view.trades.reaching, view.trades.people
    if not models:
        return view.order[0]
    return min(models[0].runs, key=lambda k: abs(float(view.diversity.value[k]) - people))


def _one_run(study: Study, view: Frontier, k: int) -> None:
    with image_picker.row():
        names, short = [run.name for run in view.runs], short_names(study.runs)
        about = "Or click its mark in the chart."
        address.select("Run", "run", names, names[k], format_func=short.__getitem__, width=260, help=about)
        run = view.runs[k].name
        image_picker.page_link("leaderboard", "Against the others", "format_list_numbered", base=run, show="Difference")
        first = _first_seed(run)
        image_picker.page_link("images", "Its captions", "image", beside=first)
        image_picker.page_link("triangles", "Its triangles", "change_history", run=first)
    address.show_unknown()
    look.verdict(*frontier_words.about_run(study, view, k), kicker="This run")
    look.stats(*_stats(view, k))


def _first_seed(name: str) -> str:
    """The first run of a setting; the run itself where it is none."""
    return next((of.runs[0] for of in replicates(state.study().runs) if of.name == name), name)


def _stats(view: Frontier, k: int) -> list[look.Stat]:
    found = [_stat(axis, k) for axis in (view.quality, view.diversity)]
    note = "all pairs of runs together" if defined(view.share[k]) else "not tested"
    found.append(look.Stat("On the front, at 95 %", frontier_words.standing(view, k) or num(None), note))
    return found


def _stat(axis: Axis, k: int) -> look.Stat:
    return look.Stat(axis.metric.label, num(axis.value[k]), interval(axis.low[k], axis.high[k]))


def _tables(study: Study, view: Frontier) -> None:
    """Show the numbers of the page as tables."""
    _every_run(study, view)
    if len(view.trades.models) > 1:
        look.figure_title("Every model")
        show.table(
            trade_words.table(view),
            "frontier_models",
            name=f"{study.name} models",
            caption=trade_words.caption(study, view),
            signatures=view_signatures(view),
        )


def _every_run(study: Study, view: Frontier) -> None:
    look.figure_title("Every run", "On the front: at 95 %, all pairs of runs judged together.")
    bar = {
        frontier_words.ON_FRONT: st.column_config.ProgressColumn(
            format="%.0f %%", min_value=0, max_value=100, color="gray"
        )
    }
    table = frontier_words.table(view)
    show.table(
        table,
        "frontier_table",
        name=f"{study.name} frontier",
        digits={frontier_words.ON_FRONT: 1},
        formats={"T": "%g"},
        best=better_ends(table, registry.metrics().values()),
        columns=bar | _PINNED,
        caption=frontier_words.table_caption(study, view),
    )


_PINNED = {frontier_words.RUN: st.column_config.TextColumn(pinned=True, width="medium")}

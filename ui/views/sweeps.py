"""The parts of the Sweeps page: controls, panels, runs off the lines, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.elements.lib.grid_container import GridContainer

from data.study import Study
from figures.export.column_metrics import better_ends
from figures.export.paper import Ground
from figures.style.escaping import capital, short
from figures.style.line_styles import Line, Mark, marks_of
from figures.style.numbers import count, num, temperature, temperature_format
from figures.style.palette import ModelStyle, styles_of, tone
from figures.style.run_names import short_names
from figures.style.wording import direction_arrow, item_noun, names_in_a_row
from figures.sweeps import chart as sweeps_chart
from figures.sweeps import decoder_words, decoders
from figures.sweeps import tables as sweeps_tables
from figures.sweeps import words as sweeps_words
from figures.sweeps.no_lines import no_line
from figures.sweeps.panel_parts import digits_of, human_name, may_be_drawn
from metrics.analysis.defaults import ranking_first
from metrics.analysis.numbers import Numbers
from metrics.analysis.sweeps import Point, Setting, SweepView, settings_of, sweep_view, sweeps_of
from metrics.analysis.sweeps_defaults import EACH, along, common_temperature, decoders_of, per_item, varies, varying
from metrics.base import Metric
from metrics.engine.result import PENDING
from ui.frame import look
from ui.frame.wording import plain
from ui.jobs import chance, study_metrics
from ui.session import address
from ui.widgets import image_picker, metric_picker, parts, show

FIRST, LOW = 3, 8
"""The number of visible panels if they have more rows than LOW; the others are folded."""
WAITING = 190
"""The height in px of the skeleton of a panel."""
NAME = 40
"""Maximum length in characters of a name in a legend."""
KINDS = {"temperature": "temperature", "decoder": "decoders"}
SCALES = {"linear": "Linear", "log": "Logarithmic"}
ALL = "all"
KEYS: dict[str, Literal["line", "dashed", "dotted", "dashdot"]] = {
    "solid": "line",
    "dash": "dashed",
    "dot": "dotted",
    "dashdot": "dashdot",
}
ALL_MODELS = "At first, those with several settings, or all; none chosen shows all."
POINT, BY, PART = "point", "point_by", "part"


@dataclass(frozen=True)
class SweepChoice:
    """The state of the controls.

    `decoders` tells whether decoders are compared, at this `temperature` (None for all), `log` whether the axis is
    logarithmic, and `chance` whether values expected by chance are shown.
    """

    metrics: tuple[Metric, ...]
    settings: tuple[Setting, ...]
    decoders: bool
    log: bool = False
    temperature: float | None = None
    chance: bool = False

    @property
    def paths(self) -> tuple[tuple[Setting, ...], ...]:
        """The settings in order: along each line, or along the decoders."""
        if self.decoders:
            shown = [setting for group in decoders_of(self.settings, self.temperature)[0] for setting in group]
            models = dict.fromkeys(setting.model for setting in shown)
            own = [tuple(s for s in shown if s.model == model) for model in models]
            return tuple(own) if any(len(path) > 1 for path in own) else (tuple(shown),)
        return tuple(sweep.settings for sweep in sweeps_of(self.settings, self.log))


def nothing_varies(study: Study) -> bool:
    """Return True, and show a message with the remedy, if no model has a second setting."""
    if varies(settings_of(study.runs)):
        return False
    noun = item_noun(study)
    fields = per_item(study)
    if fields:
        said = f"The files have it for each {noun}. Slices compares the {noun}s by {names_in_a_row(fields)}."
        with look.empty(f"Here, {names_in_a_row(fields)} belongs to each {noun}, not to a model", said):
            image_picker.page_link("slices", f"Compare {noun}s on Slices", "compare_arrows")
        return True
    text = "Temperatures and decoders are read from files and names of runs; state missing ones on Data."
    if len(decoders := [one.model for one in settings_of(study.runs) if one.model == one.decoder.kind]) > 1:
        named = f"The runs of {names_in_a_row(decoders)} seem to differ in their decoding"
        text = f"{named}: if one model wrote them, state it on Data to compare them here."
    with look.empty("Every model has one setting", text):
        image_picker.data_link()
        image_picker.page_link("leaderboard", "Compare the runs on the Leaderboard", "format_list_numbered")
    return True


def controls(study: Study) -> SweepChoice:
    """Show the row of controls, all stored in the address; return the choice."""
    everything = settings_of(study.runs)
    temperatures = sorted({s.temperature for s in everything if s.temperature is not None})
    with image_picker.row():
        metrics = ranking_first(study, metric_picker.pick_metrics(study, EACH, rated=True))
        settings = _models(study, everything)
        kind = address.select(
            "Along", "along", list(KINDS), along(everything), format_func=KINDS.__getitem__, width=150
        )
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            floor = chance.asked()
            if not temperatures:
                return SweepChoice(metrics, settings, kind == "decoder", chance=floor)
            if kind == "decoder":
                return SweepChoice(metrics, settings, True, False, _temperature(everything, temperatures), floor)
            log = address.segments("Axis", "axis", list(SCALES), "linear", format_func=SCALES.__getitem__) == "log"
    return SweepChoice(metrics, settings, False, log, chance=floor)


def _models(study: Study, everything: tuple[Setting, ...]) -> tuple[Setting, ...]:
    models = list(dict.fromkeys(run.model for run in study.runs))
    if len(models) < 2:
        return everything
    first = varying(everything)
    chosen = address.select_several("models", models, first)
    with st.popover(f":gray[Models:] **{f'{len(chosen)} of' if chosen else 'all'} {len(models)}**", key="models_panel"):
        chosen = address.pills("Models", "models", models, first, format_func=plain, help=ALL_MODELS)
    return tuple(setting for setting in everything if not chosen or setting.model in chosen)


def _temperature(everything: Sequence[Setting], temperatures: Sequence[float]) -> float | None:
    first = common_temperature(everything)
    names = {f"{t:g}": t for t in temperatures}
    found = address.select(
        "At temperature",
        "at",
        [*names, ALL],
        f"{first:g}",
        format_func=lambda n: "All" if n == ALL else f"T {temperature(names[n])}",
        width=150,
        help="Decoders without a temperature are always shown.",
    )
    return names.get(found)


def views(study: Study, numbers: Numbers, choice: SweepChoice) -> tuple[SweepView, ...]:
    """Return the values of every chosen metric over the chosen settings."""
    return tuple(sweep_view(study, numbers, metric, choice.settings, choice.log) for metric in choice.metrics)


def temperature_view(study: Study, choice: SweepChoice, found: Sequence[SweepView], run: str | None) -> None:
    """Show the verdict and the lines of every metric, or why there are no lines."""
    marks = marks_of(study.runs, study.every_model)
    why, there = no_line([curve.sweep for curve in found[0].curves], marks)
    if why and not there:
        with look.empty(why, "State the temperatures of the runs on the Data page, or compare decoders above."):
            image_picker.data_link()
    elif why:
        with look.empty(why, f"{there}: compare decoders above, or all runs on the Leaderboard."):
            image_picker.page_link("leaderboard", "Leaderboard", "format_list_numbered")
    else:
        look.verdict(*sweeps_words.verdict(found, marks))
        _key(found, marks, run)
        with _grid(found) as grid:
            for view in found:
                with grid.cell(), look.figure():
                    _panel(study, view, marks, choice, run)
        look.footer(sweeps_words.footer(study, study.runs, found), *(metric.signature for metric in choice.metrics))


def _grid(found: Sequence[SweepView]) -> GridContainer:
    """Return a grid for panels of one width."""
    panels = len(found)
    width = 340 if panels == 4 else 225 if panels > 4 and panels % 3 == 1 else 270
    return st.grid("auto", min_column_width=width, gap=("medium", "medium"))


def _panel(study: Study, view: SweepView, marks: dict[Line, Mark], choice: SweepChoice, run: str | None) -> None:
    metric = view.metric
    look.figure_title(metric.label, sweeps_words.panel_sub(view, marks), direction_arrow(metric))
    if _no_values([point for curve in view.curves for point in curve.points]):
        return

    def panel(on: Ground) -> go.Figure:
        return sweeps_chart.temperature_panel(view, marks, on.mode, choice.log, on.on_screen(run), on.width)

    key = f"sweep_{metric.name}"
    show.chart(
        panel,
        key,
        sweeps_words.alt(view, marks),
        f"sweep {metric.label}",
        on_select=partial(_clicked, key, metric.name),
        footer=f"{sweeps_words.print_footer(study, study.runs, view)} {metric.signature}",
    )


def _no_values(points: Sequence[Point]) -> bool:
    """Return True if a panel would be empty, and show a message or, while numbers are being computed, a skeleton."""
    if any(np.isfinite(point.value) for point in points):
        return False
    reasons = sorted({point.reason for point in points if point.reason}) or ["undefined"]
    if PENDING in reasons:
        look.pending(height=WAITING)
    else:
        look.empty("No values to draw", f"{'; '.join(reasons[:2])}.")
    return True


def _clicked(key: str, metric: str) -> None:
    for run, *_ in show.picked(key)[-1:]:
        address.store(POINT, str(run))
        address.store(BY, metric)
        address.store(PART, "images")


def _key(found: Sequence[SweepView], marks: dict[Line, Mark], run: str | None) -> None:
    mode, keys = look.mode(), []
    curves = next((view.curves for view in found if view.curves), ())
    all_named = sweeps_chart.named_at_ends(curves, marks)
    for curve in curves:
        mark = marks[curve.sweep.model, curve.sweep.decoder]
        if len(curve.points) == 1:
            only = f"{mark.cut(NAME)} (T {temperature(curve.sweep.settings[0].temperature)} only)"
            keys.append(look.Key(only, look.hollow(mark.symbol), mark.style.mark(mode)))
        elif not all_named:
            keys.append(look.Key(mark.cut(NAME), look.marked(KEYS[mark.dash], mark.symbol), mark.style.mark(mode)))
    optima = [curve.optimum for view in found for curve in view.curves if curve.optimum]
    if optima:
        goals = dict.fromkeys(sweeps_words.goal_words(view) for view in found)
        *others, last = goals
        first = ", ".join(goal.removesuffix(" value") for goal in others)
        keys.append(look.Key(f"{capital(f'{first} or {last}' if first else last)} on each line", "ring"))
    if any(may_be_drawn(curve) for view in found for curve in view.curves):
        keys.append(look.Key("May be as good", "thick"))
    keys += _human_keys(found)
    if run is not None:
        keys.append(look.Key("Chosen point", "square", tone("ink", mode)))
    look.key_line(keys)


def _human_keys(found: Sequence[SweepView]) -> list[look.Key]:
    humans = {human_name(view.metric) for view in found if np.isfinite(view.human.value)}
    floor = [look.Key("Chance (other references)", "fine")] if any(view.chance for view in found) else []
    return floor + [
        look.Key(name, kind) for name, kind in (("People", "dash"), ("No difference", "fine")) if name in humans
    ]


def part_below(study: Study, found: Sequence[SweepView], choice: SweepChoice, with_images: bool) -> str:
    """Show the tabs below the panels; return the open one: "images" (if `with_images`), "rest" or "tables"."""
    there = {"images": f"{item_noun(study).capitalize()}s that differ most"} if with_images else {}
    if not choice.decoders and (off := found[0].off_line):
        there |= {"rest": f"Not on the axis: {count(len(off), 'setting')}"}
    return parts.tabs(PART, there | {"tables": "Tables"}, ("images", "rest"))


def off_axis(study: Study, found: Sequence[SweepView]) -> None:
    """Show the settings that are on no line, with all their numbers."""
    zero = any(point.setting.temperature is not None for point in found[0].off_line)
    why = "They state no temperature." + (" T 0.0 has no place on a logarithmic axis." if zero else "")
    look.figure_title("Not on the axis", why)
    frame = sweeps_tables.off_axis(found)
    show.table(
        frame,
        "sweeps_rest",
        name="not on the axis",
        digits={view.metric.label: digits_of(view) for view in found},
        best=better_ends(frame, study_metrics.metrics().values()),
    )
    _reasons(study, [(view.metric, point) for view in found for point in view.off_line])


def _reasons(study: Study, points: Sequence[tuple[Metric, Point]]) -> None:
    if why := sweeps_words.reasons(points, short_names(study.runs)):
        look.figure_title("", why)


def decoder_view(study: Study, choice: SweepChoice, found: Sequence[SweepView], run: str | None) -> None:
    """Show the verdict and every metric by decoder."""
    groups, left = decoders_of(choice.settings, choice.temperature)
    points = [decoder_words.grouped(view, groups) for view in found]
    styles = styles_of(study)
    look.verdict(*decoder_words.verdict(found, groups))
    mode = look.mode()
    names = decoders.in_key(points[0])
    keys = [
        look.Key(short(n, NAME, names.values()), f"dot {styles[m].symbol}", styles[m].mark(mode))
        for m, n in names.items()
    ]
    keys += _human_keys(found)
    if keys:
        look.key_line(keys)

    def panels(shown: Sequence[tuple[SweepView, list[list[Point]]]]) -> None:
        with _grid([view for view, _ in shown]) as grid:
            for view, of in shown:
                with grid.cell(), look.figure():
                    _decoder_panel(study, view, of, styles, run)

    every = list(zip(found, points))
    first = FIRST if len(decoders.named_rows(points[0])) > LOW else len(every)
    panels(every[:first])
    if rest := every[first:]:
        said = names_in_a_row([view.metric.label for view, _ in rest], 4)
        show.folded(f"{len(rest)} more: {plain(said)}", "sweeps_more", lambda: panels(rest))
    look.footer(sweeps_words.footer(study, study.runs, found, decoders=True), *(m.signature for m in choice.metrics))
    if left:
        look.figure_title("", decoder_words.left_out(left))
    _reasons(study, [(view.metric, p) for view, of in zip(found, points) for group in of for p in group])


def _decoder_panel(
    study: Study, view: SweepView, of: Sequence[Sequence[Point]], styles: Mapping[str, ModelStyle], run: str | None
) -> None:
    metric, key, digits = view.metric, f"decoders_{view.metric.name}", digits_of(view)
    flat = [point for group in of for point in group]
    look.figure_title(metric.label, decoder_words.decoder_sub(view, flat), direction_arrow(metric))
    if _no_values(flat):
        return

    def panel(on: Ground) -> go.Figure:
        return decoders.decoder_panel(
            metric, of, view.human, styles, on.mode, digits, on.on_screen(run), on.width, view.chance
        )

    names = decoder_words.setting_names(flat)
    said = "; ".join(f"{names[point.setting]} {num(point.value, digits)}" for point in flat)
    show.chart(
        panel,
        key,
        f"{metric.label} by decoder. {said}.",
        f"decoders {metric.label}",
        footer=f"{sweeps_words.print_footer(study, study.runs, view, decoders=True)} {metric.signature}",
        on_select=partial(_clicked, key, metric.name),
    )


def tables(study: Study, found: Sequence[SweepView], choice: SweepChoice) -> None:
    """Show all numbers as a long table and, along temperatures, where every line is best."""
    marks = marks_of(study.runs, study.every_model)
    printed = {"T": temperature_format(setting.temperature for setting in choice.settings)}
    if not choice.decoders and not (best := sweeps_tables.optima(found, marks)).empty:
        look.figure_title("Optima", "The temperature at which each line reaches its goal.")
        show.table(
            best,
            "sweeps_optima",
            name="optimal temperatures",
            formats=printed,
        )
    look.figure_title("All numbers", "One row for each metric and setting, those without a temperature last.")
    show.table(sweeps_tables.table(found), "sweeps_all", name="sweeps", formats=printed)

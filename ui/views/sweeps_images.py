"""The images behind a point of the Sweeps page: their differences from another run, and both runs' captions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from data.study import Study
from figures.notes.seeds import short_settings
from figures.style.escaping import capital
from figures.style.numbers import count, num, signed
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import direction_arrow, item_noun, item_title
from figures.sweeps import words as sweeps_words
from figures.triangles import words
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.sweeps import (
    Contrast,
    Setting,
    SweepView,
    best_of,
    contrast,
    neighbour,
    points_of,
)
from metrics.base import Metric, Undefined
from metrics.suite.distribution import Trm
from ui.frame import errors, look
from ui.frame.wording import plain, with_typed_spaces
from ui.session import address
from ui.views.sweeps import BY, POINT, SweepChoice
from ui.widgets import image_picker, parts

SHOWN, FEW = 3, 2
"""The number of images to choose from, and of captions on each side that are always visible."""
BEST = ""


def selected_point(choice: SweepChoice, found: Sequence[SweepView]) -> tuple[str, Metric] | None:
    """Return the run and the metric of the point to inspect; None if no run or no metric can be chosen.

    The point is clicked or chosen in a list; by default, it is the best one.
    """
    runs, able = _points(choice)
    if not runs or not able:
        return None
    judged = [view for view in found if view.metric.name in able]
    first = sweeps_words.foremost(judged)
    metric = able[_asked(BY, list(able), first.metric.name)]
    if (run := _asked(POINT, runs, BEST)) != BEST:
        return run, metric
    reachable = [point for point in first.points if point.setting.runs[0] in runs]
    lead = sweeps_words.best_point(first)
    best = lead[1] if lead and not choice.decoders else best_of(first, reachable)
    start = best.setting.runs[0] if best is not None else runs[0]
    return (start if start in runs else runs[0]), metric


def picked(point: tuple[str, Metric] | None) -> str | None:
    """Return the selected run if the reader chose it, else None: panels mark only a chosen run."""
    return point[0] if point is not None and address.values(POINT) else None


def _points(choice: SweepChoice) -> tuple[list[str], dict[str, Metric]]:
    """The points that can be selected: settings, each by the name of its first run, and metrics with values per item.

    Only settings on paths of several settings can be selected.
    """
    runs = [setting.runs[0] for path in choice.paths if len(path) > 1 for setting in path]
    return runs, {metric.name: metric for metric in choice.metrics if metric.of_items}


def _asked(name: str, options: Sequence[str], default: str) -> str:
    if not (asked := address.values(name)):
        return default
    found = address.select_one(name, options, default)
    if asked[-1] not in options:
        address.forget(name)
    return found


def images_of_point(study: Study, numbers: Numbers, choice: SweepChoice, point: tuple[str, Metric]) -> None:
    """Show the images that differ most between the selected setting and the next one."""
    run, metric = point
    path = next(path for path in choice.paths if len(path) > 1 and any(run in setting.runs for setting in path))
    own, other = next(setting for setting in path if run in setting.runs), neighbour(path, run)
    assert other is not None
    names, pair = _names(study), (own, other)
    with image_picker.row():
        runs, able = _points(choice)
        now = _asked(POINT, runs, BEST)
        _choose("Setting", POINT, [BEST, *runs], now, width=240, format_func=lambda n: names.get(n) or "The best one")
        _choose("Metric", BY, list(able), metric.name, width=170, format_func=lambda n: able[n].label)
    there = other.runs[0]
    try:
        gaps = contrast(study, numbers, metric, own.runs, other.runs)
    except Undefined as why:
        said = str(why)
        for name, called in sorted(short_names(study.runs).items(), key=lambda one: -len(one[0])):
            said = said.replace(name, called)
        with look.empty(f"No {item_noun(study)}s to compare", f"{capital(said)}."):
            return
    look.figure_title(
        f"{metric.label}: {names[run]} against {names[there]}",
        _summary(study, numbers, metric, pair, gaps),
        direction_arrow(metric),
    )
    shown = {study.items[place].id: int(place) for place in gaps.order[:SHOWN]}
    titles = {
        name: f"{image_picker.title(study, study.items[place])} ({signed(float(gaps.there[place] - gaps.here[place]))})"
        for name, place in shown.items()
    }
    with image_picker.row():
        image = address.select(
            item_title(study), "differing", list(shown), next(iter(shown)), format_func=titles.__getitem__
        )
    _image(study, numbers, metric, pair, shown[image])


def _choose(
    label: str, name: str, options: Sequence[str], now: str, width: int, format_func: Callable[[str], str]
) -> None:
    key = f"{name}_select"
    st.session_state[key] = now

    def take() -> None:
        if st.session_state[key] in options:
            address.store(name, st.session_state[key])

    st.selectbox(
        label,
        options,
        key=key,
        format_func=lambda one: with_typed_spaces(format_func(one)),
        width=width,
        on_change=errors.callback(take),
    )


def _names(study: Study) -> dict[str, str]:
    """The short names of settings, by the names of their runs."""
    settings = replicates(study.runs)
    short = short_settings(study, settings)
    return {run: short[of.name] for of in settings for run in of.runs}


def _summary(study: Study, numbers: Numbers, metric: Metric, pair: tuple[Setting, Setting], gaps: Contrast) -> str:
    ends = [point.value for point in points_of(study, numbers, metric, pair)]
    rises = int((gaps.there[gaps.order] - gaps.here[gaps.order] > metric.tie).sum())
    seeds = max(len(setting.runs) for setting in pair)
    over = f"{count(len(study.items), item_noun(study))}{f' and {seeds} seeds' if seeds > 1 else ''}"
    return (
        f"{num(ends[0])} against {num(ends[1])} over all {over}; the second is "
        f"higher on {rises:,} of {len(gaps.order):,} (not tested)."
    )


def _image(study: Study, numbers: Numbers, metric: Metric, pair: tuple[Setting, Setting], place: int) -> None:
    item = study.items[place]
    styles, names, runs = styles_of(study), short_names(study.runs), [study.run(setting.runs[0]) for setting in pair]
    with parts.columns(len(pair) + 1 + bool(item.image), 160, "pair") as grid:
        if item.image:
            with grid.cell():
                image_picker.show_picture(item)
        with grid.cell():
            image_picker.show_references(item, most=FEW)
        for run in runs:
            result = numbers.get(run, metric)
            assert result is not None
            with grid.cell():
                of_set = image_picker.CaptionValues(head=f"{metric.label} {num(float(result.items[place]))}")
                image_picker.show_candidates(item, run, styles[run.model], most=FEW, values=of_set)
    first, second = (run.name for run in runs)
    of_settings = {run: of.name for of in replicates(study.runs) for run in of.runs}
    to = {"compare": "two", "a": first, "b": second, "main": metric.name}
    if any(len(setting.runs) > 1 for setting in pair):
        to = {"compare": "settings", "setting_a": of_settings[first], "setting_b": of_settings[second]}
    with st.container(horizontal=True, gap="small"):
        image_picker.page_link("paired", "All by difference", "compare_arrows", **to)
        image_picker.page_link("images", "Images", "image", image=item.id, beside=[first, second], measures=metric.name)
        of = {"distance": metric.space.label} if isinstance(metric, Trm) else {}
        for name in (run.name for run in runs if not words.too_few(item, run)):
            label = f"Triangles of {plain(names[name])}"
            image_picker.page_link("triangles", label, "change_history", image=item.id, run=name, **of)

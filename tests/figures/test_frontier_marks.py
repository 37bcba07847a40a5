"""Test the marks of the frontier: each model has its own shape, and no label covers people's line."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from data.demo import CACHE_LAYER, load
from data.study import Settings
from figures.export.paper import COLUMN, PAGE, layout_width
from figures.frontier import words as frontier_words
from figures.frontier.chart import frontier_figure
from figures.frontier.drawing import pale
from figures.frontier.single_numbers import order_figure
from figures.style.line_styles import Mark, run_marks
from figures.style.palette import tone
from metrics.analysis.frontier import Frontier, frontier
from metrics.analysis.human_line import Human
from metrics.analysis.numbers import Numbers
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.figures.test_frontier import told, view_of
from tests.studies import study as random_study


@cache
def of_demo(quality: str) -> Frontier:
    demo, first, second = load(), METRICS[quality], METRICS["self_bleu_4"]
    plan = scoring.plan(demo, [first, second], Options(p_values=True), Cache(None, (CACHE_LAYER,)))
    view = frontier(demo, Numbers(plan.ready), first, second, demo.runs)
    return replace(view, diversity=replace(view.diversity, human=Human(0.311, 0.28, 0.34)))


def test_a_shape_is_a_model_whatever_its_decoder() -> None:
    view = of_demo("meteor")
    drawn = [t for t in frontier_figure(view, run_marks(view.runs), "light").data if t.customdata is not None]
    shapes = {
        (run.model, str(t.marker.symbol))
        for t in drawn
        for run in view.runs
        if [run.name] in list(map(list, t.customdata))
    }
    assert len(shapes) == len({model for model, _ in shapes}) == len({shape for _, shape in shapes}) == 3


@pytest.mark.parametrize("quality", ["meteor", "rouge_l", "cider_d"])
def test_no_label_stands_on_the_line_of_people_at_any_width(quality: str) -> None:
    view = of_demo(quality)
    figure = frontier_figure(view, run_marks(view.runs), "light")
    start, end = figure.layout.xaxis.range
    for note in figure.layout.annotations:
        shift = note.ax if note.showarrow else note.xshift
        for width in (280, 493, 617, 700, 930):
            away = (note.x - 0.311) / (end - start) * width + shift
            assert abs(away) > 0.25 * note.font.size * len(note.text) or note.text == "People", (note.text, width)


def test_the_key_says_that_numbers_may_be_left_out_and_what_a_line_is() -> None:
    view = of_demo("meteor")
    assert frontier_words.reading(view).startswith("One line per model; small numbers: temperature.")
    path = view.paths[0]
    runs = list(view.runs)
    for k in path[:2]:
        runs[k] = replace(runs[k], settings=replace(runs[k].settings, decoder="nucleus", top_p=0.9))
    both = replace(view, runs=tuple(runs), paths=(path[:2], path[2:], *view.paths[1:]))
    assert frontier_words.reading(both).startswith("One line per model and decoder; ")


@pytest.mark.parametrize("inches", [COLUMN, PAGE])
@pytest.mark.parametrize("quality", ["meteor", "cider_d"])
def test_a_label_without_a_line_lies_beside_its_point(quality: str, inches: float) -> None:
    """A label such as "1.3" is at most 14 px from its point, or it would look like the temperature of the next
    point.
    """
    view = of_demo(quality)
    figure = frontier_figure(view, run_marks(view.runs), "light", width=layout_width(inches))
    alone = [note for note in figure.layout.annotations if not note.showarrow]
    assert alone
    for note in alone:
        half = ((0.6 if note.font.weight == 600 else 0.58) * note.font.size * len(note.text) + 4) / 2
        gap = math.hypot(max(abs(note.xshift) - half, 0), max(abs(note.yshift) - 7.5, 0))
        assert gap <= 14, note.text


@pytest.mark.parametrize("inches", [COLUMN, PAGE, 10])
@pytest.mark.parametrize("quality", ["meteor", "cider_d"])
def test_a_temperature_has_no_line_to_its_point_and_a_name_of_several_may(quality: str, inches: float) -> None:
    view = of_demo(quality)
    figure = frontier_figure(view, run_marks(view.runs), "light", width=layout_width(inches))
    heats = [one for one in figure.layout.annotations if re.fullmatch(r"(T )?\d\.\d", one.text)]
    assert heats
    assert not any(one.showarrow for one in heats)


def made(runs: int, one: str = "") -> tuple[Frontier, dict[str, Mark]]:
    """Return the frontier of random runs, and their marks.

    Each run is of its own model or, if `one` is given, all are of that model, at different temperatures.
    """
    first, second = METRICS["rouge_l"], METRICS["self_bleu_2"]
    study = random_study(items=6, references=3, candidates=3, runs=runs)
    study = replace(
        study,
        runs=tuple(
            replace(run, name=f"system {k}", model=one or f"system {k}", settings=Settings(k + 1.0 if one else None))
            for k, run in enumerate(study.runs)
        ),
    )
    results = scoring.score(study, [first, second], Options(p_values=False), Cache(None))
    return frontier(study, Numbers(results), first, second, study.runs), run_marks(study.runs)


def test_only_paths_or_the_front_are_lines() -> None:
    """Paths and front were once both lines, which crossed and overlapped."""
    drawn = [{t.name for t in frontier_figure(*made(3, one), "light").data} for one in ("", "m")]
    assert ["front" in names for names in drawn] == [True, False]
    assert [any(name.startswith("path of") for name in names) for names in drawn] == [False, True]


def test_of_thirty_models_the_ends_of_the_front_and_the_chosen_run_are_coloured_and_named() -> None:
    view, marks = made(30)
    figure = frontier_figure(view, marks, "light", chosen=7)
    traces = [t for t in figure.data if t.customdata is not None]
    assert sum(len(t.customdata) for t in traces) == 30
    greys = {colour.lower() for colour in (tone("muted", "light"), pale(tone("muted", "light"), "light"))}
    coloured = {name for t in traces if t.marker.line.color.lower() not in greys for (name,) in t.customdata}
    assert coloured == {view.runs[k].name for k in (view.order[0], view.order[-1], 7)}
    assert coloured <= {note.text for note in figure.layout.annotations} | {t.name for t in figure.data if t.showlegend}
    assert "Coloured: the two ends" in frontier_words.reading(view)
    assert order_figure(view, marks, "light").layout.height < 300


def test_no_name_lies_on_an_interval_where_a_line_leads_to_free_space() -> None:
    """If two runs are equally diverse, the name of the lower one once covered the interval of the upper one."""
    view, _ = made(5)
    runs = tuple(replace(run, name=f"transformer nucleus 0.{k}", model=f"{k}") for k, run in enumerate(view.runs))
    across = [(0.22, 0.11, 0.37), (0.12, 0.07, 0.16), (0.29, 0.14, 0.47), (0.12, 0.06, 0.2), (0.52, 0.39, 0.65)]
    along = [(3.8, 3.7, 3.9), (3.76, 3.65, 3.85), (3.5, 3.2, 3.7), (3.4, 3.1, 3.6), (2.95, 2.7, 3.2)]
    none = Human(float("nan"), float("nan"), float("nan"))
    x, y = (
        replace(axis, value=value, low=low, high=high, human=none)
        for axis, ends in ((view.diversity, across), (view.quality, along))
        for value, low, high in [np.array(ends).T]
    )
    view = replace(view, runs=runs, diversity=x, quality=y)
    figure = frontier_figure(view, run_marks(runs), "light", chosen=0)
    assert sum(note.text.startswith("transformer") for note in figure.layout.annotations) == 5
    layout = figure.layout
    left, right, (bottom, top) = *layout.xaxis.range, layout.yaxis.range
    high = layout.height - layout.margin.t - layout.margin.b
    for note in (note for note in layout.annotations if note.text.startswith("transformer")):
        for width in (617, 930):
            dx, dy = (note.ax, -note.ay) if note.showarrow else (note.xshift, note.yshift)
            at = (note.x - left) / (right - left) * width + dx, (note.y - bottom) / (top - bottom) * high + dy
            half = 0.25 * note.font.size * len(note.text)
            for (_, start, end), (value, *_) in zip(across, along):
                level = (value - bottom) / (top - bottom) * high
                ends = sorted((one - left) / (right - left) * width for one in (start, end))
                assert abs(level - at[1]) > 5 or at[0] + half < ends[0] or at[0] - half > ends[1], (note.text, width)
    assert figure.to_dict()["layout"]["yaxis"]["tickformat"] == ".1f", "3.0 below 3.5"


def test_of_a_front_with_too_many_names_the_verdict_says_what_the_test_does_and_the_figure_names_all() -> None:
    many = random_study(items=6, references=2, candidates=2, runs=13)
    runs = tuple(replace(run, model=f"m{k}") for k, run in enumerate(many.runs))
    many = replace(many, runs=runs)
    view = view_of(many)
    for sure, begin in (
        ([0] * 13, "Any of the 13 runs may be on the front: at 95 %, none certainly is. As measured, 9"),
        ([*[0] * 11, -1, -1], "11 of 13 runs may be on the front: at 95 %, none certainly is."),
        ([1, *[0] * 12], "9 of 13 runs are on the front, from"),
    ):
        shown = replace(view, front=np.arange(13) < 9, sure=np.array(sure))
        said = told(frontier_words.verdict(many, shown))
        assert said.startswith(begin)
        assert len(said.split()) <= 35
    said = told(frontier_words.verdict(many, shown))
    assert said.endswith(" At 95 %, this holds for run 0, and any of the 4 others may be there too. ")
    notes = {
        note.text for note in frontier_figure(shown, run_marks(many.runs, many.every_model), "light").layout.annotations
    }
    assert {f"run {k}" for k in range(9)} <= notes

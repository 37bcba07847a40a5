"""Shapes and labels of the frontier: one shape a model, labels clear of the line of people, and what the key says."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from data.demo import CACHE_LAYER, load
from figures.export.paper import COLUMN, PAGE, layout_width
from figures.frontier import words as frontier_words
from figures.frontier.chart import frontier_figure
from figures.style.lines import run_marks
from metrics.analysis.frontier import Frontier, frontier
from metrics.analysis.human import Human
from metrics.analysis.numbers import Numbers
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS


def of_demo(quality: str) -> Frontier:
    """The demo by a quality metric and Self-BLEU-4, with people's value of the latter."""
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
    assert frontier_words.reading(view).startswith(
        "One line per model; small numbers: temperature, where there is room."
    )
    path = view.paths[0]
    runs = list(view.runs)
    for k in path[:2]:
        runs[k] = replace(runs[k], settings=replace(runs[k].settings, decoder="nucleus", top_p=0.9))
    both = replace(view, runs=tuple(runs), paths=(path[:2], path[2:], *view.paths[1:]))
    assert frontier_words.reading(both).startswith("One line per model and decoder; ")


@pytest.mark.parametrize("inches", [COLUMN, PAGE])
@pytest.mark.parametrize("quality", ["meteor", "cider_d"])
def test_a_label_without_a_line_lies_beside_its_point(quality: str, inches: float) -> None:
    """Else "1.3" may be read as the temperature of the next point: at most 14 px from the label's box to its point."""
    view = of_demo(quality)
    figure = frontier_figure(view, run_marks(view.runs), "light", width=layout_width(inches))
    alone = [note for note in figure.layout.annotations if not note.showarrow]
    assert alone
    for note in alone:
        half = ((0.6 if note.font.weight == 600 else 0.58) * note.font.size * len(note.text) + 4) / 2
        gap = math.hypot(max(abs(note.xshift) - half, 0), max(abs(note.yshift) - 7.5, 0))
        assert gap <= 14, note.text

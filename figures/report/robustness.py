"""The report's page about how metrics can be fooled: damaged human captions, and damaged sets of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from figures.report import commands
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.robustness import words
from figures.robustness.grid_picture import grid_picture
from figures.style import html as style_html
from figures.style.wording import item_noun, of_items
from metrics.analysis import artifacts
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.robustness import defaults
from metrics.analysis.robustness.curves import curves
from metrics.analysis.robustness.design import Design, held_out, suited, suited_sets, without_words
from metrics.analysis.robustness.measure import from_arrays, held_places
from metrics.base import Metric
from metrics.needs import unmet
from metrics.transformations import TRANSFORMATIONS

KINDS = ("Single captions: ", "Sets of captions: ")


def robustness(request: Request) -> Page:
    """Return the grid of the page's default faults, by the chosen metrics of captions and of sets, or why it is left
    out.
    """
    study = request.study
    design = Design(tuple(TRANSFORMATIONS[name] for name in defaults.FAULTS))
    if not held_out(study, design):
        return LeftOut(f"no {item_noun(study)} has two captions by people with spaces between words")
    known = [metric for metric in request.metrics if not any(unmet(need) for need in metric.needs)]
    of_captions = tuple(m for m in known if suited(m) and m.family == "quality" and why_impossible(study, m) is None)
    of_sets = tuple(metric for metric in known if suited_sets(metric) and (metric.of_items or metric.work == "words"))
    parts = [_part(request, design, of_captions)]
    if held_places(study, replace(design, sets=True)):
        parts.append(_part(request, replace(design, sets=True), of_sets))
    found = [part for part in parts if part is not None]
    if not found:
        return LeftOut("no chosen metric has scored damaged captions: open the page first")
    names = [metric.name for metric in (*of_captions, *of_sets)]
    line = commands.robustness(request.named, names, list(defaults.FAULTS))
    if len(found) == 2:
        # Each part covers its own metrics: "no metric" about captions does not hold for those of sets.
        found = [((kind, *verdict), more) for kind, (verdict, more) in zip(KINDS, found)]
    (said, blocks), *others = found
    for verdict, more in others:
        blocks = [*blocks, style_html.folding_verdict(verdict), *more]
    return Section("Robustness", "What fools a metric?", said, tuple(blocks), (line,))


def _part(request: Request, design: Design, metrics: tuple[Metric, ...]) -> tuple[tuple[str, ...], list[str]] | None:
    """The verdict, and the grid with its numbers; None if there are none."""
    study, faults = request.study, design.transformations
    work = artifacts.damaged_captions(study, design, metrics, request.cache)
    arrays = request.arrays(work, work.title) if metrics else None
    if arrays is None:
        return None
    every = curves(from_arrays(design, metrics, arrays, request.study.unit), metrics)
    left = 0 if design.sets else without_words(study, design)
    how = of_items(study, [words.HOW_SETS if design.sets else words.HOW])
    what, known = "sets of captions" if design.sets else "captions", words.columns(defaults.in_order(metrics), every)
    if not known:
        return tuple(words.verdict(faults, metrics, every)), []
    return tuple(words.verdict(faults, metrics, every)), [
        request.charts.block(
            partial(grid_picture, faults, known, every),
            words.alt(every),
            f"How much of their score damaged {what} keep",
            arrow="less ink: the metric noticed the fault",
            least=130 + 92 * len(known) + 60 * design.sets,
        ),
        style_html.figure_footer(words.facts(study, every, left), how, [metric.signature for metric in metrics]),
        request.table(words.table(every), f"robustness of {what}", "Every area as a table"),
    ]

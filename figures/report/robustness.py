"""The report's page about what fools a metric: damaged captions of people, and damaged sets of them."""

from __future__ import annotations

from dataclasses import replace

from figures.report import commands
from figures.report import html as report_html
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.robustness import words
from figures.robustness.picture import grid_picture
from figures.style import html as style_html
from figures.style.wording import item_noun
from metrics.analysis import artifacts
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.robustness import defaults
from metrics.analysis.robustness.curves import curves
from metrics.analysis.robustness.design import Design, held_out, suited, suited_sets, without_words
from metrics.analysis.robustness.measure import from_arrays, held_places
from metrics.base import Metric
from metrics.needs import unmet
from metrics.transformations import TRANSFORMATIONS


def robustness(request: Request) -> Page:
    """Return the grid of the faults that the page begins with, by the chosen metrics of captions and of sets."""
    study = request.study
    design = Design(tuple(TRANSFORMATIONS[name] for name in defaults.FAULTS))
    if not held_out(study, design):
        return LeftOut(f"no {item_noun(study)} has two references with words between blanks")
    known = [metric for metric in request.metrics if not any(unmet(need) for need in metric.needs)]
    of_captions = tuple(m for m in known if suited(m) and m.family == "quality" and why_impossible(study, m) is None)
    of_sets = tuple(metric for metric in known if suited_sets(metric) and (metric.of_items or metric.work == "words"))
    blocks = _blocks(request, design, of_captions)
    if held_places(study, replace(design, sets=True)):
        blocks += _blocks(request, replace(design, sets=True), of_sets)
    if not blocks:
        return LeftOut("no chosen metric has scored damaged captions: open the page first")
    names = [metric.name for metric in (*of_captions, *of_sets)]
    line = commands.robustness(request.named, names, list(defaults.FAULTS))
    blocks += [style_html.figure_title("The same from the command line"), report_html.code(line)]
    return Section("Robustness", "What fools a metric?", tuple(blocks))


def _blocks(request: Request, design: Design, metrics: tuple[Metric, ...]) -> list[str]:
    """The verdict, the grid and its numbers; nothing where there are none."""
    study, faults = request.study, design.transformations
    work = artifacts.damaged_captions(study, design, metrics, request.cache)
    arrays = request.arrays(work, work.title) if metrics else None
    if arrays is None:
        return []
    every = curves(from_arrays(design, metrics, arrays), metrics)
    left = 0 if design.sets else without_words(study, design)
    facts = ". ".join([*words.facts(study, every, left), words.HOW_SETS if design.sets else words.HOW])
    what = "sets of captions" if design.sets else "captions"
    return [
        style_html.verdict(words.verdict(faults, metrics, every)),
        request.charts.block(
            grid_picture(faults, metrics, every, "light"),
            words.alt(every),
            f"How much of their score damaged {what} keep",
            arrow="less ink: the metric saw the fault",
        ),
        style_html.footer(facts, [metric.signature for metric in metrics]),
        report_html.table(words.table(every), f"robustness of {what}", "Every area as a table"),
    ]

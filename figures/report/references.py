"""The report's page about references: how many are enough, how to spend a budget, and how well people agree."""

from __future__ import annotations

from functools import partial

from figures.references import words
from figures.references.agreement import agreement
from figures.references.budget_map import budget_map
from figures.references.curves import curves
from figures.report import commands
from figures.report import html as report_html
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.wording import item_noun, of_items
from metrics.analysis import artifacts
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.references import DRAWS, subset_totals, subsets, tables
from metrics.analysis.references.summary import Summary, summary
from metrics.base import Metric
from metrics.engine import scoring
from metrics.suite.consensus import Scored


def references(request: Request) -> Page:
    """Return the figures of the page for the chosen quality metrics, with its default settings, or why it is left
    out.
    """
    study = request.study
    metrics = tuple(
        metric for metric in request.metrics if isinstance(metric, Scored) and why_impossible(study, metric) is None
    )
    made = subsets.design(study)
    if made is None:
        return LeftOut(f"no {item_noun(study)} has two captions by people")
    if not metrics or not study.runs:
        return LeftOut("it needs a run and a quality metric")
    arrays = request.arrays(
        artifacts.subset_totals(study, made, metrics, request.cache), "Scoring with fewer references"
    )
    if arrays is None:
        return LeftOut("the runs have not been scored with fewer references: open the page first")
    found = subset_totals.from_arrays(study, made, metrics, arrays)
    usable = subset_totals.usable(found)
    if not usable.metrics:
        return LeftOut("no chosen metric has a value that all runs share")
    main = first_to_rank(study, usable.metrics) or usable.metrics[0]
    said = summary(usable, main.name, range(len(study.runs)), DRAWS)
    verdict = tuple(words.verdict(said, item_noun(study), said.costs.items, main.label))
    blocks = [*_blocks(request, said, metrics, main), *_agreement(request, metrics, main)]
    line = commands.consensus(request.named, [metric.name for metric in metrics], DRAWS)
    question = "How much do people agree, and how many of their captions (references) are enough?"
    return Section("References", question, verdict, tuple(blocks), (line,))


def _blocks(request: Request, found: Summary, metrics: tuple[Metric, ...], main: Metric) -> list[str]:
    study, charts = request.study, request.charts
    sizes, alt = found.chosen.sizes, words.curves_alt(found, main.label)
    drawn = [
        charts.block(partial(curves, [panel], sizes, main.name), f"{panel.title}. {alt}")
        for panel in words.panels(found, metrics)
    ]
    shown = words.budget_map_of(found, item_noun(study))
    return [
        report_html.together(
            style_html.figure_title("What a choice of references changes", arrow="lower is steadier"),
            report_html.grid(drawn),
        ),
        style_html.figure_footer(
            words.curves_facts(study, found),
            of_items(study, [words.HOW_CURVES]),
            [metric.signature for metric in metrics],
        ),
        request.table(words.curves_table(found, metrics), "fewer references", "Every number as a table"),
        charts.block(
            partial(budget_map, shown),
            words.budget_alt(shown),
            f"{item_noun(study).capitalize()}s or references?",
            arrow="more ink: more exact",
        ),
        style_html.figure_footer(words.budget_facts(found), of_items(study, [words.HOW_BUDGET]), [main.signature]),
    ]


def _agreement(request: Request, metrics: tuple[Metric, ...], main: Metric) -> list[str]:
    study = request.study
    known = (
        scoring.stored(request.cache, metric, scoring.REFERENCES, study, request.options)
        for metric in tables.consensus_metrics(metrics)
    )
    results = [result for result in known if result is not None and result.why() is None]
    if not results:
        return []
    rows, columns = words.agreement_rows(results)
    n = max(result.n for result in results)
    return [
        request.charts.block(
            partial(agreement, rows, columns, main.name),
            words.agreement_alt(rows, item_noun(study)),
            "How much people agree",
            f"Mean and standard deviation over {item_noun(study)}s",
        ),
        style_html.figure_footer(
            words.agreement_facts(study, n),
            of_items(study, [words.HOW_AGREEMENT]),
            [result.metric.signature for result in results],
        ),
    ]

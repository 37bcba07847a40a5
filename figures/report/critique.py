"""The report's page about critiques: whose captions pass for people's, if critiques have been trained."""

from __future__ import annotations

from functools import partial

from figures.critique import words
from figures.critique.chart import scores
from figures.report import commands
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.wording import of_items
from metrics.analysis import artifacts
from metrics.analysis.critique.critics import table
from metrics.analysis.critique.stored import Design
from metrics.learned.critique_metric import Critique


def critique(request: Request) -> Page:
    """Return the results of the critiques that the page shows, or of the default ones, without training any.

    They are left out if the study has no runs, or if no critique has been trained.
    """
    study = request.study
    if not study.runs:
        return LeftOut("a critique takes a run")
    design = request.critique or Design(
        next((metric for metric in request.metrics if isinstance(metric, Critique)), Critique())
    )
    found = artifacts.trained_critiques(study, design, request.cache)
    if not found:
        return LeftOut("no critique has been trained: train them on the page first")
    blocks = (
        request.charts.block(
            partial(scores, words.rows(study, found), None, differences=True),
            words.alt(study, found),
            "Whose captions pass for people's",
            arrow=words.READING,
            least=560,
        ),
        style_html.figure_footer(words.facts(study, found), of_items(study, words.HOW), [design.metric.signature]),
        request.table(words.table(study, table(found)), "critique", "Every score as a table"),
    )
    said = tuple(words.verdict(study, found, design.metric.augmented))
    line = commands.train_critique(request.named, design)
    return Section("Critique", "Whose captions pass for people's?", said, blocks, (line,))

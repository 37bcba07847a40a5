"""The report's page about coherence labels: how a metric scores each kind of caption of the best run."""

from __future__ import annotations

from figures.coherence import words
from figures.coherence.chart import chart
from figures.report import commands
from figures.report import html as report_html
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.palette import model_styles
from figures.style.run_names import short_names
from metrics.analysis import coherence_labels, paired_defaults
from metrics.base import Metric


def coherence(request: Request) -> Page:
    """Return the figure of the page for the best run with labels, by CIDEr-D where it was chosen."""
    study, numbers = request.study, request.numbers
    metric = _metric(request)
    if not any(run.coherence for run in study.runs):
        return LeftOut("its captions have no coherence labels")
    if metric is None:
        return LeftOut("it takes a quality metric with a score of each caption")
    scores = coherence_labels.by_label(study, numbers.results, metric)
    labelled = [run.name for run in study.runs if run.coherence]
    best = [name for name in paired_defaults.best_first(study, numbers, metric) if name in labelled]
    run = study.run(coherence_labels.most_labels(scores, [*best, *labelled]))
    mine, name = words.ordered(scores, run.name), short_names(study.runs)[run.name]
    others = [one for one in scores if one.run != run.name]
    style = model_styles([one.model for one in study.runs])[run.model]
    picture = chart(mine, others, f"{metric.label} of {name}", style, "light")
    people = words.people_facts(coherence_labels.with_people(study, numbers.results, metric))
    blocks = (
        style_html.verdict(words.verdict(scores, run.name, name, metric)),
        request.charts.block(picture, words.alt(mine, metric), f"{name}, label by label"),
        style_html.footer(". ".join([*words.facts(study, mine), *people, *words.HOW]), [metric.signature]),
        report_html.table(words.table(scores, metric), "coherence", "Every run and label as a table"),
        style_html.figure_title("The same from the command line"),
        report_html.code(commands.coherence(request.named, metric.name)),
    )
    return Section("Coherence", "Do metrics score every kind of caption alike?", blocks)


def _metric(request: Request) -> Metric | None:
    """CIDEr-D, else the first quality metric with a score of each caption."""
    numbers, runs = request.numbers, request.study.runs
    able = [
        metric
        for metric in request.metrics
        if metric.grain == "candidate" and metric.family == "quality"
        if any(not numbers.results[run.name, metric.name].why() for _, run in numbers.of(metric, runs))
    ]
    return next((metric for metric in able if metric.name == "cider_d"), able[0] if able else None)

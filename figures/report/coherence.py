"""The report's page about coherence labels: how a metric scores each kind of caption of the best run."""

from __future__ import annotations

from functools import partial

from figures.coherence import words
from figures.coherence.asserted import matrix
from figures.coherence.chart import chart
from figures.report import commands
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, of_items
from metrics.analysis import paired_defaults
from metrics.analysis.coherence import asserted_labels, label_scores
from metrics.analysis.defaults import scoring_captions
from metrics.base import Metric
from metrics.learned.cosmic_metric import Cosmic


def coherence(request: Request) -> Page:
    """Return the scores of a labelled run by label, and COSMic under every label if it was chosen; or why they are
    left out.
    """
    study, numbers = request.study, request.numbers
    metric = _metric(request)
    if not any(run.coherence for run in study.runs):
        return LeftOut("its captions have no coherence labels")
    if metric is None:
        return LeftOut("it needs a quality metric with a score for each caption")
    scores = label_scores.by_label(study, numbers.results, metric)
    labelled = [run.name for run in study.runs if run.coherence]
    best = [name for name in paired_defaults.best_first(study, numbers, metric) if name in labelled]
    run = study.run(label_scores.most_labels(scores, [*best, *labelled]))
    names = short_names(study.runs)
    mine, name = words.rows(scores, run.name, names), names[run.name]
    drawn = {one.run for one in mine}
    others = [one for one in scores if one.run not in drawn]
    styles = {one.name: styles_of(study)[one.model] for one in study.runs}
    picture = partial(chart, mine, others, f"{metric.label} of {name}" if len(drawn) == 1 else metric.label, styles)
    people = words.people_facts(label_scores.with_people(study, numbers.results, metric))
    cosmic = next((one for one in request.metrics if isinstance(one, Cosmic)), None)
    blocks = (
        request.charts.block(picture, words.alt(mine, metric), words.title(scores, name)[0]),
        style_html.figure_footer([*words.facts(study, mine), *people], of_items(study, words.HOW), [metric.signature]),
        request.table(words.table(scores, metric), "coherence", "Every run and label as a table"),
        *(() if cosmic is None else _under_every_label(request, cosmic)),
    )
    said = tuple(words.verdict(scores, run.name, name, metric, item_noun(study)))
    line = commands.coherence(request.named, metric.name)
    return Section("Coherence", "Do metrics score every kind of caption alike?", said, blocks, (line,))


def _under_every_label(request: Request, metric: Cosmic) -> tuple[str, ...]:
    study, results, side = request.study, request.numbers.results, asserted_labels.SIDES[0]
    if request.numbers.waiting(metric, study.runs) or all(results[run.name, metric.name].why() for run in study.runs):
        return ()
    people = words.people_facts(label_scores.with_people(study, results, metric))
    by = asserted_labels.metrics(study, metric, side)
    found = asserted_labels.results(study, metric, by, request.cache, request.may_score) if by else None
    if found is None:
        said = f"COSMic: {'. '.join(people)}"
        return (style_html.footer(said, [metric.signature]),) if people else ()
    rows, names = asserted_labels.sweep(study, found, by), short_names(study.runs)
    line = words.asserted_line(asserted_labels.spread(rows), names)
    facts = [*([line] if line else []), *people, "95 % bootstrap", *words.HOW_ASSERTED]
    return (
        style_html.figure_title("The same captions under every label"),
        request.charts.block(partial(matrix, rows, names), words.asserted_alt(rows, side), "COSMic by run and label"),
        style_html.footer(". ".join(facts), [one.signature for one in by.values()]),
        request.table(words.asserted_table(rows, side), "asserted", "Every run under every label as a table"),
    )


def _metric(request: Request) -> Metric | None:
    """The metric that scores each caption, chosen as on the page; None if there is no such metric."""
    numbers, runs = request.numbers, request.study.runs
    able = [
        metric
        for metric in request.metrics
        if any(not numbers.results[run.name, metric.name].why() for _, run in numbers.of(metric, runs))
    ]
    return scoring_captions(request.study, able)

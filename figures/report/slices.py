"""The report's page about slices: where the best run is better or worse than its rival, or than its own mean."""

from __future__ import annotations

from functools import partial

from data.study import Run
from figures.report import commands
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.slices import words
from figures.slices.chart import chart
from figures.style import html as style_html
from figures.style.run_names import short_names
from figures.style.wording import item_noun, of_items
from metrics.analysis import artifacts, paired_defaults
from metrics.analysis.slices import differences as analysis
from metrics.base import Metric
from metrics.engine import scoring


def slices(request: Request) -> Page:
    """Return the figure of the page for its default runs, by CIDEr-D where it was chosen."""
    study, noun = request.study, item_noun(request.study)
    metric, fewest = _metric(request), analysis.fewest(len(study.items))
    if metric is None:
        return LeftOut(f"it needs a metric with a value for each {noun}")
    if len(study.items) < 2 * fewest:
        return LeftOut(f"a slice and the other {noun}s need {fewest} each")
    runs = _runs(request, metric)
    others = analysis.needed(study, metric)[1:]
    results = {**request.numbers.results, **scoring.score(study, others, request.options, request.cache)}
    second = runs[1].name if len(runs) > 1 else None
    of = analysis.values(study, results, metric, analysis.Design(runs[0].name, second, fewest))
    if isinstance(of, str):
        return LeftOut(of)
    arrays = request.arrays(artifacts.slices(study, of), "Comparing slices")
    if arrays is None:
        return LeftOut("the slices have not been compared: open the page first")
    found = analysis.differences(of, arrays)
    if not found.rows:
        return LeftOut(f"no slice has {fewest} {noun}s inside and outside")
    short = short_names(study.runs)
    names = [short[run.name] for run in runs]
    drawn = words.rows(of, found)
    rows, heads = [words.row(of, one) for one in drawn], words.heads(study, metric, runs, names)
    picture = partial(chart, rows, words.advantage(of, found.overall), heads, None)
    blocks = (
        request.charts.block(
            picture, words.alt(of, found, drawn), f"{' against '.join(names)}, slice by slice", least=640
        ),
        style_html.figure_footer(
            words.facts(study, of, found, len(drawn)), of_items(study, words.HOW), [metric.signature]
        ),
        request.table(words.table(of, found), "slices", "Every slice as a table"),
    )
    line = commands.slices(request.named, metric.name, [run.name for run in runs])
    said = tuple(words.verdict(of, found, names, noun))
    return Section("Slices", "Where is a run better or worse?", said, blocks, (line,))


def _runs(request: Request, metric: Metric) -> tuple[Run, ...]:
    """The best run and its rival; the only run by itself."""
    study, numbers = request.study, request.numbers
    first = study.run(paired_defaults.best_first(study, numbers, metric)[0])
    if len(study.runs) < 2:
        return (first,)
    return first, study.run(paired_defaults.rival(study, numbers, (metric,), metric, first))


def _metric(request: Request) -> Metric | None:
    """CIDEr-D, else the first quality metric, else the first with values of items."""
    numbers, runs = request.numbers, request.study.runs
    able = [
        metric
        for metric in request.metrics
        if metric.of_items and metric.reads_candidates
        if any(not numbers.results[run.name, metric.name].why() for _, run in numbers.of(metric, runs))
    ]
    first = [m for m in able if m.name == "cider_d"] + [m for m in able if m.family == "quality"] + able
    return first[0] if first else None

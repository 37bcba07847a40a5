"""The report's first page: the findings of the study, the chart of its two orders, and one image as evidence."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from figures.export.paper import Ground
from figures.images.titles import title
from figures.notes import flags
from figures.overview import chart, html, triangle_steps, words
from figures.overview.second_order import unmeasured
from figures.overview.tables import twin
from figures.report import charts
from figures.report import html as report_html
from figures.report.html import Care, LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.palette import Mode
from figures.style.wording import item_noun, n_items
from metrics.analysis import overview_image
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.overview import (
    Overview,
    quality_metric,
    representative_image,
    second_metric,
    second_metrics,
)
from metrics.analysis.overview import overview as overview_of
from metrics.analysis.overview_image import Steps
from metrics.base import Metric, Undefined
from metrics.registry import TRMS
from metrics.suite.distribution import Trm

NOT_ASKED = "Distance to people was not computed for this report."


def overview(request: Request) -> Page:
    """Return the runs by a quality metric and a second order, and one image as an example.

    The second order is by distance to people or people's ratings, else by another quality metric. The page is left out
    unless both orders have a run.
    """
    study = request.study
    if not study.runs:
        return LeftOut("there are no runs")
    chosen = metrics_of(request)
    if chosen is None:
        return LeftOut("it needs a quality metric and a triangle-rank metric, or two quality metrics")
    quality, other, unmeasured = chosen
    seen = overview_of(study, request.numbers, quality, other, unmeasured)
    if not (seen.quality.ranked and seen.other.ranked):
        return LeftOut(f"no run has both {quality.label} and {other.label}")
    facts = [f"n = {n_items(study, len(study.items))}", *words.marks(seen), *flags.facts(seen.every, seen.every.runs)]
    alone = len(study.runs) == 1
    orders = request.charts.block(partial(_bump, seen), words.alt(seen), words.change(seen), _sides(seen))
    blocks = [
        *([] if alone else [orders]),
        style_html.figure_footer(facts, words.rules(seen), (quality.signature, other.signature)),
        request.table(twin(seen), "overview", f"{f'The {seen.unit}' if alone else 'Both orders'} as a table"),
        *_image(request, seen),
    ]
    wrong = words.fault(seen)
    verdict = [Care(one) if one == wrong else one for one in words.headline(seen)]
    parts = [part for one in verdict for part in (one, " ")]
    return Section("Overview", "What does this study say?", tuple(parts[:-1]), tuple(blocks))


def metrics_of(request: Request) -> tuple[Metric, Metric, str] | None:
    """Return the metrics of both orders, and why the second is not a distance; None if one of the two is lacking."""
    study, there_are = request.study, (*request.metrics, *request.beside)
    known = [
        m for m in there_are if why_impossible(study, m) is None and (m not in request.beside or request.scored(m.name))
    ]
    qualities = {m.name: m for m in known if m.family == "quality" and m.has_better_side}
    if not qualities:
        return None

    def there(metric: Metric) -> bool:
        return request.scored(metric.name)

    quality = qualities[quality_metric(study, qualities, there)]
    seconds = {m.name: m for m in known if m.name in second_metrics(study, {one.name: one for one in known})}
    if seconds:
        return quality, seconds[second_metric(study, seconds, there)], ""
    others = {name: metric for name, metric in qualities.items() if metric is not quality}
    if not others:
        return None
    able = any(why_impossible(study, metric) is None for metric in TRMS.values())
    return quality, others[quality_metric(study, others, there)], NOT_ASKED if able else unmeasured(study)


def _sides(seen: Overview) -> str:
    right = "value of" if seen.too_few else "by"
    return f"Left: rank by {seen.quality.metric.label}. Right: {right} {seen.other.metric.label}. {words.best(seen)}."


def _bump(seen: Overview, *, mode: Mode) -> go.Figure:
    return chart.bump(seen, Ground(mode))


def _image(request: Request, seen: Overview) -> list[str]:
    study, position = seen.study, representative_image(request.numbers, seen)
    steps, why = _steps(request, seen, position)
    sets = overview_image.caption_sets(study, seen.told, position, steps)
    shown = [charts.both(partial(html.caption_set, seen, one)) for one in sets]
    picture = request.pictures.get(position)
    head = [report_html.picture(picture, title(study, study.items[position]))] if picture else []
    blocks = [report_html.heading(f"One {item_noun(study)}"), *head, html.columns(shown)]
    if steps is None:
        return [*blocks, *([style_html.figure_footer([why])] if why else [])]
    place = "picture" if study.items[position].image else item_noun(study)
    return [
        *blocks,
        report_html.heading("How TRM works"),
        charts.both(partial(triangle_steps.steps_html, study, steps)),
        charts.both(partial(html.shares_html, study, steps, seen, place=place)),
    ]


def _steps(request: Request, seen: Overview, position: int) -> tuple[Steps | None, str]:
    study, metric = seen.study, seen.other.metric
    if not isinstance(metric, Trm):
        return None, ""
    if not seen.taught:
        return None, words.untaught(seen)
    try:
        found = overview_image.steps(study, seen.taught, position, metric, request.cache, request.options)
    except Undefined as undefined:
        return None, f"{metric.label}: {undefined}"
    return found, f"{metric.label}: No three captions of this {item_noun(study)} make a triangle."

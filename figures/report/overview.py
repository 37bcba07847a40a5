"""The report's first page: what the study says, the chart of its two orders, and one image as evidence."""

from __future__ import annotations

from figures.export.paper import Ground
from figures.overview import chart, html, triangles, words
from figures.overview.table import twin
from figures.report import html as report_html
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.wording import item_noun
from metrics.analysis import overview_image
from metrics.analysis.overview import Overview, representative_image
from metrics.analysis.overview import overview as overview_of
from metrics.base import Undefined
from metrics.distribution import Trm


def overview(request: Request) -> Page:
    """Return the runs by the first quality metric and the first triangle-rank metric, and one image as an example."""
    study = request.study
    quality = next((m for m in request.metrics if m.family == "quality" and m.has_better_side), None)
    distance = next((m for m in request.metrics if isinstance(m, Trm)), None)
    if quality is None or distance is None:
        return LeftOut("it takes a quality metric and a triangle-rank metric")
    if len(study.runs) < 2:
        return LeftOut("it takes two runs")
    seen = overview_of(study, request.numbers, quality, distance)
    if not (seen.quality.ranked and seen.other.ranked):
        return LeftOut(f"no run has both {quality.label} and {distance.label}")
    blocks = [
        style_html.verdict(" ".join(words.headline(seen))),
        request.charts.block(
            chart.bump(seen, Ground("light")), words.alt(seen), words.CHANGES[seen.change], "1 is best."
        ),
        style_html.footer(" ".join(words.rules(seen)), (quality.signature, distance.signature)),
        report_html.table(twin(seen), "overview", "Both orders as a table"),
        *_image(request, seen, distance),
    ]
    return Section("Overview", "What does this study say?", tuple(blocks))


def _image(request: Request, seen: Overview, metric: Trm) -> list[str]:
    """Three caption sets of the image and its triangle in three steps, or why there is none."""
    study, position = request.study, representative_image(request.numbers, seen)
    try:
        steps = overview_image.steps(study, seen.shown, position, metric, request.cache, request.options)
        why = f"No three captions of this {item_noun(study)} make a triangle."
    except Undefined as undefined:
        steps, why = None, str(undefined)
    sets = overview_image.caption_sets(study, seen.shown, position, steps.triangle if steps else None)
    shown = [html.caption_set(study, one, *html.set_heading(study, seen, one), "light") for one in sets]
    picture = request.pictures.get(position)
    head = [report_html.picture(picture, study.items[position].id)] if picture else []
    blocks = [report_html.heading(f"One {item_noun(study)}"), *head, html.columns(shown)]
    if steps is None:
        return [*blocks, style_html.footer(f"{metric.label}: {why}")]
    place = "picture" if study.items[position].image else item_noun(study)
    return [
        *blocks,
        report_html.heading("How TRM tells them apart"),
        triangles.steps_html(study, steps, "light"),
        html.shares_html(study, steps, seen, "light", place),
    ]

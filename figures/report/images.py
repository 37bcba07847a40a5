"""The report's page of chosen images with their captions, and a notebook's page of one image's triangles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from data.study import Run, Study
from figures.images.titles import WHOLE, title
from figures.notes import flags
from figures.report import charts
from figures.report import html as report_html
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.numbers import num, p_phrase, p_text
from figures.style.palette import Mode, styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, without_captions
from figures.triangles import words as triangles_words
from figures.triangles.chart import null_histogram, rank_shares
from figures.triangles.words import too_few
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.feasibility import has_references, one_per_model
from metrics.analysis.images_defaults import shown_runs, spread
from metrics.analysis.item_order import in_order
from metrics.analysis.numbers import Numbers
from metrics.analysis.triangles import ENOUGH, triangle_view
from metrics.analysis.triangles_defaults import typical
from metrics.base import Metric, Undefined
from metrics.suite.distribution import Trm

MOST = 5
"""The number of captions in a list that are visible before it is opened."""
BESIDE = 3
"""Maximum number of runs whose captions of an image are shown side by side."""


def images(request: Request) -> Page:
    """Return the chosen images, if any, with captions by people and by the runs shown first, and with their values."""
    if not request.images:
        return LeftOut("none were chosen")
    blocks = tuple(block for place in request.images for block in _image(request, place))
    return Section(f"{item_noun(request.study).capitalize()}s", "What did the models say here?", (), blocks)


def triangles(request: Request) -> Page:
    """Return one image (chosen, else with the median TRM) and why its TRM is what it is, or why it is left out."""
    study, trm = request.study, next((metric for metric in request.metrics if isinstance(metric, Trm)), None)
    if trm is None or not study.runs:
        return LeftOut("no TRM was asked for" if study.runs else without_captions(study))
    chosen = study.items[request.images[0]].id if request.images else None
    name, place = typical(study, trm, request.numbers.results, item=chosen)
    run, item = study.run(name), study.items[place]
    if few := too_few(item, run):
        return LeftOut(f"{few[0].lower()}{few[1:]}. A verdict needs {ENOUGH} captions on each side")
    try:
        verdict = triangles_words.verdict(
            study, run, triangle_view(study, name, place, trm, request.cache, request.options)
        )
    except Undefined as why:
        return LeftOut(str(why))
    return Section("Triangles", "What lies behind this value?", verdict, tuple(_image(request, place, (run,))))


def _image(request: Request, place: int, shown: Sequence[Run] = ()) -> list[str]:
    study = request.study
    item, runs = study.items[place], shown or shown_runs(study, request.numbers, request.ranked)
    styles, short = styles_of(study), short_names(study.runs)
    picture = request.pictures.get(place)
    cells = [f"<div>{report_html.picture(picture, title(study, item))}</div>"] if picture else []
    if has_references(study):
        cells.append(style_html.captions("People", _captions(item.references), most=MOST))
    for run in runs:
        style, said = styles[run.model], _captions(run.candidates.get(item.id, ()))
        cells.append(
            style_html.captions(
                short[run.name],
                said,
                charts.either(style.mark),
                charts.either(style.text),
                MOST,
                mark=flags.mark(flags.flag(study, run)),
            )
        )
    blocks = [report_html.heading(title(study, item, WHOLE), item.id), report_html.grid(cells, 200)]
    own = [metric for metric in request.metrics if metric.of_items]
    blocks.append(request.table(_values(request, place, runs, own), f"numbers of {item.id}", "In numbers"))
    trm = next((metric for metric in own if isinstance(metric, Trm)), None)
    # A run with one caption has no triangles: take the first run that has any, and give a reason only if none has.
    several = [run for run in runs if len(run.candidates.get(item.id, ())) > 1]
    return blocks + ([*_triangles(request, place, (several or runs)[0], trm)] if trm and runs else [])


def _triangles(request: Request, place: int, run: Run, metric: Trm) -> Sequence[str]:
    try:
        found = triangle_view(request.study, run.name, place, metric, request.cache, request.options)
    except Undefined as why:
        return [style_html.footer(f"{metric.label}: {why}")]
    style = styles_of(request.study)[run.model]
    p = p_phrase(found.test.p_value, found.test.floor)
    name = short_names(request.study.runs)[run.name]
    words = f"{metric.label} of {name}: {num(found.value)}, {'exact ' if found.test.exact else ''}{p}"

    def histogram(*, mode: Mode) -> go.Figure:
        return null_histogram(found.test.null, found.value, p, style, mode, metric.label)

    return [
        report_html.grid(
            [
                request.charts.block(partial(rank_shares, found.shares, style), words, "Rank shares", words),
                request.charts.block(histogram, words, "TRM by chance", "The coloured tail is p."),
            ]
        )
    ]


def _values(request: Request, place: int, runs: Sequence[Run], metrics: Sequence[Metric]) -> pd.DataFrame:
    rows = []
    for run in runs:
        row: dict[str, object] = {"Run": run.name}
        for metric in metrics:
            result = request.numbers.get(run, metric)
            row[metric.label] = float(result.items[place]) if result is not None and len(result.items) else float("nan")
            if result is not None and result.item_p is not None:
                floor = None if result.item_floor is None else float(result.item_floor[place])
                p = p_text(float(result.item_p[place]), floor)
                row[f"p, {metric.label}"] = result.untested.get(place, p)
        rows.append(row)
    return pd.DataFrame(rows)


def beside(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return the runs shown by default, one for each model, at most BESIDE."""
    return tuple(one_per_model(runs))[:BESIDE]


def chosen_images(ids: Sequence[str], study: Study) -> tuple[int, ...]:
    """Return the positions of the images with these ids. Raises ValueError for an unknown id."""
    places = {item.id: k for k, item in enumerate(study.items)}
    for name in ids:
        if name not in places:
            raise ValueError(f"there is no {item_noun(study)} {name!r} in this study")
    return tuple(places[name] for name in ids)


def first_images(study: Study, numbers: Numbers, metrics: Sequence[Metric], most: int = 3) -> tuple[int, ...]:
    """Return the positions of the images shown by default.

    They are those on which the displayed runs differ most by the first metric with item values, else the first images.
    """
    runs = shown_runs(study, numbers, first_to_rank(study, metrics))
    for metric in metrics:
        found = [numbers.get(run, metric) for run in runs]
        some = [result for result in found if result is not None and len(result.items)]
        if some:
            return tuple(int(k) for k in in_order(spread(some), descending=True)[:most])
    return tuple(range(min(most, len(study.items))))


def _captions(texts: Sequence[str]) -> list[style_html.Caption]:
    return [style_html.Caption(same[0], len(same)) for same in style_html.alike(texts)]

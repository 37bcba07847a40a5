"""The report's page about the caption cloud: where captions are, and where two runs put theirs."""

from __future__ import annotations

from functools import partial

import numpy as np

from figures.cloud import difference as drawing
from figures.cloud import spread_and_nearness, spread_and_nearness_words
from figures.cloud import words as cloud_words
from figures.cloud.chart import Texts, hover_texts
from figures.cloud.maps import maps
from figures.images.titles import title
from figures.report import html as report_html
from figures.report.html import LeftOut, Page, Section
from figures.report.images import beside
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun
from metrics.analysis import artifacts
from metrics.analysis.cloud.captions import METHODS, Layout, Points, Projection, has_centres, layout, points
from metrics.analysis.cloud.density import Grid
from metrics.analysis.cloud.difference import density_difference, spots
from metrics.analysis.cloud.spread_and_nearness import Standings, most_different, standings
from metrics.analysis.cloud.view import RUN, cloud_view
from metrics.analysis.feasibility import has_references
from metrics.analysis.replicates.grouping import numbers_of
from metrics.base import Undefined
from metrics.cache.entry import Arrays
from metrics.text.encoder import EncoderFaulty, EncoderMissing

MAPS = 4
"""Maximum number of runs on maps: those that differ most."""


def cloud(request: Request) -> Page:
    """Return the caption cloud by UMAP or, without a layout by UMAP, by principal components; or why it is left out."""
    why = "its layout has not been made: open the page first"
    centred = has_centres(request.study)
    for projection in (Projection(centred=centred), Projection("pca", centred=centred)):
        try:
            arrays = request.arrays(artifacts.layout(request.study, projection, request.cache), _laying_out(projection))
        except (Undefined, EncoderMissing, EncoderFaulty) as none:
            why = str(none)
            continue
        if arrays is not None:
            return _cloud(request, projection, arrays)
    return LeftOut(why)


def _laying_out(projection: Projection) -> str:
    return f"Laying out captions by {METHODS[projection.method]}"


def _cloud(request: Request, projection: Projection, arrays: Arrays) -> Section:
    study = request.study
    of = points(study, seed=projection.seed)
    lay = layout(of, projection, arrays)
    found = standings(of, lay)
    shown = most_different(of, found, MAPS, numbers_of(request.study.runs))
    runs = [study.runs[k] for k in shown]
    view = cloud_words.with_short_names(study, cloud_view(study, of, lay, runs, RUN))
    texts = hover_texts(of, {place: title(study, item) for place, item in enumerate(study.items)})
    styles = styles_of(study)
    by_people, short = " and by people" if has_references(study) else "", short_names(study.runs)
    above = f"Captions by {', '.join(short[run.name] for run in runs)}{by_people}"
    blocks = (
        *_standing(request, projection, of, found),
        request.charts.block(
            partial(
                maps, view, texts, styles, doing=[spread_and_nearness_words.doing(found, k) for k in shown], beside=MAPS
            ),
            cloud_words.alt(view, projection),
            above,
            cloud_words.maps_reading(view),
            least=150 * len(runs),
        ),
        report_html.footer(cloud_words.footer(study, view, projection), (projection.signature,)),
        request.table(cloud_words.runs_table(study, lay, of, found), "cloud", "Runs as a table"),
        *_difference(request, projection, of, lay, texts),
    )
    said = spread_and_nearness_words.verdict(study, found, lay.within)
    return Section("Caption cloud", "How near are runs to people's captions, and how varied?", said, blocks)


def _standing(request: Request, projection: Projection, of: Points, found: Standings) -> tuple[str, ...]:
    """All runs by spread and nearness to people's captions; () if nothing can be compared."""
    study, at = request.study, spread_and_nearness_words.drawn(found)
    if not at:
        return ()
    facts, how = spread_and_nearness_words.facts(study, of, found)
    figure = partial(spread_and_nearness.standing_figure, study, found)
    return (
        request.charts.block(
            figure,
            spread_and_nearness_words.alt(found),
            spread_and_nearness_words.title(found),
            spread_and_nearness.reading(study, found),
        ),
        style_html.figure_footer(facts, how, (projection.signature,)),
    )


def _difference(request: Request, projection: Projection, of: Points, lay: Layout, texts: Texts) -> tuple[str, ...]:
    """Where the first two displayed runs put their captions; () with one run, or with few captions."""
    study, pair = request.study, beside(request.study.runs)[:2]
    if len(pair) < 2:
        return ()
    places = [study.runs.index(run) for run in pair]
    first, second = (np.flatnonzero(of.group == 1 + place) for place in places)
    found = density_difference(lay.xy, first, second, of.item, Grid.over(lay.xy), unit=study.unit)
    if found is None:
        return ()
    where = spots(found, of.texts, lay.xy, first, second)
    view = cloud_words.with_short_names(study, cloud_view(study, of, lay, pair, RUN))
    styles, short = styles_of(study), short_names(study.runs)
    names = (short[pair[0].name], short[pair[1].name])
    drawn = partial(drawing.difference, view, found, where, texts, (styles[pair[0].model], styles[pair[1].model]))
    facts, how = drawing.footer(found, view.groups, item_noun(study))
    return (
        report_html.heading(f"{names[0]} against {names[1]}"),
        style_html.folding_verdict(drawing.verdict(found, where, names)),
        request.charts.block(drawn, drawing.alt(found, view.groups), "Where each says more", drawing.READING),
        style_html.figure_footer([facts], [how], (projection.signature,)),
        request.table(drawing.table(where, names, of.texts, lay.xy), "places", "Every place as a table"),
    )

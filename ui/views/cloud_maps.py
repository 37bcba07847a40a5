"""The first view of the Caption cloud page: all runs by spread and nearness to people, and a few of them on maps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from data.study import Run, Study
from figures.cloud import maps as cloud_maps
from figures.cloud import spread_and_nearness, spread_and_nearness_words
from figures.cloud import words as cloud_words
from figures.style.numbers import count
from figures.style.palette import styles_of
from figures.style.wording import item_noun
from metrics.analysis.cloud.captions import METHODS, Layout, Projection
from metrics.analysis.cloud.selection import Plane
from metrics.analysis.cloud.spread_and_nearness import Standings, most_different, nearest_first
from metrics.analysis.cloud.view import RUN, cloud_view
from metrics.analysis.replicates.grouping import numbers_of, replicated, replicates
from ui.frame import look
from ui.session import address
from ui.views import cloud_layout, cloud_selection
from ui.views.cloud_controls import PANELS, CloudChoice
from ui.views.cloud_parts import Shown, show_parts
from ui.widgets import show, thumbnails

FIRST = 4
"""The default number of maps."""
_STANDING, _MAPS = "cloud_standing", "cloud_maps"
_SHAPES = (("cloud_maps_wide", "tl-wide-maps-alone", 4, 250.0), (_MAPS, "tl-narrow-maps-alone", 2, cloud_maps.SIDE))
"""The maps without a figure beside them: in one row, but two side by side on a phone.

Each entry has the key of a chart, the key of its container, the number of maps in a row, and the side of a map in px.
"""
_BESIDE = (("cloud_maps_row", "tl-wide-maps", 4, 190.0), (_MAPS, "tl-narrow-maps", 2, cloud_maps.SIDE))
"""The maps with the figure of all runs: in one row if they are below it, two side by side beside it or on a phone."""


def first(study: Study, of: Projection, lay: Layout) -> tuple[Run, ...]:
    """Return the runs that maps show by default: those that differ most and, unless some differ only in their seed,
    some for which no difference from people was found.
    """
    found = cloud_layout.standings_of(study, of, lay)
    at, settings = cloud_layout.sampled(study, of.seed), numbers_of(study.runs)
    differ = most_different(at, found, FIRST, settings)
    untold = () if replicated(replicates(study.runs)) else found.of(found.found.untold)[:2]
    return tuple(study.runs[k] for k in dict.fromkeys((*differ[:1], *untold, *differ)))[:FIRST]


def show_maps(study: Study, choice: CloudChoice, of: Projection, lay: Layout) -> None:
    """Show the verdict, the figure of all runs, the maps beside it, and tabs."""
    at, found = cloud_layout.sampled(study, of.seed), cloud_layout.standings_of(study, of, lay)
    near = nearest_first(found, (k for k, run in enumerate(study.runs) if run in choice.runs))
    choice = replace(choice, runs=tuple(study.runs[k] for k in near))
    view = cloud_view(study, at, lay, choice.runs, RUN, focus=choice.focus, words=choice.words)
    view = cloud_words.with_short_names(study, view)
    picked = cloud_selection.picked(view) if address.value("pick") else None
    shown = Shown(study, choice, of, view, found, picked)
    look.verdict(*spread_and_nearness_words.verdict(study, found, lay.within))
    alone = _alone(found)
    with st.container(horizontal=not alone, gap="medium"):
        if spread_and_nearness_words.drawn(found):
            with st.container(width="stretch" if alone else 610):
                _standing(shown)
        with st.container(width="stretch" if alone else 360, key="tl-maps"):
            _maps(shown)
    show_parts(shown, [of.signature])


def draws(study: Study, of: Projection, lay: Layout) -> bool:
    """Return whether there is a figure of all runs for these numbers."""
    return bool(spread_and_nearness_words.drawn(cloud_layout.standings_of(study, of, lay)))


def show_early(study: Study, part: Study, of: Projection, lay: Layout) -> None:
    """Show the figure of all runs from a `part` of the study's items, while all captions are embedded."""
    noun = item_noun(study)
    look.note(
        f"So far {len(part.items):,} of {count(len(study.items), noun)}. The verdict, the maps and the numbers of all "
        f"{noun}s follow."
    )
    view = cloud_view(part, cloud_layout.sampled(part, of.seed), lay, (), RUN)
    choice = CloudChoice(PANELS, first(part, of, lay))
    _standing(Shown(part, choice, of, view, cloud_layout.standings_of(part, of, lay), None), clicks=False)


def _alone(found: Standings) -> bool:
    """Whether the maps have the whole width, because the figure of all runs is missing or consists of rows."""
    return not spread_and_nearness_words.drawn(found) or spread_and_nearness_words.equally_varied(found)


def _standing(shown: Shown, clicks: bool = True) -> None:
    study, found = shown.study, shown.found
    ringed = [study.runs.index(run) for run in shown.choice.runs]
    facts, how = spread_and_nearness_words.facts(study, shown.view.points, found)
    with look.figure():
        look.figure_title(
            spread_and_nearness_words.title(found),
            spread_and_nearness.reading(study, found),
            "click a mark for its map" if clicks else "",
        )
        show.chart(
            lambda on: spread_and_nearness.standing_figure(study, found, on.mode, on.on_screen(ringed) or (), on.width),
            _STANDING,
            spread_and_nearness_words.alt(found),
            "Caption cloud spread and nearness",
            footer=f"{'; '.join(facts)}\n{shown.of.signature}",
            on_select=partial(_swap, [run.name for run in shown.choice.runs]) if clicks else None,
        )
        look.figure_footer(facts, how, [shown.of.signature])


def _swap(now: list[str]) -> None:
    """Show, on the last map, the run whose mark was clicked; called before the next run of the page."""
    clicked = [str(name) for name, *_ in show.picked(_STANDING)]
    if len(clicked) == 1 and clicked[0] not in now:
        address.store("drawn", *(now[: max(FIRST, len(now)) - 1]), clicked[0])


def _maps(shown: Shown) -> None:
    study, view, of = shown.study, shown.view, shown.of
    doing = [spread_and_nearness_words.doing(shown.found, study.runs.index(run)) for run in shown.choice.runs]
    texts, styles = cloud_layout.hover_texts(study, of.seed), styles_of(study)
    alone = _alone(shown.found)
    alt, footer = cloud_words.alt(view, of), f"{cloud_words.print_footer(study, view)}\n{of.signature}"
    drawn = partial(cloud_maps.maps, view, texts, styles)
    with look.figure():
        look.figure_title(f"{METHODS[of.method]} of captions", cloud_words.maps_reading(view))
        with look.icons(_MAPS):
            show.saving(
                lambda on: drawn(on.mode, doing, on.on_screen(shown.picked), on.width),
                _MAPS,
                alt,
                "Caption cloud maps",
                footer=footer,
            )
        for key, place, beside, side in _SHAPES if alone else _BESIDE:
            with st.container(key=place):
                made = drawn(look.mode(), doing, shown.picked, beside=beside, side=side)
                show.plot(made, key, alt, partial(cloud_selection.take, key, Plane.over(view.layout.xy)))
                thumbnails.follow(study, key)
    look.footer(cloud_words.footer(study, view, of), of.signature)

"""The parts of the Central captions page: one image with its centre, and the centres of the whole study."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from data.study import Item, Run, Study
from figures import central as draw
from figures import central_words as words
from figures import pictures
from figures.numbers import count, defined, num, percent
from figures.palette import model_styles
from figures.paper import Ground
from figures.texts import capital
from figures.words import article, head, noun
from metrics import centre, made
from metrics.bootstrap import RESAMPLES
from metrics.central_view import CentreView, Side, centre_view
from metrics.distances import (
    BertDistance,
    BleuDistance,
    BowDistance,
    CiderDDistance,
    Distance,
    MeteorDistance,
    RougeLDistance,
)
from metrics.entry import Arrays
from metrics.needs import unmet
from ui import address, images, items, look, registry, show, state
from ui.distances import first_distance
from ui.jobs import Call, CallView, jobs
from ui.words import plain

DISTANCES: dict[str, Distance] = {
    space.label: space
    for space in (
        MeteorDistance(), CiderDDistance(), BertDistance(), BleuDistance(n=4), RougeLDistance(), BowDistance(),
        BleuDistance(n=1), BleuDistance(n=2), BleuDistance(n=3),
    )
}  # fmt: skip
SCOPES = ("image", "study")
ENDS = {"near": "Nearest the centre", "far": "Farthest from it"}
CARDS, CHIPS = 8, 40
_STANDINGS = "central_standings"


@dataclass(frozen=True)
class Choice:
    """What to show: one image with some runs, or the study with a gallery of one run."""

    scope: str
    space: Distance
    runs: tuple[Run, ...] = ()
    gallery: Run | None = None
    end: str = "near"


def controls(study: Study) -> tuple[Choice, int]:
    """All of it, in one row; and the image."""
    scope = address.segments(
        "Show", "scope", list(SCOPES), "image",
        named=lambda name: f"This {noun(study)}" if name == "image" else "Across the study",
    )  # fmt: skip
    order = range(len(study.items))
    here = items.position(study, order, _first_image(study))
    if scope == "image":
        items.picker(study, order, here)
    label = address.select(
        "Distance", "distance", list(DISTANCES), first_distance(study, DISTANCES), width=150,
        help="Central is the caption with the least mean distance to the others.",
    )  # fmt: skip
    space = registry.distance(DISTANCES[label])
    if scope == "image":
        return Choice(scope, space, images.choose_runs(study)), here
    return Choice(scope, space, (), *_gallery(study)), here


def _first_image(study: Study) -> int:
    return next((k for k, item in enumerate(study.items) if len(item.references) > 1), 0)


def _gallery(study: Study) -> tuple[Run | None, str]:
    if not study.runs:
        return None, "near"
    names = [run.name for run in study.runs]
    run = address.select("Gallery of run", "run", names, names[0], width=190)
    end = address.select(f"{head(study)}s", "from", list(ENDS), "near", named=ENDS.__getitem__, width=180)
    return study.run(run), end


def missing(space: Distance) -> str | None:
    """What this machine lacks for the distance or for splitting captions into words."""
    needs = sorted({*space.needs, *BowDistance().needs})
    return next((why for need in needs if (why := unmet(need)) is not None), None)


@st.cache_resource(max_entries=128, show_spinner=False)
def _viewed(
    _study: Study, digest: str, runs: tuple[str, ...], position: int, _space: Distance, signature: str
) -> CentreView:
    return centre_view(_study, runs, position, _space, jobs().cache)


def show_image(study: Study, choice: Choice, here: int) -> None:
    """One image: its centre, what the centre leaves out, and the most central caption of each run."""
    item, runs = study.items[here], tuple(run.name for run in choice.runs)
    with st.spinner(f"Comparing the captions of this {noun(study)} with one another", show_time=True):
        view = _viewed(study, study.digest, runs, here, choice.space, centre.signature(choice.space))
    if len(item.references) > 1:
        look.verdict(*words.image_verdict(view), kicker="Reading")
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        with two.cell():
            items.show_picture(item)
            if len(item.references) > 1:
                _what_is_lost(view)
        with two.cell():
            _references(study, item, view)
    if runs:
        look.section("The most central caption of each run")
        _runs(study, view)
    with st.expander("Tables", icon=":material/table:"):
        _image_tables(view, f"{study.name}, {items.title(item)}: {words.image_footer(study, view)}")
    look.footer(words.image_footer(study, view), centre.signature(choice.space))


def _references(study: Study, item: Item, view: CentreView) -> None:
    side = view.references
    if len(item.references) < 2:
        _alone(study, item)
        return
    if side.why:
        look.captions("References", items.collapsed(side.texts, ()))
        return
    bars = words.bars(side)
    with look.figure():
        title = "References, the most central first" if side.telling else "References, all tied"
        look.figure_title(title, _legend(view, len(bars)))
        alt = "; ".join(f"{draw.MARK + ' ' if b.central else ''}{b.text}: {num(b.expected)}" for b in bars[:12])
        show.chart(
            lambda on: draw.expected_bars(bars, view.space.label, on.mode, on.width), "central_bars",
            f"Expected distances. {alt}", "expected distances",
            footer=_signed(words.bars_printed(study, view), view.space),
        )  # fmt: skip


def _legend(view: CentreView, distinct: int) -> str:
    side = view.references
    tie = f" {len(side.centres)} tie." if side.telling and len(side.centres) > 1 else ""
    more = f" {draw.SHOWN} of {distinct:,} drawn; the table has all." if distinct > draw.SHOWN else ""
    return f"Bars: mean {view.space.label} distance to the other references. {draw.MARK} the least.{tie}{more}"


def _alone(study: Study, item: Item) -> None:
    number = sum(len(i.references) > 1 for i in study.items)
    has = f"{number:,} of {count(len(study.items), noun(study))} have two or more." if number else ""
    hint = has or f"No {noun(study)} of this study has two: add references on the Workspace page."
    with look.empty("No centre here", f"{_what_there_is(item)}, and a centre takes two references. {hint}"):
        if number:
            goal = study.items[_first_image(study)].id
            st.button(f"Go to {article(noun(study))} that has two", on_click=address.put, args=("image", goal))
    items.show_references(item)


def _what_there_is(item: Item) -> str:
    return "One reference" if item.references else "No reference"


def _what_is_lost(view: CentreView) -> None:
    side = view.references
    if not side.telling:
        return
    central, others = side.lengths
    with look.figure():
        what = "Content words" if words.reads_as_english(view) else "Words"
        who = "no central reference says" if len(side.centres) > 1 else "the central reference does not say"
        more = f" {CHIPS} of {len(view.lost)} are shown." if len(view.lost) > CHIPS else ""
        look.figure_title("What the centre leaves out", f"{what} that {who}, with how many others do.{more}")
        look.chips(view.lost[:CHIPS])
        look.stats(
            look.Stat("Words, central", num(central, 1), words.length_words(side)),
            look.Stat("Words, others", num(others, 1), f"mean of {int((~side.central).sum())}"),
        )


def _runs(study: Study, view: CentreView) -> None:
    styles = {run.name: model_styles([r.model for r in study.runs])[run.model] for run in study.runs}
    mode = look.mode()
    with st.grid("auto", min_column_width=310, gap=("medium", "medium")) as grid:
        for name, side in view.runs.items():
            with grid.cell():
                style = styles[name]
                look.captions(name, _central_captions(side), style.mark(mode), style.text(mode))
                look.figure_title("", _run_words(side))
    if not defined(view.own):
        return
    with look.figure():
        sub = "Ticks: captions. Mark: their mean. Dashes: the mean of the references, each against the centre of the "
        look.figure_title("Distance to the centre of the references", f"{sub}others.")
        said = [f"{name} {num(float(np.mean(side.to_centre)))}" for name, side in view.runs.items() if side.texts]
        alt = f"Mean distance to the centre: references {num(view.own)}; {'; '.join(said)}."
        spreads = words.spreads(view, styles)
        footer = _signed(words.spread_printed(study, view), view.space)
        show.chart(
            lambda on: draw.centre_spread(spreads, view.own, view.space.label, on.mode), "central_spread", alt,
            "distance to the centre", footer=footer,
        )  # fmt: skip


def _central_captions(side: Side) -> list[look.Caption]:
    if not side.telling:
        return items.collapsed(side.texts, ())[:CARDS]
    return [
        look.Caption(c.text, c.count, lead=draw.MARK) for c in items.collapsed(side.texts, side.central) if c.marks
    ]  # fmt: skip


def _run_words(side: Side) -> str:
    if not side.texts:
        return "No captions here."
    if side.why:
        return f"{capital(side.why)}."
    far = num(float(side.to_references[side.central | (len(side.texts) == 1)].mean()))
    if len(side.texts) == 1:
        return f"Its only caption; {far} from the references."
    near = num(float(side.expected[side.central][0]))
    if len(set(side.texts)) == 1:
        return f"All {len(side.texts)} captions are the same; {far} from the references."
    if not side.telling:
        shown = f" {CARDS} are shown." if len(set(side.texts)) > CARDS else ""
        return f"All {len(side.texts)} tie: {near} from its other captions, {far} from the references.{shown}"
    tie = f"{len(side.centres)} tie: " if len(side.centres) > 1 else ""
    return f"{tie}{near} from its other captions, {far} from the references."


def _image_tables(view: CentreView, said: str) -> None:
    signed = (centre.signature(view.space),)
    look.figure_title("Captions", "Expected: mean distance to the others of its side, the caption as hypothesis.")
    show.table(words.captions_table(view), "central_captions", name="central captions",
               caption=f"Central captions. {said}", signatures=signed)  # fmt: skip
    if view.lost:
        look.figure_title("Content words that no central reference says")
        show.table(words.lost_table(view), "central_lost", name="words the centre leaves out",
                   caption=f"Words the centre leaves out. {said}", signatures=signed)  # fmt: skip


def without_centres(study: Study) -> bool:
    """True if no image has two references, which is said with the way to change it."""
    if any(len(item.references) > 1 for item in study.items):
        return False
    with look.empty(
        "No centres in this study", f"A centre takes two references, and no {noun(study)} has two: add references."
    ):
        items.workspace_link()
    return True


def call(study: Study, space: Distance) -> CallView:
    """The study's centres, or the job that finds them."""
    doing = f"Finding the centres of {len(study.items):,} {noun(study)}s by {space.label}"
    work = made.centres(study, space, jobs().cache)
    return jobs().call(Call.of(work, doing, gives_way=True), state.session())


@st.cache_resource(max_entries=16, show_spinner=False)
def _across(_study: Study, key: str, names: tuple[str, ...], _arrays: Arrays) -> centre.Across:
    return centre.across(_study, _arrays)


def show_study(study: Study, choice: Choice, arrays: Arrays) -> None:
    """Across the study: lengths, where the runs stand, and the images at either end."""
    names = tuple(run.name for run in study.runs)
    found = _across(study, centre.key(study, choice.space), names, arrays)
    look.verdict(*words.study_verdict(study, found, choice.space.label))
    footer = words.study_footer(study, found, RESAMPLES)
    _lengths(found, _signed(words.study_printed(study, found, "Mark: mean, line"), choice.space))
    if found.runs:
        _standings(study, found, _signed(words.study_printed(study, found, "Whiskers"), choice.space))
    run = next((r for r in found.runs if choice.gallery is not None and r.run == choice.gallery.name), None)
    if run is not None and choice.gallery is not None:
        _cards(study, found, run, choice)
    with st.expander("Tables", icon=":material/table:"):
        _study_tables(study, found, run, choice)
    look.footer(footer, centre.signature(choice.space))


def _lengths(found: centre.Across, footer: str) -> None:
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        for name, unit, of in (("words", "words", found.words), ("content words", "content words", found.content)):
            with two.cell(), look.figure():
                title = f"Are central captions shorter, in {unit}?" if unit == "words" else "And in content words?"
                if unit != "words" and not words.reads_as_english(found):
                    look.figure_title(title, words.about_words(found))
                    continue
                look.figure_title(title, words.difference_words(of))
                if of.n:
                    drawn = partial(_histogram, of, unit)
                    alt = f"Central less others, {unit}: mean {num(of.mean, 2)}. {words.difference_words(of)}"
                    said = footer if unit == "words" else f"{words.about_words(found)} {footer}"
                    show.chart(drawn, f"central_{name.replace(' ', '_')}", alt, f"central {name}", footer=said)


def _histogram(of: centre.Paired, unit: str, on: Ground) -> go.Figure:
    return draw.difference_histogram(of.difference, of.mean, *of.interval, unit, on.mode)


def _standings(study: Study, found: centre.Across, footer: str) -> None:
    styles = model_styles([run.model for run in study.runs])
    rows = words.standings(study, found, styles)
    with look.figure():
        look.figure_title("How far do models sit from the centre?", "Left of the line: nearer than people's captions "
                          "are, generic. Right of it: farther. A click shows where, below.")  # fmt: skip
        alt = "; ".join(f"{row.name} {num(row.ratio, 2)}" for row in rows)
        show.chart(
            lambda on: draw.standings(rows, on.mode, on.width), _STANDINGS,
            f"Distance to the centre over people's own: {alt}.",
            "distance to the centre", footer=footer, on_select=lambda: _choose(study),
        )  # fmt: skip


def _choose(study: Study) -> None:
    for place, *_ in show.picked(_STANDINGS)[:1]:
        address.put("run", study.runs[int(place)].name)


def _cards(study: Study, found: centre.Across, run: centre.RunDistance, choice: Choice) -> None:
    order = [k for k in words.gallery(run, len(study.items), choice.end == "far") if np.isfinite(run.items[k])][:CARDS]
    look.section(f"Where {run.run} is {'nearest the centre' if choice.end == 'near' else 'farthest from the centre'}")
    if not order:
        one = noun(study)
        look.empty(f"No {one} has a distance", f"The run has no candidates, or the references of each {one} are alike.")
        return
    with st.grid("auto", min_column_width=205, gap=("medium", "medium")) as grid:
        for k in order:
            with grid.cell():
                _card(study, found, run, k)


def _card(study: Study, found: centre.Across, run: centre.RunDistance, position: int) -> None:
    item, mode = study.items[position], look.mode()
    path = pictures.picture(item, state.is_demo())
    if path is not None:
        st.image(str(path), width="stretch", alt=items.title(item))
    style = model_styles([r.model for r in study.runs])[study.run(run.run).model]
    said = study.run(run.run).candidates.get(item.id, ())
    look.figure_title(f"{percent(float(run.items[position]))} of people's own", item.id)
    middle = words.centres(study, found, position)
    look.captions("Central reference" if middle else "References, all tied",
                  [look.Caption(text, lead=draw.MARK) for text in middle[:2]]
                  or items.collapsed(item.references[:2], ()))  # fmt: skip
    look.captions(run.run, items.collapsed(said, ())[:3], style.mark(mode), style.text(mode))
    st.button(
        "Open", key=f"central_open_{position}", icon=":material/open_in_full:", on_click=_open, args=(item.id, run.run),
        type="tertiary", help=f"Open {plain(item.id)}",
    )  # fmt: skip


def _open(item: str, run: str) -> None:
    address.put("scope", "image")
    address.put("image", item)
    beside = address.wanted("beside") or ()
    address.put("beside", *dict.fromkeys([run, *beside]))


def _study_tables(study: Study, found: centre.Across, run: centre.RunDistance | None, choice: Choice) -> None:
    signed = (centre.signature(choice.space),)
    look.figure_title("Central references against the others", f"Means over {noun(study)}s, paired.")
    show.table(words.lengths_table(found), "central_lengths", name="central lengths", signatures=signed)
    if found.runs:
        look.figure_title("Distance to the centre", "Of people's own: the candidates' over the references'.")
        show.table(words.runs_table(study, found), "central_runs", name="distance to the centre",
                   signatures=signed)  # fmt: skip
    look.figure_title(f"{head(study)}s", "In the order of the gallery.")
    order = words.gallery(run, len(study.items), choice.end == "far")
    show.table(words.images_table(study, found, run, order), "central_images", name="central images",
               signatures=signed)  # fmt: skip


def _signed(footer: str, space: Distance) -> str:
    return f"{footer} {centre.signature(space)}"

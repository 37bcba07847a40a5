"""The parts of the Central captions page: one image with its medoids, and the medoids of the whole study."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from data.study import Item, Run, Study
from figures.central import chart as central_chart
from figures.central import words as central_words
from figures.style.escaping import capital
from figures.style.numbers import count, defined, num
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import article, item_noun
from metrics.analysis.central import study as central_study
from metrics.analysis.central.item import CentreView, Side, centre_view
from metrics.analysis.feasibility import first_runs
from metrics.distances.base import Distance
from metrics.distances.words import BleuDistance, BowDistance
from metrics.needs import unmet
from ui.frame import errors, look
from ui.jobs import progress, registry
from ui.jobs.jobs import jobs
from ui.session import address
from ui.widgets import image_marks, image_picker, parts, show
from ui.widgets.distance_picker import about, default_distance

LOWER_ORDERS: dict[str, Distance] = {f"BLEU-{n}": BleuDistance(n=n) for n in (1, 2, 3)}
"""Distances that have no triangle-rank metric of their own."""
SCOPES = ("study", "image")
DIRECTIONS = ("candidate", "reference")
CARDS, CHIPS = 8, 40
STUDY_PARTS = {"lengths": "Are central captions longer or shorter?", "cards": "Captions of a run", "tables": "Tables"}
PARTS = {"runs": "Most central of each run", "spread": "Distance to the centre", "tables": "Tables"}


@dataclass(frozen=True)
class CentralChoice:
    """The chosen view: one image with some runs, or the study."""

    scope: str
    space: Distance
    runs: tuple[Run, ...] = ()
    as_reference: bool = False

    @property
    def signature(self) -> str:
        """Everything that determines the numbers, except the data."""
        return central_study.signature(self.space, self.as_reference)


def controls(study: Study) -> tuple[CentralChoice, int]:
    """Show all controls in one row; return the choice and the image."""
    # A link that names an image, but no scope, is about that image.
    if address.is_asked("image") and address.values("scope") is None:
        address.store("scope", "image")
    scope = address.select(
        "Show",
        "scope",
        list(SCOPES),
        "study",
        format_func=lambda name: f"one {item_noun(study)}" if name == "image" else "across the study",
    )
    if scope == "study":
        space = _space(study)
        return CentralChoice(scope, space, as_reference=_direction(space)), 0
    order = range(len(study.items))
    here = image_picker.position(study, order, _first_image(study))
    image_picker.picker(study, order, here)
    runs = image_picker.choose_runs(study, "beside", first_runs(study), "Runs side by side")
    with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
        space = _space(study)
        return CentralChoice(scope, space, runs, _direction(space)), here


def _space(study: Study) -> Distance:
    spaces = registry.distances() | LOWER_ORDERS
    first = default_distance(study, spaces)
    chosen = address.select_one("distance", list(spaces), first)
    said = f"The most central caption has the least mean distance to the others. {about(spaces[chosen])}"
    return spaces[address.select("Distance", "distance", list(spaces), first, help=said.rstrip())]


def _direction(space: Distance) -> bool:
    """Whether captions are taken as references; a choice only where it matters."""
    if space.symmetric:
        return False
    said = "As a candidate it is scored against the others; as a reference, the others are scored against it."
    return address.select("A caption is", "as", list(DIRECTIONS), "candidate", help=said) == "reference"


def _first_image(study: Study) -> int:
    return next((k for k, item in enumerate(study.items) if len(item.references) > 1), 0)


def missing(space: Distance) -> str | None:
    """Return what this machine lacks for the distance or for splitting captions into words, or None."""
    needs = sorted({*space.needs, *BowDistance().needs})
    return next((why for need in needs if (why := unmet(need)) is not None), None)


@st.cache_resource(max_entries=128, show_spinner=False)
def _viewed(
    _study: Study, digest: str, runs: tuple[str, ...], position: int, _choice: CentralChoice, signature: str
) -> CentreView:
    return centre_view(_study, runs, position, _choice.space, jobs().cache, _choice.as_reference)


def show_image(study: Study, choice: CentralChoice, here: int) -> None:
    """Show one image: its centre, the words that the centre leaves out, and the most central caption of each run."""
    item, runs = study.items[here], tuple(run.name for run in choice.runs)
    with progress.during(f"Comparing the captions of this {item_noun(study)} with one another", height=400):
        view = _viewed(study, study.digest, runs, here, choice, choice.signature)
    if len(item.references) > 1:
        look.verdict(*central_words.image_verdict(view), kicker=f"This {item_noun(study)}")
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        with two.cell():
            image_picker.show_picture(item)
            image_marks.panel(study, item)
            if len(item.references) > 1:
                _lost_words_panel(view)
        with two.cell():
            _references(study, item, view)
    look.footer(central_words.image_footer(study, view), choice.signature)
    part = parts.tabs("part", _parts(view), ("runs", "spread", *STUDY_PARTS))
    if part == "runs":
        _runs(study, view)
    elif part == "spread":
        _spread(study, view)
    else:
        _image_tables(view, f"{study.name}, {image_picker.title(item)}: {central_words.image_footer(study, view)}")


def _references(study: Study, item: Item, view: CentreView) -> None:
    side = view.references
    if len(item.references) < 2:
        _alone(study, item)
        return
    if side.why:
        look.captions("People", image_picker.distinct_captions(side.texts, ()))
        return
    bars = central_words.bars(side)
    with look.figure():
        title = "What people wrote, the most central first" if side.has_medoids else "What people wrote, all tied"
        look.figure_title(title, _legend(view, len(bars)))
        alt = "; ".join(
            f"{central_chart.MARK + ' ' if b.central else ''}{b.text}: {num(b.expected)}" for b in bars[:12]
        )
        show.chart(
            lambda on: central_chart.expected_dots(bars, view.space.label, on.mode, on.width),
            "central_bars",
            f"Mean distances. {alt}",
            "mean distances",
            footer=signed(central_words.bars_print_footer(study, view), view.space, view.as_reference),
        )


def _legend(view: CentreView, distinct: int) -> str:
    side = view.references
    tie = f" {len(side.centres)} tie." if side.has_medoids and len(side.centres) > 1 else ""
    more = f" {central_chart.SHOWN} of {distinct:,} drawn; the table has all." if distinct > central_chart.SHOWN else ""
    return f"Mean {view.space.label} distance to the others. {central_chart.MARK} the least.{tie}{more}"


def _alone(study: Study, item: Item) -> None:
    number = sum(len(i.references) > 1 for i in study.items)
    has = (
        f"{number:,} of {count(len(study.items), item_noun(study))} {'has' if number == 1 else 'have'} two or more."
        if number
        else ""
    )
    hint = has or f"No {item_noun(study)} of this study has two: add some on the Data page."
    with look.empty("No centre here", f"{_available_captions(item)}, and a centre needs two. {hint}"):
        if number:
            goal = study.items[_first_image(study)].id
            st.button(
                f"Go to {article(item_noun(study))} that has two",
                on_click=errors.callback(address.store),
                args=("image", goal),
            )
    image_picker.show_references(item)


def _available_captions(item: Item) -> str:
    return "There is one caption by people" if item.references else "There are no captions by people"


def _lost_words_panel(view: CentreView) -> None:
    side = view.references
    if not side.has_medoids:
        return
    central, others = side.lengths
    with look.figure():
        what = "Content words" if central_words.reads_as_english(view) else "Words"
        who = "no central caption says" if len(side.centres) > 1 else "the central caption does not say"
        more = f" {CHIPS} of {len(view.lost_words)} are shown." if len(view.lost_words) > CHIPS else ""
        look.figure_title("What the centre leaves out", f"{what} that {who}, and how many other captions do.{more}")
        look.chips(view.lost_words[:CHIPS])
        look.stats(
            look.Stat(
                "Words in the central caption" if len(side.centres) == 1 else "Words in the central captions",
                num(central, 1),
                central_words.length_words(side),
            ),
            look.Stat("Words in the others", num(others, 1), f"mean of {int((~side.central).sum())}"),
        )


def _runs(study: Study, view: CentreView) -> None:
    styles = {run.name: styles_of(study)[run.model] for run in study.runs}
    mode, short = look.mode(), short_names(study.runs)
    with st.grid("auto", min_column_width=230, gap=("medium", "medium")) as grid:
        for name, side in view.runs.items():
            with grid.cell():
                style = styles[name]
                look.captions(short[name], _central_captions(side), style.mark(mode), style.text(mode))
                look.figure_title("", _run_words(side))


def _parts(view: CentreView) -> dict[str, str]:
    """The tabs with contents."""
    there = {"tables": True, "runs": bool(view.runs), "spread": bool(view.runs) and defined(view.own)}
    return {name: title for name, title in PARTS.items() if there[name]}


def _spread(study: Study, view: CentreView) -> None:
    """Show the distances of all captions from the centre of the captions by people."""
    styles = {run.name: styles_of(study)[run.model] for run in study.runs}
    short = short_names(study.runs)
    with look.figure():
        sub = "Ticks: captions. Mark: their mean. Dashes: people's mean, each to the centre of the other people."
        look.figure_title("Distance to the centre of what people wrote", sub)
        said = [f"{name} {num(float(np.mean(side.to_centre)))}" for name, side in view.runs.items() if side.texts]
        alt = f"Mean distance to the centre: people {num(view.own)}; {'; '.join(said)}."
        spreads = [replace(row, name=short.get(row.name, row.name)) for row in central_words.spreads(view, styles)]
        footer = signed(central_words.spread_print_footer(study, view), view.space, view.as_reference)
        show.chart(
            lambda on: central_chart.centre_spread(spreads, view.own, view.space.label, on.mode),
            "central_spread",
            alt,
            "distance to the centre",
            footer=footer,
        )


def _central_captions(side: Side) -> list[look.Caption]:
    if not side.has_medoids:
        return image_picker.distinct_captions(side.texts, ())[:CARDS]
    return [
        look.Caption(c.text, c.count, lead=central_chart.MARK)
        for c in image_picker.distinct_captions(side.texts, side.central)
        if c.marks
    ]


def _run_words(side: Side) -> str:
    if not side.texts:
        return "No captions here."
    if side.why:
        return f"{capital(side.why)}."
    far = num(float(side.to_references[side.central | (len(side.texts) == 1)].mean()))
    if len(side.texts) == 1:
        return f"Its only caption; {far} from people's."
    near = num(float(side.expected[side.central][0]))
    if len(set(side.texts)) == 1:
        return f"All {len(side.texts)} captions are the same; {far} from people's."
    if not side.has_medoids:
        shown = f" {CARDS} are shown." if len(set(side.texts)) > CARDS else ""
        return f"All {len(side.texts)} tie: {near} from its other captions, {far} from people's.{shown}"
    tie = f"{len(side.centres)} tie: " if len(side.centres) > 1 else ""
    return f"{tie}{near} from its other captions, {far} from people's."


def _image_tables(view: CentreView, said: str) -> None:
    signed = (central_study.signature(view.space, view.as_reference),)
    look.figure_title("Captions", "Mean distance: to the other captions of its side.")
    show.table(
        central_words.captions_table(view),
        "central_captions",
        name="central captions",
        caption=f"Central captions. {said}",
        signatures=signed,
    )
    if view.lost_words:
        look.figure_title("Content words that no central caption says")
        show.table(
            central_words.lost_table(view),
            "central_lost",
            name="words the centre leaves out",
            caption=f"Words the centre leaves out. {said}",
            signatures=signed,
        )


def signed(footer: str, space: Distance, as_reference: bool) -> str:
    return f"{footer} {central_study.signature(space, as_reference)}"

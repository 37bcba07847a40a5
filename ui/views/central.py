"""The parts that only the Central captions page has: cards of a run's captions, and one image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from data.study import Item, Study
from figures.central import chart, words
from figures.notes.seeds import among_seeds
from figures.style.escaping import capital
from figures.style.numbers import count, defined, num, percent
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, item_title
from figures.views.central import chosen
from figures.views.view import Known
from metrics.analysis.central.item import CentreView, Side, centre_view
from metrics.analysis.central.study import CentralitySummary, RunDistance, signature
from metrics.analysis.feasibility import first_runs
from metrics.distances.base import Distance
from ui.frame import look
from ui.jobs import progress
from ui.jobs.jobs import jobs
from ui.render import Shown
from ui.session import address
from ui.widgets import figure, image_marks, image_picker, parts

CARDS, CHIPS, GALLERY = 8, 40, 4
ENDS = {"near": "nearest to the centre", "far": "farthest from it"}
PARTS = {"runs": "Most central of each run", "spread": "Distance to the centre"}


def head(study: Study) -> bool:
    """Show the choice between the study and one image; return whether one image is chosen."""
    # A link that names an image, but no scope, is about that image.
    if address.is_asked("image") and address.values("scope") is None:
        address.store("scope", "image")
    scopes = {"study": "across the study", "image": f"one {item_noun(study)}"}
    if address.select("Show", "scope", list(scopes), "study", format_func=scopes.__getitem__) == "study":
        return False
    image_picker.picker(study, range(len(study.items)), _place(study))
    image_picker.choose_runs(study, "beside", first_runs(study), "Runs side by side")
    return True


def _place(study: Study) -> int:
    return image_picker.position(study, range(len(study.items)), _with_centre(study))


def _with_centre(study: Study) -> int:
    return next(k for k, item in enumerate(study.items) if len(item.references) > 2)


def cards(page: Shown) -> None:
    """Show the images on which the marked run is nearest to the centre, or farthest from it."""
    study, short = page.known.study, short_names(page.known.study.runs)
    with image_picker.row():
        names = [run.name for run in study.runs]
        name = address.select("Captions of", "run", names, page.marked, format_func=short.__getitem__)
        end = address.select(f"{item_title(study)}s", "from", list(ENDS), "near", format_func=ENDS.__getitem__)
    run = page.result.run(name)
    order = [k for k in words.gallery(run, end == "far") if np.isfinite(run.items[k])][:GALLERY]
    if not order:
        one = item_noun(study)
        look.empty(f"No {one} has a distance", f"The run has no captions, or people's are alike on each {one}.")
        return
    with st.grid("auto", min_column_width=205, gap=("medium", "medium")) as grid:
        for k in order:
            with grid.cell():
                _card(study, page.result, run, k)


def _card(study: Study, found: CentralitySummary, run: RunDistance, position: int) -> None:
    item, mode = study.items[position], look.mode()
    style = styles_of(study)[study.run(run.run).model]
    beside = list(dict.fromkeys([run.run, *(address.values("beside") or ())]))
    opens = image_picker.here(scope="image", image=item.id, beside=beside)
    why = f"{percent(float(run.items[position]))} of people's own distance"
    image_picker.card_head(item, image_picker.title(study, item), why, opens)
    middle = words.centres(study, found, position)
    look.captions(
        "People, most central" if middle else "People, all tied",
        [look.Caption(text) for text in middle[:2]] or image_picker.distinct_captions(item.references[:2], ()),
    )
    said = image_picker.distinct_captions(study.run(run.run).candidates.get(item.id, ()), ())[:2]
    seeds = among_seeds(study, run.run)
    look.captions(short_names(study.runs)[run.run], said, style.mark(mode), style.text(mode), sub=seeds)


@st.cache_resource(max_entries=128, show_spinner=False)
def _viewed(
    _study: Study, digest: str, runs: tuple[str, ...], position: int, _space: Distance, as_reference: bool, signed: str
) -> CentreView:
    return centre_view(_study, runs, position, _space, jobs().cache, as_reference)


def item(known: Known, choice: Mapping[str, str]) -> None:
    """Show one image: its centre, the words that the centre leaves out, and each run's central caption and spread."""
    study, place, (space, as_reference) = known.study, _place(known.study), chosen(known, choice)
    one, signed = study.items[place], signature(space, as_reference)
    runs = address.values("beside") or ()
    with progress.during(f"Comparing the captions of this {item_noun(study)} with one another", height=400):
        view = _viewed(study, study.digest, runs, place, space, as_reference, signed)
    if len(one.references) > 2:
        look.verdict(*words.image_verdict(view), kicker=f"This {item_noun(study)}")
    foot = figure.Foot(words.image_facts(study, view), words.image_how(view), (signed,))
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        with two.cell():
            image_picker.show_picture(one)
            image_marks.panel(study, one)
            _lost_words(view, foot)
        with two.cell():
            _references(study, one, view, foot)
    titles = {
        **({"runs": PARTS["runs"]} if view.runs else {}),
        **({"spread": PARTS["spread"]} if view.runs and defined(view.own) else {}),
    }
    part = parts.tabs("part", titles, (*PARTS, "cards", "lengths", "tables")) if titles else ""
    if part == "runs":
        _runs(study, view)
    elif part == "spread":
        _spread(study, view, foot)


def _references(study: Study, item: Item, view: CentreView, foot: figure.Foot) -> None:
    side = view.references
    if len(item.references) < 3:
        number, noun = sum(len(one.references) > 2 for one in study.items), item_noun(study)
        there = f"{count(len(item.references), 'caption')} by people"
        has = f"{number:,} of {len(study.items):,} {noun}s {'has' if number == 1 else 'have'} them."
        look.empty("No centre here", f"A centre needs three captions by people. {has} Here: {there}.")
        image_picker.show_references(item)
        return
    if side.why:
        look.captions("People", image_picker.distinct_captions(side.texts, ()))
        return
    bars = words.bars(side)
    said = "; ".join(f"{chart.MARK + ' ' if b.central else ''}{b.text}: {num(b.expected)}" for b in bars[:12])
    tie = f" {len(side.centres)} tie." if side.has_medoids and len(side.centres) > 1 else ""
    more = f" {chart.SHOWN} of {len(bars):,} drawn; the table has all." if len(bars) > chart.SHOWN else ""
    figure.figure(
        "central_bars",
        "What people wrote, the most central first" if side.has_medoids else "What people wrote, all tied",
        sub=f"Mean {view.space.label} distance to the others. {chart.MARK} the smallest.{tie}{more}",
        draw=lambda on: chart.expected_dots(bars, view.space.label, on.mode, on.width),
        alt=f"Mean distances. {said}",
        twin=figure.Twin(lambda: words.captions_table(view), {"signatures": foot.signatures}),
        foot=foot,
        name="mean distances",
    )


def _lost_words(view: CentreView, foot: figure.Foot) -> None:
    side = view.references
    if not side.has_medoids:
        return
    central, others = side.lengths
    several = len(side.centres) > 1
    what = "Content words" if words.reads_as_english(view) else "Words"
    who = "no central caption says" if several else "the central caption does not say"
    more = f" {CHIPS} of {len(view.lost_words)} are shown." if len(view.lost_words) > CHIPS else ""

    def body() -> None:
        look.chips(view.lost_words[:CHIPS])
        counted = f"Words in the central caption{'s' * several}"
        look.stats(
            look.Stat(counted, num(central, 1), words.length_words(side)),
            look.Stat("Words in the others", num(others, 1), f"mean of {int((~side.central).sum())}"),
        )

    figure.figure(
        "central_lost",
        "What the centre leaves out",
        sub=f"{what} that {who}, and how many other captions do.{more}",
        body=body,
        twin=figure.Twin(lambda: words.lost_table(view), {"signatures": foot.signatures}) if view.lost_words else None,
        name="words the centre leaves out",
    )


def _runs(study: Study, view: CentreView) -> None:
    mode, short, styles = look.mode(), short_names(study.runs), styles_of(study)
    with st.grid("auto", min_column_width=230, gap=("medium", "medium")) as grid:
        for name, side in view.runs.items():
            with grid.cell():
                style = styles[study.run(name).model]
                said, seeds = _central_captions(side), among_seeds(study, name)
                look.captions(short[name], said, style.mark(mode), style.text(mode), sub=seeds)
                look.figure_title("", _run_words(side))


def _spread(study: Study, view: CentreView, foot: figure.Foot) -> None:
    styles, short = styles_of(study), short_names(study.runs)
    of = {name: styles[study.run(name).model] for name in view.runs}
    rows = [replace(row, name=short.get(row.name, row.name)) for row in words.spreads(view, of)]
    said = [f"{name} {num(float(np.mean(side.to_centre)))}" for name, side in view.runs.items() if side.texts]
    figure.figure(
        "central_spread",
        "Distance to the centre of what people wrote",
        sub="Ticks: captions. Mark: their mean. Dashes: people's mean, each to the centre of the other people's.",
        draw=lambda on: chart.centre_spread(rows, view.own, view.space.label, on.mode),
        alt=f"Mean distance to the centre: people {num(view.own)}; {'; '.join(said)}.",
        foot=foot,
        name="distance to the centre",
    )


def _central_captions(side: Side) -> list[look.Caption]:
    if not side.has_medoids:
        return image_picker.distinct_captions(side.texts, ())[:CARDS]
    said = image_picker.distinct_captions(side.texts, side.central)
    return [look.Caption(one.text, one.count) for one in said if one.marks]


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
    tie = f"{len(side.centres)} tie: " if len(side.centres) > 1 else ""
    shown = ""
    if not side.has_medoids:
        tie = f"All {len(side.texts)} tie: "
        shown = f" {CARDS} are shown." if len(set(side.texts)) > CARDS else ""
    return f"{tie}{near} from its other captions, {far} from people's.{shown}"

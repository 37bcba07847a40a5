"""The parts of the Unique vs correct page: the design, the two heatmaps, and the captions of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256

import plotly.graph_objects as go
import streamlit as st

from data.study import Captions, Study
from figures.export.paper import Ground
from figures.report import commands
from figures.style.escaping import capital
from figures.style.numbers import count, num
from figures.style.wording import item_noun
from figures.unique_correct import heatmaps as unique_correct_heatmaps
from figures.unique_correct import words as unique_correct_words
from metrics.analysis import artifacts
from metrics.analysis.unique_correct import experiment as sets
from metrics.analysis.unique_correct.experiment import Design, Draw, Experiment
from metrics.analysis.unique_correct.variance_shares import Surface, VarianceShares, variance_shares
from metrics.base import Metric, Undefined
from metrics.distances.words import CiderDDistance
from metrics.distribution import Trm
from metrics.documentation import direction
from ui.frame import errors, look
from ui.jobs import progress, registry
from ui.jobs.jobs import ArtifactView, jobs
from ui.session import address, state
from ui.session.pictures import picture_of
from ui.views import dominance
from ui.widgets import distance_picker, image_picker, metric_picker, parts, show

REPEATS = ("1", "2", "3", "5", "10", "20")
AUTO = "auto"
SEEDS = tuple(str(k) for k in range(10))
PART, BEHIND = "part", "Captions behind a cell"
RUNS = "This study's runs"
PARTS = {"captions": BEHIND, "runs": RUNS, "variance": "What explains the difference", "cells": "Every cell"}
Chosen = tuple[int, int]


def pools(study: Study, draw: Draw) -> tuple[Captions, ...]:
    """Return the captions by people of every item that a draw takes."""
    return _pools(study, study.references_digest, draw)


@st.cache_resource(max_entries=16, show_spinner=False)
def _pools(_study: Study, references: str, draw: Draw) -> tuple[Captions, ...]:
    return sets.pools_of(_study, draw)


def too_few(study: Study) -> bool:
    """Return whether no experiment can be made with this study, after a message with what it needs."""
    counts = [len(item.references) for item in study.items]
    what = item_noun(study)
    if not sets.possible(study):
        least, most = 2 * sets.FEWEST, max(counts, default=0)
        text = f"This needs {what}s with {least} captions by people or more; here the most is {most}."
    elif sum(map(bool, counts)) < 2:
        text = f"Foreign captions come from other {what}s: two or more {what}s with captions by people are needed."
    else:
        return False
    with look.empty("Not enough captions by people", f"{text} The demo has ten for each image."):
        image_picker.data_link()
        st.button(
            "Open the demo", icon=":material/science:", on_click=errors.callback(state.open_demo), type="tertiary"
        )
    return True


def controls(study: Study) -> tuple[Trm, Design]:
    """Show controls of distance and design inside a row of controls; return the choice."""
    trms = {label: trm for label, trm in registry.trms().items() if trm.space.of_any_texts}
    first = CiderDDistance.label
    chosen = trms[address.select_one("distance", list(trms), first)]
    said = " ".join(
        [
            "The score of a caption by this distance is shown beside TRM, which is made from the same distance.",
            distance_picker.about(chosen.space),
            metric_picker.about(chosen),
        ]
    )
    trm = trms[address.select("Distance", "distance", list(trms), first, width=170, help=said)]
    kind = _draw(study)
    with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
        return trm, _design(study, pools(study, kind), trm, kind)


def _design(study: Study, found: Sequence[Captions], trm: Trm, kind: Draw) -> Design:
    """The sizes, repeats and seed of the experiment."""
    first = sets.default_design(found, trm, draw=kind)
    most = max(len(pool) for pool in found)
    size = _number(
        "Set size",
        "size",
        range(sets.FEWEST, min(sets.LARGEST, most - sets.FEWEST) + 1),
        first.size,
        "Captions in every set, of both kinds together.",
    )
    references = _number(
        "By people",
        "held",
        range(sets.FEWEST, min(sets.LARGEST, most - size) + 1),
        first.references,
        "Captions by people held out to compare the sets with.",
    )
    there = len(sets.usable(found, size + references))
    repeats = _repeats(study, sets.default_repeats(there, size, references, trm))
    seed = address.select("Seed", "seed", SEEDS, "0", width=80)
    return Design(size, references, repeats, int(seed), kind)


def _repeats(study: Study, auto: int) -> int:
    def label(option: str) -> str:
        return f"auto ({auto})" if option == AUTO else option

    said = f"Draws for each {item_noun(study)}."
    chosen = address.select("Repeats", "repeats", [AUTO, *REPEATS], AUTO, width=110, help=said, format_func=label)
    return auto if chosen == AUTO else int(chosen)


def _draw(study: Study) -> Draw:
    able = sets.possible(study)
    labels = {"even": "even repeats", "paper": "the paper's"}
    chosen = address.select(
        "Draw",
        "draw",
        able,
        able[0],
        width=150,
        format_func=labels.__getitem__,
        help="Even repeats: so many different captions in a set, said equally often. The paper's: captions drawn at "
        "random from a pool of correct and one of foreign ones, with what people repeat (Chan et al., B.2, figures "
        "8 and 9).",
    )
    return "paper" if chosen == "paper" else "even"


def _number(label: str, name: str, options: Sequence[int], default: int, about: str = "") -> int:
    """Show a control for a number. A number that is no longer valid changes to the nearest valid one."""
    asked = address.value(name)
    if asked.isdecimal() and len(asked) < 4 and int(asked) not in options:
        address.store(name, str(min(options, key=lambda option: abs(option - int(asked)))))
    default = min(options, key=lambda option: abs(option - default))
    return int(address.select(label, name, [str(k) for k in options], str(default), width=100, help=about or None))


def fetch(study: Study, trm: Trm, design: Design) -> ArtifactView:
    """Return the arrays of the experiment, or the job that computes them."""
    usable = len(sets.usable(pools(study, design.draw), design.needed))
    doing = f"Comparing sets of captions of {count(usable, item_noun(study))} by {trm.space.label}"
    work = artifacts.experiment(study, design, trm, jobs().cache)
    return jobs().artifact(replace(work, title=doing, preemptible=trm.work != "words"), state.session())


@st.cache_resource(max_entries=16, show_spinner=False)
def _measured(_experiment: Experiment, _trm: Trm, _study: Study, key: str) -> VarianceShares:
    return variance_shares(_experiment, _trm, _study)


def show_experiment(study: Study, trm: Trm, design: Design, view: ArtifactView) -> None:
    """Show the verdict and the figures that exist and, below, the captions behind a cell or all numbers."""
    progress.show(view)
    found = None
    if view.arrays is not None:
        experiment = sets.experiment_from(design, view.arrays)
        if not len(experiment.items):
            one = item_noun(study)
            why = experiment.failed[0] if experiment.failed else f"no {one} has enough captions by people"
            look.empty("No values", f"Every {one} was left out: {why}.")
            return
        # The key includes the arrays: those from a bundle are shown only to whoever opened it.
        numbers = sha256(b"".join(view.arrays[name].tobytes() for name in sorted(view.arrays))).hexdigest()
        key = " ".join([sets.experiment_key(study, design, trm), numbers, *study.clustering])
        found = _measured(experiment, trm, study, key)
        look.verdict(*unique_correct_words.verdict(found))
        _heatmaps(study, found)
        look.footer(unique_correct_words.footer(study, found), found.base.signature, trm.signature)
    if found is None:
        look.section(BEHIND)
        _behind(study, design, None)
        return
    able = dominance.possible(study)
    part = parts.tabs(PART, {name: title for name, title in PARTS.items() if name != "runs" or able}, PARTS)
    if part == "captions":
        _behind(study, design, found)
    elif part == "runs":
        dominance.show_runs(study)
    elif part == "variance":
        _shares(found)
    else:
        _table(study, found)


def _chosen(design: Design) -> Chosen:
    """The cell in the address if it is valid, else the default."""
    asked = [address.value(name) for name in ("correct", "unique")]
    pair = [int(text) if text.isdecimal() and len(text) < 4 else -1 for text in asked]
    return (pair[0], pair[1]) if pair in design.cells.tolist() else (design.size, 1)


def _heatmaps(study: Study, found: VarianceShares) -> None:
    design = found.experiment.design
    chosen = _chosen(design)
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        for place, (metric, surface) in enumerate(found.both):
            key = f"sets_{place}"
            with two.cell(), look.figure():
                look.figure_title(
                    metric.label,
                    f"{unique_correct_words.draw_note(design)} "
                    "The stronger a cell, the better; a click opens it below.",
                    direction(metric),
                )
                show.chart(
                    partial(_heatmap, found, metric, surface, chosen),
                    key,
                    unique_correct_words.heatmap_alt(metric, surface, found),
                    f"{metric.name} unique correct",
                    footer=f"{unique_correct_words.sampled(study, found)} {metric.signature}",
                    on_select=partial(_take, key),
                )


def _heatmap(
    found: VarianceShares, metric: Metric, surface: Surface, chosen: tuple[int, int] | None, on: Ground
) -> go.Figure:
    return unique_correct_heatmaps.heatmap(found, metric, surface, on.mode, on.on_screen(chosen))


def _take(key: str) -> None:
    """Open the clicked cell."""
    for correct, unique in show.picked(key):
        address.store("correct", str(correct))
        address.store("unique", str(unique))
        address.store(PART, "captions")


def _shares(found: VarianceShares) -> None:
    rows = [(metric.label, surface) for metric, surface in found.both]
    draw_of = found.experiment.design.draw
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        with two.cell(), look.figure():
            look.figure_title("What explains the variance between cells", unique_correct_words.EXPLAINED[draw_of])
            show.chart(
                lambda on: unique_correct_heatmaps.share_bars(rows, on.mode, draw_of),
                "set_shares",
                unique_correct_words.shares_alt(found),
                "variance explained",
                footer=f"{found.base.signature} {found.trm.signature}",
            )
        with two.cell():
            show.table(
                unique_correct_words.share_table(found),
                "set_share_table",
                name="variance explained",
                digits=1,
                formats={unique_correct_words.P_HOLM: "%.4g"},
                signatures=(found.base.signature, found.trm.signature),
            )


def _behind(study: Study, design: Design, found: VarianceShares | None) -> None:
    """Show the captions of one cell, item and repeat, with their values if these exist."""
    order = found.experiment.items.tolist() if found else sets.usable(pools(study, design.draw), design.needed).tolist()
    with image_picker.row():
        here = image_picker.position(study, order)
        image_picker.picker(study, order, here)
        (correct, unique), repeat = _which(design)
    address.show_unknown()
    try:
        drawn = sets.draw(pools(study, design.draw), design, here, repeat)
    except Undefined as why:
        look.empty("No set for this one", f"{capital(str(why))}.")
        return
    cell = design.cells.tolist().index([correct, unique])
    place = order.index(here), repeat
    pictured = picture_of(study.items[here]) is not None
    with st.grid(3 if pictured else 2, min_column_width=295, gap=("medium", "medium")) as columns:
        if pictured:
            with columns.cell():
                image_picker.show_picture(study.items[here])
        with columns.cell():
            look.captions("Held-out captions by people", [look.Caption(text) for text in drawn.held_out])
        with columns.cell():
            if found:
                _values(found, (*place, cell))
            look.captions(
                unique_correct_words.set_title(design, correct, unique),
                _candidates(drawn, cell, found, place),
            )


def _which(design: Design) -> tuple[Chosen, int]:
    """The cell and the repeat, counted from 0; for use inside a row of controls."""
    correct, unique = _chosen(design)
    correct = _number("Correct", "correct", range(design.size + 1), correct)
    least = 1 if design.draw == "paper" or correct in (0, design.size) else 2
    name = "Unique" if design.draw == "even" else "Pool"
    unique = _number(name, "unique", range(least, design.size + 1), max(unique, least))
    return (correct, unique), _number("Repeat", "repeat", range(1, design.repeats + 1), 1) - 1


def _candidates(
    drawn: sets.CaptionSets, cell: int, found: VarianceShares | None, place: tuple[int, int]
) -> list[look.Caption]:
    """The texts of a set, the most frequent first."""
    copies = drawn.copies[cell]
    captions = []
    for k in sorted(range(len(copies)), key=lambda k: (k >= len(drawn.own), -copies[k])):
        if copies[k]:
            marks = ["correct" if k < len(drawn.own) else "foreign"]
            if found:
                marks.append(f"{found.base.label} {num(float(found.experiment.scores[place][k]))}")
            captions.append(look.Caption(drawn.candidates[k], int(copies[k]), tuple(marks)))
    return captions


def _values(found: VarianceShares, place: tuple[int, int, int]) -> None:
    """Show the values of this set, and the means of its cell over all items."""
    values = found.experiment.base[place], found.experiment.trm[place]
    look.stats(
        *(
            look.Stat(metric.label, num(float(value)), f"mean {num(float(surface.mean[place[2]]))}", direction(metric))
            for value, (metric, surface) in zip(values, found.both)
        )
    )


def _table(study: Study, found: VarianceShares) -> None:
    columns = {name: st.column_config.NumberColumn(format="%d") for name in ("Correct", "Unique", "Pool", "n")}
    show.table(
        unique_correct_words.cell_table(found),
        "set_cells",
        name="unique correct cells",
        columns=columns,
        signatures=(found.base.signature, found.trm.signature),
    )
    given = commands.saved(study, study is state.demo().study, registry.idf() is not None)
    st.caption("The same from the command line" + ("" if given.setup_lines else ", of the study as Data saves it"))
    lines = [*given.setup_lines, commands.unique_correct(given, found.trm, found.experiment.design)]
    st.code("\n".join(lines), language="bash", wrap_lines=True)

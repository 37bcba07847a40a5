"""The part that only the Unique vs correct page has: the captions behind a cell."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from figures.style.escaping import capital
from figures.style.numbers import num
from figures.unique_correct import words
from figures.views.unique_correct import design, pools
from metrics.analysis.unique_correct import experiment as sets
from metrics.analysis.unique_correct.experiment import CaptionSets, Design
from metrics.analysis.unique_correct.variance_shares import VarianceShares
from metrics.base import Undefined
from metrics.guide.documentation import direction
from ui.frame import look
from ui.render import Shown
from ui.session import address
from ui.session.pictures import picture_of
from ui.widgets import image_picker

Place = tuple[int, int, int]
"""Positions of an item, a repeat and a cell in the experiment."""


def captions(page: Shown) -> None:
    """Show the captions of one cell, item and repeat with their values."""
    study, found, chosen = page.known.study, page.result, design(page.choice)
    order = found.experiment.items.tolist()
    with image_picker.row():
        here = image_picker.position(study, order)
        image_picker.picker(study, order, here)
        (correct, unique), repeat = _which(chosen, page.marked)
    address.show_unknown()
    try:
        drawn = sets.draw(pools(page.known, page.choice), chosen, here, repeat)
    except Undefined as why:
        look.empty("No set for this one", f"{capital(str(why))}.")
        return
    place = order.index(here), repeat, found.cell(correct, unique)
    pictured = picture_of(study.items[here]) is not None
    with st.grid(3 if pictured else 2, min_column_width=250, gap=("medium", "medium")) as columns:
        if pictured:
            with columns.cell():
                image_picker.show_picture(study.items[here])
        with columns.cell():
            look.captions("Held-out captions by people", [look.Caption(text) for text in drawn.held_out])
        with columns.cell():
            _values(found, place)
            look.captions(words.set_title(chosen, correct, unique), _candidates(drawn, found, place))


def _which(chosen: Design, marked: str) -> tuple[tuple[int, int], int]:
    """Show the controls for the cell and the repeat inside a row; return both, the repeat counted from 0."""
    correct, unique = map(int, marked.split())
    correct = _number("Correct", "correct", range(chosen.size + 1), correct)
    least = 1 if chosen.draw == "paper" or correct in (0, chosen.size) else 2
    name = "Unique" if chosen.draw == "even" else "Pool"
    unique = _number(name, "unique", range(least, chosen.size + 1), max(unique, least))
    return (correct, unique), _number("Repeat", "repeat", range(1, chosen.repeats + 1), 1) - 1


def _number(label: str, name: str, options: Sequence[int], default: int) -> int:
    """Show a control for a number; return it. A number that is no longer valid changes to the nearest valid one."""
    asked = address.value(name)
    if asked.isdecimal() and len(asked) < 4 and int(asked) not in options:
        address.store(name, str(min(options, key=lambda option: abs(option - int(asked)))))
    return int(address.select(label, name, [str(k) for k in options], str(default), width=100))


def _candidates(drawn: CaptionSets, found: VarianceShares, place: Place) -> list[look.Caption]:
    copies, scores = drawn.copies[place[2]], found.experiment.scores[place[:2]]
    own, shown = len(drawn.own), [k for k in range(len(copies)) if copies[k]]
    return [
        look.Caption(
            drawn.candidates[k],
            int(copies[k]),
            ("correct" if k < own else "foreign", f"{found.base.label} {num(float(scores[k]))}"),
        )
        for k in sorted(shown, key=lambda k: (k >= own, -copies[k]))
    ]


def _values(found: VarianceShares, place: Place) -> None:
    values = found.experiment.base[place], found.experiment.trm[place]
    look.stats(
        *(
            look.Stat(metric.label, num(float(value)), f"mean {num(float(surface.mean[place[2]]))}", direction(metric))
            for value, (metric, surface) in zip(values, found.both)
        )
    )

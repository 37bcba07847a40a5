"""The parts that only the Slices page has: captions of the marked slice, and a control that saves it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.study import Run, Study
from figures.slices import words
from figures.style.numbers import num
from figures.style.palette import styles_of
from figures.style.run_names import pair_names, short_names
from figures.style.wording import item_noun
from metrics.analysis.slices.examples import Example, examples
from metrics.base import Metric
from ui.frame import look
from ui.render import Shown
from ui.session import address
from ui.widgets import figure, image_picker, slice_notice

REFERENCES = 5
"""Maximum number of human captions in the folded list of an item."""


def captions(page: Shown) -> None:
    """Show the items of the marked slice on which two runs differ most, or on which one is farthest from the mean."""
    study, of, short = page.known.study, page.result.of, short_names(page.known.study.runs)
    by = {row.slice.key: row for row in page.result.found.rows}
    runs = [study.run(name) for name in dict.fromkeys((page.choice["a"], page.choice["b"]))]
    called = pair_names(short, runs[0].name, runs[1].name) if len(runs) > 1 else (short[runs[0].name],)
    names, marked, noun = list(called), by[page.marked], item_noun(study)

    def choose_slice() -> None:
        labels = {key: f"{words.name(row.slice)} · {row.n}" for key, row in by.items()}
        with image_picker.row():
            address.select("Slice", "within", list(by), page.marked, format_func=labels.__getitem__, width=260)
            items = [study.items[place].id for place in marked.slice.places]
            slice_notice.save_control(words.name(marked.slice).strip("“”"), items, "slices_save")

    def body() -> None:
        with st.grid(3, min_column_width=175, gap=("medium", "small"), key="tl-cards-slices") as three:
            for one in examples(of, marked.slice):
                with three.cell(), st.container(gap="xsmall"):
                    _example(study, of.metric, runs, names, one)

    most = "where the two differ most" if len(names) > 1 else "furthest from the mean"
    figure.figure(
        "slices_captions",
        f"{words.name(marked.slice)}: {most}",
        f"{min(3, marked.n)} of {marked.n} {noun}s",
        above=choose_slice,
        body=body,
        name=f"captions of a slice, {of.metric.label}",
    )


def _example(study: Study, metric: Metric, runs: Sequence[Run], names: Sequence[str], one: Example) -> None:
    item, styles = study.items[one.place], styles_of(study)
    image_picker.card_head(item, image_picker.title(study, item), beside=[run.name for run in runs])
    for run, label, value in zip(runs, names, one.values):
        texts = dict.fromkeys(run.candidates.get(item.id, ()))
        style = styles[run.model]
        said = [look.Caption(text) for text in list(texts)[:1]]
        look.captions(
            f"{label}: {metric.label} {num(value, 2)}", said, style.mark(look.mode()), style.text(look.mode())
        )
    people = list(dict.fromkeys(item.references))
    if people:
        look.folded_captions(f"People: {len(people)}", [look.Caption(text) for text in people[:REFERENCES]])

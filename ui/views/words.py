"""The part that only the Words page has: captions with the marked word."""

from __future__ import annotations

import streamlit as st

from data.study import Run, Study
from figures.style.palette import styles_of, tone
from figures.style.run_names import short_names
from figures.style.wording import item_noun
from figures.words import words
from figures.words.chart import how_often
from figures.words.html import captions_html
from metrics.analysis.words.examples import examples
from ui.frame import look
from ui.render import Shown
from ui.session import address
from ui.widgets import figure, image_picker

EXAMPLES = 3


def captions(page: Shown) -> None:
    """Show the images on which one side, the run or people, says the marked word most and the other side least."""
    study, run = page.known.study, page.known.study.run(page.choice["run"])
    name, noun, rows = short_names(study.runs)[run.name], item_noun(study), page.result.rows
    _drop_other_unit(page)
    chosen = next(words.as_row(row) for row in rows if row.term == page.marked)
    over, under = words.shown(page.result)
    listed, more = {row.term: row for row in [*over, *under, chosen]}, chosen.ratio >= 0
    some = examples(study, run, chosen.term, more, EXAMPLES)

    def above() -> None:
        labels = {term: f"{term} · {how_often(row)}" for term, row in listed.items()}
        with image_picker.row():
            address.select(
                "Captions with", "word", list(listed), chosen.term, format_func=labels.__getitem__, width=320
            )

    def body() -> None:
        with st.grid(EXAMPLES, min_column_width=175, gap=("medium", "small"), key="tl-cards-words") as cells:
            for one in some:
                with cells.cell(), st.container(gap="xsmall"):
                    _example(study, run, name, one.place, chosen.term)

    whose = f"where {name} says it most and people least" if more else f"where people say it most and {name} least"
    figure.figure(
        "words_captions",
        f"“{chosen.term}”: {noun}s {whose}",
        words.rates(chosen, name),
        above=above,
        body=body,
        name=f"captions with {chosen.term}",
    )


def _drop_other_unit(page: Shown) -> None:
    """Forget a word that was chosen while phrases are listed, or vice versa: it is in the other list, and no
    mistake.
    """
    asked = address.value("word")
    if asked not in {row.term for row in page.result.rows} and (" " in asked) == (page.choice["unit"] == "words"):
        address.forget("word")


def _example(study: Study, run: Run, name: str, place: int, term: str) -> None:
    item, mode = study.items[place], look.mode()
    style, ink = styles_of(study)[run.model], tone("ink", mode)
    image_picker.card_head(item, image_picker.title(study, item), beside=[run.name])
    look.block(captions_html(name, run.candidates[item.id], term, style.mark(mode), style.text(mode)))
    look.block(captions_html("People", item.references, term, ink, ink))

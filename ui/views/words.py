"""The parts of the Words page: a run, its words or phrases against people's, and captions that hold the chosen one."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from data.study import Run, Study
from figures.style.palette import styles_of, tone
from figures.style.run_names import short_names
from figures.style.wording import item_noun
from figures.words import words
from figures.words.chart import NARROW, Row, chart, times
from figures.words.html import captions_html
from metrics.analysis import artifacts
from metrics.analysis.feasibility import first_runs
from metrics.analysis.words import usage as analysis
from metrics.analysis.words.examples import examples
from metrics.analysis.words.terms import UNITS, shared_items
from metrics.analysis.words.usage import Usage
from ui.frame import look
from ui.jobs.jobs import ArtifactView, jobs
from ui.session import address, state
from ui.widgets import figure, image_picker, run_picker
from ui.widgets import show as shown

FEWEST = ("5", "10", "20", "50")
EXAMPLES = 3


@dataclass(frozen=True)
class WordChoice:
    """What the controls say: a run and how its words are compared."""

    run: Run
    design: analysis.Design


def nothing(study: Study) -> bool:
    """True for a study without runs, without people's captions, or with too few items, which is said."""
    if not study.runs:
        run_picker.no_runs()
        return True
    if image_picker.no_references(study, "Words are compared with those of people."):
        return True
    fewest, noun = analysis.fewest(len(study.items)), item_noun(study)
    if len(study.items) >= fewest:
        return False
    with look.empty(
        f"Too few {noun}s",
        f"A word counts if it occurs in at least {fewest} {noun}s; this study has {len(study.items)}.",
    ):
        image_picker.data_link()
    return True


def choose(study: Study) -> WordChoice:
    """Show the row of controls and return the choice."""
    short, names = short_names(study.runs), [run.name for run in study.runs]
    with image_picker.row():
        with image_picker.row("content"):
            name = address.select("Run", "run", names, first_runs(study, 1)[0].name, format_func=short.__getitem__)
        unit = address.segments("Count", "unit", UNITS, UNITS[0], format_func=str.capitalize)
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            first = str(analysis.fewest(len(study.items)))
            fewest = address.segments(f"Fewest {item_noun(study)}s with a word", "fewest", FEWEST, first)
    return WordChoice(study.run(name), analysis.Design(name, unit, int(fewest)))  # type: ignore[arg-type]


def measured(study: Study, choice: WordChoice) -> ArtifactView:
    """Return the words of the run, or the job that compares them."""
    return jobs().artifact(artifacts.words(study, choice.design), state.session())


def show(study: Study, choice: WordChoice, view: ArtifactView) -> None:
    """Verdict, figure and captions."""
    if view.arrays is None:
        look.pending("Words", height=300)
        return
    found = analysis.usage(choice.design, view.arrays)
    if not found.rows:
        noun, unit = item_noun(study), choice.design.unit
        few = len(shared_items(study, choice.run)) < choice.design.fewest
        remedy = "" if few else ": allow fewer under Options"
        look.note(f"No {unit} occur in {choice.design.fewest} {noun}s or more{remedy}.")
        return
    name = short_names(study.runs)[choice.run.name]
    look.verdict(*words.verdict(found, name, len(study.runs) - 1))
    over, under = words.shown(found)
    chosen = _chosen(found, over, under)
    _rows(study, choice, found, name, (over, under), chosen.term)
    _captions(study, choice, name, over, under, chosen)


def _chosen(found: Usage, over: list[Row], under: list[Row]) -> Row:
    """The word in the address, else the surest."""
    asked = address.value("word")
    listed = [*over, *under]
    by = {row.term: row for row in listed}
    if asked in by:
        return by[asked]
    if rest := [row for row in found.rows if row.term == asked]:
        return words.as_row(rest[0])
    if (" " in asked) == (found.design.unit == "words"):
        address.forget("word")  # It belongs to the other list.
    surest = max(found.rows, key=lambda row: abs(row.statistic)).term
    return by.get(surest, listed[0])


def _rows(
    study: Study, choice: WordChoice, found: Usage, name: str, both: tuple[list[Row], list[Row]], chosen: str
) -> None:
    style = styles_of(study)[choice.run.model]
    alt = words.alt(name, *both)

    def body() -> None:
        for key, narrow, take in (("wide", False, _take), ("narrow", True, _take_narrow)):
            with st.container(key=f"tl-{key}-metrics"):
                made = chart(*both, name, style, chosen, look.mode(), narrow)
                shown.plot(made, f"words_{key}", alt, take)

    unit = choice.design.unit
    figure.figure(
        "words",
        f"{unit.capitalize()} of {name} against people's",
        "click one for its captions",
        draw=lambda on: chart(*both, name, style, None, on.mode, bool(on.width and on.width < NARROW)),
        body=body,
        alt=alt,
        twin=figure.Twin(lambda: words.table(found), {"formats": {"p": "%.4g", "Corrected p": "%.4g"}, "digits": 2}),
        foot=figure.Foot(words.facts(study, found, sum(map(len, both))), words.how(study), [choice.design.signature]),
        name=f"{unit} of {name}",
    )


def _captions(study: Study, choice: WordChoice, name: str, over: list[Row], under: list[Row], chosen: Row) -> None:
    """Images where one side says the chosen word and the other does not."""
    more = chosen.log_odds >= 0
    listed = {row.term: row for row in [*over, *under, chosen]}
    some = examples(study, choice.run, chosen.term, more, EXAMPLES)

    def above() -> None:
        labels = {term: f"{term} · {times(row.log_odds)}" for term, row in listed.items()}
        with image_picker.row():
            address.select(
                "Captions with", "word", list(listed), chosen.term, format_func=labels.__getitem__, width=320
            )

    def body() -> None:
        with st.grid(EXAMPLES, min_column_width=175, gap=("medium", "small"), key="tl-cards-words") as cells:
            for one in some:
                with cells.cell():
                    _example(study, choice.run, name, one.place, chosen.term)

    whose = f"where {name} says it most and people least" if more else f"where people say it most and {name} least"
    figure.figure(
        "words_captions",
        f"“{chosen.term}”: {item_noun(study)}s {whose}",
        words.rates(chosen, name),
        above=above,
        body=body,
        name=f"captions with {chosen.term}",
    )


def _example(study: Study, run: Run, name: str, place: int, term: str) -> None:
    item, mode = study.items[place], look.mode()
    style, ink = styles_of(study)[run.model], tone("ink", mode)
    look.block(captions_html(name, run.candidates[item.id], term, style.mark(mode), style.text(mode)))
    look.block(captions_html("People", item.references, term, ink, ink))
    image_picker.page_link("images", "Open image", image=item.id, beside=[run.name])


def _take() -> None:
    _choose("words_wide")


def _take_narrow() -> None:
    _choose("words_narrow")


def _choose(key: str) -> None:
    for term, *_ in shown.picked(key)[:1]:
        address.store("word", str(term))

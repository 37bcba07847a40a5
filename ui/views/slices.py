"""The parts of the Slices page: runs and metric, a row for each slice, captions of one, and scores by length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.study import Run, Study
from figures.slices import words
from figures.slices.chart import NARROW, chart, lengths
from figures.style.numbers import num
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, of_items
from metrics.analysis import artifacts, paired_defaults
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.numbers import Numbers
from metrics.analysis.slices import differences as analysis
from metrics.analysis.slices.differences import SliceDifference, SliceDifferences, Values
from metrics.analysis.slices.examples import Example, examples
from metrics.analysis.slices.lengths import length_curve
from metrics.base import Metric
from metrics.text import tokens
from ui.frame import look
from ui.jobs import registry
from ui.jobs.jobs import ArtifactView, ScoreView, jobs
from ui.session import address, state
from ui.widgets import figure, image_picker, metric_picker, run_picker, slice_notice
from ui.widgets import show as shown

FEWEST = ("5", "10", "20", "50")
REFERENCES = 5
"""Most captions by people that can be opened for an item."""


@dataclass(frozen=True)
class SliceChoice:
    """What the controls say: the metric, the runs, and how slices are compared."""

    metric: Metric
    design: analysis.Design
    correction: analysis.Correction
    runs: tuple[Run, ...]


def nothing(study: Study) -> bool:
    """True for a study without runs or with too few items, which is said with what to add."""
    if not study.runs:
        run_picker.no_runs()
        return True
    fewest = analysis.fewest(len(study.items))
    if len(study.items) >= 2 * fewest:
        return False
    noun = item_noun(study)
    with look.empty(
        f"Too few {noun}s", f"A slice and the other {noun}s need {fewest} each; this study has {len(study.items)}."
    ):
        image_picker.data_link()
    return True


def choose(study: Study) -> tuple[SliceChoice | None, ScoreView]:
    """Show the row of controls; return the choice and the numbers of its metric."""
    able = {
        name: metric
        for name, metric in registry.metrics().items()
        if metric.of_items and metric.reads_candidates and why_impossible(study, metric) is None
    }
    if not able:
        look.empty("No metric to compare by", f"No metric has a value for each {item_noun(study)} of this study.")
        return None, ScoreView({})
    with image_picker.row():
        places = [st.container(width="content") for _ in range(2)]
        with image_picker.row("content"):
            begin = "cider_d" if "cider_d" in able else next(iter(able))
            address.follow("scored_by", able)
            name = metric_picker.select("Metric", "scored_by", able, begin)
        metric = able[name]
        view = jobs().view(study, analysis.needed(study, metric), state.session())
        ready = view.job is None or view.job.ended
        runs = _runs(study, metric, Numbers(view.results), places, ready)
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            first = str(analysis.fewest(len(study.items)))
            correction = address.segments(
                "Correction", "correction", analysis.CORRECTIONS, "holm", format_func=lambda one: words.CORRECTION[one]
            )
            fewest = address.segments(f"Fewest {item_noun(study)}s in a slice", "fewest", FEWEST, first)
    second = runs[1].name if len(runs) > 1 else None
    design = analysis.Design(runs[0].name, second, int(fewest))
    return SliceChoice(metric, design, correction, runs), view  # type: ignore[arg-type]


def _runs(
    study: Study, metric: Metric, numbers: Numbers, places: Sequence[DeltaGenerator], ready: bool
) -> tuple[Run, ...]:
    """The controls of A and B, the best two once all is `ready`; A against itself is A against its own mean."""
    names, short = [run.name for run in study.runs], short_names(study.runs)
    address.follow("a", names)
    address.follow("b", names)
    with places[0], image_picker.row("content"):
        best = paired_defaults.best_first(study, numbers, metric)[0]
        first = address.select("A", "a", names, best, keep=ready, format_func=short.__getitem__)
    with places[1], image_picker.row("content"):
        alone = len(names) < 2
        begin = first if alone else paired_defaults.rival(study, numbers, (metric,), metric, study.run(first))
        said = {**short, first: "its own mean"}
        second = address.select("Against", "b", names, begin, keep=ready, format_func=said.__getitem__)
    return (study.run(first),) if second == first else (study.run(first), study.run(second))


def measured(study: Study, choice: SliceChoice, view: ScoreView) -> tuple[Values | str, ArtifactView]:
    """Return the values of the items, or why there are none, and the slices or the job that compares them."""
    found = analysis.values(study, view.results, choice.metric, choice.design)
    if isinstance(found, str) or (view.job is not None and not _complete(study, choice, view)):
        return found, ArtifactView()
    return found, jobs().artifact(artifacts.slices(study, found), state.session())


def _complete(study: Study, choice: SliceChoice, view: ScoreView) -> bool:
    """Whether everything that the slices depend on is there: tests of the runs may still be computed."""
    needed = analysis.needed(study, choice.metric)
    return len(needed) == 1 or any(name == needed[1].name for _, name in view.results)


def show(study: Study, choice: SliceChoice, of: Values, view: ArtifactView) -> None:
    """Verdict, rows, captions of the chosen slice, and scores by length."""
    short = short_names(study.runs)
    names = [short[run.name] for run in choice.runs]
    if view.arrays is None:
        look.pending("Slices", height=300)
        return
    found = analysis.differences(of, view.arrays, choice.correction)
    if not found.rows:
        noun = item_noun(study)
        look.note(f"No slice has {choice.design.fewest} {noun}s inside and outside: allow fewer under Options.")
        return
    look.verdict(*words.verdict(of, found, names, item_noun(study)))
    chosen = _chosen(of, found)
    _rows(study, choice, of, found, names, chosen)
    _captions(study, choice, of, names, found, chosen)
    _lengths(study, choice, of, names)


def _chosen(of: Values, found: SliceDifferences) -> SliceDifference:
    """The slice in the address, else the one with the smallest p."""
    by = {row.slice.key: row for row in found.rows}
    return by.get(address.value("within"), found.rows[0])


def _rows(
    study: Study,
    choice: SliceChoice,
    of: Values,
    found: SliceDifferences,
    names: Sequence[str],
    chosen: SliceDifference,
) -> None:
    drawn = words.rows(of, found)
    rows, heads = [words.row(of, one) for one in drawn], words.heads(study, choice.metric, choice.runs, names)
    overall, alt = words.advantage(of, found.overall), words.alt(of, found, drawn)

    def both() -> None:
        for key, narrow, take in (("wide", False, _take), ("narrow", True, _take_narrow)):
            with st.container(key=f"tl-{key}-metrics"):
                made = chart(rows, overall, heads, chosen.slice.key, look.mode(), narrow)
                shown.plot(made, f"slices_{key}", alt, take)

    against = f"{names[0]} against {names[1]}" if len(names) > 1 else names[0]
    figure.figure(
        "slices",
        f"{against}, slice by slice",
        f"a slice: {item_noun(study)}s that have something in common; line: all together",
        draw=lambda on: chart(rows, overall, heads, None, on.mode, bool(on.width and on.width < NARROW)),
        body=both,
        alt=alt,
        twin=figure.Twin(words.table(of, found), {"formats": {"p": "%.4g", "Corrected p": "%.4g"}}),
        foot=figure.Foot(
            words.facts(study, of, found, len(rows)),
            of_items(study, words.HOW),
            [choice.metric.signature],
        ),
        metrics=[choice.metric],
        name=f"slices, {against}",
    )


def _captions(
    study: Study,
    choice: SliceChoice,
    of: Values,
    names: Sequence[str],
    found: SliceDifferences,
    chosen: SliceDifference,
) -> None:
    """The items of the chosen slice where the two runs differ most."""
    by = {row.slice.key: row for row in found.rows}
    noun = item_noun(study)

    def choose_slice() -> None:
        labels = {key: f"{words.name(row.slice)} · {row.n}" for key, row in by.items()}
        with image_picker.row():
            address.select("Slice", "within", list(by), chosen.slice.key, format_func=labels.__getitem__, width=260)
            items = [study.items[place].id for place in chosen.slice.places]
            slice_notice.save_control(words.name(chosen.slice).strip("“”"), items, "slices_save")

    def body() -> None:
        with st.grid(3, min_column_width=175, gap=("medium", "small"), key="tl-cards-slices") as three:
            for one in examples(of, chosen.slice):
                with three.cell():
                    _example(study, choice, names, one)

    most = "where the two differ most" if len(names) > 1 else "furthest from the mean"
    figure.figure(
        "slices_captions",
        f"{words.name(chosen.slice)}: {most}",
        f"{min(3, chosen.n)} of {chosen.n} {noun}s",
        above=choose_slice,
        body=body,
        name=f"captions of a slice, {choice.metric.label}",
    )


def _example(study: Study, choice: SliceChoice, names: Sequence[str], one: Example) -> None:
    item, styles = study.items[one.place], styles_of(study)
    for run, label, value in zip(choice.runs, names, one.values):
        texts = dict.fromkeys(run.candidates.get(item.id, ()))
        style = styles[run.model]
        said = [look.Caption(text) for text in list(texts)[:1]]
        look.captions(
            f"{label}: {choice.metric.label} {num(value, 2)}", said, style.mark(look.mode()), style.text(look.mode())
        )
    people = list(dict.fromkeys(item.references))
    if people:
        look.folded_captions(f"People: {len(people)}", [look.Caption(text) for text in people[:REFERENCES]])
    image_picker.page_link("images", "Open image", image=item.id)


def _lengths(study: Study, choice: SliceChoice, of: Values, names: Sequence[str]) -> None:
    """Scores of each run by the length of its captions."""
    if tokens.missing(study.tokenizer) is not None:
        return
    curves = [length_curve(study, run, values) for run, values in zip(choice.runs, of.sides)]
    styles = styles_of(study)
    marks, label = [styles[run.model] for run in choice.runs], choice.metric.label
    with st.expander("Caption length against score", key="length_panel"):
        figure.figure(
            "slices_lengths",
            f"{label} by words per caption",
            draw=lambda on: lengths(curves, names, marks, label, on.mode),
            alt=f"{label} of {' and '.join(names)} in groups of images by the length of the run's captions",
            twin=figure.Twin(words.length_table(curves, names)),
            foot=figure.Foot(words.length_facts(study, curves, names), signatures=[choice.metric.signature]),
            metrics=[choice.metric],
            name=f"caption length, {label}",
        )


def _take() -> None:
    _choose("slices_wide")


def _take_narrow() -> None:
    _choose("slices_narrow")


def _choose(key: str) -> None:
    for name, *_ in shown.picked(key)[:1]:
        address.store("within", str(name))

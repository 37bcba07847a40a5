"""The parts of the Robustness page: controls, the grid of faults and metrics, and captions before and after damage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from data.study import Study
from figures.judgments.ranking import ACCENT
from figures.robustness import words
from figures.robustness.example import Reading, example
from figures.robustness.grid import grid
from figures.robustness.grid_picture import grid_picture
from figures.style.numbers import count, percent
from figures.style.wording import item_noun, n_items, of_items
from metrics.analysis import artifacts
from metrics.analysis.robustness import defaults
from metrics.analysis.robustness.curves import Curve, curves, item_kept, item_values, run_values
from metrics.analysis.robustness.damaged_sets import BETWEEN, held_out_sets
from metrics.analysis.robustness.design import MOST, Design, held_out, suited, suited_sets, without_words
from metrics.analysis.robustness.measure import Measured, from_arrays
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.transformations import TRANSFORMATIONS
from ui.frame import look
from ui.jobs import study_metrics
from ui.jobs.jobs import ArtifactView, jobs
from ui.session import address, state
from ui.widgets import figure, image_picker, metric_picker

STRENGTHS = ("0.2", "0.4", "0.6", "0.8", "1.0")
SETS = "sets"
FIRST = 60
"""Number of images of a large study that are damaged first, so that there is a verdict before all are done."""


@dataclass(frozen=True)
class RobustnessChoice:
    """The state of the controls: the faults of captions or of sets, the metrics, and the strength of the example."""

    design: Design
    metrics: tuple[Metric, ...]
    strength: float


@dataclass(frozen=True)
class _Held:
    """Human captions against which to score a damaged one, by position of the image.

    `without_words` counts the images left out because their captions have no spaces between words.
    """

    others: dict[int, tuple[str, ...]]
    without_words: int


def _held(study: Study, design: Design) -> _Held:
    return _draw(study, study.digest, replace(design, transformations=()))


@st.cache_resource(max_entries=32, show_spinner=False)
def _draw(_study: Study, digest: str, design: Design) -> _Held:
    """Return what damaged captions are scored against.

    For 5,000 images, this takes longer than everything else on the page.
    """
    every = held_out_sets(_study, design) if design.sets else held_out(_study, design)
    return _Held({one.place: one.item.references for one in every}, without_words(_study, design))


def nothing(study: Study) -> bool:
    """Return True, and show a message, if no image has two references with space-separated words."""
    held = _held(study, Design(()))
    if held.others:
        return False
    if left := held.without_words:
        some = f"{count(left, item_noun(study))} {'has' if left == 1 else 'have'}"
        said = f"Words are split at spaces: {some} captions without any, as in Chinese."
        title = "No caption has two words"
    else:
        said = "One caption by a person is damaged and scored against the others: two for each image are needed."
        title = "No image has two captions by people"
    with look.empty(*of_items(study, [title, said])):
        image_picker.data_link()
    return True


def choose(study: Study) -> RobustnessChoice | None:
    """Show the row of controls; return the choice, or None with a note if no fault or no metric is chosen."""
    with image_picker.row():
        with image_picker.row("content"):
            of = address.select("Damage", "of", ("captions", SETS), "captions", format_func=_OF.__getitem__)
        faults = address.select_several("faults", list(TRANSFORMATIONS), defaults.FAULTS)
        with st.popover(f":gray[Faults:] **{len(faults)} of {len(TRANSFORMATIONS)}**", key="faults_panel"):
            labels = {name: one.label for name, one in TRANSFORMATIONS.items()}
            faults = address.pills("Faults", "faults", list(labels), defaults.FAULTS, format_func=labels.__getitem__)
        metrics = _metrics(study, of == SETS)
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            strength = address.segments(
                "Strength of the example", "strength", STRENGTHS, "0.6", format_func=lambda s: percent(float(s))
            )
    if not faults or not metrics:
        look.note("Choose a fault and a metric.")
        return None
    design = Design(tuple(TRANSFORMATIONS[name] for name in faults), sets=of == SETS)
    return RobustnessChoice(design, metrics, float(strength))


_OF = {"captions": "single captions", SETS: "a share of each set"}


def _metrics(study: Study, of_sets: bool) -> tuple[Metric, ...]:
    every = {**study_metrics.metrics(), **{one.name: one for one in defaults.unaugmented()}}.items()
    suits = {name: metric for name, metric in every if (suited_sets(metric) if of_sets else _suits(metric))}
    asked = _ASKED[of_sets]
    by = metric_picker.able(study, suits, asked)
    first = defaults.OF_SETS if of_sets else defaults.OF_CAPTIONS
    names = address.select_several(asked, list(by), first)
    with st.popover(f":gray[Metrics:] **{len(names)} of {len(by)}**", key="scores_panel"):
        names = metric_picker.pills("Metrics", asked, by, first)
        metric_picker.say_lacking(study, suits, by)
    return tuple(by[name] for name in names)


_ASKED = {False: "scores", True: "set_scores"}


def _suits(metric: Metric) -> bool:
    return suited(metric) and metric.family == "quality"


def measured(study: Study, choice: RobustnessChoice) -> tuple[RobustnessChoice, ArtifactView]:
    """Return the damaged captions with their scores, or the job that computes them.

    A large study begins with FIRST of its images. Until all are done, these are returned, with the job for the others.
    """
    whole = artifacts.damaged_captions(study, choice.design, choice.metrics, jobs().cache)
    few = len(_held(study, choice.design).others) <= 2 * FIRST
    if few or any(metric.judges_others for metric in choice.metrics) or jobs().has(whole.key, state.session()):
        return choice, jobs().artifact(whole, state.session())
    first = replace(choice, design=replace(choice.design, most=FIRST))
    work = artifacts.damaged_captions(study, first.design, first.metrics, jobs().cache)
    found = jobs().artifact(replace(work, title=f"{work.title} of {n_items(study, FIRST)} first"), state.session())
    rest = jobs().artifact(whole, state.session(), start=found.arrays is not None)
    if rest.arrays is not None:
        return choice, rest
    return first, found if found.arrays is None else replace(found, job=rest.job)


def show_finished(study: Study, choice: RobustnessChoice, view: ArtifactView) -> None:
    """Show the cells that a job has finished so far, and the others as pending; nothing once the job has ended."""
    if view.job is None or view.job.state_for(state.session()) not in ("waiting", "running"):
        return
    every: dict[tuple[str, str], Curve] = {}
    for one in choice.design.transformations:
        alone = replace(choice.design, transformations=(one,))
        for metric in choice.metrics:
            cell = artifacts.damaged_captions(study, alone, (metric,), jobs().cache)
            arrays = jobs().artifact(cell, state.session(), start=False).arrays
            if arrays is not None:
                every |= curves(from_arrays(alone, (metric,), arrays, study.unit), (metric,))
    links = {key: _link(".".join(key)) for key in every}
    faults = choice.design.transformations
    look.block(grid(faults, defaults.in_order(choice.metrics), every, links, None, look.mode(), choice.design.sets))
    if every:
        look.figure_footer(words.facts(study, every, waiting=True))


def show(study: Study, choice: RobustnessChoice, arrays: Arrays) -> None:
    """Show the verdict, the grid and an example."""
    found = from_arrays(choice.design, choice.metrics, arrays, study.unit)
    every = curves(found, choice.metrics)
    faults = choice.design.transformations
    order = words.columns(defaults.in_order(choice.metrics), every)
    look.verdict(*words.verdict(faults, order or choice.metrics, every))
    if choice.design.most == FIRST:
        some = f"{FIRST} of {n_items(study, len(_held(study, replace(choice.design, most=MOST)).others))}"
        look.note(f"From {some}, drawn at random, while the others are computed.")
    if not order:
        look.figure_footer(words.facts(study, every)[:1])
        return
    chosen = _chosen(every)
    links = {key: _link(".".join(key)) for key in every}
    of_sets = choice.design.sets
    figure.figure(
        "robustness",
        f"How much of its score a damaged {'set of captions' if of_sets else 'caption'} keeps",
        "less ink: the metric noticed the fault",
        draw=lambda on: grid_picture(faults, order, every, on.mode, on.width),
        body=lambda: look.block(grid(faults, order, every, links, chosen, look.mode(), of_sets)),
        alt=words.alt(every),
        twin=figure.Twin(words.table(every)),
        foot=figure.Foot(
            words.facts(study, every, 0 if of_sets else _held(study, choice.design).without_words),
            of_items(study, [words.HOW_SETS if of_sets else words.HOW]),
            [metric.signature for metric in order],
        ),
        metrics=order,
        name="robustness of sets" if of_sets else "robustness",
    )
    _example(study, choice, found, order, chosen)


def _chosen(every: Mapping[tuple[str, str], Curve]) -> tuple[str, str]:
    fault, _, metric = address.value("cell").partition(".")
    known = {key: one.summary.value for key, one in every.items() if one.told}
    return (fault, metric) if (fault, metric) in known else max(known, key=known.__getitem__)


def _link(cell: str) -> str:
    return image_picker.here(cell=cell)


def _example(
    study: Study, choice: RobustnessChoice, found: Measured, order: list[Metric], chosen: tuple[str, str]
) -> None:
    """Show one caption or set under the chosen fault, of the item with the median loss by the chosen metric."""
    one, of_sets = TRANSFORMATIONS[chosen[0]], choice.design.sets
    strengths = choice.design.of(one)
    at = strengths.index(choice.strength) if choice.strength in strengths else len(strengths) - 1
    column = choice.design.columns(one).start + at
    asked = next(m for m in order if m.name == chosen[1])
    row = _typical(found, next((m for m in (asked, *order) if m.of_items), None), column)
    before, after = (found.texts[row][k].split(BETWEEN) for k in (0, column))
    readings = [_reading(found, metric, row, column, metric is asked) for metric in order]
    what = "One set of captions" if of_sets else "One caption"
    share = f", {percent(strengths[at])}{' of the captions' * of_sets}" if choice.design.graded(one) else ""
    others = _held(study, choice.design).others[found.places[row]]

    def body() -> None:
        look.block(example(before, after, others, readings, ACCENT[look.mode()]))

    figure.figure(
        "robustness_example",
        f"{what}: {words.phrase(one)}{share}",
        "bar: share of the score that the damaged one keeps",
        body=body,
    )


def _reading(found: Measured, metric: Metric, row: int, column: int, chosen: bool) -> Reading:
    if metric.of_items:
        values, kept = item_values(found, metric, row), item_kept(found, metric, row, column)
        return Reading(metric.label, float(values[0]), float(values[column]), kept, chosen)
    first, after, kept = run_values(found, metric, column)
    return Reading(f"{metric.label}, run", first, after, kept, chosen)


def _typical(found: Measured, metric: Metric | None, column: int) -> int:
    """The row with the median share kept among items that the fault changed; the first row if there are none.

    Of rows with equal shares, it is the one whose undamaged captions score highest.
    """
    if metric is None:
        return 0
    kept, before = {}, {}
    for row, texts in enumerate(found.texts):
        if texts[column] != texts[0] and not np.isnan(share := item_kept(found, metric, row, column)):
            kept[row], before[row] = share, float(item_values(found, metric, row)[0])
    if not kept:
        return 0
    median = sorted(kept.values())[len(kept) // 2]
    return max((row for row in kept if kept[row] == median), key=lambda row: (before[row], -row))

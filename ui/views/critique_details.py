"""Details of one critique: words, misjudged captions, learning, augmentation, context and network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from data.study import Study
from figures.critique import words
from figures.critique.chart import Row, learning, scores
from figures.critique.word_use import word_use
from figures.style.numbers import num
from figures.style.palette import ModelStyle, styles_of
from figures.style.run_names import short_names
from figures.style.wording import of_items
from metrics.analysis.critique import mistakes
from metrics.analysis.critique import words as use
from metrics.analysis.critique.critics import Critic
from metrics.analysis.critique.stored import Design
from metrics.learned.critique_metric import NO_IMAGES, Critique
from ui.frame import look
from ui.views import critique_training
from ui.widgets import figure, parts
from ui.widgets import show as shown

MOST, LISTED = 3, 50
"""Maximum numbers of captions visible in a list, and in its table."""
SETTINGS = (
    *(("reference", network) for network in words.NETWORKS),
    *(("none", network) for network in ("mlp", "linear")),
)
BESIDE_IMAGES = tuple((context, network) for context in ("image", "both") for network in words.NETWORKS)


def show(study: Study, design: Design, found: Sequence[Critic], one: Critic) -> None:
    """Show the chosen view of a critique."""
    views: dict[str, tuple[str, Callable[[], None]]] = {
        "captions": ("Captions", lambda: _captions(study, design, found, one)),
        "words": ("Words", lambda: _words(study, one)),
        "augmentation": ("Artificial captions", lambda: _augmentation(study, design, one)),
        "settings": ("Other networks", lambda: _settings(study, design, one)),
        "learning": ("Training", lambda: _learning(study, design, found, one)),
    }
    views[parts.tabs("detail", {name: title for name, (title, _) in views.items()})][1]()


def _style(study: Study, run: str) -> ModelStyle:
    return styles_of(study)[study.run(run).model]


def _captions(study: Study, design: Design, found: Sequence[Critic], one: Critic) -> None:
    mode, name = look.mode(), short_names(study.runs)
    of = found if design.one_for_all else [one]
    runs, people = mistakes.taken_for_people(study, of, LISTED), mistakes.taken_for_a_machine(study, one, LISTED)
    whose = "all runs" if design.one_for_all else name[one.run]
    style = _style(study, one.run)

    def body() -> None:
        left, right = st.columns(2)
        with left:
            title = f"By {whose}, taken for people's"
            look.captions(title, _listed(runs), style.mark(mode), style.text(mode))
        with right:
            look.captions("By people, taken for a machine's", _listed(people))

    figure.figure(
        "critique_captions",
        "Captions on the wrong side",
        "P(a person wrote it) before each",
        body=body,
        twin=figure.Twin(words.mistake_table(study, (runs, people))),
        foot=figure.Foot((f"the {MOST} furthest of each side; the table has {LISTED}",), (), [design.metric.signature]),
        name=f"captions on the wrong side, {whose}",
    )


def _listed(every: Sequence[mistakes.Scored]) -> list[look.Caption]:
    return [look.Caption(one.text, lead=num(one.score, 2)) for one in every[:MOST]]


def _words(study: Study, one: Critic) -> None:
    name, style = short_names(study.runs)[one.run], _style(study, one.run)
    found = use.word_use(study, study.run(one.run))
    if not found.words:
        look.note(f"No word occurs {use.LEAST} times.")
        return
    figure.figure(
        "critique_words",
        f"Words of people and of {name}",
        "above the line: more often in the run",
        draw=lambda on: word_use(found, name, style, on.mode, bool(on.width and on.width < 500)),
        alt=words.alt_words(found, name),
        twin=figure.Twin(words.word_table(found), {"digits": 2}),
        foot=figure.Foot(words.word_facts(found), (words.HOW_WORDS,)),
        name=f"words of people and of {name}",
    )


def _augmentation(study: Study, design: Design, one: Critic) -> None:
    if not design.metric.learns_of_runs:
        look.note("These critiques learn only from captions of other images: to compare, turn Augmentation on or off.")
        return
    other = replace(design, metric=replace(design.metric, augmented=not design.metric.augmented))
    of_run = _of_run(study, other, one.run)
    name = short_names(study.runs)[one.run]
    # The open marks are those of the critique that was trained without augmentation.
    pair = (of_run, one) if of_run is not None and not design.metric.augmented else (one, of_run)
    rows = words.compared(study, *pair)
    said = "with" if design.metric.augmented else "without"
    _rows(
        "critique_augmentation",
        f"What the critique of {name} says of each kind of caption",
        rows,
        "; ".join(
            f"{row.label} {', '.join(f'{mark.name} {num(mark.value, 2)}' for mark in row.marks)}" for row in rows
        ),
        figure.Foot(
            ("filled: with augmentation", "open: without", "bars: 95 % interval")
            if of_run is not None
            else (f"{said} augmentation", "bars: 95 % interval"),
            of_items(study, words.HOW),
            [design.metric.signature, *([other.metric.signature] if of_run is not None else [])],
        ),
    )
    if of_run is None:
        said = "with" if other.metric.augmented else "without"
        look.note(f"The critique {said} augmentation is not trained yet: it shows what augmentation is for.")
        critique_training.offer(study, [one.run], [other], "train_other")


def _settings(study: Study, design: Design, one: Critic) -> None:
    settings = SETTINGS if design.metric.images == NO_IMAGES else (*SETTINGS, *BESIDE_IMAGES)
    every = [replace(design, metric=_with(design, *setting)) for setting in settings]
    found = [(made, there) for made in every if (there := _of_run(study, made, one.run)) is not None]
    rows = words.by_setting(study, one.run, found)
    _rows(
        "critique_settings",
        f"Does another critique say the same of {short_names(study.runs)[one.run]}?",
        rows,
        "; ".join(f"{row.label}: {', '.join(f'{m.name} {num(m.value, 2)}' for m in row.marks)}" for row in rows),
        figure.Foot(
            ("without colour: people", "in its colour: the run", "bars: 95 % interval"),
            of_items(study, words.HOW),
            [made.metric.signature for made, _ in found],
        ),
    )
    if missing := [made for made in every if made not in [known for known, _ in found]]:
        look.note(f"{len(missing)} of {len(every)} are not trained yet: each sees something else, or is simpler.")
        critique_training.offer(study, [one.run], missing, "train_settings")


def _of_run(study: Study, design: Design, run: str) -> Critic | None:
    """The critique of a run with other settings if it is trained, else None."""
    return next((one for one in critique_training.critics(study, design) if one.run == run), None)


def _with(design: Design, context: str, network: str) -> Critique:
    images = design.metric.images if context in ("image", "both") else NO_IMAGES
    return replace(design.metric, context=context, combination=network, images=images)  # type: ignore[arg-type]


def _rows(key: str, title: str, rows: Sequence[Row], alt: str, foot: figure.Foot) -> None:
    figure.figure(
        key,
        title,
        "higher: more like people",
        draw=lambda on: scores(rows, None, on.mode, bool(on.width and on.width < 500)),
        body=lambda: shown.twice(lambda narrow: scores(rows, None, look.mode(), narrow), key, "critic", alt),
        alt=alt,
        twin=figure.Twin(words.row_table(rows)),
        foot=foot,
        name=title,
    )


def _learning(study: Study, design: Design, found: Sequence[Critic], one: Critic) -> None:
    every = words.losses(study, found)
    chosen = words.ALL if design.one_for_all else short_names(study.runs)[one.run]
    figure.figure(
        "critique_learning",
        "Has the critique learned all that it can?",
        "yes where its errors on new captions, the line, no longer fall",
        draw=lambda on: learning(every, chosen, on.mode),
        alt=words.alt_losses(every, chosen),
        twin=figure.Twin(words.loss_table(every)),
        foot=figure.Foot(words.loss_facts(every, chosen), (words.HOW_LEARNING,), [design.metric.signature]),
        name="critique, learning",
    )

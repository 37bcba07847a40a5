"""The parts of the Critique page: controls, and the scores of runs and people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import streamlit as st

from data.study import Study
from figures.critique import words
from figures.critique.chart import scores
from figures.report import commands
from figures.style.numbers import P_VALUE
from figures.style.run_names import short_names
from figures.style.wording import of_items
from metrics.analysis.critique import stored
from metrics.analysis.critique.critics import Critic, table
from metrics.learned.critique_metric import NO_IMAGES, Critique
from ui.frame import look
from ui.jobs import study_metrics
from ui.session import address, state
from ui.views import critique_details, critique_inputs, critique_training
from ui.widgets import figure, image_picker, run_picker, show

REPEATS = ("1", "2", "3", "5", "10")
SEEDS = tuple(str(k) for k in range(10))
AUGMENTED = {"with": "on", "without": "off", "others": "other captions only"}
"""Whether artificial captions are used in training; the last option uses only captions of other items instead of the
run's.
"""
ALL = "all"
"""The value in the address for one critique of all runs."""


@dataclass(frozen=True)
class CritiqueChoice:
    """The state of the controls: the critiques, and the run whose details are shown ("" for the best)."""

    design: stored.Design
    run: str


def nothing(study: Study) -> bool:
    """Return True, and show a message that says what to add, if a study has no runs."""
    if study.runs:
        return False
    run_picker.no_runs(study)
    return True


def choose(study: Study) -> CritiqueChoice:
    """Show the row of controls, or only options while nothing is trained; return the choice."""
    names = {run: f"of {short}" for run, short in short_names(study.runs).items()}
    if len(names) > 1 and ALL not in names:
        names[ALL] = words.ALL
    trained = critique_training.critics(study, design(study, start=False))
    first = next((one.run for one in words.ordered(trained)), next(iter(names)))
    with image_picker.row():
        critic = _settings(names, first) if trained else ""
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            if not trained:
                critic = _settings(names, first)
            _segments("Network", "network", words.NETWORKS)
            _segments("Captions read by", "reader", words.READERS)
            _segments("Trainings with other seeds", "trainings", {one: one for one in REPEATS})
            address.select("Seed", "seed", SEEDS, "0")
            beside = _value("context", words.CONTEXTS) in ("image", "both")
            critique_inputs.controls(study, _value("reader", words.READERS) == "lstm", beside)
    made = design(study)
    return CritiqueChoice(made, "" if made.one_for_all else critic)


def _settings(names: dict[str, str], first: str) -> str:
    with image_picker.row("content"):
        _select("Judged beside", "context", words.CONTEXTS)
    with image_picker.row("content"):
        _select("Augmentation", "made", AUGMENTED)
    with image_picker.row("content"):
        return address.select("Critique", "critic", list(names), first, format_func=names.__getitem__)


def design(study: Study, start: bool = True) -> stored.Design:
    """Return the design of critiques in the address, or in the session if the address belongs to another page.

    Without `start`, the study's pictures are not read for the design.
    """
    made, reader, context = (
        _value(name, of) for name, of in (("made", AUGMENTED), ("reader", words.READERS), ("context", words.CONTEXTS))
    )
    metric = Critique(
        context=context,  # type: ignore[arg-type]
        combination=_value("network", words.NETWORKS),  # type: ignore[arg-type]
        augmented=made != "without",
        repeats=int(_value("trainings", REPEATS)),
        seed=int(_value("seed", SEEDS)),
        negatives="random_captions" if made == "others" else "all",
        reader=reader,  # type: ignore[arg-type]
        vectors=critique_inputs.word_vectors() if reader == "lstm" else "",
        images=critique_inputs.image_features(study, start) if context in ("image", "both") else NO_IMAGES,
    )
    of_all = address.value("critic") == ALL and len(study.runs) > 1 and ALL not in {run.name for run in study.runs}
    return stored.Design(metric, of_all)


def _value(name: str, options: Collection[str]) -> str:
    asked = address.value(name)
    return asked if asked in options else next(iter(options))


def _select(label: str, name: str, options: dict[str, str]) -> None:
    address.select(label, name, list(options), next(iter(options)), format_func=options.__getitem__)


def _segments(label: str, name: str, options: dict[str, str]) -> None:
    address.segments(label, name, list(options), next(iter(options)), format_func=options.__getitem__)


def show_scores(study: Study, choice: CritiqueChoice, found: Sequence[Critic]) -> None:
    """Show the verdict, scores of runs and people, what is not trained yet, and the details of one critique."""
    metric, names = choice.design.metric, short_names(study.runs)
    look.verdict(*words.verdict(study, found, metric.augmented))
    rows, alt = words.rows(study, found), words.alt(study, found)
    figure.figure(
        "critique",
        "Whose captions pass for people's",
        words.READING,
        draw=lambda on: scores(rows, None, on.mode, bool(on.width and on.width < 500), differences=True),
        body=lambda: show.twice(
            lambda narrow: scores(rows, choice.run, look.mode(), narrow, differences=True),
            "critique",
            "critique",
            alt,
            "critic",
        ),
        alt=alt,
        twin=figure.Twin(words.table(study, table(found)), {"formats": {"p": P_VALUE}}),
        foot=figure.Foot(words.facts(study, found), of_items(study, words.HOW), [metric.signature]),
        metrics=[metric],
        name="critique",
        downloads=lambda: _command(study, choice.design),
    )
    critique_training.show_rest(study, choice.design, found)
    one = next((one for one in found if one.run == choice.run), None)
    if one is not None or not choice.run:
        critique_details.show(study, choice.design, found, one or words.ordered(found)[0])
    elif not critique_training.active(study, choice.design):
        critique_training.offer(study, [choice.run], [choice.design], "train_one", f"the one of {names[choice.run]}")


def _command(study: Study, design: stored.Design) -> None:
    given = commands.saved(study, study is state.demo().study, study_metrics.idf() is not None)
    made = critique_inputs.setup_lines(study, given.files[0]) if design.metric.beside_images else []
    lines = [*given.setup_lines, *made, commands.train_critique(given, design)]
    st.code("\n".join(lines), language=None, wrap_lines=True)

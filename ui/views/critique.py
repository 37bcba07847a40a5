"""The parts of the Critique page: controls, and the scores of runs and people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from data.study import Study
from figures.critique import words
from figures.critique.chart import Row, scores
from figures.report import commands
from figures.style.run_names import short_names
from metrics.analysis.critique import stored
from metrics.analysis.critique.critics import Critic, table
from metrics.cache.entry import Arrays
from metrics.critique import Critique
from ui.frame import look
from ui.jobs import registry
from ui.session import address, state
from ui.views import critique_details
from ui.widgets import figure, image_picker, run_picker, show

REPEATS = ("1", "2", "3", "5", "10")
SEEDS = tuple(str(k) for k in range(10))
AUGMENTED = {"with": "on", "without": "off", "others": "other captions alone"}
"""What is learned besides captions of runs; the last leaves those out, and learns nothing of a run."""
ALL = "all"
"""One critique of all runs, in the address."""
_KEYS = dict(zip(words.SYMBOLS, ("dot square", "dot diamond", "dot triangle-up", "dot cross")))


@dataclass(frozen=True)
class CritiqueChoice:
    """What the controls say: the critiques, and the run whose details are shown, "" for the best."""

    design: stored.Design
    run: str


def nothing(study: Study) -> bool:
    """True for a study without runs, which is said with what to add."""
    if study.runs:
        return False
    run_picker.no_runs()
    return True


def choose(study: Study) -> CritiqueChoice:
    """The row of controls."""
    names = {run: f"of {short}" for run, short in short_names(study.runs).items()}
    if len(names) > 1 and ALL not in names:
        names[ALL] = words.ALL
    contexts, networks = words.CONTEXTS, words.NETWORKS
    with image_picker.row():
        with image_picker.row("content"):
            beside = address.select("Beside", "context", list(contexts), "reference", format_func=contexts.__getitem__)
        with image_picker.row("content"):
            made = address.select("Augmentation", "made", list(AUGMENTED), "with", format_func=AUGMENTED.__getitem__)
        with image_picker.row("content"):
            critic = address.select("Critique", "critic", list(names), next(iter(names)), format_func=names.__getitem__)
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            network = address.segments("Network", "network", list(networks), "mlp", format_func=networks.__getitem__)
            reader = address.segments(
                "Captions read by", "reader", list(words.READERS), "sentence", format_func=words.READERS.__getitem__
            )
            repeats = address.segments("Trainings with other seeds", "trainings", REPEATS, "1")
            seed = address.select("Seed", "seed", SEEDS, "0")
    metric = Critique(
        context="none" if beside == "none" else "reference",
        combination=network,  # type: ignore[arg-type]
        augmented=made != "without",
        repeats=int(repeats),
        seed=int(seed),
        negatives="random_captions" if made == "others" else "all",
        reader="lstm" if reader == "lstm" else "sentence",
    )
    of_all = critic == ALL and names[ALL] == words.ALL
    return CritiqueChoice(stored.Design(metric, of_all), "" if of_all else critic)


def show_scores(study: Study, choice: CritiqueChoice, arrays: Arrays) -> None:
    """Verdict, scores of runs and people, and the details of one critique."""
    found = stored.from_arrays(study, choice.design, arrays)
    metric = choice.design.metric
    look.verdict(*words.verdict(study, found, metric.augmented))
    rows, alt = words.rows(study, found), words.alt(study, found)
    figure.figure(
        "critique",
        "Whose captions pass for people's",
        "higher: more like people",
        draw=lambda on: scores(rows, None, on.mode, bool(on.width and on.width < 500)),
        body=lambda: _both(study, rows, choice.run, alt),
        alt=alt,
        twin=figure.Twin(words.table(study, table(found))),
        foot=figure.Foot(words.facts(study, found), words.HOW, [metric.signature]),
        metrics=[metric],
        name="critique",
        downloads=lambda: _command(study, choice.design),
    )
    critique_details.show(study, choice.design, found, _detailed(found, choice.run))


def _detailed(found: Sequence[Critic], run: str) -> Critic:
    """The critique of the chosen run, else of the run that passes best."""
    return next((one for one in found if one.run == run), words.ordered(found)[0])


def _both(study: Study, rows: Sequence[Row], chosen: str, alt: str) -> None:
    """The figure for wide and for narrow screens, of which the style sheet shows one, below one legend."""
    made = (look.Key(text, _KEYS[kind]) for kind, text in words.kinds(study).items())
    look.key_line([look.Key("people", "dot"), look.Key("in its own colour, the run", "ring"), *made])
    for key, narrow, take in (("wide", False, _take), ("narrow", True, _take_narrow)):
        with st.container(key=f"tl-{key}-critique"):
            show.plot(scores(rows, chosen, look.mode(), narrow), f"critique_{key}", alt, take)


def _take() -> None:
    _choose("critique_wide")


def _take_narrow() -> None:
    _choose("critique_narrow")


def _choose(key: str) -> None:
    for name, *_ in show.picked(key)[:1]:
        address.store("critic", str(name))


def _command(study: Study, design: stored.Design) -> None:
    given = commands.saved(study, study is state.demo().study, registry.idf() is not None)
    lines = [*given.setup_lines, commands.train_critique(given, design)]
    st.code("\n".join(lines), language="bash", wrap_lines=True)

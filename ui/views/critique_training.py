"""Training of critiques from a page: a button that states the time it takes, and its progress."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.study import Study
from figures.critique import words
from figures.critique.chart import scores
from figures.style.numbers import count
from figures.style.run_names import short_names
from figures.style.wording import item_noun
from metrics.analysis import artifacts
from metrics.analysis.critique import machine_speed, stored
from metrics.analysis.critique.critics import Critic
from metrics.analysis.feasibility import why_impossible
from ui.frame import errors, look
from ui.frame.wording import roughly
from ui.jobs import progress
from ui.jobs.jobs import ArtifactView, jobs
from ui.session import state
from ui.widgets import image_picker, show

PENDING = 8
"""Maximum number of runs named while their critiques are trained."""


def impossible(study: Study, design: stored.Design) -> bool:
    """Return True, and show a message with the remedy, if no critique of this design can be trained."""
    why = why_impossible(study, design.metric) or _lacking(study, study.digest, design)
    if why is None:
        return False
    with look.empty("No critique can be trained here", f"{why[0].upper()}{why[1:].rstrip('.')}."):
        image_picker.data_link()
        image_picker.page_link("critique", "Open the demo", "science", study=state.DEMO)
    return True


@st.cache_data(max_entries=64, show_spinner=False)
def _lacking(_study: Study, digest: str, design: stored.Design) -> str | None:
    return stored.lacking(_study, design)


@st.cache_data(ttl=60, show_spinner=False)
def _slowdown() -> float:
    return machine_speed.slowdown()


def view(study: Study, design: stored.Design) -> ArtifactView:
    """Return the arrays of the critiques if they are trained, or the job that trains them; only `start` starts one."""
    owner = state.session()
    trained = stored.is_trained(study, design, lambda key: jobs().has(key, owner))
    return jobs().artifact(artifacts.critiques(study, design, jobs().cache), owner, start=trained)


def critics(study: Study, design: stored.Design) -> list[Critic] | None:
    """Return the critiques, or None if they are not trained."""
    arrays = view(study, design).arrays
    return None if arrays is None else stored.from_arrays(study, design, arrays)


def start(study: Study, designs: Sequence[stored.Design]) -> None:
    """Begin the training of these critiques."""
    for design in designs:
        jobs().artifact(artifacts.critiques(study, design, jobs().cache), state.session())


def offer(study: Study, designs: Sequence[stored.Design], key: str) -> None:
    """Show the job that trains these critiques, or a button that starts it and states the time it takes."""
    views = [view(study, design) for design in designs]
    if (active := next((one for one in views if one.job is not None), None)) is not None:
        progress.show(active)
        return
    about = roughly(sum(stored.seconds(study, design, _slowdown()) for design in designs))
    n = sum(stored.critiques(study, design) for design in designs)
    st.button(
        f"Train {count(n, 'critique')}: {about}",
        key=key,
        icon=":material/model_training:",
        type="primary" if key == "train_critiques" else "secondary",
        on_click=errors.callback(start),
        args=(study, tuple(designs)),
    )


def show_untrained(study: Study, design: stored.Design, at: ArtifactView) -> None:
    """Show the job that trains the critiques, or a description of the training and the button that starts it."""
    if at.job is not None:
        progress.show(at, *(short_names(study.runs)[run.name] for run in study.runs[:PENDING]), height=260)
        return
    n = stored.critiques(study, design)
    said = (
        "A critique learns from this study to distinguish captions by people from "
        f"{words.LEARNS[design.metric.negatives]}; a run whose captions it takes for people's passes. "
        f"{count(n, 'critique')} "
        f"{'is' if n == 1 else 'are'} trained twice, once on each half of the {item_noun(study)}s, on this machine; "
        "other pages can be used meanwhile."
    )
    with look.empty("Not trained yet", said):
        offer(study, [design], "train_critiques")
    _example()


def _example() -> None:
    demo, design = state.demo().study, stored.Design()
    assert demo is not None
    found = critics(demo, design)
    if found is None:
        return
    look.figure_title("What it will show", "an example: every fourth run of the demo study, none of yours")
    shown = words.ordered(found)[::4]
    rows, alt = words.rows(demo, shown), f"An example. {words.alt(demo, shown)}"
    for key, narrow in (("wide", False), ("narrow", True)):
        with st.container(key=f"tl-{key}-critique"):
            show.plot(scores(rows, None, look.mode(), narrow), f"critique_example_{key}", alt)

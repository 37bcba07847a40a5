"""Training of critiques from a page: a button that states the time it takes, and its progress."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.study import Run, Study
from figures.critique import words
from figures.critique.chart import scores
from figures.style.numbers import count
from figures.style.run_names import short_names
from metrics.analysis import artifacts
from metrics.analysis.critique import machine_speed, stored
from metrics.analysis.critique.critics import Critic
from metrics.analysis.feasibility import why_impossible
from ui.frame import errors, look
from ui.frame.wording import roughly
from ui.jobs import progress
from ui.jobs.jobs import ArtifactView, jobs
from ui.session import state, study_values
from ui.views import images_order
from ui.widgets import image_picker, show

_STARTED = "_critiques_started"
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
    """Return the arrays of all runs' critiques if they are stored, or the job that trains them; start none."""
    return jobs().artifact(artifacts.critiques(study, design, jobs().cache), state.session(), start=False)


def critics(study: Study, design: stored.Design) -> list[Critic]:
    """Return the critiques that are already trained, whether of all runs or only of some."""
    if (arrays := view(study, design).arrays) is not None:
        return stored.from_arrays(study, design, arrays)
    return artifacts.trained_critiques(study, design, jobs().cache)


def start(study: Study, runs: Sequence[str], designs: Sequence[stored.Design]) -> None:
    """Begin the training of these runs' critiques."""
    study_values.keep(_STARTED, {*(study_values.get(_STARTED) or ()), tuple(runs)})
    for design in designs:
        jobs().artifact(artifacts.critiques(study.only(runs=runs), design, jobs().cache), state.session())


def offer(study: Study, runs: Sequence[str], designs: Sequence[stored.Design], key: str, label: str = "") -> None:
    """Show the job that trains the critiques of these runs, or a button that starts it and states the time it takes.

    One critique for all runs needs all runs, whichever are asked for.
    """
    part = study if any(design.one_for_all for design in designs) else study.only(runs=runs)
    views = [view(part, design) for design in designs]
    if (active := next((one for one in views if one.job is not None), None)) is not None:
        progress.show(active)
        return
    known = [stored.trained_runs(part, design, jobs().cache.has) for design in designs]
    new = [part.only(runs=[run.name for run in part.runs if run.name not in of]) for of in known]
    about = roughly(sum(stored.seconds(of, design, _slowdown()) for of, design in zip(new, designs)))
    n = sum(stored.critiques(of, design) for of, design in zip(new, designs))
    st.button(
        f"Train {label or count(n, 'critique')}: {about}",
        key=key,
        icon=":material/model_training:",
        type="primary" if key == "train_critiques" else "secondary",
        on_click=errors.callback(start),
        args=(study, tuple(run.name for run in part.runs), tuple(designs)),
    )


def active(study: Study, design: stored.Design) -> ArtifactView | None:
    """Return a job that trains critiques of this design, or None if there is no such job.

    It trains those of runs asked for here, of the runs to begin with, or of all.
    """
    asked = [*(study_values.get(_STARTED) or ()), [run.name for run in _first(study, design)[0]]]
    parts = [*(study.only(runs=names) for names in asked), study]
    return next((one for part in parts if (one := view(part, design)).job is not None), None)


def _first(study: Study, design: stored.Design) -> tuple[list[Run], str]:
    """The runs selected at first, and the label of the metric that chose them ("" if none did).

    All runs if a selection would save no time.
    """
    runs, metric, ready = images_order.telling_runs(study, ())
    part = study.only(runs=[run.name for run in runs])
    times = {roughly(stored.seconds(some, design, _slowdown())) for some in (part, study)}
    if design.one_for_all or len(times) == 1:
        return list(study.runs), ""
    return runs, metric.label if metric is not None and ready else ""


def show_rest(study: Study, design: stored.Design, found: Sequence[Critic]) -> None:
    """Show the job that trains further critiques, or a button that trains those that are missing, if any."""
    if (at := active(study, design)) is not None:
        progress.show(at)
    elif (left := len(study.runs) - len(found)) > 0:
        label = f"the other {left}" if left > 1 else "the last one"
        offer(study, [run.name for run in study.runs], [design], "train_all", label)


def show_untrained(study: Study, design: stored.Design) -> None:
    """Show the job that trains the critiques, or a description of the training and the buttons that start it."""
    first, metric = _first(study, design)
    named = short_names(study.runs)
    if (at := active(study, design)) is not None:
        progress.show(at, *(named[run.name] for run in first[:PENDING]), height=260)
        return
    n, every = stored.critiques(study.only(runs=[run.name for run in first]), design), stored.critiques(study, design)
    begin = [named[run.name] for run in first] if n < every else []
    said = words.untrained(study, design.metric.negatives, n, begin, metric)
    with look.empty("Not trained yet", said), image_picker.row("content"):
        offer(study, [run.name for run in first], [design], "train_critiques")
        if n < every:
            offer(study, [run.name for run in study.runs], [design], "train_all", f"all {every}")
    _example()


def _example() -> None:
    demo, design = state.demo().study, stored.Design()
    assert demo is not None
    found = critics(demo, design)
    if not found:
        return
    shown = words.ordered(found)[::4]
    rows, alt = words.rows(demo, shown), f"An example. {words.alt(demo, shown)}"
    with st.container(key="tl-example"):
        look.figure_title("An example", "from the demo study, none of your runs")
        show.twice(
            lambda narrow: scores(rows, None, look.mode(), narrow, differences=True),
            "critique_example",
            "critique",
            alt,
        )

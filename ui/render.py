"""Any view as a page: its controls, progress, verdict and panels. What only a screen can do is given as `beside`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from figures.export.paper import Ground
from figures.style.escaping import capital
from figures.views import registry as views
from figures.views.view import Control, Known, Panel, Refusal, View, defaults, no_option
from metrics.analysis.artifacts import Artifact
from metrics.analysis.numbers import Numbers
from ui.frame import look
from ui.jobs import progress, registry
from ui.jobs.jobs import ArtifactView, ScoreView, jobs
from ui.session import address, state
from ui.widgets import figure, image_picker, metric_picker
from ui.widgets import show as shown


@dataclass(frozen=True)
class Shown:
    """What a page shows: the study with its numbers, the choice, the result, and the row that is marked."""

    known: Known
    choice: dict[str, str]
    result: Any
    marked: str = ""


Beside = Callable[[Shown], None]
"""Draws what a page shows below the first panel, such as the captions behind a row."""


def page(name: str, beside: Beside | None = None) -> Callable[[], None]:
    """Return the body of the page of a view."""
    return partial(_page, name, beside)


def _page(name: str, beside: Beside | None) -> None:
    view, study = views.view(name), state.study()
    look.header(view.title, view.question)
    if why := view.refuses(study):
        _empty(why)
        return
    chosen = _choose(view, Known(study, tuple(registry.metrics().values())))
    address.show_unknown()
    if isinstance(chosen, Refusal):
        _empty(chosen)
        return
    known, choice, scores = chosen
    work = view.work(known, choice)
    computed = ArtifactView(work if isinstance(work, Mapping) else None)
    if isinstance(work, Artifact):
        computed = jobs().artifact(work, state.session())
    # The permutation tests of the runs go on behind: nothing here reads them.
    progress.show(computed if computed.job is not None or computed.arrays is not None else scores)
    if isinstance(work, Refusal):
        look.note(f"{capital(work.why)}.")
    elif computed.arrays is None:
        look.pending(view.title, height=300)
    elif isinstance(found := view.result(known, choice, computed.arrays), Refusal):
        remedy = f": change “{view.control(found.control).title(study)}” under Options" if found.control else ""
        look.note(f"{capital(found.why)}{remedy}.")
    else:
        _show(view, Shown(known, choice, found), beside)
        address.show_unknown()


def _empty(why: Refusal) -> None:
    with look.empty(why.title, why.remedy or f"{capital(why.why)}."):
        image_picker.data_link()


def _choose(view: View[Any], known: Known) -> tuple[Known, dict[str, str], ScoreView] | Refusal:
    """Show the row of controls; return the study with the numbers that they need, the choice, and the job behind it."""
    choice: dict[str, str] = {}
    controls = [control for control in view.controls if control.shown]
    with image_picker.row():
        row = [control for control in controls if not control.folded]
        places = {control.name: st.container(width="content") for control in sorted(row, key=lambda one: one.place)}
        for control in (one for one in row if not one.on_numbers):
            if not control.options(known, choice):
                return no_option(known.study)
            choice[control.name] = _control(control, known, choice, places[control.name])
        needs = view.needs(known, choice)
        scores = jobs().view(known.study, needs, state.session()) if needs else ScoreView({})
        complete = scores.job is None or scores.job.ended
        known = replace(known, numbers=Numbers(scores.results), complete=complete)
        for control in (one for one in row if one.on_numbers):
            choice[control.name] = _control(control, known, choice, places[control.name], complete)
        if folded := [control for control in controls if control.folded]:
            with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
                for control in folded:
                    choice[control.name] = _control(control, known, choice, st.container())
    rest = defaults(view, known, choice)
    return rest if isinstance(rest, Refusal) else (known, rest, scores)


def _control(
    control: Control, known: Known, choice: dict[str, str], place: DeltaGenerator, complete: bool = True
) -> str:
    """Show a control where it belongs; return its value."""
    options, default = control.options(known, choice), control.default(known, choice)
    title, names = control.title(known.study), list(options)
    if control.name in address.FOLLOWED:
        address.follow(control.name, names)
    with place, nullcontext() if control.folded else image_picker.row("content"):
        if control.kind in ("one of", "number"):
            return address.segments(title, control.name, names, default, format_func=options.__getitem__)
        if control.kind == "metric":
            by = {name: known.metric(name) for name in names}
            return metric_picker.select(title, control.name, by, default)
        return address.select(title, control.name, names, default, keep=complete, format_func=options.__getitem__)


def _show(view: View[Any], page: Shown, beside: Beside | None) -> None:
    if view.pick:
        marked = view.picked(page.result, address.value(view.pick))
        page = replace(page, marked=marked, choice={**page.choice, view.pick: marked})
    made = view.present(page.known, page.choice, page.result)
    look.verdict(*made.verdict)
    for k, panel in enumerate(made.panels):
        with st.expander(panel.folded, key=f"{panel.key}_panel") if panel.folded else nullcontext():
            _panel(panel, view.pick if k == 0 else "")
        if k == 0 and beside is not None:
            beside(page)


def _panel(panel: Panel, pick: str) -> None:
    table = panel.table
    said = {"formats": table.printf, "digits": table.digits, "whole": table.frame}
    figure.figure(
        panel.key,
        panel.title,
        panel.better,
        draw=panel.draw,
        body=partial(_both, panel, pick) if panel.responsive else None,
        alt=panel.alt,
        twin=figure.Twin(table.readable, said),
        foot=figure.Foot(panel.facts, panel.how, panel.signatures),
        metrics=panel.metrics,
        name=panel.name or None,
    )


def _both(panel: Panel, pick: str) -> None:
    """The figure as a wide and as a narrow screen show it; a click on one of its rows marks it."""
    assert panel.draw is not None
    for size in ("wide", "narrow"):
        with st.container(key=f"tl-{size}-metrics"):
            key = f"{panel.key}_{size}"
            drawn = panel.draw(Ground(look.mode(), cramped=size == "narrow"))
            shown.plot(drawn, key, panel.alt, partial(_take, key, pick) if pick else None)


def _take(key: str, pick: str) -> None:
    for name, *_ in shown.picked(key)[:1]:
        address.store(pick, str(name))

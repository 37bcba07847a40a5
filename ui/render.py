"""Render any view as a page: its controls, progress, verdict and panels, with additions that only a screen has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.study import Study
from figures.export.paper import Ground
from figures.report import commands
from figures.style.escaping import capital
from figures.views import registry as views
from figures.views.view import Control, Known, Panel, Presentation, Refusal, View, defaults, joined
from metrics.analysis.artifacts import Artifact
from metrics.analysis.numbers import Numbers
from metrics.cache.entry import Arrays
from ui.frame import look
from ui.jobs import numbers as jobs_numbers
from ui.jobs import progress, study_metrics
from ui.jobs.jobs import ArtifactView, ScoreView, jobs
from ui.session import address, state
from ui.widgets import distance_picker, figure, image_picker, metric_picker, parts, run_picker, show

HEIGHT = 300
"""Height in px of the skeleton that takes the place of a view's figure."""
_PART = "part"
"""The name of the open tab in the address."""
_SEGMENTS, _NUMBER = 6, 110
"""Maximum number of values that a choice shows as buttons, and the width in px of the list for a choice of more
numbers.
"""


@dataclass(frozen=True)
class Shown:
    """The content of a page: the study with its numbers, the choice, the result, and the marked row."""

    known: Known
    choice: dict[str, str]
    result: Any
    marked: str = ""


Beside = Callable[[Shown], None]
"""Draws the part of a page below the first panel, such as the captions behind a row."""


@dataclass(frozen=True)
class Extra:
    """Additions that only a screen has.

    `beside` is drawn below the first panel, in the tab `part` if it is named. `options` draws more controls under
    Options, and `tabs` returns additional tabs for a study. `first` is drawn below the header, and returns whether it
    replaces the message that the study has nothing to show; `instead` is drawn below that message. `head` begins the
    row of controls, and returns whether a single item is requested. If so, `item` shows this item instead of the study,
    and the other controls move under Options.
    """

    beside: Beside | None = None
    part: str = ""
    options: Callable[[Study], None] | None = None
    first: Callable[[Study], bool] | None = None
    tabs: Callable[[Study], Mapping[str, Callable[[Study], None]]] = lambda study: {}
    instead: Callable[[Study], None] = lambda study: None
    head: Callable[[Study], bool] | None = None
    item: Callable[[Known, Mapping[str, str]], None] | None = None


def page(name: str, beside: Beside | None = None, **extra: Any) -> Callable[[], None]:
    """Return the body of a view's page, with the additions that only a screen has."""
    return partial(_page, name, Extra(beside, **extra))


def _page(name: str, extra: Extra) -> None:
    view, study = views.view(name), state.study()
    look.header(view.title, view.question)
    replaced = extra.first is not None and extra.first(study)
    if why := view.refuses(study):
        if not replaced:
            _empty(why)
            extra.instead(study)
        return
    known = Known(study, tuple(study_metrics.metrics().values()), distances=study_metrics.trms(), cache=jobs().cache)
    chosen = _choose(view, known, extra)
    address.show_unknown()
    if isinstance(chosen, Refusal):
        _empty(chosen)
        return
    known, choice, scores, single = chosen
    work = view.work(known, choice)
    if single and extra.item is not None and not isinstance(work, Refusal):
        extra.item(known, choice)
        return
    computed = ArtifactView(work if isinstance(work, Mapping) else None)
    if isinstance(work, Artifact):
        computed = jobs().artifact(work, state.session())
    there = computed.job is not None or computed.arrays is not None
    needed = computed if there and isinstance(work, Artifact) else scores
    unscored = not known.complete and any(
        known.numbers.waiting(metric, known.study.runs) for metric in view.needs(known, choice)
    )
    refused = isinstance(work, Refusal) and not unscored
    progress.show(needed, height=HEIGHT if computed.arrays is None and not refused else 0, shape=view.shape)
    if isinstance(work, Refusal) and refused:
        look.note(f"{capital(work.why)}.")
    elif computed.arrays is None:
        return
    elif isinstance(found := _result(view, known, choice, work, computed.arrays), Refusal):
        remedy = f": change “{view.control(found.control).title(study)}” under Options" if found.control else ""
        look.note(f"{capital(found.why)}{remedy}.")
    else:
        _show(view, Shown(known, choice, found), extra)
        address.show_unknown()


def immediate(name: str, study: Study, start: bool = False) -> Presentation | ArtifactView | None:
    """Return the default presentation of a study by a view if all that it needs is stored; otherwise None.

    If only work that takes seconds is missing, and it has begun, its view is returned; `start` begins it. Also return
    None if there is nothing to show.
    """
    view = views.view(name)
    known = Known(study, tuple(study_metrics.metrics().values()), distances=study_metrics.trms(), cache=jobs().cache)
    if view.refuses(study):
        return None
    known = replace(known, numbers=_existing(view, known))
    if isinstance(choice := defaults(view, known, early=True), Refusal):
        return None
    numbers = jobs_numbers.complete(study, view.needs(known, choice), state.session(), view.with_people)
    if numbers is None:
        return None
    known = known.with_numbers(numbers)
    whole = defaults(view, known, choice)
    if isinstance(whole, Refusal):
        return None
    arrays: Any = (work := view.work(known, whole))
    if isinstance(work, Artifact):
        computed = jobs().artifact(work, state.session(), start=start and not work.slow)
        if computed.job is not None:
            return None if work.slow else computed
        arrays = computed.arrays
    if not isinstance(arrays, Mapping):
        return None
    found = _result(view, known, whole, work, arrays)
    return None if isinstance(found, Refusal) else view.present(known, whole, found)


def _result(view: View[Any], known: Known, choice: dict[str, str], work: Any, arrays: Arrays) -> Any:
    if not view.kept or not isinstance(work, Artifact):
        return view.result(known, choice, arrays)
    # The key includes the arrays, because only whoever opened a bundle may see its numbers.
    numbers = sha256(b"".join(arrays[name].tobytes() for name in sorted(arrays))).hexdigest()
    key = (view.name, work.key, numbers, known.study.digest, *known.study.clustering, *sorted(choice.items()))
    return _kept(key, view, known, choice, arrays)


@st.cache_resource(max_entries=64, show_spinner=False)
def _kept(key: tuple[Any, ...], _view: View[Any], _known: Known, _choice: dict[str, str], _arrays: Arrays) -> Any:
    return _view.result(_known, _choice, _arrays)


def _empty(why: Refusal) -> None:
    with look.empty(why.title, why.remedy or f"{capital(why.why)}."):
        image_picker.data_link()


def _choose(view: View[Any], known: Known, extra: Extra) -> tuple[Known, dict[str, str], ScoreView, bool] | Refusal:
    """Show the row of controls; return the study with the numbers that they need, the choice, and the job's view.

    The last value is whether a single item is requested. A Refusal is returned instead if, for example, a control has
    no options.
    """
    choice: dict[str, str] = {}
    controls = [control for control in view.controls if control.shown and control.asked(known.study)]
    known = replace(known, numbers=_existing(view, known))
    with image_picker.row():
        single = extra.head is not None and extra.head(known.study)
        row = [control for control in controls if not control.folded and not single]
        places = {control.name: st.container(width="content") for control in sorted(row, key=lambda one: one.place)}
        for control in (one for one in row if not one.on_numbers):
            if not control.options(known, choice):
                return control.lacking(known)
            choice[control.name] = _control(control, known, choice, places[control.name])
        needs = view.needs(known, choice)
        scores = ScoreView({})
        if needs:
            if view.with_people:
                numbers, scores = jobs_numbers.fetch(known.study, needs, tests=False)
            else:
                scores = jobs().view(known.study, needs, state.session(), tests=False)
                numbers = Numbers(scores.results)
            known = known.with_numbers(numbers)
        complete = scores.job is None or scores.job.ended
        known = replace(known, complete=complete)
        for control in (one for one in row if one.on_numbers):
            choice[control.name] = _control(control, known, choice, places[control.name], complete)
        if folded := [control for control in controls if control not in row]:
            # Controls with nothing to choose are not shown, and neither is a panel that contains only these.
            empty = extra.options is None and all(
                control.kind == "one of" and len(control.options(known, choice)) == 1 for control in folded
            )
            with nullcontext() if empty else st.popover(":gray[Options]", key="options_panel", type="tertiary"):
                if extra.options is not None:
                    extra.options(known.study)
                for control in folded:
                    choice[control.name] = _control(control, known, choice, st.container())
    rest = defaults(view, known, choice)
    return rest if isinstance(rest, Refusal) else (known, rest, scores, single)


def _existing(view: View[Any], known: Known) -> Numbers:
    some = view.optional(known)
    return Numbers(jobs().view(known.study, some, state.session(), start=False).results if some else {})


def _control(
    control: Control, known: Known, choice: dict[str, str], place: DeltaGenerator, complete: bool = True
) -> str:
    if control.kind == "runs":
        with place:
            return joined(run.name for run in run_picker.runs(known.study))
    options, default = control.options(known, choice), control.default(known, choice)
    if control.kind == "one of" and len(options) == 1:
        return default
    title, names = control.title(known.study), list(options)
    if control.name in address.FOLLOWED:
        address.follow(control.name, names)
    with place, nullcontext() if control.folded else image_picker.row("content"):
        if control.kind == "distance":
            return distance_picker.select(default, offered=names, width=170)
        if control.kind in ("one of", "number") and len(names) <= _SEGMENTS:
            return address.segments(title, control.name, names, default, format_func=options.__getitem__)
        if control.kind == "metric":
            by = {name: known.metric(name) for name in names}
            return metric_picker.select(title, control.name, by, default)
        wide = {"width": _NUMBER} if control.kind == "number" else {}
        return address.select(
            title, control.name, names, default, keep=complete, format_func=options.__getitem__, **wide
        )


def _show(view: View[Any], page: Shown, extra: Extra) -> None:
    if view.pick:
        marked = view.picked(page.known, page.result, " ".join(address.value(name) for name in view.pick.split()))
        page = replace(page, marked=marked, choice={**page.choice, view.pick: marked})
    made = view.present(page.known, page.choice, page.result)
    look.verdict(*made.verdict, more=made.more)
    first, *rest = made.panels
    take = partial(_take, view.pick, extra.part) if view.pick else None
    beside = extra.beside if page.marked or not view.pick else None
    _unfolded(first, partial(show_panel, first, take, partial(_command, view, page)))
    more = extra.tabs(page.known.study)
    below = [*(panel.part for panel in rest), *[extra.part] * (beside is not None), *more]
    titles = {part: title for part, title in view.parts.items() if part in below}
    # Pages that are not views yet have their tables in a tab; here each table is behind its figure.
    opened = parts.tabs(_PART, titles, (*view.parts, "tables")) if len(titles) > 1 else "".join(titles)
    if beside is not None and extra.part in ("", opened):
        beside(page)
    if opened in more:
        more[opened](page.known.study)
    for panel in (one for one in rest if one.part in ("", opened)):
        _unfolded(panel, partial(show_panel, panel))


def _unfolded(panel: Panel, body: Callable[[], None]) -> None:
    if panel.folded:
        show.folded(panel.folded, f"{panel.key}_panel", body, None)
    else:
        body()


def _command(view: View[Any], page: Shown) -> None:
    study = page.known.study
    given = commands.saved(study, study is state.demo().study, study_metrics.idf() is not None)
    st.caption("The same from the command line" + ("" if given.setup_lines else ", for the study as Data saves it"))
    line = commands.view(given, view, page.known, page.choice)
    st.code("\n".join([*given.setup_lines, line]), language=None, wrap_lines=True)


def show_panel(
    panel: Panel, take: Callable[[str], None] | None = None, command: Callable[[], None] | None = None
) -> None:
    """Show a panel.

    `take` receives the key of the figure in which a row was clicked; `command` draws the command line under Save.
    """
    table, named = panel.table, panel.name or None
    said: dict[str, Any] = {"formats": table.printf, "digits": table.digits, "whole": table.frame}
    said |= {"best": table.best, "caption": table.caption, "signatures": list(panel.signatures) or None}
    alone = panel.draw is None and not panel.charts
    body = None
    if alone:
        body = partial(show.table, table.readable(), f"{panel.key}_table", name=named or table.file, **said)
    elif panel.responsive or panel.charts:
        body = partial(_both if panel.responsive else _beside, panel, take)
    figure.figure(
        panel.key,
        panel.title,
        panel.better,
        sub=panel.sub,
        draw=panel.draw,
        body=body,
        alt=panel.alt,
        twin=None if alone else figure.Twin(table.readable, said),
        foot=figure.Foot(panel.facts, panel.how, panel.signatures),
        metrics=panel.metrics,
        name=named,
        on_select=partial(take, panel.key) if take else None,
        downloads=command,
    )


def _beside(panel: Panel, take: Callable[[str], None] | None) -> None:
    """Show several figures side by side; selecting a mark in one selects it in all."""
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as cells:
        for one in panel.charts:
            with cells.cell(), look.figure():
                look.figure_title(one.title, one.sub, one.better)
                footer = " ".join([one.printed, *panel.signatures])
                chosen = partial(take, one.key) if take else None
                show.chart(one.draw, one.key, one.alt, one.name or None, footer=footer, on_select=chosen)


def _both(panel: Panel, take: Callable[[str], None] | None) -> None:
    assert panel.draw is not None
    for size in ("wide", "narrow"):
        with st.container(key=f"tl-{size}-metrics"):
            key = f"{panel.key}_{size}"
            drawn = panel.draw(Ground(look.mode(), cramped=size == "narrow"))
            show.plot(drawn, key, panel.alt, partial(take, key) if take else None)


def _take(pick: str, part: str, key: str) -> None:
    for values in show.picked(key)[:1]:
        for name, value in zip(pick.split(), values):
            address.store(name, str(value))
        if part:
            address.store(_PART, part)

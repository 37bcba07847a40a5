"""Any view as a page of the report, with its default choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import plotly.graph_objects as go

from figures.export.paper import Draw, Ground
from figures.report import commands
from figures.report import html as report_html
from figures.report.charts import Charts
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.escaping import esc
from figures.style.palette import Mode
from figures.views import registry
from figures.views.view import Known, Panel, Presentation, Refusal, View, defaults
from metrics.analysis.artifacts import INTERACTIVE_ITEMS, Artifact
from metrics.engine import scoring
from metrics.registry import with_frequencies, with_imported


def section_of(name: str, further: Callable[[Request], list[str]] | None = None) -> Callable[[Request], Page]:
    """Return the function that makes the page of a view, followed by any `further` blocks."""

    def made(request: Request) -> Page:
        found = section(registry.view(name), request)
        if further is None or isinstance(found, LeftOut):
            return found
        return replace(found, blocks=(*found.blocks, *further(request)))

    return made


def section(view: View[Any], request: Request) -> Page:
    """Return the page of a view, or why it is left out. For a small study, it has the results for all values of any
    control that takes several.
    """
    if why := view.refuses(request.study):
        return LeftOut(why.why)
    distances = with_imported(with_frequencies(request.idf, request.study.tokenizer), request.study).trms
    known = Known(request.study, _scored(request), request.numbers, distances=distances, cache=request.cache)
    choice = defaults(view, known)
    if isinstance(choice, Refusal):
        return LeftOut(choice.why)
    needs = view.needs(known, choice)
    missing = tuple(metric for metric in needs if request.numbers.waiting(metric, scoring.runs_of(known.study, metric)))
    results = scoring.score(known.study, missing, request.options, request.cache)
    known = known.with_numbers(replace(request.numbers, results=results))
    found = _result(view, request, known, choice)
    if isinstance(found, Refusal):
        return LeftOut(found.why)
    shown = view.present(known, choice, found, dict(_others(view, request, known, choice)))
    first, *rest = shown.panels
    blocks = (block for panel in (first, *(one for one in rest if not one.folded)) for block in _blocks(panel, request))
    line = commands.view(request.named, view, known, choice)
    return Section(view.title, view.question, tuple(shown.verdict), tuple(blocks), (line,), shown.more)


def _scored(request: Request) -> tuple[Any, ...]:
    numbers, runs = request.numbers, request.study.runs
    return tuple(
        metric
        for metric in request.metrics
        if request.scored(metric.name)
        and any(not numbers.results[run.name, metric.name].why() for _, run in numbers.of(metric, runs))
    )


def _result(view: View[Any], request: Request, known: Known, choice: dict[str, str]) -> Any:
    work = view.work(known, choice)
    if work is None or isinstance(work, Refusal):
        return work or Refusal("its numbers are not there")
    arrays = request.arrays(work, work.title) if isinstance(work, Artifact) else work
    if arrays is None:
        return Refusal("it has not been computed: open the page first")
    return view.result(known, choice, arrays)


def _others(view: View[Any], request: Request, known: Known, choice: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """The results for the other values of a control that takes several, if the study is small enough to be quick."""
    if view.several is None or len(known.study.items) > INTERACTIVE_ITEMS:
        return
    name = view.several.name
    for value in view.several.options(known, choice):
        if value != choice[name]:
            found = _result(view, request, known, {**choice, name: value})
            if not isinstance(found, Refusal):
                yield value, found


def of_studies(view: View[Any], panel: Panel, said: Mapping[str, Presentation]) -> str:
    """Return an HTML page on several studies, by name: their sentences, and one figure of all with its table."""
    verdicts = (f"{name}: {''.join(one.verdict)}" for name, one in said.items())
    lines = "".join(f'<div class="tl-head">{esc(verdict)}</div>' for verdict in verdicts)
    table = report_html.table(panel.table.readable(), panel.table.file, _as_table(panel), {}, panel.table.frame())
    section = Section(view.title, view.question, (), (lines, *_charts(panel, Charts()), table))
    front = report_html.Front(f"{view.title}: {', '.join(said)}", panel.title, ())
    return report_html.document(front, [section])


def _as_table(panel: Panel) -> str:
    """The line that opens a panel's table; a title that is a question is not part of it."""
    return "The same numbers as a table" if panel.title.endswith("?") else f"{panel.title}, as a table"


def _blocks(panel: Panel, request: Request) -> Iterator[str]:
    if not panel.folded:
        yield from _charts(panel, request.charts)
    yield request.table_of(panel.table, _as_table(panel))


def _charts(panel: Panel, charts: Charts) -> Iterator[str]:
    if panel.draw is not None:
        yield charts.block(partial(_drawn, panel.draw), panel.alt, panel.title, panel.sub, least=panel.least)
    if panel.charts:
        drawn = (partial(_drawn, one.draw) for one in panel.charts)
        yield report_html.grid(
            charts.block(draw, one.alt, one.title, one.sub, one.better) for draw, one in zip(drawn, panel.charts)
        )
    if panel.draw is not None or panel.charts:
        yield style_html.figure_footer(panel.facts, panel.how, panel.signatures)


def _drawn(draw: Draw, *, mode: Mode) -> go.Figure:
    return draw(Ground(mode))

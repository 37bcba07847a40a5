"""The pages of a report: the same tables, figures and sentences as in the app, made from the same numbers."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from data.study import Item, Run, Study
from figures import markup, report, standings, sweeps, sweeps_words
from figures.leaderboard import board_html
from figures.numbers import count, direction, num, p_phrase, p_text
from figures.palette import model_styles
from figures.report import Charts, Section
from figures.standings import Choice
from figures.triangles import null_histogram, rank_shares
from figures.words import noun, sizes
from metrics import citations, describe
from metrics.base import Metric, Undefined
from metrics.cache import Cache
from metrics.distribution import Trm
from metrics.ordering import in_order
from metrics.scored import Numbers
from metrics.sweep import settings_of, view
from metrics.tasks import Options
from metrics.triangle_view import triangle_view

BESIDE = 3
"""Runs whose captions of an image stand side by side."""


@dataclass(frozen=True)
class Request:
    """What a report shows: a study with its numbers of some metrics, pages by name, images by position.

    `commands` are the lines that give the numbers again, `pictures` the files of the chosen images.
    """

    study: Study
    numbers: Numbers
    metrics: tuple[Metric, ...]
    pages: tuple[str, ...]
    images: tuple[int, ...] = ()
    commands: tuple[str, ...] = ()
    pictures: Mapping[int, Path] = field(default_factory=dict)
    cache: Cache = field(default_factory=lambda: Cache(None))
    options: Options = field(default_factory=lambda: Options(p_values=True))
    charts: Charts = field(default_factory=Charts)
    anonymous: bool = False

    @property
    def signatures(self) -> tuple[str, ...]:
        """Those of all its metrics."""
        return tuple(metric.signature for metric in self.metrics)


def html(request: Request) -> str:
    """The whole report as one file. Pages for which the study has nothing are left out, and the others stay."""
    study = request.study
    size = f"{count(len(study.items), noun(study))}, {count(len(study.runs), 'run')}, {sizes(study, study.runs)}."
    lines = [size, "Synthetic captions: a demonstration."] if study.synthetic else [size]
    sections = [section for name in request.pages if (section := PAGES[name][1](request)) is not None]
    return report.document("A caption study" if request.anonymous else study.name, lines, sections)


def commands(files: Sequence[str], references: str, metrics: Sequence[Metric], anonymous: bool) -> tuple[str, ...]:
    """The lines that give the numbers and the report again; anonymous ones name no file of anybody's."""
    given = ["study.jsonl"] if anonymous or not files else list(files)
    more = ["--references", references] if references and not anonymous else []
    names = ["--metrics", ",".join(metric.name for metric in metrics)]
    score = ["python", "-m", "metrics", "score", *given, *more, *names, "--p-values", "--out", "scores.csv"]
    again = ["python", "-m", "metrics", "report", *given, *more, *names, "--out", "report.html"]
    return shlex.join(score), shlex.join(again)


def leaderboard(request: Request) -> Section | None:
    """Runs by metrics, ranked by the first metric that can rank."""
    study, numbers = request.study, request.numbers
    if not study.runs or not request.metrics:
        return None
    ranked = next((metric for metric in request.metrics if metric.family != "diversity"), None)
    choice = Choice(request.metrics, ranked, study.runs, None)
    board = standings.board(study, numbers, choice)
    blocks = (
        markup.verdict(standings.verdict(study, numbers, choice)),
        board_html(board, "light", "values"),
        markup.footer(standings.footer(study, numbers, choice), request.signatures),
        report.table(board.frame(), "leaderboard", "The same numbers as a table"),
    )
    return Section("Leaderboard", "Which model is better, and is it sure?", blocks)


def temperature_sweeps(request: Request) -> Section | None:
    """Every metric over temperature; none without two temperatures of a model."""
    study = request.study
    views = [view(study, request.numbers, metric, settings_of(study.runs)) for metric in request.metrics]
    drawn = [one for one in views if one.curves]
    if not drawn:
        return None
    marks = sweeps.marks_of(study.runs)
    panels = [
        request.charts.block(
            sweeps.temperature_panel(one, marks, "light"), sweeps_words.alt(one, marks), one.metric.label,
            sweeps_words.panel_sub(one, marks), sweeps_words.arrow(one.metric),
        )
        for one in drawn
    ]  # fmt: skip
    blocks = (
        markup.verdict(sweeps_words.verdict(drawn, marks)),
        report.grid(panels),
        markup.footer(sweeps_words.footer(study, study.runs, drawn), request.signatures),
        report.table(sweeps_words.table(drawn), "sweeps", "Every point as a table"),
    )
    return Section("Temperature sweeps", "How does each model behave as sampling gets hotter?", blocks)


def images(request: Request) -> Section | None:
    """The chosen images with what people and the first runs say of them, and their triangle ranks."""
    if not request.images:
        return None
    blocks = tuple(block for place in request.images for block in _image(request, place))
    return Section(f"{noun(request.study).capitalize()}s", "What did the models say here?", blocks)


def _image(request: Request, place: int) -> list[str]:
    study = request.study
    item, runs = study.items[place], beside(study.runs)
    styles = model_styles([run.model for run in study.runs])
    picture = request.pictures.get(place)
    cells = [f"<div>{report.picture(picture, item.id)}</div>"] if picture else []
    cells.append(markup.captions("References", _captions(item.references)))
    for run in runs:
        style, said = styles[run.model], _captions(run.candidates.get(item.id, ()))
        cells.append(markup.captions(run.name, said, style.mark("light"), style.text("light")))
    blocks = [report.heading(_title(item)), report.grid(cells)]
    own = [metric for metric in request.metrics if metric.grain != "run"]
    blocks.append(report.table(_values(request, place, runs, own), f"numbers of {item.id}", "In numbers"))
    trm = next((metric for metric in own if isinstance(metric, Trm)), None)
    return blocks + ([*_triangles(request, place, runs[0], trm)] if trm and runs else [])


def _triangles(request: Request, place: int, run: Run, metric: Trm) -> Sequence[str]:
    try:
        found = triangle_view(request.study, run.name, place, metric, request.cache, request.options)
    except Undefined as why:
        return [markup.footer(f"{metric.label}: {why}")]
    style = model_styles([r.model for r in request.study.runs])[run.model]
    p = p_phrase(found.test.p_value, found.test.floor)
    words = f"{metric.label} of {run.name}: {num(found.value)}, {'exact ' if found.test.exact else ''}{p}"
    histogram = null_histogram(found.test.null, found.value, p, style, "light", metric.label)
    return [
        report.grid([
            request.charts.block(rank_shares(found.shares, style, "light"), words, "Rank shares", words),
            request.charts.block(histogram, words, "Null distribution", "The coloured tail is p."),
        ])
    ]  # fmt: skip


def _values(request: Request, place: int, runs: Sequence[Run], metrics: Sequence[Metric]) -> pd.DataFrame:
    rows = []
    for run in runs:
        row: dict[str, object] = {"Run": run.name}
        for metric in metrics:
            result = request.numbers.get(run, metric)
            row[metric.label] = float(result.items[place]) if result is not None and len(result.items) else float("nan")
            if result is not None and result.item_p is not None:
                floor = None if result.item_floor is None else float(result.item_floor[place])
                row[f"p, {metric.label}"] = p_text(float(result.item_p[place]), floor)
        rows.append(row)
    return pd.DataFrame(rows)


def methods(request: Request) -> Section:
    """Signatures, formulas and papers of the metrics, and the commands that give the numbers again."""
    blocks = [
        report.heading("The same numbers from the command line"),
        report.code("\n".join(request.commands)) if request.commands else "",
        markup.facts([("Data digest", f"sha256:{request.study.digest}")]),
        report.heading("Metrics"),
    ]
    for entry in describe.entries(request.metrics):
        metric = entry.first
        facts = [
            ("What", entry.summary),
            ("Direction", direction(metric.higher_is_better, metric.family)),
            ("Formula (LaTeX)", metric.formula),
            ("Source", metric.source),
        ]
        signatures = {"Signature": tuple(m.signature for m in entry.metrics)}
        blocks.append(f"<div>{markup.figure_title(entry.title)}{markup.facts(facts, signatures)}</div>")
    blocks += [report.heading("How to cite"), report.code(citations.cited(request.metrics))]
    return Section("Methods", "What exactly is computed?", tuple(blocks))


def beside(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Of each model the run at temperature 1, else its first; at most BESIDE."""
    best: dict[str, Run] = {}
    for run in runs:
        if run.model not in best or run.settings.temperature == 1.0 != best[run.model].settings.temperature:
            best[run.model] = run
    return tuple(best.values())[:BESIDE]


def first_images(study: Study, numbers: Numbers, metrics: Sequence[Metric], most: int = 3) -> tuple[int, ...]:
    """Images to begin with: those on which the first metric of items finds the shown runs farthest apart."""
    for metric in metrics:
        found = [numbers.get(run, metric) for run in beside(study.runs)]
        values = [result.items for result in found if result is not None and len(result.items)]
        if values:
            spread = np.ptp(np.array(values), axis=0)
            return tuple(int(k) for k in in_order(spread, descending=True)[:most])
    return tuple(range(min(most, len(study.items))))


def _captions(texts: Sequence[str]) -> list[markup.Caption]:
    return [markup.Caption(text, times) for text, times in Counter(texts).most_common()]


def _title(item: Item) -> str:
    own = item.metadata.get("title")
    return f"{item.id}: {own}" if own else item.id


Page = tuple[str, Callable[[Request], Section | None]]
PAGES: dict[str, Page] = {
    "leaderboard": ("Leaderboard", leaderboard),
    "sweeps": ("Temperature sweeps", temperature_sweeps),
    "images": ("Images", images),
    "methods": ("Methods", methods),
}

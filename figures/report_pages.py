"""A whole report: its pages by name, in their order, and the one on methods."""

from __future__ import annotations

from collections.abc import Callable

from figures import markup, report
from figures.numbers import count, direction
from figures.report import Section
from figures.report_compare import all_against_best, frontier, leaderboard, temperature_sweeps
from figures.report_inspect import central, cloud, images
from figures.report_lab import unique_correct
from figures.report_request import Request
from figures.words import noun, sizes
from metrics import citations, describe


def html(request: Request) -> str:
    """The whole report as one file. Pages for which the study has nothing are left out, and the others stay."""
    study = request.study
    size = f"{count(len(study.items), noun(study))}, {count(len(study.runs), 'run')}, {sizes(study, study.runs)}."
    lines = [size, "Synthetic captions: a demonstration."] if study.synthetic else [size]
    sections = [section for name in request.pages if (section := PAGES[name][1](request)) is not None]
    return report.document("A caption study" if request.anonymous else study.name, lines, sections)


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


Page = tuple[str, Callable[[Request], Section | None]]
PAGES: dict[str, Page] = {
    "leaderboard": ("Leaderboard", leaderboard),
    "sweeps": ("Temperature sweeps", temperature_sweeps),
    "frontier": ("Quality-diversity frontier", frontier),
    "paired": ("Paired comparison", all_against_best),
    "images": ("Images", images),
    "central": ("Central captions", central),
    "cloud": ("Caption cloud", cloud),
    "unique_correct": ("Unique vs correct", unique_correct),
    "methods": ("Methods", methods),
}

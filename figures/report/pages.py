"""All pages of a report by name and in order, with its methods and its provenance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from data.version import VERSION
from figures.export.mathml import mathml
from figures.notes.bundle import not_computed
from figures.notes.hidden import hidden_runs
from figures.report import commands, findings
from figures.report import html as report_html
from figures.report.cloud import cloud
from figures.report.coherence import coherence
from figures.report.compare import all_against_best, leaderboard, single_numbers, temperature_sweeps
from figures.report.critique import critique
from figures.report.detectable_faults import with_known_faults
from figures.report.html import Care, Front, LeftOut, Page, Section
from figures.report.images import images
from figures.report.judgments import judgments
from figures.report.marked_images import marked
from figures.report.overview import overview
from figures.report.references import references
from figures.report.render import section_of
from figures.report.request import Request
from figures.report.robustness import robustness
from figures.report.sensitivity import sensitivity
from figures.style import html as style_html
from figures.style.numbers import count
from figures.style.wording import direction_arrow, n_items, sizes
from figures.views.registry import VIEWS, with_views
from metrics import citations
from metrics.analysis.bundle import foreign_keys
from metrics.distances import document_frequencies
from metrics.guide import documentation
from metrics.guide.cards import card


@dataclass(frozen=True)
class Report:
    """The file as text and, by title, the reason why each missing page was left out."""

    html: str
    left_out: tuple[tuple[str, str], ...]


LONG = {"robustness": 60.0, "sensitivity": 12.0, "cloud": 8.0, "references": 8.0}
"""How long some pages take to make, relative to the others; used only to estimate the time left."""


def build_report(
    request: Request, begin: Callable[[str, float, float], None] = lambda doing, start, end: None
) -> Report:
    """Return the whole report. Pages for which the study has no data are left out, and the report says so.

    `begin` is called before each page is made, with words for it and the shares of all work at which it starts and
    ends.
    """
    request, made = with_known_faults(request), dict[str, Page]()
    names = [name for name in PAGES if name in request.pages]
    work = [LONG.get(name, 1.0) if request.may_score else 1.0 for name in names]
    done = 0.0
    for k, name in enumerate(names, 1):
        end = sum(work[:k]) / sum(work)
        begin(f"{PAGES[name][0]}, {k} of {len(names)}", done, min(end, 1.0))
        made[name], done = PAGES[name][1](request), end
    left = tuple(
        (title, "not asked for" if name not in made else page.why)
        for name, (title, _) in PAGES.items()
        if isinstance(page := made.get(name, LeftOut("")), LeftOut)
    )
    sections = [page for page in made.values() if isinstance(page, Section)]
    whole = [*sections, provenance(request, left, sections)]
    return Report(report_html.document(_front(request, made.get("overview")), whole), left)


def _front(request: Request, seen: Page | None) -> Front:
    """The front, headed by the Overview's verdict or else the study's name, after a warning if anything needs care."""
    study = request.study
    size = f"{n_items(study)}, {count(len(study.runs), 'run')}, {sizes(study, study.runs)}."
    lines = [size, "Synthetic captions: a demonstration."] if study.synthetic else [size]
    if request.hidden:
        lines.append(f"{hidden_runs(request.hidden, len(study.runs) + request.hidden)} and left out.")
    lines += [said] if (said := not_computed(foreign_keys(study, request.cache, request.idf))) else []
    title = "A caption study" if request.anonymous else study.name
    headline = "".join(seen.verdict) if isinstance(seen, Section) else title
    given = findings.nameless(request.findings, request.files) if request.anonymous else request.findings
    if care := findings.caution(study, given):
        # As much of the argument as fits into a headline; its page has all of it, and the faults of runs.
        verdict = seen.verdict if isinstance(seen, Section) else ()
        argument = "".join(part for part in verdict if not isinstance(part, Care)).strip()
        headline = "".join(style_html.split_verdict((f"{care} ", argument))[0]).strip()
    return Front(title, headline, tuple(lines), findings.block(study, given))


def methods(request: Request) -> Section:
    """Return a sentence about each metric, its formula and paper, and how to cite them."""
    shown = tuple(dict.fromkeys((*request.board, *request.beside)))
    blocks = [_entry(entry) for entry in documentation.entries(shown)]
    cited = citations.cited(shown)
    if cited:
        blocks.append(f"<details><summary>How to cite</summary>{report_html.code(cited)}</details>")
    return Section("Methods", "What exactly is computed?", (), tuple(blocks))


def _entry(entry: documentation.Entry) -> str:
    metric = entry.first
    facts = [("What", entry.summary), ("Direction", direction_arrow(metric)), ("Source", metric.source)]
    said = style_html.facts(facts, {"Signature": tuple(m.signature for m in entry.metrics)})
    return (
        f"<div>{style_html.figure_title(entry.title, card(*entry.metrics))}"
        f"<details><summary>Formula, source, signature</summary>{mathml(metric.formula)}{said}</details></div>"
    )


def provenance(request: Request, left: tuple[tuple[str, str], ...], sections: Sequence[Section]) -> Section:
    """Return when, by which version and from which files the report was made, what it leaves out, and its commands."""
    rows = [
        ("Made", f"{request.day} by Trilens {VERSION}"),
        ("Encoder", ", ".join(request.parts("enc")) or "none needed"),
        ("Tokenizer", ", ".join(request.parts("tok")) or "none needed"),
        ("Document frequencies", "" if request.idf is None else document_frequencies.describe_frequencies(request.idf)),
        ("Left out", "; ".join(f"{title}: {why}" for title, why in left)),
    ]
    if request.anonymous:
        rows.append(("Files", "names and sha256 are left out; runs keep their names"))
    files = [] if request.anonymous else [f"{file.name} sha256:{file.sha256}" for file in request.files]
    codes = {**({"Files": files} if files else {}), "Data digest": [f"sha256:{request.study.digest}"]}
    blocks = [
        style_html.facts(((name, text) for name, text in rows if text), codes),
        report_html.heading("The same numbers from the command line"),
        report_html.code("\n".join(_commands(request))),
    ]
    for section in sections:
        if section.commands:
            blocks += [style_html.figure_title(section.title), report_html.code("\n".join(section.commands))]
    return Section("Provenance", "How was this report made?", (), tuple(blocks))


def _commands(request: Request) -> list[str]:
    options = [] if set(request.pages) == set(PAGES) else ["--pages", ",".join(request.pages)]
    options += ["--images", ",".join(request.ids)] if request.ids else []
    options += ["--anonymous"] if request.anonymous else []
    names = [metric.name for metric in request.board]
    again = commands.report(request.named, names, options)
    return [*request.named.setup_lines, commands.score(request.named, names), again]


_PAGES: dict[str, tuple[str, Callable[[Request], Page]]] = {
    "overview": ("Overview", overview),
    "leaderboard": ("Leaderboard", leaderboard),
    "paired": ("Paired comparison", all_against_best),
    "sweeps": ("Sweeps", temperature_sweeps),
    "images": ("Images", images),
    "marked": ("Starred and noted images", marked),
    "cloud": ("Caption cloud", cloud),
    "critique": ("Critique", critique),
    "judgments": ("Judgments", judgments),
    "robustness": ("Robustness", robustness),
    "coherence": ("Coherence", coherence),
    "sensitivity": ("Sensitivity", sensitivity),
    "references": ("References", references),
    "methods": ("Methods", methods),
}
_FURTHER = {"unique_correct": single_numbers}
"""Functions that return further blocks for the page of a view, by the name of the view."""
PAGES = {
    name: _PAGES.get(name) or (VIEWS[name].title, section_of(name, _FURTHER.get(name))) for name in with_views(_PAGES)
}
"""All pages in menu order, including the views."""

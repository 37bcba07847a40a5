"""The report's page about words: what the best run says more, or less, often than people, and every run in a row."""

from __future__ import annotations

from functools import partial

import pandas as pd

from data.study import Run
from figures.report import commands
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun
from figures.words import words as said
from figures.words.chart import chart
from metrics.analysis import artifacts
from metrics.analysis.feasibility import has_references
from metrics.analysis.words import usage as analysis
from metrics.analysis.words.usage import Usage


def words(request: Request) -> Page:
    """Return the figure of the run that is ranked first, else of the first, and a row for each run."""
    study, noun = request.study, item_noun(request.study)
    fewest = analysis.fewest(len(study.items))
    if not has_references(study) or not study.runs:
        return LeftOut("it compares captions of runs with people's")
    if len(study.items) < fewest:
        return LeftOut(f"a word counts if it occurs in at least {fewest} {noun}s")
    first = (request.best(request.ranked) if request.ranked is not None else None) or study.runs[0]
    runs = study.runs if len(study.items) <= artifacts.INTERACTIVE_ITEMS else (first,)
    found = {run.name: _usage(request, run, fewest) for run in runs}
    of = found[first.name]
    if of is None:
        return LeftOut("its words have not been compared: open the page first")
    if not of.rows:
        return LeftOut(f"no word occurs in {fewest} {noun}s or more")
    name, style = short_names(study.runs)[first.name], styles_of(study)[first.model]
    over, under = said.shown(of)
    blocks = (
        request.charts.block(
            partial(chart, over, under, name, style, None),
            said.alt(name, over, under),
            f"Words of {name} against people's",
            least=640,
        ),
        style_html.figure_footer(said.facts(study, of, len(over) + len(under)), said.how(study), [of.design.signature]),
        request.table(said.table(of), "words", f"Every word of {name} as a table"),
        request.table(_runs(request, found), "words by run", "Every run as a table") if len(runs) > 1 else "",
    )
    where = "in the table below" if len(runs) > 1 else "not tested"
    verdict = tuple(said.verdict(of, name, len(study.runs) - 1, where))
    question = "What does a run say too often, and what too rarely?"
    return Section("Words", question, verdict, blocks, (commands.words(request.named),))


def _usage(request: Request, run: Run, fewest: int) -> Usage | None:
    design = analysis.Design(run.name, fewest=fewest)
    work = artifacts.words(request.study, design)
    arrays = request.arrays(work, work.title)
    return None if arrays is None else analysis.usage(design, arrays)


def _runs(request: Request, found: dict[str, Usage | None]) -> pd.DataFrame:
    """A row for each run whose words are known: how many differ, and the surest of them."""
    short = short_names(request.study.runs)
    rows = [
        {
            "Run": short[name],
            "Words": len(of.rows),
            "More often": len(of.over),
            "Surest": ", ".join(row.term for row in of.over[:5]),
            "Less often": len(of.under),
            "Surest of them": ", ".join(row.term for row in of.under[:5]),
        }
        for name, of in found.items()
        if of is not None
    ]
    return pd.DataFrame(rows)

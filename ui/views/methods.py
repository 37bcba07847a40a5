"""The parts of the Methods page: every metric in words and formulas, the study's signatures, citations."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from data.study import Study
from figures.methods import triangle
from figures.style.escaping import capital
from figures.style.numbers import MINUS, count
from figures.style.wording import item_noun, names_in_a_row
from metrics import citations
from metrics.analysis.feasibility import why_impossible
from metrics.base import Metric
from metrics.bootstrap import LEAST, RESAMPLES
from metrics.engine import scoring
from metrics.guide import documentation
from metrics.guide.cards import card
from metrics.needs import metric_needs, unmet
from metrics.permutation.item_test import BUDGET, DRAWS
from metrics.suite.distribution import Trm
from ui.frame import look
from ui.frame.wording import plain
from ui.jobs import study_metrics
from ui.jobs.jobs import OPTIONS, VALUES, jobs
from ui.session import address, state
from ui.widgets import image_picker, parts, show

OPENED = 4
"""Maximum number of metrics whose details are open from the start."""
PART = "part"
"""Name, in the address, of the open tab: a family, or one of PARTS."""
PARTS = {"conventions": "Intervals, tests", "study": "Signatures", "published": "Published", "cite": "Citations"}
CONVENTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "95 % interval",
        f"Bootstrap over items of the metric's sufficient statistics, {RESAMPLES:,} resamples with the "
        f"same draws for every run, between percentiles widened for few items; none for fewer than {LEAST} items. "
        "Where a value of a whole run is not a sum over items, a delete-a-group jackknife; none for MAUVE",
        "Efron and Tibshirani 1993; Hesterberg 2015",
    ),
    (
        "p of an item",
        f"Permutation of the labels candidate and reference: all partitions up to {BUDGET:,}, else Monte "
        "Carlo with (b + 1) / (m + 1)",
        "Chan et al. 2022, section 3.1; Phipson and Smyth 2010",
    ),
    (
        "p of a run",
        f"All items relabelled together, for the mean over items: exact for few items, otherwise {DRAWS:,} draws",
        "Chan et al. 2022, A.5",
    ),
    ("Harmonic mean p", "Over the item tests, calibrated by the Landau distribution", "Wilson 2019"),
    (
        "Paired comparison",
        "Sign flips: two runs swap their values for an item, in all possible ways or at random. d_z corrected "
        "for the bootstrap's bias, plus or minus t bootstrap errors",
        "Fisher 1935; Cohen 1988; Efron and Tibshirani 1993",
    ),
    (
        "Rank range",
        "One more than the runs that are significantly better, up to all but those significantly worse: paired "
        "differences by their bootstrap error, Student's t, corrected for all pairs",
        "Holm 1979",
    ),
    (
        "People",
        "What people wrote, only at equal set sizes: for quality, each reference against the others; for "
        "diversity, the references as a run",
        "Zhu et al. 2020, table 2",
    ),
    (
        "No difference",
        "For a distribution metric, the mean over relabellings of candidates and references: what is "
        "expected where both are alike. Only at equal set sizes",
        "Chan et al. 2022, section 3.1",
    ),
    ("Undefined", "A dash with its reason; never 0, and never dropped silently: every mean states its n", ""),
)


def choose() -> list[Metric]:
    """Show the search field; return the metrics that match it."""
    words = address.text(
        "Search",
        "find",
        width=340,
        placeholder="Search: name, word or paper",
        icon=":material/search:",
        label_visibility="collapsed",
    )
    return documentation.matching(study_metrics.metrics().values(), words)


def summary(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Return sentences on how many metrics are listed and what this machine lacks to compute them."""
    lacking: dict[str, list[str]] = {}
    for metric in metrics:
        for need in metric.needs:
            if (why := unmet(need)) is not None:
                lacking.setdefault(why, []).append(metric.label)
    known = len(study_metrics.metrics())
    of = "" if len(metrics) == known else f" of {known}"
    start = (
        look.Strong(f"{len(metrics)}{of} metrics"),
        ", each in a sentence and a formula; open one for its source. ",
    )
    if not lacking:
        return (*start, "This machine has what all of them need.")
    told = (f"{names_in_a_row(names)}: {why.rstrip('.')}." for why, names in lacking.items())
    return (*start, " ".join(told).replace("`", ""))


def choose_part(metrics: Sequence[Metric]) -> str:
    """Show a tab for each family of the metrics, and for what concerns all of them; return the open one."""
    there = {metric.family for metric in metrics}
    families = {name: title.partition(": ")[0] for name, title in documentation.FAMILIES.items() if name in there}
    return parts.tabs(PART, families | PARTS, documentation.FAMILIES)


def show_family(family: str, metrics: Sequence[Metric], study: Study) -> None:
    """Show the metrics of a family, one line for each kind, which opens its details."""
    own = [metric for metric in metrics if metric.family == family]
    if any(isinstance(metric, Trm) for metric in own):
        show_triangle()
    about = documentation.FAMILIES[family].partition(": ")[2]
    with st.container(gap="xsmall"):
        look.figure_title("", f"{capital(about)}: {count(len(own), 'metric')}.", cards=False)
        _entries(documentation.entries(own), study, opened=len(metrics) <= OPENED)


def asked() -> Metric | None:
    """Return the metric that a link names, such as `methods?metric=cider_d`, or None."""
    known = study_metrics.metrics()
    return known.get(address.select_one("metric", ["", *known], ""))


def show_asked(metric: Metric, study: Study) -> None:
    """Show the card of the metric that a link names."""
    _entries(documentation.entries([metric]), study, opened=True)


def _entries(entries: Sequence[documentation.Entry], study: Study, opened: bool) -> None:
    for entry in entries:
        said = f"**{plain(entry.title)}** :gray[{plain(card(*entry.metrics))}] {_unbroken(entry.first.formula)}"
        with st.expander(said, expanded=opened):
            look.figure_title("", entry.summary.replace("`", ""), cards=False)
            _facts(entry, study)


def _unbroken(formula: str) -> str:
    """Markdown of a formula in which a line breaks only before the definition of a symbol: KaTeX breaks no group."""
    parts = re.split(r"(?<=,)\\;\s*(?=[^,]*=)", formula)
    return " ".join(f"${{{part}}}$" for part in parts)


def _facts(entry: documentation.Entry, study: Study) -> None:
    metric, needs, here = entry.first, _needs(entry.first), _possible(entry, study)
    facts = [
        ("Better", documentation.direction(metric)),
        (
            "Range",
            names_in_a_row(list(dict.fromkeys(documentation.bounds(m) for m in entry.metrics))).replace("-", MINUS),
        ),
        ("One value for", documentation.GRAINS[metric.grain]),
        ("Test", documentation.how_tested(metric)),
        ("Needs", needs),
        ("This study", "" if here in needs else here),
        ("Source", metric.source),
    ]
    signatures = tuple(m.signature for m in entry.metrics)
    look.facts(((name, value) for name, value in facts if value), codes={"Signature": signatures})


def _needs(metric: Metric) -> str:
    missing = sorted(why for need in metric.needs if (why := unmet(need)) is not None)
    words = ", ".join(metric_needs(metric)) or "nothing"
    return f"{words}. Not on this machine: {'; '.join(missing)}" if missing else words


def _possible(entry: documentation.Entry, study: Study) -> str:
    whys = {why for metric in entry.metrics if (why := why_impossible(study, metric)) is not None}
    return "; ".join(sorted(whys)) if study.runs else ""


def show_triangle() -> None:
    """Explain the triangle, and the three possible ranks of its inside edge."""
    with st.container(border=True), look.figure():
        look.figure_title("The triangle of TRM", triangle.INTRODUCTION, cards=False)
        with st.grid(3, min_column_width=150, gap="medium") as cells:
            for panel in triangle.PANELS:
                with cells.cell():
                    look.block(triangle.panel_html(panel, look.mode()))


def show_study(study: Study) -> None:
    """Show the metrics that have numbers in this study, with their signatures and the data digest."""
    frame = signatures(study)
    look.figure_title("", "Two numbers with the same signature and the same data digest are equal.")
    if frame.empty:
        with look.empty("No numbers yet", "Numbers appear on the Leaderboard; their signatures appear here."):
            image_picker.page_link("leaderboard", "Open the Leaderboard", "format_list_numbered")
    else:
        show.table(frame, "signatures", name=f"{study.name} signatures")
    size = f"{count(len(study.items), item_noun(study))}, {count(len(study.runs), 'run')}"
    look.footer(f"{study.name}: {size}. Data digest:", f"sha256:{study.digest}")


def signatures(study: Study) -> pd.DataFrame:
    """Return one row for each metric with a number for at least one run."""
    owner = state.session()
    rows = []
    for metric in study_metrics.metrics().values():
        runs = scoring.runs_of(study, metric)
        keys = [[scoring.result_key(metric, run, study, options) for options in (OPTIONS, VALUES)] for run in runs]
        scored = sum(any(jobs().has(key, owner) for key in pair) for pair in keys)
        if scored:
            rows.append({"Metric": metric.label, "Signature": metric.signature, "Runs": scored, "of": len(runs)})
    return pd.DataFrame(rows, columns=["Metric", "Signature", "Runs", "of"])


def show_conventions() -> None:
    """Show how intervals, tests and the rows of people are computed, for any metric."""
    look.facts((what, f"{how}{f' ({source})' if source else ''}.") for what, how, source in CONVENTIONS)


def show_citations(metrics: Sequence[Metric]) -> None:
    """Show BibTeX entries for the papers behind the listed metrics."""
    bibtex = citations.cited(metrics)
    said = "The papers behind the metrics listed here; cite those whose numbers you report:"
    look.figure_title("", f"{said} {count(bibtex.count('@'), 'paper')}.")
    st.code(bibtex, language=None, wrap_lines=True)
    st.download_button(
        "BibTeX",
        bibtex + "\n",
        "trilens.bib",
        "text/x-bibtex",
        key="bibtex",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help="For the papers behind the metrics listed",
    )

"""The parts of the Methods page: every metric in words and formulas, the study's signatures, citations."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from data.study import Study
from figures.methods import triangle
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
from ui.jobs import study_metrics
from ui.jobs.jobs import OPTIONS, VALUES, jobs
from ui.session import address, state
from ui.widgets import image_picker, show

FAMILIES = {"quality": "Quality", "distribution": "Distribution", "diversity": "Diversity", "references": "References"}
OPENED = 4
"""Maximum number of metrics whose details are open from the start."""
PARTS = {
    "study": "This study's signatures",
    "conventions": "Intervals, tests and what people wrote",
    "published": "Published tables, recomputed",
    "cite": "How to cite",
}
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
    """Show the search field and the families; return the metrics that match both."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        words = address.text(
            "Search",
            "find",
            width=260,
            placeholder="Search: name, word or paper",
            icon=":material/search:",
            label_visibility="collapsed",
        )
        families = address.pills(
            "Families", "families", list(FAMILIES), (), format_func=FAMILIES.__getitem__, label_visibility="collapsed"
        )
    kept = [metric for metric in study_metrics.metrics().values() if not families or metric.family in families]
    return documentation.matching(kept, words)


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


def show_entries(metrics: Sequence[Metric], study: Study) -> None:
    """Show the metrics by family, with each kind together; families are folded unless the list is filtered."""
    few = len(metrics) < len(study_metrics.metrics())
    if any(isinstance(metric, Trm) for metric in metrics):
        show_triangle()
    for family, name in FAMILIES.items():
        own = [metric for metric in metrics if metric.family == family]
        if own:
            about = documentation.FAMILIES[family].partition(": ")[2]
            with st.expander(f"**{name}**: {about}. :gray[{count(len(own), 'metric')}]", expanded=few):
                _entries(documentation.entries(own), study, opened=len(metrics) <= OPENED)


def asked() -> Metric | None:
    """Return the metric that a link names, such as `methods?metric=cider_d`, or None."""
    known = study_metrics.metrics()
    return known.get(address.select_one("metric", ["", *known], ""))


def show_asked(metric: Metric, study: Study) -> None:
    """Show the card of the metric that a link names."""
    _entries(documentation.entries([metric]), study, opened=True)


def _entries(entries: Sequence[documentation.Entry], study: Study, opened: bool) -> None:
    with st.grid(2, min_column_width=380, gap="small") as cells:
        for entry in entries:
            with cells.cell(), st.container(border=True), look.figure():
                look.figure_title(entry.title, card(*entry.metrics), cards=False)
                # Unlike a formula that is set apart, one in a line of text breaks where the card is narrow.
                st.markdown(rf"$\displaystyle {entry.first.formula}$")
                with st.expander("Range, source, signature", expanded=opened):
                    look.figure_title("", entry.summary.replace("`", ""), cards=False)
                    _facts(entry, study)


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
        with st.grid(3, min_column_width=230, gap="medium") as cells:
            for panel in triangle.PANELS:
                with cells.cell():
                    look.block(triangle.panel_html(panel, look.mode()))


def show_study(study: Study) -> None:
    """Show the metrics that have numbers in this study, with their signatures and the data digest."""
    frame = signatures(study)
    with st.expander(f"**{PARTS['study']}**"):
        _signatures(study, frame)


def _signatures(study: Study, frame: pd.DataFrame) -> None:
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
    rows = ((what, f"{how}{f' ({source})' if source else ''}.") for what, how, source in CONVENTIONS)
    with st.expander(f"**{PARTS['conventions']}**"):
        look.facts(rows)


def show_citations(metrics: Sequence[Metric]) -> None:
    """Show BibTeX entries for the papers behind the listed metrics."""
    bibtex = citations.cited(metrics)
    with st.expander(f"**{PARTS['cite']}** :gray[{count(bibtex.count('@'), 'paper')}, as BibTeX]"):
        look.figure_title("", "The papers behind the metrics shown above; cite those whose numbers you report.")
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
            help="For the papers behind the metrics shown",
        )

"""The parts of the frontier page: its controls, the chart, rankings by single numbers, one run, the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from data.study import Run, Study
from figures.export.column_metrics import better_ends
from figures.export.paper import Ground
from figures.frontier import words as frontier_words
from figures.frontier.chart import frontier_figure
from figures.frontier.ranks import agreement_figure, order_figure
from figures.style.lines import run_marks
from figures.style.numbers import defined, interval, num, percent
from figures.style.wording import names_in_a_row
from metrics.analysis.defaults import default_pair, default_singles
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.frontier import Axis, Frontier
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import replicated, replicates
from metrics.analysis.replicates.merged import by_setting
from metrics.base import Family, Metric
from metrics.engine.result import PENDING
from ui.frame import errors, look
from ui.jobs import registry
from ui.jobs.jobs import jobs
from ui.session import address, state
from ui.widgets import image_picker, parts, show
from ui.widgets.run_picker import runs as runs_shown

MONTAHAEI = ("bleu_4", "self_bleu_4")
"""The metrics of figure 1 in Montahaei et al."""
ORACLE = ("oracle_nll", "entropy")
"""Those of its figure 1d, where log-probabilities are stated."""
MARKS = {
    "intervals": "Intervals",
    "fit": "Second-degree fit",
    "both": "Intervals and fit",
    "points": "Points alone",
}
FAMILIES: tuple[Family, ...] = ("quality", "diversity", "distribution")
PART = "part"
"""The address's name for the part below the chart."""
_OWN = ("quality-metric", "diversity-metric", "single")


@dataclass(frozen=True)
class FrontierChoice:
    """The state of the controls."""

    quality: Metric
    diversity: Metric
    singles: tuple[Metric, ...]
    runs: tuple[Run, ...]
    marks: str
    one_run_each: bool = False

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics to be scored."""
        return (self.quality, self.diversity, *self.singles)


@dataclass(frozen=True)
class Offers:
    """Names of the metrics that a study can have, by family, and the single numbers that the page shows by default."""

    quality: list[str]
    diversity: list[str]
    distribution: list[str]
    singles: list[str]


@st.cache_resource(max_entries=64, show_spinner=False)
def _offers(_study: Study, digest: str, _metrics: Mapping[str, Metric]) -> Offers:
    offered = [
        [name for name, m in _metrics.items() if m.family == family and why_impossible(_study, m) is None]
        for family in FAMILIES
    ]
    quality, diversity, distribution = offered
    return Offers(quality, diversity, distribution, default_singles(_study))


def _known(study: Study) -> str:
    """Everything that determines the offers: the captions, their log-probabilities, and the imported metrics."""
    return " ".join([study.digest, *study.logprobs_digests.values(), *(scores.name for scores in study.scores)])


def lacking(study: Study) -> str:
    """Return why no metric of one side can be computed here; "" if each side has one."""
    offers = _offers(study, _known(study), registry.metrics())
    for family, names in (("quality", offers.quality), ("diversity", offers.diversity)):
        if not names:
            own = (m for m in registry.metrics().values() if m.family == family)
            return f"{family} {next(why for m in own if (why := why_impossible(study, m)))}"
    return ""


def controls(study: Study) -> FrontierChoice:
    """Show both metrics, the single numbers, the runs and the marks; call it inside a row of controls."""
    address.begin_anew(*_OWN)
    by = registry.metrics()
    offers = _offers(study, _known(study), by)
    pair = default_pair(study, offers.quality, offers.diversity, partial(_there, study))
    _pairs(offers, pair)
    quality = _metric("Quality", "quality-metric", offers.quality, pair[0], 115)
    diversity = _metric("Diversity", "diversity-metric", offers.diversity, pair[1], 165)
    runs = runs_shown(study)
    chosen = address.select_several("single", offers.distribution, offers.singles)
    with st.popover(f"Single numbers: {len(chosen)}", icon=":material/counter_1:"):
        chosen = address.pills(
            "What one number says",
            "single",
            offers.distribution,
            offers.singles,
            format_func=lambda name: by[name].label,
        )
    marks = address.select("Show", "marks", list(MARKS), "intervals", format_func=MARKS.__getitem__, width=145)
    each = _one_run_each(study)
    return FrontierChoice(by[quality], by[diversity], tuple(by[name] for name in chosen), runs, marks, each)


def _one_run_each(study: Study) -> bool:
    """Whether runs that differ in a seed alone have marks of their own; asked only where there are some."""
    if not replicated(replicates(study.runs)):
        return False
    kinds = {"settings": "Setting", "runs": "Run"}
    return (
        address.select("A mark a", "seeds", list(kinds), "settings", format_func=kinds.__getitem__, width=110) == "runs"
    )


def _there(study: Study, name: str) -> bool:
    """Whether every run already has that number."""
    found = jobs().view(study, (registry.metrics()[name],), state.session(), start=False).results
    return len(found) == len(study.runs)


def rows(study: Study, numbers: Numbers, choice: FrontierChoice) -> tuple[Study, Numbers, tuple[Run, ...]]:
    """Return what the chart has marks for: the chosen runs, or the settings of which they are seeds."""
    settings = replicates(choice.runs)
    if choice.one_run_each or not replicated(settings):
        return study, numbers, choice.runs
    merged, means = by_setting(study, numbers, settings)
    return merged, means, merged.runs


def _metric(label: str, name: str, options: list[str], first: str, width: int) -> str:
    by = registry.metrics()
    return address.select(
        label,
        name,
        options,
        first if first in options else options[0],
        format_func=lambda n: by[n].label,
        width=width,
    )


def _pairs(offers: Offers, first: tuple[str, str]) -> None:
    """Buttons for known pairs of metrics; none is active if the choice is another pair."""
    known = {"Default": first, "Montahaei fig. 1": MONTAHAEI, "Montahaei fig. 1d": ORACLE}
    if first == MONTAHAEI:
        del known["Default"]
    there = {name: pair for name, pair in known.items() if pair[0] in offers.quality and pair[1] in offers.diversity}
    if not there:
        return
    now = tuple(address.value(name) or start for name, start in zip(_OWN, first))
    st.session_state["frontier_pair"] = next((name for name, pair in there.items() if pair == now), None)

    def take() -> None:
        for name, metric in zip(_OWN, there.get(st.session_state["frontier_pair"] or "", now)):
            address.store(name, metric)

    st.segmented_control("Pair", list(there), key="frontier_pair", on_change=errors.callback(take))


def show_frontier(study: Study, view: Frontier, choice: FrontierChoice) -> None:
    """Show the chart with its footer."""
    chosen = _chosen(view)
    marks = run_marks(study.runs)
    crosses, curves = choice.marks in ("intervals", "both"), choice.marks in ("fit", "both")
    said = frontier_words.footer(study, view, crosses, curves)
    signatures = (choice.quality.signature, choice.diversity.signature)

    def draw(on: Ground) -> go.Figure:
        ring = on.on_screen(chosen)
        return frontier_figure(view, marks, on.mode, intervals=crosses, curves=curves, chosen=ring, width=on.width)

    paths = any(len(path) > 1 for path in view.paths)
    how = "One path a model and decoder, in order of temperature (small numbers)." if paths else "One mark a run."
    with look.figure():
        look.figure_title(
            f"{choice.quality.label} against {choice.diversity.label}",
            f"{how} Shaded: beaten on both axes.",
        )
        show.chart(
            draw,
            "frontier",
            alt(view),
            f"{study.name} {choice.quality.name} {choice.diversity.name}",
            footer=f"{frontier_words.print_footer(study, view, crosses, curves)} {', '.join(signatures)}",
            on_select=lambda: _take(view),
            selection_mode="points",
        )
    look.footer(said, *signatures)


def show_parts(study: Study, view: Frontier) -> None:
    """Show one of the parts below the chart: the run chosen in it, what single numbers say, or all numbers."""
    chosen, several = _chosen(view), (view.singles or view.waiting) and len(view.runs) > 1
    titles = {"run": "One run", "singles": "What one number says", "tables": "Tables"}
    part = parts.tabs(PART, {name: title for name, title in titles.items() if name != "singles" or several}, titles)
    if part == "run" and chosen is not None:
        _one_run(view, chosen)
    elif part == "singles":
        _singles(study, view)
    elif part == "tables":
        _tables(study, view)


def show_nothing(view: Frontier) -> None:
    """Show why no run has both numbers, and what would help."""
    reasons = dict.fromkeys(why for _, why in view.missing)
    if any(why.endswith(PENDING) for why in reasons):
        look.empty("No numbers yet", "The chart appears with the first runs that have both.")
        return
    said = f"{next(iter(reasons))}. Choose another pair above." if reasons else "Choose a run above."
    look.empty("No run has both numbers", said)


def alt(view: Frontier) -> str:
    """Return the text alternative of the chart."""
    on = [view.runs[k].name for k in view.order]
    return (
        f"{len(view.runs)} runs by {view.quality.metric.label} and {view.diversity.metric.label}; on the front, from "
        f"the most quality to the most diverse: {names_in_a_row(on, 12)}. The Tables tab lists every run."
    )


def _take(view: Frontier) -> None:
    """Store the run whose mark was clicked."""
    for place, *_ in show.picked("frontier"):
        address.store("run", view.runs[int(place)].name)
        address.store(PART, "run")


def _chosen(view: Frontier) -> int | None:
    """Position of the run given by the address, else of the first single number's winner, else of the surest run."""
    names = [run.name for run in view.runs]
    if not names:
        return None
    best = next((single.best for single in view.singles if single.best is not None), None)
    first = best if best is not None else view.order[0]
    asked = address.value("run")
    return names.index(asked) if asked in names else first


def _one_run(view: Frontier, k: int) -> None:
    with image_picker.row():
        names = [run.name for run in view.runs]
        address.select("Run", "run", names, names[k], width=260, help="Or click its mark in the chart.")
        run = view.runs[k].name
        image_picker.page_link("leaderboard", "Against the others", "format_list_numbered", base=run, show="Difference")
        first = _first_seed(run)
        image_picker.page_link("images", "Its captions", "image", beside=first)
        image_picker.page_link("triangles", "Its triangles", "change_history", run=first)
    address.show_unknown()
    look.verdict(*frontier_words.about_run(view, k), kicker="Reading")
    look.stats(*_stats(view, k))


def _first_seed(name: str) -> str:
    """The first run of a setting; the run itself where it is none."""
    return next((of.runs[0] for of in replicates(state.study().runs) if of.name == name), name)


def _stats(view: Frontier, k: int) -> list[look.Stat]:
    found = [_stat(axis, k) for axis in (view.quality, view.diversity)]
    share = view.share[k]
    note = f"in {percent(share)} of resamples" if defined(share) else "no resamples"
    found.append(look.Stat("On the front", frontier_words.standing(view, k) or num(None), note))
    for single in view.singles:
        of = int(sum(defined(rank) for rank in single.rank))
        rank = f"{single.rank[k]:g}" if defined(single.rank[k]) else num(None)
        found.append(look.Stat(f"Rank by {single.metric.label}", rank, f"of {of}, value {num(single.value[k])}"))
    return found


def _stat(axis: Axis, k: int) -> look.Stat:
    return look.Stat(axis.metric.label, num(axis.value[k]), interval(axis.low[k], axis.high[k]))


def _singles(study: Study, view: Frontier) -> None:
    """Show the runs ordered by single numbers, and the agreement of these with dominance."""
    marks, chosen = run_marks(study.runs), _chosen(view)
    look.verdict(*frontier_words.singles_verdict(view), kicker="Agreement")
    if not view.singles:
        return
    said = frontier_words.singles_footer(study, view)
    signatures = [single.metric.signature for single in view.singles]
    printed = f"{frontier_words.singles_print_footer(view)} {', '.join(signatures)}"
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        with two.cell(), look.figure():
            look.figure_title("Agreement with dominance", "Of the pairs in which one run beats another on both axes.")
            alt_ = "; ".join(frontier_words.agreed(single) for single in view.singles)
            show.chart(lambda on: agreement_figure(view, on.mode), "frontier_agreement", alt_, footer=printed)
        with two.cell(), look.figure():
            look.figure_title(
                "The same runs in one order", "Filled: on the front. Hollow: dominated. Ring: the chosen run."
            )
            show.chart(
                lambda on: order_figure(view, marks, on.mode, on.on_screen(chosen), on.width),
                "frontier_order",
                "Runs in the order of each number; the Tables tab lists all ranks.",
                footer=f"Filled: on the front. Hollow: dominated. {printed}",
            )
    look.footer(said, *signatures)


def _tables(study: Study, view: Frontier) -> None:
    """Show the numbers of the page as tables."""
    _every_run(study, view)
    if view.singles and len(view.runs) > 1:
        _single_numbers(study, view)


def _every_run(study: Study, view: Frontier) -> None:
    look.figure_title("Every run", "On the front: at 95 %, all pairs of runs judged at once.")
    bar = {
        frontier_words.ON_FRONT: st.column_config.ProgressColumn(
            format="%.0f %%", min_value=0, max_value=100, color="gray"
        )
    }
    table = frontier_words.table(view)
    show.table(
        table,
        "frontier_table",
        name=f"{study.name} frontier",
        digits={frontier_words.ON_FRONT: 1},
        formats={"T": "%g"},
        best=better_ends(table, registry.metrics().values()),
        columns=bar | _PINNED,
        caption=frontier_words.table_caption(study, view),
    )


def _single_numbers(study: Study, view: Frontier) -> None:
    look.figure_title("Single numbers")
    show.table(
        frontier_words.singles_table(view),
        "frontier_singles",
        name=f"{study.name} agreement",
        caption=frontier_words.singles_caption(study, view),
    )
    ranks = frontier_words.ranks_table(view)
    show.table(
        ranks,
        "frontier_ranks",
        name=f"{study.name} ranks",
        best=better_ends(ranks, registry.metrics().values()),
        columns=_PINNED,
        formats={str(name): "%g" for name in ranks if str(name).startswith(frontier_words.RANK)},
        caption=frontier_words.singles_caption(study, view),
    )


_PINNED = {frontier_words.RUN: st.column_config.TextColumn(pinned=True, width="medium")}

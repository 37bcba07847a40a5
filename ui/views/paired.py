"""The parts of the Paired comparison page: which runs and metrics, the forest, the items behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from data.study import Run, Study
from figures.paired import forest as paired_forest
from figures.paired import words as paired_words
from figures.style.numbers import count
from figures.style.palette import model_styles
from figures.style.wording import direction_arrow, item_noun, sizes
from metrics.analysis import paired_defaults
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import Family, against, family
from metrics.base import Metric
from metrics.pvalues import ALPHA
from ui.frame import look
from ui.jobs import numbers as jobs_numbers
from ui.jobs import registry
from ui.jobs.jobs import ScoreView
from ui.session import address
from ui.views import paired_items
from ui.widgets import figure, image_picker, metric_picker, show

MODES = {"two": "Two runs", "all": "All against one"}
EVERY = 99
"""No family of metrics is cut short at first."""


@dataclass(frozen=True)
class Choice:
    """What the controls say: two runs A and B (in "all" every run against B), the metrics, the main one, a second."""

    mode: str
    metrics: tuple[Metric, ...]
    main: Metric | None
    first: Run
    second: Run
    other: Metric | None = None


def choose(study: Study) -> tuple[Choice, Numbers, ScoreView]:
    """The row of controls, and the numbers of the chosen metrics."""
    with image_picker.row():
        mode = address.select("Compare", "compare", list(MODES), "two", named=MODES.__getitem__, width=145)
        chosen = metric_picker.pick_some(study, EVERY)
        metrics = tuple(metric for metric in chosen if metric.of_items)
        numbers, view = jobs_numbers.fetch(study, metrics)
        main = _main(study, numbers, metrics)
        names = [run.name for run in study.runs]
        if mode == "all":
            best = paired_defaults.best_first(study, numbers, main)
            name = address.select("Baseline", "base", names, best[0], width=230, named=str)
            base = study.run(name)
            main = _which("Metric", "main", metrics, main)
            return Choice(mode, metrics, main, base, base), numbers, view
        first = address.select("A", "a", names, paired_defaults.best_first(study, numbers, main)[0], width=165)
        second = address.select(
            "B", "b", names, paired_defaults.rival(study, numbers, metrics, main, study.run(first)), width=165
        )
        st.button(
            "", icon=":material/swap_horiz:", key="swap_runs", help="Swap A and B", on_click=_swap, args=(first, second)
        )
        main = _which("Metric", "main", metrics, main)
        a, b = study.run(first), study.run(second)
        other = _which(
            "Against",
            "other",
            paired_defaults.others(metrics, main),
            paired_defaults.most_opposed(study, numbers, metrics, main, a, b),
        )
    return Choice(mode, metrics, main, a, b, other), numbers, view


def nothing(chosen: Choice) -> bool:
    """True where there is nothing to compare, which is said with what to do."""
    if not chosen.metrics or chosen.main is None:
        look.empty("No metric to compare by", "Above, choose one with a value of each item: not of a whole run.")
        return True
    if chosen.mode == "two" and chosen.first == chosen.second:
        look.empty("The same run twice", "Choose two different runs: a run does not differ from itself.")
        return True
    return False


def one_run(study: Study) -> bool:
    """True for a study with nothing to set against its run, which is said with the way to change it."""
    if len(study.runs) > 1:
        return False
    with look.empty("One run alone", "A comparison needs two: add the captions of another run on the Workspace page."):
        image_picker.workspace_link()
    return True


def show_two(study: Study, numbers: Numbers, chosen: Choice) -> None:
    """Two runs: verdict, metric by metric, item by item, the largest differences, where metrics disagree."""
    found = family(study, numbers, [(chosen.first, chosen.second, metric) for metric in chosen.metrics])
    by = {c.metric.name: c for c in found.comparisons}
    main = by[chosen.main.name] if chosen.main else found.comparisons[0]
    look.verdict(*paired_words.verdict_two(study, found, main))
    _forest_of_metrics(study, found)
    other = by[chosen.other.name] if chosen.other else None
    if not main.reason:
        paired_items.show_items(study, chosen.first, chosen.second, main, other)
    look.section("All numbers")
    _table(study, found)
    _foot(study, found)


def show_all(study: Study, numbers: Numbers, chosen: Choice) -> None:
    """Every run against the baseline by one metric."""
    assert chosen.main is not None
    found = against(study, numbers, chosen.second, chosen.main, study.runs)
    look.verdict(*paired_words.verdict_all(found))
    styles = model_styles([run.model for run in study.runs])
    lines = paired_forest.run_lines(found, {run.name: styles[run.model] for run in study.runs})
    metric = chosen.main
    with look.figure():
        look.figure_title(f"{metric.label} against {chosen.second.name}", _HOW, direction_arrow(metric))
        title = f"{metric.label} minus that of {chosen.second.name}"
        show.chart(
            lambda on: paired_forest.forest(
                lines, on.mode, title, ("run", "base"), not metric.higher_is_better, on.width
            ),
            "paired_all",
            paired_words.forest_alt(found),
            f"{metric.label} against {chosen.second.name}",
            footer=_printed(study, found),
            on_select=_to_run,
        )
    look.section("All numbers")
    _table(study, found)
    _foot(study, found)


def _table(study: Study, found: Family) -> None:
    show.table(
        paired_words.table(found),
        "paired_table",
        name="paired comparison",
        formats=_FORMATS,
        columns=_columns(found),
        caption=f"{study.name}: paired comparison. {paired_words.footer(study, found)} "
        f"{paired_words.holm_words(found)}.",
        signatures=[metric.signature for metric in dict.fromkeys(c.metric for c in found.comparisons)],
    )


_FORMATS = {"p": "%.4g", "p floor": "%.4g", "Holm p": "%.4g"}
_FILLED = f"where a side counts as better. Filled: p\u00a0≤\u00a0{ALPHA} after Holm. Bars: who is ahead on how many."
_HOW = f"Line: 95 % interval. Coloured: it excludes zero, {_FILLED}"
_HOW_TWO = f"Line: 95 % interval of d_z. Coloured: the interval of the difference excludes zero, {_FILLED}"


def _forest_of_metrics(study: Study, found: Family) -> None:
    first, second = found.comparisons[0].first, found.comparisons[0].second
    metrics = list(dict.fromkeys(c.metric for c in found.comparisons))
    figure.figure(
        "paired_metrics",
        "Metric by metric",
        f"further right: A {'better' if any(metric.has_better_side for metric in metrics) else 'more varied'}",
        draw=lambda on: paired_forest.forest(
            paired_forest.metric_lines(found), on.mode, "Cohen's d_z in favour of A →", ("A", "B"), width=on.width
        ),
        alt=paired_words.forest_alt(found),
        foot=figure.Foot(
            (f"n = {count(len(study.items), item_noun(study))}, {sizes(study, study.runs)}", "lines: 95 % intervals"),
            (_HOW_TWO,),
            tuple(metric.signature for metric in metrics),
        ),
        metrics=metrics,
        name=f"{first} against {second}",
        on_select=_to_metric,
    )


def _foot(study: Study, found: Family) -> None:
    metrics = dict.fromkeys(c.metric for c in found.comparisons)
    look.footer(paired_words.footer(study, found), *(metric.signature for metric in metrics))


def _printed(study: Study, found: Family) -> str:
    metrics = dict.fromkeys(c.metric for c in found.comparisons)
    n = f"n = {count(len(study.items), item_noun(study))}, {sizes(study, study.runs)}. Lines: 95 % intervals"
    return f"{n}. {' '.join(m.signature for m in metrics)}"


def _columns(found: Family) -> dict[str, object]:
    """The first column stays in sight; no empty columns."""
    empty = [] if any(paired_words.note(c) for c in found.comparisons) else ["Note"]
    empty += [] if any(c.left_out for c in found.comparisons) else ["Left out"]
    pinned: dict[str, object] = {
        name: st.column_config.TextColumn(pinned=True, width="medium") for name in ("Metric", "Run")
    }
    return {**pinned, **dict.fromkeys(empty)}


def _which(label: str, name: str, metrics: Sequence[Metric], default: Metric | None) -> Metric | None:
    if not metrics or default is None:
        return None
    by = {metric.name: metric for metric in metrics}
    # A metric that is not shown any more is no mistake of the address: the default takes its place.
    asked = address.asked(name)
    if asked not in by and asked in registry.metrics():
        address.forget(name)
    return by[address.select(label, name, list(by), default.name, named=lambda n: by[n].label, width=138)]


def _main(study: Study, numbers: Numbers, metrics: Sequence[Metric]) -> Metric | None:
    """The one that is chosen, else a first one."""
    asked = address.asked("main")
    chosen = next((metric for metric in metrics if metric.name == asked), None)
    return chosen or paired_defaults.main_metric(study, numbers, metrics)


def _swap(first: str, second: str) -> None:
    address.put("a", second)
    address.put("b", first)


def _to_metric() -> None:
    for name, *_ in show.picked("paired_metrics")[:1]:
        address.put("main", str(name))


def _to_run() -> None:
    """A click on a run opens it against the baseline."""
    for name, *_ in show.picked("paired_all")[:1]:
        address.put("a", str(name))
        address.put("b", *(address.wanted("base") or ())[-1:])
        address.put("compare", "two")

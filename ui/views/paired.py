"""The parts of the Paired comparison page: runs and metrics, the forest plot, and the items behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.study import Run, Study
from figures.notes import flags
from figures.paired import effects
from figures.paired import footer as paired_foot
from figures.paired import forest as paired_forest
from figures.paired import matrix as paired_matrix
from figures.paired import verdict as paired_verdict
from figures.paired import words as paired_words
from figures.paired.matrix import Matrix
from figures.style.escaping import esc
from figures.style.html import folded
from figures.style.numbers import P_VALUE, count
from figures.style.palette import styles_of
from figures.style.run_names import pair_names, short_names
from figures.style.wording import every_lead, item_noun, lead_means, n_items
from metrics.analysis import paired_defaults
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import Family
from metrics.analysis.slices.groups import divisible
from metrics.base import Metric
from metrics.permutation.pvalues import ALPHA
from ui.frame import errors, look
from ui.jobs import numbers as jobs_numbers
from ui.jobs import study_metrics
from ui.jobs.jobs import ScoreView
from ui.session import address
from ui.views import paired_items, paired_settings
from ui.widgets import figure, image_picker, metric_picker, run_picker, show

MODES = {"two": "One pair", "all": "All pairs"}
SETTINGS = {"settings": "Two settings"}
EVERY = 99
"""The default number of metrics per family: large enough for all of them."""


@dataclass(frozen=True)
class PairedChoice:
    """The state of the controls: two runs A and B or "all" pairs of `runs`, the metrics, the main one, a second one.

    `whole` are the chosen metrics of whole runs, which cannot be paired; `found` compares A and B by the other metrics.
    """

    mode: str
    metrics: tuple[Metric, ...]
    main: Metric | None
    first: Run
    second: Run
    runs: tuple[Run, ...] = ()
    other: Metric | None = None
    whole: tuple[Metric, ...] = ()
    found: Family | None = None


def open_view(study: Study) -> str:
    """Show buttons for the views; return the chosen one, which the address stores. The others are not computed.

    The view of two settings is offered if some runs differ only in their seed, and is the default if at least half of
    the settings have several seeds.
    """
    modes = {**SETTINGS, **MODES} if paired_settings.offered(study) else MODES
    first = next(iter(modes)) if paired_defaults.mostly_seeded(study) else "two"
    named = modes.__getitem__
    return address.segments("Compare", "compare", list(modes), first, format_func=named, label_visibility="collapsed")


def choose(study: Study, mode: str, row: DeltaGenerator) -> tuple[PairedChoice, Numbers, ScoreView]:
    """Show the controls in their row; return the choice and the numbers of the chosen metrics."""
    with row:
        if mode == "all":
            return _choose_all(study)
        places = [st.container(width="content") for _ in range(3)]
        with st.container(width="content"):
            chosen = metric_picker.pick_metrics(study, EVERY, rated=True)
        metrics = tuple(metric for metric in chosen if metric.of_items)
        numbers, view = jobs_numbers.fetch(study, metrics)
        address.follow("main", [metric.name for metric in metrics])
        main = _main(study, metrics)
        ready = view.job is None or view.job.ended
        first, second = _two_runs(study, numbers, main, places, ready)
        a, b = study.run(first), study.run(second)
        ranked = {metric for metric in (main, paired_defaults.main_metric(study, metrics)) if metric}
        found = None
        if metrics and a != b:
            found = paired_defaults.pair(study, numbers, (a, b), metrics, tuple(ranked))
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            if main is not None and found is not None:
                main = _which("Images by", "main", metrics, paired_defaults.telling(found, main))
            other = _which(
                "Against",
                "other",
                paired_defaults.others(metrics, main),
                paired_defaults.most_opposed(study, numbers, metrics, main, a, b),
            )
    whole = tuple(metric for metric in chosen if not metric.of_items)
    return PairedChoice(mode, metrics, main, a, b, study.runs, other, whole, found), numbers, view


def _two_runs(
    study: Study,
    numbers: Numbers,
    main: Metric | None,
    places: Sequence[DeltaGenerator],
    ready: bool,
) -> tuple[str, str]:
    """Show the controls for A and B, and a button that swaps them; return the names of both runs.

    A default pair is kept once numbers are `ready`.
    """
    names, short = [run.name for run in study.runs], short_names(study.runs)
    address.follow("a", names)
    address.follow("b", names)
    with places[0], image_picker.row("content"):
        best = paired_defaults.best_first(study, numbers, main)[0]
        first = address.select("A", "a", names, best, keep=ready, format_func=short.__getitem__)
    with places[2], image_picker.row("content"):
        rival = paired_defaults.rival(study, numbers, main, study.run(first))
        second = address.select("B", "b", names, rival, keep=ready, format_func=short.__getitem__)
    with places[1]:
        st.button(
            "",
            icon=":material/swap_horiz:",
            key="swap_runs",
            help="Swap A and B",
            on_click=errors.callback(_swap),
            args=(first, second),
        )
    return first, second


def _choose_all(study: Study) -> tuple[PairedChoice, Numbers, ScoreView]:
    place = st.container(width="content")
    with st.container(width="content"):
        chosen = metric_picker.pick_metrics(study, EVERY, rated=True)
    metrics = tuple(metric for metric in chosen if metric.of_items)
    numbers, view = jobs_numbers.fetch(study, metrics)
    address.follow("main", [metric.name for metric in metrics])
    with place, image_picker.row("content"):
        main = _which("Metric", "main", metrics, _main(study, metrics))
    with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
        runs = run_picker.runs(study)
    return PairedChoice("all", metrics, main, study.runs[0], study.runs[0], runs), numbers, view


def nothing(chosen: PairedChoice) -> bool:
    """Return True, and show a message with the remedy, if there is nothing to compare."""
    if not chosen.metrics or chosen.main is None:
        look.empty(
            "No metric to compare by", "Above, choose one with a value for each image, not only for a whole run."
        )
        return True
    if chosen.mode == "two" and chosen.first == chosen.second:
        look.empty("The same run twice", "Choose two different runs: a run does not differ from itself.")
        return True
    return False


def one_run(study: Study) -> bool:
    """Return True, and show a message with the remedy, if the study has fewer than two runs."""
    if len(study.runs) > 1:
        return False
    with look.empty("One run alone", "A comparison needs two: add the captions of another run on the Data page."):
        image_picker.data_link()
        if divisible(study):
            image_picker.page_link("slices", "Compare parts of this run on Slices", "compare_arrows")
    return True


def show_two(study: Study, chosen: PairedChoice) -> None:
    """Show two runs: the verdict, the comparison by metric, and images that show the difference."""
    found = chosen.found
    assert found is not None
    by = {c.metric.name: c for c in found.comparisons}
    main = by[chosen.main.name] if chosen.main else found.comparisons[0]
    said = paired_verdict.two(study, found)
    look.verdict(*said, more=paired_words.verdict_two(study, found, main))
    _metric_by_metric(study, found, chosen.whole)
    other = by[chosen.other.name] if chosen.other else None
    beside = other if other and (address.value("other") or found.is_significant(other.metric)) else None
    paired_items.show_items(study, (chosen.first, chosen.second), main, other, beside)


def show_all(study: Study, numbers: Numbers, chosen: PairedChoice) -> None:
    """Show every run against every other by one metric."""
    assert chosen.main is not None
    found = paired_matrix.matrix(study, numbers, chosen.main, chosen.runs)
    left_out = paired_foot.runs_not_drawn(study, numbers, chosen.main, chosen.runs, found.runs)
    look.verdict(*paired_verdict.pairs(study, found))
    if not found.pairs:
        if numbers.waiting(chosen.main, chosen.runs):
            look.pending(height=360, shape="cells")
        return
    _matrix(study, found, left_out)


def _matrix(study: Study, found: Matrix, left_out: str) -> None:
    short, styles = short_names(study.runs), styles_of(study)
    metric, names = found.metric, [short[run.name] for run in found.runs]
    marks = [styles[run.model] for run in found.runs]

    def both() -> None:
        with st.container(horizontal=True, gap="medium", key="tl-wide-pairs"):
            with st.container(width=paired_matrix.width(found, names)):
                whole = paired_matrix.matrix_figure(found, names, marks, look.mode())
                show.plot(whole, "paired_pairs", alt, partial(_take_pair, "paired_pairs"))
            with st.container(width=225):
                look.block(_legend(found, paired_matrix.lettered(found)))
        with st.container(key="tl-narrow-pairs"):
            narrow = paired_matrix.matrix_figure(found, names, marks, look.mode(), True)
            show.plot(narrow, "pairs_narrow", alt, partial(_take_pair, "pairs_narrow"))
            look.block(_full_names(names) + _legend(found))

    odd = flags.facts(study, found.runs)
    alt, n = "".join(paired_verdict.pairs(study, found)), f"n = {n_items(study, len(study.items))}"
    better = "better" if metric.has_better_side else metric.more_means
    figure.figure(
        "paired_pairs_figure",
        "Every run against every other",
        f"filled: the run in the row is {better}",
        draw=lambda on: paired_matrix.matrix_figure(found, names, marks, on.mode, effects.narrow(on.width)),
        body=both,
        alt=alt,
        twin=figure.Twin(paired_matrix.table(found), {"formats": {"Corrected p": P_VALUE}}),
        foot=figure.Foot(
            (
                n,
                f"{count(found.pairs, 'pair')}, p ≤ {ALPHA}, corrected for all",
                *([left_out] if left_out else []),
                *odd,
            ),
            (_HOW_PAIRS, _HOW_LETTERS),
            (metric.signature,),
        ),
        metrics=(metric,),
        name=f"all pairs by {metric.label}",
    )


_HOW_PAIRS = (
    "Each difference, divided by its bootstrap error, is compared with Student's t, with Holm's correction for all "
    "pairs of runs. Only then may the data choose which run is called first."
)
_HOW_LETTERS = (
    "Two runs share a letter where no difference is detected in any pair of their group. That does not prove that "
    "they are equal. Letters by the insert-and-absorb algorithm (Piepho 2004)."
)


def _legend(found: Matrix, lettered: bool = False) -> str:
    none = '<div><i class="o"></i>no difference detected</div>'
    if paired_matrix.halved(found):
        rest = none.replace(' class="o"', ' style="opacity:.06"')
    else:
        rest = f'<div><i style="opacity:.06"></i>column better</div>{none}'
    shared = "Runs share a <b>letter</b>: no difference is detected. " if lettered else ""
    return (
        '<div class="tl-legend"><div><i style="opacity:.85"></i>row better, large difference</div>'
        f'<div><i style="opacity:.3"></i>row better, small difference</div>{rest}'
        f"<p>{shared}Click a square to compare its two runs.</p></div>"
    )


def _full_names(names: Sequence[str]) -> str:
    """A folded note with the full names, by row number, of the runs whose names phones cut off; "" if all fit."""
    cut = paired_matrix.cut_names(names)
    rows = "".join(f'<li value="{number}" dir="auto">{esc(name)}</li>' for number, name in cut)
    return folded(f"{count(len(cut), 'name')} in full", f'<ol class="tl-names">{rows}</ol>') if cut else ""


_FORMATS = {"p": P_VALUE, "Smallest possible p": P_VALUE, "Corrected p": P_VALUE}


def _metric_by_metric(study: Study, found: Family, whole: Sequence[Metric]) -> None:
    first, second = found.comparisons[0].first, found.comparisons[0].second
    names, styles = pair_names(short_names(study.runs), first, second), styles_of(study)
    sides = effects.Sides(
        names,
        (styles[study.run(first).model], styles[study.run(second).model]),
        item_noun(study),
    )
    lines, alt = paired_forest.metric_lines(found), paired_words.forest_alt(study, found)
    metrics = tuple(dict.fromkeys(c.metric for c in found.comparisons))

    def both() -> None:
        for width, key, narrow in (("wide", "paired_metrics", False), ("narrow", "metrics_narrow", True)):
            with st.container(key=f"tl-{width}-metrics"):
                drawn = effects.effects(lines, sides, look.mode(), narrow)
                show.plot(drawn, key, alt, partial(show.store_picked, key, "main"))

    left_out = paired_foot.not_paired(whole)
    n = sorted({c.n for c in found.comparisons if c.n}) or [0]
    figure.figure(
        "paired_forest",
        "Metric by metric",
        f"further right: {names[0]} {every_lead(map(lead_means, metrics))}",
        draw=lambda on: effects.effects(lines, sides, on.mode, effects.narrow(on.width)),
        body=both,
        alt=alt,
        twin=_table(study, found),
        foot=figure.Foot(
            (
                f"n = {n[0]:,}{f' to {n[-1]:,}' if len(n) > 1 else ''} {item_noun(study)}s",
                f"bars: 95 % bootstrap{' of this pair alone' if found.over_all_pairs else ''}",
                *paired_foot.marks(lines, found),
                *([left_out] if left_out else []),
                *flags.facts(study, [study.run(first), study.run(second)]),
            ),
            (_HOW, f"{paired_words.footer(study, found)} {paired_words.holm_words(study, found)}."),
            tuple(metric.signature for metric in metrics),
        ),
        metrics=metrics,
        name=" against ".join(names),
    )


def _table(study: Study, found: Family) -> figure.Twin:
    said = {
        "formats": _FORMATS,
        "columns": _columns(found),
        "caption": f"{study.name}: paired comparison. {paired_words.footer(study, found)} "
        f"{paired_words.holm_words(study, found)}.",
        "signatures": [metric.signature for metric in dict.fromkeys(c.metric for c in found.comparisons)],
    }
    return figure.Twin(paired_words.table(found), said)


_HOW = (
    "Advantage: the mean difference over its standard deviation between images (Cohen's d for pairs), turned so that "
    "positive is in favour of A; by how much: the difference in the metric's own units, turned the same way. "
    "The table has A minus B as measured."
)


def _columns(found: Family) -> dict[str, object]:
    """Column settings: the first column stays visible, empty columns are hidden."""
    empty = [] if any(paired_words.note(c) for c in found.comparisons) else ["Note"]
    empty += [] if any(c.left_out for c in found.comparisons) else ["Left out"]
    pinned: dict[str, object] = {
        name: st.column_config.TextColumn(pinned=True, width="medium") for name in ("Metric", "Run")
    }
    return {**pinned, **dict.fromkeys(empty)}


def _which(label: str, name: str, metrics: Sequence[Metric], default: Metric | None) -> Metric | None:
    """Show a select box of metrics and return the chosen one; None without metrics or a default.

    Only a choice is remembered, so that `address.value` tells it from the default.
    """
    if not metrics or default is None:
        return None
    by = {metric.name: metric for metric in metrics}
    # A metric that is no longer shown is not a mistake in the address: the default replaces it.
    asked = address.value(name)
    if asked not in by and asked in study_metrics.metrics():
        address.forget(name)
    return by[metric_picker.select(label, name, by, default.name, width=138, keep=False)]


def _main(study: Study, metrics: Sequence[Metric]) -> Metric | None:
    asked = address.value("main")
    chosen = next((metric for metric in metrics if metric.name == asked), None)
    return chosen or paired_defaults.main_metric(study, metrics)


def _swap(first: str, second: str) -> None:
    address.store("a", second)
    address.store("b", first)


def _take_pair(key: str) -> None:
    for first, second, *_ in show.picked(key)[:1]:
        address.store("a", str(first))
        address.store("b", str(second))
        address.store("compare", "two")

"""Whole systems on the Judgments page: the labelled scatter plot, and the effect of one system on the correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from figures.judgments import systems as systems_chart
from figures.judgments import words
from figures.judgments.footer import criterion_label
from figures.style.numbers import P_VALUE
from metrics.analysis.judgments.system_groups import Group, Pull, pull
from ui.frame import look
from ui.jobs import study_metrics
from ui.session import address
from ui.widgets import figure, image_picker, metric_picker
from ui.widgets import show as shown

MOST = 8
"""Maximum number of default metrics: a table may have a column for every number of references."""
_SUFFIX = "_c5"


def show(found: Sequence[Group], criterion: str, alone: bool) -> None:
    """Show the chosen group of systems with controls above and, if the page has nothing else (`alone`), the verdict."""
    names = [f"{k + 1}. {group.name}" for k, group in enumerate(found)] if len(found) > 1 else [found[0].name]
    with image_picker.row():
        place = address.select("Systems", "systems", names, names[-1]) if len(found) > 1 else names[0]
        group = found[names.index(place)]
        rated = list(group.criteria)
        first = criterion if criterion in rated else rated[0]
        with image_picker.row("content"):
            chosen = address.select("People rated", "rated_systems", rated, first, format_func=criterion_label)
        with st.popover(":gray[Metrics]", key="systems_panel", type="tertiary"):
            every = [name for name in group.metrics if group.known(chosen, name).sum() > 2]
            metrics = metric_picker.pills("Metrics", "system_metrics", metric_picker.known(every), _first(every))
    if metrics:
        rows = {name: (_label(name), pull(group, chosen, name)) for name in metrics}
        if alone:
            look.verdict(*words.system_verdict(rows))
        _figure(group, chosen, rows)


def _first(names: Sequence[str]) -> list[str]:
    """At most MOST metrics: scores with five references, if names state the number, else the first metrics."""
    five = [name for name in names if name.endswith(_SUFFIX)]
    return (five or list(names))[:MOST]


def _label(name: str) -> str:
    known = study_metrics.metrics()
    return known[name].label if name in known else name


def _figure(group: Group, criterion: str, rows: Mapping[str, tuple[str, Pull]]) -> None:
    metrics = list(rows)
    asked = address.value("system")
    main = asked if asked in rows else next((name for name in rows if "cider" in name.lower()), next(iter(rows)))
    label, one = rows[main]

    def both() -> None:
        with st.grid(2, min_column_width=340, gap=("medium", "small")) as two:
            with two.cell():
                drawn = systems_chart.scatter(group, criterion, main, one.left_out, look.mode(), label)
                shown.plot(drawn, "judgments_scatter", alt)
            with two.cell():
                shown.plot(systems_chart.pulls(rows, main, look.mode()), "judgments_pulls", alt, _take)

    alt = words.system_line(one, label)
    figure.figure(
        "judgments_systems",
        "A metric against people",
        alt,
        draw=lambda on: systems_chart.scatter(group, criterion, main, one.left_out, on.mode, label),
        body=both,
        alt=alt,
        twin=figure.Twin(
            words.system_table(group, criterion, metrics), {"formats": {f"Pearson p {words.UNCORRECTED}": P_VALUE}}
        ),
        foot=figure.Foot(
            [*words.system_facts(group, one.n), *words.led_by_best(group, criterion, rows)], (words.HOW_SYSTEMS,)
        ),
        name=f"systems, {criterion}",
    )


def _take() -> None:
    for name, *_ in shown.picked("judgments_pulls")[:1]:
        address.store("system", str(name))

"""Sentences and tables about the agreement of metrics with each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from data.study import Study
from figures.style.escaping import Strong
from figures.style.html import key
from figures.style.numbers import count, interval, num
from figures.style.wording import item_noun, names_in_a_row, not_drawn, text_noun
from metrics.analysis.agreement.matrix import ALIKE, STATISTICS, Agreement, Statistic, groups_alike
from metrics.analysis.agreement.observations import Observations, Over
from metrics.base import Metric
from metrics.engine.result import PENDING
from metrics.mathematics.arrays import Floats

STATISTIC: dict[Statistic, str] = {"spearman": "Spearman", "pearson": "Pearson"}
APART = 0.4
"""A metric stands apart if all its correlations with others are below this in absolute value, and no end of their
intervals reaches ALIKE in absolute value.
"""
FEW = 10
"""With fewer runs, settings or systems, the footer warns that a correlation rests on few points."""
RING = "ring: the largest disagreements, shown below"
TURNED = "a minus beside a diversity metric: the other metric scores lower what this one finds more diverse"
"""Note on the sign of a correlation with a diversity metric, for which more is not better in itself."""
HOW = (
    "Each number is the correlation of two metrics over the points for which both have a value. If less of a metric "
    "is better, its sign is changed, so that more is always better, or more diverse. Similar metrics are side by side "
    "(average-linkage clustering on 1 - r).",
    "Images of a run: the correlation within each run, averaged over the runs, so that differences between runs play "
    "no part. Captions: those of all runs together. A setting is the mean of runs that differ only in their seeds.",
    "The verdict names what is significant by 95 % intervals (Fisher's z), corrected for all pairs (Bonferroni); their "
    "n is the number of images or of clusters, not of captions. Clusters make this conservative: the images of one "
    f"cluster count as one. Two metrics agree if their correlation is {ALIKE} or more and significantly above 0, and "
    f"agree closely if it is significantly above {ALIKE}; a metric agrees closely with no other if all its "
    f"correlations are below {APART}, and all ends of their intervals below {ALIKE}, in absolute value.",
    "Where two metrics disagree: the captions whose ranks differ most, one for each image.",
)


def over_name(over: Over, study: Study) -> str:
    """Return the label of an option of the control that says what a point is, such as "images of a run"."""
    noun = f"{item_noun(study)}s"
    return {"items": f"{noun} of a run", "captions": f"{text_noun(study)}s", "runs": "runs"}.get(over, over)


def points_noun(over: Over, study: Study) -> str:
    """Return the singular noun for a point."""
    return item_noun(study) if over == "items" else over[:-1]


def title(over: Over, statistic: Statistic, study: Study) -> str:
    """Return the title of the matrix."""
    said = "put {} in the same order" if statistic == "spearman" else "rise and fall together over {}"
    return f"How far two metrics {said.format(over_name(over, study))}"


def verdict(
    values: Floats,
    between: tuple[Floats, Floats],
    labels: Sequence[str],
    over: Over,
    study: Study,
    judged: Sequence[bool] = (),
    lengths: Sequence[bool] = (),
) -> list[str]:
    """Return which metrics agree, then which disagree or stand apart, as far as the intervals show it.

    `values` are the (m, m) correlations; `between` are the lower and upper ends of their intervals. `judged` tells for
    which metrics one direction is better: these are expected to agree, so the verdict names one that does not
    detectably agree with others. It is no news that one of the `lengths` stands apart or contradicts.
    """
    counts = ~np.array(lengths or [False] * len(labels), dtype=bool)
    things = f"{points_noun(over, study)}s"
    others, (low, high) = np.array(values, dtype=np.float64), between
    np.fill_diagonal(others, np.nan)
    known = np.isfinite(others)
    if not known.any():
        return [f"No two metrics both have values for enough {things}."]
    if (low[known] <= -1).all() and (high[known] >= 1).all():
        return [f"There are too few {things} to show which metrics agree."]
    opposite = np.where(known & np.outer(counts, counts) & (others <= -APART) & (high < 0), others, np.nan)
    near = np.maximum(np.abs(low), np.abs(high)) >= ALIKE
    alone = [
        k
        for k in np.flatnonzero(counts).tolist()
        if known[k].any() and not (known & ((np.abs(others) >= APART) | near))[k].any()
    ]
    news: list[str] = []
    if np.isfinite(opposite).any():
        least = tuple(map(int, np.unravel_index(int(np.nanargmin(opposite)), opposite.shape)))
        one, other = (labels[k] for k in sorted(least))
        r = _with_interval(others, between, least)
        news = [Strong(one), " and ", Strong(other), f" contradict each other: {r}. "]
    elif alone and len(alone) < len(labels):
        names = [labels[k] for k in alone]
        agree = "agrees" if len(names) == 1 else "agree"
        news = [Strong(names_in_a_row(names, 2)), f" {agree} closely with no other metric. "]
    elif any(judged):
        news = _undetected(np.where(known & (low <= 0) & np.outer(judged, judged), values, np.nan), labels)
    sure = np.where(low > 0, values, 0.0)
    alike = _alike(sure, between, labels, things, 1 if news else 2)
    if not news or not groups_alike(sure):
        return [*news, *alike]
    return [*alike, " ", *news[:-1], news[-1].rstrip()]


def _undetected(apart: Floats, labels: Sequence[str]) -> list[str]:
    """A sentence that names the metric with the most undetected agreements; [] if there are none.

    `apart` (m, m) has the correlations that are not detected, and NaN elsewhere.
    """
    most = int(np.isfinite(apart).sum(axis=1).argmax())
    others = [labels[k] for k in np.argsort(apart[most]) if np.isfinite(apart[most, k])]
    if not others:
        return []
    return [Strong(labels[most]), f" does not detectably agree with {names_in_a_row(others, 3)}. "]


def _with_interval(values: Floats, between: tuple[Floats, Floats], at: tuple[int, ...]) -> str:
    low, high = (float(end[at]) for end in between)
    return f"{num(float(values[at]), 2)} ({interval(low, high, 2)})"


def _alike(values: Floats, between: tuple[Floats, Floats], labels: Sequence[str], things: str, most: int) -> list[str]:
    """A sentence on the first groups of metrics that agree, up to `most` groups, each with its lowest correlation."""
    told: list[str] = []
    for rows in groups_alike(values)[:most]:
        pairs = [*combinations(rows, 2)]
        names = Strong(names_in_a_row([labels[k] for k in rows], 3))
        closely = " closely" if min(float(between[0][pair]) for pair in pairs) >= ALIKE else ""
        r = _with_interval(values, between, min(pairs, key=values.__getitem__))
        where = "" if told else f" on {things}"
        told += ["; " if told else "", names, f" agree{closely}{where}: {'at least ' if len(pairs) > 1 else ''}{r}"]
    return [*told, "."] if told else [f"No close agreement between two metrics is significant on {things}."]


def too_few(over: Over, study: Study) -> str:
    """Return advice for when fewer than two metrics have values at these points."""
    if over == "systems":
        return "The table of systems needs two columns of metrics."
    things = over_name(over, study)
    return f"Choose two or more metrics above with values for {things}, or compare them over something else."


def facts(found: Observations, both: Agreement, statistic: Statistic, study: Study, drawn: int) -> list[str]:
    """Return the footer of the matrix: the statistic, n, how many points are drawn, the order, and what marks mean."""
    apart = both.n[~np.eye(len(found.names), dtype=bool)]
    low, high = (int(apart.min()), int(apart.max())) if len(apart) else (0, 0)
    n = _n(low, high, found.over, study, int(both.groups.max(initial=0)))
    few = found.over in ("runs", "settings", "systems") and high < FEW
    said = [f"{STATISTIC[statistic]} over n = {n}" + (", too few to say much" if few else "")]
    if 0 < drawn < high:
        said.append(f"{drawn:,} drawn")
    marks = [key("ring", RING)] if drawn else []
    return [*said, "similar metrics side by side", f"alike: {ALIKE} or more", *marks]


def turned(metrics: Sequence[Metric]) -> str:
    """Return a note on the signs of the correlations of diversity metrics; "" without such a metric."""
    return (
        TURNED if any(metric.more_means == "more diverse" and not metric.has_better_side for metric in metrics) else ""
    )


def _n(low: int, high: int, over: Over, study: Study, runs: int) -> str:
    span = f"{low:,} to " if low != high else ""
    if over == "items" and runs > 1:
        return f"{span}{high:,} values ({count(len(study.items), item_noun(study))} × {count(runs, 'run')})"
    return f"{span}{count(high, points_noun(over, study))}"


def pair_line(
    both: Agreement, statistic: Statistic, pair: tuple[int, int], labels: Sequence[str], over: Over, study: Study
) -> list[str]:
    """Return a line with two metrics, their correlation and n: a small matrix has no room for these."""
    value, n = float(both.of(statistic)[pair]), int(both.n[pair])
    said = f": {STATISTIC[statistic]} {num(value, 2)}, n = {_n(n, n, over, study, int(both.groups[pair]))}"
    return [Strong(f"{labels[pair[1]]} against {labels[pair[0]]}"), said]


def left_out(found: Observations, metrics: Sequence[Metric], waiting: Collection[str], study: Study) -> str:
    """Return which metrics have fewer than two different values at these points; those in `waiting` are being computed.

    The note is "" if all metrics have several values, and for tables of systems.
    """
    if found.over == "systems":
        return ""
    why = dict.fromkeys(found.same, "the same value everywhere") | dict.fromkeys(waiting, PENDING)
    none = f"no value for {over_name(found.over, study)}"
    gone = [metric for metric in metrics if metric.name not in found.names]
    return not_drawn((metric.label, why.get(metric.name, none)) for metric in gone)


def table(both: Agreement, labels: Sequence[str], order: Sequence[int]) -> pd.DataFrame:
    """Return a row for each pair of metrics, in the order of the matrix."""
    rows = []
    for i, j in combinations(order, 2):
        values = {STATISTIC[one]: float(both.of(one)[i, j]) for one in STATISTICS}
        rows.append({"Metric": labels[i], "Other": labels[j], **values, "n": int(both.n[i, j])})
    return pd.DataFrame(rows)


def alt(values: Floats, labels: Sequence[str]) -> str:
    """Return the text alternative of the matrix: the highest and the lowest of the (m, m) correlations."""
    pairs = [(i, j) for i, j in combinations(range(len(labels)), 2) if np.isfinite(values[i, j])]
    if not pairs:
        return "No two metrics have a correlation."
    ends = [max(pairs, key=lambda p: values[p]), min(pairs, key=lambda p: values[p])]
    said = [f"{labels[i]} and {labels[j]} {num(float(values[i, j]), 2)}" for i, j in ends]
    return f"Correlations of {len(labels)} metrics: highest {said[0]}, lowest {said[1]}."

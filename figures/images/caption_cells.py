"""What a run says about an image and how it scores, as cells of a contact sheet and of the table of all images."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from figures.style.escaping import esc
from figures.style.html import alike
from figures.style.numbers import count, decimals, defined, num
from metrics.base import Metric
from metrics.suite.ratings import RatedByPeople

RATING = "rating"
"""The heading of people's ratings."""


class Said(NamedTuple):
    """A run's name and colour, its captions of an image, and its values by each metric, NaN if undefined."""

    name: str
    colour: str
    texts: Sequence[str]
    values: Sequence[float]


def values(metrics: Sequence[Metric], said: Sequence[Said]) -> list[list[str]]:
    """Return the HTML of each run's values: a metric's best value is bold unless it is tied, or the metric has no best
    value.
    """
    columns = [_column(metric, [one.values[k] for one in said]) for k, metric in enumerate(metrics)]
    return [list(row) for row in zip(*columns)] if columns else [[] for _ in said]


def digits(metric: Metric, found: Iterable[float]) -> int:
    """Return the number of decimals of a metric's values; people's ratings have one."""
    return 1 if isinstance(metric, RatedByPeople) else decimals(found)


def _column(metric: Metric, found: Sequence[float]) -> list[str]:
    places = min(digits(metric, found), 2)
    shown = [num(value, places) for value in found]
    known = [value for value in found if defined(value)]
    best = ""
    if metric.has_better_side and len(known) > 1:
        best = num((max if metric.higher_is_better else min)(known), places)
    bold = shown.count(best) == 1
    return [f"<b>{text}</b>" if bold and text == best else f"<span>{text}</span>" for text in shown]


def caption(texts: Sequence[str]) -> str:
    """Return the most frequent of several captions as HTML; all appear on hover."""
    groups = alike(texts)
    if not groups:
        return '<q class="tl-none">nothing</q>'
    every = "\n".join(group[0].strip() for group in groups)
    return f'<q dir="auto" title="{esc(every)}">{esc(groups[0][0].strip())}</q>'


def others(texts: Sequence[str]) -> str:
    """Return the number of different captions that `caption` leaves out, as HTML; "" if there are none."""
    more = len(alike(texts)) - 1
    return f' <em title="and {count(more, "other")}">+{more}</em>' if more > 0 else ""

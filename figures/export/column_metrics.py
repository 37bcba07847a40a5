"""The metrics of a table's columns, recognised by their labels: their signatures, and the better end of each column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from figures.export.latex import Side
from figures.style.wording import heading
from metrics.base import Metric
from metrics.registry import METRICS

if TYPE_CHECKING:
    import pandas as pd


def signatures_of(table: pd.DataFrame, metrics: Iterable[Metric] | None = None) -> list[str]:
    """Return the signatures of the metrics (all by default) that a table names in column headings or text columns.

    A column belongs to a metric if its heading is that of the metric, or ends in it after a comma ("Rank, TRM METEOR").
    """
    said = {str(name).rsplit(", ", 1)[-1] for name in table.columns}
    for name in table.columns:
        if table[name].dtype.kind not in "iufcb":
            said |= {value for value in table[name] if isinstance(value, str)}
    return [metric.signature for metric in (metrics or METRICS.values()) if said & {metric.label, heading(metric)}]


def better_ends(columns: Iterable[object], metrics: Iterable[Metric] = ()) -> dict[str, Side]:
    """Return the better end of each table column that is labelled as a metric; a diversity metric has none.

    Use it only for tables with a row for each run or setting: in others, rows are not compared and none is best.
    """
    judged = [metric for metric in (metrics or METRICS.values()) if metric.has_better_side]
    known = {name: metric for metric in judged for name in (metric.label, heading(metric))}
    names = map(str, columns)
    return {name: "max" if known[name].higher_is_better else "min" for name in names if name in known}

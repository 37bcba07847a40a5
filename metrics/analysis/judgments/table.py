"""The agreement of metrics with people as a long table: captions, captions of an item, systems and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from data.study import Study
from metrics.analysis.judgments import preferences
from metrics.analysis.judgments.captions import WITHIN, CaptionAgreement
from metrics.analysis.judgments.correlation import STATISTICS, Estimate
from metrics.analysis.judgments.groups import Group
from metrics.analysis.judgments.points import Values
from metrics.base import Metric

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("metric", "criterion", "level", "statistic", "value", "ci_low", "ci_high", "p_value", "n")
PEOPLE = "people"
"""Placeholder for the metric in rows that compare raters with each other."""
Row = tuple[str, str, str, str, Estimate]


def of_captions(found: CaptionAgreement, metrics: Sequence[Metric], criterion: str) -> Iterator[Row]:
    """Return the rows of captions and of captions of an item; the last are people with each other."""
    names = [*((k, metric.name) for k, metric in enumerate(metrics)), (-1, PEOPLE)]
    for k, name in names:
        if k == -1 and not found.points[-1]:
            continue
        for statistic in STATISTICS:
            yield name, criterion, "candidate", statistic, found.of(k, statistic)
        for statistic in WITHIN:
            yield name, criterion, "within", statistic, found.inside(k, statistic)


def differences(
    found: CaptionAgreement, metrics: Sequence[Metric], criterion: str
) -> Iterator[tuple[str, str, str, str, str, float, float, int]]:
    """Return the difference of every pair of metrics by every correlation of captions, with p corrected by Holm."""
    for statistic in STATISTICS:
        pairs = found.ranking(statistic).pairs
        for i, one in enumerate(metrics):
            for j in range(i + 1, len(metrics)):
                if np.isfinite(pairs.p[i, j]):
                    n = int(found.points[i])
                    value, p = float(pairs.value[i, j]), float(pairs.p[i, j])
                    yield one.name, metrics[j].name, criterion, "candidate", statistic, value, p, n


def of_systems(group: Group, seed: int = 0) -> Iterator[Row]:
    """Return the rows of a group of systems, by all criteria and metrics."""
    for criterion in group.criteria:
        for metric in group.metrics:
            for statistic, estimate in group.of(criterion, metric, seed).of.items():
                yield metric, criterion, "system", statistic, estimate


def of_pairs(study: Study, results: Values, metrics: Sequence[Metric], seed: int = 0) -> Iterator[Row]:
    """Return the accuracy of each metric on pairs that people compared: of all, and of each category.

    Pairs that people tie are left out; a tie of the metric counts half.
    """
    for criterion in preferences.criteria(study):
        found = preferences.pair_agreement(study, results, metrics, criterion, seed)
        for metric, estimates in zip(metrics, found.estimates, strict=True):
            for name, estimate in zip(found.categories, estimates, strict=True):
                yield metric.name, criterion, "pair", f"accuracy_{name}" if name else "accuracy", estimate


def as_table(rows: Iterator[Row] | Sequence[Row]) -> pd.DataFrame:
    """Return rows as a table with `COLUMNS`."""
    import pandas as pd

    cells = [(*row[:4], *row[4]) for row in rows]
    return pd.DataFrame(cells, columns=list(COLUMNS)).astype({"n": "Int64"})

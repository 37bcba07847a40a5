"""The signatures of the numbers in a table, found by the labels of their metrics."""

from __future__ import annotations

import pandas as pd

from metrics.registry import METRICS


def signatures_of(table: pd.DataFrame) -> list[str]:
    """Signatures of the metrics that a table names, in the order of the registry: as a column, or in a text column.

    A column belongs to the metric if it is called by its label, or ends in it behind a comma ("Rank, TRM METEOR").
    """
    said = {str(name).rsplit(", ", 1)[-1] for name in table.columns}
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name]):
            said |= {value for value in table[name] if isinstance(value, str)}
    return [metric.signature for metric in METRICS.values() if metric.label in said]

"""Slices as a long table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metrics.analysis.slices.differences import SliceDifferences, Values

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "kind",
    "field",
    "slice",
    "from",
    "to",
    "n",
    "difference",
    "ci_low",
    "ci_high",
    "elsewhere",
    "gap",
    "gap_low",
    "gap_high",
    "p_value",
    "p_adjusted",
    "correction",
    "run",
    "baseline",
    "metric",
)


def as_table(of: Values, found: SliceDifferences) -> pd.DataFrame:
    """Return a row for each slice, the smallest p first; `difference` is run minus baseline, or the run's own score."""
    import pandas as pd

    said = (found.correction, of.design.first, of.design.second, of.metric.name)
    rows = [
        (row.slice.kind, row.slice.field, row.slice.value, row.slice.low, row.slice.high, *row[1:], *said)
        for row in found.rows
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))

"""The agreement of metrics with each other as a long table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from metrics.analysis.agreement.matrix import STATISTICS, agreement
from metrics.analysis.agreement.observations import Observations

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("over", "statistic", "metric", "other", "value", "n", "groups")


def as_table(found: Sequence[Observations]) -> pd.DataFrame:
    """Return every pair of metrics over each kind of points: Spearman and Pearson, with `n` points in `groups`."""
    import pandas as pd

    rows: list[tuple[object, ...]] = []
    for of in found:
        both = agreement(of)
        for statistic in STATISTICS:
            values = both.of(statistic)
            for i, j in combinations(range(len(of.names)), 2):
                counts = int(both.n[i, j]), int(both.groups[i, j])
                rows.append((of.over, statistic, of.names[i], of.names[j], float(values[i, j]), *counts))
    return pd.DataFrame(rows, columns=list(COLUMNS))

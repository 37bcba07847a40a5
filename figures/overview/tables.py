"""The two orders of the Overview as a table, at full precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from figures.style.escaping import whole
from figures.style.wording import heading
from metrics.analysis.overview import Overview

if TYPE_CHECKING:
    import pandas as pd


def twin(seen: Overview) -> pd.DataFrame:
    """Return a row for each run, sorted by quality: both values with intervals and ranges of ranks, and any
    corrected p.
    """
    import pandas as pd

    table: dict[str, object] = {seen.unit.capitalize(): [whole(run.name) for run in seen.study.runs]}
    for order in (seen.quality, seen.other):
        label = heading(order.metric)
        table[label], table[f"{label} 95 % from"], table[f"{label} 95 % to"] = order.values, order.low, order.high
        for end, ranks in zip(("from", "to"), zip(*map(order.span, range(len(seen.study.runs))))):
            table[f"Rank by {order.metric.label} {end}"] = pd.array([rank or None for rank in ranks], dtype="Int64")
    if seen.people is not None:
        table["Corrected p"] = seen.people.p
    rank = seen.quality.rank
    return pd.DataFrame(table).iloc[np.lexsort((rank, rank == 0))].reset_index(drop=True)

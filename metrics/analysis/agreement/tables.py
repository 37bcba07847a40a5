"""The agreement between metrics as a long table, and the captions on which two metrics disagree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from data.study import Study
from metrics.analysis.agreement.matrix import STATISTICS, agreement
from metrics.analysis.agreement.observations import Observations
from metrics.analysis.agreement.pair import disagreements

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("over", "statistic", "metric", "other", "value", "n", "groups")


def as_table(found: Sequence[Observations]) -> pd.DataFrame:
    """Return one row per pair of metrics, kind of point and statistic, with the numbers of points and groups."""
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


def pair_columns(pair: tuple[str, str]) -> tuple[str, ...]:
    """Return the columns of `pair_table`."""
    return ("over", "higher_by", "run", "item", "candidate", *pair, "gap", "caption")


def pair_table(study: Study, found: Observations, pair: tuple[str, str], top: int) -> pd.DataFrame:
    """Return the points that one of two metrics ranks higher than the other, at most `top` per direction.

    `gap` is the difference between their mid-ranks in -1..1; if points are items, `candidate` is missing and `caption`
    joins all captions.
    """
    import pandas as pd

    rows: list[tuple[object, ...]] = []
    first, second = (found.names.index(name) for name in pair)
    both = disagreements(found, first, second, top)
    for name, some in zip(pair, both):
        for one in some:
            run, item = study.runs[int(found.run[one.point])], study.items[int(found.item[one.point])]
            place, captions = int(found.place[one.point]), run.candidates[item.id]
            text = captions[place] if place >= 0 else " | ".join(captions)
            where = (found.over, name, run.name, item.id, place if place >= 0 else None)
            rows.append((*where, one.first, one.second, one.gap, text))
    return pd.DataFrame(rows, columns=list(pair_columns(pair))).astype({"candidate": "Int64"})

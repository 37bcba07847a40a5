"""Words and phrases as a long table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metrics.analysis.words.usage import Usage

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "run",
    "unit",
    "term",
    "run_per_1000",
    "people_per_1000",
    "run_images",
    "people_images",
    "images",
    "log_odds",
    "ci_low",
    "ci_high",
    "times",
    "statistic",
    "p_value",
    "p_adjusted",
    "signature",
)


def as_table(found: Sequence[Usage]) -> pd.DataFrame:
    """Return a row for each word of each run; `times` is the odds ratio, above 1 where the run says it more often."""
    import pandas as pd

    rows = [
        (
            *(of.design.run, of.design.unit, row.term, row.run, row.people, row.run_images, row.people_images),
            *(of.images, row.log_odds, row.low, row.high, math.exp(row.log_odds)),
            *(row.statistic, row.p_value, row.adjusted, of.design.signature),
        )
        for of in found
        for row in of.rows
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))

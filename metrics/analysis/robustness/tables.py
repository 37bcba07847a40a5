"""The numbers of the Robustness page as a table, as `trilens robustness` writes them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from metrics.analysis.robustness.curves import Curve

COLUMNS = (
    "transformation",
    "metric",
    "gamma",
    "value",
    "area",
    "ci_low",
    "ci_high",
    "n",
    "grid_area",
    "grid_ci_low",
    "grid_ci_high",
    "value_ci_low",
    "value_ci_high",
    "signature",
    "error",
    "of",
)


def as_table(curves: Iterable[Curve]) -> pd.DataFrame:
    """Return one row per transformation, metric and strength; for sets, `gamma` is the share of damaged captions.

    `area` is the integral over strengths with its interval, `grid_area` the mean over the strengths of the published
    code; a transformation without degrees has neither. At the last strength, `value_ci_low` and `value_ci_high` are the
    ends of the interval of the value.
    """
    rows = []
    for one in curves:
        for gamma, value in zip(one.strengths, one.kept):
            last = one.last[1:] if gamma == one.strengths[-1] else (np.nan, np.nan)
            names = (one.transformation.name, one.metric.name)
            rows.append(
                (
                    *names,
                    gamma,
                    value,
                    *one.area,
                    one.n,
                    *one.grid_area,
                    *last,
                    one.metric.signature,
                    one.reason,
                    "captions" if not one.sets else "sets" if one.metric.of_items else "runs",
                )
            )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def areas(curves: Iterable[Curve]) -> pd.DataFrame:
    """Return one row per transformation and metric, formatted for display."""
    rows = [
        {
            "transformation": one.transformation.name,
            "metric": one.metric.name,
            "area": one.area.value,
            "ci_low": one.area.low,
            "ci_high": one.area.high,
            "grid_area": one.grid_area.value,
            "kept_at_1": one.last.value,
            "kept_low": one.last.low,
            "kept_high": one.last.high,
            "n": one.n,
            "error": one.reason,
        }
        for one in curves
    ]
    return pd.DataFrame(rows)

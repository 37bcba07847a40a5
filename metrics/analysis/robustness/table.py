"""The numbers of the Robustness page as a table, as `python -m metrics robustness` writes them."""

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
    "signature",
    "error",
    "of",
)


def as_table(curves: Iterable[Curve]) -> pd.DataFrame:
    """Return a row a transformation, metric and strength; of sets, `gamma` is the share of damaged captions.

    `area` is the integral over strengths, `grid_area` the mean over those of the published code. A transformation
    without degrees has neither: `ci_low` and `ci_high` are then those of the `value`.
    """
    rows = []
    for one in curves:
        graded = one.graded
        for gamma, value in zip(one.strengths, one.kept):
            low, high = (one.summary.low, one.summary.high) if graded or gamma else (np.nan, np.nan)
            names = (one.transformation.name, one.metric.name)
            rows.append(
                (
                    *names,
                    gamma,
                    value,
                    one.area.value,
                    low,
                    high,
                    one.n,
                    *one.grid_area,
                    one.metric.signature,
                    one.reason,
                    "captions" if not one.sets else "sets" if one.metric.of_items else "runs",
                )
            )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def areas(curves: Iterable[Curve]) -> pd.DataFrame:
    """Return a row a transformation and metric, for people."""
    rows = [
        {
            "transformation": one.transformation.name,
            "metric": one.metric.name,
            "area": one.area.value,
            "ci_low": one.summary.low,
            "ci_high": one.summary.high,
            "grid_area": one.grid_area.value,
            "kept_at_1": one.last.value,
            "n": one.n,
            "error": one.reason,
        }
        for one in curves
    ]
    return pd.DataFrame(rows)

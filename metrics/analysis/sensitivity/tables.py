"""The numbers of the Sensitivity page as tables, as `trilens sensitivity` writes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metrics.analysis.sensitivity.curve import Curve
from metrics.analysis.sensitivity.power import Power
from metrics.analysis.sensitivity.relative_sensitivity import gain
from metrics.analysis.sensitivity.speed import Speed
from metrics.base import Metric

OF_SPLITS = ("splits", "p_mean_sd", "ln_p_mean_sd")
"""Columns that a table over several splits adds."""


def curve_table(found: Curve) -> pd.DataFrame:
    """Return one row per metric and case: quartiles of the items' p, two p for all items, and whether p is uniform.

    Next to each average of the items' p is its value if all possible p of each item were equally likely (`_uniform`).
    `least_p` is the smallest possible p of any item, `least_p_corpus` that of the corpus; `ks` and `p_ks` apply only to
    people. `n` counts the items with a p; MAUVE has only the p of the corpus.
    """
    rows = []
    for case in found.design.cases:
        for metric in found.metrics:
            one, even = found.summary(case, metric.name), found.uniformity(case, metric.name)
            rows.append(
                {
                    "metric": metric.name,
                    "row": found.design.run if case.row == "run" else case.row,
                    "candidates": case.candidates,
                    "references": case.references,
                    "n": one.n,
                    "p_q25": one.low,
                    "p_median": one.median,
                    "p_q75": one.high,
                    "least_p": one.floor,
                    "share_significant": one.found,
                    "p_mean": one.averages.mean,
                    "p_mean_uniform": one.uniform.mean,
                    "ln_p_mean": one.averages.log,
                    "ln_p_mean_uniform": one.uniform.log,
                    "p_hmp": one.averages.harmonic.calibrated,
                    "p_hmp_uniform": one.uniform.harmonic.calibrated,
                    "p_hmp_raw": one.averages.harmonic.raw,
                    "p_hmp_raw_uniform": one.uniform.harmonic.raw,
                    "p_corpus": one.corpus,
                    "least_p_corpus": one.corpus_floor,
                    "ks": even.statistic,
                    "p_ks": even.p_value,
                }
            )
    return pd.DataFrame(rows)


def splits_table(found: Sequence[Curve]) -> pd.DataFrame:
    """Return the means of `curve_table` over splits of one design, with the number of splits and the smallest `n`.

    `p_mean_sd` and `ln_p_mean_sd` are standard deviations over splits. A mean of p-values is not itself a p-value.
    """
    rows = pd.concat([curve_table(one) for one in found]).groupby(level=0)
    table = rows.first()
    means = rows.mean(numeric_only=True).drop(columns=["candidates", "references", "n"])
    table[means.columns] = means
    return table.assign(
        n=rows["n"].min(), splits=len(found), p_mean_sd=rows["p_mean"].std(), ln_p_mean_sd=rows["ln_p_mean"].std()
    )


def gain_table(found: Curve, seed: int = 0) -> pd.DataFrame:
    """Return one row per ordered pair of metrics that test items: by how many per cent the first is more sensitive."""
    names = [metric.name for metric in found.metrics if metric.of_items]
    rows = [gain(found, metric, over, seed)._asdict() for metric in names for over in names if metric != over]
    return pd.DataFrame(rows, columns=["metric", "over", "percent", "low", "high", "n"])


def power_table(found: Power, metric: Metric) -> pd.DataFrame:
    """Return one row per number of items, candidates and references: power, and the number of items for 80 % power.

    `p` is the p of the difference; unless the difference in the whole study is significant, `needed` is missing and
    only its interval is given. `extrapolated` marks more items than the study has; `needed_extrapolated` marks a needed
    number that exceeds the study's or is missing.
    """
    made, rows = found.design, []
    for r, references in enumerate(made.references.sizes):
        for c, candidates in enumerate(made.candidates):
            need = found.needed(references, candidates)
            for k, items in enumerate(made.items):
                rows.append(
                    {
                        "metric": metric.name,
                        "first": made.first,
                        "second": made.second,
                        "items": items,
                        "candidates": candidates,
                        "references": references,
                        "power": found.share[r, c, k],
                        "extrapolated": found.beyond(items),
                        "difference": found.gap[r, c, 0],
                        "sd": found.gap[r, c, 1],
                        "p": found.p[r, c],
                        "needed": need.items,
                        "needed_low": need.low,
                        "needed_high": need.high,
                        "needed_extrapolated": bool(np.isnan(need.items) or found.beyond(need.items)),
                        "draws": made.draws,
                    }
                )
    return pd.DataFrame(rows)


def speed_table(found: Sequence[Speed]) -> pd.DataFrame:
    """Return one row per metric: items and captions per second."""
    return pd.DataFrame(found, columns=Speed._fields)

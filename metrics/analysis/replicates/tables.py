"""Settings and their differences as long tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metrics.analysis.replicates.setting_differences import SettingDifference, Standing
from metrics.analysis.replicates.spread_of_seeds import Estimate

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "setting",
    "metric",
    "runs",
    "mean",
    "ci_low",
    "ci_high",
    "sd_between",
    "share_seed",
    "share_low",
    "share_high",
    "n",
    "note",
)
DIFFERENCES = (
    "setting",
    "baseline",
    "metric",
    "difference",
    "ci_low",
    "ci_high",
    "p_value",
    "p_holm",
    "over",
    "seeds_apart",
    "runs",
    "baseline_runs",
    "n",
    "note",
)


def as_table(found: Sequence[Standing]) -> pd.DataFrame:
    """Return one row per setting and metric: the mean over seeds with its interval over items, and the seeds' share.

    `share_seed` is the share of the variance of one run's score that is due to the seed; `share_low` and `share_high`
    are the ends of its 95 % interval.
    """
    import pandas as pd

    rows = [
        (setting.name, of.metric.name, *_numbers(one))
        for of in found
        for setting, one in zip(of.settings, of.estimates)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _numbers(one: Estimate) -> tuple[object, ...]:
    seeds = one.sd, one.share, one.share_low, one.share_high
    return (one.runs, one.mean, one.low, one.high, *seeds, one.n, one.reason)


def differences_table(found: Sequence[SettingDifference]) -> pd.DataFrame:
    """Return one row per metric: the difference between two settings, with its test and what the test covers."""
    import pandas as pd

    return pd.DataFrame([_difference(one) for one in found], columns=list(DIFFERENCES))


def _difference(one: SettingDifference) -> tuple[object, ...]:
    names = one.first.name, one.second.name, one.metric.name
    tested = one.difference, one.low, one.high, one.p_value, one.p_holm, one.over, one.seeds_apart
    return (*names, *tested, *(of.runs for of in one.estimates), min(of.n for of in one.estimates), note(one))


def note(one: SettingDifference) -> str:
    """Return what p does not cover, or why there is no p; "" if p covers items and seeds."""
    if one.among > 2 and one.over:
        whole = note(replace(one, among=2))
        return "; ".join(filter(None, [whole, f"p and interval cover all pairs of {one.among} settings"]))
    if one.over == "items":
        alone = [of.name for of, known in zip((one.first, one.second), one.estimates) if known.runs < 2]
        return f"one run of {' and of '.join(alone)}: the difference between seeds is not known"
    return "of these items alone" if one.over == "seeds" else one.reason

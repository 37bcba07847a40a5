"""How much more sensitive one metric is than others, in sentences and as a table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from figures.style.escaping import esc
from figures.style.numbers import defined
from metrics.analysis.sensitivity.relative_sensitivity import Gain
from metrics.base import Metric

HOW_GAIN = (
    "Sensitivity gain of one metric over another: the ratio of their mean log p over all images and numbers of "
    "captions where both have a p, minus 1, with a 95 % bootstrap interval over images. At 100 %, the typical p is the "
    "square of the other metric's. The published percentages (Chan et al., figure 3) come without a definition; this "
    "ratio is ours."
)


def gain_html(gains: Sequence[Gain], metrics: Sequence[Metric]) -> str:
    """Return HTML on how much more sensitive the chosen metric is than each of the others; "" if nothing is known."""
    labels = {metric.name: metric.label for metric in metrics}
    known = [one for one in gains if defined(one.percent)]
    if not known:
        return ""
    head = f"<span>Sensitivity of <b>{esc(labels[known[0].metric])}</b>:</span>"
    parts = "".join(f"<span>{_gain(one, labels[one.over])}</span>" for one in known)
    return f'<div style="display:flex;flex-wrap:wrap;gap:.2rem 1.6rem;font-size:.85rem">{head}{parts}</div>'


def _gain(one: Gain, over: str) -> str:
    likely = f" ({signed(one.low)} to {signed(one.high)} %)" if defined(one.low) and defined(one.high) else ""
    if likely and one.low <= 0 <= one.high:
        return f"no difference from {esc(over)} is detected{likely}"
    much = f"{abs(round(one.percent))} % {'more' if one.percent > 0 else 'less'}" if round(one.percent) else "0 % more"
    return f"<b>{much}</b> than {esc(over)}{likely}"


def signed(percent: float) -> str:
    """Return a percentage with its sign, without decimals; "0" has no sign."""
    return f"{round(percent):+d}".replace("-", "−") if round(percent) else "0"


def gain_table(gains: Sequence[Gain], metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return the gains as a table."""
    labels = {metric.name: metric.label for metric in metrics}
    rows = [(labels[one.metric], labels[one.over], one.percent, one.low, one.high, one.n) for one in gains]
    return pd.DataFrame(rows, columns=["Metric", "Over", "Gain %", "low", "high", "n"])

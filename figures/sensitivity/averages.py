"""The averages of the images' p that the figure of Sensitivity can draw, in words."""

from __future__ import annotations

import numpy as np

from metrics.permutation.pvalues import Averages

HOW_AVERAGE = (
    "Sets of a run's captions are drawn at random, each within the next larger one, and tested against the same "
    "captions by people, image by image; the line is the {what}. The dotted line is the same average for the metric in "
    "colour if all possible p of an image's test were equally likely, as when nothing differs. Published tables do "
    "not say which average they print (decision 008)."
)
AVERAGES = ("median", "mean", "log", "harmonic", "calibrated")
"""Ways to average the p of the images."""
AVERAGE = {
    "median": "median",
    "mean": "mean",
    "log": "mean ln p",
    "harmonic": "harmonic mean",
    "calibrated": "harmonic mean, calibrated",
}
_TITLE = {
    "mean": "mean p of the {noun}s",
    "log": "geometric mean p of the {noun}s",
    "harmonic": "harmonic mean p of the {noun}s",
    "calibrated": "harmonic mean p of the {noun}s, calibrated",
}


def title_of(average: str, noun: str) -> str:
    """Return the title of the axis of p."""
    return _TITLE[average].format(noun=noun) if average in _TITLE else f"p, typical {noun}"


def averaged(found: Averages, average: str) -> float:
    """Return an average other than the median as drawn on the axis of p: a mean of ln p at the p with
    that logarithm.
    """
    if average in ("mean", "log"):
        return found.mean if average == "mean" else float(np.exp(found.log))
    return found.harmonic.raw if average == "harmonic" else found.harmonic.calibrated

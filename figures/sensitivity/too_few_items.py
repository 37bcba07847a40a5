"""The result for a study with too few items to estimate its own difference: how many items differences need."""

from __future__ import annotations

import pandas as pd

from figures.style.escaping import Strong, capital
from figures.style.numbers import count, defined, num, p_text
from metrics.analysis.sensitivity.power import Power, items_for, smallest
from metrics.bootstrap import FEW

HOW = (
    "The number of images for 80 % power depends only on the size of the difference, in standard deviations of the "
    "images' differences (Cohen's d for pairs; paired t test, p ≤ 0.05). The difference between two runs, and so the "
    "number of images that it needs, is estimated from 20 images on."
)
READING = (
    "In standard deviations between images: 0.8 is large, 0.5 medium, 0.2 small. Filled: this study is large enough."
)
DIFFERENCES = (1.2, 0.8, 0.5, 0.3, 0.2)
"""Sizes of differences in standard deviations; a study with few items shows how many items each of them needs."""


def verdict(items: int, noun: str) -> list[str]:
    """Return how large a difference must be to be detected by a study that has too few items to estimate its own."""
    least = smallest(items)
    if not defined(least):
        return [Strong(count(items, noun)), " cannot show any difference."]
    return [
        "A study of ",
        Strong(count(items, noun)),
        " detects a difference four times in five only if it is at least ",
        Strong(f"{num(least, 2)} standard deviations"),
        f"; half that difference takes {items_for(least / 2):,.0f} {noun}s.",
    ]


def facts(found: Power, noun: str) -> list[str]:
    """Return the facts below the figure of a study with too few items: its own number, and what is not estimated."""
    return [f"n = {count(found.units, noun)}", f"the difference between two runs is estimated from {FEW} {noun}s on"]


def table(noun: str) -> pd.DataFrame:
    """Return a row for each size of a difference: the number of items that detect it four times in five."""
    rows = [(size, int(items_for(size))) for size in DIFFERENCES]
    return pd.DataFrame(rows, columns=["Difference, standard deviations", f"{noun.capitalize()}s needed"])


def alt(noun: str) -> str:
    """Return the text alternative of the figure for a study with too few items."""
    said = (f"{size:g} standard deviations: {items_for(size):,.0f}" for size in DIFFERENCES)
    return f"{capital(noun)}s needed by the size of a difference. {'; '.join(said)}."


def captions(noun: str, most: int, least: float, runs: int) -> str:
    """Return why there is no chart by captions, if each set has `most` of them and its p cannot be below `least`."""
    together = f" A comparison of two runs tests all {noun}s together, so its p can be smaller." * (runs > 1)
    each = f"on a single {noun}, {count(most, 'caption')} cannot bring p below {p_text(least)}"
    return f"There is no chart by the number of captions: {each}.{together}"

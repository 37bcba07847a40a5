"""The result for a study with too few items to estimate its own difference: how many items differences need."""

from __future__ import annotations

import pandas as pd

from figures.style.escaping import Strong, capital
from figures.style.numbers import count, defined, p_text, percent
from metrics.analysis.sensitivity.power import Power, items_for, smallest
from metrics.bootstrap import FEW

HOW = (
    "The number of images for 80 % power depends only on the size of the difference, in standard deviations of the "
    "images' differences (Cohen's d for pairs; paired t test, p ≤ 0.05): 1.2, 0.8, 0.5, 0.3 and 0.2 from the top. If "
    "these are normal, the better run scores higher on the stated share of images. The difference between two runs, "
    "and so the number of images that it needs, is estimated from 20 images on."
)
READING = "Each row: the share of images on which the better run scores higher. Filled: this study is large enough."
DIFFERENCES = (1.2, 0.8, 0.5, 0.3, 0.2)
"""Sizes of differences in standard deviations; a study with few items shows how many items each of them needs."""


def verdict(items: int, noun: str) -> list[str]:
    """Return how large a difference must be to be detected by a study that has too few items to estimate its own."""
    least = smallest(items)
    if not defined(least):
        return [Strong(count(items, noun)), " cannot show any difference."]
    if won(least) == percent(1.0):
        size = DIFFERENCES[0]
        return [
            "With ",
            Strong(count(items, noun)),
            ", a difference may not show even if one run scores higher on ",
            Strong("all of them"),
            f". At {won(size)}, it takes {items_for(size):,.0f} {noun}s.",
        ]
    return [
        "With ",
        Strong(count(items, noun)),
        ", a difference is likely to show only if one run scores higher on about ",
        Strong(f"{won(least)} of them or more"),
        f". At {won(least / 2)}, it takes {items_for(least / 2):,.0f} {noun}s.",
    ]


def won(size: float) -> str:
    """Return the share of items on which the better run scores higher, for a difference in standard deviations.

    The differences of items are taken as normally distributed.
    """
    from scipy.special import ndtr

    return percent(float(ndtr(size)))


def facts(found: Power, noun: str) -> list[str]:
    """Return the facts below the figure of a study with too few items: its own number, and what is not estimated."""
    return [f"n = {count(found.units, noun)}", f"the difference between two runs is estimated from {FEW} {noun}s on"]


def table(noun: str) -> pd.DataFrame:
    """Return a row for each size of a difference: the number of items that detect it four times in five."""
    rows = [(won(size), size, int(items_for(size))) for size in DIFFERENCES]
    names = [f"{noun.capitalize()}s won", "Difference, standard deviations", f"{noun.capitalize()}s needed"]
    return pd.DataFrame(rows, columns=names)


def alt(noun: str) -> str:
    """Return the text alternative of the figure for a study with too few items."""
    said = (f"{won(size)}: {items_for(size):,.0f}" for size in DIFFERENCES)
    return f"{capital(noun)}s needed by the share on which the better run scores higher. {'; '.join(said)}."


def captions(noun: str, most: int, least: float) -> str:
    """Return why there is no chart by captions, if each set has `most` of them and its p cannot be below `least`."""
    each = f"on a single {noun}, {count(most, 'caption')} cannot bring p below {p_text(least)}"
    return f"There is no chart by the number of captions: {each}."

"""Simulate studies of random words in which a planted word shifts the difference between two runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from data.study import Item, Run, Settings, Study
from metrics.analysis.slices import differences as analysis
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA
from metrics.registry import METRICS

VOCABULARY = [f"{a}{b}{c}" for a in "bdgk" for b in "aeiou" for c in "lmnr"]
SHARE = 0.12
"""The expected share of the items that have the planted word."""


def planted(rng: np.random.Generator, items: int, effect: float) -> tuple[Study, Floats]:
    """Draw a study, and differences between two runs (items,): skewed noise, plus `effect` on items with the planted
    word.
    """
    weights = 1 / np.arange(1, len(VOCABULARY) + 1)
    has = rng.uniform(size=items) < SHARE
    made = []
    for k in range(items):
        words = rng.choice(VOCABULARY, size=6, replace=False, p=weights / weights.sum()).tolist()
        made.append(Item(f"{k}", (" ".join([*words[1:], "planted" if has[k] else words[0]]),)))
    captions = {item.id: ("x",) for item in made}
    runs = tuple(Run(name, name, Settings(), captions) for name in ("A", "B"))
    noise = rng.gamma(0.8, size=items) - rng.gamma(0.4, size=items)
    return Study("world", tuple(made), runs), noise + effect * has


def values_of(study: Study, d: Floats, draws: int = 499) -> analysis.Values:
    design = analysis.Design("A", "B", fewest=10, draws=draws)
    return analysis.Values(METRICS["rouge_l"], design, np.stack([d, 0 * d]), np.full(len(d), np.nan))


class Rates(NamedTuple):
    """Means over simulated studies.

    In order: how often a slice other than the planted one has p of at most ALPHA; how often any such slice is found
    after Holm; the share of false discoveries after Benjamini-Hochberg; how often the planted word is found after Holm;
    and the number of slices.
    """

    level: float
    any_holm: float
    false_share_bh: float
    found: float
    slices: float


def rates(repeats: int, items: int, effect: float, draws: int = 499) -> Rates:
    rng = np.random.default_rng(items + int(100 * effect))
    rows = [_one(rng, items, effect, draws) for _ in range(repeats)]
    return Rates(*np.mean(rows, axis=0).tolist())


def _one(rng: np.random.Generator, items: int, effect: float, draws: int) -> tuple[float, ...]:
    study, d = planted(rng, items, effect)
    values = values_of(study, d, draws)
    arrays = analysis.measure(study, values)
    holm, bh = (analysis.differences(values, arrays, one) for one in ("holm", "bh"))
    true = {"word:planted"} if effect else set()
    chance = [row for row in holm.rows if row.slice.key not in true]
    false = [row for row in bh.found if row.slice.key not in true]
    return (
        float(np.mean([row.p_value <= ALPHA for row in chance])),
        float(any(row.significant for row in chance)),
        len(false) / max(len(bh.found), 1),
        float(any(row.slice.key == "word:planted" for row in holm.found)),
        float(len(holm.rows)),
    )


def found_at_detectable(repeats: int, items: int) -> list[bool]:
    """Return, for each study, whether a planted word with the effect called detectable is found after correction."""
    rng, found = np.random.default_rng(items), []
    while len(found) < repeats:
        study, d = planted(rng, items, 0.0)
        rows, gaps = _nothing_planted(study, d)
        if "word:planted" in rows and len(gaps) == len(rows):
            has = np.array(["planted" in item.references[0] for item in study.items])
            values = values_of(study, d + gaps[rows.index("word:planted")] * has)
            told = analysis.differences(values, analysis.measure(study, values))
            found.append(any(row.slice.key == "word:planted" for row in told.found))
    return found


def _nothing_planted(study: Study, d: Floats) -> tuple[list[str], list[float]]:
    values = values_of(study, d)
    told = analysis.differences(values, analysis.measure(study, values))
    return [row.slice.key for row in told.rows], analysis.detectable(told)

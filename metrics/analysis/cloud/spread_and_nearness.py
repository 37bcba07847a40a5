"""How the captions of each run compare with people's: how near and how varied they are, and what the test supports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from data.study import Run
from metrics.analysis.cloud.captions import Layout, Points
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA, holm

BAND = 0.15
"""Maximum difference between a run's spread and people's for "about as varied": a description, not a test."""
Manner = Literal["nearer", "farther", "repeats", "untold", "unknown"]


class Standing(NamedTuple):
    """Runs, as positions in the list passed, grouped by whether they reach people's captions as often as people do.

    `differ`: significantly unlike people, the farthest from the expected share first; `untold`: no difference detected
    by a test that could have found one, which does not show that there is none; `undecided`: even the smallest possible
    p would not suffice. `p` (runs,) is Holm-corrected.
    """

    differ: tuple[int, ...]
    untold: tuple[int, ...]
    undecided: tuple[int, ...]
    p: Floats


def standing(layout: Layout, sets: Sequence[int]) -> Standing:
    """Return the standing of the runs with the set numbers `sets` in a layout, with p corrected across these runs."""
    at = list(sets)
    own, lead = layout.p[at], np.abs(layout.reach - layout.chance)[at]
    p, places = holm(own), np.arange(len(at))
    could = [holm(np.where(places == k, np.minimum(layout.floor[at], own), own))[k] <= ALPHA for k in places]
    rest = [k for k in places.tolist() if not p[k] <= ALPHA]
    differ = [k for k in np.argsort(-lead, kind="stable").tolist() if p[k] <= ALPHA]
    untold, undecided = (tuple(k for k in rest if could[k] == sure) for sure in (True, False))
    return Standing(tuple(differ), untold, undecided, p)


@dataclass(frozen=True)
class Standings:
    """All runs of a study compared with people; arrays (runs,) are in study order.

    `spread` is how varied a run's captions are (people's: 1), within an item if `within`, otherwise over items. `reach`
    is the share of people's captions whose nearest other caption is the run's, and `level` is its expected value for a
    run that writes as people do (`captions.facts`). `manner` describes each run; it is "unknown" unless the run can be
    compared (`known`).
    """

    spread: Floats
    within: bool
    reach: Floats
    level: Floats
    known: tuple[int, ...]
    found: Standing
    manner: tuple[Manner, ...]

    def of(self, which: Sequence[int]) -> tuple[int, ...]:
        """Return the runs, as positions in the study, at these positions of `found`."""
        return tuple(self.known[k] for k in which)


def standings(of: Points, layout: Layout) -> Standings:
    """Return how each run compares with people.

    The spread is measured within items if people and most runs have two captions per item, otherwise over items; a run
    with too few captions for that has no spread. A run's manner is a claim only if the test of nearness, corrected
    across all runs (Holm), finds a difference: nearer to people's captions than another person's would be, or farther.
    A farther run "repeats" itself if its spread (the smaller one, if it has both) is below people's by more than BAND.
    """
    spread, within = _spread(of, layout)
    reach, level = layout.reach[1:], layout.chance[1:]
    known = tuple(np.flatnonzero(np.isfinite(reach)).tolist())
    found = standing(layout, [1 + k for k in known])
    least = np.fmin(spread, layout.within[1:] / layout.within[0] if layout.within[0] > 0 else np.nan)
    manner: list[Manner] = ["unknown"] * len(spread)
    for k in found.untold:
        manner[known[k]] = "untold"
    for run in (known[k] for k in found.differ):
        farther: Manner = "repeats" if least[run] < 1 - BAND else "farther"
        manner[run] = "nearer" if reach[run] > level[run] else farther
    return Standings(spread, within, reach, level, known, found, tuple(manner))


def _spread(of: Points, layout: Layout) -> tuple[Floats, bool]:
    within, said = layout.within[1:], np.bincount(of.group, minlength=len(layout.within))[1:] > 0
    if layout.within[0] > 0 and np.isfinite(within[said]).sum() * 2 > said.sum():
        return within / layout.within[0], True
    people = of.group == 0
    out = np.full(len(within), np.nan)
    for k in np.flatnonzero(said):
        own = of.group == 1 + k
        both = np.intersect1d(of.item[own], of.item[people])
        mine, theirs = (different(of, np.flatnonzero(rows & np.isin(of.item, both))) for rows in (own, people))
        out[k] = mine / theirs if len(both) > 1 else np.nan
    return out, False


def different(of: Points, rows: Integers) -> float:
    """Return the expected share of distinct captions if one row is drawn for each item; NaN without rows.

    A caption is absent from the sample if no item draws it; items draw independently.
    """
    if not len(rows):
        return float("nan")
    drawn = pd.DataFrame({"text": [of.texts[row] for row in rows], "item": of.item[rows]})
    share = drawn.value_counts() / drawn["item"].value_counts().rename_axis("item")
    with np.errstate(divide="ignore"):
        missing = np.exp(np.log1p(-share.to_numpy()))
    seen = 1 - pd.Series(missing, index=share.index).groupby("text").prod()
    return float(seen.sum() / drawn["item"].nunique())


def nearest_first(found: Standings, runs: Iterable[int]) -> list[int]:
    """Return these positions of runs, nearest to people's captions first; runs without a nearness are last."""
    near = np.nan_to_num(found.reach / found.level)
    return sorted(runs, key=lambda run: -float(near[run]))


def most_different(of: Points, found: Standings, most: int, settings: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the positions of up to `most` runs that differ most from each other, the one nearest to people first.

    Of runs with equal numbers in `settings` (runs,), which differ only in a seed, at most one is returned.

    Each next run is the farthest from those already chosen, by spread and by nearness relative to people's or, if no
    run can be compared with people, by the share of distinct captions.
    """
    n = len(found.spread)
    places = np.column_stack([found.spread, found.reach / found.level])
    if not found.known:
        places = np.array([[different(of, np.flatnonzero(of.group == 1 + k))] for k in range(n)]).reshape(n, 1)
    finite = np.isfinite(places)
    able = np.flatnonzero(finite.all(axis=1) if finite.all(axis=1).any() else finite.any(axis=1)).tolist()
    places = np.nan_to_num(places, nan=1.0)
    chosen: list[int] = []
    from_people = np.linalg.norm(places - 1, axis=1)
    while able and len(chosen) < most:
        far = [np.linalg.norm(places[chosen] - places[k], axis=1).min() for k in able] if chosen else -from_people[able]
        chosen.append(able.pop(int(np.argmax(far))))
        able = [k for k in able if not len(settings) or settings[k] != settings[chosen[-1]]]
    return tuple(chosen)


def most_repeated(run: Run) -> tuple[str, int]:
    """Return the caption that a run gives to the most items, and how many; ("", 0) for a run without captions."""
    times = Counter(text for texts in run.candidates.values() for text in set(texts))
    return max(times.items(), key=lambda pair: pair[1], default=("", 0))

"""Make Overviews of runs with given ranks, to test the sentences about them."""

from __future__ import annotations

import numpy as np

from data.study import Item, Run, Settings, Study
from figures.overview import words
from metrics.analysis import overview as facts
from metrics.analysis.claims import PeopleComparison
from metrics.analysis.overview import Order, Overview
from metrics.analysis.run_differences import Ranks
from metrics.base import Metric
from metrics.registry import METRICS, TRMS

CIDER, TRM = METRICS["cider_d"], TRMS["METEOR"]
TEST = "joint test with TRM METEOR"


def order(
    metric: Metric, ranks: list[int], tied: tuple[int, ...] = (), spans: list[tuple[int, int]] | None = None
) -> Order:
    """Make an order of runs with these ranks, where 0 means that a run has none.

    `spans` are the first and last rank that each run may have; by default, each has only its rank.
    """
    known = np.array(ranks)
    values = np.where(known > 0, (-known if metric.higher_is_better else known).astype(float), np.nan)
    ends = np.array(spans or [(rank, rank) for rank in ranks])
    why = tuple("" if rank else "has 1 caption an image" for rank in ranks)
    ranges = Ranks(ends[:, 0], ends[:, 1])
    ahead = (ends[:, 1, None] < ends[:, 0]) & (known[:, None] > 0)
    return Order(metric, values, values - 0.1, values + 0.1, known, ranges, ahead, tied, (), why, False)


def study(runs: int, given: list[str] | None = None) -> Study:
    called = given or ["Peaked", "Loose", "Oracle", *(f"run {k}" for k in range(3, runs))][:runs]
    items = (Item("i", ("A dog.", "A cat."), image="x.png"),)
    return Study("s", items, tuple(Run(n, n, Settings(), {"i": ("A dog.", "A dog.")}) for n in called))


def seen(
    left: list[int], right: list[int], p: list[float] | None = None, alike: tuple[int, ...] = (), **more: object
) -> Overview:
    people = None
    if p is not None:
        differ = tuple(k for k in range(len(p)) if k not in alike and p[k] == p[k])
        none = ((),) * len(p)
        people = PeopleComparison(differ, (), alike, (), np.array(p), joint=True, departures=none)
    sides = order(CIDER, left, **more), order(TRM, right)  # type: ignore[arg-type]
    return Overview(study(len(left)), *sides, "", people, facts.kendall_tau(*sides))


def said(found: Overview, computing: bool = True) -> str:
    return " ".join(words.headline(found, computing)).replace("\u00a0", " ")

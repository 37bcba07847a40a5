"""Items whose references agree most and least, with the score of every reference (Zhu et al. 2020, table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from data.study import Study
from metrics.base import Undefined
from metrics.cache.disk import Cache, entry_key
from metrics.cache.entry import Arrays
from metrics.chunk import Chunk, StudyDigests, caption_order
from metrics.engine.scoring import REFERENCES
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.suite.consensus import Consensus

VERSION = 1
LISTED = 10
"""Number of items listed at each end."""


class Ends(NamedTuple):
    """Positions of the items with the highest agreement, highest first, and with the lowest, lowest first."""

    most: tuple[int, ...]
    least: tuple[int, ...]

    @property
    def places(self) -> tuple[int, ...]:
        """The positions at both ends, each listed once."""
        return tuple(dict.fromkeys((*self.most, *self.least)))


@dataclass(frozen=True)
class ScoredItem:
    """An item with the agreement of its references, and the references' own scores (m,), in study order."""

    place: int
    agreement: float
    scores: Floats


def ends(agreement: Floats, listed: int = LISTED) -> Ends:
    """Return the items with the highest and lowest values (items,); no item is in both lists or lacks a value."""
    known = np.flatnonzero(np.isfinite(agreement))
    order = [int(k) for k in known[np.argsort(agreement[known], kind="stable")]]
    listed = min(listed, (len(order) + 1) // 2)
    most = order[::-1][:listed]
    return Ends(tuple(most), tuple(k for k in order[:listed] if k not in most))


def key(study: Study, metric: Consensus, places: Sequence[int]) -> str:
    """Return the cache key of `measure`; it depends on all texts, the metric and the items."""
    contents = [study.contents[run.name] for run in study.runs]
    said = (metric.signature, VERSION, *places)
    return entry_key("references", "own scores", study.references_digest, *contents, *map(str, said))


def measure(study: Study, metric: Consensus, places: Sequence[int], cache: Cache, hooks: Hooks | None = None) -> Arrays:
    """Return "scores", the scores of all references of these items, item by item; NaN where undefined.

    Raises Cancelled.
    """
    hooks = hooks or Hooks()
    alone = replace(study, runs=())
    items = [study.items[place] for place in places]
    chunk = Chunk.of(items, REFERENCES, cache, hooks, StudyDigests.of(study, REFERENCES))
    context = metric.prepare(alone)
    parts = [np.empty(0)]
    for index, item in enumerate(items):
        hooks.check()
        hooks.share(index / len(items))
        scores = np.full(len(item.references), np.nan)
        with suppress(Undefined):  # the item keeps its captions, without scores
            scores[caption_order(item.references)] = metric.scores(context, chunk, index)
        parts.append(scores)
    return {"scores": np.concatenate(parts)}


def fits(study: Study, metric: Consensus, places: Sequence[int], arrays: Arrays) -> bool:
    """Return whether arrays from a cache or a bundle can be those of `measure` for these items.

    For each item, either all references have a score or none has.
    """
    found, (low, high) = arrays.get("scores"), metric.bounds
    sizes = [len(study.items[place].references) for place in places]
    if found is None or found.dtype.kind != "f" or found.shape != (sum(sizes),):
        return False
    missing = np.isnan(found)
    if any(part.any() and not part.all() for part in np.split(missing, np.cumsum(sizes)[:-1])):
        return False
    known = found[~missing]
    return bool(((known >= low - 1e-6) & (known <= high + 1e-6)).all())


def scored_items(study: Study, agreement: Floats, places: Sequence[int], arrays: Arrays) -> list[ScoredItem]:
    """Return these items with their scores, in the given order."""
    sizes = [len(study.items[place].references) for place in places]
    parts = np.split(arrays["scores"], np.cumsum(sizes)[:-1]) if sizes else []
    return [ScoredItem(place, float(agreement[place]), scores) for place, scores in zip(places, parts)]

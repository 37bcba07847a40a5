"""Which tuples of two captions mean the same: their words are equal or in one set of synonyms of METEOR's data.

These sets are WordNet's, by which Anderson et al. 2016, section 3.2, also match tuples.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from metrics.text.scene.rules import SceneTuple

REMEMBERED = 1 << 16


@lru_cache(maxsize=REMEMBERED)
def _synonyms(word: str) -> frozenset[int]:
    from metrics.text.meteor.index import index

    return frozenset(index().synonyms(word))


def same_word(one: str, other: str) -> bool:
    """Return whether two words are equal or have a common set of synonyms."""
    return one == other or not _synonyms(one).isdisjoint(_synonyms(other))


def matched(tuples: Iterable[SceneTuple], others: Iterable[SceneTuple]) -> int:
    """Return the number of tuples that match at least one of `others`."""
    kinds: dict[int, list[SceneTuple]] = {}
    known = set(others)
    for other in known:
        kinds.setdefault(len(other), []).append(other)
    return sum(one in known or any(same_tuple(one, other) for other in kinds.get(len(one), ())) for one in tuples)


def same_tuple(one: SceneTuple, other: SceneTuple) -> bool:
    """Return whether two tuples of equal length mean the same, word by word."""
    return len(one) == len(other) and all(same_word(a, b) for a, b in zip(one, other))

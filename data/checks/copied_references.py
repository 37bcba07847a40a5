"""Detect runs that repeat references of their own items, verbatim or nearly so.

docs/decisions/017-hazards.md gives the measurements behind the thresholds.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from data.study import Captions

LEAK_SHARE = 0.5
"""Minimum share of items with a caption that repeats a reference, or of captions that are near copies, for a run to be
reported.
"""
NEAR, FEWEST_ITEMS, MOST_TEXTS = 0.9, 5, 100
"""Minimum Dice coefficient of the words of near copies; minimum number of items on which near copies are sought;
maximum number of texts compared for each item.
"""
EXACT, NEARLY = "word for word", "nearly word for word"

_WHOLE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"  # scripts without spaces: a letter is a word
_WORD = re.compile(rf"[{_WHOLE}]|[^\W{_WHOLE}]+")
_PLAIN = bytes.maketrans(
    (string.ascii_uppercase + string.punctuation).encode(),
    (string.ascii_lowercase + " " * len(string.punctuation)).encode(),
)
"""Translation of ASCII to lower case, with spaces for punctuation; bytes are translated four times as fast as text."""
Bag = frozenset[tuple[str, int] | str]


def split(text: str) -> list[str]:
    """Return the lower-case words of a text without punctuation, since models' tokenizers change case and
    punctuation.
    """
    return text.encode().translate(_PLAIN).decode().split() if text.isascii() else _WORD.findall(text.lower())


class References:
    """The references of the items, in order, for comparison with the captions of runs."""

    def __init__(self, references: Sequence[Captions]) -> None:
        self._words = [Counter(filter(None, map(_joined, of_item))) for of_item in references]
        self._bags: dict[int, list[Bag]] = {}

    def equal(self, captions: Sequence[Captions]) -> list[list[bool]]:
        """Return, for each caption of each item, whether it has the same words as a reference of that item."""
        return [[_joined(text) in said for text in of_item] for of_item, said in zip(captions, self._words)]

    def copied(self, captions: Sequence[Captions]) -> tuple[str, list[int]]:
        """Return how a run repeats references, EXACT or NEARLY, and the positions of the items concerned; else ("",
        []).

        A run repeats references if its captions equal them far more often than references equal one another: verbatim
        on at least half of the items, or nearly verbatim in at least half of its captions. Near copies are counted by
        caption because, among many captions of an item, one is often near a reference by chance.
        """
        described = sum(map(bool, captions))
        same = self.equal(captions)
        found = _items(same)
        if len(found) >= max(LEAK_SHARE * described, 1) and far_above(_share(same), self._repeated):
            return EXACT, found
        # For most runs, a few items suffice to show that most captions are not near copies.
        some = range(0, len(captions), max(len(captions) // 100, 1))
        if described < FEWEST_ITEMS or _share([self._near(captions[k], k) for k in some]) < LEAK_SHARE / 2:
            return "", []
        near = [self._near(texts, k) for k, texts in enumerate(captions)]
        copies = _share(near) >= LEAK_SHARE and far_above(_share(near), self._nearly_repeated)
        return (NEARLY, _items(near)) if copies else ("", [])

    @cached_property
    def _repeated(self) -> float:
        """The share of references that are verbatim repeats of another reference of their item."""
        again = sum(n for said in self._words for n in said.values() if n > 1)
        return again / max(sum(said.total() for said in self._words), 1)

    @cached_property
    def _nearly_repeated(self) -> float:
        """The share of references that are near copies of another reference of their item."""
        sets = [self._said(item) for item in range(len(self._words))]
        again = [[any(_is_near(a, b) for b in (*of[:k], *of[k + 1 :])) for k, a in enumerate(of)] for of in sets]
        return _share(again)

    def _near(self, texts: Captions, item: int) -> list[bool]:
        said = self._said(item)
        return [any(_is_near(bag, other) for other in said) for bag in map(_bag, map(split, texts[:MOST_TEXTS]))]

    def _said(self, item: int) -> list[Bag]:
        if item not in self._bags:
            self._bags[item] = [_bag(text.split()) for text in islice(self._words[item].elements(), MOST_TEXTS)]
        return self._bags[item]


def far_above(share: float, people: float) -> bool:
    """Return whether the share of captions that repeat references is far above `people`, the same share for references.

    The limit is twice `people`, or the midpoint between `people` and 1 if that is lower.
    """
    return share > min(2 * people, (1 + people) / 2)


def _joined(text: str) -> str:
    return " ".join(split(text))


def _bag(words: list[str]) -> Bag:
    """Return the words of a text as a set that counts: each repetition of a word adds the word paired with the number
    of its earlier occurrences.
    """
    if len(found := frozenset(words)) == len(words):
        return found
    times: Counter[str] = Counter()
    for word in words:
        times[word] += 1
    return frozenset(found | {(word, k) for word, n in times.items() for k in range(1, n)})


def _is_near(one: Bag, other: Bag) -> bool:
    """Return whether two texts share most of their words in any order: their Dice coefficient is at least NEAR."""
    both = len(one) + len(other)
    return both > 0 and min(len(one), len(other)) >= NEAR / 2 * both and 2 * len(one & other) >= NEAR * both


def _items(found: list[list[bool]]) -> list[int]:
    return [k for k, of_item in enumerate(found) if any(of_item)]


def _share(found: list[list[bool]]) -> float:
    return sum(map(sum, found)) / max(sum(map(len, found)), 1)

"""The base class of transformations of captions, and the material of a study that they draw from."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from metrics.text.content_words import FUNCTION_WORDS

ARTICLES = frozenset({"a", "an", "the"})
LEAST = 2
"""Default minimum number of words that a transformation of strength above 0 changes (Cui et al. 2018, 4.3)."""


class TransformationFaulty(RuntimeError):
    """Raised if a plug-in's transformation fails or does not return words; the message states what happens."""


@dataclass(frozen=True)
class Material:
    """Material for the transformations of one caption: captions of other items, nearest first, and words."""

    others: tuple[tuple[str, ...], ...] = ()
    vocabulary: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Transformation(ABC):
    """A change of a caption with a strength from 0 (none) to 1. Its fields are its parameters."""

    version: ClassVar[int] = 1
    name: ClassVar[str]
    label: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str] = "not stated"
    graded: ClassVar[bool] = True
    """Whether the strength has degrees; if not, all values above 0 are equivalent."""
    plugin: ClassVar[str] = ""  # as in `Metric`

    @abstractmethod
    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        """Return the changed words, which depend only on the arguments; at strength 0 they are unchanged."""

    def prepare(self, material: Material) -> Transformation:
        """Return the same transformation with the material that it draws from; most use no material."""
        return self

    @property
    def parameters(self) -> str:
        """Everything besides name, version and file that determines the change, except the material."""
        own = (part.name for part in fields(self) if not isinstance(getattr(self, part.name), Material))
        return "|".join(f"{name}:{getattr(self, name)}" for name in own)

    @property
    def signature(self) -> str:
        """The identity of the change, given the material and the random numbers."""
        file = f"|plugin:{self.plugin}" if self.plugin else ""
        return f"{self.name}|v{self.version}|{self.parameters}".rstrip("|") + file


@dataclass(frozen=True)
class Drawing(Transformation):
    """A transformation that takes words or captions from the study."""

    material: Material = Material()

    def prepare(self, material: Material) -> Transformation:
        return replace(self, material=material)


def transformed(one: Transformation, words: Sequence[str], strength: float, rng: np.random.Generator) -> list[str]:
    """Return transformed words after a check. Raises TransformationFaulty, and ValueError for a bad strength."""
    if not 0 <= strength <= 1:
        raise ValueError(f"the strength of a transformation is from 0 to 1, not {strength:g}")
    try:
        found = one.transform(list(words), strength, rng)
    except Exception as error:
        if not one.plugin:
            raise
        raise TransformationFaulty(
            f"{one.name} raises {' '.join(f'{type(error).__name__}: {error}'.split())}"
        ) from None
    if (why := fault(found)) is not None:
        raise TransformationFaulty(f"{one.name} {why}")
    return found


def fault(found: Any) -> str | None:
    """Return what is wrong with transformed words, to complete a sentence; None if they are valid."""
    if not isinstance(found, list):
        return f"gives a {type(found).__name__}, not a list of words"
    for word in found:
        if not isinstance(word, str):
            return f"gives a list with a {type(word).__name__}, not of words"
        if not word or word.split() != [word]:
            return f"gives the word {word[:40]!r}, which is empty or holds a blank"
    return None


def share(strength: float, n: int, least: int = LEAST) -> int:
    """Return how many of n places are changed: none at strength 0, at least `least` above 0, all at 1."""
    return min(n, max(least, math.floor(strength * n + 0.5))) if strength > 0 else 0


def places(strength: float, among: Sequence[int], rng: np.random.Generator, least: int = LEAST) -> list[int]:
    """Return randomly drawn positions from `among`, as many as the strength implies, in ascending order."""
    chosen = rng.choice(len(among), share(strength, len(among), least), replace=False)
    return sorted(among[k] for k in chosen.tolist())


def another(words: Sequence[str], but: str, rng: np.random.Generator) -> str:
    """Return a random word other than `but`, ignoring case; `but` if there is no other word."""
    same = _by_lower_case(tuple(words)).get(but.lower(), ())
    if len(same) == len(words):
        return but
    k = int(rng.integers(len(words) - len(same)))
    for place in same:
        k += place <= k
    return words[k]


@lru_cache(maxsize=8)
def _by_lower_case(words: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Return the ascending positions of each word in lower case, so that they can be looked up quickly."""
    found: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        found.setdefault(word.lower(), []).append(place)
    return {word: tuple(places) for word, places in found.items()}


def vocabulary(captions: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the distinct words of captions in lower case, sorted, without punctuation around them."""
    return tuple(sorted({bare for words in captions for word in words if (bare := bare_word(word))}))


def nouns(captions: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the words of English captions that mostly end a phrase after an article: `a dog on`, not `a big dog`."""
    ends: Counter[str] = Counter()
    behind: Counter[str] = Counter()
    for words in captions:
        plain = [bare_word(word) for word in words]
        for article, word, after in zip(plain, plain[1:], [*plain[2:], ""]):
            if article in ARTICLES and word and word not in FUNCTION_WORDS:
                behind[word] += 1
                ends[word] += (not after or after in FUNCTION_WORDS) and after not in ("and", "or")
    return tuple(sorted(word for word, count in ends.items() if 2 * count > behind[word]))


def bare_word(word: str) -> str:
    """Return the word in lower case without punctuation around it; "" if it is only punctuation."""
    return word.lower().strip("".join({c for c in word if not c.isalnum()}))

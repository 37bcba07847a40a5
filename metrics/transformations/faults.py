"""Faults of captions that models and people make: repetition, missing words, other objects, typos, a negation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metrics.transformations.base import Drawing, Transformation, another, bare_word, places, share

AUXILIARIES = frozenset(
    {"is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "would", "does", "do"}
)
OWN = "Trilens"
PREFIX = ("a", "photo", "of")


@dataclass(frozen=True)
class RepeatedClause(Transformation):
    """Repeats the end of the caption, as looping decoders do."""

    name: ClassVar[str] = "repeated_clause"
    label: ClassVar[str] = "Repeated clause"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = "Strength: the share of words, at least two and from the end, that are repeated."

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        return [*words, *words[len(words) - share(strength, len(words)) :]]


@dataclass(frozen=True)
class DroppedWords(Transformation):
    """Omits some words."""

    name: ClassVar[str] = "dropped_words"
    label: ClassVar[str] = "Dropped words"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = "Strength: the share of words, at least two, that are missing; one word always stays."

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        number = min(share(strength, len(words)), max(len(words) - 1, 0))
        gone = set(rng.choice(len(words), number, replace=False).tolist())
        return [word for k, word in enumerate(words) if k not in gone]


@dataclass(frozen=True)
class SwappedNouns(Drawing):
    """Replaces nouns of the caption with other nouns of the study."""

    name: ClassVar[str] = "swapped_nouns"
    label: ClassVar[str] = "Swapped nouns"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = (
        "Strength: the share of nouns, at least one, replaced with others from the study. English only."
    )

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        found, known = list(words), set(self.material.nouns)
        among = [k for k, word in enumerate(words) if bare_word(word) in known]
        for k in places(strength, among, rng, least=1):
            found[k] = another(self.material.nouns, bare_word(words[k]), rng)
        return found


@dataclass(frozen=True)
class Typos(Transformation):
    """Makes typing errors: two letters change places, one is missing, or one is doubled."""

    name: ClassVar[str] = "typos"
    label: ClassVar[str] = "Typos"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = (
        "Strength: the share of words of three or more letters, at least one, that get a typing error."
    )

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        found = list(words)
        for k in places(strength, [k for k, word in enumerate(words) if len(word) > 2], rng, least=1):
            found[k] = _slip(words[k], rng)
        return found


def _slip(word: str, rng: np.random.Generator) -> str:
    """Return the word with one typing error that changes it."""
    k = int(rng.integers(len(word) - 1))
    turned = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    options = [word[:k] + word[k + 1 :], word[: k + 1] + word[k:], *([turned] if turned != word else [])]
    return options[int(rng.integers(len(options)))]


@dataclass(frozen=True)
class LetterCase(Transformation):
    """Swaps capital and small letters."""

    name: ClassVar[str] = "letter_case"
    label: ClassVar[str] = "Letter case"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = "Strength: the share of letters, at least two, whose case changes."

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        letters = [(k, place) for k, word in enumerate(words) for place, c in enumerate(word) if c.swapcase() != c]
        chosen = {letters[n] for n in places(strength, range(len(letters)), rng)}
        return [
            "".join(c.swapcase() if (k, place) in chosen else c for place, c in enumerate(word))
            for k, word in enumerate(words)
        ]


@dataclass(frozen=True)
class Prefix(Transformation):
    """Puts `a photo of` before the caption, as in prompts of CLIP."""

    name: ClassVar[str] = "photo_prefix"
    label: ClassVar[str] = "“a photo of”"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = "No degrees: above strength 0 the caption begins with these words."
    graded: ClassVar[bool] = False

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        return [*PREFIX, *words] if strength > 0 else list(words)


@dataclass(frozen=True)
class Negation(Transformation):
    """Negates the caption: inserts `not` after its first auxiliary verb or, without one, `there is no` at the start."""

    name: ClassVar[str] = "negation"
    label: ClassVar[str] = "Negation"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = "No degrees: above strength 0 the caption says the opposite. English only."
    graded: ClassVar[bool] = False

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        if strength <= 0:
            return list(words)
        place = next((k for k, word in enumerate(words) if word.lower() in AUXILIARIES), None)
        if place is not None:
            return [*words[: place + 1], "not", *words[place + 1 :]]
        rest = words[1:] if words and words[0].lower() in ("a", "an", "the") else words
        return ["there", "is", "no", *rest]

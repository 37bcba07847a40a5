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
    """The end of the caption said twice, as decoders that loop do."""

    name: ClassVar[str] = "repeated_clause"
    label: ClassVar[str] = "Repeated clause"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = "Strength: the share of words, at least two and from the end, that come again."

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        return [*words, *words[len(words) - share(strength, len(words)) :]]


@dataclass(frozen=True)
class DroppedWords(Transformation):
    """Some words left out."""

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
    """Other nouns of the study in place of those of the caption."""

    name: ClassVar[str] = "swapped_nouns"
    label: ClassVar[str] = "Swapped nouns"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = (
        "Strength: the share of nouns, at least one, that become others of the study. English only."
    )

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        found, known = list(words), set(self.material.nouns)
        among = [k for k, word in enumerate(words) if bare_word(word) in known]
        for k in places(strength, among, rng, least=1):
            found[k] = another(self.material.nouns, bare_word(words[k]), rng)
        return found


@dataclass(frozen=True)
class Typos(Transformation):
    """Slips of the keyboard: two letters change places, one is missing, or one comes twice."""

    name: ClassVar[str] = "typos"
    label: ClassVar[str] = "Typos"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = "Strength: the share of words of three letters and more, at least one, with a slip each."

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        found = list(words)
        for k in places(strength, [k for k, word in enumerate(words) if len(word) > 2], rng, least=1):
            found[k] = _slip(words[k], rng)
        return found


def _slip(word: str, rng: np.random.Generator) -> str:
    """The word with one slip, where it can be told from the word."""
    k = int(rng.integers(len(word) - 1))
    turned = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    options = [word[:k] + word[k + 1 :], word[: k + 1] + word[k:], *([turned] if turned != word else [])]
    return options[int(rng.integers(len(options)))]


@dataclass(frozen=True)
class LetterCase(Transformation):
    """Capitals for small letters, and small letters for capitals."""

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
    """`a photo of` before the caption, as prompts of CLIP have it."""

    name: ClassVar[str] = "photo_prefix"
    label: ClassVar[str] = "“a photo of”"
    source: ClassVar[str] = OWN
    summary: ClassVar[str] = "No degrees: above strength 0 the caption begins with these words."
    graded: ClassVar[bool] = False

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        return [*PREFIX, *words] if strength > 0 else list(words)


@dataclass(frozen=True)
class Negation(Transformation):
    """The caption denied: `not` behind its first auxiliary verb, else `there is no` before it."""

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

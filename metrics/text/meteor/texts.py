"""Texts in the form that the aligner takes: words and phrases as numbers, with the facts that the matchers need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.text.meteor import table
from metrics.text.meteor.aligner import Texts, Vocabulary, repeats
from metrics.text.meteor.data import function_words
from metrics.text.meteor.index import index, offsets
from metrics.text.meteor.normalise import words

REMEMBERED = 1 << 18
"""Maximum number of words whose facts are cached; computing the facts of a word takes a tenth of a millisecond."""


class Word(NamedTuple):
    """The facts that the matchers need about a word; `number` is its number in phrases."""

    key: int
    stem: int
    is_function: bool
    number: int
    synsets: tuple[int, ...]


@lru_cache(maxsize=REMEMBERED)
def word_facts(word: str) -> Word:
    """Return the facts about a word. Raises JavaMissing as `index` does."""
    # Imported late: the package loads the rules of all of its languages.
    from snowballstemmer.english_stemmer import EnglishStemmer

    found = index()
    stem = EnglishStemmer().stemWord(word)
    return Word(java_hash(word), java_hash(stem), word in function_words(), found.word(word), found.synonyms(word))


def java_hash(text: str) -> int:
    """Return Java's hash of a text, in -2^31..2^31 - 1: the jar treats words with equal hashes as equal."""
    raw = text.encode("utf-16-le")
    found = 0
    for low, high in zip(raw[::2], raw[1::2]):
        found = (31 * found + low + (high << 8)) & 0xFFFFFFFF
    return found - (1 << 32) if found >> 31 else found


def prepared(captions: Sequence[str]) -> tuple[Vocabulary, Texts, int]:
    """Return captions as numbers, the vocabulary that these refer to, and the number of distinct phrases."""
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers)) for word in words(caption)] for caption in captions]
    known = [word_facts(word) for word in numbers]
    flat = np.array([number for row in rows for number in row], dtype=np.int32)
    return _vocabulary(known), *_texts(offsets(map(len, rows)), flat, known)


def _vocabulary(known: Sequence[Word]) -> Vocabulary:
    starts = offsets(len(word.synsets) for word in known)
    synsets = np.array([number for word in known for number in word.synsets], dtype=np.int32)
    bits = np.uint64(1) << ((synsets.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58))
    mask = np.zeros(len(known), np.uint64)
    np.bitwise_or.at(mask, np.repeat(np.arange(len(known)), np.diff(starts)), bits)
    return Vocabulary(
        np.array([word.key for word in known], dtype=np.int32),
        np.array([word.stem for word in known], dtype=np.int32),
        np.array([word.is_function for word in known], dtype=np.bool_),
        mask,
        starts,
        synsets,
    )


def _texts(starts: NDArray[np.int64], flat: NDArray[np.int32], known: Sequence[Word]) -> tuple[Texts, int]:
    found = index()
    in_phrases = np.array([word.number for word in known], dtype=np.int32)[flat]
    phrase_starts, phrases = table.phrases_of(in_phrases, starts, found.edges, found.nodes, found.is_phrase)
    present, phrases[:, 2] = np.unique(phrases[:, 2], return_inverse=True)
    place = np.full(len(found.is_phrase), -1, np.int32)
    place[present] = np.arange(len(present))
    partner_starts, partners = table.partners_among(present, place, found.partner_starts, found.partners)
    again = repeats(phrase_starts, phrases, len(present))
    return Texts(starts, flat, phrase_starts, phrases, again, partner_starts, partners), len(present)

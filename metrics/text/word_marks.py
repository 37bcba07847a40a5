"""Captions of a run, word by word: which words people also use, and which another run does not use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metrics.text.content_words import FUNCTION_WORDS
from metrics.text.split_words import is_word, tokens


class Mark(NamedTuple):
    """A part of a caption: `matched` if people use the word, `own` if the other run does not (function words aside).

    `matched` is None for spaces and punctuation, and for words of images without captions by people.
    """

    text: str
    matched: bool | None
    own: bool


class MarkedCaption(NamedTuple):
    """A caption in parts, with its number of occurrences; differences only in case or punctuation are ignored."""

    parts: tuple[Mark, ...]
    times: int


def marked_captions(captions: Sequence[str], people: Iterable[str], other: Iterable[str]) -> list[MarkedCaption]:
    """Return a run's distinct captions, most frequent first, marked against people's captions and another run's.

    Words are compared by their form, ignoring case. Function words are never a run's own.
    """
    known, theirs = vocabulary(people) or None, vocabulary(other)
    groups: dict[tuple[str, ...], list[str]] = {}
    for caption in captions:
        groups.setdefault(words(caption), []).append(caption)
    ordered = sorted(groups.values(), key=len, reverse=True)
    return [
        MarkedCaption(tuple(_mark(token, known, theirs) for token in tokens(group[0])), len(group)) for group in ordered
    ]


def words(caption: str) -> tuple[str, ...]:
    """Return the words of a caption in lower case."""
    return tuple(token.casefold() for token in tokens(caption) if is_word(token))


def vocabulary(captions: Iterable[str]) -> frozenset[str]:
    """Return the words of all captions."""
    return frozenset(word for caption in captions for word in words(caption))


def unmatched_share(captions: Iterable[str], people: Iterable[str]) -> float:
    """Return the share (0..1) of the captions' words that people do not use; NaN if either has no words."""
    known = vocabulary(people)
    found = [word in known for caption in captions for word in words(caption)]
    return found.count(False) / len(found) if known and found else float("nan")


def _mark(token: str, known: frozenset[str] | None, theirs: frozenset[str]) -> Mark:
    if not is_word(token):
        return Mark(token, None, False)
    word = token.casefold()
    return Mark(token, None if known is None else word in known, word not in theirs and word not in FUNCTION_WORDS)

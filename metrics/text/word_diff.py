"""Differences of two captions: the words that only one of them has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category

# A word with its combining marks and apostrophes; in scripts without spaces each character; else a run of signs.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u200c\u200d"
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w[{_MARKS}]*)+(?:['’]\w+)*|\s+|[^\w\s]+")
_ALIGNED = 250_000
"""Most pairs of words for which two captions are aligned; longer captions are compared as bags of words."""


class Piece(NamedTuple):
    """A part of a caption, verbatim; `own` if the other caption does not have it there."""

    text: str
    own: bool


class Match(NamedTuple):
    """Positions of two captions, and the share of their words in common, 0..1 (Dice)."""

    first: int
    second: int
    common: float


def diff(first: str, second: str) -> tuple[list[Piece], list[Piece]]:
    """Return both captions in pieces that join to the caption; letter case and punctuation are ignored."""
    tokens = [_TOKEN.findall(text) for text in (first, second)]
    words = [[token.casefold() for token in side if not _is_ignored(token)] for side in tokens]
    common = _common(*words)
    return _pieces(tokens[0], common[0]), _pieces(tokens[1], common[1])


def best_matches(first: Sequence[str], second: Sequence[str], most: int) -> list[Match]:
    """Return up to `most` pairs of different captions, each used once, those with the most words in common first."""
    bags = [[_bag(text) for text in side] for side in (first, second)]
    found = [
        Match(i, j, _dice(a, b)) for i, a in enumerate(bags[0]) for j, b in enumerate(bags[1]) if first[i] != second[j]
    ]
    taken: tuple[set[int], set[int]] = (set(), set())
    out: list[Match] = []
    for match in sorted(found, key=lambda m: (-m.common, m.first, m.second)):
        if len(out) < most and match.first not in taken[0] and match.second not in taken[1]:
            out.append(match)
            taken[0].add(match.first)
            taken[1].add(match.second)
    return out


def nearest(text: str, others: Sequence[str]) -> str:
    """Return the one of other captions that has the most words in common with this one; the first of several."""
    own = _bag(text)
    return max(others, key=lambda other: _dice(own, _bag(other)))


def tokens(text: str) -> list[str]:
    """Return the words of a caption, the spaces and the signs between them; joined, they are the caption."""
    return _TOKEN.findall(text)


def is_word(token: str) -> bool:
    """Return whether a token is a word, and not space or punctuation."""
    return not _is_ignored(token)


@lru_cache(maxsize=1 << 16)
def _is_ignored(token: str) -> bool:
    """Whether a token is space or punctuation, which no metric reads."""
    return all(char.isspace() or category(char).startswith("P") for char in token)


def _bag(text: str) -> Counter[str]:
    return Counter(word.casefold() for word in _TOKEN.findall(text) if not _is_ignored(word))


def _dice(a: Counter[str], b: Counter[str]) -> float:
    size = a.total() + b.total()
    return 2 * (a & b).total() / size if size else 0.0


def _common(first: list[str], second: list[str]) -> tuple[list[bool], list[bool]]:
    """Whether the alignment finds each word of each caption in the other."""
    if len(first) * len(second) > _ALIGNED:
        known = set(first) & set(second)
        return [w in known for w in first], [w in known for w in second]
    marks = [False] * len(first), [False] * len(second)
    for i, j, size in SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks():
        marks[0][i : i + size] = [True] * size
        marks[1][j : j + size] = [True] * size
    return marks


def _pieces(tokens: Sequence[str], common: Sequence[bool]) -> list[Piece]:
    """Tokens with their marks, neighbours of one kind joined; quiet changes are marked only between two own words."""
    words = iter(common)
    own = [None if _is_ignored(token) else not next(words) for token in tokens]
    before, after = _filled(own), _filled(own[::-1])[::-1]
    out: list[Piece] = []
    for token, mark, left, right in zip(tokens, own, before, after):
        is_own = (left and right) if mark is None else mark
        if out and out[-1].own == is_own:
            out[-1] = Piece(out[-1].text + token, is_own)
        else:
            out.append(Piece(token, is_own))
    return out


def _filled(marks: Sequence[bool | None]) -> list[bool]:
    """The marks, with missing ones replaced by the last one before."""
    out: list[bool] = []
    for mark in marks:
        out.append(mark if mark is not None else bool(out and out[-1]))
    return out

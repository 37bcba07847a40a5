"""Ratings in cells: numbers, with or without the end of their scale (`4/5`, `80%`), and lists of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from data.formats.columns.contents import values
from data.formats.columns.rating_words import is_word, listed
from data.formats.numbers import scores
from data.records import Source, kind

_PER_CENT = 100.0
_OF = re.compile(r"\s*([-+]?\d+(?:[.,]\d+)?)\s*(?:(?:/|out of|of)\s*(\d+(?:[.,]\d+)?)|%)\s*")

_NAMED = re.compile(r"\s*(\d{1,3})\s*[:=–-]\s*[^\W\d][^\n]{0,60}")
"""A point of a scale with its name."""
_STARS = re.compile(r"\s*(★+|⭐+)(☆*)\s*")


def parsed(cell: Any) -> tuple[float | None, float | None]:
    """Return the number in a cell and the end of the scale that it states: (4, 5) for "4/5" or "★★★★☆", (80, 100) for
    "80%".

    The number may be followed by its meaning: "4 : rather fluent". It is None if the cell contains anything else, and
    the end is None if the cell does not state it.
    """
    if isinstance(cell, str) and (found := _OF.fullmatch(cell)):
        value, end = (scores.number(part.replace(",", ".")) if part else _PER_CENT for part in found.groups())
        return (value, end) if end is not None else (None, None)
    if isinstance(cell, str) and (stars := _STARS.fullmatch(cell)):
        return float(len(stars[1])), float(len(stars[1] + stars[2])) if stars[2] else None
    if isinstance(cell, str) and (named := _NAMED.fullmatch(cell)):
        cell = named[1]
    return scores.number(cell), None


def is_rating(cell: Any) -> bool:
    """Return whether a cell contains a number, with or without the end of its scale, or a word such as `yes`."""
    return parsed(cell)[0] is not None or is_word(cell)


def are_ratings(rows: Sequence[Sequence[Any]], column: int) -> bool:
    """Return whether at least half of the non-empty cells of a column are ratings or lists of ratings."""
    cells = values(rows, column)
    known = (is_rating(cell) or scores.is_list(cell) or all(map(is_word, listed(cell))) for cell in cells)
    return bool(cells) and 2 * sum(known) >= len(cells)


def has_words(rows: Sequence[Sequence[Any]], column: int) -> bool:
    """Return whether a column of ratings has words, which may be people's answers rather than ratings."""
    return any(is_word(one) for cell in values(rows, column) for one in listed(cell))


class Scales:
    """Reads the ratings of one file; all ratings of a criterion must state the same end of the scale, or none."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ends: dict[str, float] = {}

    def value(self, cell: Any, criterion: str, where: str, item: str = "") -> float | None:
        """Return the rating in a cell; None for a gap and, with a finding, for a cell that has no number, or another
        end of the scale than the cells before it.
        """
        log, name = self._source.log, self._source.name
        known, end = parsed(cell)
        if known is None and not scores.is_gap(cell):
            log.add("rating_not_number", name, where, item, name=criterion, found=kind(cell))
        if known is None or end is None:
            return known
        usual = self._ends.setdefault(criterion, end)
        if usual != end:
            log.add("rating_scale", name, where, item, name=criterion, found=f"{end:g}", usual=f"{usual:g}")
            return None
        return known

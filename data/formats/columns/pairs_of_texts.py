"""Texts of one record that are not captions of one item: each has its own picture, or one follows from the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from data.fields.names import IMAGES, norm, unnumbered
from data.fields.word_lists import word_set
from data.findings import clip
from data.formats.columns.contents import values

_CLASSES = word_set("entailment entails entailed contradiction contradicts neutral - not_entailment")
"""The classes of pairs in SNLI and similar data sets."""
_OF_PAIRS = _CLASSES - {"neutral", "-"}


def doubt(header: Sequence[str], sample: Sequence[Sequence[Any]], captions: Collection[int], read: str) -> str:
    """Return, as the end of a sentence, why the texts in these columns may not all be captions of the record's item; ""
    if there is no reason.

    `read` is the list of the columns in words.
    """
    others = [k for k in range(len(header)) if k not in captions]
    numbers = {*map(_number, _names(header, captions))}
    pictures = [k for k in others if unnumbered(norm(header[k])) in IMAGES and _number(norm(header[k])) in numbers]
    if len(captions) > 1 and len(pictures) == len(captions) == len(numbers - {""}):
        first, second, *_ = pictures
        return (
            f"each of those in {read} may describe its own picture, `{clip(header[first])}` or `{clip(header[second])}`"
        )
    for k in others if len(captions) > 1 else ():
        told = {str(cell).strip().lower() for cell in values(sample, k)}
        if len(told) > 1 and told <= _CLASSES and told & _OF_PAIRS:
            return f"`{clip(header[k])}` labels those in {read} as pairs, such as {min(told & _OF_PAIRS)}"
    return ""


def _names(header: Sequence[str], places: Iterable[int]) -> list[str]:
    return [norm(header[k]) for k in places]


def _number(name: str) -> str:
    return name.removeprefix(unnumbered(name))

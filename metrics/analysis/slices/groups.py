"""Slices of a study: items grouped by the length, agreement or words of their references, or by metadata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Literal

import numpy as np

from data.study import Study, of_study
from metrics.mathematics.arrays import Floats
from metrics.text.content_words import content_words
from metrics.text.tokens import Tokenizer, Tokens, tokenize

Kind = Literal["word", "length", "consensus", "field"]
KINDS: tuple[Kind, ...] = ("length", "consensus", "field", "word")
PARTS = 4
"""Number of ranges of a numeric field: it is cut at its quartiles."""
LEAST = 2
"""Smallest minimum number of items per slice that can be requested."""
_CATEGORIES = 8
"""Maximum number of distinct values of a numeric field that is divided by value."""


@dataclass(frozen=True, eq=False)
class Slice:
    """A group of items with a common property; `places` are their ascending positions in the study.

    `value` is the word, or the value of `field`; for a range of numbers, it is the number of the range, from 1, and
    `low` and `high` are the range's minimum and maximum.
    """

    kind: Kind
    field: str
    value: str
    places: tuple[int, ...] = dataclass_field(repr=False)
    low: float = np.nan
    high: float = np.nan

    @property
    def key(self) -> str:
        """A name that is unique among the study's slices."""
        field = [self.field.replace("%", "%25").replace(":", "%3A")] if self.field else []
        return ":".join([self.kind, *field, self.value])

    @property
    def ranged(self) -> bool:
        """Whether the slice is a range of numbers."""
        return bool(np.isfinite(self.low))


def slices(study: Study, known: Sequence[int], fewest: int, consensus: Floats, with_words: bool = True) -> list[Slice]:
    """Return the slices of the `known` items, each with at least `fewest` items inside and outside.

    `consensus` (items,) is the agreement of each item's references, NaN if unknown. Raises JavaMissing if words are
    requested without a tokenizer.
    """
    here = [study.items[place] for place in known]
    tokens = _tokens([item.references for item in here], study.tokenizer) if with_words else []
    found = [
        *(_ranges("length", "", mean_lengths(tokens), known) if with_words else ()),
        *_ranges("consensus", "", [float(consensus[place]) for place in known], known),
        *_fields([item.metadata for item in here], known),
        *(_words(tokens, known) if with_words else ()),
    ]
    most = len(known) - fewest
    return [one for one in found if fewest <= len(one.places) <= most]


@of_study
def divisible(study: Study) -> bool:
    """Return whether anything divides the items: captions by people, or a field of their metadata.

    A field divides them if a value or range of it has at least LEAST items inside and LEAST outside.
    """
    if any(item.references for item in study.items):
        return True
    fields, most = _fields([item.metadata for item in study.items], range(len(study.items))), len(study.items) - LEAST
    return any(LEAST <= len(one.places) <= most for one in fields)


def mean_lengths(tokens: Sequence[Sequence[Tokens]]) -> list[float]:
    """Return the mean number of words per caption of each item, NaN without captions."""
    return [float(np.mean([len(one) for one in of])) if of else np.nan for of in tokens]


def _tokens(captions: Sequence[Sequence[str]], tokenizer: Tokenizer) -> list[list[Tokens]]:
    flat = iter(tokenize([text for of in captions for text in of], tokenizer))
    return [[next(flat) for _ in of] for of in captions]


def _words(tokens: Sequence[Sequence[Tokens]], known: Sequence[int]) -> Iterator[Slice]:
    places: dict[str, list[int]] = {}
    for place, of in zip(known, tokens):
        for word in frozenset[str]().union(*(content_words(one) for one in of)):
            places.setdefault(word, []).append(place)
    for word in sorted(places):
        yield Slice("word", "", word, tuple(places[word]))


def _fields(metadata: Sequence[Mapping[str, Any]], known: Sequence[int]) -> Iterator[Slice]:
    values: dict[str, dict[int, Any]] = {}
    for place, of in zip(known, metadata):
        for name, value in _flat(of):
            values.setdefault(name, {})[place] = value
    for name, by_place in sorted(values.items()):
        if all((isinstance(value, int | float) and not isinstance(value, bool)) for value in by_place.values()):
            yield from _numeric(name, by_place)
        else:
            yield from _categories(name, by_place)


def _flat(metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in metadata.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", one) for inner, one in value.items() if not isinstance(one, Mapping))
        else:
            yield str(name), value


def _numeric(name: str, by_place: Mapping[int, Any]) -> Iterator[Slice]:
    """Yield the slices of a numeric field: by value if there are few distinct values, otherwise by range.

    Unique whole numbers are treated as identifiers and give no slices.
    """
    different = set(by_place.values())
    if len(different) <= _CATEGORIES:
        yield from _categories(name, by_place)
    elif len(different) < len(by_place) or not all(isinstance(value, int) for value in different):
        yield from _ranges("field", name, [float(value) for value in by_place.values()], list(by_place))


def _categories(name: str, by_place: Mapping[int, Any]) -> Iterator[Slice]:
    """Yield a slice for each value; each text in a list counts as a value."""
    places: dict[str, list[int]] = {}
    for place, value in by_place.items():
        for one in dict.fromkeys(_texts(value)):
            places.setdefault(one, []).append(place)
    for value in sorted(places):
        yield Slice("field", name, value, tuple(places[value]))


def value_text(value: object) -> str:
    """Return a metadata value as text, with 1, 1.0 and "1" as the same value."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str | int | float):
        return (value_text(value),)
    return (one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()


def _ranges(kind: Kind, name: str, values: Sequence[float], places: Sequence[int]) -> Iterator[Slice]:
    """Yield the quarters of the finite values; fewer if many are equal, since equal values are never separated."""
    numbers, at = np.asarray(values, dtype=np.float64), np.asarray(places, dtype=np.int64)
    finite = np.isfinite(numbers)
    numbers, at = numbers[finite], at[finite]
    if len(numbers) == 0:
        return
    edges = np.unique(np.quantile(numbers, np.arange(1, PARTS) / PARTS))
    part = np.searchsorted(edges, numbers, side="left")
    for count, k in enumerate(np.unique(part), 1):
        inside = part == k
        low, high = float(numbers[inside].min()), float(numbers[inside].max())
        yield Slice(kind, name, str(count), tuple(at[inside].tolist()), low, high)

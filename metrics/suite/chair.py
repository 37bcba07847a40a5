"""CHAIR: object hallucination, the objects that captions name although they are not in the picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from data.study import DataError, Study, digest, of_study
from metrics.base import Family, Grain, Metric, Need, Stats, Undefined, by_item
from metrics.chunk import Chunk, Learns
from metrics.mathematics.arrays import Floats
from metrics.suite.mixins import OnTokens
from metrics.text.tokens import Tokenizer, Tokens, tokenize

FIELD = "objects"
"""The field of an item's metadata that lists its objects."""
IRREGULAR = {"man": "men", "woman": "women", "child": "children", "person": "people", "foot": "feet", "mouse": "mice"}


class Known(NamedTuple):
    """The object for each form of a name, the number of words in the longest name, and the objects of each item."""

    forms: Mapping[Tokens, str]
    longest: int
    present: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class _Chair(OnTokens, Metric):
    """The share of objects, or of captions, that are hallucinated."""

    synonyms: str = ""
    tokenizer: Tokenizer = "ptb"
    grain: ClassVar[Grain] = "item"
    family: ClassVar[Family] = "quality"
    higher_is_better: ClassVar[bool] = False
    pooled: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    no_test: ClassVar[str] = (
        "objects in people's captions count as present, so relabelled captions could never be wrong"
    )
    no_human: ClassVar[str] = "objects in people's captions count as present"
    source: ClassVar[str] = "Rohrbach et al. 2018, section 3, with the study's own objects, names and synonyms"
    cites: ClassVar[tuple[str, ...]] = ("rohrbach2018object",)
    needs_of_study: ClassVar[frozenset[Need]] = frozenset({"stated objects"})

    @property
    def parameters(self) -> str:
        return f"tok:{self.tokenizer}|synonyms:{_signature(self.synonyms)}|there:stated+references"

    @property
    def learns(self) -> Learns:
        return "objects"

    def lacks(self, study: Study) -> str:
        if _states_objects(study):
            return ""
        return f'no item states its objects: list them in the field `{FIELD}` of its metadata, ["dog", "bench"]'

    def prepare(self, study: Study) -> Known:
        objects = {item.id: stated(item.metadata) for item in study.items}
        groups = (
            read_synonyms(self.synonyms)
            if self.synonyms
            else [(name,) for name in sorted(set().union(*objects.values()))]
        )
        names = [name for group in groups for name in group]
        tokens = dict(zip(names, tokenize(names, self.tokenizer)))
        forms = {form: group[0] for group in groups for name in group for form in _numbers(tokens[name])}
        present = {id: frozenset(_named(found, forms, self.tokenizer)) for id, found in objects.items()}
        return Known(forms, max(map(len, forms), default=0), present)

    def counted(self, context: Known, chunk: Chunk, index: int) -> Floats:
        """(n, 2) numbers of hallucinated objects, and of all objects, that each candidate names."""
        own, people = chunk.sides(self.tokenizer, index)
        there = context.present.get(chunk.ids[index], frozenset()).union(*(set(mentions(t, context)) for t in people))
        said = [list(mentions(text, context)) for text in own]
        return np.array([[sum(one not in there for one in named), len(named)] for named in said], dtype=float)

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        def rows(index: int) -> Floats:
            if not chunk.sizes(index)[0]:
                raise Undefined("no captions of the run")
            if not context.present.get(chunk.ids[index]):
                raise Undefined("the item states no objects")
            if not (found := self.of_item(self.counted(context, chunk, index)))[1]:
                raise Undefined("no caption names an object")
            return found

        return by_item(chunk, self.grain, rows, columns=2)

    def of_item(self, counts: Floats) -> Floats:
        """(2,) numerator and denominator of the share, from the counts of an item's captions."""
        raise NotImplementedError

    def units(self, values: Floats) -> Floats:
        return self.finish(values)

    def totals(self, stats: Stats) -> Floats:
        return np.nan_to_num(stats.values)


@dataclass(frozen=True)
class ChairI(_Chair):
    """CHAIR_i: the share of the objects named in captions that are not in the picture."""

    name: ClassVar[str] = "chair_i"
    label: ClassVar[str] = "CHAIR_i"
    formula: ClassVar[str] = r"\frac{|\{\text{objects named that are not there}\}|}{|\{\text{objects named}\}|}"
    summary: ClassVar[str] = (
        "An object is present if `objects` in the item's metadata lists it or people's captions of the item name it. "
        "The names are those that any item lists, singular and plural, or those of the file `synonyms`: one line per "
        "object, its names separated by commas. Every mention counts; the value of a run pools all its captions."
    )

    def of_item(self, counts: Floats) -> Floats:
        return counts.sum(axis=0)


@dataclass(frozen=True)
class ChairS(_Chair):
    """CHAIR_s: the share of captions that name an object that is not in the picture."""

    name: ClassVar[str] = "chair_s"
    label: ClassVar[str] = "CHAIR_s"
    formula: ClassVar[str] = r"\frac{|\{\text{captions with an object that is not there}\}|}{|\{\text{captions}\}|}"
    summary: ClassVar[str] = "A caption without any object counts as correct. Objects and names are those of `chair_i`."

    def of_item(self, counts: Floats) -> Floats:
        return np.array([np.count_nonzero(counts[:, 0]), len(counts)], dtype=float)


def stated(metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return the objects listed in an item's metadata; empty unless the field is a list of names."""
    found = metadata.get(FIELD)
    return frozenset(one for one in found if isinstance(one, str)) if isinstance(found, list | tuple) else frozenset()


@of_study
def _states_objects(study: Study) -> bool:
    return any(stated(item.metadata) for item in study.items)


def mentions(text: Tokens, known: Known) -> Iterator[str]:
    """Yield the objects that a text names, from left to right; if names overlap, the longest counts."""
    words, at = tuple(word.lower() for word in text), 0
    while at < len(words):
        size = next((n for n in range(known.longest, 0, -1) if words[at : at + n] in known.forms), 0)
        if size:
            yield known.forms[words[at : at + size]]
        at += size or 1


def _named(objects: frozenset[str], forms: Mapping[Tokens, str], tokenizer: Tokenizer) -> Iterator[str]:
    """Yield the objects that names stand for; a name missing from the synonyms stands for itself."""
    names = sorted(objects)
    for name, tokens in zip(names, tokenize(names, tokenizer)):
        yield forms.get(tuple(word.lower() for word in tokens), name)


def _numbers(tokens: Tokens) -> Iterator[Tokens]:
    """Yield a name in lower case, as it is and with its last word in the plural."""
    *first, last = (word.lower() for word in tokens) if tokens else [""]
    yield (*first, last)
    yield (*first, IRREGULAR.get(last) or plural(last))


def plural(word: str) -> str:
    """Return the regular plural of an English word."""
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    if word.endswith(("lf", "af", "ife")):
        return f"{word.removesuffix('e')[:-1]}ves"
    return f"{word}s"


def missing(path: str) -> str | None:
    """Return why a file of synonyms cannot be used, with the remedy; None if it can be used."""
    try:
        read_synonyms(path)
    except DataError as why:
        return str(why)
    return None


def read_synonyms(path: str) -> Sequence[tuple[str, ...]]:
    """Return the names of each object, the first of which stands for the object.

    Raises DataError if the file cannot be read or has no names.
    """
    try:
        lines = Path(path).expanduser().read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as why:
        raise DataError(
            f"{path}: {why}. Name a text file with one line per object, its names separated by commas."
        ) from None
    groups = [tuple(name.strip() for name in line.split(",") if name.strip()) for line in lines]
    if not any(groups):
        raise DataError(f"{path}: no names. Write one line per object, its names separated by commas: dog, puppy.")
    return [group for group in groups if group]


@lru_cache(maxsize=8)
def _digest(path: str, changed: int) -> str:
    return digest([list(group) for group in read_synonyms(path)])[:12]


def _signature(path: str) -> str:
    return _digest(path, Path(path).expanduser().stat().st_mtime_ns) if path else "stated"

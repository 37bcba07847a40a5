"""The damaged captions of a study, and the material that transformations draw from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from data.study import Captions, Study
from metrics.analysis.robustness.design import Design, HeldOut
from metrics.cache.disk import Cache
from metrics.chunk import CHUNK, Chunk, chunks
from metrics.engine.scoring import REFERENCES
from metrics.mathematics.arrays import Floats
from metrics.needs import unmet
from metrics.progress import Hooks
from metrics.text.encoder import DEFAULT
from metrics.transformations import (
    Material,
    Transformation,
    TransformationFaulty,
    nouns,
    transformed,
    vocabulary,
)
from metrics.transformations.pathological import RandomCaption


@dataclass(frozen=True)
class Damaged:
    """Variants of every held-out caption or set: texts (items, variants) in the order of the design.

    `failures` has an entry for each transformation: why it failed, in which case captions are unchanged, or "".
    """

    texts: tuple[Captions, ...]
    failures: tuple[str, ...]


def damaged(study: Study, design: Design, chosen: Sequence[HeldOut], cache: Cache, hooks: Hooks) -> Damaged:
    """Return the damaged variants of the held-out captions. Raises Cancelled."""
    columns: list[list[str]] = [[" ".join(one.words) for one in chosen]]
    failures = []
    material = Source(study, chosen, cache, hooks)
    for one in design.transformations:
        try:
            found = _column(one, design, chosen, material, hooks)
            why = ""
        except TransformationFaulty as error:
            found, why = [columns[0]] * len(design.of(one)), str(error)
        columns += found
        failures.append(why)
    return Damaged(tuple(zip(*columns)), tuple(failures))


def _column(
    one: Transformation, design: Design, chosen: Sequence[HeldOut], material: Source, hooks: Hooks
) -> list[list[str]]:
    found: list[list[str]] = [[] for _ in design.of(one)]
    for k, held in enumerate(chosen):
        hooks.check()
        prepared = one.prepare(material.of(k, one))
        for column, strength in zip(found, design.of(one)):
            words = transformed(prepared, held.words, strength, held.rng(design, one, strength))
            column.append(" ".join(words))
    return found


class Source:
    """The material that the transformations draw from, computed on first use.

    "Other captions" are always captions of other items.
    """

    def __init__(self, study: Study, chosen: Sequence[HeldOut], cache: Cache, hooks: Hooks) -> None:
        every = [reference.split() for item in study.items for reference in item.references]
        self.vocabulary, self.nouns = vocabulary(every), nouns(every)
        self.words = [one.words for one in chosen]
        self.places = [one.place for one in chosen]
        self._vectors: Callable[[], Floats] = lambda: _vectors_of(study, self.places, cache, hooks)
        self._found: Floats | None = None

    def of(self, k: int, one: Transformation) -> Material:
        """Return the material for the k-th caption.

        It includes other captions, nearest first, only if the transformation may read them.
        """
        return Material(self._others(k) if reads_others(one) else (), self.vocabulary, self.nouns)

    def _others(self, k: int) -> tuple[tuple[str, ...], ...]:
        if self._found is None:
            if (why := unmet("encoder")) is not None:
                raise TransformationFaulty(f"other captions by nearness need the sentence encoder: {why}")
            self._found = self._vectors()
        near = np.argsort(-(self._found @ self._found[k]), kind="stable")
        return tuple(self.words[j] for j in near if self.places[j] != self.places[k])


def reads_others(one: Transformation) -> bool:
    """Return whether a transformation may read captions of other items, nearest first, which needs the encoder.

    RandomCaption reads them, and any plug-in that takes material may.
    """
    return isinstance(one, RandomCaption) or (bool(one.plugin) and hasattr(one.prepare(Material()), "material"))


def _vectors_of(study: Study, places: Sequence[int], cache: Cache, hooks: Hooks) -> Floats:
    """`item_vectors` of items at these positions: few are embedded alone, many in the chunks that scoring stores."""
    used = sorted(set(places))
    if 2 * len(used) >= len(study.items):
        return item_vectors(study, cache, hooks)[list(places)]
    row = {place: k for k, place in enumerate(used)}
    found = item_vectors(replace(study, items=tuple(study.items[k] for k in used)), cache, hooks)
    return found[[row[place] for place in places]]


def item_vectors(study: Study, cache: Cache, hooks: Hooks) -> Floats:
    """Return unit vectors (items, d): the mean embedding of each item's references, zeros without references."""
    parts = []
    for piece in chunks(study.items, REFERENCES, CHUNK):
        _, vectors = Chunk.of(piece, REFERENCES, cache, hooks).embedded_sides(DEFAULT)
        owner = np.repeat(np.arange(len(piece)), [len(item.references) for item in piece])
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        sums = np.zeros((len(piece), vectors.shape[1]))
        np.add.at(sums, owner, vectors / np.where(length > 0, length, 1.0))
        parts.append(sums)
    found = np.concatenate(parts)
    length = np.linalg.norm(found, axis=1, keepdims=True)
    return found / np.where(length > 0, length, 1.0)

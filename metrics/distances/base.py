"""Similarities of two texts and the distances derived from them: one pooled (N, N) matrix per item.

Rows are hypotheses, columns are references. A distance is `maximum - similarity`; texts that are equal after
tokenising have distance 0 by definition, because triangle ranks need d(x, x) = 0.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from data.study import Captions, Study
from metrics.base import Need, Undefined, Work, signed
from metrics.cache import array_checks
from metrics.cache.disk import Cache, array_texts, entry_key, text_array
from metrics.cache.entry import Arrays
from metrics.cache.memory import LruCache
from metrics.chunk import CHUNK, Chunk, Learns, StudyDigests, chunks, pooled_order, split
from metrics.mathematics.arrays import Floats, Labels

POOLED_LIMIT = 2_000
FACTS_KEPT = 8
_facts: LruCache[Any, Any] = LruCache(FACTS_KEPT)
_facts_lock = threading.Lock()


@dataclass(frozen=True)
class Distance(ABC):
    """A way to compare two texts, with its parameters."""

    version: ClassVar[int] = 1
    name: ClassVar[str]
    cites: ClassVar[tuple[str, ...]] = ()
    work: ClassVar[Work] = "words"
    maximum: ClassVar[float] = 1.0
    pooled_limit: ClassVar[int] = POOLED_LIMIT
    plugin: ClassVar[str] = ""  # as in `Metric`
    symmetric: ClassVar[bool] = False
    """Whether the distance between two texts is the same in both directions."""
    of_any_texts: ClassVar[bool] = True
    """Whether any two texts can be compared; if not, distances are known only for a study's sets of captions."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The distance's name in headings."""

    @property
    def needs(self) -> frozenset[Need]:
        """The requirements of the distance on the machine."""
        return tokenizer_needs(getattr(self, "tokenizer", ""))

    @property
    @abstractmethod
    def parameters(self) -> str:
        """The part of a signature that specifies this distance."""

    @property
    def learns(self) -> Learns:
        """The part of a study that `fit` reads."""
        return "nothing"

    @property
    def of_references(self) -> Distance:
        """The same distance with facts learned only from the references, so that all runs share it."""
        return self

    @property
    def of_all_alike(self) -> Distance:
        """The same distance with facts learned without knowing which texts are candidates, as tests require."""
        return self

    def fit(self, study: Study) -> Any:
        """Return the global facts that this distance learns from a study, usually None."""
        return None

    def prepare(self, study: Study) -> Any:
        """Return the result of `fit`, cached for metrics that share a distance.

        Raises ValueError for a study of several runs if the distance learns from all texts, which differ by run.
        """
        if self.learns == "nothing":
            return self.fit(study)
        with _facts_lock:
            key = (self, StudyDigests.of(study).texts if self.learns == "texts" else study.references_digest)
            if (facts := _facts.get(key)) is None:
                _facts.put(key, facts := self.fit(study))
            return facts

    @abstractmethod
    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(N, N) similarities of the pooled texts of one item."""

    def keys(self, chunk: Chunk, index: int) -> list[Any]:
        """Return keys that are equal for equal texts of an item: by default, the texts themselves."""
        return list(chunk.texts(index))

    def similarity(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """Return (N, N) similarities, computed once per chunk. Raises Undefined for items with too many texts."""
        self.refuse_large(chunk, index)
        return chunk.shared((self, index), lambda: self.pairs(context, chunk, index))

    def refuse_large(self, chunk: Chunk, index: int) -> None:
        """Raise Undefined if an item has too many texts for a matrix of all pairs."""
        size = sum(chunk.sizes(index))
        if size > self.pooled_limit:
            raise Undefined(
                f"{size:,} texts: too many for the matrix of all pairs by {self.label}, at most {self.pooled_limit:,}"
            )

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """Return (n, m) similarities of candidates and references. May raise Undefined, as `similarity` does."""
        n = chunk.sizes(index)[0]
        return self.similarity(context, chunk, index)[:n, n:]

    @property
    def holds_out(self) -> bool:
        """Whether a reference that is scored as if it were a run's caption is left out of what the distance learns."""
        return False

    def among_references(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """Return (m, m) similarities of each reference, as if it were a run's caption, to the other references.

        The diagonal is meaningless. Raises Undefined as `similarity` does.
        """
        n = chunk.sizes(index)[0]
        return self.similarity(context, chunk, index)[n:, n:]

    def distance(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """Return (N, N) distances; 0 for identical texts, never negative. Raises Undefined if the item has none."""
        found = self.all_distances(context, chunk)[index]
        if isinstance(found, str):
            raise Undefined(found)
        return found

    def all_distances(self, context: Any, chunk: Chunk) -> list[Floats | str]:
        """Return, for each item of a chunk, its (N, N) distances or the reason why it has none; all are cached."""
        return pooled(self, chunk, lambda index: self._distance(context, chunk, index))

    def _distance(self, context: Any, chunk: Chunk, index: int) -> Floats:
        similarity = self.similarity(context, chunk, index)
        if np.isnan(similarity).any():
            raise Undefined(f"{self.label} of some pair of captions could not be computed")
        far = np.maximum(self.maximum - similarity, 0.0)
        far[identical(self.keys(chunk, index))] = 0.0
        return far

    @property
    def name_with_order(self) -> str:
        """The name of the distance, including the n of BLEU-n."""
        return self.name

    @property
    def signature(self) -> str:
        """The identity of the distances in cache keys. Raise `version` when they change, to invalidate entries."""
        return signed(self.name_with_order, self, self.parameters)


def identical(keys: list[Any]) -> np.ndarray[Any, Any]:
    """(N, N) whether the texts of each pair are equal."""
    codes: dict[Any, int] = {}
    numbers = np.array([codes.setdefault(key, len(codes)) for key in keys])
    return np.equal.outer(numbers, numbers)


def tokenizer_needs(tokenizer: str) -> frozenset[Need]:
    """Return the requirements of a tokenizer: PTB tokens come from the Stanford tokenizer, which needs Java."""
    return frozenset({"java"}) if tokenizer == "ptb" else frozenset()


DECIMALS = 7


SCALE = 10**DECIMALS


@dataclass(frozen=True)
class ItemDistances:
    """The texts of one item in file order, candidates first, and their (N, N) distances."""

    candidates: Captions
    references: Captions
    matrix: Floats

    @property
    def texts(self) -> Captions:
        """Candidates, then references."""
        return (*self.candidates, *self.references)

    @property
    def is_candidate(self) -> Labels:
        """(N,) labels of the texts."""
        return np.arange(len(self.texts)) < len(self.candidates)


def pooled(space: Distance, chunk: Chunk, make: Callable[[int], Floats]) -> list[Floats | str]:
    """Return each item's (N, N) distances, or the reason why it has none; `make` computes those of one item.

    Distances are rounded to seven decimals, the precision of an embedding, so that equal pairs tie.
    """

    def encode() -> Arrays:
        codes: list[NDArray[np.int32]] = []
        reasons: list[str] = []
        for index in range(len(chunk)):
            chunk.hooks.check()
            try:
                codes.append(np.rint(make(index) * SCALE).astype(np.int32).ravel())
                reasons.append("")
            except Undefined as why:
                codes.append(np.empty(0, dtype=np.int32))
                reasons.append(str(why))
        sizes = np.array([len(code) for code in codes])
        return {"codes": np.concatenate(codes), "sizes": sizes, "reasons": text_array(reasons)}

    return chunk.shared(
        (space, "pooled"), lambda: chunk.artifact(pooled_key(space, chunk), encode, partial(_decoded, chunk))
    )


def item_distances(
    study: Study, run: str, position: int, space: Distance, cache: Cache, size: int = CHUNK
) -> ItemDistances:
    """Return the distances of one item, from the cache if scoring stored them, otherwise computed for this item only.

    Raises Undefined with the reason if the item has no distances.
    """
    of = study.run(run)
    piece = next(p for p in chunks(study.items, of, size) if study.items[position] in p)
    whole = StudyDigests.of(study, of)
    chunk = Chunk.of(piece, of, cache, whole=whole)
    found = cache.read(pooled_key(space, chunk), partial(_decoded, chunk))
    if found is not None:
        matrix = found[piece.index(study.items[position])]
    else:
        alone = Chunk.of((study.items[position],), of, cache, whole=whole)
        matrix = space.all_distances(space.prepare(study.only(runs=[run])), alone)[0]
    if isinstance(matrix, str):
        raise Undefined(matrix)
    candidates, references = of.candidates.get(study.items[position].id, ()), study.items[position].references
    place = np.argsort(pooled_order(candidates, references))
    return ItemDistances(candidates, references, matrix[np.ix_(place, place)])


def pooled_key(space: Distance, chunk: Chunk) -> str:
    """Return the cache key of the distances of a chunk."""
    return entry_key("pooled", space.signature, chunk.whole.key(space.learns), chunk.content)


def _decoded(chunk: Chunk, found: Arrays) -> list[Floats | str]:
    """Return each item's distances, or why they are missing. Raises ValueError or KeyError for other arrays."""
    sides = [sum(chunk.sizes(index)) for index in range(len(chunk))]
    reasons = array_texts(found["reasons"], len(sides))
    codes = array_checks.expect(found, {"codes": (None,)})["codes"]
    wanted = [0 if why else side**2 for why, side in zip(reasons, sides)]
    return [
        why or code.reshape(side, side) / SCALE
        for why, side, code in zip(
            reasons, sides, split(codes, array_checks.expect_sizes(found["sizes"], len(codes), wanted))
        )
    ]

"""The pooled distance matrices of a chunk: made once, kept on disk, read by triangle ranks and by the pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from data.study import Captions, Study
from metrics.arrays import Floats, Labels
from metrics.base import Undefined
from metrics.cache.disk import Cache, array_texts, entry_key, text_array
from metrics.cache.entry import Arrays
from metrics.chunk import Chunk, Whole, pooled_order, split
from metrics.cut import CHUNK, chunks
from metrics.engine import validation

if TYPE_CHECKING:
    from metrics.distances.base import Distance

DECIMALS = 7
SCALE = 10**DECIMALS


@dataclass(frozen=True)
class ItemDistances:
    """The texts of one item in the order of the files, candidates first, and their (N, N) distances."""

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
    """Per item its distance matrix, or why it has none; `make` computes the one of an item.

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
    """Distances of one item: from what scoring left in the cache, else computed for this item alone.

    Raises Undefined with the reason where they do not exist.
    """
    of = study.run(run)
    piece = next(p for p in chunks(study.items, of, size) if study.items[position] in p)
    whole = Whole.of(study, of)
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
    """Cache key of the distances of a chunk."""
    return entry_key("pooled", space.signature, chunk.whole.key(space.learns), chunk.content)


def _decoded(chunk: Chunk, found: Arrays) -> list[Floats | str]:
    """Per item its distances, or why there are none. Raises ValueError for arrays that are not of this chunk."""
    sides = [sum(chunk.sizes(index)) for index in range(len(chunk))]
    reasons = array_texts(found["reasons"], len(sides))
    codes = validation.expect(found, {"codes": (None,)})["codes"]
    wanted = [0 if why else side**2 for why, side in zip(reasons, sides)]
    return [
        why or code.reshape(side, side) / SCALE
        for why, side, code in zip(reasons, sides, split(codes, validation.cut(found["sizes"], len(codes), wanted)))
    ]

"""The pooled distance matrices of a chunk: made once, kept on disk, read by triangle ranks and by the pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from data.study import Captions, Study
from metrics.arrays import Floats, Labels
from metrics.base import Undefined
from metrics.cache import Cache, array_texts, entry_key, text_array
from metrics.chunk import Chunk, pooled_order, split
from metrics.cut import CHUNK, chunks

if TYPE_CHECKING:
    from metrics.distances import Distance

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

    def encode() -> dict[str, NDArray[Any]]:
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

    return chunk.shared((space, "pooled"), lambda: _decoded(chunk.artifact(pooled_key(space, chunk), encode)))


def item_distances(
    study: Study, run: str, position: int, space: Distance, cache: Cache, size: int = CHUNK
) -> ItemDistances:
    """Distances of one item: from what scoring left in the cache, else computed for this item alone.

    Raises Undefined with the reason where they do not exist.
    """
    of = study.run(run)
    piece = next(p for p in chunks(study.items, of, size) if study.items[position] in p)
    whole = Chunk.of(piece, of, cache, study=study.references_digest)
    found = cache.get(pooled_key(space, whole))
    if found is not None:
        matrix = _decoded(found)[piece.index(study.items[position])]
    else:
        alone = Chunk.of((study.items[position],), of, cache, study=study.references_digest)
        matrix = space.all_distances(space.prepare(study), alone)[0]
    if isinstance(matrix, str):
        raise Undefined(matrix)
    candidates, references = of.candidates.get(study.items[position].id, ()), study.items[position].references
    place = np.argsort(pooled_order(candidates, references))
    return ItemDistances(candidates, references, matrix[np.ix_(place, place)])


def pooled_key(space: Distance, chunk: Chunk) -> str:
    """Cache key of the distances of a chunk."""
    return entry_key("pooled", space.signature, chunk.study if space.uses_study else "", chunk.content)


def _decoded(found: dict[str, NDArray[Any]]) -> list[Floats | str]:
    codes, sizes = found["codes"], found["sizes"].tolist()
    reasons = array_texts(found["reasons"], len(sizes))
    return [why or _square(code) for why, code in zip(reasons, split(codes, sizes))]


def _square(code: NDArray[np.int32]) -> Floats:
    side = int(np.sqrt(len(code)))
    return code.reshape(side, side) / SCALE

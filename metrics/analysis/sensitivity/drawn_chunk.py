"""The sets drawn from a few items, as a chunk that reuses the tokens, embeddings and distances of all their texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from data.study import Captions, Item, Run, Settings, Study
from metrics.analysis.sensitivity import sets
from metrics.base import Undefined
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests, caption_order
from metrics.distances.base import Distance
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.text.tokens import Tokenizer, Tokens

T = TypeVar("T")


class Drawn(NamedTuple):
    """One item in one case: its position in its chunk, and the captions of both sides."""

    case: int
    item: int
    candidates: Captions
    references: Captions


def study_drawn_from(study: Study, made: sets.Design) -> Study:
    """Return the study of a design's items, with only the texts that some case draws."""
    of_run = max((case.candidates for case in made.of("run")), default=0)
    needed = [case.references + (case.candidates if case.row != "run" else 0) for case in made.cases]
    run, items, said = study.run(made.run), [], {}
    for place in sets.chosen_items(study, made).tolist():
        item = study.items[place]
        own = run.candidates.get(item.id, ())
        references = sets.first(item.references, made.seed, 0, max(needed, default=0))
        items.append(Item(item.id, references, cluster=item.cluster))
        said[item.id] = sets.first(own, made.seed, 1, of_run)
    runs = (Run(run.name, run.model, run.settings, said),)
    return Study(study.name, tuple(items), runs, tokenizer=study.tokenizer)


def most_texts(chunk: Chunk) -> int:
    """Return the largest number of texts of an item."""
    return max(sum(chunk.sizes(index)) for index in range(len(chunk)))


@dataclass
class DrawnChunk(Chunk):
    """A chunk in which every set is an item, filled from a chunk `source` of the items that the sets are drawn from.

    `origins` is the source item of each set; `facts` is what each distance has learned. `shared` takes the matrices
    of these distances from the source, unless the items of the source have too many texts for matrices.
    """

    source: Chunk = field(kw_only=True)
    origins: tuple[int, ...] = field(kw_only=True)
    facts: dict[Distance, Any] = field(default_factory=dict)

    @classmethod
    def of_sets(cls, source: Chunk, drawn: Sequence[Drawn], hooks: Hooks, whole: StudyDigests) -> DrawnChunk:
        """Return the chunk of these sets."""
        clusters = source.clusters or ("",) * len(source)
        items = tuple(Item(str(k), one.references, cluster=clusters[one.item]) for k, one in enumerate(drawn))
        run = Run("drawn", "drawn", Settings(), {item.id: one.candidates for item, one in zip(items, drawn)})
        plain = Chunk.of(items, run, Cache(None), hooks, whole)
        return cls(
            plain.candidates,
            plain.references,
            plain.cache,
            hooks,
            whole,
            tuple(tuple(caption_order(item.references)) for item in items),
            plain.ids,
            plain.run,
            clusters=plain.clusters,
            source=source,
            origins=tuple(one.item for one in drawn),
        )

    def tokens(self, tokenizer: Tokenizer, index: int) -> list[Tokens]:
        found = self.source.tokens(tokenizer, self.origins[index])
        return [found[k] for k in self._places(index)]

    def embeddings(self, encoder: str, index: int) -> Floats:
        return self.source.embeddings(encoder, self.origins[index])[self._places(index)]

    def shared(self, key: Any, make: Callable[[], T]) -> T:
        match key:
            case (Distance() as space, "pooled") if self._taken(space):
                return super().shared(key, lambda: self._distances(space) or make())  # type: ignore[return-value]
            case (Distance() as space, int() as index) if self._taken(space):
                return super().shared(key, lambda: self._similarity(space, index, make))  # type: ignore[arg-type, return-value]
        return super().shared(key, make)

    @cached_property
    def _largest(self) -> int:
        return most_texts(self.source)

    def _taken(self, space: Distance) -> bool:
        return space in self.facts and self._largest <= space.pooled_limit

    def _places(self, index: int) -> NDArray[np.int64]:
        def find() -> NDArray[np.int64]:
            texts = self.source.texts(self.origins[index])
            first = {text: k for k, text in reversed(list(enumerate(texts)))}
            return np.array([first[text] for text in self.texts(index)], dtype=np.int64)

        return super().shared(("places", index), find)

    def _distances(self, space: Distance) -> list[Floats | str] | None:
        every = space.all_distances(self.facts[space], self.source)
        found: list[Floats | str] = []
        for index, origin in enumerate(self.origins):
            matrix, places = every[origin], self._places(index)
            if isinstance(matrix, str):
                return None
            found.append(matrix[np.ix_(places, places)])
        return found

    def _similarity(self, space: Distance, index: int, make: Callable[[], Floats]) -> Floats:
        places = self._places(index)
        try:
            every = space.similarity(self.facts[space], self.source, self.origins[index])
        except Undefined:
            return make()
        return every[np.ix_(places, places)]

"""METEOR over the texts of a chunk: each selected pair is scored once, and the scores are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from data.study import digest
from metrics.base import Need, Work
from metrics.cache import array_checks
from metrics.cache.disk import entry_key
from metrics.cache.entry import Arrays
from metrics.chunk import Chunk, split
from metrics.distances.words import WordDistance
from metrics.mathematics.arrays import Floats

VERSION = 3
Route = Literal["compiled", "jar"]
Pairs = list[tuple[str, str]]
Pick = Callable[[list[str], int], Pairs]
"""A function that selects the pairs to score among an item's pooled texts, given the number of candidates."""


def best_statistics(chunk: Chunk, space: MeteorDistance) -> list[Floats]:
    """Return, for each item, the (n_candidates, k) statistics of each candidate with its best reference.

    They are NaN for an item without references. The jar would choose the same references: among equally good ones,
    the first in the file. This choice matters only for a candidate that shares nothing with any reference, and only
    for its contribution to the corpus value.
    """
    from metrics.text.meteor import score

    def make() -> list[Floats]:
        found = []
        for block in pair_statistics(chunk, space):
            n, m, columns = block.shape
            if m == 0:
                found.append(np.full((n, columns), np.nan))
                continue
            best = np.argmax(np.nan_to_num(score(block), nan=np.inf), axis=1)
            found.append(block[np.arange(n), best])
        return found

    return chunk.shared(("meteor best", space.texts), make)


def why_unscored(chunk: Chunk, space: MeteorDistance, index: int) -> str:
    """Return why some texts of an item have no METEOR score."""
    from metrics.text.meteor.pairs import LONGEST

    words = max(map(len, chunk.tokens(space.tokenizer, index)), default=0)
    long = f"one of these captions has {words:,} words, and METEOR is not computed above {LONGEST:,}"
    return long if words > LONGEST else "METEOR could not score one of these captions"


def pair_statistics(chunk: Chunk, space: MeteorDistance) -> list[Floats]:
    """Return, for each item, the (n_candidates, n_references, k) statistics of all pairs, references in file order."""

    def make() -> list[Floats]:
        parts = zip(_block(chunk, space), _sizes(chunk), chunk.reference_places)
        return [rows.reshape(n, m, rows.shape[-1])[:, np.argsort(places)] for rows, (n, m), places in parts]

    return chunk.shared(("meteor pairs", space.texts), make)


def pooled_scores(chunk: Chunk, space: MeteorDistance) -> list[Floats]:
    """Return, for each item, the (N, N) scores of all pooled pairs; 1 on the diagonal."""
    from metrics.text.meteor import score

    def make() -> list[Floats]:
        blocks = [score(rows) for rows in _block(chunk, space)]
        own, others = [m * (m - 1) for _, m in _sizes(chunk)], [n * (m + n - 1) for n, m in _sizes(chunk)]
        among_references = _scored(chunk, space, "references", chunk.references, _reference_pairs, own)
        rest = _scored(chunk, space, "rest", (chunk.candidates, chunk.references), _other_pairs, others)
        return [_assemble(*parts) for parts in zip(_sizes(chunk), blocks, among_references, rest)]

    return chunk.shared(("meteor pooled", space.texts), make)


def _sizes(chunk: Chunk) -> list[tuple[int, int]]:
    return [chunk.sizes(index) for index in range(len(chunk))]


def _assemble(sizes: tuple[int, int], block: Floats, references: Floats, rest: Floats) -> Floats:
    n, m = sizes
    pooled = np.eye(n + m)
    pooled[:n, n:] = block.reshape(n, m)
    pooled[n:, n:][~np.eye(m, dtype=bool)] = references
    pooled[n:, :n] = rest[: n * m].reshape(m, n)
    pooled[:n, :n][~np.eye(n, dtype=bool)] = rest[n * m :]
    return pooled


def _block(chunk: Chunk, space: MeteorDistance) -> list[Floats]:
    """Return, for each item, the (n * m, k) statistics of every candidate with every reference."""

    def stored() -> list[Floats]:
        key = entry_key("meteor", VERSION, "block", space.texts, chunk.content)
        counts = [n * m for n, m in _sizes(chunk)]
        return _stored(chunk, key, lambda: _computed(chunk, space, _block_pairs), counts)

    return chunk.shared(("meteor block", space.texts), stored)


def _block_pairs(texts: list[str], n: int) -> Pairs:
    return [(hypothesis, reference) for hypothesis in texts[:n] for reference in texts[n:]]


def _reference_pairs(texts: list[str], n: int) -> Pairs:
    own = texts[n:]
    return [(a, b) for i, a in enumerate(own) for j, b in enumerate(own) if i != j]


def _other_pairs(texts: list[str], n: int) -> Pairs:
    own = texts[:n]
    across = [(reference, candidate) for reference in texts[n:] for candidate in own]
    return across + [(a, b) for i, a in enumerate(own) for j, b in enumerate(own) if i != j]


def _scored(
    chunk: Chunk, space: MeteorDistance, part: str, content: Any, pairs: Pick, counts: Sequence[int]
) -> list[Floats]:
    from metrics.text.meteor import score

    def make() -> list[Floats]:
        return [score(rows).reshape(-1, 1) for rows in _computed(chunk, space, pairs)]

    key = entry_key("meteor", VERSION, part, space.texts, digest(content))
    return [rows[:, 0] for rows in _stored(chunk, key, make, counts)]


def _stored(chunk: Chunk, key: str, make: Callable[[], list[Floats]], counts: Sequence[int]) -> list[Floats]:
    def arrays() -> Arrays:
        parts = make()
        return {"rows": np.concatenate(parts), "sizes": np.array([len(part) for part in parts], dtype=np.int64)}

    def of(found: Arrays) -> list[Floats]:
        rows = array_checks.expect(found, {"rows": (None, None)})["rows"]
        return split(rows, array_checks.expect_sizes(found["sizes"], len(rows), counts))

    return chunk.artifact(key, arrays, of)


def _computed(chunk: Chunk, space: MeteorDistance, pairs: Pick) -> list[Floats]:
    from metrics.text.meteor import statistics

    def say(done: int, of: int) -> None:
        chunk.hooks.progress(f"METEOR, {done:,} of {of:,} pairs")

    wanted = [
        pairs([" ".join(tokens) for tokens in chunk.tokens(space.tokenizer, index)], n)
        for index, (n, _) in enumerate(_sizes(chunk))
    ]
    flat = [pair for item in wanted for pair in item]
    rows = statistics(flat, progress=say, should_stop=chunk.hooks.should_stop, route=space.route)
    return split(np.asarray(rows, dtype=float), [len(item) for item in wanted])


@dataclass(frozen=True)
class MeteorDistance(WordDistance):
    """1 - METEOR 1.5, with the options `-l en -norm`, of one hypothesis against one reference.

    `route` selects the implementation: compiled code, or the jar of the COCO evaluation. The results are equal.
    """

    route: Route = "compiled"
    name: ClassVar[str] = "meteor"
    cites: ClassVar[tuple[str, ...]] = ("denkowski2014meteor",)
    label: ClassVar[str] = "METEOR"
    work: ClassVar[Work] = "meteor"
    pooled_limit: ClassVar[int] = 200

    @property
    def needs(self) -> frozenset[Need]:
        return super().needs | {"meteor" if self.route == "compiled" else "java"}

    @property
    def parameters(self) -> str:
        return f"meteor:1.5-en-norm|tok:{self.tokenizer}" + self._other_route("|route:")

    @property
    def texts(self) -> str:
        """The part of cache keys that identifies how texts are read and compared."""
        return self.tokenizer + self._other_route("|")

    def _other_route(self, before: str) -> str:
        return "" if self.route == "compiled" else before + self.route

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return pooled_scores(chunk, self)[index]

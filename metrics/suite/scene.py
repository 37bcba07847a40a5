"""Scene F: agreement of a caption with the references on objects, attributes and relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from data.study import Captions
from metrics.base import Need, Undefined, Work
from metrics.cache.array_checks import Unfit
from metrics.cache.disk import array_texts, entry_key, text_array
from metrics.cache.entry import Arrays
from metrics.chunk import MAX_POOLED, Chunk, split
from metrics.mathematics.arrays import Floats
from metrics.suite.quality import Quality
from metrics.text.scene import SIGNATURE, SceneTuple, matched, same_tuple, scene_tuples

if TYPE_CHECKING:
    from metrics.permutation.item_test import PermutationResult
    from metrics.permutation.unions import Unions

Part = Literal["f1", "precision", "recall"]
Tuples = frozenset[SceneTuple]


@dataclass(frozen=True)
class SceneF(Quality):
    """Scene F: F-score of the objects, attributes and relations that a caption shares with all its references."""

    part: Part = "f1"
    name: ClassVar[str] = "scene_f"
    no_human: ClassVar[str] = (
        "each reference would be scored against one reference fewer than runs, and recall depends on their number"
    )
    work: ClassVar[Work] = "encoder"
    source: ClassVar[str] = (
        "after Anderson et al. 2016 (SPICE), sections 3.1 and 3.2; another parser and other rules, so it is not SPICE"
    )
    cites: ClassVar[tuple[str, ...]] = ("anderson2016spice",)
    formula: ClassVar[str] = (
        r"\frac{2PR}{P+R},\; P=\frac{|\{t\in T(c): t\sim T(R)\}|}{|T(c)|},"
        r"\; R=\frac{|\{t\in T(R): t\sim T(c)\}|}{|T(R)|},\; T(R)=\bigcup_j T(r_j)"
    )
    summary: ClassVar[str] = (
        "Does a caption state the things, properties and relations that people state, whatever the wording? T are "
        "the tuples that rules read off spaCy's dependency tree, t ~ T means that some tuple of T equals t up to "
        "synonyms. `part` is f1, precision or recall; recall falls with every reference that says something new. The "
        "test relabels captions, and forms the union anew from those that are then references."
    )

    @property
    def label(self) -> str:
        return "Scene F" if self.part == "f1" else f"Scene F {self.part}"

    @property
    def parameters(self) -> str:
        return f"{self.part}|parser:{SIGNATURE}|synonyms:meteor-1.5|refs:union"

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"meteor", "scene parser"})

    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        own, people = _tuples(chunk, "candidates")[index], _tuples(chunk, "references")[index]
        union = frozenset[SceneTuple]().union(*people)
        if not union:
            raise Undefined("no caption by people names an object")
        return np.array([self._score(said, union) for said in own]).reshape(-1, 1)

    def test(self, context: Any, chunk: Chunk, index: int, budget: int, seed: int) -> PermutationResult:
        from metrics.permutation.item_test import permutation_test

        return permutation_test("unions", self.unions(chunk, index), chunk.is_candidate(index), budget, seed, "less")

    def unions(self, chunk: Chunk, index: int) -> Unions:
        """Return the facts that an item's texts state, candidates first. Raises Undefined for too many facts."""
        return _unions([*_tuples(chunk, "candidates")[index], *_tuples(chunk, "references")[index]], self.part)

    def among_references(self, chunk: Chunk, index: int, row: int, others: NDArray[np.int64]) -> float:
        """Return the score of a reference against some of the other references.

        Raises Undefined if these state no fact.
        """
        people = _tuples(chunk, "references")[index]
        union = frozenset[SceneTuple]().union(*(people[other] for other in others))
        if not union:
            raise Undefined("no caption by people names an object")
        return self._score(people[row], union)

    def _score(self, said: Tuples, union: Tuples) -> float:
        if not said:
            return 0.0
        precision, recall = matched(said, union) / len(said), matched(union, said) / len(union)
        if self.part != "f1":
            return precision if self.part == "precision" else recall
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _unions(texts: Sequence[Tuples], part: Part) -> Unions:
    """Return the facts that the texts of an item state, for its test. Raises Undefined if they take too much memory."""
    from metrics.permutation.unions import Unions

    facts = sorted(frozenset[SceneTuple]().union(*texts))
    if len(facts) * max(len(facts), len(texts)) > MAX_POOLED:
        raise Undefined(f"the test would compare {len(facts):,} tuples of {len(texts):,} captions at once")
    same = np.array([[same_tuple(one, other) for other in facts] for one in facts], dtype=bool)
    has = np.array([[fact in said for fact in facts] for said in texts], dtype=bool)
    return Unions(has.reshape(len(texts), len(facts)), same.reshape(len(facts), len(facts)), part)


def _tuples(chunk: Chunk, side: Literal["candidates", "references"]) -> list[list[Tuples]]:
    def say(done: int, of: int) -> None:
        chunk.hooks.progress(f"parsing captions, {done:,} of {of:,}")

    def make() -> list[list[Tuples]]:
        texts: tuple[Captions, ...] = getattr(chunk, side)
        flat = [text for captions in texts for text in captions]

        def parse() -> Arrays:
            return stored(scene_tuples(flat, say, chunk.hooks.should_stop))

        key = entry_key("parses", SIGNATURE, flat)
        found = chunk.artifact(key, parse, lambda kept: of_arrays(kept, len(flat)))
        return split(found, [len(captions) for captions in texts])

    return chunk.shared(("scene tuples", side), make)


def stored(tuples: Sequence[Tuples]) -> Arrays:
    """Return tuples as one array: words separated by tabs, tuples by line feeds, and captions as in `text_array`."""
    return {"tuples": text_array(["\n".join(sorted("\t".join(one) for one in said)) for said in tuples])}


def of_arrays(kept: Arrays, count: int) -> list[Tuples]:
    """Return the tuples of `count` captions, the inverse of `stored`. Raises Unfit for anything else."""
    if kept["tuples"].ndim != 1:
        raise Unfit("tuples are one row of bytes")
    texts = array_texts(kept["tuples"], count)
    said = [frozenset(tuple(line.split("\t")) for line in text.split("\n") if line) for text in texts]
    if not all(0 < len(one) <= 3 and all(one) for tuples in said for one in tuples):
        raise Unfit("a tuple has one to three words")
    return said

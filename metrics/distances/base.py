"""Similarities of two texts and the distances made of them: one pooled (N, N) matrix an item.

Row = hypothesis, column = reference. A distance is `maximum - similarity`; texts that are equal after tokenising have
distance 0 by definition, because triangle ranks need d(x, x) = 0.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from data.study import Study
from metrics.arrays import Floats
from metrics.base import Learns, Need, Range, Undefined, Work, signed
from metrics.chunk import Chunk, Whole
from metrics.distances.pooled import pooled
from metrics.text.cider import DocumentFrequencies
from metrics.text.tokens import Tokenizer

Source = Literal["study", "pooled"]
"""Where words are counted: in all references, as the COCO evaluation does; or in these and in all that the run says."""
Idf = Source | DocumentFrequencies
POOLED_LIMIT = 2_000
FACTS_KEPT = 8
_facts: dict[Any, Any] = {}
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
    plugin: ClassVar[str] = ""  # as that of a metric

    @property
    @abstractmethod
    def label(self) -> str:
        """What a heading calls it."""

    @property
    def needs(self) -> frozenset[Need]:
        """What the machine must have."""
        return tokenizer_needs(getattr(self, "tokenizer", ""))

    @property
    @abstractmethod
    def parameters(self) -> str:
        """The part of a signature that stands for this distance."""

    @property
    def learns(self) -> Learns:
        """What of a study `fit` reads."""
        return "nothing"

    @property
    def of_references(self) -> Distance:
        """The same distance with what it learns taken from the references alone, so that all runs share it."""
        return self

    @property
    def of_all_alike(self) -> Distance:
        """The same distance with what it learns knowing nothing of who said what, as a test needs it."""
        return self

    def fit(self, study: Study) -> Any:
        """Global facts of the study; None for most."""
        return None

    def prepare(self, study: Study) -> Any:
        """`fit`, remembered: many metrics share one distance. ValueError for several runs where each has its own."""
        if self.learns == "nothing":
            return self.fit(study)
        with _facts_lock:
            key = (self, Whole.of(study).texts if self.learns == "texts" else study.references_digest)
            if key not in _facts:
                while len(_facts) >= FACTS_KEPT:
                    _facts.pop(next(iter(_facts)))
                _facts[key] = self.fit(study)
            return _facts[key]

    @abstractmethod
    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(N, N) similarities of the pooled texts of one item."""

    @abstractmethod
    def keys(self, chunk: Chunk, index: int) -> list[Any]:
        """What makes two texts of an item identical: their tokens, or their text."""

    def similarity(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(N, N) similarities, made once a chunk. Undefined for items of too many texts."""
        self.refuse_large(chunk, index)
        return chunk.shared((self, index), lambda: self.pairs(context, chunk, index))

    def refuse_large(self, chunk: Chunk, index: int) -> None:
        """Raise Undefined for an item of more texts than the matrix of all pairs is made for."""
        if (size := sum(chunk.sizes(index))) > self.pooled_limit:
            raise Undefined(
                f"{size:,} texts: the matrix of all pairs by {self.label} is not made above {self.pooled_limit:,} texts"
            )

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(n, m) similarities of candidates and references alone: any number of texts."""
        n = chunk.sizes(index)[0]
        return self.similarity(context, chunk, index)[:n, n:]

    def distance(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(N, N) distances; 0 for identical texts, never negative. Raises Undefined with the reason."""
        found = self.all_distances(context, chunk)[index]
        if isinstance(found, str):
            raise Undefined(found)
        return found

    def all_distances(self, context: Any, chunk: Chunk) -> list[Floats | str]:
        """The distances of every item of a chunk, or why an item has none; kept in the cache."""
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
        """Name of the distance, with the n of BLEU-n."""
        return self.name

    @property
    def signature(self) -> str:
        """Determines the distances: raise `version` when they change, and no entry of a cache is believed any more."""
        return signed(self.name_with_order, self, self.parameters)


def identical(keys: list[Any]) -> np.ndarray[Any, Any]:
    """(N, N) True where two texts are equal."""
    codes: dict[Any, int] = {}
    numbers = np.array([codes.setdefault(key, len(codes)) for key in keys])
    return np.equal.outer(numbers, numbers)


def tokenizer_needs(tokenizer: str) -> frozenset[Need]:
    """PTB tokens come from the Stanford tokenizer, which is Java."""
    return frozenset({"java"}) if tokenizer == "ptb" else frozenset()


@dataclass(frozen=True)
class WordDistance(Distance):
    """Distances of word sequences."""

    tokenizer: Tokenizer = "ptb"

    @property
    def parameters(self) -> str:
        return f"tok:{self.tokenizer}"

    def keys(self, chunk: Chunk, index: int) -> list[Any]:
        return list(chunk.tokens(self.tokenizer, index))

    def learned(self, study: Study) -> list[list[tuple[str, ...]]]:
        """Tokens by item of all texts that facts are made from."""
        from metrics.chunk import split
        from metrics.text.tokens import tokenize

        said = [run.candidates for run in study.runs] if self.learns == "texts" else []
        items = [[*i.references, *(t for run in said for t in run.get(i.id, ()))] for i in study.items]
        return split(tokenize([text for texts in items for text in texts], self.tokenizer), [len(i) for i in items])


@dataclass(frozen=True)
class BleuDistance(WordDistance):
    """1 - sentence BLEU of one hypothesis against one reference, unsmoothed as the COCO evaluation has it."""

    n: Annotated[int, Range(1, 4)] = 4
    name: ClassVar[str] = "bleu"
    cites: ClassVar[tuple[str, ...]] = ("papineni2002bleu",)

    @property
    def label(self) -> str:
        return f"BLEU-{self.n}"

    @property
    def name_with_order(self) -> str:
        return f"bleu_{self.n}"

    @property
    def parameters(self) -> str:
        return f"smooth:none|tok:{self.tokenizer}"

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.bleu import bleu_pairs

        return bleu_pairs(chunk.tokens(self.tokenizer, index), self.n)


@dataclass(frozen=True)
class RougeLDistance(WordDistance):
    """1 - ROUGE-L F of one hypothesis against one reference, beta 1.2."""

    name: ClassVar[str] = "rouge_l"
    cites: ClassVar[tuple[str, ...]] = ("lin2004rouge",)
    label: ClassVar[str] = "ROUGE-L"

    @property
    def parameters(self) -> str:
        return f"beta:1.2|tok:{self.tokenizer}"

    def precision_recall(self, chunk: Chunk, index: int) -> Floats:
        """(2, N, N) precision and recall of the longest common subsequence."""
        from metrics.text.rouge import rouge_l_pairs

        self.refuse_large(chunk, index)
        return chunk.shared((self, index, "pr"), lambda: rouge_l_pairs(chunk.tokens(self.tokenizer, index)))

    def block_precision_recall(self, chunk: Chunk, index: int) -> Floats:
        """(2, n, m) precision and recall of candidates against references alone."""
        from metrics.text.rouge import rouge_l_block

        return rouge_l_block(*chunk.sides(self.tokenizer, index))

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.rouge import f_score

        precision, recall = self.precision_recall(chunk, index)
        return f_score(precision, recall)


@dataclass(frozen=True)
class CiderDDistance(WordDistance):
    """10 - CIDEr-D, with document frequencies from the references, from all texts, or from elsewhere."""

    idf: Idf = "study"
    name: ClassVar[str] = "cider_d"
    cites: ClassVar[tuple[str, ...]] = ("vedantam2015cider",)
    label: ClassVar[str] = "CIDEr-D"
    maximum: ClassVar[float] = 10.0

    @property
    def parameters(self) -> str:
        idf = self.idf if isinstance(self.idf, str) else self.idf.digest[:12]
        return f"idf:{idf}|n:4|sigma:6|tok:{self.tokenizer}"

    @property
    def learns(self) -> Learns:
        if isinstance(self.idf, str):
            return "references" if self.idf == "study" else "texts"
        return "nothing"

    @property
    def of_references(self) -> CiderDDistance:
        return replace(self, idf="study") if self.idf == "pooled" else self

    @property
    def of_all_alike(self) -> CiderDDistance:
        return replace(self, idf="pooled") if self.idf == "study" else self

    def fit(self, study: Study) -> Any:
        return DocumentFrequencies.fit(self.learned(study)) if isinstance(self.idf, str) else self.idf

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.cider import cider_d_pairs

        _require_frequencies(context)
        return cider_d_pairs(chunk.tokens(self.tokenizer, index), context)

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.cider import cider_d_block

        _require_frequencies(context)
        return cider_d_block(*chunk.sides(self.tokenizer, index), context)


def _require_frequencies(context: Any) -> None:
    if context.undefined:
        raise Undefined(context.undefined)


@dataclass(frozen=True)
class BowDistance(WordDistance):
    """Cosine distance of bags of words: the 5,000 most frequent of all texts or of the references (Chan, B.1)."""

    vocabulary: Source = "pooled"
    name: ClassVar[str] = "bow"
    label: ClassVar[str] = "bag of words"

    @property
    def parameters(self) -> str:
        return f"words:5000-{self.vocabulary}|tok:{self.tokenizer}"

    @property
    def learns(self) -> Learns:
        return "references" if self.vocabulary == "study" else "texts"

    @property
    def of_references(self) -> BowDistance:
        return replace(self, vocabulary="study")

    @property
    def of_all_alike(self) -> BowDistance:
        return replace(self, vocabulary="pooled")

    def fit(self, study: Study) -> Any:
        from metrics.text.bag_of_words import BagOfWords

        return BagOfWords.fit(self.learned(study))

    def vectors(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(N, d) counts over the words that occur in the item."""
        return context.vectors(chunk.tokens(self.tokenizer, index))

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.bag_of_words import bow_distances

        return 1.0 - bow_distances(self.vectors(context, chunk, index))


@dataclass(frozen=True)
class BertDistance(Distance):
    """Cosine distance of sentence embeddings."""

    encoder: str = "all-MiniLM-L6-v2"
    name: ClassVar[str] = "bert"
    cites: ClassVar[tuple[str, ...]] = ("reimers2019sentence",)
    work: ClassVar[Work] = "encoder"

    @property
    def label(self) -> str:
        from metrics.text.encoder import encoder_label

        return encoder_label(self.encoder)

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"encoder"})

    @property
    def parameters(self) -> str:
        from metrics.text.encoder import encoder_signature

        return f"enc:{encoder_signature(self.encoder)}"

    def keys(self, chunk: Chunk, index: int) -> list[Any]:
        return [*chunk.candidates[index], *chunk.references[index]]

    def vectors(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(N, d) embeddings."""
        return chunk.embeddings(self.encoder, index)

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return cosine(self.vectors(context, chunk, index))

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        vectors, n = _unit(self.vectors(context, chunk, index)), chunk.sizes(index)[0]
        return np.clip(vectors[:n] @ vectors[n:].T, -1.0, 1.0)


@dataclass(frozen=True)
class MeteorDistance(WordDistance):
    """1 - METEOR 1.5, `-l en -norm`, one pooled pair against one reference."""

    name: ClassVar[str] = "meteor"
    cites: ClassVar[tuple[str, ...]] = ("denkowski2014meteor",)
    label: ClassVar[str] = "METEOR"
    work: ClassVar[Work] = "meteor"
    pooled_limit: ClassVar[int] = 200

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"java"})

    @property
    def parameters(self) -> str:
        return f"meteor:1.5-en-norm|tok:{self.tokenizer}"

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.distances.meteor import pooled_scores

        return pooled_scores(chunk, self.tokenizer)[index]


def cosine(vectors: Floats) -> Floats:
    """(N, N) cosine similarity; rows without length are similar to nothing but themselves."""
    unit = _unit(vectors)
    return np.clip(unit @ unit.T, -1.0, 1.0)


def _unit(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)

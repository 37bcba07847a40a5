"""Distances between texts of several sentences: another distance matches each with the other text's best sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from data.study import Captions, Study
from metrics.base import Need, Undefined, Work
from metrics.chunk import Chunk, Learns
from metrics.distances.base import Distance
from metrics.distances.embeddings import BertDistance
from metrics.mathematics.arrays import Floats
from metrics.text.sentences import RULE, sentences

Part = Literal["f1", "precision", "recall"]
Rows = Sequence[NDArray[np.int64]]
"""For each text, the rows of its sentences in a matrix, in order and with repetitions."""


@dataclass(frozen=True)
class SentenceDistance(Distance):
    """Maximum - F1, precision or recall of sentences, each matched with the other text's most similar sentence.

    Precision is the mean over the sentences of the hypothesis, recall over those of the reference. A similarity below 0
    counts as 0, and a text without sentences has similarity 0 to all other texts.
    """

    of: Distance = BertDistance()
    part: Part = "f1"
    name: ClassVar[str] = "sentences"

    @property
    def name_with_order(self) -> str:
        return f"{self.name}_{self.of.name_with_order}"

    @property
    def label(self) -> str:
        return f"Sentences by {self.of.label}{'' if self.part == 'f1' else f' {self.part}'}"

    @property
    def parameters(self) -> str:
        return f"{self.part}|sentences:{RULE}|of:{self.of.signature}"

    @property
    def cites(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.of.cites

    @property
    def work(self) -> Work:  # type: ignore[override]
        return self.of.work

    @property
    def maximum(self) -> float:  # type: ignore[override]
        return self.of.maximum

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return self.of.symmetric and self.part == "f1"

    @property
    def needs(self) -> frozenset[Need]:
        return self.of.needs

    @property
    def learns(self) -> Learns:
        return self.of.learns

    @property
    def of_references(self) -> SentenceDistance:
        return replace(self, of=self.of.of_references)

    @property
    def of_all_alike(self) -> SentenceDistance:
        return replace(self, of=self.of.of_all_alike)

    def prepare(self, study: Study) -> Any:
        return self.of.prepare(study)

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        apart = of_sentences(chunk)
        own, people = self._rows(chunk, apart, index)
        rows = [*own, *(apart.sizes(index)[0] + k for k in people)]
        return self._matched(self.of.similarity(context, apart, index), rows, rows)

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        apart = of_sentences(chunk)
        return self._matched(self.of.block(context, apart, index), *self._rows(chunk, apart, index))

    def _rows(self, chunk: Chunk, apart: Chunk, index: int) -> tuple[Rows, Rows]:
        return (
            _places(chunk.candidates[index], apart.candidates[index]),
            _places(chunk.references[index], apart.references[index]),
        )

    def _matched(self, similar: Floats, hypotheses: Rows, references: Rows) -> Floats:
        from metrics.text.rouge import f_score

        if np.isnan(similar).any():
            raise Undefined(f"{self.of.label} of some pair of sentences could not be computed")
        positive = np.maximum(similar, 0.0)
        precision, recall = covered(positive, hypotheses, references), covered(positive.T, references, hypotheses).T
        return {"precision": precision, "recall": recall}.get(self.part, f_score(precision, recall, beta=1.0))


def of_sentences(chunk: Chunk) -> Chunk:
    """Return a chunk whose texts are the distinct sentences of each side of each item."""

    def parted(side: tuple[Captions, ...]) -> tuple[Captions, ...]:
        return tuple(tuple(sorted({one for text in texts for one in sentences(text)})) for texts in side)

    def make() -> Chunk:
        own, people = parted(chunk.candidates), parted(chunk.references)
        return replace(chunk, candidates=own, references=people, reference_places=(), pieces=(), known=None, _shared={})

    return chunk.shared("sentences", make)


def _places(texts: Captions, among: Captions) -> Rows:
    place = {sentence: k for k, sentence in enumerate(among)}
    return [np.array([place[one] for one in sentences(text)], dtype=np.int64) for text in texts]


def covered(similar: Floats, texts: Rows, others: Rows) -> Floats:
    """(texts, others) mean over a text's sentences of the similarity to the other text's most similar sentence.

    `similar` is (sentences, sentences), with a row per sentence of the texts and a column per sentence of the other
    texts. The mean is 0 if either text has no sentences.
    """
    found = np.zeros((len(texts), len(others)))
    left, right = ([k for k, rows in enumerate(side) if len(rows)] for side in (texts, others))
    if not left or not right:
        return found
    lengths = np.array([len(texts[k]) for k in left])
    best = np.maximum.reduceat(similar[:, np.concatenate([others[k] for k in right])], _starts(others, right), axis=1)
    sums = np.add.reduceat(best[np.concatenate([texts[k] for k in left])], _starts(texts, left), axis=0)
    found[np.ix_(left, right)] = sums / lengths[:, None]
    return found


def _starts(texts: Rows, kept: Sequence[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *(len(texts[k]) for k in kept[:-1])])

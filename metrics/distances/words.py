"""Distances of word sequences: BLEU, ROUGE-L, CIDEr-D and bags of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from data.study import Study
from metrics.base import Range, Undefined
from metrics.chunk import Chunk, Learns
from metrics.distances.base import Distance
from metrics.mathematics.arrays import Floats
from metrics.text.cider import DocumentFrequencies, Weighed
from metrics.text.tokens import Tokenizer

Source = Literal["study", "pooled"]
"""The texts in which words are counted: all references, as in the COCO evaluation, or also all captions of the run."""


Idf = Source | DocumentFrequencies
"""The texts in which document frequencies are counted, or frequencies that were counted elsewhere."""


@dataclass(frozen=True)
class WordDistance(Distance):
    """A distance between word sequences."""

    tokenizer: Tokenizer = "ptb"
    constants: ClassVar[str] = ""
    """Fixed rules that come before the parameters in the signature, such as `beta:1.2|`."""

    @property
    def parameters(self) -> str:
        return f"{self.constants}tok:{self.tokenizer}"

    def keys(self, chunk: Chunk, index: int) -> list[Any]:
        return list(chunk.tokens(self.tokenizer, index))

    def learned(self, study: Study) -> list[list[tuple[str, ...]]]:
        """Return, by item, the tokens of all texts from which facts are computed."""
        from metrics.chunk import split
        from metrics.text.tokens import tokenize

        said = [run.candidates for run in study.runs] if self.learns == "texts" else []
        items = [[*i.references, *(t for run in said for t in run.get(i.id, ()))] for i in study.items]
        return split(tokenize([text for texts in items for text in texts], self.tokenizer), [len(i) for i in items])


@dataclass(frozen=True)
class BleuDistance(WordDistance):
    """1 - sentence BLEU of one hypothesis against one reference, unsmoothed, as in the COCO evaluation."""

    n: Annotated[int, Range(1, 4)] = 4
    name: ClassVar[str] = "bleu"
    constants: ClassVar[str] = "smooth:none|"
    cites: ClassVar[tuple[str, ...]] = ("papineni2002bleu",)

    @property
    def label(self) -> str:
        return f"BLEU-{self.n}"

    @property
    def name_with_order(self) -> str:
        return f"bleu_{self.n}"

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.bleu import bleu_pairs

        return bleu_pairs(chunk.tokens(self.tokenizer, index), self.n)


@dataclass(frozen=True)
class RougeLDistance(WordDistance):
    """1 - ROUGE-L F-score, with beta 1.2, of one hypothesis against one reference."""

    name: ClassVar[str] = "rouge_l"
    constants: ClassVar[str] = "beta:1.2|"
    cites: ClassVar[tuple[str, ...]] = ("lin2004rouge",)
    label: ClassVar[str] = "ROUGE-L"

    def precision_recall(self, chunk: Chunk, index: int) -> Floats:
        """(2, N, N) precision and recall of the longest common subsequence."""
        from metrics.text.rouge import rouge_l_pairs

        self.refuse_large(chunk, index)
        return chunk.shared((self, index, "pr"), lambda: rouge_l_pairs(chunk.tokens(self.tokenizer, index)))

    def block_precision_recall(self, chunk: Chunk, index: int) -> Floats:
        """(2, n, m) precision and recall of candidates against references only."""
        from metrics.text.rouge import rouge_l_block

        return rouge_l_block(*chunk.sides(self.tokenizer, index))

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.rouge import f_score

        precision, recall = self.precision_recall(chunk, index)
        return f_score(precision, recall)

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.rouge import f_score

        return f_score(*self.block_precision_recall(chunk, index))


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

    @property
    def holds_out(self) -> bool:
        return self.learns == "references"

    def among_references(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.cider import cider_d_held_out

        if not self.holds_out:
            return super().among_references(context, chunk, index)
        _require_frequencies(context)
        self.refuse_large(chunk, index)
        references = chunk.sides(self.tokenizer, index)[1]
        return chunk.shared((self, index, "held out"), lambda: cider_d_held_out(references, context))

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.cider import cider_d_block

        _require_frequencies(context)
        if self.learns == "texts":
            return cider_d_block(*chunk.sides(self.tokenizer, index), context)

        def weighed(texts: Sequence[Sequence[str]]) -> Weighed:
            return chunk.text_set.once((context, *texts), lambda: context.weighed(texts))

        return cider_d_block(*chunk.sides(self.tokenizer, index), context, weighed=weighed)


def _require_frequencies(context: Any) -> None:
    if not context.vocabulary:
        raise Undefined("no references to count n-grams in: give document frequencies, or set idf=pooled")
    if context.undefined:
        raise Undefined(context.undefined)


@dataclass(frozen=True)
class BowDistance(WordDistance):
    """Cosine distance of bags of all words, or of the 5,000 commonest in all texts (Chan, B.1) or in all references."""

    vocabulary: Literal["study", "pooled", "all"] = "pooled"
    name: ClassVar[str] = "bow"
    symmetric: ClassVar[bool] = True
    label: ClassVar[str] = "bag of words"

    @property
    def parameters(self) -> str:
        return f"words:{'all' if self.vocabulary == 'all' else f'5000-{self.vocabulary}'}|tok:{self.tokenizer}"

    @property
    def learns(self) -> Learns:
        learned: dict[str, Learns] = {"study": "references", "pooled": "texts", "all": "nothing"}
        return learned[self.vocabulary]

    @property
    def of_references(self) -> BowDistance:
        """The distance over all words: with only the references' vocabulary, other captions would seem too close."""
        return replace(self, vocabulary="all")

    @property
    def of_all_alike(self) -> BowDistance:
        return replace(self, vocabulary="pooled")

    def fit(self, study: Study) -> Any:
        from metrics.text.bag_of_words import BagOfWords

        return None if self.vocabulary == "all" else BagOfWords.fit(self.learned(study))

    def vectors(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(N, d) counts over the words that occur in the item."""
        from metrics.text.bag_of_words import BagOfWords

        tokens = chunk.tokens(self.tokenizer, index)
        return (context or BagOfWords.fit([tokens], size=None)).vectors(tokens)

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.bag_of_words import bow_distances

        return 1.0 - bow_distances(self.vectors(context, chunk, index))

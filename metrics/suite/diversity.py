"""Diversity of an item's candidates. More diverse is not better: noise is very diverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from data.study import Study
from metrics.base import CountsBy, Family, Grain, ItemMetric, Measures, Need, Range, Stats, Undefined
from metrics.chunk import Chunk, Learns
from metrics.distances.embeddings import BertDistance
from metrics.distances.words import CiderDDistance, Idf
from metrics.mathematics.arrays import Floats
from metrics.suite.distribution import MONTAHAEI
from metrics.suite.mixins import OfOrder, OnDistance, OnTokens
from metrics.text.tokens import Tokenizer

TWO: frozenset[Need] = frozenset({"two candidates"})


def candidate_tokens(chunk: Chunk, tokenizer: Tokenizer, index: int, at_least: int = 1) -> list[tuple[str, ...]]:
    """Return the tokens of an item's candidates. Raises Undefined if the item has too few candidates."""
    n = chunk.sizes(index)[0]
    if n < at_least:
        raise Undefined(f"needs {at_least} captions of the run, has {n}" if at_least > 1 else "no captions of the run")
    return chunk.tokens(tokenizer, index)[:n]


@dataclass(frozen=True)
class WordDiversity(OnTokens, ItemMetric):
    """Diversity of the words of one item's candidates."""

    needs_of_study: ClassVar[frozenset[Need]] = TWO

    tokenizer: Tokenizer = "ptb"
    family: ClassVar[Family] = "diversity"
    reads_references: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)


@dataclass(frozen=True)
class SelfBleu(OfOrder, WordDiversity):
    """Self-BLEU-n: mean BLEU of each candidate against the item's other candidates; high if they repeat each other."""

    n: Annotated[int, Range(2, 5)] = 4
    stem: ClassVar[str] = "self_bleu"
    heading: ClassVar[str] = "Self-BLEU"
    constants: ClassVar[str] = "smooth:0.1|"
    scores_empty_captions: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = False
    source: ClassVar[str] = f"Zhu et al. 2018 (Texygen); {MONTAHAEI}, section 3"
    cites: ClassVar[tuple[str, ...]] = ("zhu2018texygen", "alihosseini2019jointly")
    formula: ClassVar[str] = r"\frac1n\sum_i \mathrm{BLEU}_N(c_i, C\setminus\{c_i\})"
    summary: ClassVar[str] = "Low where candidates share few n-grams. Depends on the number of candidates."

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        from metrics.text.ngram_sets import self_bleu

        tokens = candidate_tokens(chunk, self.tokenizer, index, at_least=2)

        def all_orders() -> Any:
            from metrics.text.ngrams import encode

            return self_bleu(encode(tokens), 5).mean(axis=0)

        return float(chunk.shared(("self_bleu", self.tokenizer, index), all_orders)[self.n - 2])


@dataclass(frozen=True)
class Distinct(OfOrder, WordDiversity):
    """distinct-n: distinct n-grams over all n-grams of the candidates of an item."""

    n: Annotated[int, Range(1, 10)] = 1
    over: Literal["ngrams", "words"] = "ngrams"
    stem: ClassVar[str] = "distinct"
    heading: ClassVar[str] = "distinct"
    needs_of_study: ClassVar[frozenset[Need]] = frozenset()  # a single candidate has n-grams too
    source: ClassVar[str] = "Li et al. 2016, per item"
    cites: ClassVar[tuple[str, ...]] = ("li2016diversity", "shetty2017speaking")
    formula: ClassVar[str] = r"\frac{|\{n\text{-grams}\}|}{\#\,n\text{-grams}}"
    summary: ClassVar[str] = (
        "Share of n-grams that are new. Falls with the number of candidates. `over=words` divides by the number of "
        "words instead, like Div-n (Shetty et al. 2017)."
    )

    @property
    def parameters(self) -> str:
        return super().parameters + ("" if self.over == "ngrams" else f"|over:{self.over}")

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        texts = candidate_tokens(chunk, self.tokenizer, index)
        found = distinct_share(texts, self.n)
        if self.over == "words":
            found *= sum(len(text) - self.n + 1 for text in texts if len(text) >= self.n) / max(sum(map(len, texts)), 1)
        if np.isnan(found):
            raise Undefined(f"no caption has {'a word' if self.n == 1 else f'{self.n} words'}")
        return found


@dataclass(frozen=True)
class DistinctMean(WordDiversity):
    """Mean of distinct-1 to distinct-n of the candidates of an item."""

    n: Annotated[int, Range(2, 10)] = 5
    name: ClassVar[str] = "distinct_mean"
    needs_of_study: ClassVar[frozenset[Need]] = frozenset()
    source: ClassVar[str] = "Tevet and Berant 2021, Evaluating the Evaluation of Diversity in NLG"
    cites: ClassVar[tuple[str, ...]] = ("tevet2021evaluating", "li2016diversity")
    formula: ClassVar[str] = r"\frac1N\sum_{n=1}^{N} \frac{|\{n\text{-grams}\}|}{\#\,n\text{-grams}}"
    summary: ClassVar[str] = (
        "Share of n-grams that are new, mean over n = 1 to 5. "
        "An order that no candidate is long enough for is left out."
    )

    @property
    def label(self) -> str:
        return f"distinct-1..{self.n}"

    @property
    def parameters(self) -> str:
        return f"n:1-{self.n}|tok:{self.tokenizer}"

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        tokens = candidate_tokens(chunk, self.tokenizer, index)
        shares = [distinct_share(tokens, n) for n in range(1, self.n + 1)]
        known = [share for share in shares if not np.isnan(share)]
        if not known:
            raise Undefined("no caption has a word")
        return float(np.mean(known))


def distinct_share(texts: list[tuple[str, ...]], n: int) -> float:
    """Return the ratio of distinct n-grams to all n-grams of some texts, in 0..1; NaN if no text has n words."""
    grams = [tokens[k : k + n] for tokens in texts for k in range(len(tokens) - n + 1)]
    return len(set(grams)) / len(grams) if grams else np.nan


@dataclass(frozen=True)
class UniqueCaptions(WordDiversity):
    """Share of an item's candidates that are distinct after tokenising."""

    counts_by: ClassVar[CountsBy] = "repetition"
    name: ClassVar[str] = "unique_captions"
    label: ClassVar[str] = "Unique captions"
    source: ClassVar[str] = "Common practice (van Miltenburg et al. 2018)"
    cites: ClassVar[tuple[str, ...]] = ("vanmiltenburg2018measuring",)
    formula: ClassVar[str] = r"\frac{|\{c_1,\dots,c_n\}|}{n}"
    summary: ClassVar[str] = "1 where no candidate repeats another."

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        tokens = candidate_tokens(chunk, self.tokenizer, index, at_least=2)
        return len(set(tokens)) / len(tokens)


@dataclass(frozen=True)
class SelfCider(WordDiversity):
    """Self-CIDEr: how evenly the spectrum of the CIDEr-D kernel of the candidates is spread."""

    idf: Idf = "study"
    name: ClassVar[str] = "self_cider"
    label: ClassVar[str] = "Self-CIDEr"
    source: ClassVar[str] = "Wang and Chan 2019, Describing like Humans"
    cites: ClassVar[tuple[str, ...]] = ("wang2019describing",)
    formula: ClassVar[str] = (
        r"-\log_n \frac{\sqrt{\lambda_{\max}(K)}}{\sum_i\sqrt{\lambda_i(K)}},\; K_{ij}=\mathrm{CIDEr}(c_i,c_j)/10"
    )
    summary: ClassVar[str] = "0 where all candidates say the same, 1 where no two share an informative n-gram."

    @property
    def space(self) -> CiderDDistance:
        """The distance that provides the kernel."""
        return CiderDDistance(self.tokenizer, self.idf)

    @property
    def parameters(self) -> str:
        return self.space.parameters

    @property
    def learns(self) -> Learns:
        return self.space.learns

    def prepare(self, study: Study) -> Any:
        return self.space.prepare(study)

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        from metrics.text.ngram_sets import self_cider

        tokens = candidate_tokens(chunk, self.tokenizer, index, at_least=2)
        n = len(tokens)
        kernel = 1.0 - self.space.distance(context, chunk, index)[:n, :n] / self.space.maximum
        np.fill_diagonal(kernel, 1.0)
        return self_cider(kernel)


@dataclass(frozen=True)
class Vendi(OnDistance, ItemMetric):
    """Vendi score: the effective number of different candidates by the embedding kernel."""

    needs_of_study: ClassVar[frozenset[Need]] = TWO

    space: BertDistance = BertDistance()
    stem: ClassVar[str] = "vendi"
    heading: ClassVar[str] = "Vendi"
    family: ClassVar[Family] = "diversity"
    reads_references: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    source: ClassVar[str] = "Friedman and Dieng 2023, The Vendi Score"
    cites: ClassVar[tuple[str, ...]] = ("friedman2023vendi",)
    formula: ClassVar[str] = r"\exp\big(-\sum_i \lambda_i \ln \lambda_i\big),\; \lambda = \mathrm{eig}(K/n)"
    summary: ClassVar[str] = "Between 1 (all alike) and the number of candidates (nothing in common)."

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        from metrics.mathematics.kernels import vendi

        n = chunk.sizes(index)[0]
        if n < 2:
            raise Undefined(f"needs 2 captions of the run, has {n}")
        return vendi(self.space.similarity(context, chunk, index)[:n, :n])


@dataclass(frozen=True)
class CaptionLength(OnTokens):
    """Mean number of tokens of a candidate."""

    tokenizer: Tokenizer = "ptb"
    name: ClassVar[str] = "caption_length"
    label: ClassVar[str] = "Caption length"
    family: ClassVar[Family] = "diversity"
    measures: ClassVar[Measures] = "length"
    scores_empty_captions: ClassVar[bool] = True
    reads_references: ClassVar[bool] = False
    grain: ClassVar[Grain] = "candidate"
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    source: ClassVar[str] = "Common practice"
    formula: ClassVar[str] = r"\frac1n\sum_i |c_i|"
    summary: ClassVar[str] = "In tokens, punctuation left out as the COCO evaluation does."
    more_means: ClassVar[str] = "longer"
    size_free: ClassVar[bool] = True

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        sizes = [chunk.sizes(index)[0] for index in range(len(chunk))]
        lengths: list[Floats] = [
            np.array([len(tokens) for tokens in chunk.tokens(self.tokenizer, index)[:n]], dtype=float)
            for index, n in enumerate(sizes)
        ]
        reasons = {index: "no captions of the run" for index, n in enumerate(sizes) if n == 0}
        return Stats(
            np.concatenate(lengths).reshape(-1, 1), np.repeat(np.arange(len(chunk)), sizes), len(chunk), reasons
        )

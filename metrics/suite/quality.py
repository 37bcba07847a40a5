"""Quality metrics: S_agg(C, R), the mean over candidates of a score against all references."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from metrics.base import Family, Grain, Metric, Range, Stats, Undefined, by_item, item_sums
from metrics.chunk import Chunk
from metrics.distances.base import Distance
from metrics.distances.bertscore import BertScoreDistance
from metrics.distances.embeddings import BertDistance
from metrics.distances.meteor import MeteorDistance
from metrics.distances.words import BleuDistance, CiderDDistance, RougeLDistance
from metrics.mathematics.arrays import Floats
from metrics.suite.mixins import OfOrder, OnDistance
from metrics.text.tokens import Tokenizer

if TYPE_CHECKING:
    from metrics.permutation.bleu_masks import BleuMasks
    from metrics.permutation.item_test import PermutationResult

Rule = Literal["mean_mean", "mean_max", "rouge_l"]
"""The rule by which pair scores become one score of a candidate, by its name in the permutation test."""


@dataclass(frozen=True)
class Quality(Metric):
    """A score of each candidate against the references of its item."""

    family: ClassVar[Family] = "quality"
    grain: ClassVar[Grain] = "candidate"
    higher_is_better: ClassVar[bool] = True
    tested: ClassVar[bool] = True
    scores_empty_captions: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    def columns(self) -> int:
        """Number of statistics per candidate."""
        return 1

    @abstractmethod
    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(n_candidates, columns) statistics of one item. Raises Undefined with the reason if it has none."""

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        def rows(index: int) -> Floats:
            n, m = chunk.sizes(index)
            if not n or not m:
                raise Undefined("no captions of the run" if m else "no captions by people")
            return self.rows(context, chunk, index)

        return by_item(chunk, self.grain, rows, self.columns)


@dataclass(frozen=True)
class Bleu(OfOrder, Quality):
    """BLEU-n as in the COCO evaluation: the corpus value pools the counts of all candidates."""

    pooled: ClassVar[bool] = True
    best_of: ClassVar[bool] = True
    # Without a shared n-gram COCO's smoothing leaves up to 0.0002, which depends only on the captions' lengths.
    tie: ClassVar[float] = 1e-3
    n: Annotated[int, Range(1, 4)] = 4
    tokenizer: Tokenizer = "ptb"
    stem: ClassVar[str] = "bleu"
    heading: ClassVar[str] = "BLEU"
    constants: ClassVar[str] = "smooth:coco|len:closest|"
    columns: ClassVar[int] = 10
    source: ClassVar[str] = "Papineni et al. 2002; clipped counts, closest reference length"
    cites: ClassVar[tuple[str, ...]] = ("papineni2002bleu",)
    formula: ClassVar[str] = r"\mathrm{BP}\cdot\Big(\prod_{k=1}^{n} p_k\Big)^{1/n}"
    summary: ClassVar[str] = (
        "Precision of n-grams against all references at once, with a penalty for brevity. "
        "The p-value of a run tests the mean of its sentence scores, not the pooled value."
    )

    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.bleu import counted_statistics

        def make() -> Floats:
            texts = chunk.text_set
            sides = texts.numbers(chunk.candidates[index]), texts.numbers(chunk.references[index])
            return counted_statistics(texts.ngrams(self.tokenizer), *sides)

        return chunk.shared(("bleu", self.tokenizer, index), make)

    def units(self, values: Floats) -> Floats:
        from metrics.text.bleu import bleu

        return np.where(np.isnan(values[:, 0]), np.nan, bleu(values, self.n))

    def totals(self, stats: Stats) -> Floats:
        return item_sums(stats)

    def finish(self, totals: Floats) -> Floats:
        from metrics.text.bleu import bleu

        return np.where(totals.sum(axis=-1) > 0, bleu(totals, self.n), np.nan)

    def resampled(self, totals: Floats) -> Floats:
        # A single match of the highest order decides between a few tenths and 0: with too few there is no interval.
        return np.where(totals[..., self.n - 1] > 0, self.finish(totals), np.nan)

    def test(self, context: Any, chunk: Chunk, index: int, budget: int, seed: int) -> PermutationResult:
        from metrics.permutation.bleu_masks import bleu_masks
        from metrics.permutation.item_test import permutation_test
        from metrics.text.ngrams import encode

        BleuDistance(self.tokenizer, self.n).refuse_large(chunk, index)  # a mask of all texts for every n-gram

        def make() -> BleuMasks:
            return bleu_masks(encode(chunk.tokens(self.tokenizer, index)), 4)

        masks = chunk.shared(("masks", self.tokenizer, index), make)  # orders 1 to 4 are tested in turn
        return permutation_test("bleu", masks.up_to(self.n), chunk.is_candidate(index), budget, seed, "less")


@dataclass(frozen=True)
class PairQuality(OnDistance, Quality):
    """A score based on pair scores, against one reference at a time, and a rule that combines the references."""

    space: Distance = CiderDDistance()
    rule: ClassVar[Rule]

    @property
    def name(self) -> str:
        return self.space.name

    @property
    def label(self) -> str:
        return self.space.label

    @property
    def best_of(self) -> bool:
        return self.rule != "mean_mean"

    @property
    def tested_as(self) -> PairQuality:
        return replace(self, space=self.space.of_all_alike)

    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        n = chunk.sizes(index)[0]
        block = self.space.block(context, chunk, index)
        scores = block.mean(axis=1) if self.rule == "mean_mean" else block.max(axis=1)
        return scores.reshape(n, 1)

    def test(self, context: Any, chunk: Chunk, index: int, budget: int, seed: int) -> PermutationResult:
        from metrics.permutation.item_test import permutation_test

        matrix = self.space.similarity(context, chunk, index)
        if np.isnan(matrix).any():
            raise Undefined(f"{self.label} of some pair of captions could not be computed")
        return permutation_test(self.rule, matrix, chunk.is_candidate(index), budget, seed, "less")


@dataclass(frozen=True)
class CiderD(PairQuality):
    """CIDEr-D: the mean over references of the clipped, length-penalised tf-idf cosine, times ten."""

    rule: ClassVar[Rule] = "mean_mean"
    bounds: ClassVar[tuple[float, float]] = (0.0, 10.0)
    source: ClassVar[str] = "Vedantam et al. 2015, CIDEr-D as in the COCO evaluation"
    cites: ClassVar[tuple[str, ...]] = ("vedantam2015cider",)
    formula: ClassVar[str] = (
        r"\tfrac{10}{4m}\sum_{n,j} e^{-(l_c-l_j)^2/2\sigma^2}\frac{\min(g^n_c,g^n_j)\cdot g^n_j}{|g^n_c||g^n_j|}"
    )
    summary: ClassVar[str] = (
        "Agreement with the consensus of references; rare n-grams weigh more. Unless frequencies are given, the "
        "p-value tests the score with frequencies of references and candidates alike: those of the references alone "
        "would reveal who wrote what."
    )


@dataclass(frozen=True)
class Bert(PairQuality):
    """Cosine similarity of sentence embeddings with the nearest reference."""

    space: Distance = BertDistance()
    constants: ClassVar[str] = "refs:max|"
    rule: ClassVar[Rule] = "mean_max"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    source: ClassVar[str] = "Chan et al., section 3.1 with sentence embeddings (Reimers and Gurevych 2019)"
    cites: ClassVar[tuple[str, ...]] = ("chan2022distribution", "reimers2019sentence")
    formula: ClassVar[str] = r"\max_j \cos(e_c, e_{r_j})"
    summary: ClassVar[str] = (
        "Nearness in meaning to the best reference, whatever the words: one vector per sentence, unlike BERTScore."
    )

    @property
    def label(self) -> str:
        return f"{self.space.label} similarity"


@dataclass(frozen=True)
class BertScore(PairQuality):
    """BERTScore: tokens matched by their contextual embeddings, with the best reference."""

    space: Distance = BertScoreDistance()
    constants: ClassVar[str] = "refs:max|"
    rule: ClassVar[Rule] = "mean_max"
    source: ClassVar[str] = "Zhang et al. 2020; equal to the package bert-score for the same model and layer"
    cites: ClassVar[tuple[str, ...]] = ("zhang2020bertscore",)
    formula: ClassVar[str] = (
        r"\max_j \frac{2P_jR_j}{P_j+R_j},\; P_j=\frac1{|c|}\sum_{x\in c}\max_{y\in r_j}\cos(x,y),"
        r"\; R_j=\frac1{|r_j|}\sum_{y\in r_j}\max_{x\in c}\cos(x,y)"
    )
    summary: ClassVar[str] = (
        "Are the words of a caption and of a reference alike in meaning, one by one? Values lie close together: "
        "`rescaled=true` makes the mean of random pairs of the study's references 0. `part` is f1, precision or "
        "recall; `weight=idf` counts rare words more, `layer` is that of the encoder: `layer=published` takes "
        "bert-score's, `baseline=FILE` rescales by a file of its baselines."
    )

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        assert isinstance(self.space, BertScoreDistance)
        return (-float("inf") if self.space.rescaled or self.space.baseline else -1.0, 1.0)


@dataclass(frozen=True)
class RougeL(PairQuality):
    """ROUGE-L: longest common subsequence, best precision with best recall over the references, beta 1.2."""

    space: Distance = RougeLDistance()
    rule: ClassVar[Rule] = "rouge_l"
    source: ClassVar[str] = "Lin 2004, as in the COCO evaluation"
    cites: ClassVar[tuple[str, ...]] = ("lin2004rouge",)
    formula: ClassVar[str] = (
        r"\frac{(1+\beta^2)PR}{R+\beta^2P},\; P=\max_j \frac{\mathrm{LCS}_j}{|c|},"
        r"\; R=\max_j \frac{\mathrm{LCS}_j}{|r_j|}"
    )
    summary: ClassVar[str] = "Words shared in order, not necessarily adjacent."

    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.rouge import f_score

        assert isinstance(self.space, RougeLDistance)
        precision, recall = self.space.block_precision_recall(chunk, index)
        return f_score(precision.max(axis=1), recall.max(axis=1)).reshape(-1, 1)

    def test(self, context: Any, chunk: Chunk, index: int, budget: int, seed: int) -> PermutationResult:
        from metrics.permutation.item_test import permutation_test

        assert isinstance(self.space, RougeLDistance)
        matrix = self.space.precision_recall(chunk, index)
        return permutation_test("rouge_l", matrix, chunk.is_candidate(index), budget, seed, "less")


@dataclass(frozen=True)
class Meteor(PairQuality):
    """METEOR 1.5 against the best reference; the corpus value pools the statistics of all candidates."""

    pooled: ClassVar[bool] = True
    uses_order: ClassVar[bool] = True
    space: Distance = MeteorDistance()
    rule: ClassVar[Rule] = "mean_max"
    source: ClassVar[str] = "Denkowski and Lavie 2014, English, equal to the jar of the COCO evaluation"
    cites: ClassVar[tuple[str, ...]] = ("denkowski2014meteor",)
    formula: ClassVar[str] = r"\Big(1-\gamma\big(\tfrac{ch}{m}\big)^\beta\Big)\frac{PR}{\alpha P+(1-\alpha)R}"
    summary: ClassVar[str] = (
        "Words aligned exactly, by stem, synonym or paraphrase, with a penalty for broken order. The stems, synonyms, "
        "paraphrases and function words are English: in another language it finds little but exact matches. "
        "The p-value of a run tests the mean of its sentence scores, not the pooled value."
    )

    @property
    def columns(self) -> int:
        from metrics.text.meteor import STATISTICS

        return STATISTICS

    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.distances.meteor import best_statistics, why_unscored

        assert isinstance(self.space, MeteorDistance)
        rows = best_statistics(chunk, self.space)[index]
        if np.isnan(rows).any():
            raise Undefined(why_unscored(chunk, self.space, index))
        return rows

    def units(self, values: Floats) -> Floats:
        from metrics.text.meteor import score

        return score(values)

    def totals(self, stats: Stats) -> Floats:
        return item_sums(stats)

    def finish(self, totals: Floats) -> Floats:
        from metrics.text.meteor import score

        return np.where(totals.sum(axis=-1) > 0, score(totals), np.nan)

"""Metrics that compare two sets as distributions, item by item: triangle ranks, kernels, shared n-grams."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from metrics.base import Family, ItemMetric, Need, Range, Stats, Undefined, need_sets
from metrics.chunk import Chunk
from metrics.distances.base import Distance
from metrics.distances.embeddings import BertDistance
from metrics.distances.words import BowDistance
from metrics.mathematics.arrays import Floats, Labels
from metrics.mathematics.triangle import Ties
from metrics.suite.mixins import OfOrder, OnDistance
from metrics.text.tokens import Tokenizer

if TYPE_CHECKING:
    from metrics.permutation.item_test import PermutationResult, Statistic

CHAN = "Chan et al., Distribution Aware Metrics for Conditional Natural Language Generation"
MONTAHAEI = "Montahaei et al., Jointly Measuring Diversity and Quality in Text Generation Models"
NEEDS_SETS: frozenset[Need] = frozenset({"two candidates", "two references"})


@dataclass(frozen=True)
class Divergence(OnDistance, ItemMetric):
    """A distance between two sets of texts of one item, with a permutation test."""

    needs_of_study: ClassVar[frozenset[Need]] = NEEDS_SETS

    family: ClassVar[Family] = "distribution"
    higher_is_better: ClassVar[bool] = False
    tested: ClassVar[bool] = True
    joint: ClassVar[bool] = True
    space: Distance = BertDistance()

    @property
    @abstractmethod
    def statistic(self) -> Statistic:
        """The name of the statistic in the permutation test."""

    @property
    def tested_as(self) -> Divergence:
        return replace(self, space=self.space.of_all_alike)

    @abstractmethod
    def matrix(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """Return the (N, N) matrix of the N pooled texts of an item, from which the statistic is computed."""

    def test(self, context: Any, chunk: Chunk, index: int, budget: int, seed: int) -> PermutationResult:
        from metrics.permutation.item_test import permutation_test

        need_sets(chunk, index)
        matrix = self.matrix(context, chunk, index)
        return permutation_test(self.statistic, matrix, chunk.is_candidate(index), budget, seed, ties=self.tie_rule)

    def signed_statistics(self, context: Any, chunk: Chunk, index: int, labels: Labels) -> Floats:
        from metrics.permutation.joint_test import signed_statistics

        lengths = np.array([len(text) for text in chunk.texts(index)], dtype=np.float64)
        return signed_statistics(self.space.distance(context, chunk, index), lengths, labels)

    @property
    def tie_rule(self) -> Ties:
        """The rule by which equal edges are ranked, for metrics that rank edges."""
        return "shared"


@dataclass(frozen=True)
class Trm(Divergence):
    """Triangle-rank metric: do three texts of two sides form the triangles that one distribution would?"""

    ties: Ties = "shared"
    heading: ClassVar[str] = "TRM"
    extra_fields: ClassVar[tuple[str, ...]] = ("at_maximum",)
    statistic: ClassVar[Statistic] = "trm"
    bounds: ClassVar[tuple[float, float]] = (0.0, 8 / 3)
    source: ClassVar[str] = f"{CHAN}, section 3.2, equation 4"
    cites: ClassVar[tuple[str, ...]] = ("chan2022distribution",)
    formula: ClassVar[str] = r"\sum_{\text{direction}} \sum_{k=0}^{2} \left| U_k - \tfrac13 \right|"
    summary: ClassVar[str] = (
        "Share of triangles whose same-side edge is the shortest, the middle or the longest, against one third each."
    )

    @property
    def tie_rule(self) -> Ties:
        return self.ties

    @property
    def name(self) -> str:
        return f"trm_{self.space.name_with_order}"

    @property
    def parameters(self) -> str:
        return f"ties:{self.ties}|{self.space.parameters}"

    def matrix(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return self.space.distance(context, chunk, index)

    def test(self, context: Any, chunk: Chunk, index: int, budget: int, seed: int) -> PermutationResult:
        from metrics.permutation.partitions import number
        from metrics.permutation.triangles import LARGEST

        n, m = chunk.sizes(index)
        if n + m > LARGEST and number(n + m, n) > budget:
            raise Undefined(f"{n + m:,} texts: triangles are not relabelled at random above {LARGEST} texts")
        return super().test(context, chunk, index, budget, seed)

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        from metrics.mathematics.triangle import triangle_rank

        need_sets(chunk, index)
        return triangle_rank(self.matrix(context, chunk, index), chunk.is_candidate(index), self.ties)

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        """Return the value of each item and the share of its distances at their maximum, where triangles tie.

        An item without a value has NaN for both.
        """
        from metrics.mathematics.triangle import at_maximum

        found = super().stats(context, chunk)
        shares = np.full(len(chunk), np.nan)
        for index in np.flatnonzero(~np.isnan(found.values[:, 0])):
            shares[index] = at_maximum(self.matrix(context, chunk, int(index)), self.space.maximum)
        return replace(found, values=np.column_stack([found.values, shares]))


@dataclass(frozen=True)
class Mmd(Divergence):
    """Squared maximum mean discrepancy between candidates and references of an item."""

    bandwidth: Annotated[float, Range(0.001, 1000)] = 0.5
    biased: bool = False
    stem: ClassVar[str] = "mmd"
    heading: ClassVar[str] = "MMD²"
    bounds: ClassVar[tuple[float, float]] = (-2.0, 2.0)
    source: ClassVar[str] = f"{CHAN}, section 3.3 and A.7 (the standard unbiased estimator)"
    cites: ClassVar[tuple[str, ...]] = ("chan2022distribution",)
    formula: ClassVar[str] = r"\overline{k(c,c')} + \overline{k(r,r')} - 2\,\overline{k(c,r)}"
    summary: ClassVar[str] = "Gaussian kernel on text vectors; 0 is expected where both sides are alike."

    @property
    def statistic(self) -> Statistic:
        return "mmd_biased" if self.biased else "mmd"

    @property
    def size_free(self) -> bool:
        return not self.biased

    @property
    def parameters(self) -> str:
        estimator = "biased" if self.biased else "unbiased"
        return f"{estimator}|bw:{self.bandwidth:g}*median|{self.space.parameters}"

    def matrix(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.mathematics.kernels import rbf_kernel

        vectors = _vectors(self.space, context, chunk, index)
        return chunk.shared((self, index), lambda: rbf_kernel(vectors, self.bandwidth))

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        from metrics.mathematics.kernels import mmd2_of_kernel

        need_sets(chunk, index)
        return mmd2_of_kernel(self.matrix(context, chunk, index), chunk.is_candidate(index), self.biased)


@dataclass(frozen=True)
class Frechet(Divergence):
    """Squared Fréchet distance between Gaussians fitted to candidates and references of an item."""

    squared: bool = True
    stem: ClassVar[str] = "frechet"
    heading: ClassVar[str] = "Fréchet"
    statistic: ClassVar[Statistic] = "frechet"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    source: ClassVar[str] = f"{CHAN}, A.6; {MONTAHAEI}, section 3.2.2 reports its root"
    cites: ClassVar[tuple[str, ...]] = ("chan2022distribution", "alihosseini2019jointly")
    formula: ClassVar[str] = r"|\mu_C-\mu_R|^2 + \mathrm{tr}\,(\Sigma_C+\Sigma_R-2(\Sigma_C\Sigma_R)^{1/2})"
    summary: ClassVar[str] = (
        "Distance between means and covariances of sentence embeddings, exact for few texts. MiniLM's are means over "
        "tokens; the paper takes the vector of a CLS token."
    )

    @property
    def parameters(self) -> str:
        return f"{'squared' if self.squared else 'root'}|{self.space.parameters}"

    def matrix(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.mathematics.frechet import gram

        vectors = _vectors(self.space, context, chunk, index)
        return chunk.shared((self, index), lambda: gram(vectors))

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        from metrics.mathematics.frechet import frechet

        need_sets(chunk, index)
        return frechet(_vectors(self.space, context, chunk, index), chunk.is_candidate(index), self.squared)

    def test(self, context: Any, chunk: Chunk, index: int, budget: int, seed: int) -> PermutationResult:
        found = super().test(context, chunk, index, budget, seed)
        if self.squared:
            return found
        # p is the same, but sums and means over items must be of the displayed roots.
        statistic, null = (np.sqrt(np.maximum(square, 0.0)) for square in (found.statistic, found.null))
        return replace(found, statistic=float(statistic), null=null)


def _vectors(space: Distance, context: Any, chunk: Chunk, index: int) -> Floats:
    size = sum(chunk.sizes(index))
    if size > space.pooled_limit:
        raise Undefined(f"{size:,} texts: too many for the matrix of all pairs, at most {space.pooled_limit:,}")
    assert isinstance(space, BertDistance | BowDistance)
    return space.vectors(context, chunk, index)


@dataclass(frozen=True)
class MsJaccard(OfOrder, ItemMetric):
    """MS-Jaccard: shared n-gram frequencies of both sets, geometric mean over orders."""

    n: Annotated[int, Range(2, 5)] = 4
    tokenizer: Tokenizer = "ptb"
    stem: ClassVar[str] = "ms_jaccard"
    heading: ClassVar[str] = "MS-Jaccard"
    family: ClassVar[Family] = "distribution"
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    source: ClassVar[str] = f"{MONTAHAEI}, section 3.2.1"
    cites: ClassVar[tuple[str, ...]] = ("alihosseini2019jointly",)
    formula: ClassVar[str] = (
        r"\Big(\prod_{n=1}^{N} \frac{\sum_g \min(C_n(g,S_1),C_n(g,S_2))}{\sum_g \max(\cdot)}\Big)^{1/N}"
    )
    summary: ClassVar[str] = "Counts an n-gram by its frequency in each set: wrong words and missing variety both cost."

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        from metrics.text.ngram_sets import ms_jaccard

        need_sets(chunk, index, at_least=1)
        n = chunk.sizes(index)[0]

        def all_orders() -> Any:
            from metrics.text.ngrams import encode

            texts = encode(chunk.tokens(self.tokenizer, index))
            return ms_jaccard(texts[:n], texts[n:], 5)

        value = chunk.shared(("ms_jaccard", self.tokenizer, index), all_orders)[self.n - 2]
        if np.isnan(value):
            raise Undefined("no caption has a word")
        return float(value)

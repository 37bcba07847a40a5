"""Metrics with one number per run, from the embeddings of all its candidates and of all references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from metrics.base import CountsBy, Estimate, Family, Range, RunMetric, Undefined, jackknifed
from metrics.chunk import Chunk
from metrics.distances.embeddings import BertDistance
from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation.item_test import BUDGET, DRAWS, PermutationResult
from metrics.suite.distribution import MONTAHAEI
from metrics.suite.mixins import OnDistance

FEWEST_TEXTS = 50
CLUSTERS = 500


@dataclass(frozen=True)
class EmbeddingRunMetric(OnDistance, RunMetric):
    """A metric of the embeddings of a run's candidates against those of all references."""

    space: BertDistance = BertDistance()
    family: ClassVar[Family] = "distribution"

    def sides(self, chunk: Chunk) -> tuple[Floats, Floats, NDArray[Any], NDArray[Any]]:
        """Return embeddings (n, d) of candidates and (m, d) of references, and the items of both.

        Raises Undefined if a side has fewer than FEWEST_TEXTS texts, or if a text has no vector.
        """
        sizes = np.array([chunk.sizes(index) for index in range(len(chunk))]).reshape(-1, 2)
        for count, side in zip(sizes.sum(axis=0), ("captions of the run", "captions by people")):
            if count < FEWEST_TEXTS:
                raise Undefined(f"needs {FEWEST_TEXTS} {side}, has {count}")
        item = np.arange(len(chunk))
        left, right = chunk.shared(("sides", self.space), lambda: chunk.embedded_sides(self.space.encoder))
        if lacking := int(np.isnan(left).any(axis=1).sum() + np.isnan(right).any(axis=1).sum()):
            raise Undefined(f"{self.space.name} has no vector for {lacking:,} captions")
        return left, right, np.repeat(item, sizes[:, 0]), np.repeat(item, sizes[:, 1])


@dataclass(frozen=True)
class CorpusFrechet(EmbeddingRunMetric):
    """Fréchet distance, not squared, between the embeddings of all candidates and of all references."""

    squared: bool = False
    stem: ClassVar[str] = "corpus_frechet"
    heading: ClassVar[str] = "Corpus Fréchet"
    higher_is_better: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    source: ClassVar[str] = f"{MONTAHAEI}, section 3.2.2, on sentence embeddings; `fbd` is theirs"
    cites: ClassVar[tuple[str, ...]] = ("alihosseini2019jointly",)
    formula: ClassVar[str] = r"\sqrt{|\mu_C-\mu_R|^2 + \mathrm{tr}\,(\Sigma_C+\Sigma_R-2(\Sigma_C\Sigma_R)^{1/2})}"
    summary: ClassVar[str] = "Do the candidates of the whole run lie where the references lie, and spread as far?"

    @property
    def parameters(self) -> str:
        return f"{'squared' if self.squared else 'root'}|{self.space.parameters}"

    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        from metrics.mathematics.frechet import corpus_frechet, frechet_of_few, frechet_of_moments, moments

        left, right, left_item, right_item = self.sides(chunk)
        whole = moments(left), moments(right)

        def without(left_out: NDArray[np.bool_]) -> float:
            chunk.hooks.check()
            kept_left = whole[0].without(moments(left[left_out[left_item]]))
            kept_right = whole[1].without(moments(right[left_out[right_item]]))
            if min(kept_left.n, kept_right.n) < 2:
                return np.nan
            if kept_left.n < left.shape[1]:
                return frechet_of_few(left[~left_out[left_item]], kept_right, self.squared)
            return frechet_of_moments(kept_left, kept_right, self.squared)

        interval = jackknifed(lambda kept: without(~kept), chunk)
        # The moments lose digits if both sides are nearly alike: the value itself takes the exact route.
        shift = corpus_frechet(left, right, self.squared) - interval.value
        return Estimate(*(max(value + shift, 0.0) for value in interval))


@dataclass(frozen=True)
class Mauve(EmbeddingRunMetric):
    """MAUVE: area under the divergence frontier of both sides' histograms over clusters of embeddings."""

    seed: Annotated[int, Range(0, 2**32 - 1)] = 0
    version: ClassVar[int] = 3
    stem: ClassVar[str] = "mauve"
    heading: ClassVar[str] = "MAUVE"
    counts_by: ClassVar[CountsBy] = "cluster"
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    source: ClassVar[str] = "Pillutla et al. 2021, MAUVE"
    cites: ClassVar[tuple[str, ...]] = ("pillutla2021mauve",)
    formula: ClassVar[str] = (
        r"\mathrm{AUC}\big\{(e^{-5\,\mathrm{KL}(Q\|R_\lambda)}, e^{-5\,\mathrm{KL}(P\|R_\lambda)})\big\}"
    )
    summary: ClassVar[str] = (
        "1 where both sides fill the same clusters equally; the mean over five starts of k-means (one beyond 10,000 "
        "captions). A corpus number, as one item has too few texts. Other images would give other clusters, which a "
        "jackknife ignores, so it has no interval."
    )
    no_test: ClassVar[str] = (
        "an item has too few captions: `score --p-values` and `sensitivity` test those of all items together"
    )
    no_interval: ClassVar[str] = "another sample would have other clusters, so the jackknife is not valid"

    @property
    def parameters(self) -> str:
        return f"pca:0.9|clusters:n/10<=500|mean of starts:5<=10000|scale:5|seed:{self.seed}|{self.space.parameters}"

    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        from metrics.mathematics.mauve import mauve

        left, right, _, _ = self.sides(chunk)
        return Estimate(mauve(left, right, seed=self.seed, **_clusters_and_starts(len(left), len(right))).value)

    def test_run(self, chunk: Chunk, budget: int = BUDGET, seed: int = 0, draws: int = DRAWS) -> PermutationResult:
        """Return a permutation test of all items of the chunk together, relabelled within each item.

        Raises Undefined as `sides` does, or if no item has captions on both sides, and Cancelled.

        Clusters do not depend on who wrote a caption: they are computed once, and only the captions are counted again.
        """
        from metrics.mathematics.mauve import of_labellings, quantise
        from metrics.permutation.within_items import pool_of, within_items_test

        left, right, _, _ = self.sides(chunk)
        sizes = [chunk.sizes(index) for index in range(len(chunk))]
        if not any(all(size) for size in sizes):
            raise Undefined("no item has captions on both sides")
        pooled = np.concatenate([left, right])
        found = quantise(pooled, seed=self.seed, **_clusters_and_starts(len(left), len(right)))
        keys = [chunk.relabelling_digest(index) for index in range(len(chunk))]

        def values(labels: Labels) -> Floats:
            chunk.hooks.check()
            return of_labellings(found, labels)

        return within_items_test(values, pool_of(sizes, keys), self.alternative, budget, seed, draws=draws)


def _clusters_and_starts(candidates: int, references: int) -> dict[str, int]:
    clusters = int(np.clip(round(min(candidates, references) / 10), 2, CLUSTERS))
    # With many texts another start changes the value by about .002, and five starts take five times as long.
    return {"clusters": clusters, "starts": 5 if candidates + references <= 10_000 else 1}

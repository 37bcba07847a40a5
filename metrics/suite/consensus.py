"""Agreement of an item's references, each scored against the others: the scores of people by quality metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from data.study import Study
from metrics.base import Family, ItemMetric, Need, Undefined, Work
from metrics.chunk import Chunk, Learns
from metrics.mathematics.arrays import Floats
from metrics.suite.quality import Bleu, CiderD, PairQuality, RougeL
from metrics.suite.scene import SceneF
from metrics.text.tokens import Tokenizer

SAMPLE, REPEATS = 5, 10
Scored = Bleu | PairQuality | SceneF
"""The metrics that can score a reference against the item's other references."""


@dataclass(frozen=True)
class Consensus(ItemMetric):
    """Mean score of each reference against the item's other references; with more than five, over ten samples of five.

    Document frequencies from the references leave out the item's scored reference, so that people's captions and runs'
    are weighted alike: otherwise people's n-grams would be more frequent, and their score too high.
    """

    of: Scored = CiderD()
    family: ClassVar[Family] = "references"
    reads_candidates: ClassVar[bool] = False
    scores_empty_captions: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = True
    source: ClassVar[str] = (
        "Zhu et al., Understanding Sample Variance in Visually Grounded Language Generation, table 2"
    )
    cites: ClassVar[tuple[str, ...]] = ("zhu2020towards",)
    formula: ClassVar[str] = r"\frac1m\sum_i \mathrm{metric}(r_i, R\setminus\{r_i\})"
    summary: ClassVar[str] = (
        "The score of a person by this metric. A property of the references, the same for every run."
    )

    @property
    def bounds(self) -> tuple[float, float]:
        return self.of.bounds

    @property
    def name(self) -> str:
        return f"consensus_{self.of.name}"

    @property
    def signed_name(self) -> str:
        return f"consensus_{self.of.signed_name}"

    @property
    def label(self) -> str:
        return f"Consensus {self.of.label}"

    @property
    def work(self) -> Work:
        return self.of.work

    @property
    def needs(self) -> frozenset[Need]:
        return self.of.needs | {"two references"}

    @property
    def parameters(self) -> str:
        held_out = "|own:held-out" if isinstance(self.of, PairQuality) and self.of.space.holds_out else ""
        return f"sample:{SAMPLE}x{REPEATS}{held_out}|{self.of.parameters}"

    @property
    def learns(self) -> Learns:
        return self.of.learns

    def prepare(self, study: Study) -> Any:
        return self.of.prepare(study)

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        m = chunk.sizes(index)[1]
        if m < 2:
            raise Undefined(f"needs 2 captions by people, has {m}")
        return float(np.mean([np.mean(scores) for _, scores in self._sampled(context, chunk, index)]))

    def scores(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(m,) score of each reference against the item's other references, averaged over the samples that contain it.

        A reference in no sample is scored against four other references, drawn with the item's seed.
        """
        m, seed = chunk.sizes(index)[1], chunk.item_digest(index)
        total, times = np.zeros(m), np.zeros(m)
        for rows, scores in self._sampled(context, chunk, index):
            total[rows] += scores
            times[rows] += 1
        for row in np.flatnonzero(times == 0):
            others = np.random.default_rng([seed, int(row)]).choice(
                np.delete(np.arange(m), row), SAMPLE - 1, replace=False
            )
            total[row], times[row] = self._one(context, chunk, index, int(row), np.sort(others)), 1
        return total / times

    def _sampled(self, context: Any, chunk: Chunk, index: int) -> list[tuple[NDArray[np.int64], list[float]]]:
        return [
            (rows, [self._one(context, chunk, index, int(i), rows[rows != i]) for i in rows])
            for rows in reference_samples(chunk.sizes(index)[1], chunk.item_digest(index))
        ]

    def _one(self, context: Any, chunk: Chunk, index: int, row: int, others: NDArray[np.int64]) -> float:
        n = chunk.sizes(index)[0]
        if isinstance(self.of, Bleu):
            from metrics.text.bleu import bleu, bleu_statistics

            tokens = chunk.tokens(self.of.tokenizer, index)[n:]
            # The statistics serve every order.
            statistics = chunk.shared(
                ("consensus bleu", self.of.tokenizer, index, row, *others.tolist()),
                lambda: bleu_statistics([tokens[row]], [tokens[j] for j in others]),
            )
            return float(bleu(statistics, self.of.n)[0])
        if isinstance(self.of, RougeL):
            from metrics.text.rouge import f_score

            precision, recall = self.of.space.precision_recall(chunk, index)[:, n:, n:]  # type: ignore[attr-defined]
            return float(f_score(precision[row, others].max(), recall[row, others].max()))
        if isinstance(self.of, SceneF):
            return self.of.among_references(chunk, index, row, others)
        scores = self.of.space.among_references(context, chunk, index)[row, others]
        if np.isnan(scores).any():
            raise Undefined(f"{self.of.label} of some pair of captions by people could not be computed")
        return float(scores.mean() if self.of.rule == "mean_mean" else scores.max())


@dataclass(frozen=True)
class ConsensusBleu(ItemMetric):
    """The mean of the four consensus BLEU scores of an item, named BLEU in table 2 of Zhu et al."""

    tokenizer: Tokenizer = "ptb"
    name: ClassVar[str] = "consensus_bleu"
    label: ClassVar[str] = "Consensus BLEU"
    family: ClassVar[Family] = "references"
    reads_candidates: ClassVar[bool] = False
    scores_empty_captions: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    source: ClassVar[str] = Consensus.source
    cites: ClassVar[tuple[str, ...]] = (*Consensus.cites, *Bleu.cites)
    formula: ClassVar[str] = r"\frac{1}{4m}\sum_{n=1}^4\sum_i \mathrm{BLEU}_n(r_i, R\setminus\{r_i\})"
    summary: ClassVar[str] = "Mean of BLEU-1 to BLEU-4. A property of the references, the same for every run."

    @property
    def parameters(self) -> str:
        return f"n:1-4|{self._orders[0].parameters}"

    @property
    def needs(self) -> frozenset[Need]:
        return self._orders[0].needs

    @property
    def _orders(self) -> list[Consensus]:
        return [Consensus(Bleu(tokenizer=self.tokenizer, n=n)) for n in range(1, 5)]

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        return float(np.mean([one.value(context, chunk, index) for one in self._orders]))


def reference_samples(m: int, seed: int) -> list[NDArray[np.int64]]:
    """Return the rows to score: all m references up to five, otherwise ten seeded samples of five."""
    if m <= SAMPLE:
        return [np.arange(m)]
    random = np.random.default_rng(seed)
    return [np.sort(random.choice(m, SAMPLE, replace=False)) for _ in range(REPEATS)]

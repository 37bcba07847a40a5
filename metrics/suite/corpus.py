"""Metrics with one number per run: all its candidates against all references, or among themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from metrics.base import GROUPS, Estimate, Family, Grain, Measures, Range, RunMetric, Stats, Undefined, jackknifed
from metrics.bootstrap import jackknife_interval, random_groups
from metrics.chunk import Chunk
from metrics.mathematics.arrays import Floats
from metrics.suite.distribution import MONTAHAEI
from metrics.suite.mixins import OfOrder, OnTokens
from metrics.text.tokens import Tokenizer
from metrics.units import count_units


@dataclass(frozen=True)
class OfWords(OnTokens):
    """Base class for metrics of all words of a run."""

    grain: ClassVar[Grain] = "run"
    tokenizer: Tokenizer = "ptb"

    def texts(
        self, chunk: Chunk
    ) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], NDArray[Any], NDArray[Any]]:
        """Return a run's candidates and references as integer tokens (tokens,), and the items (texts,) of each side."""

        def make() -> Any:
            from metrics.text.ngrams import encode

            sizes = np.array([chunk.sizes(index) for index in range(len(chunk))]).reshape(-1, 2)
            tokens = [chunk.tokens(self.tokenizer, index) for index in range(len(chunk))]
            left = [t for item, (n, _) in zip(tokens, sizes) for t in item[:n]]
            right = [t for item, (n, _) in zip(tokens, sizes) for t in item[n:]]
            coded = encode(left + right)
            item = np.arange(len(chunk))
            return coded[: len(left)], coded[len(left) :], np.repeat(item, sizes[:, 0]), np.repeat(item, sizes[:, 1])

        return chunk.shared(("run texts", self.tokenizer), make)

    def totals(self, stats: Stats) -> Floats:
        return stats.values


class WordRunMetric(OfWords, RunMetric):
    """A metric of a run's words that computes its own interval."""


@dataclass(frozen=True)
class CorpusMsJaccard(OfOrder, WordRunMetric):
    """MS-Jaccard of all candidates of a run against all references."""

    n: Annotated[int, Range(2, 5)] = 4
    stem: ClassVar[str] = "corpus_ms_jaccard"
    heading: ClassVar[str] = "Corpus MS-Jaccard"
    family: ClassVar[Family] = "distribution"
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    source: ClassVar[str] = f"{MONTAHAEI}, section 3.2.1"
    cites: ClassVar[tuple[str, ...]] = ("alihosseini2019jointly",)
    formula: ClassVar[str] = (
        r"\Big(\prod_{n=1}^{N} \frac{\sum_g \min(C_n(g,S_1),C_n(g,S_2))}{\sum_g \max(\cdot)}\Big)^{1/N}"
    )
    summary: ClassVar[str] = "Does the run use the words and phrases of the references as often as they do?"

    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        left, right, left_item, right_item = self.texts(chunk)
        if not left or not right:
            raise Undefined("needs captions of the run and by people")

        def all_orders() -> tuple[Floats, Floats]:
            from metrics.text.ngram_sets import ms_jaccard_without

            chunk.hooks.check()
            group = random_groups(len(chunk), GROUPS, unit=chunk.unit)
            return ms_jaccard_without(left, right, group[left_item], group[right_item], int(group.max()) + 1, 5)

        means, without = chunk.shared(("corpus ms jaccard", self.tokenizer), all_orders)
        value = float(means[self.n - 2])
        units = count_units(chunk.unit, np.arange(len(chunk)))
        return Estimate(value, *jackknife_interval(value, without[:, self.n - 2], units))


@dataclass(frozen=True)
class CorpusBleu(OfOrder, OfWords):
    """Mean BLEU of a run's candidates, each against all references of the study as one pool.

    Papers on unconditional generation report it, since their candidates have no references of their own. The interval
    is over items, with a fixed pool; for a study of one item, over its candidates.
    """

    n: Annotated[int, Range(2, 5)] = 4
    stem: ClassVar[str] = "corpus_bleu"
    heading: ClassVar[str] = "Corpus BLEU"
    constants: ClassVar[str] = "smooth:0.1|len:closest|"
    family: ClassVar[Family] = "quality"
    higher_is_better: ClassVar[bool] = True
    pooled: ClassVar[bool] = True
    best_of: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    scores_empty_captions: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    no_human: ClassVar[str] = "the references are the pool that captions are compared with"
    source: ClassVar[str] = f"{MONTAHAEI}, tables 1 to 3; Papineni et al. 2002"
    cites: ClassVar[tuple[str, ...]] = ("alihosseini2019jointly", "papineni2002bleu")
    formula: ClassVar[str] = r"\frac1n\sum_i \mathrm{BLEU}_N(c_i, R_1\cup\dots\cup R_m)"
    summary: ClassVar[str] = (
        "Does each caption read like anything people wrote, about any item? Grows with the number of references. "
        "An order without a match counts 0.1 matches."
    )

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        """Return, for each item, the sum of its candidates' scores, their number, and the sum of the squared scores."""
        from metrics.text.ngram_sets import pool_bleu

        left, right, item, _ = self.texts(chunk)
        here, sums = np.arange(len(chunk)), np.zeros((len(chunk), 3))
        if not left or not right:
            return Stats(sums, here, len(chunk), {0: "no captions by people" if left else "no captions of the run"})
        every = chunk.shared(("corpus bleu", self.tokenizer), lambda: pool_bleu(left, right, 5))[:, self.n - 2]
        for k, weights in enumerate((every, np.ones_like(every), every**2)):
            sums[:, k] = np.bincount(item, weights=weights, minlength=len(chunk))
        return Stats(sums, here, len(chunk))

    def units(self, values: Floats) -> Floats:
        return self.finish(values)

    def interval(self, totals: Floats, resamples: int, seed: int) -> tuple[float, float]:
        if len(totals) > 1 or not len(totals):
            return super().interval(totals, resamples, seed)
        total, n, squares = totals[0]
        if n < 2:
            return np.nan, np.nan
        mean = total / n
        half = 1.96 * np.sqrt(max(squares / n - mean**2, 0.0) / (n - 1))
        return max(mean - half, 0.0), min(mean + half, 1.0)


@dataclass(frozen=True)
class CorpusSelfBleu(OfOrder, OfWords):
    """Self-BLEU over all candidates of a run: each against every other candidate of its own or another item.

    Its statistics are jackknife pseudo-values of the items, whose mean is the value: n times the value minus n - 1
    times the value without the item, whose candidates are then neither hypotheses nor references. The interval
    therefore accounts for both roles, and runs can be resampled together. With clusters, all items of a cluster are
    left out together and share its pseudo-value, since near copies would otherwise replace an item that is left out.
    """

    version: ClassVar[int] = 3
    n: Annotated[int, Range(2, 5)] = 4
    stem: ClassVar[str] = "corpus_self_bleu"
    heading: ClassVar[str] = "Corpus Self-BLEU"
    constants: ClassVar[str] = "smooth:0.1|"
    family: ClassVar[Family] = "diversity"
    reads_references: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    source: ClassVar[str] = f"Zhu et al. 2018 (Texygen); {MONTAHAEI}, section 3"
    cites: ClassVar[tuple[str, ...]] = ("zhu2018texygen", "alihosseini2019jointly")
    formula: ClassVar[str] = r"\frac1n\sum_i \mathrm{BLEU}_N(c_i, C\setminus\{c_i\})"
    summary: ClassVar[str] = "High where a run repeats itself from image to image."

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        """Return a row for each item with candidates: its jackknife pseudo-value, and 1."""
        from metrics.text.ngram_sets import self_bleu_without

        texts, _, item, _ = self.texts(chunk)
        sums, here = np.zeros((len(chunk), 2)), np.arange(len(chunk))
        if len(texts) < 2:
            return Stats(sums, here, len(chunk), {0: f"needs 2 captions, the run has {len(texts)}"})
        says = np.unique(item)
        unit = says if chunk.unit is None else chunk.unit[says]
        units, of = np.unique(unit, return_inverse=True)
        group = of[np.searchsorted(says, item)]
        scores, without = chunk.shared(("corpus self bleu", self.tokenizer), lambda: self_bleu_without(texts, group, 5))
        value, left = scores[:, self.n - 2].mean(), without[:, self.n - 2]
        # If nothing is left without an item, there are too few items for an interval.
        shares = -(len(units) - 1) * np.where(np.isnan(left), value, left)
        # A cluster's pseudo-value is scaled to the average number of items per cluster and shared by its items.
        each = (shares - shares.mean())[of] * (len(says) / len(units) / np.bincount(of)[of])
        sums[says] = np.column_stack([each + value, np.ones(len(says))])
        return Stats(sums, here, len(chunk))

    def units(self, values: Floats) -> Floats:
        # An item's effect in both roles can exceed the range of Self-BLEU.
        return np.clip(self.finish(values), *self.bounds)

    def interval(self, totals: Floats, resamples: int, seed: int) -> tuple[float, float]:
        low, high = np.clip(super().interval(totals, resamples, seed), *self.bounds)
        return float(low), float(high)


@dataclass(frozen=True)
class Vocabulary(WordRunMetric):
    """Number of different words in all candidates of a run."""

    name: ClassVar[str] = "vocabulary"
    label: ClassVar[str] = "Vocabulary"
    family: ClassVar[Family] = "diversity"
    reads_references: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    source: ClassVar[str] = "van Miltenburg et al. 2018, Measuring the Diversity of Automatic Image Descriptions"
    cites: ClassVar[tuple[str, ...]] = ("vanmiltenburg2018measuring",)
    formula: ClassVar[str] = r"|\{w : w \in c,\ c \in C\}|"
    summary: ClassVar[str] = "Grows with the number of captions: compare runs of equal size."

    def counts(self, chunk: Chunk) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the (tokens,) word and item of every token of the candidates. Raises Undefined if there are none."""
        texts, _, item, _ = self.texts(chunk)
        if not texts:
            raise Undefined("no captions of the run")
        return np.concatenate(texts), np.repeat(item, [len(t) for t in texts])

    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        word, item = self.counts(chunk)
        return jackknifed(lambda kept: float(len(np.unique(word[kept[item]]))), chunk)


@dataclass(frozen=True)
class Zipf(Vocabulary):
    """Zipf coefficient: the slope of log frequency over log rank of the words of a run, by least squares."""

    name: ClassVar[str] = "zipf"
    label: ClassVar[str] = "Zipf coefficient"
    measures: ClassVar[Measures] = "evenness"
    higher_is_better: ClassVar[bool] = False
    more_means: ClassVar[str] = "more even"
    source: ClassVar[str] = "Holtzman et al. 2020, The Curious Case of Neural Text Degeneration"
    cites: ClassVar[tuple[str, ...]] = ("holtzman2020curious",)
    formula: ClassVar[str] = r"-\,\mathrm{slope}\big(\ln f_r \sim \ln r\big)"
    summary: ClassVar[str] = "Steeper where few words do most of the work; people's text is near 1."

    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        from metrics.text.ngram_sets import zipf_coefficient

        word, item = self.counts(chunk)
        if len(np.unique(word)) < 2:
            raise Undefined("needs two different words")
        return jackknifed(lambda kept: zipf_coefficient(word[kept[item]]), chunk)

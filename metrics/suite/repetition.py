"""Repetition within all captions of a run: n-gram entropy, self-repetition and compression ratio."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.base import Estimate, Family, Range, RunMetric, Undefined, jackknifed
from metrics.chunk import Chunk
from metrics.mathematics.arrays import Integers
from metrics.suite.corpus import WordRunMetric

LEVEL = 9
"""Compression level of gzip: the highest, and Python's default."""


class NgramEntries(NamedTuple):
    """The distinct n-grams of every text, all (entries,): the n-gram's number, its count, and the text's number."""

    ngram: Integers
    times: Integers
    text: Integers

    def of_texts(self, kept: NDArray[np.bool_]) -> NgramEntries:
        """Return the entries of the texts kept by a mask (texts,)."""
        rows = kept[self.text]
        return NgramEntries(self.ngram[rows], self.times[rows], self.text[rows])


def ngram_entries(texts: Sequence[Integers], n: int) -> NgramEntries:
    """Return the n-grams of one order, for texts given as integer tokens (tokens,)."""
    from metrics.text.ngrams import count

    counted = count(texts, n)
    bounds = counted.indptr[n - 1]
    here = slice(bounds[0], bounds[-1])
    text = np.repeat(np.arange(len(texts)), np.diff(bounds))
    return NgramEntries(counted.ids[here] - counted.starts[n - 1], counted.counts[here], text)


def ngram_entropy(entries: NgramEntries) -> float:
    """Return the entropy in nats of n-gram frequencies; NaN if there are none. Zhang et al. 2018, section 4.2."""
    frequency = np.bincount(entries.ngram, weights=entries.times)
    frequency = frequency[frequency > 0]
    if not len(frequency):
        return float("nan")
    share = frequency / frequency.sum()
    return float(-(share * np.log(share)).sum()) + 0.0


def self_repetition(entries: NgramEntries, texts: int) -> float:
    """Return the mean over texts of ln(1 + sum over distinct n-grams of the number of other texts with that n-gram).

    NaN if there are no texts. Salkar et al. 2022, section 3, with the 1 that Shaib et al. 2024 add, by which a text
    that repeats nothing counts 0.
    """
    if not texts:
        return float("nan")
    others = np.bincount(entries.ngram)[entries.ngram] - 1 if len(entries.ngram) else entries.ngram
    return float(np.log1p(np.bincount(entries.text, weights=others)).sum() / texts)


def compression_ratio(texts: Sequence[str]) -> float:
    """Return the size of texts, joined by spaces, over their size after gzip; NaN if it is 0. Shaib et al. 2024."""
    import gzip

    # Lone surrogates are not characters, and have no bytes in UTF-8.
    joined = " ".join(texts).encode("utf-8", errors="replace")
    return len(joined) / len(gzip.compress(joined, LEVEL, mtime=0)) if joined else float("nan")


def order_by_digest(texts: Sequence[str]) -> list[int]:
    """Return a pseudo-random order of texts that does not depend on the order in which they are given.

    Texts are sorted by the digest of their words and of the number of equal texts before them, so that copies are
    spread out.
    """
    seen: Counter[str] = Counter()
    places = []
    for row, text in enumerate(texts):
        mark = f"{seen[text]} {text}".encode("utf-8", errors="surrogatepass")
        places.append((sha256(mark).digest(), row))
        seen[text] += 1
    return [row for _, row in sorted(places)]


@dataclass(frozen=True)
class LongNgrams(WordRunMetric):
    """A metric of how often the candidates of a run repeat longer n-grams."""

    n: Annotated[int, Range(1, 10)] = 4
    family: ClassVar[Family] = "diversity"
    reads_references: ClassVar[bool] = False

    @property
    def parameters(self) -> str:
        return f"n:{self.n}|tok:{self.tokenizer}"

    def entries(self, chunk: Chunk) -> tuple[NgramEntries, NDArray[Any]]:
        """Return the n-grams of a run's candidates, and each candidate's item. Raises Undefined if there are none."""
        texts, _, item, _ = self.texts(chunk)
        if not texts:
            raise Undefined("no captions of the run")
        found = chunk.shared(("ngram entries", self.tokenizer, self.n), lambda: ngram_entries(texts, self.n))
        if not len(found.ngram):
            raise Undefined(f"no caption has {'a word' if self.n == 1 else f'{self.n} words'}")
        return found, item


@dataclass(frozen=True)
class NgramEntropy(LongNgrams):
    """Entropy of the n-grams in all candidates of a run, in nats."""

    name: ClassVar[str] = "ngram_entropy"
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    source: ClassVar[str] = "Zhang et al. 2018 (Ent-n)"
    cites: ClassVar[tuple[str, ...]] = ("zhang2018generating",)
    formula: ClassVar[str] = r"-\sum_g p_g \ln p_g,\; p_g = \frac{\#g}{\#\,n\text{-grams}}"
    summary: ClassVar[str] = (
        "High where n-grams are many and equally frequent; at most the logarithm of their number. Grows with the "
        "number of captions: compare runs of equal size."
    )

    @property
    def label(self) -> str:
        return f"{self.n}-gram entropy"

    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        entries, item = self.entries(chunk)
        return jackknifed(lambda kept: ngram_entropy(entries.of_texts(kept[item])), chunk)


@dataclass(frozen=True)
class SelfRepetition(LongNgrams):
    """Self-repetition: how much of each candidate's n-grams the other candidates of the run repeat."""

    name: ClassVar[str] = "self_repetition"
    label: ClassVar[str] = "Self-repetition"
    higher_is_better: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    source: ClassVar[str] = "Salkar et al. 2022, with the 1 that Shaib et al. 2024 add"
    cites: ClassVar[tuple[str, ...]] = ("salkar2022self", "shaib2024standardizing")
    formula: ClassVar[str] = r"\frac1n\sum_i \ln\Big(1+\sum_{g\in G_N(c_i)} |\{j\neq i : g\in G_N(c_j)\}|\Big),\; N=4"
    summary: ClassVar[str] = (
        "0 where no caption shares a 4-gram with another one, of its own or of another item. Grows with the number of "
        "captions: compare runs of equal size."
    )

    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        entries, item = self.entries(chunk)
        if len(item) < 2:
            raise Undefined(f"needs 2 captions, the run has {len(item)}")

        def value(kept: NDArray[np.bool_]) -> float:
            texts = kept[item]
            return self_repetition(entries.of_texts(texts), int(texts.sum()))

        return jackknifed(value, chunk)


@dataclass(frozen=True)
class CompressionRatio(RunMetric):
    """Compression ratio: bytes of all candidates of a run over their bytes after gzip."""

    name: ClassVar[str] = "compression_ratio"
    label: ClassVar[str] = "Compression ratio"
    family: ClassVar[Family] = "diversity"
    reads_references: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    source: ClassVar[str] = "Shaib et al. 2024"
    cites: ClassVar[tuple[str, ...]] = ("shaib2024standardizing",)
    formula: ClassVar[str] = r"\frac{\mathrm{bytes}(c_1 \cdots c_n)}{\mathrm{bytes}(\mathrm{gzip}(c_1 \cdots c_n))}"
    summary: ClassVar[str] = (
        "High where captions repeat words and phrases. The captions are compressed as written, joined by spaces in "
        "the order of their digests, at level 9. Grows with the amount of text: compare runs of equal size."
    )

    @property
    def parameters(self) -> str:
        import zlib

        made_by = "zlib-ng" if "ng" in zlib.ZLIB_RUNTIME_VERSION else "zlib"
        return f"gzip:{LEVEL}|by:{made_by}|join:blank|order:digest"

    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        texts = [text for captions in chunk.candidates for text in captions]
        if not any(text.strip() for text in texts):
            raise Undefined("no caption has a letter" if texts else "no captions of the run")
        item = np.repeat(np.arange(len(chunk)), [len(captions) for captions in chunk.candidates])
        order = order_by_digest(texts)

        def value(kept: NDArray[np.bool_]) -> float:
            chunk.hooks.check()
            return compression_ratio([texts[row] for row in order if kept[item[row]]])

        return jackknifed(value, chunk)

"""CIDEr-D: tf-idf cosines of n-grams, clipped and penalised for length, with a study's document frequencies."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.text.ngrams import MAX_N, NgramCounts, count, count_flat, encode, words

SIGMA = 6.0


class Weighed(NamedTuple):
    """Texts as n-grams in compressed rows, as in `NgramCounts`, with their tf-idf weights.

    `lacking` states whether some n-gram has number -1 because the document frequencies lack it.
    """

    ids: Integers
    weights: Floats
    indptr: Integers
    lengths: Integers
    lacking: bool


@dataclass(frozen=True, eq=False)
class DocumentFrequencies:
    """The number of items, out of `documents`, in which some text contains each n-gram of length 1..4.

    `vocabulary` is sorted; the n-grams of order k + 1 are starts[k]..starts[k + 1], each consisting of the n-gram
    `prefix` (-1: none) and the word `last`, sorted by `prefix`, then by `last`; `frequency` (n-grams,) counts items.
    """

    documents: int
    vocabulary: tuple[str, ...]
    starts: Integers
    prefix: Integers
    last: Integers
    frequency: Integers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DocumentFrequencies) and (self is other or self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    @classmethod
    def fit(cls, items: Sequence[Sequence[Sequence[str]]]) -> DocumentFrequencies:
        """Return frequencies over items, given each item's tokenised texts. Raises ValueError if there are none."""
        if not items:
            raise ValueError("Document frequencies need at least one item.")
        texts = list(chain.from_iterable(items))
        vocabulary = tuple(sorted(set(chain.from_iterable(words(text) for text in texts))))
        counts = count(encode(texts), MAX_N)
        item = np.repeat(np.arange(len(items)), [len(texts) for texts in items])
        frequency = _items_with(counts, item)
        return cls(len(items), vocabulary, counts.starts, counts.prefix, counts.last, frequency)

    @property
    def undefined(self) -> str | None:
        """Why CIDEr-D has no value with these frequencies; None if it has one."""
        if self.documents > 1:
            return None
        return "CIDEr-D needs two sets of references or more: with one, every n-gram has weight log 1 = 0"

    @cached_property
    def digest(self) -> str:
        """The sha256 of the content: equal digests give every n-gram the same weight."""
        text = hashlib.sha256()
        for name, array in sorted(self.to_arrays().items()):
            text.update(f"{name} {array.dtype} {array.shape}|".encode() + np.ascontiguousarray(array).tobytes())
        return text.hexdigest()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return plain arrays that `from_arrays` reads back, suitable for an .npz without pickle."""
        coded = [word.encode("utf-8", "surrogatepass") for word in self.vocabulary]
        return {
            "documents": np.array(self.documents, dtype=np.int64),
            "letters": np.frombuffer(b"".join(coded), dtype=np.uint8),
            "ends": np.cumsum([len(word) for word in coded], dtype=np.int64),
            "starts": self.starts,
            "prefix": self.prefix,
            "last": self.last,
            "frequency": self.frequency,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> DocumentFrequencies:
        """Return the object that `to_arrays` stored. Raises KeyError, which names a missing array."""
        letters, ends = arrays["letters"].tobytes(), arrays["ends"].tolist()
        begins = [0, *ends[:-1]]
        vocabulary = tuple(letters[a:b].decode("utf-8", "surrogatepass") for a, b in zip(begins, ends))
        rest = (np.asarray(arrays[name], dtype=np.int64) for name in ("starts", "prefix", "last", "frequency"))
        return cls(int(arrays["documents"]), vocabulary, *rest)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.vocabulary)}

    @cached_property
    def _keys(self) -> Integers:
        """Sorted keys of n-grams within each order: the prefix's number times the vocabulary size, plus `last`."""
        keys = self.last.astype(np.int64).copy()
        for k in range(1, len(self.starts) - 1):
            here = slice(self.starts[k], self.starts[k + 1])
            keys[here] += (self.prefix[here] - self.starts[k - 1]) * len(self.vocabulary)
        return keys

    def weigh(self, tokens: Sequence[Sequence[str]]) -> tuple[NgramCounts, Floats]:
        """Return the n-gram counts of texts and, aligned with `counts.ids`, their tf-idf weights.

        A weight is count x (log documents - log max(1, frequency)), as in the COCO evaluation.
        """
        counts = self._count(tokens)
        return counts, self._weights(counts, self._places(counts))

    def weighed(self, tokens: Sequence[Sequence[str]]) -> Weighed:
        """Return texts weighted as by `weigh`, with n-grams numbered as in these frequencies; -1 for other n-grams."""
        counts = self._count(tokens)
        places = self._places(counts)
        ids = places[counts.ids]
        return Weighed(ids, self._weights(counts, places), counts.indptr, counts.lengths, bool((ids < 0).any()))

    def held_out(self, tokens: Sequence[Sequence[str]]) -> tuple[Weighed, Weighed]:
        """Return the references of one item twice: weighted as if each had not been counted, and with all frequencies.

        In the first, n-grams that no other reference of the item has count in one item fewer, as for a run's caption.
        """
        counts = self._count(tokens)
        places = self._places(counts)
        alone = np.bincount(counts.ids, minlength=len(places)) == 1
        own, others = (self._weights(counts, places, less) for less in (alone, None))
        ids = places[counts.ids]
        first, second = (Weighed(ids, weights, counts.indptr, counts.lengths, False) for weights in (own, others))
        return first, second

    def _places(self, counts: NgramCounts) -> Integers:
        """(distinct n-grams,) numbers of these n-grams in the frequencies, -1 for missing ones."""
        from metrics.text.ngram_kernels import find_ngrams

        size = len(self.vocabulary)
        return find_ngrams(counts.starts, counts.prefix, counts.last, self.starts, self._keys, size)

    def _weights(self, counts: NgramCounts, places: Integers, less: Labels | None = None) -> Floats:
        """Return the weights of all n-grams; those in the mask `less` (distinct n-grams,) count in one item fewer."""
        frequency = np.ones(len(places))
        known = places >= 0
        frequency[known] = self.frequency[places[known]]
        if less is not None:
            frequency -= less
        frequency = np.maximum(frequency, 1)
        idf = np.log(float(self.documents)) - np.log(frequency)
        return counts.counts * idf[counts.ids]

    def _count(self, tokens: Sequence[Sequence[str]]) -> NgramCounts:
        numbers, size = self._numbers, len(self.vocabulary)
        new: dict[str, int] = {}
        flat: list[int] = []
        lengths: list[int] = []
        for text in tokens:
            split = words(text)
            lengths.append(len(split))
            for word in split:
                number = numbers.get(word)
                flat.append(new.setdefault(word, size + len(new)) if number is None else number)
        return count_flat(np.array(flat, dtype=np.int64), np.array(lengths, dtype=np.int64), MAX_N)


def cider_d_pairs(tokens: Sequence[Sequence[str]], frequencies: DocumentFrequencies) -> Floats:
    """(N, N) CIDEr-D of all pairs of a hypothesis (row) and its only reference (column), in 0..10.

    The mean of a row over an item's references is the caption's CIDEr-D. All NaN if the frequencies come from a single
    item (`frequencies.undefined` explains why). Lengths count bigrams, as in the COCO code; a caption of fewer than
    four words scores less than 10 even against itself. Vedantam et al. 2015, section 5.
    """
    if frequencies.undefined:
        return np.full((len(tokens), len(tokens)), np.nan)
    sides = _together(tokens, len(tokens), frequencies)
    return _similarity(sides[0], sides[0])


def cider_d_block(
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    frequencies: DocumentFrequencies,
    weighed: Callable[[Sequence[Sequence[str]]], Weighed] | None = None,
) -> Floats:
    """(n, m) CIDEr-D of candidates against references only, as in `cider_d_pairs`; NaN if `frequencies` are undefined.

    `weighed` must return what `frequencies.weighed` returns, for example from a cache of texts that are compared
    repeatedly.
    """
    if frequencies.undefined:
        return np.full((len(candidates), len(references)), np.nan)
    weigh = weighed or frequencies.weighed
    own, others = weigh(candidates), weigh(references)
    if own.lacking and others.lacking:
        own, others = _together([*candidates, *references], len(candidates), frequencies)
    return _similarity(own, others)


def cider_d_held_out(references: Sequence[Sequence[str]], frequencies: DocumentFrequencies) -> Floats:
    """(m, m) CIDEr-D of the references of an item, each as if it had not been counted, against the other references.

    The values are those of `cider_d_pairs`, except that the n-grams of a row are weighted as for a run's caption, by
    the frequencies without that reference. The diagonal is meaningless.
    """
    if frequencies.undefined:
        return np.full((len(references), len(references)), np.nan)
    return _similarity(*frequencies.held_out(references))


def _together(tokens: Sequence[Sequence[str]], n: int, frequencies: DocumentFrequencies) -> tuple[Weighed, Weighed]:
    """Return the first n texts and the rest with jointly numbered n-grams, some of which may lack a frequency."""
    counts, weights = frequencies.weigh(tokens)
    first, rest = slice(n + 1), slice(n, None)
    return (
        Weighed(counts.ids, weights, counts.indptr[:, first], counts.lengths[:n], False),
        Weighed(counts.ids, weights, counts.indptr[:, rest], counts.lengths[n:], False),
    )


def _similarity(own: Weighed, others: Weighed) -> Floats:
    from metrics.text.pair_kernels import cider_similarity

    found: Floats = cider_similarity(*own[:4], *others[:4], SIGMA)
    return found


def _items_with(counts: NgramCounts, item: Integers) -> Integers:
    """(distinct n-grams,) number of items that have the n-gram in some text; `item` (T,) is ascending."""
    text = np.repeat(np.tile(np.arange(len(item)), len(counts.indptr)), np.diff(counts.indptr, axis=1).ravel())
    pairs = np.unique(counts.ids * (item.max(initial=0) + 1) + item[text])
    return np.bincount(pairs // (item.max(initial=0) + 1), minlength=len(counts.prefix)).astype(np.int64)

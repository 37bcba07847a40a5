"""The training data of critiques: captions by people and by runs, and made-up negatives to distinguish from people's.

Cui et al. 2018, section 3 and A.3: people's captions in the context of another reference are positive; the negatives
are the run's captions, samples of a language model of the run, captions of other items (RC), and people's captions with
words in random order (WP) or with random words (RW).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.study import digest
from metrics.learned.ngram_model import NgramModel
from metrics.transformations import Material, transformed, vocabulary
from metrics.transformations.base import Transformation, bare_word
from metrics.transformations.pathological import RandomWords, WordPermutation

Rows = NDArray[np.int64]
Texts = tuple[str, ...]
DAMAGES: tuple[Transformation, ...] = (WordPermutation(), RandomWords())
FAKES = 2
"""Number of damaged captions per item and kind, and of language-model samples per item and run."""


def plain(text: str) -> str:
    """Return a caption in lower case without punctuation around its words, so that style does not reveal the author."""
    return " ".join(bare for word in text.replace("\0", " ").split() if (bare := bare_word(word)))


@dataclass(frozen=True)
class Corpus:
    """Plain captions: `people` (items, references) and `runs` (runs, items, candidates), ragged; the `seed` of draws.

    Folds and damaged captions depend only on the references, the clusters and the seed, so that runs share them. Items
    with equal `clusters` (items,) are in one fold; "" marks an item without a cluster. `images` are the (items, d)
    features of the items' images, if they are read; `samples` (runs, items, captions), ragged, come from the runs' own
    models, if supplied.
    """

    people: tuple[Texts, ...]
    runs: tuple[tuple[Texts, ...], ...]
    seed: int = 0
    images: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)
    clusters: Texts = ()
    samples: tuple[tuple[Texts, ...], ...] = ()

    @cached_property
    def digest(self) -> str:
        """The sha256 of all captions in order, the features of the images, the clusters and the samples."""
        return digest([self.people, self.runs, *(part for part in (self.seen, self.clusters, self.samples) if part)])

    @cached_property
    def seen(self) -> list[str]:
        """The sha256 of the features of each item's image; empty if there are no images."""
        return [] if self.images is None else [sha256(row.tobytes()).hexdigest() for row in self.images]

    def taken(self, order: Sequence[int]) -> Corpus:
        """Return the corpus with these items, in this order."""
        people = tuple(self.people[k] for k in order)
        runs = tuple(tuple(run[k] for k in order) for run in self.runs)
        images = None if self.images is None else self.images[np.array(order, dtype=np.int64)]
        clusters = tuple(self.clusters[k] for k in order) if self.clusters else ()
        samples = tuple(tuple(run[k] for k in order) for run in self.samples)
        return Corpus(people, runs, self.seed, images, clusters, samples)

    @cached_property
    def order(self) -> list[int]:
        """The order of the items, which depends only on their texts and images."""
        keys = [digest([texts, [run[k] for run in self.runs]]) for k, texts in enumerate(self.people)]
        return self._sorted(keys)

    @cached_property
    def order_of_people(self) -> list[int]:
        """The order of the items, which depends only on their references if these are distinct."""
        keys = [(digest(texts), digest([run[k] for run in self.runs])) for k, texts in enumerate(self.people)]
        return self._sorted(keys)

    def _sorted(self, keys: Sequence[Any]) -> list[int]:
        seen = self.seen or [""] * len(keys)
        return sorted(range(len(keys)), key=lambda k: (keys[k], seen[k]))

    @cached_property
    def units(self) -> Rows:
        """(items,) number of each item's cluster, by first appearance; an item without a cluster is its own cluster."""
        known: dict[str | int, int] = {}
        names = [of or k for k, of in enumerate(self.clusters or ("",) * len(self.people))]
        return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)

    @cached_property
    def folds(self) -> Rows:
        """(items,) fold of each item, 0 or 1, at random; items with equal references or in one cluster share a fold."""
        keys = [digest([self.seed, texts]) for texts in self.people]
        if self.clusters:
            keys = _joined(keys, self.units.tolist())
        place = {key: k for k, key in enumerate(sorted(set(keys)))}
        return np.array([place[key] % 2 for key in keys], dtype=np.int64)

    @cached_property
    def damaged(self) -> tuple[tuple[tuple[tuple[str, int], ...], ...], ...]:
        """(kinds, items, FAKES) references with all words damaged, each with the position of its original."""
        return self._damaged(whole=True)

    @cached_property
    def partly_damaged(self) -> tuple[tuple[tuple[tuple[str, int], ...], ...], ...]:
        """(kinds, items, FAKES) references with at least two words damaged at random (Cui et al. 2018, A.3)."""
        return self._damaged(whole=False)

    @cached_property
    def sampled(self) -> tuple[tuple[Texts, ...], ...]:
        """(runs, items, captions) samples of each run: those supplied, or from a trigram model of each fold."""
        return self.samples or tuple(self._samples(run) for run in self.runs)

    def texts(self, partly: bool = False) -> tuple[list[str], list[str]]:
        """Return the distinct texts by people and their damaged copies, and the other distinct texts, each sorted.

        With `partly`, partly damaged texts are included.
        """
        own = {text for texts in self.people for text in texts}
        damaged = (*self.damaged, *(self.partly_damaged if partly else ()))
        own |= {text for kind in damaged for fakes in kind for text, _ in fakes}
        others = {text for side in (*self.runs, *self.sampled) for texts in side for text in texts}
        return sorted(own), sorted(others - own)

    def _damaged(self, whole: bool) -> tuple[tuple[tuple[tuple[str, int], ...], ...], ...]:
        words = Material(vocabulary=vocabulary(text.split() for texts in self.people for text in texts))
        return tuple(tuple(self._damages(one.prepare(words), texts, whole) for texts in self.people) for one in DAMAGES)

    def _damages(self, one: Transformation, texts: Texts, whole: bool) -> tuple[tuple[str, int], ...]:
        said = [one.signature, texts] if whole else [one.signature, texts, "in part"]
        rng = np.random.default_rng([self.seed, int(digest(said)[:12], 16)])
        places = [int(rng.integers(len(texts))) for _ in range(FAKES)] if texts else []
        found = []
        for k in places:
            words = texts[k].split()
            strength = 1.0 if whole else _some(len(words), rng)
            found.append((" ".join(transformed(one, words, strength, rng)), k))
        return tuple(found)

    def _samples(self, run: tuple[Texts, ...]) -> tuple[Texts, ...]:
        found: list[Texts] = [()] * len(run)
        for fold in (0, 1):
            items = np.flatnonzero(self.folds == fold).tolist()
            spoken = [text.split() for k in items for text in run[k]]
            if not spoken:
                continue
            model, rng = NgramModel(spoken), np.random.default_rng([self.seed, fold])
            for k in items:
                found[k] = tuple(" ".join(model.sample(rng)) for _ in range(FAKES))
        return tuple(found)


def _some(words: int, rng: np.random.Generator) -> float:
    """Return the strength that changes a random number of words, from two to all."""
    return int(rng.integers(2, words + 1)) / words if words > 2 else 1.0


def _joined(keys: Sequence[str], units: Sequence[int]) -> list[str]:
    """Return, for each item, the smallest key of all items that are linked to it by equal keys or units."""
    found, before = list(keys), [""] * len(keys)
    while found != before:
        before = found
        for shared in (keys, [str(unit) for unit in units]):
            least: dict[str, str] = {}
            for of, key in zip(shared, found):
                least[of] = min(key, least.get(of, key))
            found = [least[of] for of in shared]
    return found


@dataclass(frozen=True)
class Pool:
    """Captions of one kind: text rows, sources (position of a reference, or -1), and starts and counts by item."""

    rows: Rows
    sources: Rows
    starts: Rows
    counts: Rows

    @classmethod
    def of(cls, items: Iterable[Sequence[tuple[int, int]]]) -> Pool:
        """Return the pool of each item's pairs (text row, position of its source reference)."""
        parts = list(items)
        flat = np.array([pair for part in parts for pair in part], dtype=np.int64).reshape(-1, 2)
        counts = np.array([len(part) for part in parts], dtype=np.int64)
        return cls(flat[:, 0], flat[:, 1], np.cumsum(counts) - counts, counts)

    def draw(self, items: Rows, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Return a random caption of each of these items, which must have captions: text rows and source positions."""
        at = self.starts[items] + rng.integers(self.counts[items])
        return self.rows[at], self.sources[at]

    def all_of(self, items: Rows) -> Rows:
        """Return the positions in `rows` of all captions of these items."""
        parts = [np.arange(self.starts[k], self.starts[k] + self.counts[k]) for k in items]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


@dataclass(frozen=True)
class Pools:
    """The captions of a corpus by kind, as rows of one table of texts.

    Critiques learn from `permuted` and `random`; `probes` are their counterparts with all words damaged, to be scored.
    """

    people: Pool
    runs: tuple[Pool, ...]
    spoken: Pool
    permuted: Pool
    random: Pool
    sampled: Pool
    probes: tuple[Pool, ...]

    @classmethod
    def of(cls, corpus: Corpus, place: dict[str, int], partly: bool = False) -> Pools:
        """Return the pools of a corpus; `place` maps texts to rows. `partly` adds partly damaged captions."""

        def joined(sides: Iterable[Sequence[Texts]]) -> Pool:
            return Pool.of([(place[text], -1) for texts in of_item for text in texts] for of_item in zip(*sides))

        def damaged(kinds: Sequence[Sequence[Sequence[tuple[str, int]]]]) -> tuple[Pool, ...]:
            return tuple(Pool.of([(place[text], k) for text, k in fakes] for fakes in kind) for kind in kinds)

        probes = damaged(corpus.damaged)
        permuted, random = damaged(corpus.partly_damaged) if partly else probes
        people = Pool.of([(place[text], k) for k, text in enumerate(texts)] for texts in corpus.people)
        runs = tuple(joined([run]) for run in corpus.runs)
        return cls(people, runs, joined(corpus.runs), permuted, random, joined(corpus.sampled), probes)

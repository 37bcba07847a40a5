"""The examples of one critique: positive and negative captions in their contexts, drawn anew in every epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from metrics.learned.critique_data import Pools, Rows

BATCH = 100
"""Examples per batch, half of them positive."""
HELD_OUT = 10
"""One in this many items (or clusters of items) of a fold is held out for early stopping."""

KINDS = ("run", "word_permutation", "random_words", "language_model", "random_caption")
"""The kinds of negatives."""
SHARES = (3, 1, 1, 3, 1)
"""Relative frequencies of KINDS: a third are from runs, language models and pathologies each (Cui et al. 2018, A.3)."""


class Batch(NamedTuple):
    """Text rows (n,) of captions and of references beside them, if any, labels (n,) (1 for people), and items (n,)."""

    caption: Rows
    reference: Rows | None
    label: Rows
    item: Rows


@dataclass(frozen=True)
class Examples:
    """The examples of one fold: `items` to train on, `others` held out, both ascending and with captions of every kind.

    `inputs` are the network's inputs per text. `kinds` are positions in KINDS, drawn equally often: a kind listed three
    times is drawn three times as often. `images` are the features of each item's image, if captions are judged beside
    it.
    """

    pools: Pools
    items: Rows
    others: Rows
    inputs: Tensor
    in_context: bool
    kinds: tuple[int, ...]
    seed: int
    images: Tensor | None = None

    def batches(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Return batches with each positive once, in random order, and as many negatives of the same items."""
        return self._drawn(self.items, rng)

    def held_out(self) -> Sequence[Batch]:
        """Return batches of the held-out items, the same in every call."""
        return list(self._drawn(self.others, np.random.default_rng([self.seed, 1])))

    def loss(self, network: nn.Module, batch: Batch) -> Tensor:
        """Return the mean cross entropy of the batch as a scalar tensor."""
        beside = None if batch.reference is None else self.inputs[torch.as_tensor(batch.reference)]
        image = None if self.images is None else self.images[torch.as_tensor(batch.item)]
        found = network(self.inputs[torch.as_tensor(batch.caption)], beside, image)
        return nn.functional.cross_entropy(found, torch.as_tensor(batch.label, device=found.device))

    def _drawn(self, items: Rows, rng: np.random.Generator) -> Iterator[Batch]:
        people = self.pools.people
        places, owners = people.all_of(items), np.repeat(items, people.counts[items])
        order = rng.permutation(len(places))
        places, owners = places[order], owners[order]
        captions = people.rows[places]
        contexts = self._other_reference(owners, people.sources[places], rng)
        fakes, beside = self._negatives(owners, items, rng)
        for start in range(0, len(places), BATCH // 2):
            part = slice(start, start + BATCH // 2)
            caption = np.concatenate([captions[part], fakes[part]])
            context = np.concatenate([contexts[part], beside[part]]) if self.in_context else None
            label = np.repeat([1, 0], len(caption) // 2)
            yield Batch(caption, context, label, np.concatenate([owners[part], owners[part]]))

    def _other_reference(self, items: Rows, sources: Rows, rng: np.random.Generator) -> Rows:
        """Return a random reference of each item, other than the caption's source if there is another.

        Return 0 for each item if references are not read.
        """
        people = self.pools.people
        counts = people.counts[items]
        free = np.where((sources >= 0) & (counts > 1), counts - 1, counts)
        if not self.in_context:
            return np.zeros(len(items), dtype=np.int64)
        step = rng.integers(free)
        place = np.where((sources >= 0) & (counts > 1), (sources + 1 + step) % counts, step)
        return people.rows[people.starts[items] + place]

    def _negatives(self, owners: Rows, items: Rows, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Return a negative for each positive, as caption and context, using each entry of `kinds` equally often."""
        kinds = rng.permutation(np.array(self.kinds)[np.arange(len(owners)) % len(self.kinds)])
        fakes, beside = np.zeros(len(owners), dtype=np.int64), np.zeros(len(owners), dtype=np.int64)
        pools = (self.pools.spoken, self.pools.permuted, self.pools.random, self.pools.sampled)
        for kind, pool in enumerate(pools):
            chosen = np.flatnonzero(kinds == kind)
            if len(chosen):
                fakes[chosen], sources = pool.draw(owners[chosen], rng)
                beside[chosen] = self._other_reference(owners[chosen], sources, rng)
        chosen = np.flatnonzero(kinds == len(pools))
        fakes[chosen], _ = self.pools.people.draw(another_item(owners[chosen], items, rng), rng)
        beside[chosen] = self._other_reference(owners[chosen], np.full(len(chosen), -1), rng)
        return fakes, beside


def another_item(items: Rows, among: Rows, rng: np.random.Generator) -> Rows:
    """Return, for each item, a random other item from `among`, which must be ascending and have at least two."""
    place = np.searchsorted(among, items)
    return among[(place + 1 + rng.integers(len(among) - 1, size=len(items))) % len(among)]

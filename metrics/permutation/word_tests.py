"""Permutation tests of words: does a run use a word more or less often than people do, image by image?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.permutation.pvalues import ALPHA
from metrics.progress import Hooks
from metrics.units import Units, first_alike

DRAWS = 999
_CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class WordCounts:
    """The number of times that each caption has each word: one entry per pair that occurs, by word, then by caption.

    `word`, `caption` and `count` are (entries,). `image` (0, 1, ..), `of_run` (whether it is by the run) and `length`
    (in words) are (captions,), in the order of images. Every image has captions of both sides, people's first. `unit`
    (images,) numbers the clusters of images, if any: within a cluster, images with equally many captions of both sides
    change sides together.
    """

    word: Integers = field(repr=False)
    caption: Integers = field(repr=False)
    count: Integers = field(repr=False)
    image: Integers = field(repr=False)
    of_run: Labels = field(repr=False)
    length: Integers = field(repr=False)
    words: int
    unit: Units = field(default=None, repr=False)

    @cached_property
    def alike(self) -> Integers | None:
        """(images,) for each image, the first whose captions change sides in the same way; None if `unit` is None."""
        return None if self.unit is None else first_alike(self.unit, *self.sizes)

    @cached_property
    def sizes(self) -> tuple[Integers, Integers]:
        """(images,) numbers of captions by people, and by the run."""
        images = int(self.image[-1]) + 1
        run = np.bincount(self.image[self.of_run], minlength=images)
        return np.bincount(self.image, minlength=images) - run, run

    @cached_property
    def shares(self) -> Floats:
        """(words,) share of each word among all words, by people and the run; every image has equal weight."""
        each = 1.0 / np.bincount(self.image)[self.image]
        said = np.bincount(self.word, self.count * each[self.caption], minlength=self.words)
        return np.asarray(said / max(float((self.length * each).sum()), 1.0))

    @cached_property
    def weights(self) -> Floats:
        """(captions,) 1 / n for each of the run's n captions of an image and -1 / m for each of people's m."""
        people, run = self.sizes
        return np.where(self.of_run, 1.0 / run[self.image], -1.0 / people[self.image])


class WordTests(NamedTuple):
    """The statistic of each word (w,), its two-sided p, and its p adjusted for all words.

    `least` and `most` are the ends of the range of statistics that are not rejected at ALPHA; they are infinite if
    there are too few draws to reject any.
    """

    statistic: Floats
    p_value: Floats
    adjusted: Floats
    least: Floats
    most: Floats


def word_tests(counts: WordCounts, draws: int = DRAWS, seed: int = 0, hooks: Hooks | None = None) -> WordTests:
    """Return permutation tests of all words: does the run use a word, relative to all its words, as often as people?

    For image i, d is the mean over the run's captions of (count of the word - its share * words of the caption), minus
    the same for people's captions. The statistic is sum d / sqrt(sum d^2), a monotone function of Student's t of the d;
    images are the independent units, however similar their captions are (Janssen 1997). Captions change sides within
    their image, in the same draws for every word and in two ways. Either all captions of an image are shuffled,
    which is exact if the run's captions are independent draws like people's. Or one caption of the run joins people's,
    and a random one of these becomes the run's, which is exact if a run repeats one such caption. p is the larger of
    the two, so that a run that repeats itself is no evidence about words; with one caption per image they are the same
    test.

    p is twice the p of the nearer tail. `adjusted` is the step-down maximum of the statistics on either side (Westfall
    and Young 1993, algorithm 4.1), which controls the probability of any false rejection. Raises Cancelled.
    """
    hooks, layout = hooks or Hooks(), _Layout.of(counts)
    observed = layout.statistics(counts.weights[:, None])[:, 0]
    rng = np.random.default_rng(seed)
    if counts.sizes[1].max() == 1:
        return WordTests(observed, *_tested(layout, observed, layout.swapped, draws, rng, hooks))
    halves = ((layout.shuffled, hooks.part(0.0, 0.5)), (layout.swapped, hooks.part(0.5, 1.0)))
    one, other = (_tested(layout, observed, drawn, draws, rng, part) for drawn, part in halves)
    return WordTests(
        observed,
        p_value=np.maximum(one[0], other[0]),
        adjusted=np.maximum(one[1], other[1]),
        least=np.minimum(one[2], other[2]),
        most=np.maximum(one[3], other[3]),
    )


def _tested(
    layout: _Layout,
    observed: Floats,
    drawn_by: Callable[[np.random.Generator, int], Floats],
    draws: int,
    rng: np.random.Generator,
    hooks: Hooks,
) -> Floats:
    """(4, w) p of each word, p adjusted for all words, and the ends of the range of statistics not rejected."""
    low, high = observed + 1e-9, observed - 1e-9
    order = np.argsort(observed, kind="stable")
    single, stepped = np.ones((2, len(observed))), np.ones((2, len(observed)))
    columns = max(min(_CELLS_AT_ONCE // len(layout.counts.image), 64), 1)
    tail = int(ALPHA / 2 * (draws + 1) + 1e-9)
    ends = [np.full((len(observed), max(tail, 1)), np.inf) for _ in "<>"]
    for start in range(0, draws, columns):
        hooks.check()
        drawn = drawn_by(rng, min(columns, draws - start))
        single += (drawn <= low[:, None]).sum(axis=1), (drawn >= high[:, None]).sum(axis=1)
        stepped[0, order[::-1]] += _reached(-drawn[order[::-1]], -low[order[::-1]])
        stepped[1, order] += _reached(drawn[order], high[order])
        ends = [_smallest(end, side) for end, side in zip(ends, (drawn, -drawn))]
        hooks.share(min(start + columns, draws) / draws)
    stepped[0, order] = np.maximum.accumulate(stepped[0, order])
    stepped[1, order[::-1]] = np.maximum.accumulate(stepped[1, order[::-1]])
    p = np.minimum(2 * np.stack([single.min(axis=0), stepped.min(axis=0)]) / (draws + 1), 1.0)
    least, most = (end.max(axis=1) - 1e-9 if tail else np.full(len(observed), -np.inf) for end in ends)
    return np.stack([*p, least, -most])


def _smallest(found: Floats, drawn: Floats) -> Floats:
    """(w, k) the k smallest of those found so far and of those drawn."""
    k = found.shape[1]
    return np.partition(np.concatenate([found, drawn], axis=1), k - 1, axis=1)[:, :k]


def _reached(drawn: Floats, observed: Floats) -> Integers:
    """(w,) draws in which any word up to this one, in ascending order, is at least as extreme as observed."""
    return np.asarray((np.maximum.accumulate(drawn, axis=0) >= observed[:, None]).sum(axis=1))


@dataclass(frozen=True, eq=False)
class _Layout:
    """The entries as compiled loops read them: where each word, each of its images, and an image's captions start."""

    counts: WordCounts
    words: Integers
    groups: Integers
    images: Integers
    starts: Integers

    @staticmethod
    def of(counts: WordCounts) -> _Layout:
        image = counts.image[counts.caption]
        new = np.flatnonzero(np.diff(counts.word, prepend=-1) | np.diff(image, prepend=-1))
        words = np.searchsorted(counts.word[new], np.arange(counts.words + 1))
        groups = np.append(new, len(counts.word))
        starts = np.searchsorted(counts.image, np.arange(int(counts.image[-1]) + 2))
        return _Layout(counts, words, groups, image[new], starts)

    def statistics(self, weights: Floats) -> Floats:
        """(words, K) statistics of the words for K columns of weights (captions, K)."""
        from metrics.permutation.word_kernels import statistics

        of = self.counts
        gaps = np.add.reduceat(weights * of.length[:, None], self.starts[:-1], axis=0)
        numbers = of.count.astype(np.float64)
        return statistics(self.words, self.groups, self.images, of.caption, numbers, of.shares, weights, gaps)

    def shuffled(self, rng: np.random.Generator, columns: int) -> Floats:
        """(words, columns) statistics when all captions of an image are shuffled."""
        from metrics.permutation.word_kernels import shuffled_weights

        people, run = self.counts.sizes
        moved = np.minimum(people, run)
        uniform = rng.random((int(moved.sum()), columns))
        if (alike := self.counts.alike) is not None:
            starts = np.cumsum(moved) - moved
            uniform = uniform[np.concatenate([starts[k] + np.arange(moved[k]) for k in alike])]
        return self.statistics(shuffled_weights(people, run, uniform))

    def swapped(self, rng: np.random.Generator, columns: int) -> Floats:
        """(words, columns) statistics when a caption of the run joins people's and a random one becomes the run's."""
        from metrics.permutation.word_kernels import swapped_weights

        people, run = self.counts.sizes
        uniform = rng.random((2, len(people), columns))
        if (alike := self.counts.alike) is not None:
            uniform = uniform[:, alike]
        return self.statistics(swapped_weights(people, run, uniform))

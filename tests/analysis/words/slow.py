"""Compare the words of a run with people's by definition, with loops over captions and over all labellings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import log, sqrt

from scipy.optimize import brentq
from scipy.special import gammaincc

Caption = tuple[str, ...]
Image = tuple[list[Caption], list[Caption]]
"""The captions of one image: those by people, and those of the run."""


def said(caption: Caption, term: str) -> int:
    wanted = tuple(term.split(" "))
    return sum(caption[k : k + len(wanted)] == wanted for k in range(len(caption)))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def share(images: Sequence[Image], term: str) -> float:
    pooled = [[*people, *run] for people, run in images]
    return sum(mean([said(c, term) for c in both]) for both in pooled) / sum(
        mean([len(c) for c in both]) for both in pooled
    )


def statistic(images: Sequence[Image], term: str, usual: float) -> float:
    """Return sum d / sqrt(sum d^2) over the images, given the overall share of the term; 0 if all d are 0."""

    def excess(captions: Sequence[Caption]) -> float:
        return mean([said(c, term) - usual * len(c) for c in captions])

    d = [excess(run) - excess(people) for people, run in images]
    square = sum(x * x for x in d)
    return sum(d) / sqrt(square) if square > 1e-18 else 0.0


def rate(images: Sequence[Image], term: str, side: int) -> float:
    """Return the share of the term among all words of people (`side` 0) or of the run (1), where each image counts
    once.
    """
    said_, length = ([mean([of(c) for c in image[side]]) for image in images] for of in (lambda c: said(c, term), len))
    return sum(said_) / sum(length)


def largest_rate(images: Sequence[Image], term: str, side: int) -> float:
    """Return the rate at which a rare term is used this seldom with a probability of 2.5 %; NaN if it is not rare.

    Uses by people are counted in all captions, and those by the run in one caption per image.
    """
    length = sum((sum if side == 0 else mean)([len(c) for c in image[side]]) for image in images)
    count = rate(images, term, side) * length
    if count >= 5:
        return float("nan")
    return float(brentq(lambda mean_: gammaincc(count + 1, mean_) - 0.025, 1e-9, 50)) / length


def of_ratio(images: Sequence[Image], term: str, ratio: float) -> float:
    """Return the statistic if the run is expected to use the term `ratio` times as often as people do."""
    pooled = [(people + run, [1.0] * len(people) + [ratio] * len(run)) for people, run in images]
    words = sum(mean([weight * len(c) for c, weight in zip(*both)]) for both in pooled)
    usual = sum(mean([said(c, term) for c in both[0]]) for both in pooled) / words

    def excess(captions: Sequence[Caption]) -> float:
        return mean([said(c, term) for c in captions])

    def length(captions: Sequence[Caption]) -> float:
        return mean([len(c) for c in captions])

    d = [
        excess(run) - ratio * excess(people) - ratio * usual * (length(run) - length(people)) for people, run in images
    ]
    square = sum(x * x for x in d)
    return sum(d) / sqrt(square) if square > 1e-18 else 0.0


def shuffled(people: list[Caption], run: list[Caption]) -> list[Image]:
    both = [*people, *run]
    ways = combinations(range(len(both)), len(run))
    return [([c for k, c in enumerate(both) if k not in mine], [both[k] for k in mine]) for mine in ways]


def swapped(people: list[Caption], run: list[Caption]) -> list[Image]:
    """Return all ways to add a caption of the run to people's captions and then take any one of them as the run's."""
    joined = [[*people, own] for own in run]
    return [(both[:k] + both[k + 1 :], [both[k]]) for both in joined for k in range(len(both))]


Ways = Callable[[list[Caption], list[Caption]], list[Image]]


def p_values(images: Sequence[Image], terms: Sequence[str]) -> tuple[list[float], list[float]]:
    """Return p of each term, and p adjusted over all terms.

    Each is the larger p from two ways to draw labels.
    """
    first, second = (_p_values(images, terms, ways) for ways in (shuffled, swapped))
    return [max(pair) for pair in zip(first[0], second[0])], [max(pair) for pair in zip(first[1], second[1])]


def _p_values(images: Sequence[Image], terms: Sequence[str], ways: Ways) -> tuple[list[float], list[float]]:
    """Return twice the smaller tail over all labellings, single and adjusted by the definition of Westfall and
    Young.
    """
    usual = [share(images, term) for term in terms]
    observed = [statistic(images, term, of) for term, of in zip(terms, usual)]
    labellings = product(*(ways(people, run) for people, run in images))
    drawn = [[statistic(one, term, of) for term, of in zip(terms, usual)] for one in labellings]
    tails = [_tail([sign * x for x in observed], [[sign * x for x in row] for row in drawn]) for sign in (1, -1)]
    single, adjusted = ([min(1.0, 2 * min(pair)) for pair in zip(*(tail[k] for tail in tails))] for k in (0, 1))
    return single, adjusted


def _tail(values: list[float], drawn: list[list[float]]) -> tuple[list[float], list[float]]:
    order = sorted(range(len(values)), key=lambda k: -values[k])
    p = [mean([row[k] >= values[k] - 1e-9 for row in drawn]) for k in range(len(values))]
    corrected, before = [0.0] * len(values), 0.0
    for rank, k in enumerate(order):
        rest = order[rank:]
        before = max(before, mean([max(row[j] for j in rest) >= values[k] - 1e-9 for row in drawn]))
        corrected[k] = before
    return p, corrected


def log_odds(images: Sequence[Image], term: str, prior: float) -> tuple[float, float]:
    """Return the log-odds ratio with its prior, and its standard error, from explicit sums over images."""
    sides = [[image[1] for image in images], [image[0] for image in images]]
    captions = [mean([len(side) for side in of]) for of in sides]
    y = [captions[s] * sum(mean([said(c, term) for c in side]) for side in sides[s]) for s in (0, 1)]
    n = [captions[s] * sum(mean([len(c) for c in side]) for side in sides[s]) for s in (0, 1)]
    a = prior * sum(y) / sum(n)
    inside, other = [x + a for x in y], [n[s] + prior - y[s] - a for s in (0, 1)]
    value = log(inside[0] / other[0]) - log(inside[1] / other[1])

    def influence(of: Image) -> float:
        found = 0.0
        for s, sign, side in ((0, 1, of[1]), (1, -1, of[0])):
            words = captions[s] * mean([said(c, term) for c in side])
            length = captions[s] * mean([len(c) for c in side])
            found += sign * (words * (1 / inside[s] + 1 / other[s]) - length / other[s])
        return found

    moved = [influence(image) for image in images]
    middle = mean(moved)
    between = sum((x - middle) ** 2 for x in moved) * len(images) / (len(images) - 1)
    return value, sqrt(between + sum(a * (1 / inside[s] + 1 / other[s]) ** 2 for s in (0, 1)))

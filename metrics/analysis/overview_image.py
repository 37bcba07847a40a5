"""The image that represents a study: its captions by people and by runs, and its triangles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

from data.study import Study
from metrics.analysis.triangles import ENOUGH, WorstTriangle, by_margin, strongest_departure
from metrics.cache.disk import Cache
from metrics.distances.base import ItemDistances, item_distances
from metrics.engine.tasks import Options
from metrics.mathematics.arrays import Floats
from metrics.mathematics.triangle import departure, rank_shares
from metrics.suite.distribution import Trm

_TRIED = 300


@dataclass(frozen=True)
class CountedCaption:
    """A caption, how often it occurs, and its `letter` as a corner of the triangle ("" if it is no corner)."""

    text: str
    times: int = 1
    letter: str = ""


@dataclass(frozen=True)
class CaptionSet:
    """The distinct captions of an image by people (`run` None) or a run, in file order; `total` counts repetitions."""

    run: int | None
    said: tuple[CountedCaption, ...]
    total: int


@dataclass(frozen=True)
class Triangle:
    """Two captions by people and a third by a run, with their distances; if `of_run`, two by the run and one by people.

    `rank` is 0 if the distance within the pair is the shortest, 2 if it is the longest.
    """

    pair: tuple[str, str]
    point: str
    inside: float
    edges: tuple[float, float]
    rank: int
    of_run: bool = False


@dataclass(frozen=True)
class RunShares:
    """The rank shares (2, 3) of a run's triangles on one image; `value` is their TRM.

    In row 0 the pair is by people. `triangles` counts sets of three captions from both sides; `few` is true if a side
    has fewer than ENOUGH captions.
    """

    run: int
    shares: Floats
    value: float
    triangles: int
    few: bool


@dataclass(frozen=True)
class Steps:
    """A triangle whose third caption is by `run`, and the shares of all triangles of each run that has triangles."""

    metric: Trm
    run: int
    triangle: Triangle
    shares: tuple[RunShares, ...]


def steps(
    study: Study, runs: Sequence[int], position: int, metric: Trm, cache: Cache, options: Options
) -> Steps | None:
    """Return a triangle of the first of these runs, and the shares of all of them; None without a suitable triangle.

    A triangle is suitable if its pair is the shortest or the longest side and no two corners coincide. Raises Undefined
    with the reason if the image has no distances.
    """
    names = [study.runs[k].name for k in runs]
    found = [item_distances(study, name, position, metric.space, cache, options.chunk) for name in names]
    shares = tuple(s for k, of in zip(runs, found) if (s := run_shares(k, of, metric)) is not None)
    first = triangle(found[0], next((s.shares for s in shares if s.run == runs[0]), None)) if found else None
    return Steps(metric, runs[0], first, shares) if first is not None else None


def run_shares(run: int, distances: ItemDistances, metric: Trm) -> RunShares | None:
    """Return the rank shares of a run; None with fewer than two captions on either side."""
    n, m = len(distances.candidates), len(distances.references)
    if min(n, m) < 2:
        return None
    shares = rank_shares(distances.matrix, distances.is_candidate, metric.ties)
    triangles = comb(m, 2) * n + comb(n, 2) * m
    return RunShares(run, shares, float(departure(shares)), triangles, min(n, m) < ENOUGH)


def triangle(distances: ItemDistances, shares: Floats | None) -> Triangle | None:
    """Return the triangle, with its pair by people, that shows the pair's more frequent extreme rank most clearly.

    It has the widest margin among triangles without zero distances: equal captions would collapse it to a line. None
    without such a triangle.
    """
    ranks = (0, 2) if shares is not None and shares[0, 0] > shares[0, 2] else (2, 0)
    return next((found for rank in ranks if (found := _widest(distances, rank))), None)


def telling(distances: ItemDistances, shares: Floats) -> Triangle | None:
    """Return the triangle with the median margin, for the direction and rank whose share is farthest above one third.

    Triangles with a distance of zero are excluded; if no other is left, return that of `triangle` (or None).
    """
    direction, rank = strongest_departure(shares)
    found = [one for one in by_margin(distances, direction, rank) if min(one.inside, *one.edges) > 0]
    if not found:
        return triangle(distances, shares)
    return _triangle(distances, found[len(found) // 2], rank, bool(direction))


def _widest(distances: ItemDistances, rank: int) -> Triangle | None:
    """The triangle with the widest margin whose pair is by people and whose three distances are positive.

    None if none of the first _TRIED is such a triangle.
    """
    for worst in islice(by_margin(distances, 0, rank), _TRIED):
        if min(worst.inside, *worst.edges) > 0:
            return _triangle(distances, worst, rank)
    return None


def _triangle(distances: ItemDistances, worst: WorstTriangle, rank: int, of_run: bool = False) -> Triangle:
    a, b = sorted(worst.pair)
    edges = worst.edges if (a, b) == worst.pair else worst.edges[::-1]
    texts = distances.texts
    return Triangle((texts[a], texts[b]), texts[worst.point], worst.inside, (edges[0], edges[1]), rank, of_run)


def caption_sets(
    study: Study, runs: Sequence[int], position: int, drawn: Steps | None = None
) -> tuple[CaptionSet, ...]:
    """Return the captions of an image by people and by these runs; the corners of the `drawn` triangle come first."""
    item = study.items[position]
    letters: list[Mapping[str, str]] = [{} for _ in range(len(runs) + 1)]
    if drawn is not None:
        letters[0] = dict(zip(drawn.triangle.pair, "AB"))
        if drawn.run in runs:
            letters[1 + list(runs).index(drawn.run)] = {drawn.triangle.point: "C"}
    texts = [item.references, *(study.runs[k].candidates.get(item.id, ()) for k in runs)]
    return tuple(
        CaptionSet(run, _said(said, of), len(said)) for run, said, of in zip((None, *runs), texts, letters, strict=True)
    )


_COMPARED = 5
"""Maximum number of captions per run and item that are compared by words: pairs grow quadratically."""


def typical(study: Study, runs: Sequence[int]) -> int:
    """Return the position of an item with a typical overlap between the words of these runs' captions.

    It is the median, among the items that the most runs describe, of the mean share of words that two captions have in
    common, over pairs from two runs (or from one, if there is only one). The first five distinct captions of a run
    count. An item with an extreme value would show unrelated captions, or the same caption repeatedly.
    """
    common = [(_in_common(study, runs, position), position) for position in range(len(study.items))]
    most = min(there for (there, _), _ in common)
    found = sorted(one for one in common if one[0][0] == most)
    return found[len(found) // 2][1]


def _in_common(study: Study, runs: Sequence[int], position: int) -> tuple[int, float]:
    """The negated number of runs with captions of an item, and the mean share of words common to two captions."""
    said = [study.runs[k].candidates.get(study.items[position].id, ()) for k in runs]
    words = [dict.fromkeys(frozenset(text.casefold().split()) for text in texts) for texts in said]
    there = [list(of)[:_COMPARED] for of in words if any(of)]
    of_two = [(a, b) for one, other in combinations(there, 2) for a in one for b in other]
    pairs = list(combinations(there[0], 2)) if len(there) == 1 else of_two
    shares = [len(a & b) / len(a | b) for a, b in pairs if a | b]
    return -len(there), sum(shares) / len(shares) if shares else 1.0


def _said(texts: Sequence[str], letters: Mapping[str, str]) -> tuple[CountedCaption, ...]:
    found = [CountedCaption(text, times, letters.get(text, "")) for text, times in Counter(texts).items()]
    return tuple(sorted(found, key=lambda said: said.letter or "Z"))

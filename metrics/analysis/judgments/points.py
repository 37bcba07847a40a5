"""Rated captions as points: the ratings of a study by one criterion, and a metric's values for the same captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.imported.judge_answers import preferences_of_people
from data.ratings.human_ratings import SET, Ratings, ratings_of
from data.study import Preference, Study
from metrics.analysis.caption_scores import in_file_order
from metrics.analysis.judgments.pair_accuracy import right
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats, Integers

ByRater = Literal["each", "mean"]
"""Whether the points are single ratings, or means over each caption's raters (Cui et al. 2018, appendix A.4)."""
BY_RATER: tuple[ByRater, ...] = ("each", "mean")
Values = Mapping[tuple[str, str], Result]


@dataclass(frozen=True, eq=False)
class Points:
    """Ratings `value` (n,), with the positions (n,) of their `run`, `item` and caption (`place`; `SET` for a set).

    `unit` (n,) numbers the captions and `cluster` (n,) the rated items, of which there are `clusters`. `drawn`
    (clusters,) numbers the resampling units: the study's clusters that the items belong to, or the items themselves.
    """

    criterion: str
    run: Integers = field(repr=False)
    item: Integers = field(repr=False)
    place: Integers = field(repr=False)
    value: Floats = field(repr=False)
    unit: Integers = field(repr=False)
    cluster: Integers = field(repr=False)
    clusters: int
    drawn: Integers = field(repr=False)

    def __len__(self) -> int:
        return len(self.value)

    @property
    def captions(self) -> int:
        """Number of rated captions, or of rated sets."""
        return int(self.unit.max()) + 1 if len(self) else 0


def criteria(study: Study) -> list[str]:
    """Return the criteria by which captions of a study were rated, overall quality first."""
    return [ratings.criterion for ratings in ratings_of(study)]


def points(study: Study, criterion: str, by: ByRater = "each", runs: Sequence[str] | None = None) -> Points:
    """Return the ratings of these runs' captions by a criterion.

    Raises KeyError, which names the known criteria, if there is no such criterion.
    """
    for ratings in ratings_of(study):
        if ratings.criterion == criterion:
            return _as_points(study, ratings, by, runs)
    raise KeyError(f"no criterion {criterion!r}; there are {', '.join(criteria(study)) or 'none'}")


def rated_unit(study: Study, criterion: str) -> Literal["caption", "set"]:
    """Return what people rated by a criterion: a caption, or the set of a run's captions of an item.

    Raises KeyError as `points` does.
    """
    return "set" if (points(study, criterion).place == SET).any() else "caption"


def suited(study: Study, criterion: str, metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """Return the metrics that have values for the rated units, sets or captions.

    For captions, these are the quality metrics; without references, all metrics that score single captions. Raises
    KeyError as `points` does.
    """
    able = [m for m in metrics if m.of_items and m.reads_candidates]
    if rated_unit(study, criterion) == "set":
        return tuple(able)
    if not any(item.references for item in study.items):
        return tuple(m for m in able if m.grain == "candidate")
    return tuple(m for m in able if m.family == "quality")


def _as_points(study: Study, ratings: Ratings, by: ByRater, runs: Sequence[str] | None) -> Points:
    wanted = [k for k, run in enumerate(study.runs) if runs is None or run.name in runs]
    keep = np.isin(ratings.run, wanted)
    run, item, place = (column[keep] for column in (ratings.run, ratings.item, ratings.place))
    value = ratings.value[keep]
    _, unit = np.unique(np.stack([item, run, place], axis=1), axis=0, return_inverse=True)
    unit = unit.ravel()
    if by == "mean" and len(unit):
        _, first = np.unique(unit, return_index=True)
        value = np.bincount(unit, value) / np.bincount(unit)
        run, item, place, unit = run[first], item[first], place[first], np.arange(len(first))
    return _clustered(study, ratings.criterion, run, item, place, value, unit)


def _clustered(
    study: Study, criterion: str, run: Integers, item: Integers, place: Integers, value: Floats, unit: Integers
) -> Points:
    items, cluster = np.unique(item, return_inverse=True)
    return Points(criterion, run, item, place, value, unit, cluster.ravel(), len(items), drawn_units(study, items))


def drawn_units(study: Study, items: Integers) -> Integers:
    """Return the independent units (items,) of these items, numbered from 0."""
    units = items if study.unit is None else study.unit[items]
    return np.asarray(np.unique(units, return_inverse=True)[1]).ravel()


def others(study: Study, criterion: str, runs: Sequence[str] | None = None) -> tuple[Points, Floats]:
    """Return the ratings of captions with several ratings and, for each, the mean (n,) of the caption's other ratings.

    Raises KeyError as `points` does.
    """
    each = points(study, criterion, "each", runs)
    size, total = np.bincount(each.unit), np.bincount(each.unit, each.value)
    keep = size[each.unit] > 1
    run, item, place, of = (column[keep] for column in (each.run, each.item, each.place, each.unit))
    value = each.value[keep]
    return _clustered(study, criterion, run, item, place, value, of), (total[of] - value) / (size[of] - 1)


def metric_values(study: Study, results: Values, metric: Metric, at: Points) -> Floats:
    """Return a metric's values (n,) for these points, oriented so that higher is better; NaN where missing.

    A rating of a whole set, or of an item's only caption, is matched with the value of the item.
    """
    out = np.full(len(at), np.nan)
    for k in np.unique(at.run):
        result = results.get((study.runs[k].name, metric.name))
        if result is None or not len(result.items):
            continue
        mine = np.flatnonzero(at.run == k)
        if metric.grain == "candidate":
            table, start = _by_place(study, k, result)
            some = mine[at.place[mine] != SET]
            inside = at.place[some] < np.diff(start)[at.item[some]]
            out[some[inside]] = table[start[at.item[some[inside]]] + at.place[some[inside]]]
            mine = mine[at.place[mine] == SET]
        else:
            captions = study.runs[k].candidates
            single = np.array([len(captions.get(item.id, ())) == 1 for item in study.items])
            mine = mine[(at.place[mine] == SET) | single[at.item[mine]]]
        out[mine] = result.items[at.item[mine]]
    return out if metric.higher_is_better else -out


def _by_place(study: Study, run: int, result: Result) -> tuple[Floats, NDArray[np.int64]]:
    sizes = np.bincount(result.unit_item, minlength=len(study.items))
    start = np.concatenate([[0], np.cumsum(sizes)])
    table = np.full(len(result.values), np.nan)
    captions = study.runs[run].candidates
    for k, item in enumerate(study.items):
        texts = captions.get(item.id, ())
        if len(texts) == sizes[k]:
            table[start[k] : start[k + 1]] = in_file_order(texts, result.values[start[k] : start[k + 1]])
    return table, start


class Votes(NamedTuple):
    """Votes on pairs, all (v,): `right` is 1 where a vote agrees with the majority of the pair's other votes, else 0.

    `unit` numbers the resampling units, as in `Points.drawn`. A vote is left out if the other votes tie.
    """

    right: Floats
    unit: Integers
    category: Sequence[str]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of captions that people compared: `preference` (n,) for the first, -1..1, with `category` and `cluster`.

    `first` and `second` are points without a rating. Pairs on which people tie are left out and counted in `ties`.
    `votes` come from all pairs, tied pairs included, that have whole numbers of votes: a person who ties casts two half
    votes.
    """

    first: Points
    second: Points
    preference: Floats
    category: Sequence[str]
    cluster: Integers
    clusters: int
    ties: int
    votes: Votes

    def right(self, study: Study, results: Values, metric: Metric) -> Floats:
        """Return (n,) 1 where a metric prefers the same caption as people, 0.5 if it ties, else 0; NaN if undefined."""
        gap = metric_values(study, results, metric, self.first) - metric_values(study, results, metric, self.second)
        return np.where(np.isnan(gap), np.nan, right(gap, self.preference))


def pairs(study: Study, criterion: str | None = None) -> Pairs:
    """Return the pairs on which people do not tie, by one criterion or, for None, by any."""
    known = [one for one in preferences_of_people(study) if criterion in (None, one.criterion)]
    runs = {run.name: k for k, run in enumerate(study.runs)}
    items = {item.id: k for k, item in enumerate(study.items)}
    known = [p for p in known if p.item in items and p.first[0] in runs and p.second[0] in runs]
    decided = [one for one in known if one.first_votes != one.second_votes]
    item = np.array([items[one.item] for one in decided], dtype=np.int64)
    votes = np.array([(one.first_votes, one.second_votes) for one in decided]).reshape(-1, 2)
    preference = (votes[:, 0] - votes[:, 1]) / np.maximum(votes.sum(axis=1), 1e-300)
    first, second = (_side(study, [(p.first, p.second)[side] for p in decided], runs, item) for side in (0, 1))
    category, left_out = [one.category for one in decided], len(known) - len(decided)
    said = _votes(study, known, items)
    return Pairs(first, second, preference, category, first.cluster, first.clusters, left_out, said)


def _votes(study: Study, known: Sequence[Preference], items: Mapping[str, int]) -> Votes:
    found: list[tuple[float, int, str]] = []
    for one in known:
        sides = one.first_votes, one.second_votes
        for mine, others in (sides, sides[::-1]) if all(votes == int(votes) for votes in sides) else ():
            if mine and mine - 1 != others:
                found += [(float(mine - 1 > others), items[one.item], one.category)] * int(mine)
    units = drawn_units(study, np.array([item for _, item, _ in found], dtype=np.int64))
    return Votes(np.array([right for right, *_ in found]), units, [category for *_, category in found])


def _side(study: Study, named: Sequence[tuple[str, int]], runs: Mapping[str, int], item: Integers) -> Points:
    run = np.array([runs[name] for name, _ in named], dtype=np.int64)
    place = np.array([place for _, place in named], dtype=np.int64)
    return _clustered(study, "", run, item, place, np.zeros(len(named)), np.arange(len(named)))

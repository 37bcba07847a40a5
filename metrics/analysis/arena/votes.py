"""Votes on pairs of runs, as arrays, and which runs they can place on one scale."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from data.imported.judge_answers import pair_criteria
from data.judge_answers import JUDGE, Answer
from data.run_settings import parse_name
from data.study import Item, Preference, Run, Study, of_study
from metrics.analysis.judgments.points import drawn_units
from metrics.mathematics.arrays import Floats, Integers, Labels

Side = Literal["above", "below", "apart"]
"""Where a run that is not on the scale stands: above the scale, below it, or unconnected to it."""
EVEN = 0.5
"""Each run's share of the votes if neither run is preferred."""


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes (k,) on captions of the runs `first` and `second`, which are positions among `runs` runs.

    `won` counts votes for the first run, `lost` for the second, `tied` for neither. `shown` is 1 if the first run's
    caption was shown first, -1 if the second run's was, 0 if the order is unknown. `unit` numbers the items, or
    clusters of items, from 0 to `units` - 1.
    """

    first: Integers
    second: Integers
    won: Floats
    tied: Floats
    lost: Floats
    shown: Integers
    unit: Integers
    runs: int

    @property
    def units(self) -> int:
        """The number of units that have votes."""
        return len(np.unique(self.unit))

    @property
    def total(self) -> Floats:
        """(k,) numbers of votes."""
        return self.won + self.tied + self.lost

    @property
    def score(self) -> Floats:
        """(k,) votes for the first run, a tie counting half."""
        return self.won + self.tied / 2

    def among(self, keep: Labels) -> Votes:
        """Return the votes on pairs of runs within the mask `keep` (runs,), with these runs renumbered."""
        rows, place = keep[self.first] & keep[self.second], np.cumsum(keep) - 1
        unit = np.unique(self.unit[rows], return_inverse=True)[1].ravel()
        won, tied, lost = (column[rows] for column in (self.won, self.tied, self.lost))
        first, second = place[self.first[rows]], place[self.second[rows]]
        return Votes(first, second, won, tied, lost, self.shown[rows], unit, int(keep.sum()))

    def summed(self) -> Votes:
        """Return the votes summed over items, with a row for each pair of runs and presentation order.

        In every row, the first run is the one with the lower position.
        """
        of = self.oriented()
        keys, row = np.unique(np.stack([of.first, of.second, of.shown]), axis=1, return_inverse=True)
        size = keys.shape[1]
        won, tied, lost = (sums(row.ravel(), column, size) for column in (of.won, of.tied, of.lost))
        return Votes(keys[0], keys[1], won, tied, lost, keys[2], np.zeros(size, dtype=np.int64), self.runs)

    def oriented(self) -> Votes:
        """Return the same votes with the run of lower position as the first in every row."""
        turn = self.first > self.second
        sides = (np.where(turn, self.second, self.first), np.where(turn, self.first, self.second))
        won, lost = np.where(turn, self.lost, self.won), np.where(turn, self.won, self.lost)
        return replace(
            self, first=sides[0], second=sides[1], won=won, lost=lost, shown=np.where(turn, -self.shown, self.shown)
        )


def sums(row: Integers, values: Floats, size: int) -> Floats:
    """Return the sum (size,) of the values (k,) that belong to each row; `row` (k,) is the row of each value."""
    return np.asarray(np.bincount(row, values, size), dtype=np.float64)


class Vote(NamedTuple):
    """Votes on a pair of captions: the item, the two runs, and the columns of `Votes`."""

    item: str
    first: str
    second: str
    won: float
    tied: float
    lost: float
    shown: int


@of_study
def voted_on(study: Study) -> Study:
    """Return the study; if it has no runs, add the runs and items that its pairs name, without captions."""
    if study.runs or not study.preferences:
        return study
    names = dict.fromkeys(name for one in study.preferences for name, _ in (one.first, one.second))
    ids = dict.fromkeys([*(item.id for item in study.items), *(one.item for one in study.preferences)])
    known = {item.id: item for item in study.items}
    runs = tuple(Run(name, *parse_name(name), {}) for name in names)
    return replace(study, runs=runs, items=tuple(known.get(id) or Item(id, ()) for id in ids))


def criteria(study: Study) -> list[str]:
    """Return the criteria by which captions of different runs were compared, people's criteria first."""
    known = dict.fromkeys(criterion for criterion, *_ in _cast(study))
    return sorted(known, key=lambda criterion: criterion.startswith(JUDGE))


def categories(study: Study, criterion: str) -> list[str]:
    """Return the named categories of the pairs compared by a criterion."""
    return list(dict.fromkeys(kind for known, kind, _ in _cast(study) if known == criterion and kind))


def votes_of(study: Study, criterion: str, category: str | None = None) -> Votes:
    """Return the votes by a criterion on captions of two different runs, in one category or, for None, in all.

    Positions of runs are those in `voted_on(study)`.
    """
    study = voted_on(study)
    cast = [vote for known, kind, vote in _cast(study) if known == criterion and category in (None, kind)]
    runs = {run.name: k for k, run in enumerate(study.runs)}
    items = {item.id: k for k, item in enumerate(study.items)}
    first = np.array([runs[vote.first] for vote in cast], dtype=np.int64)
    second = np.array([runs[vote.second] for vote in cast], dtype=np.int64)
    item = np.array([items[vote.item] for vote in cast], dtype=np.int64)
    won, tied, lost = np.array([(vote.won, vote.tied, vote.lost) for vote in cast], dtype=np.float64).reshape(-1, 3).T
    shown = np.array([vote.shown for vote in cast], dtype=np.int64)
    return Votes(first, second, won, tied, lost, shown, drawn_units(study, item), len(runs))


def by_run(votes: Votes) -> Floats:
    """Return the numbers (runs, 4) of votes that each run won, tied and lost, and of the units with these votes."""
    run, unit = np.concatenate([votes.first, votes.second]), np.tile(votes.unit, 2)
    columns = ((votes.won, votes.lost), (votes.tied, votes.tied), (votes.lost, votes.won))
    cast = [sums(run, np.concatenate(sides), votes.runs) for sides in columns]
    seen = np.unique(np.stack([run, unit]), axis=1)[0]
    return np.stack([*cast, sums(seen, np.ones(len(seen)), votes.runs)], axis=1)


@of_study
def _cast(study: Study) -> list[tuple[str, str, Vote]]:
    """All votes on captions of two runs of the study, each with its criterion and category.

    People's votes, and those of a model in a file, come from preferences, whose presentation order is unknown; a
    judge's come from its answers, one vote per answer.
    """
    study, judged = voted_on(study), pair_criteria(study.answers)
    stated = (one for one in study.preferences if one.criterion not in judged.values())
    found = [(one.criterion, one.category, _of_preference(one)) for one in stated]
    found += [
        (judged[one.signature], "", _of_judge(one))
        for one in study.answers
        if one.prompt == "pairwise" and not math.isnan(one.score)
    ]
    runs, items = {run.name for run in study.runs}, {item.id for item in study.items}
    return [
        (criterion, kind, vote)
        for criterion, kind, vote in found
        if vote.item in items and {vote.first, vote.second} <= runs and vote.first != vote.second
    ]


def _of_preference(one: Preference) -> Vote:
    won, lost = one.first_votes - one.ties / 2, one.second_votes - one.ties / 2
    return Vote(one.item, one.first[0], one.second[0], won, one.ties, lost, 0)


def _of_judge(one: Answer) -> Vote:
    tied = float(one.score == EVEN)
    won = 0.0 if tied else one.score
    return Vote(one.item, one.runs[0], one.runs[1], won, tied, 1 - won - tied, 1)


@dataclass(frozen=True, eq=False)
class Places:
    """A mask `ranked` (runs,) of the runs on one scale, and how each other run, by position, relates to it."""

    ranked: Labels
    others: dict[int, Side]


def places(votes: Votes) -> Places:
    """Return the largest group of runs whose strengths can be finite, and how the other runs relate to it.

    In a group, each run has beaten or tied with every other run, directly or through other runs (Ford 1957). The
    strengths of other runs are not finite: a run that beat the group, directly or through others, is `above`, one that
    it beat is `below`, and the rest are `apart`.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    ahead, behind = votes.won + votes.tied > 0, votes.lost + votes.tied > 0
    winner = np.concatenate([votes.first[ahead], votes.second[behind]])
    loser = np.concatenate([votes.second[ahead], votes.first[behind]])
    graph = coo_array((np.ones(len(winner)), (winner, loser)), shape=(votes.runs, votes.runs)).tocsr()
    _, group = connected_components(graph, connection="strong")
    counts, inside = np.bincount(group), group[votes.first] == group[votes.second]
    cast = np.bincount(group[votes.first[inside]], votes.total[inside], len(counts))
    ranked = group == np.lexsort((-cast, -counts))[0]
    start = int(np.flatnonzero(ranked)[0])
    below = set(breadth_first_order(graph, start, return_predecessors=False).tolist())
    above = set(breadth_first_order(graph.T.tocsr(), start, return_predecessors=False).tolist())
    others: dict[int, Side] = {
        int(k): "below" if k in below else "above" if k in above else "apart" for k in np.flatnonzero(~ranked)
    }
    return Places(ranked, others)

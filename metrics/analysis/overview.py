"""A study at a glance: its runs ordered by quality and by distance to people (or people's ratings), and one image.

Positions of runs refer to `Study.runs`. Nothing is computed here: numbers that are not available yet are `waiting`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from data.study import Run, Study
from metrics.analysis import claims, run_differences
from metrics.analysis.comparable_runs import unequal
from metrics.analysis.defaults import first_to_rank, mostly_sets
from metrics.analysis.detectable_faults import Detectable
from metrics.analysis.feasibility import is_quick, runs_with_sets, why_impossible
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.settings_as_runs import by_setting
from metrics.base import Metric
from metrics.engine.result import PENDING
from metrics.mathematics.arrays import Floats, Labels
from metrics.suite.distribution import Trm
from metrics.suite.ratings import RatedByPeople, rating_metrics

AGREE = 0.8
"""Minimum Kendall's tau between two orders that count as the same, if no pair is significantly reversed."""
FEWEST = 3
"""Minimum number of runs that must have a distance for an order by distance, if other runs lack it."""
TOLD = 3
"""Maximum number of runs whose captions are shown beside the image."""
EMPHASISED = 5
"""Maximum number of runs drawn in colour in the chart of ranks."""
OF_RUNS = ("corpus_frechet_bert", "corpus_ms_jaccard_4")
"""Preferred distances between all captions of a run and all of people's, for studies whose items have no distances."""
Change = Literal["unsure", "stays", "below", "changes", "turns"]
IsAvailable = Callable[[Metric], bool]


@dataclass(frozen=True)
class Order:
    """The runs of a study by one metric.

    `values`, `low` and `high` (runs,) are values and 95 % intervals, NaN where missing, with the `reasons`. `rank`
    (runs,) is 1 for the best and 0 without a value; `ranges` are the ranks compatible with tests of all pairs. `ahead`
    (runs, runs) is True where the row's run is significantly better than the column's. `tied` are the runs that may be
    as good as the first, by tests corrected across all pairs; `untested` are those that cannot be compared with it.
    """

    metric: Metric
    values: Floats
    low: Floats
    high: Floats
    rank: NDArray[np.int64]
    ranges: run_differences.Ranks
    ahead: Labels
    tied: tuple[int, ...]
    untested: tuple[int, ...]
    reasons: tuple[str, ...]
    waiting: bool

    @property
    def ranked(self) -> int:
        """The number of runs with a value."""
        return int((self.rank > 0).sum())

    @property
    def first(self) -> int | None:
        """The first run in the study with the best value (see `firsts`); None if no run has a value."""
        return self.at(1)

    @property
    def firsts(self) -> tuple[int, ...]:
        """All runs with the best value."""
        return tuple(int(k) for k in np.flatnonzero(self.places == 1))

    @property
    def places(self) -> NDArray[np.int64]:
        """(runs,) ranks; runs with equal values share the best of their ranks."""
        known = [int(k) for k in np.argsort(self.rank, kind="stable") if self.rank[k]]
        places = self.rank.copy()
        for before, k in pairwise(known):
            if k in run_differences.equal_to(self.values, before):
                places[k] = places[before]
        return places

    def at(self, rank: int) -> int | None:
        """Return the run with that rank; None if no run has it."""
        found = np.flatnonzero(self.rank == rank)
        return int(found[0]) if rank and len(found) else None

    def span(self, run: int) -> tuple[int, int]:
        """Return the lowest and highest possible rank of a run; both are its place if nothing was resampled."""
        low, high, place = (int(of[run]) for of in (self.ranges.low, self.ranges.high, self.places))
        return (low, high) if low else (place, place)


@dataclass(frozen=True)
class Overview:
    """A study's runs in two orders, and how they compare with people.

    `quality` is the order by a quality metric. `other` is the order by distance to people, per image (TRM) or over
    whole runs, or by people's ratings; if the study has none of these, it is by a second quality metric, and
    `unmeasured` gives the reason. `people` compares the runs with people by the distance, None before there are tests;
    `detectable` are the faults that the tests could detect, if they detect no difference. `tau` is Kendall's tau-b
    between the two orders over the runs with both values, NaN with fewer than two.

    If runs differ only in a seed, the runs of `study` are settings, as on the Leaderboard: their values are means over
    seeds and their captions those of the first seed. `whole` is then the study with every seed as a run.
    """

    study: Study
    quality: Order
    other: Order
    unmeasured: str
    people: claims.PeopleComparison | None
    tau: float
    detectable: Detectable | None = None
    whole: Study | None = None

    @property
    def every(self) -> Study:
        """The original study, with every seed as a run."""
        return self.whole or self.study

    @property
    def unit(self) -> str:
        """The unit that is ranked: "run", or "setting" if runs differ only in a seed."""
        return "setting" if self.whole else "run"

    def seeds(self, run: int) -> tuple[Run, ...]:
        """Return the original runs behind a ranked run: the run itself, or the seeds of a setting."""
        if self.whole is None:
            return (self.study.runs[run],)
        return tuple(self.whole.run(name) for name in replicates(self.whole.runs)[run].runs)

    @property
    def waiting(self) -> bool:
        """Whether some values are not available yet."""
        return self.quality.waiting or self.other.waiting

    @property
    def alike(self) -> frozenset[int]:
        """Runs for which no difference from people was detected."""
        return frozenset(self.people.alike if self.people else ())

    def tested(self, run: int) -> bool:
        """Return whether a run, ranked or not, has a p against people by the other metric."""
        return self.people is not None and not np.isnan(self.people.p[run])

    @property
    def kept(self) -> int:
        """The number of pairs of runs that differ significantly by both metrics in the same direction."""
        return run_differences.kept_and_swapped(self.quality.ahead, self.other.ahead)[0]

    @property
    def swapped(self) -> int:
        """The number of pairs of runs that differ significantly by both metrics in opposite directions."""
        return run_differences.kept_and_swapped(self.quality.ahead, self.other.ahead)[1]

    @property
    def change(self) -> Change:
        """How the other order differs from that by quality, judged by pairs that differ significantly in both.

        It "stays" if none is reversed and is "unsure" without such pairs; else it is "below" if the first run is the
        same, "turns" if more than half of all pairs of runs are reversed, and otherwise "changes".
        """
        if not self.swapped:
            return "stays" if self.kept else "unsure"
        if self.quality.first == self.other.first:
            return "below"
        return "turns" if run_differences.reverses(self.quality.ahead, self.other.ahead) else "changes"

    @property
    def shown(self) -> tuple[int, ...]:
        """The runs whose captions are shown: the first of each order; if these coincide, also the last of `other`."""
        first, second = self.quality.first, self.other.first
        if second is None:
            return () if first is None else (first,)
        if first is None or first == second:
            last = self.other.at(self.other.ranked)
            return (second,) if last in (None, second) else (second, int(last))
        return first, second

    @property
    def too_few(self) -> bool:
        """Whether some runs have a distance to people, but too few for an order."""
        few = 0 < self.other.ranked < min(FEWEST, len(self.study.runs))
        return few and not (self.unmeasured or self.other.waiting)

    @property
    def measured(self) -> tuple[int, ...]:
        """The runs with a value by the other metric, best first."""
        return tuple(int(k) for k in np.argsort(self.other.rank, kind="stable") if self.other.rank[k])

    @property
    def taught(self) -> tuple[int, ...]:
        """Up to two runs that explain the distance, preferably shown runs, otherwise the first or last by distance.

        While distances are being computed, these are the shown runs that can have a distance.
        """
        if self.other.waiting:
            able = runs_with_sets(self.study)
            return tuple(k for k in self.shown if self.study.runs[k].name in able)
        ends = self.measured[:1] + self.measured[-1:]
        return tuple(dict.fromkeys(k for k in (*self.shown, *ends) if self.other.rank[k]))[:2]

    @property
    def told(self) -> tuple[int, ...]:
        """The runs whose captions appear beside the image: `shown`, and those that explain the distance."""
        return tuple(dict.fromkeys((*self.shown, *self.taught)))[:TOLD]

    @property
    def emphasised(self) -> tuple[int, ...]:
        """The first run of each order and, for each other model, the run whose rank changes most: at most EMPHASISED.

        A rank changes if the run is significantly better than another by one order, and worse by the other. If too few
        runs have a distance, these are the first by quality and all runs with a distance.
        """
        winners = dict.fromkeys(k for k in (self.quality.first, self.other.first) if k is not None)
        if self.too_few:
            return tuple(dict.fromkeys((*winners, *self.measured)))
        swapped = self.quality.ahead & self.other.ahead.T
        changed = np.flatnonzero(swapped.any(axis=0) | swapped.any(axis=1))
        moves = {int(k): abs(int(self.quality.rank[k] - self.other.rank[k])) for k in changed}
        taken = {self.study.runs[k].model for k in winners}
        movers: list[int] = []
        for k in sorted(moves, key=lambda k: -moves[k]):
            if self.study.runs[k].model not in taken and moves[k]:
                taken.add(self.study.runs[k].model)
                movers.append(k)
        return (*winners, *movers)[:EMPHASISED]


def overview(study: Study, numbers: Numbers, quality: Metric, other: Metric, unmeasured: str = "") -> Overview:
    """Return the overview of a study by these two metrics, from the available numbers.

    Settings with several seeds have no tests against people, since those apply to single runs.
    """
    ranked, of_ranked = by_setting(study, numbers, replicates(study.runs))
    whole = None if ranked is study else study
    orders = order(ranked, of_ranked, quality), order(ranked, of_ranked, other)
    people, would_find = None, None
    if not (unmeasured or whole):
        found = numbers.against_people(study, other, study.runs)
        people, would_find = found if found.tests else None, numbers.detectable.get(other.name)
    return Overview(ranked, *orders, unmeasured, people, kendall_tau(*orders), would_find, whole)


def order(study: Study, numbers: Numbers, metric: Metric) -> Order:
    """Return the order of a study's runs by one metric."""
    runs = study.runs
    values, _ = numbers.corpus(study, metric, runs)
    ranking = [k for k in run_differences.ranking(values, metric.higher_is_better) if not np.isnan(values[k])]
    rank = np.zeros(len(runs), dtype=np.int64)
    rank[ranking] = np.arange(1, len(ranking) + 1)
    pairs = numbers.pairs(study, metric, runs)
    verdict = run_differences.verdict(values, pairs, metric.higher_is_better)
    low, high = np.full((2, len(runs)), np.nan)
    for k, run in numbers.of(metric, runs):
        low[k], high[k] = numbers.results[run.name, metric.name].low, numbers.results[run.name, metric.name].high
    return Order(
        metric,
        values,
        low,
        high,
        rank,
        run_differences.rank_ranges(pairs, metric.higher_is_better),
        run_differences.ahead_of(pairs, metric.higher_is_better),
        verdict.tied if verdict else (),
        verdict.unknown if verdict else (),
        _reasons(study, numbers, metric),
        numbers.waiting(metric, runs),
    )


def _reasons(study: Study, numbers: Numbers, metric: Metric) -> tuple[str, ...]:
    left_out = unequal(study, metric, study.runs)

    def why(name: str) -> str:
        result = numbers.results.get((name, metric.name))
        if result is None:
            return PENDING
        return f"has {left_out[name].why()}" if name in left_out else result.why() or ""

    return tuple(why(run.name) for run in study.runs)


def kendall_tau(first: Order, second: Order) -> float:
    """Return Kendall's tau-b of two orders over the runs with both values; NaN for fewer than two, or for ties only."""
    both = (first.rank > 0) & (second.rank > 0)
    if both.sum() < 2:
        return np.nan
    values = (np.where(o.metric.higher_is_better, o.values, -o.values)[both] for o in (first, second))
    one, other = (np.sign(of[:, None] - of) for of in values)
    with np.errstate(invalid="ignore"):
        return float((one * other).sum() / np.sqrt(np.square(one).sum() * np.square(other).sum()))


def representative_image(numbers: Numbers, seen: Overview) -> int:
    """Return the position of the image on which the runs of `told` have the values closest to their overall values.

    It minimises the sum, over these runs, of the absolute difference between the values on the image and on the study:
    the distance to people or, for a run without a distance per image, the quality. Without any values, return the first
    image.
    """
    total = np.zeros(len(seen.study.items))
    for k in seen.told:
        order = seen.other if seen.other.rank[k] and seen.other.metric.of_items else seen.quality
        result = numbers.get(seen.seeds(k)[0], order.metric)
        if result is not None and not np.isnan(result.items).all():
            total += np.abs(result.items - result.corpus)
    known = np.where(np.isnan(total), np.inf, total)
    return int(np.argmin(known)) if len(known) else 0


def quality_metric(study: Study, offered: Mapping[str, Metric], there: IsAvailable) -> str:
    """Return the name of the default quality metric: the first that is quick or already scored, else the first of all.

    The metric that ranks comes first, then CIDEr-D, METEOR, BLEU-4 and the rest. People's ratings are excluded, because
    they form the other order.
    """
    first = first_to_rank(study, [metric for metric in offered.values() if not isinstance(metric, RatedByPeople)])
    wanted = (*([first.name] if first else []), "cider_d", "meteor", "bleu_4", *offered)
    names = [name for name in dict.fromkeys(wanted) if name in offered]
    return next((name for name in names if _is_quick(study, offered[name], there)), names[0])


def distance_metric(study: Study, offered: Mapping[str, Metric], there: IsAvailable) -> str:
    """Return the name of the default distance to people: the first that is quick or already scored, else the first.

    TRM METEOR comes first, then TRM CIDEr-D and the rest.
    """
    names = [name for name in dict.fromkeys(("trm_meteor", "trm_cider_d", *offered)) if name in offered]
    return next((name for name in names if _is_quick(study, offered[name], there)), names[0])


def second_metrics(study: Study, offered: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return the metrics for a second order, by name: people's ratings, TRM, and distances of whole runs."""
    trms = {name: metric for name, metric in offered.items() if isinstance(metric, Trm)}
    of_runs = {name: m for name, m in offered.items() if m.family == "distribution" and not m.of_items}
    return {**_possible(study, rating_metrics(study)), **trms, **of_runs}


def second_metric(study: Study, offered: Mapping[str, Metric], there: IsAvailable) -> str:
    """Return the name of the default metric for the second order.

    It is TRM if most runs have sets, otherwise people's ratings, otherwise a distance of whole runs or, without one,
    TRM.
    """
    trms = {name: metric for name, metric in offered.items() if isinstance(metric, Trm)}
    if trms and mostly_sets(study):
        return distance_metric(study, trms, there)
    rated = next((name for name, metric in offered.items() if isinstance(metric, RatedByPeople)), None)
    names = [name for name in dict.fromkeys((*OF_RUNS, *offered)) if name in offered and name not in trms]
    quick = (name for name in names if _is_quick(study, offered[name], there))
    return rated or next((name for of in (quick, names) for name in of), None) or distance_metric(study, trms, there)


def stand_ins(study: Study, metrics: Sequence[Metric], offered: Mapping[str, Metric]) -> tuple[Metric, ...]:
    """Return default metrics of the kinds that the Overview needs and `metrics` lacks.

    These are a quality metric and a metric for the second order or, if none is possible, a second quality metric.
    """

    def not_there(metric: Metric) -> bool:
        return False

    chosen, found = _possible(study, {metric.name: metric for metric in metrics}), _possible(study, offered)
    extra: list[Metric] = []
    qualities = _qualities(chosen)
    if not qualities and (others := _qualities(found)):
        extra.append(others[quality_metric(study, others, not_there)])
    if seconds := second_metrics(study, found):
        second = seconds[second_metric(study, seconds, not_there)]
        there = any(isinstance(one, Trm) for one in chosen.values()) if isinstance(second, Trm) else second in metrics
        return tuple(extra) if there else (*extra, second)
    taken = {*qualities, *(metric.name for metric in extra)}
    others = {name: metric for name, metric in _qualities(found).items() if name not in taken}
    if len(taken) == 1 and others:
        extra.append(others[quality_metric(study, others, not_there)])
    return tuple(extra)


def _possible(study: Study, metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    return {name: metric for name, metric in metrics.items() if why_impossible(study, metric) is None}


def _qualities(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    return {name: metric for name, metric in metrics.items() if metric.family == "quality" and metric.has_better_side}


def _is_quick(study: Study, metric: Metric, there: IsAvailable) -> bool:
    return there(metric) or is_quick(study, metric)

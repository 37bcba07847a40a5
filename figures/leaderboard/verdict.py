"""The leaderboard's verdict: two short sentences; `figures.leaderboard.words.verdict` gives the details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from data.study import Run, Study
from figures.leaderboard import words
from figures.notes.hazards import faulty, gravest
from figures.notes.people import joint_test, too_little
from figures.style.escaping import Strong, capital
from figures.style.escaping import short as cut
from figures.style.html import WORDS
from figures.style.numbers import count, ordinal, p_phrase
from figures.style.run_names import short_names
from figures.style.wording import less_means, may_be_as_good, of_others, sharing, so_far
from metrics.analysis import run_differences
from metrics.analysis.claims import PeopleComparison
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.leaderboard import RunStanding, Standings
from metrics.analysis.paired import Family
from metrics.base import Metric
from metrics.suite.ratings import RatedByPeople

Parts = tuple[str, ...]
_NAME = 40
"""Maximum length in characters of a run's name in a verdict."""


def verdict(found: Standings[RunStanding]) -> tuple[Parts, Parts]:
    """Return the short verdict and the details: which run leads, how certainly and over which runs, and any fault.

    A fault comes first if the leader has one.
    """
    study, of, names = found.study, found.ranked, _names(found.study)
    more = words.verdict(found)
    wrong = gravest(study, {run.name: names[run.name] for run in found.choice.runs})
    before: Parts = (*wrong, " ") if wrong else ()
    leads = of.verdict if of is not None else None
    if of is None or leads is None or leads.compared < 2:
        return (*before, *more), ()
    by_people = found.choice.tested is of.metric and not of.metric.two_sided
    head = _people(of, names) if by_people else ()
    head = head or _leader(of, leads, names)
    sound = of.runs[leads.best].name not in faulty(study)
    head = (*head, " ", *wrong) if wrong and sound else (*before, *head)
    room = WORDS - len("".join(head).split())
    return (*head, *_order(found, of, names, room, by_people)), more


def _names(study: Study) -> dict[str, Strong]:
    return {name: Strong(cut(short, _NAME)) for name, short in short_names(study.runs).items()}


def _people(of: RunStanding, names: Mapping[str, Strong]) -> Parts:
    """Which runs differ from people, and for which no difference is detected; () if none was tested."""
    metric, runs, found, n = of.metric, of.runs, of.people, len(of.runs)
    if found is None or not found.tests:
        return ()
    sofar = so_far(of.waiting)
    by = f"by {f'the {joint_test(metric)}' if found.joint else metric.label}"
    judge = f"judge {count(len(found.undecided), 'run')}"
    alike = [names[runs[k].name] for k in found.alike]
    undecided = f"; {too_little(found, judge)}" if found.undecided else ""
    # A run that cannot have a value is not tested, and nothing is computed for it.
    which = "tested run" if found.tests < n and not sofar else "run"
    head = f"{capital(by)}, no difference from people is detected for "
    if alike and found.differ:
        return _some(found, names, runs, f"{by}{sofar}", which, undecided)
    if len(alike) == 1:
        return (head, alike[0], f"{sofar} ({p_phrase(float(found.p[found.alike[0]]))}){undecided}.")
    if len(alike) == 2:
        return (head, alike[0], " and ", alike[1], f"{sofar}{undecided}.")
    if len(alike) == found.tests:
        return (head, Strong(f"any {which}"), f"{sofar}.")
    if alike:
        return (head, Strong(f"{len(alike)} of {found.tests} {which}s"), f"{sofar}{undecided}.")
    if len(found.undecided) == found.tests:
        return (f"{capital(too_little(found, f'distinguish any run from people {by}'))}.",)
    if found.undecided:
        differ = "differs" if len(found.differ) == 1 else "differ"
        return (
            Strong(f"{len(found.differ)} of {found.tests} {which}s"),
            f" {differ} from people {by}{sofar}{undecided}.",
        )
    return (
        Strong(f"All {found.tests} {which}s" if found.tests > 2 else f"Both {which}s"),
        f"{sofar} differ from people {by}.",
    )


def _some(
    found: PeopleComparison,
    names: Mapping[str, Strong],
    runs: Sequence[Run],
    by: str,
    which: str,
    undecided: str,
) -> Parts:
    alike, one = [names[runs[k].name] for k in found.alike], len(found.differ) == 1
    apart = names[runs[found.differ[0]].name] if one else Strong(f"{len(found.differ)} of {found.tests} {which}s")
    second: Parts = (" and ", alike[1]) if len(alike) == 2 else ()
    rest: Parts = (f"{len(alike)} others",) if len(alike) > 2 else (alike[0], *second)
    detected = f" {'differs' if one else 'differ'} from people {by}; no difference is detected for "
    return (apart, detected, *rest, f"{undecided}.")


def _leader(of: RunStanding, found: run_differences.Verdict, names: Mapping[str, Strong]) -> Parts:
    metric, runs = of.metric, of.runs
    sofar = so_far(of.waiting)
    head: Parts = (names[runs[found.best].name], f" {_has_best(metric)}{sofar}")
    if found.equal:
        first = [names[runs[k].name] for k in (found.best, *found.equal)]
        who, have = sharing(first, found.compared, metric, without=len(runs) - found.compared)
        head, found = (Strong(who), f"{have}{sofar}"), found.rest
    others = found.compared - 1
    if not others:
        return (*head, ".")
    if len(found.unknown) == others:
        return (*head, "; whether that is significant cannot be tested.")
    if found.tied:
        tied, apart = ([names[runs[k].name] for k in of_them] for of_them in (found.tied, found.apart))
        return (*head, *may_be_as_good(tied, apart, others))
    ahead = "the other run" if others == 1 else of_others(len(found.apart), others)
    return (*head, f", significantly ahead of {ahead}.")


def _has_best(metric: Metric) -> str:
    word = "highest" if metric.higher_is_better else "lowest"
    return (
        f"is rated best by people{_of(metric)}"
        if isinstance(metric, RatedByPeople)
        else f"has the {word} {metric.label}"
    )


def _of(metric: RatedByPeople) -> str:
    return metric.label.removeprefix("ratings")


def _order(
    found: Standings[RunStanding], of: RunStanding, names: Mapping[str, Strong], room: int, by_people: bool
) -> Parts:
    """The ranks that the leader may have by a metric of another kind; () if they are unknown, or if any rank is
    possible.

    If `room` words allow it, the clause adds which other runs are significantly first or last by that metric.
    """
    metric, runs = of.metric, of.runs
    other = found.by(_other(found, metric))
    if other is None or other.waiting or of.ranks is None or other.ranks is None:
        return ()
    order = [k for k in of.order if not np.isnan(of.values[k])]
    if {int(k) for k in np.flatnonzero(other.ranks.low)} != set(order):
        return ()
    label = other.metric.label
    at, other_at, leader = _ranks(of.ranks, order[0]), _ranks(other.ranks, order[0]), names[runs[order[0]].name]
    if not other_at:
        return ()
    ends = _ends(other.ranks, [(k, names[runs[k].name]) for k in order[1:]]) if len(order) > 2 else []
    if at == other_at == _FIRST:
        said: Parts = (" ", leader, f" is first by both {metric.label} and {label}")
        ends = [(who, f"{where} by {label}") for who, where in ends]
    elif _reverses(of, other):
        most = "" if other_at == _LAST else "most of "
        said = (f" By {label}, {most}the order is reversed: ", leader, f" is {other_at}")
    elif at and by_people:
        said = (" ", leader, f" is {at} by {metric.label} and {other_at} by {label}")
    else:
        said = (f" By {label}, ", leader, f" is {other_at}")
    more = tuple(part for who, where in ends for part in (", ", who, f" {where}"))
    return (*said, *(more if len("".join((*said, *more)).split()) <= room else ()), ".")


def _ends(by: run_differences.Ranks, others: Sequence[tuple[int, Strong]]) -> list[tuple[Strong, str]]:
    found = [(who, _ranks(by, k)) for k, who in others]
    return [one for where in (_FIRST, _LAST) for one in found if one[1] == where]


def _other(found: Standings[RunStanding], metric: Metric) -> Metric | None:
    """The metric that ranks by default, of those of another family than `metric`; None if there is none.

    Only metrics of which one direction is better count. People's ratings are a family of their own.
    """

    def kind(of: Metric) -> str:
        return "ratings" if isinstance(of, RatedByPeople) else of.family

    others = [m for m in found.choice.metrics if m.has_better_side and kind(m) != kind(metric)]
    return first_to_rank(found.study, others)


def _reverses(*by: RunStanding) -> bool:
    one, other = (run_differences.ahead_of(of.pairs, of.metric.higher_is_better) for of in by)
    return run_differences.reverses(one, other)


_FIRST, _LAST = "first", "last"


def _ranks(found: run_differences.Ranks, run: int) -> str:
    """The ranks that a run may have: "first", "2nd of 21", "15th to 20th of 21", "last"; "" if it may have any, or has
    none.
    """
    low, high, of = int(found.low[run]), int(found.high[run]), int((found.low > 0).sum())
    if high - low + 1 >= of or not low:
        return ""
    if low == high:
        return _FIRST if low == 1 else _LAST if low == of else f"{ordinal(low)} of {of}"
    return f"{ordinal(low)} {'or' if high == low + 1 else 'to'} {ordinal(high)} of {of}"


def difference_verdict(standings: Standings[RunStanding], found: Mapping[str, Family]) -> Parts:
    """Return how many runs beat the baseline by the ranking metric, and by a metric of another kind."""
    choice = standings.choice
    metric = choice.ranked or choice.metrics[0]
    of, base = found.get(metric.name), _names(standings.study)[str(choice.baseline)]
    if of is None or not of.tests:
        return ("No run can be compared with ", base, f" by {metric.label} yet.")
    ahead, behind = (len(of.ahead(side, significant=True, has_better_side=metric.has_better_side)) for side in (1, -1))
    rest = of.tests - ahead - behind
    beat, worse = _beat(metric)
    who = f"{ahead} of {count(of.tests, 'run')}" if ahead else "No run"
    head = (Strong(f"{who} {beat if ahead > 1 else f'{beat}s'}"),)
    said = f" by {metric.label}: " if behind or rest else f" by {metric.label}."
    tail = [f"{behind} {'is' if behind == 1 else 'are'} {worse}"] if behind else []
    tail += [f"for {rest}, no difference is detected"] if rest else []
    end = f"{', and '.join(tail)}." if tail else ""
    return (*head, " ", base, f"{said}{end}", *_other_count(standings, metric, found))


def _beat(metric: Metric) -> tuple[str, str]:
    if not metric.has_better_side:
        return "exceed", less_means(metric)
    return "beat", "farther from people" if metric.family == "distribution" else "worse"


def _other_count(standings: Standings[RunStanding], metric: Metric, found: Mapping[str, Family]) -> Parts:
    other = _other(standings, metric)
    of = found.get(other.name) if other is not None else None
    if other is None or of is None or not of.tests:
        return ()
    ahead = len(of.ahead(1, significant=True))
    who = f"{ahead} of {of.tests} {'is' if ahead == 1 else 'are'}" if ahead else "none is"
    return (f" By {other.label}, {who} significantly better.",)

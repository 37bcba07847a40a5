"""The verdicts of Paired comparison: two short sentences; `figures.paired.words` gives the details."""

from __future__ import annotations

from collections.abc import Sequence

from data.study import Study
from figures.paired.matrix import Matrix
from figures.style.escaping import Strong
from figures.style.escaping import short as cut
from figures.style.numbers import count, defined
from figures.style.run_names import short_names
from figures.style.wording import item_noun, labels, names_in_a_row
from metrics.analysis.paired import Comparison, Family
from metrics.engine.result import PENDING

_NAME = 32
"""Most characters of a run's name in a verdict."""


def two(study: Study, family: Family) -> tuple[str, ...]:
    """Return which run is better by which metrics where that is sure; then what is not sure, or not computed yet."""
    names = short_names(study.runs)
    first, second = (Strong(cut(names[name], _NAME)) for name in (family.comparisons[0].first, _second(family)))
    wins, losses = family.ahead(1, significant=True), family.ahead(-1, significant=True)
    if wins and losses:
        return (
            "The metrics disagree. ",
            first,
            f" {_how(study, family, wins, 1)}; ",
            second,
            f" {_how(study, family, losses, -1)}.",
            *_waiting(family, bool(wins or losses)),
        )
    if wins or losses:
        winner, found, side = (first, wins, 1) if wins else (second, losses, -1)
        said = f" {_how(study, family, found, side)}."
        return (winner, said, *(_waiting(family, True) or _unsure(family)))
    if not family.tests:
        whys = sorted({c.reason for c in family.comparisons if c.reason})
        return (f"There is nothing to compare yet: {'; '.join(whys[:2]) or 'no metric is chosen'}.",)
    if not any(c.has_better_side for c in family.comparisons):
        return ("No chosen metric has a better side: more diversity is not better as such.",)
    return ("No metric finds a significant difference between ", first, " and ", second, ".", *_waiting(family, False))


def _second(family: Family) -> str:
    return family.comparisons[0].second


def _how(study: Study, family: Family, found: Sequence[Comparison], side: int) -> str:
    """How a run is better: "is nearer to people on all 48 images, by every distance, and scores higher by CIDEr-D"."""
    said = []
    for kind in ("distribution", "quality"):
        mine = [c for c in found if (c.metric.family == "distribution") == (kind == "distribution")]
        if not mine:
            continue
        every = _every(family, mine, kind)
        by = every or labels([c.metric for c in mine], 2)
        verb = "is nearer to people" if kind == "distribution" else "scores better"
        won = {c.counts[0 if side > 0 else 2] for c in mine}
        n = {c.n for c in mine}
        wins, most = max(won), max(n)
        on = f" on all {count(most, item_noun(study))}" if won == {most} == n else ""
        on = on or (f" on {wins:,} of {count(most, item_noun(study))}" if len(won) == len(n) == 1 else "")
        said.append(f"{verb} by {by}{on}")
    return " and ".join(said)


def _every(family: Family, mine: Sequence[Comparison], kind: str) -> str:
    """ "every distance", "every measure of quality" if these are all there are, and more than one."""
    same = [
        c
        for c in family.comparisons
        if c.has_better_side and (c.metric.family == "distribution") == (kind == "distribution")
    ]
    if len(mine) < 2 or len(mine) < len(same):
        return ""
    return "every distance" if kind == "distribution" else "every measure of quality"


def _unsure(family: Family) -> tuple[str, ...]:
    found = [
        c.metric
        for c, sure in zip(family.comparisons, family.significant())
        if c.has_better_side and not sure and defined(c.test.p_value)
    ]
    return (f" Not significant: {labels(found, 3)}.",) if found else ()


def _waiting(family: Family, begun: bool) -> tuple[str, ...]:
    """What is still being computed."""
    found = [c.metric for c in family.comparisons if c.reason == PENDING]
    if not found:
        return ()
    if begun and len({m.family for m in found}) == 1 and found[0].family == "distribution":
        same = [c for c in family.comparisons if c.metric.family == "distribution"]
        if len(same) == len(found) > 1:
            return (" Distances to people are still being computed.",)
    return (f" {labels(found, 2)} {'is' if len(found) == 1 else 'are'} still being computed.",)


def pairs(study: Study, found: Matrix) -> tuple[str, ...]:
    """Return which run is first, which cannot be told from it, and how many pairs cannot be told apart."""
    names, label = short_names(study.runs), found.metric.label
    if not found.pairs:
        why = f"too few {item_noun(study)}s, or no values" if found.runs else "not computed yet, or no values"
        return (f"There is nothing to compare by {label}: {why}.",)
    said = [Strong(cut(names[run.name], _NAME)) for run in found.runs]
    tied = [said[j] for j in range(1, len(said)) if not found.sure[0, j] and defined(float(found.p[0, j]))]
    first = "is first" if found.metric.has_better_side else f"is {found.metric.more_means}"
    if tied:
        who = names_in_a_row(tied, 1) if len(tied) == 1 else f"{len(tied)} runs"
        head: tuple[str, ...] = (said[0], f" {first} by {label}, but ", Strong(who), " cannot be told from it.")
    else:
        head = (said[0], f" {first} by {label}, significantly ahead of every other run.")
    if found.not_different:
        rest = f" Of {count(found.pairs, 'pair')}, {found.not_different:,} cannot be told apart."
    else:
        rest = f" All {found.pairs:,} pairs can be told apart." if found.pairs > 1 else ""
    return (*head, rest)

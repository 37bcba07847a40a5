"""The verdicts of Paired comparison: two short sentences; `figures.paired.words` gives the details."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from data.study import Study
from figures.overview.first_run import MANY, few
from figures.paired.matrix import Matrix
from figures.paired.words import diverse, no_winner
from figures.style.escaping import Strong
from figures.style.escaping import short as cut
from figures.style.html import WORDS
from figures.style.numbers import count, defined
from figures.style.run_names import pair_names, short_names
from figures.style.wording import item_noun, labels
from metrics.analysis.paired import Comparison, Family
from metrics.engine.result import PENDING

_NAME = 32
"""Maximum length in characters of a run's name in a verdict."""


def two(study: Study, family: Family) -> tuple[str, ...]:
    """Return which run is significantly better by which metrics; then what is not significant or not yet computed."""
    called = pair_names(short_names(study.runs), family.comparisons[0].first, _second(family))
    first, second = (Strong(cut(name, _NAME)) for name in called)
    wins, losses = family.ahead(1, significant=True), family.ahead(-1, significant=True)
    if wins and losses:
        said = _disagree(study, family, (first, wins), (second, losses))
        return (*said, *_waiting(family, True))
    if wins or losses:
        winner, found, side = (first, wins, 1) if wins else (second, losses, -1)
        how: tuple[str, ...] = (winner, f" {_how(study, family, found, side)}.")
        return (*how, *(_waiting(family, True) or _room(how, _unsure(family))))
    if not family.tests:
        whys = sorted({c.reason for c in family.comparisons if c.reason})
        return (f"There is nothing to compare yet: {'; '.join(whys[:2]) or 'no metric is chosen'}.",)
    varied = diverse(first, second, family)
    return (*no_winner(first, second, family), *(varied[0] if varied else ()), *_waiting(family, False))


def _disagree(
    study: Study, family: Family, one: tuple[str, Sequence[Comparison]], other: tuple[str, Sequence[Comparison]]
) -> tuple[str, ...]:
    """Which run is better by which metrics; if WORDS are not enough, by fewer metrics, then without the first
    sentence.
    """
    for head, most in (("The metrics disagree. ", 2), ("The metrics disagree. ", 1), ("", 1)):
        sides = (one[0], f" {_how(study, family, one[1], 1, most)}; ", other[0])
        said = (*filter(None, [head]), *sides, f" {_how(study, family, other[1], -1, most)}.")
        if len("".join(said).split()) <= WORDS:
            break
    return said


def _room(said: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts in `more`, or () if they and `said` together exceed WORDS."""
    return more if len("".join((*said, *more)).split()) <= WORDS else ()


def _second(family: Family) -> str:
    return family.comparisons[0].second


def _how(study: Study, family: Family, found: Sequence[Comparison], side: int, most: int = 2) -> str:
    """How a run is better: "is nearer to people by every distance on all 48 images and scores better by CIDEr-D".

    `most` limits how many metrics are named; if it is one, the numbers of images are left out.
    """
    said = []
    for kind in ("distribution", "quality"):
        mine = [c for c in found if (c.metric.family == "distribution") == (kind == "distribution")]
        if not mine:
            continue
        every = _every(family, mine, kind)
        by = every or labels([c.metric for c in mine], most)
        verb = "is nearer to people" if kind == "distribution" else "scores better"
        on = _on({(*c.counts[::side], c.n) for c in mine}, item_noun(study), kind) if most > 1 else ""
        said.append(f"{verb} by {by}{on}")
    return " and ".join(said)


def _on(won: Collection[tuple[int, ...]], noun: str, kind: str) -> str:
    """On how many items a run is better; "" if metrics differ in these numbers.

    `won` are the distinct numbers of items that a metric counts as won, tied, lost, and in all.
    """
    if len(won) > 1:
        return ""
    ((wins, ties, losses, n),) = won
    if wins == n:
        return f" on all {count(n, noun)}"
    worse = "farther" if kind == "distribution" else "worse"
    return f" on {count(wins, noun)}, {worse} on {losses:,}" if ties else f" on {wins:,} of {count(n, noun)}"


def _every(family: Family, mine: Sequence[Comparison], kind: str) -> str:
    """Words such as "every distance" if `mine` are all of several metrics of that kind; else ""."""
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
    found = [c.metric for c in family.comparisons if c.reason == PENDING]
    if not found:
        return ()
    if begun and len({m.family for m in found}) == 1 and found[0].family == "distribution":
        same = [c for c in family.comparisons if c.metric.family == "distribution"]
        if len(same) == len(found) > 1:
            return (" Distances to people are still being computed.",)
    return (f" {labels(found, 2)} {'is' if len(found) == 1 else 'are'} still being computed.",)


def pairs(study: Study, found: Matrix) -> tuple[str, ...]:
    """Return which run is first, how certainly, and in how many pairs no difference is detected."""
    names, label = short_names(study.runs), found.metric.label
    if not found.pairs:
        why = f"too few {item_noun(study)}s, or no values" if found.runs else "not computed yet, or no values"
        return (f"There is nothing to compare by {label}: {why}.",)
    said = [Strong(cut(names[run.name], _NAME)) for run in found.runs]
    return (*_first(found, said), _undetected(found))


def _first(found: Matrix, said: Sequence[Strong]) -> tuple[str, ...]:
    label, others = found.metric.label, len(said) - 1
    same = int((found.value[0, 1:] == 0).sum()) + 1
    if same > 1:
        who = (said[0], " and ", said[1]) if same == 2 else (Strong(f"{same} runs"),)
        shared = "highest" if found.metric.higher_is_better else "lowest"
        return (*who, f" share the {shared} {label}.")
    head = (said[0], f" {'is first' if found.metric.has_better_side else f'is {found.metric.more_means}'} by {label}")
    tested = [defined(float(p)) for p in found.p[0, 1:]]
    tied = [said[j] for j, known in enumerate(tested, 1) if known and not found.sure[0, j]]
    unknown = others - sum(tested)
    if unknown == others:
        return (*head, "; it cannot be compared with the others, as they have values for other items.")
    rest = f"; {count(unknown, 'run')} cannot be compared with it" if unknown else ""
    if len(tied) >= MANY:
        worse = int(found.sure[0, 1:].sum())
        behind = f", and {few(worse)} {'is' if worse == 1 else 'are'} significantly behind" if worse else ""
        may = Strong(f"{len(tied)} of the {others} others may be as good")
        return (*head, ": ", may, f"{behind}{rest}.")
    if tied:
        whom = tied[0] if len(tied) == 1 else Strong(f"{len(tied)} runs")
        return (*head, ", but no difference from it is detected for ", whom, f"{rest}.")
    ahead = (
        f"{others - unknown} of the {others} others" if unknown else "every other run" if others > 1 else "the other"
    )
    return (*head, f", significantly ahead of {ahead}{rest}.")


def _undetected(found: Matrix) -> str:
    if found.pairs == 1:
        return ""
    if found.not_different:
        return f" In {found.not_different:,} of {count(found.pairs, 'pair')}, no difference is detected."
    return f" In all {found.pairs:,} pairs, a difference is detected."

"""Sentences and tables about how metrics can be fooled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from data.study import Study
from figures.style.escaping import Strong, capital
from figures.style.numbers import count, defined, interval, num
from figures.style.wording import item_noun, n_items, names_in_a_row
from metrics.analysis.robustness.curves import Curve, least_kept, sides
from metrics.base import Metric
from metrics.transformations import Transformation

BLIND = 0.95
"""Area, or share kept, above which a metric hardly notices a fault."""
_JUDGED = (
    " A metric “notices” a fault if the share kept is below 0.95, and “hardly notices” it if the share is above; "
    "“best” means that no other metric keeps as little. Both are at 95 %, corrected for all curves or for all pairs "
    "of metrics (Student's t of bootstrap errors over images, Holm)."
)
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TOO_FEW = "There are too few captions to tell what a metric notices."
_COUNTABLE = ("random_caption", "repeated_clause", "negation")
HOW = (
    "For each image, one caption by a person, drawn at random, is scored against the other people's captions: as it "
    "is, without punctuation, and damaged. A curve is the value of damaged captions divided by that of untouched ones; "
    "document frequencies are those of all captions by people. Score kept: the area under the curve over strengths 0 "
    "to 1 (trapezium); the table also has the mean over 0, 0.05 .. 0.95 of the published code (Cui et al. 2018), "
    "interpolated. Random captions come from the images whose captions by people are nearest by embedding." + _JUDGED
)
HOW_SETS = (
    "People's captions of each image are divided at random into a set, of which a growing share is damaged at full "
    "strength, and those it is compared with. An untouched set keeps 1. For metrics that compare with people, 0 is the "
    "value of another image's captions: (v - a) / (v0 - a). For metrics of variety, best at the value of people, the "
    "share kept is 1 - |v - v0| / |v0|, so that gain and loss both count. The score kept is computed as for captions. "
    "A metric of whole runs reads all these sets as one run. Its 0 is the value of random words in place of every "
    "caption, since captions exchanged between images would still be the same run. It has an interval only where its "
    "value is a sum over images."
)


def phrase(one: Transformation) -> str:
    """Return a fault as a sentence names it: by the label of its row."""
    if one.name == "letter_case":
        return "changed letter case"
    name = one.label if one.plugin else one.label[0].lower() + one.label[1:]
    return f"a {name}" if one.name in _COUNTABLE else name


def verdict(
    faults: Sequence[Transformation], metrics: Sequence[Metric], curves: Mapping[tuple[str, str], Curve]
) -> list[str]:
    """Return the faults that no metric notices, or else one that some hardly notice; then the news on the first fault.

    This is a metric that does not notice it although others do, if no metric notices some fault, or else the metric
    that notices it best, with how surely it is the best.
    """
    known = {key: one for key, one in curves.items() if one.told}
    if not known:
        valued = any(defined(one.summary.value) for one in curves.values())
        return [TOO_FEW if valued else "No chosen metric has a value for damaged captions."]
    side = dict(zip(known, sides(list(known.values()), BLIND).tolist()))
    first = next(one for one in faults if any((one.name, metric.name) in known for metric in metrics))
    of_first = [known[first.name, metric.name] for metric in metrics if (first.name, metric.name) in known]
    missed, blind = _missed(faults, metrics, side), [one for one in of_first if side[first.name, one.metric.name] >= 0]
    if missed and 0 < len(blind) < len(of_first):
        worst = max(blind, key=lambda one: one.summary.value)
        kept = f"it keeps {num(worst.summary.value, 2)} of its score"
        return [*missed, f"By {worst.metric.label}, not even {phrase(first)} is detected: {kept}."]
    return [*(missed or _unnoticed(faults, metrics, curves, side)), _kept(first, of_first, side)]


def _missed(
    faults: Sequence[Transformation], metrics: Sequence[Metric], side: Mapping[tuple[str, str], int]
) -> list[str]:
    """A sentence that names the faults that none of two or more metrics is shown to notice; [] if there are none."""
    found = []
    for one in faults:
        sides = [side[key] for metric in metrics if (key := (one.name, metric.name)) in side]
        if len(sides) > 1 and min(sides) >= 0:
            found.append((one, len(sides)))
    if not found:
        return []
    least = min(n for _, n in found)
    who = "Neither metric" if least == 2 else f"None of the {NUMBERS[least] if least < len(NUMBERS) else least} metrics"
    return [Strong(f"{who} detectably notices {' or '.join(phrase(one) for one, _ in found[:2])}"), ". "]


def _unnoticed(
    faults: Sequence[Transformation],
    metrics: Sequence[Metric],
    curves: Mapping[tuple[str, str], Curve],
    side: Mapping[tuple[str, str], int],
) -> list[str]:
    """A sentence that names the first fault that some metrics hardly notice, or says that every metric notices all.

    Intervals decide this; [] if they are too wide for either sentence.
    """
    kind = " of sets" if any(one.sets for one in curves.values()) else ""
    for one in faults:
        blind = [metric.label for metric in metrics if side.get((one.name, metric.name), 0) > 0]
        if blind:
            many = f"{len(blind)} metrics{kind}"
            whose = blind[0] if len(blind) == 1 else many if len(blind) > 2 else " and ".join(blind)
            return [Strong(f"{whose} hardly {'notices' if len(blind) == 1 else 'notice'} {phrase(one)}"), ". "]
    if any(found >= 0 for found in side.values()):
        return []
    some = "" if all((one.name, m.name) in side for one in faults for m in metrics) else " that it has a value for"
    return [Strong(f"Every metric{kind} notices every chosen fault{some}"), ". "]


def _kept(fault: Transformation, curves: Sequence[Curve], side: Mapping[tuple[str, str], int]) -> str:
    """The share of their score that damaged captions keep by the most sensitive metric, and which may match it."""
    found = least_kept([one for one in curves if len(one.drawn)])
    if found is None:
        least = min(curves, key=lambda one: one.summary.value)
        untested = "; whether another keeps as little cannot be tested" if len(curves) > 1 else ""
        return f"By {least.metric.label}, damaged captions keep {num(least.summary.value, 2)} of their score{untested}."
    judged = [one for one in curves if len(one.drawn)]
    best = judged[found.best]
    ends = f" ({interval(best.summary.low, best.summary.high, 2)})" if defined(best.summary.low) else ""
    share = f"{num(best.summary.value, 2)}{ends}"
    kept = f"damaged captions keep {'nothing' if best.summary.high < 0 else share} of their score"
    if side[fault.name, best.metric.name] >= 0:
        if len(curves) == 1:
            return f"{capital(kept)}."
        return f"Damaged captions keep the least of their score by {best.metric.label}: {share}."
    alike = [judged[k].metric.label for k in found.tied]
    unknown = [*(judged[k] for k in found.unknown), *(one for one in curves if not len(one.drawn))]
    best_of = " best" if found.compared > 1 and not alike and not unknown else ""
    others = f"; {names_in_a_row(alike, 3)} may notice it equally well" if alike else ""
    others += f"; {count(len(unknown), 'metric')} cannot be compared" if unknown else ""
    return f"{best.metric.label} notices {phrase(fault)}{best_of}: {kept}{others}."


def columns(metrics: Sequence[Metric], curves: Mapping[tuple[str, str], Curve]) -> list[Metric]:
    """Return the metrics with a number in any cell, in their order, those with fewer numbers than others last.

    The order does not depend on the numbers, so columns that wait for them do not change places.
    """
    told = {m.name: sum(one.told for one in curves.values() if one.metric is m) for m in metrics}
    most = max(told.values(), default=0)
    return sorted((m for m in metrics if told[m.name]), key=lambda m: told[m.name] < most)


def facts(
    study: Study, curves: Mapping[tuple[str, str], Curve], without_words: int = 0, waiting: bool = False
) -> list[str]:
    """Return the facts below the grid: n, what is scored, what is left out, and the half-width of the widest interval.

    While some curves are `waiting`, nothing is said of metrics without a column.
    """
    most = max((one.n for one in curves.values()), default=0)
    ends = [one.summary for one in curves.values() if one.told and defined(one.summary.low)]
    halves = [(high - low) / 2 for _, low, high in ends]
    wide = f", ± at most {num(max(halves), 2)} (95 % bootstrap over {item_noun(study)}s)" if halves else ""
    of_sets = any(one.sets for one in curves.values())
    said = "half of the captions against the other half" if of_sets else "one caption against the others"
    return [
        f"n = {n_items(study, most)}; {said}",
        f"number: share of the score kept, averaged over strengths; at 1 the metric notices nothing{wide}",
        *_untold(curves.values(), waiting),
        *([left_out(study, without_words)] if without_words else []),
    ]


def why_untold(one: Curve) -> str:
    """Return why a curve has no number, such as "from strength 0.6 too few matches to tell"."""
    few, (_, low, high) = _SCARCE if one.scarce else _FEW, one.summary
    if one.reason:
        return one.reason
    if 0 < one.drawn_to < len(one.strengths):
        return f"from {'share' if one.sets else 'strength'} {one.strengths[one.drawn_to]:g} {few}"
    return f"95 % {interval(low, high, 2)}, too wide to tell" if defined(low) else few


UNTOLD = "too few"
"""The words in a cell that cannot have a number."""
_SCARCE, _FEW = "too few matches to tell", "too few captions to tell"


def _untold(curves: Iterable[Curve], waiting: bool) -> list[str]:
    """Why some cells have no number, and why some metrics have no column."""
    every = list(curves)
    there = {one.metric.name for one in every if one.told or waiting}
    said = []
    if unknown := [one for one in every if not one.told and one.metric.name in there]:
        scarce = all(one.scarce and not one.reason for one in unknown)
        partly = " beyond the end of the curve, if any" if any(one.drawn_to for one in unknown) else ""
        said.append(f"“{UNTOLD}”: {_SCARCE if scarce else _FEW}{partly}")
    for label in dict.fromkeys(one.metric.label for one in every if one.metric.name not in there):
        why = next((one.reason for one in every if one.metric.label == label and one.reason), "")
        said.append(f"no column for {label}: {why or 'too few captions share words with others'}")
    return said


def left_out(study: Study, without_words: int) -> str:
    """Return how many items are left out because their captions have no spaces between words."""
    return f"left out: {count(without_words, item_noun(study))} without spaces between words"


def table(curves: Mapping[tuple[str, str], Curve]) -> pd.DataFrame:
    """Return one row per fault and metric with both areas and the share kept at strength 1."""
    rows = [
        {
            "Fault": one.transformation.label,
            "Metric": one.metric.label,
            "Score kept": one.area.value,
            "95 % from": one.area.low,
            "95 % to": one.area.high,
            "Score kept, published code": one.grid_area.value,
            "Kept at full strength": one.last.value,
            "Kept at full strength 95 % from": one.last.low,
            "Kept at full strength 95 % to": one.last.high,
            "n": one.n,
            "Not told": "" if one.told else why_untold(one),
        }
        for one in curves.values()
    ]
    return pd.DataFrame(rows)


def alt(curves: Mapping[tuple[str, str], Curve]) -> str:
    """Return the text alternative of the grid."""
    known = [one for one in curves.values() if one.told]
    ends = [f"{phrase(one.transformation)} by {one.metric.label} {num(one.summary.value, 2)}" for one in known]
    return f"Score kept: {', '.join(ends)}."

"""Laws of captions: every caption counts, and neither their order nor the size of chunks matters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from data.study import Captions, Item, Study
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.laws import studies
from metrics.laws.scored import OPTIONS, apart, one, plain_result, values
from metrics.laws.studies import RUN

ROUNDED = 1e-9
ENCODED = 2e-6
"""Rounding error of the encoder, for the same text in another batch."""


class Variant(NamedTuple):
    """The captions of each item after one caption was replaced, and a description of that caption."""

    what: str
    references: list[Captions]
    candidates: list[Captions]


def every_candidate_counts(metric: Metric) -> list[str]:
    """The value changes if any candidate gets other words or, if only repetition counts, becomes another candidate."""
    if not metric.reads_candidates:
        return []
    references, said = _sides(metric)
    variants = [
        Variant(f"candidate {what}", references, changed)
        for what, changed in _changed(metric, said, said if metric.counts_by == "repetition" else None)
    ]
    return _without_effect(metric, variants)


def every_reference_counts(metric: Metric) -> list[str]:
    """The value changes if any reference gets other words or, if only the best one counts, becomes a candidate."""
    if not metric.reads_references:
        return []
    references, said = _sides(metric)
    instead = said if metric.best_of else None
    return _without_effect(
        metric,
        [Variant(f"reference {what}", changed, said) for what, changed in _changed(metric, references, instead)],
    )


def order_is_irrelevant(metric: Metric) -> list[str]:
    """The value does not depend on the order of items, the order of an item's captions, or the names of items."""
    references, said = _sides(metric)
    items = [Item(str(k), texts[::-1]) for k, texts in enumerate(references)]
    turned = one(metric, studies.study(items[::-1], {RUN: [texts[::-1] for texts in said[::-1]]}))
    turned = replace(turned, items=turned.items[::-1])
    return _unlike(plain_result(metric), turned, "items and captions in reverse order")


def chunks_are_irrelevant(metric: Metric) -> list[str]:
    """The number of items in a chunk does not change the value."""
    if not metric.of_items:
        return []
    of = studies.plain(studies.enough_items(metric))
    return _unlike(plain_result(metric), one(metric, of, options=replace(OPTIONS, chunk=1)), "one item at a time")


def _sides(metric: Metric) -> tuple[list[Captions], list[Captions]]:
    of = studies.plain(studies.enough_items(metric))
    return [item.references for item in of.items], [of.runs[0].candidates[item.id] for item in of.items]


def _changed(
    metric: Metric, sides: Sequence[Captions], instead: Sequence[Captions] | None
) -> Iterator[tuple[str, list[Captions]]]:
    """Yield, for each position that is tried, a description and all captions after the caption there is replaced.

    The replaced caption keeps its first two words, unless replacements are given, so that it keeps its position in
    alphabetical order, and a metric that skips a position is caught. If the metric counts words of the whole study, the
    caption keeps all of its words and other words are appended: then the counts of other captions' words do not change,
    and a change of the value is due only to this caption. Every position is tried, in all items at once. For a metric
    of whole runs, two positions are tried, each in one item, or in all items if captions count by their cluster.
    """
    size, more = len(sides[0]), metric.learns in ("references", "texts")
    for place in range(size) if metric.of_items else (1, size - 1):
        changed = list(sides)
        for k in range(len(sides)) if metric.of_items or metric.counts_by == "cluster" else (place,):
            own = sides[k][place]
            text = _unrelated(own, place, None if more else 2) if instead is None else _other(instead[k], own, place)
            changed[k] = studies.replaced(sides[k], place, text)
        how = "with more words" if more else "replaced by other words after its first two"
        how = how if instead is None else "replaced by another caption"
        yield f"{place + 1} of {size} {how}", changed


def _unrelated(text: str, place: int, kept: int | None) -> str:
    return " ".join([*text.split()[:kept], studies.SALAD[place % 2]])


def _other(texts: Captions, but: str, place: int) -> str:
    """Return the first or, at odd places, the last of some sorted captions other than `but`."""
    return [text for text in texts if text != but][-(place % 2)]


def _without_effect(metric: Metric, variants: list[Variant]) -> list[str]:
    before, after = values(plain_result(metric)), _values_of(metric, variants)
    return [
        f"{variant.what}: the value stays as it is"
        for variant, found in zip(variants, after, strict=True)
        if not any(apart(metric, *pair) for pair in zip(before, found, strict=True))
    ]


def _values_of(metric: Metric, variants: list[Variant]) -> list[list[float]]:
    """Return the values of each variant, scored in one study if items do not affect each other."""
    if metric.of_items and metric.learns == "nothing":
        return [list(part) for part in np.split(values(one(metric, _study(variants))), len(variants))]
    return [list(values(one(metric, _study([variant])))) for variant in variants]


def _study(variants: list[Variant]) -> Study:
    references = [texts for variant in variants for texts in variant.references]
    items = [Item(str(k), texts) for k, texts in enumerate(references)]
    return studies.study(items, {RUN: [texts for variant in variants for texts in variant.candidates]})


def _unlike(one: Result, other: Result, what: str) -> list[str]:
    slack = ENCODED if one.metric.work == "encoder" else ROUNDED
    if np.allclose(values(one), values(other), rtol=1e-5 if slack > ROUNDED else 0, atol=slack, equal_nan=True):
        return []
    return [f"{what}: the value goes from {_shown(one)} to {_shown(other)}"]


def _shown(result: Result) -> str:
    return ", ".join(f"{value:.4g}" for value in values(result)[:4])

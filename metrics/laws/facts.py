"""Laws of declared facts: a metric behaves as its class variables state."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from data.study import Captions, Item, Study
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.laws import studies
from metrics.laws.scored import apart, one, plain_result, scored, values
from metrics.laws.studies import RUN, SALAD

ROUNDED = 1e-9
ENCODED = 1e-5
SURE = 4.0
"""Number of standard errors above which a mean difference is not attributed to chance."""
REPEATS = 2


def only_declared_sides_are_read(metric: Metric) -> list[str]:
    """`reads_candidates` and `reads_references`: changing a side changes the value if and only if that side is read."""
    of = studies.plain(studies.enough_items(metric))
    other = {"candidates": (metric.reads_candidates, studies.study(of.items, {RUN: [SALAD[:1] * 4] * len(of.items)}))}
    if metric.reads_references or metric.learns == "nothing":
        other["references"] = metric.reads_references, studies.with_references(of, [SALAD] * len(of.items))
    return [
        f"reads_{side} is {declared}, but other {side} {'leave the value as it is' if declared else 'change the value'}"
        for side, (declared, variant) in other.items()
        if _moved(plain_result(metric), one(metric, variant)) != declared
    ]


def means_are_means(metric: Metric) -> list[str]:
    """`pooled`: the value of a run is the mean over its items unless the class declares it pooled."""
    if not metric.of_items:
        return []
    result = plain_result(metric)
    mean = not apart(metric, result.corpus, float(np.nanmean(result.items)))
    if mean != metric.pooled:
        return []
    return [f"pooled is {metric.pooled}, but the value of a run is {'' if mean else 'not '}the mean of its items"]


def the_best_reference_counts_where_declared(metric: Metric) -> list[str]:
    """`best_of`: an unrelated reference lowers a score unless only the best reference counts."""
    if metric.family != "quality" or not metric.reads_references:
        return []
    of = studies.plain(studies.enough_items(metric))
    more = studies.with_references(of, [(*item.references, SALAD[1]) for item in of.items])
    lower = bool((values(one(metric, more)) < values(plain_result(metric)) - metric.tie).any())
    if lower != metric.best_of:
        return []
    return [
        f"best_of is {metric.best_of}, but one more reference, about nothing, {'lowers' if lower else 'keeps'} scores"
    ]


def order_matters_where_declared(metric: Metric) -> list[str]:
    """`uses_order`: the order of the references affects the sums of a run if and only if the class declares it."""
    items = [replace(item, references=(item.references[0], SALAD[3], "so")) for item in studies.items(4)]
    if not metric.of_items:
        return []
    turned = [replace(item, references=item.references[::-1]) for item in items]
    slack = ENCODED if metric.work == "encoder" else ROUNDED
    alike = True
    for text in (SALAD[0], "..."):  # a wordless caption resembles all references equally
        said = {RUN: [(text,)] * len(items)}
        one_way, other_way = (one(metric, studies.study(each, said)).totals for each in (items, turned))
        alike = alike and np.allclose(one_way, other_way, rtol=0, atol=slack, equal_nan=True)
    if alike != metric.uses_order:
        return []
    how = "changes nothing" if metric.uses_order else "changes what is summed over items"
    return [f"uses_order is {metric.uses_order}, but another order of the references {how}"]


def other_items_have_a_say_where_declared(metric: Metric) -> list[str]:
    """`learns`: other content of the study changes the value of an item only if the class declares it."""
    if not metric.of_items or metric.learns == "texts":
        return []
    of = studies.plain(studies.enough_items(metric))
    said = [of.runs[0].candidates[item.id] for item in of.items]
    items = [of.items[0], *(replace(item, references=SALAD) for item in of.items[1:])]
    if metric.learns == "references":
        items = list(of.items)
    other = one(metric, studies.study(items, {RUN: [said[0], *[SALAD] * (len(items) - 1)]}))
    first, again = values(plain_result(metric))[0], values(other)[0]
    slack = ENCODED if metric.work == "encoder" else ROUNDED
    if np.isclose(first, again, rtol=0, atol=slack):
        return []
    return [f"learns is {metric.learns!r}, but other captions elsewhere change an item from {first:.4g} to {again:.4g}"]


def size_free_values_do_not_grow(metric: Metric) -> list[str]:
    """`size_free`: with twice the candidates from one source, a value changes only by chance."""
    if not metric.size_free or not metric.of_items or not metric.reads_candidates:
        return []
    found = scored(metric, _twice_as_many())
    more = found["six"].items - found["three"].items
    error = float(np.std(more, ddof=1)) / np.sqrt(len(more))
    if abs(more.mean()) <= SURE * error + metric.tie:
        return []
    return [
        f"size_free is True, but doubling the candidates changes it by {more.mean():.4g} (standard error {error:.2g})"
    ]


def single_captions_count_as_declared(metric: Metric) -> list[str]:
    """`counts_by`: if only repetition counts, other words that repeat nothing leave the value unchanged."""
    if metric.counts_by != "repetition":
        return []
    of = studies.plain(studies.enough_items(metric))
    said = [studies.replaced(of.runs[0].candidates[item.id], 1, SALAD[0]) for item in of.items]
    if not _moved(plain_result(metric), one(metric, studies.study(of.items, {RUN: said}))):
        return []
    return ["counts_by is 'repetition', but other words that repeat nothing change the value"]


def _moved(before: Result, after: Result) -> bool:
    return any(apart(before.metric, *pair) for pair in zip(values(before), values(after), strict=True))


def _twice_as_many() -> Study:
    source = random.Random(0)
    drawn: list[tuple[Captions, Captions, Captions]] = []
    for scene in studies.SCENES * REPEATS:
        every = [f"{first} {scene} {end}".strip() for first in studies.SAID_BY_PEOPLE for end in studies.ENDS]
        three, six, people = (tuple(source.choices(every, k=count)) for count in (3, 6, 4))
        drawn.append((three, six, people))
    items = [Item(str(k), people) for k, (_, _, people) in enumerate(drawn)]
    return studies.study(items, {"three": [each[0] for each in drawn], "six": [each[1] for each in drawn]})

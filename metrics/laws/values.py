"""Laws of values: their direction, their bounds, and that an undefined value is NaN with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from data.study import Captions, Item
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.laws import studies
from metrics.laws.scored import OPTIONS, one, scored, values

GOOD, BAD = "the better run", "the worse run"
SAME = 1e-9


def the_better_side_wins(metric: Metric) -> list[str]:
    """People's captions beat a word salad; for diversity, captions with more of the measured property win."""
    better, worse, what = _contrast(metric)
    sign = 1.0 if metric.higher_is_better else -1.0
    if sign * (better.corpus - worse.corpus) > metric.tie:
        return []
    way = "higher" if metric.higher_is_better else "lower"
    return [
        f"{what}, but {way} should be {'better' if metric.has_better_side else metric.more_means}: "
        f"{better.corpus:.4g} against {worse.corpus:.4g}"
    ]


def values_lie_in_their_bounds(metric: Metric) -> list[str]:
    """All values are within `bounds`, for people's own captions and for a word salad."""
    found = []
    low, high = metric.bounds
    for result in _contrast(metric)[:2]:
        every = np.concatenate([[result.corpus], result.items, result.values])
        outside = every[(every < low - SAME) | (every > high + SAME)]
        found += [f"{value:.4g} is beyond the bounds {low:.4g} and {high:.4g}" for value in outside[:1]]
    return found


def values_lie_in_their_intervals(metric: Metric) -> list[str]:
    """The value of a run is within its interval, if it has one."""
    of = studies.plain(len(studies.SCENES))
    found = one(metric, of, options=replace(OPTIONS, resamples=200))
    value, low, high = found.corpus, found.low, found.high
    if np.isnan(low) or low - SAME <= value <= high + SAME:
        return []
    return [f"{value:.4g} is beyond its interval, {low:.4g} to {high:.4g}"]


def undefined_is_nan_with_a_reason(metric: Metric) -> list[str]:
    """If captions are missing, too few or without words, the value is NaN, and a sentence gives the reason."""
    found = []
    for what, item, said, defined in _deficient(metric):
        result = _result_of(metric, item, said)
        value = values(result)[-1]
        if np.isnan(value):
            reason = result.reasons.get(len(result.items) - 1) if metric.of_items else result.why()
            found += [] if reason else [f"{what}: NaN, but no reason is given; raise Undefined with one"]
        elif not defined:
            found.append(f"{what}: {value:.4g}, where no value is defined; raise Undefined with the reason")
        elif value == 0.0:
            found.append(f"{what}: 0, which this law takes for undefined; raise Undefined, or count what captions have")
    return found


def tests_are_possible(metric: Metric) -> list[str]:
    """A metric declared as tested has a p in (0, 1] for every item with a value."""
    if not metric.tested:
        return []
    of = studies.plain(studies.enough_items(metric))
    p = one(metric, of, options=replace(OPTIONS, p_values=True)).item_p
    if p is None or not ((p > 0) & (p <= 1)).all():
        return [f"the permutation test of some item has no p between 0 and 1: {p}"]
    return []


@lru_cache(maxsize=4)
def _contrast(metric: Metric) -> tuple[Result, Result, str]:
    """Return the results of a better, or more diverse, run and of a worse run, with a description of both."""
    count = studies.enough_items(metric)
    of = studies.items(count)
    people = [item.references for item in of]
    if not metric.reads_candidates:
        whole = studies.study(of, {GOOD: people})
        return (
            one(metric, whole, GOOD),
            one(metric, studies.with_references(whole, [studies.SALAD] * count), GOOD),
            "references that agree do not beat references that do not",
        )
    better, worse, what = _sides(metric, people)
    found = scored(metric, studies.study(of, {GOOD: better, BAD: worse}))
    return found[GOOD], found[BAD], what


def _sides(metric: Metric, people: list[Captions]) -> tuple[list[Captions], list[Captions], str]:
    """Return better captions (for diversity: more of what is measured), worse ones, and the violation in words."""
    if metric.has_better_side:
        return people, [studies.SALAD] * len(people), "the references do not beat a word salad"
    if metric.measures == "length":
        longer = [tuple(f"{text} once more" for text in texts) for texts in people]
        return longer, people, "longer captions do not beat shorter ones"
    if metric.measures == "improbability":
        return [studies.SALAD] * len(people), people, "improbable captions do not beat probable ones"
    if metric.measures == "evenness":
        return people, [_dull(texts) for texts in people], "different words do not beat one word repeated"
    return people, [texts[:1] * len(texts) for texts in people], "distinct captions do not beat copies of one"


def _dull(texts: Captions) -> Captions:
    return tuple(" ".join(word if k % 3 == 0 else "a" for k, word in enumerate(text.split())) for text in texts)


def _deficient(metric: Metric) -> Iterator[tuple[str, Item, Captions, bool]]:
    """Yield what is missing, an item, its candidates, and whether these may have a value other than 0."""
    full, said = studies.items(1)[0], studies.model(1)[0]
    wordless = ("!!!", "...", "?!", "--", "!!!")
    if metric.reads_candidates:
        yield "no candidates", full, (), False
        yield "one candidate", full, full.references[:1], "two candidates" not in metric.needs
    if metric.reads_references:
        yield "no references", replace(full, references=()), said, False
        single = replace(full, references=full.references[:1])
        yield "one reference", single, said, "two references" not in metric.needs
    if not metric.scores_empty_captions and metric.work == "words":
        yield "captions without a word", replace(full, references=wordless), wordless[::-1], True


def _result_of(metric: Metric, item: Item, said: Captions) -> Result:
    """Return the result of a metric on an item that follows complete items.

    For a metric without results per item, return its result on a run with copies of this item only.
    """
    count = studies.enough_items(metric)
    of, own = [*studies.items(count)], studies.model(count)
    if metric.of_items:
        return one(metric, studies.study([*of, replace(item, id="last")], {GOOD: [*own, said]}), GOOD)
    alike = [replace(item, id=str(k)) for k in range(count)]
    return one(metric, studies.study(alike, {GOOD: [said] * count}), GOOD)

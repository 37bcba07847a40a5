"""The first run of the Overview in words: among how many it is first, which may be as good, and where else it ranks."""

from __future__ import annotations

from figures.overview.people import name
from figures.overview.second_order import DISTANCE, measure, unplaced, whose
from figures.style.numbers import count, ordinal
from figures.style.wording import item_noun, names_in_a_row, sharing
from metrics.analysis.overview import Order, Overview

_ONES = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MANY = 5
"""If this many other runs or more may be as good as the first, the number of runs behind it is stated, too."""


def first_words(seen: Overview, placed: bool = True) -> str:
    """Return which run is first by quality, or which share first place, and where that run is in the second order."""
    quality, other = seen.quality, seen.other
    first = quality.first
    assert first is not None
    if quality.ranked == 1 or len(quality.firsts) > 1:
        return f"{share_words(seen)}{shared_words(seen, quality)}{_first_of_other(seen, placed)}."
    by = f"{whose(quality.metric)}{quality.metric.label}"
    if rest := few_behind(quality):
        able = quality.ranked - len(rest)
        last = f"{name(seen, rest[0])} is" if len(rest) == 1 else f"{few(len(rest))} are"
        which = f"{few(able)} of {count(quality.ranked, seen.unit)} may be first"
        return f"By {by}, {which}, {name(seen, first)} with the best value; only {last} clearly behind."
    start = f"{name(seen, first)} is first of {count(quality.ranked, seen.unit)} by {by}"
    judged = [quality]
    if is_open(quality):
        items, judged = count(len(seen.study.items), item_noun(seen.study)), []
        start = (
            f"On {items}, no {seen.unit} is clearly ahead by {by}: {name(seen, first)} is first of {quality.ranked:,}"
        )
    untested = other.rank[first] and not other.ranges.low[first]
    unlike = (first,) != other.firsts if quality.untested else untested
    if seen.unmeasured or seen.too_few or not placed or unlike:
        # A place that no test supports may be due to chance; the chart shows it.
        return f"{start}{shared_words(seen, *judged)}."
    if len(other.firsts) > 1 and first in other.firsts:
        return f"{start}{shared_words(seen, *judged)}{_first_of_other(seen, placed)}."
    if first == other.first:
        beside = f"{f'of {other.ranked} ' if other.ranked != quality.ranked else ''}by {measure(seen)}"
        both = ", also" if is_open(quality) else " and"
        if judged and set(quality.tied) != set(other.tied) and not quality.untested:
            # State ties in only one order beside that order.
            return f"{start}{shared_words(seen, quality)},{both} {beside}{shared_words(seen, other)}."
        return f"{start}{both} {beside}{shared_words(seen, *judged, other)}."
    if other.span(first) == (1, other.ranked) and other.ranges.low[first]:
        # A rank that may be any rank says nothing, except that a metric does not tell whom people rate best.
        any_rank = "" if measure(seen) == DISTANCE else f"; by {measure(seen)}, it may have any rank"
        return f"{start}{shared_words(seen, *judged)}{any_rank}."
    return f"{start}{shared_words(seen, *judged)}, but {_place(seen, first)}."


def share_words(seen: Overview) -> str:
    """Return a clause naming the runs that share the best value by quality, or the only one with a value."""
    order, label = seen.quality, seen.quality.metric.label
    names = [name(seen, k) for k in order.firsts]
    if order.ranked == 1:
        return f"{names[0]} is the only {seen.unit} with a value of {label}"
    if len(names) < order.ranked:
        by = f"by {whose(order.metric)}{label}"
        return f"{names_in_a_row(names, 2)} share first place among {order.ranked:,} {seen.unit}s {by}"
    return "".join(sharing(names, order.ranked, order.metric, seen.unit, len(seen.study.runs) - order.ranked))


def _first_of_other(seen: Overview, placed: bool) -> str:
    """A clause on which runs are first in the second order; "" if there is no room, or nothing to say."""
    other, by = seen.other, measure(seen)
    if not placed or seen.unmeasured or seen.too_few or other.ranked < 2:
        return ""
    names = [name(seen, k) for k in other.firsts]
    if len(names) == other.ranked:
        same = len(seen.quality.firsts) == seen.quality.ranked == other.ranked
        return f" and the same {by}" if same else f"; by {by}, there is no difference between them"
    first = "share first place" if len(names) > 1 else "is first"
    return f"; {names_in_a_row(names, 2)} {first} by {by}{shared_words(seen, other)}"


def is_open(order: Order) -> bool:
    """Return whether several runs were tested, but none is significantly better than another."""
    return not order.untested and not order.ahead.any() and len(order.tied) == order.ranked - 1 > 0


def few_behind(order: Order) -> list[int]:
    """Return the runs that are clearly behind another, if nearly all others may be first; [] if that is not so.

    These others are more than MANY and more than two thirds of all. A run that no test tells apart from the first may
    still be clearly behind another run, and then cannot be first.
    """
    behind = [k for k in range(len(order.rank)) if order.rank[k] and order.ahead[:, k].any()]
    able = order.ranked - len(behind)
    return behind if not order.untested and able > MANY and 3 * able > 2 * order.ranked else []


def shared_words(seen: Overview, *orders: Order) -> str:
    """Return a remark on which runs tie with the first: " (18 others may be as good; 21 are clearly behind)".

    If an order was not tested, the remark states this; "" if no other run may be as good.
    """
    orders = tuple(order for order in orders if len(order.firsts) < order.ranked)
    if any(order.untested for order in orders):
        return f" (order not tested on {count(len(seen.study.items), item_noun(seen.study))})"
    tied = {run for order in orders for run in order.tied if run not in order.firsts}
    if not tied:
        return ""
    most = max(order.ranked for order in orders)
    if len(tied) == 1:
        return f" (tied with {name(seen, *tied)})"
    if len(tied) == most - 1:
        return f" (tied with all others on {count(len(seen.study.items), item_noun(seen.study))})"
    behind = most - len(orders[0].firsts) - len(tied)
    if len(tied) < MANY or not behind:
        return f" (tied with {few(len(tied))} others)"
    return f" ({few(len(tied))} others may be as good; {few(behind)} {'is' if behind == 1 else 'are'} clearly behind)"


def _place(seen: Overview, run: int) -> str:
    """A run's place in the second order, as far as the intervals determine it."""
    other, by = seen.other, measure(seen)
    rank, n = int(other.places[run]), other.ranked
    if not rank:
        return unplaced(seen, run)
    low, high = other.span(run)
    of = f" of {n}" if n != seen.quality.ranked else ""
    if (low, high) == (n, n):
        detected = seen.people is None or run not in seen.people.alike
        return f"farthest{of} from people" if by == DISTANCE and detected else f"last{of} by {by}"
    if low == high:
        return f"{ordinal(rank)}{of} by {by}"
    if high == n and low > 1:
        return f"among the last {few(n - low + 1)}{of} by {by}"
    return f"{ordinal(rank)}{of} ({low} to {high}) by {by}"


def few(n: int) -> str:
    """Return a number for a sentence, spelled out up to twelve."""
    return _ONES[n] if n < len(_ONES) else f"{n:,}"

"""The sentences of the Overview; `metrics.analysis.overview` decides what they may say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from data.study import Study
from figures.notes.hazards import faulty, gravest
from figures.notes.people import LEAK, joint_test, joint_words, would_find
from figures.overview.first_run import few, first_words, is_open, share_words, shared_words
from figures.overview.names import called, two_lines
from figures.overview.people import both, name, p_line, people
from figures.overview.second_order import DISTANCE, measure
from figures.style.escaping import capital
from figures.style.numbers import count, interval, num, ordinal, rank_text, temperature
from figures.style.run_names import JOINT, short_names
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis.feasibility import runs_with_sets
from metrics.analysis.overview import AGREE, Change, Order, Overview
from metrics.permutation.pvalues import ALPHA
from metrics.suite.distribution import Trm
from metrics.suite.ratings import RatedByPeople

CHANGES: dict[Change, str] = {
    "unsure": "The {}s in two orders",
    "stays": "The order stays",
    "below": "The order changes below first place",
    "changes": "The order changes",
    "turns": "The order tends to reverse",
}
FEW = 6
"""Up to this many runs all have their colours in the chart; of more, only the emphasised."""
MOST = 35
"""Maximum number of words in a headline."""
_LENGTHS = ((True, 2), (True, 1), (True, 0), (False, 1), (False, 0))
"""Headlines to try, longest first: whether to state the place in the other order, and how to name the test.

The test against people is named with its p (2), with its divergence (1), or by name only (0).
"""


def headline(seen: Overview, computing: bool = True) -> tuple[str, ...]:
    """Return the findings of the study in at most MOST words: one or two sentences, after any fault; see _LENGTHS.

    The second sentence is left out if it does not fit. If the first run has a fault, the gravest fault of any run comes
    first, and the order is left out if not all of this fits; the faults of other runs are below the chart. While
    numbers are missing, only the first run by quality is named, if known, and no fault. `computing` tells whether
    missing numbers are being computed; only the progress bar shows how long that takes.
    """
    first = _leader(seen)
    own = {run.name for run in seen.seeds(first)} if first is not None else set()
    if seen.waiting and _half(seen):
        return (first_words(seen, placed=False),)
    wrong = fault(seen) if faulty(seen.every) & own else ""
    tries = [tuple(filter(None, (wrong, *said))) for said in _said(seen, computing)]
    tries.append((wrong, tries[-1][-1]) if wrong else tries[-1][:1])
    tries = [_named_once(seen, said) for said in tries]
    return next((said for said in tries if len(" ".join(said).split()) <= MOST), tries[-1])


def _leader(seen: Overview) -> int | None:
    if len(seen.study.runs) == 1:
        return 0
    if seen.waiting or not (seen.quality.ranked and seen.other.ranked):
        return None
    by_people = isinstance(seen.other.metric, RatedByPeople) and not seen.too_few
    return (seen.other if by_people else seen.quality).first


def _named_once(seen: Overview, said: Sequence[str]) -> tuple[str, ...]:
    names, made, about = [name(seen, k) for k in range(len(seen.study.runs))], [], ""
    for sentence in said:
        subjects = [one for one in names if re.match(rf"(Only )?{re.escape(one)} (?!and )", sentence)]
        subject = max(subjects, key=len, default="")
        made.append(_of_it(sentence, subject) if subject and subject == about else sentence)
        about = subject
    return tuple(made)


def _of_it(sentence: str, subject: str) -> str:
    only = sentence.startswith(f"Only {subject}")
    return f"{'Only it' if only else 'It'}{sentence[len(subject) + 5 * only :]}"


def fault(seen: Overview) -> str:
    """Return the gravest fault of a run as a sentence; "" if there is none."""
    settings = {run.name: name(seen, k) for k in range(len(seen.study.runs)) for run in seen.seeds(k)}
    names = {run.name: _seed_of(settings[run.name], called(seen.every.runs, run)) for run in seen.every.runs}
    said = "".join(gravest(seen.every, names))
    return capital(said) if said.startswith("seed\u00a0") else said


def _seed_of(setting: str, run: str) -> str:
    """The name of a run: "seed 2 of" the name of its setting, or else the run's own name.

    A setting has one name on the whole page.
    """
    seed = run.removeprefix(setting).strip(f"{JOINT} ")
    return f"{seed} of {setting}" if run != setting and run.startswith(setting) and seed.startswith("seed") else run


def _said(seen: Overview, computing: bool) -> list[tuple[str, ...]]:
    """The findings of the study at several lengths, longest first."""
    if len(seen.study.runs) == 1:
        return [(f"{name(seen, 0)} is the only {seen.unit}, so there is no order.", people(seen, alone=True))]
    if seen.waiting:
        return [(_pending(seen, computing),)]
    for order in (seen.quality, seen.other):
        if not order.ranked:
            return [(_without(order),)]
    if isinstance(seen.other.metric, RatedByPeople) and not seen.too_few:
        # What people say comes first.
        turned = replace(seen, quality=seen.other, other=seen.quality)
        return [(first_words(turned, placed), _first_by_quality(seen)) for placed, _ in _LENGTHS]
    return [(first_words(seen, placed), seen.unmeasured or _second(seen, room)) for placed, room in _LENGTHS]


def _second(seen: Overview, room: int) -> str:
    if seen.too_few:
        return _only(seen, room)
    return people(seen, room=room) if seen.people is not None else ""


def _first_by_quality(seen: Overview) -> str:
    first = seen.quality.first
    if len(seen.quality.firsts) > 1:
        return f"{share_words(seen)}."
    if first is None or (first,) == seen.other.firsts or (is_open(seen.quality) and seen.other.rank[first]):
        return ""
    left = "" if seen.other.rank[first] else ", which people did not rate"
    return f"{seen.quality.metric.label} puts {name(seen, first)} first{shared_words(seen, seen.quality)}{left}."


def _without(order: Order) -> str:
    why = next(filter(None, order.reasons), "nothing to score")
    return f"No run has a value of {order.metric.label}: {why}."


def untaught(seen: Overview) -> str:
    """Return why there is no run to illustrate the distance."""
    return _without(seen.other)


def _only(seen: Overview, room: int) -> str:
    named = [name(seen, k) for k in seen.measured]
    sets = {run.name for run in seen.study.runs if run.name in runs_with_sets(seen.study)}
    verb = "has" if len(named) == 1 else "have"
    if not isinstance(seen.other.metric, Trm):
        return f"Only {' and '.join(named)} {verb} a value of {measure(seen)}."
    why = sets == {seen.study.runs[k].name for k in seen.measured}
    several = f" several captions for each {item_noun(seen.study)}, and so" if why else ""
    return f"Only {' and '.join(named)} {verb}{several} a {DISTANCE}{both(seen, room) if room else ''}."


def change(seen: Overview) -> str:
    """Return how the order changes, for use as a title."""
    if seen.too_few:
        label = "TRM" if isinstance(seen.other.metric, Trm) else seen.other.metric.label
        return f"{seen.other.ranked} of {count(len(seen.study.runs), seen.unit)} with {label}: too few for an order"
    if seen.change == "stays" and seen.tau < 1:
        return "The order hardly changes" if seen.tau >= AGREE else "No change of order is certain"
    return CHANGES[seen.change].format(seen.unit)


def deck(seen: Overview, said: Sequence[str], computing: bool = True) -> tuple[str, str]:
    """Return the line below the headline `said`, whose first part is in bold; ("", "") if there is nothing to add.

    It states which numbers are missing or the gravest fault of a run, unless the headline does so; else, if the second
    order is by distance to people, what this is.
    """
    if seen.waiting:
        return "", _pending(seen, computing) if _half(seen) else ""
    if (wrong := fault(seen)) and wrong not in said:
        return wrong, ""
    return lesson(seen.study) if isinstance(seen.other.metric, Trm) and not seen.unmeasured else ("", "")


def lesson(study: Study) -> tuple[str, str]:
    """Return what distance to people is, and why it matters."""
    many = {len(item.references) for item in study.items}
    people = few(many.pop()) if len(many) == 1 and min(many) > 1 else "many"
    said = "Distance to people (TRM): do captions vary as people's do? Lower is better."
    return said, f"{people.capitalize()} people write it {people} ways; one safe caption can win."


def demo(study: Study) -> str:
    """Return a description of the demo."""
    models = few(len({run.model for run in study.runs}))
    # The name "Oracle" reads like an upper bound, or a source of truth.
    oracle = "; Oracle writes as people do" if any(run.model == "Oracle" for run in study.runs) else ""
    return f"{models.capitalize()} made-up models, {count(len(study.items), 'scene')}{oracle}."


def ranges(seen: Overview) -> bool:
    """Return whether the chart has a range of ranks, for a run that tests do not distinguish from all others."""
    orders = [seen.quality, *([] if seen.too_few else [seen.other])]
    return any(low < high for order in orders for low, high in map(order.span, range(len(seen.study.runs))))


def best(seen: Overview) -> str:
    """Return which rank is the best and, if the chart has ranges, what they are."""
    return f"1 is best{'; ranges: 95 %' if ranges(seen) or not two_lines(seen.study.runs) else ''}"


def reading(seen: Overview) -> str:
    """Return how to read the chart: what its numbers mean and, if names of runs contain "T", what this means."""
    runs = seen.study.runs
    if seen.whole:
        return f"{best(seen)}. Below a name: its mean over seeds"
    for run in runs:
        heat, short = run.settings.temperature, short_names(runs)[run.name]
        if heat is not None and short.endswith(f"{JOINT}T\u00a0{temperature(heat)}"):
            return f"{best(seen)}. T\u00a0{temperature(heat)}: temperature {temperature(heat)}"
    return best(seen)


def _half(seen: Overview) -> bool:
    """Whether the order by quality is known and the other may be missing."""
    return not seen.quality.waiting and seen.quality.first is not None


def _pending(seen: Overview, computing: bool) -> str:
    names = [seen.quality.metric.label, measure(seen)]
    missing = [what for what, order in zip(names, (seen.quality, seen.other)) if order.waiting]
    there = [what for what in names if what not in missing]
    still = "being computed" if computing else "not computed yet"
    verb = "is" if len(missing) == 1 else "are"
    said = f"{' and '.join(missing)} {verb} {still}."
    return _begin(f"{there[0]} is ready; {said}" if there and not _half(seen) else said, names)


def _begin(sentence: str, names: Sequence[str]) -> str:
    """A sentence with a capital, unless it begins with the name of a metric."""
    return sentence if sentence.startswith(tuple(n for n in names if n != DISTANCE)) else capital(sentence)


def legend(seen: Overview) -> str:
    """Return the meaning of a ring in the chart; "" if no run has a ring."""
    if seen.people is None or not seen.people.alike:
        return ""
    return f"no difference detected (p > {ALPHA})"


def marks(seen: Overview) -> list[str]:
    """Return the meaning of the marks that occur in the chart, except the filled one.

    For a single run, which has no chart, return the result of the test.
    """
    alone = [p_line(seen, 0)] if len(seen.study.runs) == 1 else []
    ring = [f"○ {said}"] if (said := legend(seen)) and not alone else []
    runs = range(len(seen.study.runs))
    without = [not seen.quality.rank[k] or not (seen.too_few or seen.other.rank[k] or seen.tested(k)) for k in runs]
    found = would_find(seen.detectable) if legend(seen) else ""
    leaks = [name(seen, k) for k in (seen.people.leaks if seen.people else ())]
    whole = [] if seen.other.metric.of_items or seen.waiting else [f"{seen.other.metric.label}: no test"]
    return [
        *whole,
        *ring,
        *filter(None, [*alone, found]),
        *([f"{names_in_a_row(leaks, 3)} {'is' if len(leaks) == 1 else 'are'} {LEAK}"] if leaks else []),
        *(["× no value"] if any(without) and not seen.waiting else []),
    ]


def standing(seen: Overview, run: int) -> str:
    """Return the ranks of a run for a title; if too few runs have a distance, its value instead of a rank.

    "" if it is the only run, or while ranks are being computed.
    """
    if len(seen.study.runs) == 1:
        return ""
    said = [place(order, run) for order in (seen.quality, seen.other) if not order.waiting]
    if seen.too_few and seen.other.rank[run]:
        label = "TRM" if isinstance(seen.other.metric, Trm) else seen.other.metric.label
        said[-1] = f"{label} {num(seen.other.values[run])}"
    return ", ".join(said)


def other_bars(seen: Overview, runs: Sequence[int]) -> str:
    """Return a sentence on which displayed runs have no TRM, and which runs have bars instead.

    "" if all displayed runs have a TRM, while values are being computed, or if no run has bars.
    """
    without = [name(seen, k) for k in seen.shown if k not in runs and not seen.other.rank[k]]
    if seen.other.waiting or not without or not runs:
        return ""
    has = "has" if len(without) == 1 else "have"
    return f" {' and '.join(without)} {has} no TRM, so the bars are of {' and '.join(name(seen, k) for k in runs)}."


def place(order: Order, run: int) -> str:
    """Return the rank of a run for a title: "1st by CIDEr-D", "2nd or 3rd by TRM", "no TRM", or "the only one"."""
    rank, (low, high) = int(order.places[run]), order.span(run)
    label = "TRM" if isinstance(order.metric, Trm) else order.metric.label
    if rank and order.ranked == 1:
        return f"the only one with {label}"
    if not rank:
        return f"no {label}"
    if low < high:
        return f"{ordinal(low)} {'or' if high == low + 1 else 'to'} {ordinal(high)} by {label}"
    return f"{'joint ' if (order.places == rank).sum() > 1 else ''}{ordinal(rank)} by {label}"


def value_line(order: Order, run: int, digits: int = 3) -> str:
    """Return a run's value with interval and rank, "CIDEr-D 1.812 (1.670 to 1.955), rank 1", or why there is none."""
    if not order.rank[run]:
        return f"{order.metric.label}: {order.reasons[run] or 'no value'}"
    return f"{order.metric.label} {with_interval(order, run, digits)}, rank {rank_text(*order.span(run))}"


def with_interval(order: Order, run: int, digits: int = 3) -> str:
    """Return a run's value with its interval, if any: "1.812 (1.670 to 1.955)"."""
    low, high = order.low[run], order.high[run]
    ends = f" ({interval(low, high, digits)})" if low == low else ""
    return f"{num(order.values[run], digits)}{ends}"


def alt(seen: Overview) -> str:
    """Return the text alternative of the chart."""
    left = f"Ranks of {count(len(seen.study.runs), seen.unit)} by {seen.quality.metric.label}, left"
    if seen.too_few:
        return f"{left}; {seen.other.metric.label} of the {few(seen.other.ranked)} that have it, right."
    return f"{left}, and by {seen.other.metric.label}, right."


def rules(seen: Overview) -> list[str]:
    """Return how the figure is made, for the panel below it."""
    one, alone = item_noun(seen.study), len(seen.study.runs) == 1
    shared = (
        " A run may share first place if its difference from the first is not significant, corrected for all pairs "
        f"of runs (Student's t, Holm, p ≤ {ALPHA})."
    )
    said = [f"Intervals: 95 % bootstrap over {one}s.{'' if alone else shared}"]
    if seen.tau == seen.tau and not seen.too_few:
        said.append(
            f"Kendall's tau of the two orders: {num(seen.tau, 2)}. Pairs of runs that differ significantly by both "
            f"metrics: {seen.kept} in the same order, {seen.swapped} in the opposite one."
        )
    if seen.people is not None:
        over = f", corrected for {seen.people.tests} runs (Holm)" if seen.people.tests > 1 else ""
        if seen.people.joint:
            test, made = joint_test(seen.other.metric), joint_words(seen.other.metric)
            said.append(f"p: {test}, against people's captions{over}. {made}")
        else:
            said.append(f"p: corpus permutation test of {seen.other.metric.label} against people's captions{over}.")
    if seen.other.untested and not seen.other.metric.of_items:
        said.append(f"{seen.other.metric.label}: one value of a whole run; its order is not tested.")
    colour = (
        "the first run of each order and, of each other model, the run whose rank changes most, if it significantly "
        "changes places with a run"
    )
    if seen.too_few:
        colour = f"the first by {seen.quality.metric.label}, and the runs with {seen.other.metric.label}"
    these = "the run comes nearest to its values" if alone else "these runs come nearest to their values"
    said += [] if alone or len(seen.study.runs) <= FEW else [f"In colour: {colour}."]
    return [*said, f"The {one} shown is the one where {these} over the whole study."]

"""Sentences and tables about slices of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from data.study import Run, Study
from figures.export.table import Table
from figures.slices.chart import Heads, Row
from figures.style.escaping import Strong, short
from figures.style.html import WORDS
from figures.style.numbers import P_VALUE, count, num, p_text, signed
from figures.style.palette import styles_of
from figures.style.wording import item_noun, lead_means, less_means, n_items, names_in_a_row
from metrics.analysis.slices.differences import SliceDifference, SliceDifferences, Values, detectable, unsteady
from metrics.analysis.slices.groups import Kind, Slice
from metrics.analysis.slices.lengths import LengthCurve
from metrics.base import Metric

CORRECTION: dict[str, str] = {"holm": "No false findings (Holm)", "bh": "Few false findings (Benjamini-Hochberg)"}
_CORRECTED = {"holm": "", "bh": " (at most 5 % of such findings false on average)"}
_FIELDS = dict.fromkeys(("coherence.references", "reference_coherence"), "people's coherence")
AGREEMENT_LEFT_OUT = (
    "no slices by people's agreement: where people agree, anybody scores higher; compare two runs instead"
)
_TOO_OFTEN = "such a slice is significant by chance in up to 11 % of cases, not 5 %"
COLUMNS = (
    *("kind", "field", "slice", "label", "from", "to", "n", "value", "ci_low", "ci_high", "elsewhere"),
    *("gap", "gap_low", "gap_high", "p_value", "p_adjusted", "correction", "run", "baseline", "metric", "measure"),
)
_KINDS: dict[Kind, str] = {
    "word": "people's words",
    "length": "length",
    "consensus": "agreement",
    "field": "fields",
}
DIVIDE = (
    "A slice is a group of {noun}s with something in common: a word that people say, or a field that your file has "
    "for each {noun}, such as its category. Add captions by people or such fields."
)
SHOWN, NEAREST = 10, 5
"""The maximum number of rows in the figure if slices stand out, and if none does; the table has all."""
HOW = (
    "A slice is the images with a word in at least one caption by people; a quarter of the images by the length of "
    "people's captions or by their agreement (ROUGE-L of each caption with the others); or the images with one value, "
    "or in one quarter of the values, of a metadata field. Its mean is compared with that of the other images by "
    "Welch's t. p comes from random permutations of the values over all images, the same for every slice: it is twice "
    "the smaller tail, and never below the p of Welch's t. A single run scored against people has no slices by "
    "agreement, because where people agree, anybody scores higher, people included.",
    "p is corrected for all slices. By Holm's method, the chance of any false finding is at most 5 %; by Benjamini and "
    "Hochberg's, at most 5 % of the findings are false on average. The table, as CSV, has a separate 95 % interval of "
    "each slice by Student's t, which is not corrected. For pooled metrics such as BLEU, the values are those of "
    "images; their mean is not the corpus value.",
)


def name(one: Slice) -> str:
    """Return a slice in a few words, as the label of its row."""
    if one.kind == "word":
        return f"“{one.value}”"
    of = {"length": "Words per caption", "consensus": "People's agreement"}.get(one.kind, _title(one.field))
    return f"{of}: {_range(one, '–')}" if one.ranged else f"{of}: {one.value}"


def phrase(one: Slice, noun: str) -> str:
    """Return a slice for use in a sentence: `images where people say “man”`."""
    if one.kind == "word":
        return f"{noun}s where people say “{short(one.value, 30)}”"
    if one.kind == "length":
        return f"{noun}s with {_range(one)} words per caption by people"
    if one.kind == "consensus":
        return f"{noun}s where people's agreement is {_range(one)}"
    return f"{noun}s with {short(_field(one.field), 40)} {short(_range(one) if one.ranged else one.value, 30)}"


def _title(field: str) -> str:
    said = _field(field)
    return said[:1].upper() + said[1:] if field in _FIELDS or field.startswith("coherence.") else said


def _field(name: str) -> str:
    """A metadata field in words: `facts.who` is `facts, who`."""
    if name in _FIELDS:
        return _FIELDS[name]
    first, _, rest = name.partition(".")
    if first == "coherence" and rest:
        return f"coherence of {rest}"
    return ", ".join(" ".join(part.split("_")).strip() or part for part in name.split("."))


def _range(one: Slice, joint: str = " to ") -> str:
    digits = 2 if max(abs(one.low), abs(one.high)) < 10 else 1
    ends = [num(one.low, digits), *([num(one.high, digits)] if one.low != one.high else [])]
    # An average of counts is often whole, and a whole number needs no decimals.
    return joint.join(ends if one.kind == "consensus" else [end.rstrip("0").rstrip(".") for end in ends])


def advantage(of: Values, value: float) -> float:
    """Return a value oriented so that more is in favour of the first run; the value of a single run is unchanged."""
    return of.sign * value if len(of.sides) > 1 else value


def rows(found: SliceDifferences) -> list[SliceDifference]:
    """Return the slices to show, smallest p first: those that stand out or, if none does, the nearest.

    A slice that stands out is followed by the others of its field, or of its length or agreement, in their order; these
    are left out where they would take the places of slices that stand out.
    """
    if not found.found:
        return list(found.rows[:NEAREST])
    together = [row for one in found.found for row in ([one] if one.slice.kind == "word" else _beside_it(found, one))]
    each = dict.fromkeys(together)
    kept = {*found.found[:SHOWN], *[row for row in each if not row.significant][: max(SHOWN - len(found.found), 0)]}
    return [row for row in each if row in kept]


def _beside_it(found: SliceDifferences, one: SliceDifference) -> list[SliceDifference]:
    same = [row for row in found.rows if (row.slice.kind, row.slice.field) == (one.slice.kind, one.slice.field)]
    return sorted(same, key=lambda row: row.slice.low) if one.slice.ranged else same


def title(against: str, shown: int, found: SliceDifferences) -> str:
    """Return the title of the figure, which says so if it shows only the slices that come nearest to standing out."""
    return f"{against}, slice by slice" if found.found else nearest(shown, found)


def nearest(shown: int, found: SliceDifferences) -> str:
    """Return the words for slices of which none stands out."""
    if shown == len(found.rows):
        return "The only slice" if shown == 1 else f"All {shown} slices"
    return f"The {shown} of {len(found.rows):,} slices that come nearest to standing out"


def row(of: Values, one: SliceDifference) -> Row:
    """Return a slice as a row of the figure."""
    value, elsewhere = advantage(of, one.value), advantage(of, one.elsewhere)
    return Row(one.slice.key, name(one.slice), one.n, value, elsewhere, one.adjusted, one.significant)


def heads(study: Study, metric: Metric, runs: Sequence[Run], names: Sequence[str]) -> Heads:
    """Return the words around the axis: of one run's mean, or of the advantage of the first run over the second."""
    if len(runs) < 2:
        return Heads(f"{metric.label} of {names[0]}", "mean")
    styles = styles_of(study)
    said = "advantage" if metric.has_better_side else lead_means(metric)
    marks = tuple(styles[run.model] for run in runs)
    gain = "better" if metric.has_better_side else said
    return Heads(f"{names[0]}: {said} in {metric.label}", _measure(metric), tuple(names), marks, gain)


def _measure(metric: Metric) -> str:
    return "advantage" if metric.has_better_side else "difference"


def verdict(of: Values, found: SliceDifferences, names: Sequence[str], noun: str) -> list[str]:
    """Return the significant slices on which the first run does best and worst, or that there are none."""
    total, said = len(found.rows), _CORRECTED[found.correction]
    if not found.found:
        return _none(of, found, names)
    up, down = _ends(of, found)
    if len(names) > 1:
        return _of_two(of, found, [one for one in (up, down) if one is not None], names, noun)
    differ = "differs" if len(found.found) == 1 else "differ"
    tail = f" {len(found.found)} of {count(total, 'slice')} {differ} from the rest{said}."
    first, second = (up, down) if of.sign > 0 else (down, up)
    said_of = ("does better", "worse"), (f"is {lead_means(of.metric)}", _less(of.metric))
    verb = said_of[0 if of.metric.has_better_side else 1]
    parts: list[str] = [Strong(names[0]), " "]
    if first is not None:
        parts.append(f"{verb[0]} on {phrase(first.slice, noun)} ({of.metric.label} {_beside(of, first)})")
    if second is not None:
        joint = ", " if first is not None else f"{'does ' if of.metric.has_better_side else 'is '}"
        where = phrase(second.slice, noun) if first is None else _brief(second.slice, noun)
        parts.append(f"{joint}{verb[1]} on {where} ({_beside(of, second)})")
    return [*parts, ".", tail]


def _none(of: Values, found: SliceDifferences, names: Sequence[str]) -> list[str]:
    """Return that none of the slices is significant."""
    label = of.metric.label
    what = f"in the {label} difference between {names[0]} and {names[1]}" if len(names) > 1 else f"by {label}"
    only = len(found.rows) == 1
    who = "The only slice does not stand out" if only else f"None of {count(len(found.rows), 'slice')} stands out"
    return [Strong(who), f" {what}."]


def more(of: Values, found: SliceDifferences, noun: str) -> tuple[str, ...]:
    """Return which slice is nearest to standing out, and the gap that would have stood out; () if a slice does."""
    if found.found:
        return ()
    row, gaps = found.rows[0], detectable(found)
    said = f"Nearest: {phrase(row.slice, noun)} ({_beside(of, row)}; corrected p {p_text(row.adjusted)})."
    if not gaps:
        return (said,)
    least, most = num(min(gaps), 2), num(max(gaps), 2)
    wide = f"Depending on the slice, a gap of {least} to {most}" if least != most else f"A gap of {least}"
    return (said, f"{wide} from the rest would stand out in about 4 of 5 cases.")


def _tried(found: SliceDifferences) -> str:
    kinds = Counter(row.slice.kind for row in found.rows)
    return f"tried: {', '.join(f'{_KINDS[kind]} ({kinds[kind]:,})' for kind in _KINDS if kinds[kind])}"


def _of_two(
    of: Values, found: SliceDifferences, ends: Sequence[SliceDifference], names: Sequence[str], noun: str
) -> list[str]:
    """Return where a lead is larger or smaller than elsewhere, and which of the two runs leads there.

    A slice is compared with the other items: a run that still leads there, by less, is not worse than the other run.
    """
    words = [_standing(of, one) for one in ends]
    (lead, by), first = words[0], ends[0]
    parts: list[str] = [
        Strong(names[0]),
        f" {lead} {names[1]}{by} on {phrase(first.slice, noun)} ({_beside(of, first)})",
    ]
    for (again, by_again), one in zip(words[1:], ends[1:]):
        verb = by_again.lstrip(",") if again == lead and by_again else f" {again} it{by_again}"
        parts.append(f" and{verb} on {_brief(one.slice, noun)} ({_beside(of, one)})")
    total = count(len(found.rows), "slice")
    differ = f" {len(found.found)} of {total} {'differs' if len(found.found) == 1 else 'differ'} from the rest"
    tails = (f"{differ}{_CORRECTED[found.correction]}.", f"{differ}.", "")
    whole = [[*parts, ".", *([tail] if tail else [])] for tail in tails]
    return next((one for one in whole if len("".join(one).split()) <= WORDS), whole[-1])


def _standing(of: Values, row: SliceDifference) -> tuple[str, str]:
    here, there = advantage(of, row.value), advantage(of, row.elsewhere)
    ahead = here > 0 if here else there > 0
    judged = of.metric.has_better_side
    verbs = ("leads", "trails") if judged else (f"is {lead_means(of.metric)} than", f"is {_less(of.metric)} than")
    verb = verbs[0] if ahead else verbs[1]
    if here * there < 0:
        return verb, ""
    much = "more" if abs(here) > abs(there) else "less"
    return verb, f" by {much}" if judged else f", {much} so"


def _less(metric: Metric) -> str:
    return less_means(metric).replace("diverse", "varied")


def _ends(of: Values, found: SliceDifferences) -> tuple[SliceDifference | None, SliceDifference | None]:
    by = sorted(found.found, key=lambda row: advantage(of, row.gap))
    up, down = by[-1], by[0]
    return up if advantage(of, up.gap) > 0 else None, down if advantage(of, down.gap) < 0 else None


def first(of: Values, found: SliceDifferences) -> SliceDifference | None:
    """Return the slice that the verdict names first; None if no slice is significant."""
    return next((row for row in _ends(of, found) if row is not None), None) if found.found else None


def _brief(one: Slice, noun: str) -> str:
    return f"“{short(one.value, 30)}”" if one.kind == "word" else phrase(one, noun)


def _beside(of: Values, row: SliceDifference) -> str:
    return f"{_number(of, row.value)}, elsewhere {_number(of, row.elsewhere)}"


def _number(of: Values, value: float) -> str:
    turned = advantage(of, value)
    return signed(turned, 2) if len(of.sides) > 1 else num(turned, 2)


def facts(study: Study, of: Values, found: SliceDifferences, shown: int) -> list[str]:
    """Return the footer of the figure: n, the marks, what p compares, and what limits the results."""
    noun, fewest = item_noun(study), of.design.fewest
    zero = ", not against 0" if len(of.sides) > 1 else ""
    said = [
        f"n = {count(found.n, noun)}; {shown} of {count(len(found.rows), 'slice')} of {fewest} {noun}s or more",
        f"p: a slice against the other {noun}s{zero}",
        f"filled: p ≤ 0.05, corrected{'' if found.correction == 'holm' else ' (Benjamini-Hochberg)'}",
    ]
    if not found.found:
        said[-1] = _tried(found)
    if any(row.slice.kind == "consensus" for row in found.rows[:shown]):
        said.append("people's agreement: ROUGE-L of each caption with the others")
    if few := unsteady(of, found):
        vary = f"{names_in_a_row([name(row.slice) for row in few], 3)} {'varies' if len(few) == 1 else 'vary'}"
        said.append(f"{vary} more than twice as much as the other {noun}s: with few, skewed values, {_TOO_OFTEN}")
    if of.agreement_decides:
        said.append(AGREEMENT_LEFT_OUT)
    return [*said, "words left out: they need Java"] if found.without_words else said


def table(of: Values, found: SliceDifferences) -> Table:
    """Return a row for each slice, the smallest p first; the values are oriented as in the figure."""
    two, what = len(of.sides) > 1, of.metric.label
    design, measure = of.design, _measure(of.metric) if two else "score"
    chosen = (found.correction, design.first, design.second, of.metric.name, measure)

    def frame() -> pd.DataFrame:
        made = [
            (*_identity(row.slice), row.n, *_turned(of, row), row.p_value, row.adjusted, *chosen) for row in found.rows
        ]
        return pd.DataFrame(made, columns=list(COLUMNS))

    heads = {
        "label": "Slice",
        "n": "n",
        "value": f"{measure.capitalize()} in {what}" if two else what,
        "elsewhere": "Elsewhere",
        "p_adjusted": "Corrected p",
    }
    brief = ("label", "n", "value", "elsewhere", "p_adjusted")
    return Table(frame, heads, "slices", {"p_adjusted": P_VALUE}, brief=brief)


def _identity(one: Slice) -> tuple[object, ...]:
    return one.kind, one.field, one.value, name(one), one.low, one.high


def _turned(of: Values, row: SliceDifference) -> tuple[float, ...]:
    """The value, its interval, the value elsewhere, the gap and its interval, all oriented by `advantage`."""
    value, elsewhere, gap = (advantage(of, number) for number in (row.value, row.elsewhere, row.gap))
    ends, of_gap = (
        sorted(advantage(of, number) for number in pair) for pair in ((row.low, row.high), (row.gap_low, row.gap_high))
    )
    return value, *ends, elsewhere, gap, *of_gap


def alt(of: Values, found: SliceDifferences, shown: Sequence[SliceDifference]) -> str:
    """Return the text alternative of the figure."""
    said = [f"{name(row.slice)} {_number(of, row.value)} (p {p_text(row.adjusted)})" for row in shown[:3]]
    return f"{len(shown)} slices against the mean of all, {_number(of, found.overall)}: {'; '.join(said)}"


def length_table(curves: Sequence[LengthCurve]) -> Table:
    """Return a row for each run and group of items whose captions are of similar length."""
    heads = {"run": "Run", "words": "Words", "score": "Score", "ci_low": "95 % from", "ci_high": "95 % to", "n": "n"}

    def frame() -> pd.DataFrame:
        made = [
            (one.run, *row) for one in curves for row in zip(one.length, one.score, one.low, one.high, one.n.tolist())
        ]
        return pd.DataFrame(made, columns=list(heads))

    return Table(frame, heads, "lengths")


def length_facts(study: Study, curves: Sequence[LengthCurve], names: Sequence[str]) -> list[str]:
    """Return n, and the rank correlation of each run's scores with the length of its captions."""
    told = [f"{label}: Spearman {num(one.spearman, 2)}" for label, one in zip(names, curves)]
    n = max((int(np.sum(one.n)) for one in curves), default=0)
    return [f"n = {n_items(study, n)}, in groups by mean words per caption", *told]

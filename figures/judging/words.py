"""Sentences about a judge's answers, and the numbers of its figure for each kind of question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from figures.judging.chart import Cell, Column, Row
from figures.style.escaping import Strong, capital, short
from figures.style.numbers import count, decimals, interval, num, p_text, percent, signed
from figures.style.wording import names_in_a_row
from metrics.analysis.judging.answers import Kind
from metrics.analysis.judging.length_bias import WORDS
from metrics.analysis.judging.shares import HALF, least_sure
from metrics.analysis.judging.trust import State, Trust
from metrics.analysis.judgments.correlation import Estimate
from metrics.permutation.pvalues import ALPHA

MOST = 35
"""Maximum number of words in the verdict."""
MANY = 0.1
"""Minimum share of unreadable answers for the verdict to mention them."""
TITLES = {
    "clair": "CLAIR",
    "rating": "ratings",
    "pairwise": "pairs",
    "coverage": "facts covered",
    "precision": "facts that hold",
    "alike": "similarity",
}
_SINGULAR = ("clair", "alike")
HALVES = ("0 %", "100 %")
COLUMNS = (
    Column("Repeats", ("0", "1"), ""),
    Column("Both orders agree", HALVES, "50 %"),
    Column("First caption wins", HALVES, "50 %"),
    Column("Length", ("shorter", "longer"), ""),
    Column("Prefers what people do", HALVES, "50 %"),
)
NOT_ASKED, NO_PAIRS = "asked once", "no pairs"
HOW = (
    "Repeats: when questions are repeated, the share of the variance of single answers that lies between captions "
    "(ICC(1,1), Shrout and Fleiss 1979). 0 is a coin toss, and 1 is a judge that always gives a caption the same "
    "answer. The interval is from a jackknife over images of the logarithm of F (Arvesen and Schmitz 1970). At "
    "temperature 0, a judge repeats itself without being right.",
    "Both orders agree: how often the answers in both orders prefer the same caption. A coin toss does so in half of "
    "the pairs, and a judge that decides by position does so in none. First caption wins: the share of decided "
    "answers that prefer the first caption, with both orders weighted equally. Tests: sign flips of whole images. "
    "Intervals: Korn and Graubard (1998).",
    "Length: for scores, the least-squares slope on the number of words within images, with a bootstrap over "
    "images; for pairs, how often the longer caption wins. Longer captions may really be better, so compare this "
    "with what people prefer.",
    "Own model: the lead of the judge's own model over runs of other models by the judge, minus its lead by people's "
    "ratings or by a metric, in standard deviations within images. For pairs, a lead is wins minus losses on an "
    "image. The interval allows for "
    "noise on both sides (regression and reverse regression, Frisch 1934).",
    "Effects of position, length and own model are reported if significant at 5 % after Holm's correction over all "
    "kinds of question.",
)


def label(one: Kind, every: Sequence[Kind]) -> str:
    """Return the name of a kind of question: the prompt, with the judge if there are several, and settings that
    differ.
    """
    name = TITLES[one.prompt]
    alike = [other for other in every if (other.judge, other.prompt) == (one.judge, one.prompt)]
    if len(alike) > 1:
        common = set.intersection(*(set(other.signature.split("|")) for other in alike))
        name += f" ({', '.join(part for part in one.signature.split('|') if part not in common)})"
    return f"{one.judge} {name}" if len({other.judge for other in every}) > 1 else name


def labels(found: Sequence[Trust]) -> list[str]:
    """Return the name of each kind of question."""
    kinds = [one.kind for one in found]
    return [label(one, kinds) for one in kinds]


def row(one: Trust, name: str) -> Row:
    """Return a kind of question as a row of the figure."""
    kind, pairs = one.kind, one.kind.pairs
    icc = kind.repeats.icc
    repeats: Cell | str = NOT_ASKED if not kind.repeats.repeated else "all answers equal"
    if np.isfinite(icc.value):
        sure = bool(icc.low > 0) or (one.state == "steady" and pairs is None)
        repeats = _cell(icc, 0.0, (0.0, 1.0), num(icc.value, 2), sure, "ICC")
    agree: Cell | str = NO_PAIRS
    first: Cell | str = NO_PAIRS
    length: Cell | str = "no slope" if not kind.wordless else "words need Java"
    if pairs is not None:
        agree = _share(pairs.agree, pairs.agree.p_value <= ALPHA, "both orders agree")
        first = _share(pairs.first, "place" in one.biases, "first caption wins")
        length = _share(pairs.longer, "length" in one.biases, "longer wins")
    elif np.isfinite(kind.slope.value):
        reach = max(kind.scale / 10, *(1.2 * abs(end) for end in kind.slope[:3] if np.isfinite(end)))
        text = f"{signed(kind.slope.value, _digits(kind))} per {WORDS} words"
        length = _cell(kind.slope, 0.0, (-reach, reach), text, "length" in one.biases, "length")
    people = _share(one.people.agree, one.people.agree.p_value <= ALPHA, "prefers what people do")
    name = name if name.startswith(kind.judge) else capital(name)
    return Row(name, (repeats, agree, first, length, people))


def _digits(kind: Kind) -> int:
    return decimals([kind.scale])


def _share(of: Estimate, sure: bool, said: str) -> Cell | str:
    if not np.isfinite(of.value):
        return "none to compare"
    return _cell(of, HALF, (0.0, 1.0), percent(of.value), sure, said)


def _cell(of: Estimate, null: float, ends: tuple[float, float], text: str, sure: bool, said: str) -> Cell:
    p = f", p {p_text(of.p_value)}" if np.isfinite(of.p_value) else ""
    told = f"{said}: {text}, 95 % {interval(of.low, of.high, 2)}{p}, n = {of.n:,}"
    return Cell(of.value, of.low, of.high, null, ends, text, sure, told)


Against = Literal["coin against people", "worse"]
"""How a steady judge fails against people: no better than a coin toss, or significantly worse than one."""
_STATES: dict[State | Against, tuple[str, str]] = {
    "coin": ("is indistinguishable from a coin toss", "are indistinguishable from a coin toss"),
    "place": ("depends on position", "depend on position"),
    "worse": ("is steady, but prefers what people do not", "are steady, but prefer what people do not"),
    "coin against people": (
        "is steady, but its agreement with people is indistinguishable from chance",
        "are steady, but their agreement with people is indistinguishable from chance",
    ),
    "same": ("is the same for all captions", "are the same for all captions"),
    "ties": ("ends in ties", "end in ties"),
    "steady": ("is steady", "are steady"),
    "few": ("was asked too rarely to be tested", "were asked too rarely to be tested"),
}


def verdict(found: Sequence[Trust]) -> list[str]:
    """Return how steady the judge is, what influences it, and whether it agrees with people, in at most MOST words."""
    names = [short(name, 40) for name in labels(found)]
    judges = {one.kind.judge for one in found}
    whose = f"{short(next(iter(judges)), 30)}: " if len(judges) == 1 else ""
    plural = {name for one, name in zip(found, names, strict=True) if one.kind.prompt not in _SINGULAR}
    groups: dict[State | Against, list[str]] = {}
    for one, name in zip(found, names, strict=True):
        groups.setdefault(_against(one) or one.state, []).append(name)
    clauses = [
        f"{names_in_a_row(groups[state], 2)} {said[len(groups[state]) > 1 or groups[state][0] in plural]}"
        for state, said in _STATES.items()
        if state in groups
    ]
    while len(f"{whose}{'; '.join(clauses)}".split()) > MOST:
        clauses.pop()
    first = "; ".join(clauses)
    parts: list[str] = [Strong(f"{whose}{first}"), "."]  # with several judges, a name comes first
    sentences = [_unreadable(found), *_biases(found, names), _use(found, names)]
    for sentence in reversed(sentences) if any(map(_against, found)) else sentences:
        if sentence and len(f"{''.join(parts)} {sentence}".split()) <= MOST:
            parts.append(f" {sentence}")
    return parts


def _biases(found: Sequence[Trust], names: Sequence[str]) -> list[str]:
    said, several = [], len(found) > 1
    for one, name in zip(found, names, strict=True):
        where = f" ({name})" if several else ""
        if place := one.biases.get("place"):
            which = "first" if place.value > HALF else "second"
            said.append(f"The {which} caption wins {percent(max(place.value, 1 - place.value))}{where}.")
        if length := one.biases.get("length"):
            if one.kind.pairs is not None:
                which = "longer" if length.value > HALF else "shorter"
                said.append(f"The {which} caption wins {percent(max(length.value, 1 - length.value))}{where}.")
            else:
                slope = signed(length.value, _digits(one.kind))
                said.append(f"{WORDS} more words change the score by {slope}{where}.")
        if own := one.biases.get("own"):
            which = "prefers" if own.value > 0 else "disfavours"
            said.append(f"The judge {which} its own model{where}.")
    some = [one.kind for one in found]
    tested = {
        "position": any(kind.pairs and np.isfinite(kind.pairs.first.p_value) for kind in some),
        "length": any(np.isfinite((kind.pairs.longer if kind.pairs else kind.slope).p_value) for kind in some),
    }
    effects = " or ".join(name for name, done in tested.items() if done)
    return said or ([f"No effect of {effects} is detected."] if effects else [])


def _unreadable(found: Sequence[Trust]) -> str:
    unread, answers = sum(one.kind.unreadable for one in found), sum(one.kind.answers for one in found)
    return f"{percent(unread / answers)} of the answers cannot be read." if unread > MANY * answers else ""


def _use(found: Sequence[Trust], names: Sequence[str]) -> str:
    steady = [(one, name) for one, name in zip(found, names, strict=True) if one.state == "steady"]
    if not steady:
        return ""
    rated = [(one.people, name) for one, name in steady if np.isfinite(one.people.agree.value)]
    right = [(of, name) for of, name in rated if of.agree.p_value <= ALPHA and of.agree.value > HALF]
    if right:
        best, name = max(right, key=lambda one: one[0].agree.value)
        ahead = best.lead.value > 0 and best.lead.p_value <= ALPHA
        other = (
            "" if ahead or not best.baseline else f", {best.baseline} in {percent(best.agree.value - best.lead.value)}"
        )
        where = f" ({name})" if len(found) > 1 else ""
        return f"The judge prefers what people prefer in {percent(best.agree.value)} of pairs{where}{other}."
    if not rated:
        return "Only people's ratings can show whether the judge is right."
    best, name = max(rated, key=lambda one: one[0].agree.value)
    who = f"By {name}, the judge" if len(found) > 1 else "The judge"
    if not np.isfinite(best.agree.low):
        return "Too few images have ratings to test whether the judge prefers what people prefer."
    share = interval(100 * best.agree.low, 100 * best.agree.high, 0)
    return f"{who} prefers what people prefer in {percent(best.agree.value)} of pairs ({share} %)."


def _against(one: Trust) -> Against | None:
    """How a steady judge of rated captions fails to beat a coin toss.

    None if the judge beats it, is not steady, or has no p.
    """
    agree = one.people.agree
    if one.state != "steady" or not np.isfinite(agree.p_value) or (agree.p_value <= ALPHA and agree.value > HALF):
        return None
    return "worse" if agree.p_value <= ALPHA else "coin against people"


def facts(found: Sequence[Trust], noun: str) -> list[str]:
    """Return the footer of the figure: answers, unreadable ones, lengths, own models, limits of n, and the marks."""
    asked, answers = sum(one.kind.questions for one in found), sum(one.kind.answers for one in found)
    faults: dict[str, int] = {}
    for one in found:
        for why, n in one.kind.faults.items():
            faults[why] = faults.get(why, 0) + n
    unread = sum(faults.values())
    whys = "; ".join(f"{short(why, 60)}: {n:,}" for why, n in sorted(faults.items(), key=lambda pair: -pair[1])[:3])
    compared = [len(np.unique(pairs.unit)) for one in found if (pairs := one.kind.pairs) is not None]
    least = min(compared, default=0)
    few = least_sure(least) if compared else np.nan
    return [
        f"{count(answers, 'answer')} to {count(asked, 'question')} about up to "
        f"{count(max(one.kind.items for one in found), noun)}",
        f"unreadable: {unread:,} ({whys})" if unread else "all could be read",
        *_lengths_by_people(found),
        *_own_models(found),
        *(
            [
                f"one pair for each of {least:,} {noun}s: "
                f"only a share of {percent(few)} or more differs significantly from half"
            ]
            if np.isfinite(few)
            else []
        ),
        *([f"fewer than 6 {noun}s: no share can differ significantly from half"] if compared and np.isnan(few) else []),
        "bars: separate 95 % intervals",
        "dotted: no effect",
        "filled: differs significantly from no effect",
    ]


def _lengths_by_people(found: Sequence[Trust]) -> list[str]:
    people = next((one.longer_by_people for one in found if np.isfinite(one.longer_by_people.value)), None)
    if people is None:
        return []
    ends = interval(100 * people.low, 100 * people.high, 0)
    return [f"people prefer the longer caption in {percent(people.value)} of pairs (95 %: {ends} %)"]


def _own_models(found: Sequence[Trust]) -> list[str]:
    """The effect of each judge's own model, or why it is missing; kinds without a run by the judge are left out."""
    said: dict[str, None] = {}
    for one in found:
        if (own := one.own).run:
            ends = interval(own.estimate.low, own.estimate.high, 2)
            of = ", pairs" if one.kind.pairs is not None else ""
            lead = f"lead by the judge minus lead by {own.by}"
            told = f"{lead} {signed(own.estimate.value, 2)} standard deviations (95 % {ends})"
            said[f"own model{of}, {short(own.run, 30)}: {told}" if not own.why else f"own model{of}: {own.why}"] = None
    return list(said)


def alt(found: Sequence[Trust]) -> str:
    """Return the text alternative of the figure."""
    rows = [row(one, name) for one, name in zip(found, labels(found), strict=True)]
    said = [
        f"{one.label}: {', '.join(c.said for c in one.cells if isinstance(c, Cell)) or 'no number'}" for one in rows
    ]
    return f"How far a judge's answers can be trusted. {'. '.join(said)}"

"""The answers of a study's judges by kind of question, and the statistics of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from data.imported.judge_answers import without
from data.judge_answers import RANGES, Answer, Prompt
from data.study import Study, of_study
from metrics.analysis.judging import position_bias
from metrics.analysis.judging.length_bias import length_slope
from metrics.analysis.judging.position_bias import Orders, both_orders
from metrics.analysis.judging.repeatability import Repeatability, repeatability
from metrics.analysis.judging.shares import share
from metrics.analysis.judgments.correlation import Estimate
from metrics.mathematics.arrays import Floats, Integers
from metrics.text import tokens

NONE = Estimate(np.nan, np.nan, np.nan, np.nan, 0)
PAIRWISE: Prompt = "pairwise"
SCORES: tuple[Prompt, ...] = ("clair", "rating", "coverage", "precision")
"""The prompts that score one caption."""
Sides = tuple[str, tuple[str, int], tuple[str, int]]
"""The two captions of a pair: the item, then the run and the place of each caption."""


@dataclass(frozen=True)
class Pairs:
    """Statistics of pairs that a judge compared in both orders; `ties` counts answers in favour of neither caption.

    `first`, `agree` and `longer` are the shares `first_place`, `agreement` and `longer` of `position_bias`, computed
    from `orders`, `unit` and `sides` (pairs,).
    """

    first: Estimate
    agree: Estimate
    longer: Estimate
    ties: int
    orders: Orders = field(repr=False)
    unit: Integers = field(repr=False)
    sides: Sequence[Sides] = field(repr=False)


@dataclass(frozen=True)
class Kind:
    """One kind of question to one judge, with its numbers of answers, questions, items and independent units.

    `units` counts the units with readable answers, and `faults` unreadable answers by reason. `slope` is the change in
    score per ten additional words, NaN except for SCORES; `pairs` are the statistics of comparisons; `wordless` is the
    reason if words cannot be counted.
    """

    judge: str
    prompt: Prompt
    signature: str
    answers: int
    questions: int
    items: int
    units: int
    faults: Mapping[str, int]
    repeats: Repeatability
    slope: Estimate = NONE
    pairs: Pairs | None = None
    wordless: str = ""

    @property
    def unreadable(self) -> int:
        """The number of answers without a score."""
        return sum(self.faults.values())

    @property
    def readable(self) -> int:
        """The number of answers with a score."""
        return self.answers - self.unreadable

    @property
    def scale(self) -> float:
        """The width of the judge's scale."""
        low, high = RANGES[self.prompt]
        return high - low


@of_study
def kinds(study: Study) -> tuple[Kind, ...]:
    """Return the statistics of every kind of question that yields scores, in the order of the answers."""
    groups: dict[tuple[str, str], list[Answer]] = {}
    for one in study.answers:
        if one.prompt in RANGES:
            groups.setdefault((one.signature, one.prompt), []).append(one)
    return tuple(_kind(study, group) for group in groups.values())


def _kind(study: Study, group: Sequence[Answer]) -> Kind:
    place = {item.id: k for k, item in enumerate(study.items)}
    faults = Counter(one.fault or "no score" for one in group if np.isnan(one.score))
    read = [one for one in group if not np.isnan(one.score)]
    numbers: dict[tuple[object, ...], int] = {}
    question = np.array([numbers.setdefault(one.question[:-1], len(numbers)) for one in read], dtype=np.int64)
    unit = _units(study, [place[one.item] for one in read])
    found = Kind(
        group[0].judge,
        group[0].prompt,
        group[0].signature,
        len(group),
        len({one.question[:-1] for one in group}),
        len({one.item for one in group}),
        len(np.unique(unit)),
        dict(faults.most_common()),
        repeatability(np.array([one.score for one in read]), question, unit),
        wordless=tokens.missing(study.tokenizer) or "",
    )
    if found.prompt == PAIRWISE:
        return replace(found, pairs=_pairs(study, read, place))
    if found.prompt in SCORES and not found.wordless:
        return replace(found, slope=_slope(study, read, question, place))
    return found


def _units(study: Study, items: Sequence[int]) -> Integers:
    at = np.array(items, dtype=np.int64)
    return at if study.unit is None else study.unit[at]


def _words(study: Study, captions: Sequence[str]) -> Floats:
    return np.array([len(words) for words in tokens.tokenize(captions, study.tokenizer)], dtype=np.float64)


def _slope(study: Study, read: Sequence[Answer], question: Integers, place: Mapping[str, int]) -> Estimate:
    if not read:
        return NONE
    _, first = np.unique(question, return_index=True)
    score = np.bincount(question, [one.score for one in read]) / np.bincount(question)
    some = [read[k] for k in first]
    item = np.array([place[one.item] for one in some], dtype=np.int64)
    return length_slope(score, _words(study, [one.captions[0] for one in some]), item, _units(study, item.tolist()))


def _gaps(study: Study, captions: Sequence[str]) -> Floats:
    """(n,) number of words of the first caption minus that of the second, for n consecutive pairs of captions."""
    lengths = _words(study, captions).reshape(-1, 2)
    return np.asarray(lengths[:, 0] - lengths[:, 1])


def _pairs(study: Study, read: Sequence[Answer], place: Mapping[str, int]) -> Pairs:
    """The statistics of the pairs, whichever caption was shown first; pairs of identical captions are left out."""
    numbers: dict[Sides, int] = {}
    texts: list[tuple[str, ...]] = []
    pair, swapped, outcome = [], [], []
    for one in read:
        if len(set(one.captions)) < 2:
            continue
        seen = sorted(zip(one.runs, one.places, one.captions, strict=True))
        sides = (one.item, (seen[0][0], seen[0][1]), (seen[1][0], seen[1][1]))
        if sides not in numbers:
            texts.append((seen[0][2], seen[1][2]))
        pair.append(numbers.setdefault(sides, len(numbers)))
        swapped.append((one.runs[0], one.places[0]) != sides[1])
        outcome.append(np.sign(2 * one.score - 1))
    votes = np.array(outcome, dtype=np.float64)
    orders = both_orders(votes, np.array(pair, dtype=np.int64), np.array(swapped, dtype=np.int64))
    listed = [list(numbers)[k] for k in orders.pair]
    unit = _units(study, [place[item] for item, *_ in listed])
    longer = NONE
    if listed and not tokens.missing(study.tokenizer):
        longer = position_bias.longer(orders, _gaps(study, [text for k in orders.pair for text in texts[k]]), unit)
    first_place, agree = position_bias.first_place(orders, unit), position_bias.agreement(orders, unit)
    return Pairs(first_place, agree, longer, int((votes == 0).sum()), orders, unit, listed)


@of_study
def longer_by_people(study: Study) -> Estimate:
    """Return how often people prefer the longer of two captions, with the p for a length effect.

    NaN without votes, or if words cannot be counted.
    """
    texts = {run.name: run.candidates for run in study.runs}
    place = {item.id: k for k, item in enumerate(study.items)}
    said = [one for one in without(study).preferences if one.first_votes + one.second_votes > 0]
    if not said or tokens.missing(study.tokenizer):
        return NONE
    captions = [texts[run][one.item][k] for one in said for run, k in (one.first, one.second)]
    gap = _gaps(study, captions)
    votes = np.array([(one.first_votes, one.second_votes) for one in said])
    preferred = (votes[:, 0] - votes[:, 1]) / votes.sum(axis=1)
    unit = _units(study, [place[one.item] for one in said])
    return share(np.where(gap == 0, np.nan, np.sign(gap) * preferred), unit)

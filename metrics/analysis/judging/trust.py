"""All statistics about a study's judges, and which of them are significant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metrics.analysis.judging.agreement import Own, People
from metrics.analysis.judging.answers import NONE, Kind
from metrics.analysis.judging.shares import HALF
from metrics.analysis.judgments.correlation import Estimate
from metrics.permutation.pvalues import ALPHA, holm

State = Literal["steady", "coin", "place", "same", "ties", "few"]
Bias = Literal["place", "length", "own"]


@dataclass(frozen=True)
class Trust:
    """A kind of question with its comparisons.

    `adjusted` contains the p of each tested bias after Holm's correction across all kinds of question; `biases` are the
    significant biases, with their estimates. `longer_by_people` is how often people prefer the longer of two captions,
    for pairs.
    """

    kind: Kind
    people: People
    own: Own
    biases: dict[Bias, Estimate]
    adjusted: dict[Bias, float]
    longer_by_people: Estimate = NONE

    @property
    def state(self) -> State:
        """Whether answers are steady, that is, distinguishable from chance; if not, what they are.

        Scores are "steady" if the interval of their repeatability lies above 0, or if repeats change at most one item;
        comparisons if the answers in both orders agree in significantly more than half of the pairs, and "place" if in
        significantly fewer. Otherwise answers are a "coin" toss. "same" means one answer to everything, "ties" that
        most readable answers to pairs are ties, and "few" that there is too little data to test.
        """
        repeats, pairs = self.kind.repeats, self.kind.pairs
        if pairs is not None:
            state = _of_orders(pairs.agree)
            return "ties" if state == "few" and 2 * pairs.ties > self.kind.readable else state
        if not repeats.repeated:
            return "few"
        if np.isnan(repeats.icc.value):
            return "same"
        if np.isfinite(repeats.icc.low):
            return "steady" if repeats.icc.low > 0 else "coin"
        return "steady" if repeats.changed_items <= 1 and self.kind.units > 1 else "few"


def _of_orders(agree: Estimate) -> State:
    if not np.isfinite(agree.low):
        return "few"
    if agree.p_value > ALPHA:
        return "coin"
    return "steady" if agree.value > HALF else "place"


def trusts(
    kinds: Sequence[Kind], people: Sequence[People], own: Sequence[Own], longer_by_people: Estimate = NONE
) -> tuple[Trust, ...]:
    """Return the kinds with their comparisons; tests of position, length and own model are Holm-corrected together."""
    tested = [_tested(kind, one) for kind, one in zip(kinds, own, strict=True)]
    corrected = iter(holm([estimate.p_value for found in tested for estimate in found.values()]))
    adjusted: list[dict[Bias, float]] = [{name: float(next(corrected)) for name in found} for found in tested]
    sure = [{name: one for name, one in found.items() if p[name] <= ALPHA} for found, p in zip(tested, adjusted)]
    longer = [longer_by_people if kind.pairs is not None else NONE for kind in kinds]
    return tuple(Trust(*one) for one in zip(kinds, people, own, sure, adjusted, longer, strict=True))


def _tested(kind: Kind, own: Own) -> dict[Bias, Estimate]:
    found: dict[Bias, Estimate] = {"length": kind.slope, "own": own.estimate}
    if kind.pairs is not None:
        found = {"place": kind.pairs.first, "length": kind.pairs.longer, "own": own.estimate}
    return {name: one for name, one in found.items() if np.isfinite(one.p_value)}

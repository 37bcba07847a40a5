"""Break metrics of several kinds in five ways, and test that the expected law detects each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from metrics import laws
from metrics.base import Metric, Stats, Undefined
from metrics.chunk import Chunk
from metrics.distances.words import BowDistance
from metrics.mathematics.arrays import Floats
from metrics.registry import METRICS
from metrics.suite.corpus import Estimate, Vocabulary
from metrics.suite.distribution import Mmd, MsJaccard, Trm
from metrics.suite.diversity import CaptionLength, Distinct, UniqueCaptions
from metrics.suite.quality import Bleu, CiderD, RougeL
from tests.laws import test_second_route
from tests.laws.test_second_route import differences
from tests.second_route.registry import SLOW


def first_alone(chunk: Chunk, side: str) -> Chunk:
    """Return the chunk as seen by a metric that reads only the first caption of each set on one side."""
    return replace(chunk, **{side: tuple(texts[:1] for texts in getattr(chunk, side))}, _shared={})


@dataclass(frozen=True)
class InvertedJaccard(MsJaccard):
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        return 1 - super().value(context, chunk, index)


@dataclass(frozen=True)
class InvertedRanks(Trm):
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        return 8 / 3 - super().value(context, chunk, index)


@dataclass(frozen=True)
class InvertedRouge(RougeL):
    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return 1 - super().rows(context, chunk, index)


@dataclass(frozen=True)
class InvertedDistinct(Distinct):
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        return 1 - super().value(context, chunk, index)


@dataclass(frozen=True)
class InvertedVocabulary(Vocabulary):
    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        return Estimate(1000 - super().estimate(context, chunk).value)


INVERTED: list[Metric] = [
    InvertedJaccard(),
    InvertedRanks(BowDistance()),
    InvertedRouge(),
    InvertedDistinct(),
    InvertedVocabulary(),
]


@pytest.mark.parametrize("mutant", INVERTED, ids=lambda mutant: type(mutant).__name__)
def test_an_inverted_value_breaks_the_law_of_direction(mutant: Metric) -> None:
    assert laws.LAWS["the_better_side_wins"](mutant)


@dataclass(frozen=True)
class UniqueOfOneMore(UniqueCaptions):
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        n = chunk.sizes(index)[0]
        return super().value(context, chunk, index) * n / (n + 1)


@dataclass(frozen=True)
class LengthOfReferences(CaptionLength):
    def items(self, stats: Stats) -> Floats:
        return super().items(stats) * 5 / 4


@dataclass(frozen=True)
class RougeOverOneFewer(RougeL):
    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        rows = super().rows(context, chunk, index)
        return rows * len(rows) / (len(rows) - 1)


@dataclass(frozen=True)
class BiasedMmd(Mmd):
    """An MMD whose sum over pairs of different candidates is divided by n², as if each were also paired with itself."""

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        n = chunk.sizes(index)[0]
        kernel = self.matrix(context, chunk, index)[:n, :n]
        inner = kernel.sum() - np.trace(kernel)
        return super().value(context, chunk, index) - inner / (n * (n - 1)) + inner / n**2


WRONG_COUNT: list[Metric] = [UniqueOfOneMore(), LengthOfReferences(), RougeOverOneFewer(), BiasedMmd(BowDistance())]


@pytest.mark.parametrize("mutant", WRONG_COUNT, ids=lambda mutant: type(mutant).__name__)
def test_a_wrong_count_breaks_the_law_of_the_second_route(mutant: Metric, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = type(mutant).__mro__[1]
    monkeypatch.setattr(test_second_route, "SLOW", SLOW | {type(mutant): SLOW[parent]})
    assert differences(mutant, seed=0)


@dataclass(frozen=True)
class ZeroWithoutWords(Distinct):
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        try:
            return super().value(context, chunk, index)
        except Undefined:
            return 0.0


@dataclass(frozen=True)
class ZeroOfOneCaption(Trm):
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        return 0.0 if min(chunk.sizes(index)) < 2 else super().value(context, chunk, index)


@dataclass(frozen=True)
class ZeroWithoutCandidates(RougeL):
    def items(self, stats: Stats) -> Floats:
        return np.nan_to_num(super().items(stats))


@dataclass(frozen=True)
class NoReason(MsJaccard):
    def stats(self, context: Any, chunk: Chunk) -> Stats:
        return replace(super().stats(context, chunk), reasons={})


@dataclass(frozen=True)
class ZeroWithoutARun(Vocabulary):
    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        try:
            return super().estimate(context, chunk)
        except Undefined:
            return Estimate(0.0)


UNDEFINED: list[Metric] = [
    ZeroWithoutWords(),
    ZeroOfOneCaption(BowDistance()),
    ZeroWithoutCandidates(),
    NoReason(),
    ZeroWithoutARun(),
]


@pytest.mark.parametrize("mutant", UNDEFINED, ids=lambda mutant: type(mutant).__name__)
def test_undefined_as_zero_breaks_the_law_of_the_undefined(mutant: Metric) -> None:
    assert laws.LAWS["undefined_is_nan_with_a_reason"](mutant)


@dataclass(frozen=True)
class HiddenWeight(MsJaccard):
    weight: float = 1.0

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        return self.weight * super().value(context, chunk, index)


@dataclass(frozen=True)
class HiddenBandwidth(Mmd):
    @property
    def parameters(self) -> str:
        return self.space.parameters


@dataclass(frozen=True)
class HiddenTokenizer(Trm):
    @property
    def parameters(self) -> str:
        return f"ties:{self.ties}"


class NotAField(Distinct):
    floor: float = 0.0


HIDDEN: dict[str, Metric] = {
    "weight": HiddenWeight(),
    "bandwidth": HiddenBandwidth(BowDistance()),
    "space.tokenizer": HiddenTokenizer(BowDistance()),
    "floor": NotAField(),
}


@pytest.mark.parametrize("field", HIDDEN)
def test_a_field_outside_the_signature_breaks_the_law_of_fields(field: str) -> None:
    found = laws.LAWS["fields_are_signed"](HIDDEN[field])
    assert any(field in sentence for sentence in found)


@dataclass(frozen=True)
class FirstCandidate(Distinct):
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        return super().value(context, first_alone(chunk, "candidates"), index)


@dataclass(frozen=True)
class FirstOfTheRun(Vocabulary):
    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        return super().estimate(context, first_alone(chunk, "candidates"))


@dataclass(frozen=True)
class FirstAndLast(CaptionLength):
    def stats(self, context: Any, chunk: Chunk) -> Stats:
        ends = tuple((texts[0], texts[-1]) if texts else () for texts in chunk.candidates)
        return super().stats(context, replace(chunk, candidates=ends, _shared={}))


@dataclass(frozen=True)
class FirstTwiceBleu(Bleu):
    def items(self, stats: Stats) -> Floats:
        values = self.units(stats.values)
        return values[[int(np.argmax(stats.item == k)) for k in range(stats.n_items)]]


@dataclass(frozen=True)
class FirstReference(MsJaccard):
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        return super().value(context, first_alone(chunk, "references"), index)


@dataclass(frozen=True)
class FirstReferenceOfQuality(RougeL):
    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return super().rows(context, first_alone(chunk, "references"), index)


@dataclass(frozen=True)
class AllButTheLastReference(CiderD):
    """A CIDEr-D without the last reference, which still affects the document frequencies of the whole study."""

    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return self.space.block(context, chunk, index)[:, :-1].mean(axis=1, keepdims=True)


@dataclass(frozen=True)
class AllButTheLastRank(Trm):
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        return super().value(
            context, replace(chunk, references=tuple(t[:-1] for t in chunk.references), _shared={}), index
        )


FIRST: list[tuple[Metric, str]] = [
    (FirstCandidate(), "candidate"),
    (FirstOfTheRun(), "candidate"),
    (FirstAndLast(), "candidate"),
    (FirstTwiceBleu(), "candidate"),
    (FirstReference(), "reference"),
    (FirstReferenceOfQuality(), "reference"),
    (AllButTheLastReference(METRICS["cider_d"].space), "reference"),
    (AllButTheLastRank(METRICS["trm_cider_d"].space), "reference"),
]


@pytest.mark.parametrize(("mutant", "side"), FIRST, ids=lambda value: getattr(type(value), "__name__", ""))
def test_reading_some_alone_breaks_the_law_of_captions(mutant: Metric, side: str) -> None:
    assert laws.LAWS[f"every_{side}_counts"](mutant)


def test_all_laws_together_name_the_law_that_is_broken() -> None:
    found = laws.violations(InvertedJaccard())
    assert "the better side wins" in {sentence.partition(":")[0] for sentence in found}
    assert laws.violations(MsJaccard()) == []

"""Common parts of word metrics and of metrics based on a distance."""

from __future__ import annotations

from typing import Any, ClassVar

from data.study import Study
from metrics.base import Metric, Need, Work
from metrics.chunk import Learns
from metrics.distances.base import Distance, tokenizer_needs
from metrics.text.tokens import Tokenizer


class OnTokens(Metric):
    """A metric of words, whose field `tokenizer` is its parameter and determines its requirements."""

    tokenizer: Tokenizer
    needs_of_study: ClassVar[frozenset[Need]] = frozenset()
    constants: ClassVar[str] = ""
    """Fixed rules that come before the parameters in the signature, such as `smooth:0.1|`."""

    @property
    def parameters(self) -> str:
        return f"{self.constants}tok:{self.tokenizer}"

    @property
    def needs(self) -> frozenset[Need]:
        return tokenizer_needs(self.tokenizer) | self.needs_of_study


class OfOrder(OnTokens):
    """A metric of n-grams up to the order `n`: it is named `stem`_n, and labelled `heading`-n."""

    n: int
    stem: ClassVar[str]
    heading: ClassVar[str]

    @property
    def name(self) -> str:
        return f"{self.stem}_{self.n}"

    @property
    def label(self) -> str:
        return f"{self.heading}-{self.n}"


class OnDistance(Metric):
    """A metric based on a distance: its parameters, needs and learned facts are those of its field `space`.

    It is named `stem`_, followed by the name of the distance, and labelled `heading`, followed by the distance's label.
    """

    space: Distance
    needs_of_study: ClassVar[frozenset[Need]] = frozenset()
    constants: ClassVar[str] = ""  # as in `OnTokens`
    stem: ClassVar[str]
    heading: ClassVar[str]

    @property
    def name(self) -> str:
        return f"{self.stem}_{self.space.name}"

    @property
    def label(self) -> str:
        return f"{self.heading} {self.space.label}"

    @property
    def parameters(self) -> str:
        return f"{self.constants}{self.space.parameters}"

    @property
    def work(self) -> Work:
        return self.space.work

    @property
    def needs(self) -> frozenset[Need]:
        return self.space.needs | self.needs_of_study

    @property
    def learns(self) -> Learns:
        return self.space.learns

    def prepare(self, study: Study) -> Any:
        return self.space.prepare(study)

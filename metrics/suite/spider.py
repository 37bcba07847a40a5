"""SPIDEr: the mean of SPICE and CIDEr-D, by which audio captioning challenges rank systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from metrics.base import Family, Grain, Metric, Need, Stats, Work
from metrics.chunk import Chunk
from metrics.distances.words import CiderDDistance
from metrics.suite.mixins import OnDistance
from metrics.suite.quality import CiderD
from metrics.suite.spice import Spice


@dataclass(frozen=True)
class Spider(OnDistance, Metric):
    """SPIDEr: the mean of SPICE and CIDEr-D of each caption."""

    corenlp: str = ""
    space: CiderDDistance = CiderDDistance()
    name: ClassVar[str] = "spider"
    label: ClassVar[str] = "SPIDEr"
    family: ClassVar[Family] = "quality"
    grain: ClassVar[Grain] = "candidate"
    higher_is_better: ClassVar[bool] = True
    scores_empty_captions: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 5.5)
    no_test: ClassVar[str] = Spice.no_test
    no_human: ClassVar[str] = Spice.no_human
    work: ClassVar[Work] = "encoder"
    source: ClassVar[str] = "Liu et al. 2017, with CIDEr-D, as audio captioning challenges compute it"
    cites: ClassVar[tuple[str, ...]] = ("liu2017spider", "anderson2016spice", "vedantam2015cider")
    formula: ClassVar[str] = r"\tfrac12\,(\mathrm{SPICE} + \mathrm{CIDEr\text{-}D})"
    summary: ClassVar[str] = (
        "CIDEr-D ranges up to 10 and SPICE up to 1, so CIDEr-D dominates. `corenlp` is the folder that `spice` needs."
    )

    @property
    def spice(self) -> Spice:
        """SPICE with the same settings."""
        return Spice(self.corenlp)

    @property
    def parameters(self) -> str:
        return f"{self.spice.parameters}|{self.space.parameters}"

    @property
    def needs(self) -> frozenset[Need]:
        return self.spice.needs | self.space.needs

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        meant, said = self.spice.stats(None, chunk), CiderD(self.space).stats(context, chunk)
        reasons = {**said.reasons, **meant.reasons}
        return Stats((meant.values + said.values) / 2, meant.item, len(chunk), reasons)

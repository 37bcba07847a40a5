"""Agreement of paragraphs: how well the sentences of a text match those of people's texts, and vice versa."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metrics.distances.sentences import SentenceDistance
from metrics.suite.quality import PairQuality, Rule


@dataclass(frozen=True)
class SentenceMatch(PairQuality):
    """F1 of sentences, each matched with the most similar sentence of the other text, against the closest reference."""

    space: SentenceDistance = SentenceDistance()
    constants: ClassVar[str] = "refs:max|"
    rule: ClassVar[Rule] = "mean_max"
    source: ClassVar[str] = "the greedy matching of BERTScore (Zhang et al. 2020) with sentences in place of tokens"
    formula: ClassVar[str] = (
        r"\max_j \frac{2P_jR_j}{P_j+R_j},\; P_j=\frac1{|c|}\sum_{s\in c}\max_{t\in r_j}\mathrm{sim}^+(s,t),"
        r"\; R_j=\frac1{|r_j|}\sum_{t\in r_j}\max_{s\in c}\mathrm{sim}^+(s,t)"
    )
    summary: ClassVar[str] = (
        "For texts of several sentences, in any order. `part` is f1, precision (are the sentences of the "
        "text in people's?) or recall (are people's sentences covered by the text?). Of several references the one "
        "with the highest value counts. A sentence ends at a line break, or where white space follows . ! or ?, and "
        "counts as often as it is said; a similarity below 0 counts as 0. An encoder reads each sentence by itself, "
        "so its limit on length applies to each sentence."
    )

    @property
    def name(self) -> str:
        return f"sentence_match_{self.space.of.name_with_order}"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        return (0.0, self.space.maximum)

    @property
    def cites(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(("zhang2020bertscore", *self.space.cites)))

"""ROUGE-1, -2 and -Lsum as summarisation reports them, by the rules of the package rouge-score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metrics.distances.rouge_score import RougeLsumDistance, RougeNDistance
from metrics.quality import PairQuality, Rule


@dataclass(frozen=True)
class RougeN(PairQuality):
    """ROUGE-N: F of the n-grams that a caption shares with the reference that it shares most with."""

    space: RougeNDistance = RougeNDistance()
    rule: ClassVar[Rule] = "mean_max"
    source: ClassVar[str] = "Lin 2004, section 2; equal to the package rouge-score 0.1.2"
    cites: ClassVar[tuple[str, ...]] = ("lin2004rouge",)
    formula: ClassVar[str] = (
        r"\max_j \frac{2P_jR_j}{P_j+R_j},\; P_j=\frac{\sum_g \min(C_c(g),C_{r_j}(g))}{\sum_g C_c(g)},"
        r"\; R_j=\frac{\sum_g \min(C_c(g),C_{r_j}(g))}{\sum_g C_{r_j}(g)}"
    )
    summary: ClassVar[str] = (
        "Of several references the one with the highest F counts. Words are runs of a to z and 0 to 9 in lower case, "
        "whatever the tokenizer of the study, so other scripts have none; `stemmer=true` compares the stems of "
        "Porter's rules in NLTK's variant, of words of four letters or more."
    )

    @property
    def name(self) -> str:
        return self.space.name_with_order


@dataclass(frozen=True)
class RougeLsum(PairQuality):
    """ROUGE-Lsum: F of the words that sentences share in order, with the reference that agrees most."""

    space: RougeLsumDistance = RougeLsumDistance()
    rule: ClassVar[Rule] = "mean_max"
    source: ClassVar[str] = "Lin 2004, section 3.2; equal to the package rouge-score 0.1.2 for the same sentences"
    cites: ClassVar[tuple[str, ...]] = ("lin2004rouge",)
    formula: ClassVar[str] = (
        r"\max_j \frac{2P_jR_j}{P_j+R_j},\; P_j=\frac{h_j}{|c|},\; R_j=\frac{h_j}{|r_j|},"
        r"\; h_j=\sum_{s\in r_j}\Big|\bigcup_{t\in c}\mathrm{LCS}(s,t)\Big|"
    )
    summary: ClassVar[str] = (
        "For texts of several sentences, whose order does not count. A sentence ends at a line break, or where white "
        "space follows . ! or ?; rouge-score by itself parts at line breaks alone. Not `rouge_l`, which is that of the "
        "COCO evaluation: one sequence per text, beta 1.2, best precision with best recall, PTB tokens. Words and "
        "`stemmer` are those of `rouge_1`."
    )

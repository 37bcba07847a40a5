"""ROUGE-1, ROUGE-2 and ROUGE-Lsum as summarisation papers report them, following the package rouge-score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metrics.distances.rouge_score import RougeLsumDistance, RougeNDistance
from metrics.suite.quality import PairQuality, Rule


@dataclass(frozen=True)
class RougeN(PairQuality):
    """ROUGE-N: the F-score of the n-grams that a caption shares with its best-matching reference."""

    space: RougeNDistance = RougeNDistance()
    rule: ClassVar[Rule] = "mean_max"
    source: ClassVar[str] = "Lin 2004, section 2; equal to the package rouge-score 0.1.2"
    cites: ClassVar[tuple[str, ...]] = ("lin2004rouge",)
    formula: ClassVar[str] = (
        r"\max_j \frac{2P_jR_j}{P_j+R_j},\; P_j=\frac{\sum_g \min(C_c(g),C_{r_j}(g))}{\sum_g C_c(g)},"
        r"\; R_j=\frac{\sum_g \min(C_c(g),C_{r_j}(g))}{\sum_g C_{r_j}(g)}"
    )
    summary: ClassVar[str] = (
        "With several references, the one with the highest F-score counts. Words are runs of a to z and 0 to 9 in "
        "lower case, whatever the study's tokenizer, so other scripts have no words; `stemmer=true` compares stems by "
        "NLTK's variant of the Porter stemmer, for words of four letters or more."
    )

    @property
    def name(self) -> str:
        return self.space.name_with_order


@dataclass(frozen=True)
class RougeLsum(PairQuality):
    """ROUGE-Lsum: the F-score of words that sentences share in order, with the best-matching reference."""

    space: RougeLsumDistance = RougeLsumDistance()
    rule: ClassVar[Rule] = "mean_max"
    source: ClassVar[str] = "Lin 2004, section 3.2; equal to the package rouge-score 0.1.2 for the same sentences"
    cites: ClassVar[tuple[str, ...]] = ("lin2004rouge",)
    formula: ClassVar[str] = (
        r"\max_j \frac{2P_jR_j}{P_j+R_j},\; P_j=\frac{h_j}{|c|},\; R_j=\frac{h_j}{|r_j|},"
        r"\; h_j=\sum_{s\in r_j}\Big|\bigcup_{t\in c}\mathrm{LCS}(s,t)\Big|"
    )
    summary: ClassVar[str] = (
        "For texts of several sentences, in any order. A sentence ends at a line break, or where white space follows "
        ". ! or ?; rouge-score itself splits only at line breaks. It differs from `rouge_l`, which is that of the COCO "
        "evaluation: one sequence per text, beta 1.2, best precision with best recall, PTB tokens. Words and "
        "`stemmer` are those of `rouge_1`."
    )

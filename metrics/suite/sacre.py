"""BLEU, chrF and chrF++ by sacreBLEU: its values, from 0 to 100, with its own signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from metrics.base import Stats, item_sums
from metrics.chunk import Chunk
from metrics.distances.chrf import ChrfDistance
from metrics.mathematics.arrays import Floats
from metrics.suite.quality import PairQuality, Quality, Rule

Tok = Literal["13a", "intl", "zh", "char", "none"]
"""The tokenizers of sacreBLEU that need no other program or file."""


class Sacre(Quality):
    """A score by sacreBLEU; a run's score is computed from the sums of its captions' counts."""

    pooled: ClassVar[bool] = True
    best_of: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)

    @property
    def of_runs(self) -> Any:
        """sacreBLEU's scorer for a run."""
        raise NotImplementedError

    @property
    def of_captions(self) -> Any:
        """sacreBLEU's scorer for a caption."""
        return self.of_runs

    def rows(self, context: Any, chunk: Chunk, index: int) -> Floats:
        from metrics.text.sacre import statistics

        # Among references that score alike, chrF takes the first, so their order matters for the sums of a run.
        order = np.argsort(chunk.reference_places[index])
        return statistics(self.of_runs, chunk.candidates[index], [chunk.references[index][k] for k in order])

    def units(self, values: Floats) -> Floats:
        from metrics.text.sacre import scores

        return scores(self.of_captions, values)

    def totals(self, stats: Stats) -> Floats:
        return item_sums(stats)

    def finish(self, totals: Floats) -> Floats:
        from metrics.text.sacre import scores

        return np.where(totals.sum(axis=-1) > 0, scores(self.of_runs, totals), np.nan)


@dataclass(frozen=True)
class SacreBleu(Sacre):
    """sacreBLEU: BLEU-4 by the program of that name, with its tokens and smoothing."""

    tok: Tok = "13a"
    lowercase: bool = False
    name: ClassVar[str] = "sacrebleu"
    label: ClassVar[str] = "sacreBLEU"
    columns: ClassVar[int] = 10
    tested: ClassVar[bool] = False
    no_test: ClassVar[str] = "`bleu_4` has one; this is the number that papers report from this program"
    source: ClassVar[str] = "Post 2018; computed by sacreBLEU itself"
    cites: ClassVar[tuple[str, ...]] = ("post2018call", "papineni2002bleu")
    formula: ClassVar[str] = r"100\,\mathrm{BP}\cdot\Big(\prod_{k=1}^{4} p_k\Big)^{1/4}"
    summary: ClassVar[str] = (
        "From 0 to 100, as sacreBLEU prints it. The first n-gram order without a match counts half a match, the next a "
        "quarter (`exp`). A caption is scored only with the orders that it is long enough for (`eff:yes`), a run with "
        "all four. The signature is sacreBLEU's without `nrefs`, the number of references. `tok` is 13a, intl, zh, "
        "char or none, whatever the study's tokenizer; upper and lower case differ unless `lowercase=true`."
    )

    @property
    def parameters(self) -> str:
        from metrics.text.sacre import signature

        return f"{signature(self.of_runs)}|captions:eff:yes"

    @property
    def of_runs(self) -> Any:
        from metrics.text.sacre import scorer

        return scorer("bleu", self.lowercase, self.tok)

    @property
    def of_captions(self) -> Any:
        from metrics.text.sacre import scorer

        return scorer("bleu", self.lowercase, self.tok, effective=True)


@dataclass(frozen=True)
class Chrf(Sacre, PairQuality):
    """chrF: the F-score of character n-grams, n up to 6, that a caption shares with its best reference; beta is 2."""

    space: ChrfDistance = ChrfDistance()
    rule: ClassVar[Rule] = "mean_max"
    best_of: ClassVar[bool] = True
    uses_order: ClassVar[bool] = True
    source: ClassVar[str] = "Popović 2015 and 2017; computed by sacreBLEU itself"
    cites: ClassVar[tuple[str, ...]] = ("popovic2015chrf", "popovic2017chrf", "post2018call")
    formula: ClassVar[str] = r"100\,\frac{(1+\beta^2)\,PR}{\beta^2P+R},\;\beta=2"
    summary: ClassVar[str] = (
        "From 0 to 100, as sacreBLEU prints it. P and R are means over the n-gram orders, without white space; "
        "chrF++ adds word unigrams and bigrams (`words=2`). The signature is sacreBLEU's without "
        "`nrefs`. The p-value of a run tests the mean of its captions' scores, not the pooled value."
    )

    @property
    def columns(self) -> int:
        return 3 * (6 + self.space.words)

    @property
    def of_runs(self) -> Any:
        return self.space.scorer

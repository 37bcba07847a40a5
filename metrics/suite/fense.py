"""FENSE: similarity to people's captions in meaning, with a penalty for captions that are not fluent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metrics.distances.fluent import FluentDistance
from metrics.suite.quality import PairQuality, Rule


@dataclass(frozen=True)
class Fense(PairQuality):
    """Mean cosine similarity of sentence embeddings with the references, times 0.1 if a caption has a fluency error."""

    space: FluentDistance = FluentDistance()
    constants: ClassVar[str] = "refs:mean|"
    rule: ClassVar[Rule] = "mean_mean"
    name: ClassVar[str] = "fense"
    label: ClassVar[str] = "FENSE"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    source: ClassVar[str] = "Zhou et al. 2022, with an encoder and a classifier of errors that you name"
    cites: ClassVar[tuple[str, ...]] = ("zhou2022fense", "reimers2019sentence")
    formula: ClassVar[str] = r"\big(1-\lambda\,[p_c>t]\big)\,\tfrac1m\sum_j \cos(e_c, e_{r_j})"
    summary: ClassVar[str] = (
        "p_c is the probability that a caption has an error of fluency: by `classifier`, the folder of a sequence "
        "classifier of transformers (its label `error`, or the last one), or a table with a column of captions and "
        "one of probabilities. `threshold` is t and `penalty` is λ, .9 each as in the paper. Of its authors' "
        "encoders, aac-metrics uses paraphrase-TinyBERT-L6-v2: name it with `encoder` to compare with values in "
        "papers."
    )

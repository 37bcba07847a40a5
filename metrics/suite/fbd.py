"""FBD of Montahaei et al. 2019, on the pooled layer of a model that a user names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metrics.distances.embeddings import BertDistance, PooledDistance
from metrics.suite.corpus_embeddings import CorpusFrechet
from metrics.suite.distribution import MONTAHAEI


@dataclass(frozen=True)
class Fbd(CorpusFrechet):
    """FBD: Fréchet distance, not squared, between all candidates and all references in a model's pooled layer."""

    space: BertDistance = PooledDistance()
    name: ClassVar[str] = "fbd"
    heading: ClassVar[str] = "FBD"
    source: ClassVar[str] = f"{MONTAHAEI}, section 3.2.2; the released code takes the square, `squared`"
    cites: ClassVar[tuple[str, ...]] = (*CorpusFrechet.cites, "devlin2019bert")
    summary: ClassVar[str] = (
        "Do the candidates of the whole run lie where the references lie, and spread as far, by a model such as "
        "bert-base-uncased? Its pooled layer is tanh of a dense layer on the state of the first token. "
        "`corpus_frechet_bert` does this with sentence embeddings. Values of different models cannot be compared."
    )

    @property
    def label(self) -> str:
        return super().label.strip()

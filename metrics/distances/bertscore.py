"""BERTScore: precision, recall and F1 of tokens matched by the cosine of their contextual embeddings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from data.study import DataError, Study, digest
from metrics.base import Need, Range, Undefined, Work
from metrics.chunk import Chunk, Learns
from metrics.distances.base import Distance
from metrics.mathematics.arrays import Floats
from metrics.text import bertscore_baselines

if TYPE_CHECKING:
    from metrics.text.token_states import TokenStates

Part = Literal["f1", "precision", "recall"]
Weight = Literal["equal", "idf", "idf_pooled"]
"""The weighting of tokens: equal, or by inverse document frequency in the references or in all texts."""

PAIRS = 1_000
"""Number of pairs of references of different items; their mean score is the baseline."""
ROWS = 2_048
"""Number of tokens compared with all others at once."""


class Learned(NamedTuple):
    """The facts learned from a study: the weight of each token and of unseen tokens, and the baseline."""

    weights: dict[int, float]
    unseen: float = 1.0
    baseline: float = 0.0


@dataclass(frozen=True)
class BertScoreDistance(Distance):
    """1 - BERTScore of one hypothesis against one reference.

    Every token is matched with the most similar token of the other text, which may be a special token. Tokens are
    weighted by inverse document frequency; or all count equally, except special tokens, which do not count.
    """

    version: ClassVar[int] = 2
    encoder: str = "all-MiniLM-L6-v2"
    layer: Annotated[int, Range(0, 96)] = 5  # bert-score's default for DistilBERT, also with six layers
    part: Part = "f1"
    weight: Weight = "equal"
    rescaled: bool = False
    baseline: str = ""  # a file of baselines by layer in bert-score's format, which replaces `rescaled`
    cites: ClassVar[tuple[str, ...]] = ("zhang2020bertscore",)
    work: ClassVar[Work] = "encoder"

    @property
    def name(self) -> str:  # type: ignore[override]
        return "bertscore"

    @property
    def label(self) -> str:
        from metrics.text.encoder import encoder_label

        part = "" if self.part == "f1" else f" {self.part}"
        return f"BERTScore {encoder_label(self.encoder)}{part}"

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"encoder"})

    @property
    def parameters(self) -> str:
        from metrics.text.encoder import encoder_signature

        baseline = f"study-{PAIRS}" if self.rescaled else "none"
        if self.baseline:
            baseline = f"file-{self._named}"
        encoder = encoder_signature(self.encoder)
        return f"{self.part}|enc:{encoder}|layer:{self.layer}|weight:{self.weight}|baseline:{baseline}"

    @property
    def _named(self) -> str:
        """The baseline as it appears in signatures; "unreadable" for an unreadable file, which no metric can use."""
        try:
            return f"{self._given:.7g}"
        except DataError:
            return "unreadable"

    @property
    def _given(self) -> float:
        columns: dict[Part, bertscore_baselines.Column] = {"f1": "F", "precision": "P", "recall": "R"}
        return bertscore_baselines.baseline(self.baseline, self.layer, columns[self.part])

    @property
    def _fitted(self) -> bool:
        return self.rescaled and not self.baseline

    @property
    def learns(self) -> Learns:
        if self.weight == "idf_pooled":
            return "texts"
        return "references" if self.weight == "idf" or self._fitted else "nothing"

    @property
    def of_references(self) -> BertScoreDistance:
        return replace(self, weight="idf") if self.weight == "idf_pooled" else self

    @property
    def of_all_alike(self) -> BertScoreDistance:
        return replace(self, weight="idf_pooled") if self.weight == "idf" else self

    def fit(self, study: Study) -> Any:
        """Return the weights of tokens and the baseline, as far as required; None if neither is required."""
        if self.learns == "nothing":
            return None
        weighted = Learned({}) if self.weight == "equal" else self._frequencies(study)
        return weighted._replace(baseline=self._baseline(study, weighted)) if self._fitted else weighted

    def _frequencies(self, study: Study) -> Learned:
        """Return ln((M + 1) / (M_w + 1)) per token, where M_w of M texts contain it. Zhang et al. 2020, section 3."""
        from metrics.text.token_states import token_ids

        said = [run.candidates for run in study.runs] if self.learns == "texts" else []
        texts = [t for item in study.items for t in (*item.references, *(t for s in said for t in s.get(item.id, ())))]
        having = Counter(token for ids in token_ids(self.encoder, self.layer, texts) for token in set(ids))
        every = len(texts) + 1
        return Learned({token: log(every / (count + 1)) for token, count in having.items()}, log(every))

    def _baseline(self, study: Study, learned: Learned) -> float:
        """Return the mean score of random pairs of references of different items; NaN for fewer than two items."""
        items = [item.references for item in study.items if item.references]
        if len(items) < 2:
            return float("nan")
        rng = np.random.default_rng(int(digest(sorted(map(sorted, items)))[:16], 16))
        items = sorted(tuple(sorted(texts)) for texts in items)
        first = rng.integers(len(items), size=PAIRS)
        second = (first + rng.integers(1, len(items), size=PAIRS)) % len(items)
        hypotheses, references = ([items[k][rng.integers(len(items[k]))] for k in side] for side in (first, second))
        return float(np.mean(self._of_pairs(hypotheses, references, learned)))

    def _of_pairs(self, hypotheses: Sequence[str], references: Sequence[str], learned: Learned) -> Floats:
        from metrics.text.token_states import token_states

        found = token_states(self.encoder, self.layer, [*hypotheses, *references])
        pairs = zip(found[: len(hypotheses)], found[len(hypotheses) :])
        return np.array([self._part(*(side[0, 0] for side in _matched([h], [r], learned))) for h, r in pairs])

    def _part(self, precision: Any, recall: Any) -> Any:
        if self.part != "f1":
            return precision if self.part == "precision" else recall
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.nan_to_num(2 * precision * recall / (precision + recall), nan=0.0)

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        states = self._states(chunk, index)
        return self._scores(context, states, states)

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        states, n = self._states(chunk, index), chunk.sizes(index)[0]
        return self._scores(context, states[:n], states[n:])

    def _scores(self, context: Any, hypotheses: Sequence[TokenStates], references: Sequence[TokenStates]) -> Floats:
        learned = context or Learned({})
        baseline = self._given if self.baseline else learned.baseline
        if np.isnan(baseline):
            lacks = f"{Path(self.baseline).name} has no baseline of layer {self.layer}"
            raise Undefined(lacks if self.baseline else "rescaling needs references of two items")
        scores = self._part(*_matched(hypotheses, references, learned))
        rescaled: Floats = (scores - baseline) / (1 - baseline)
        return rescaled

    def _states(self, chunk: Chunk, index: int) -> list[TokenStates]:
        """Return the token states of an item's pooled texts, after encoding the texts of the whole chunk together."""
        from metrics.chunk import split
        from metrics.text.token_states import LayerMissing, token_states

        def say(done: int, of: int) -> None:
            chunk.hooks.progress(f"embedding words, {done:,} of {of:,} captions")

        def make() -> list[list[TokenStates]]:
            texts = [chunk.texts(k) for k in range(len(chunk))]
            flat = [text for pooled in texts for text in pooled]
            if chunk.layers.get(self.encoder) == self.layer:
                chunk.embedded_sides(self.encoder)  # needed anyway, and the same pass yields the states
            try:
                found = token_states(self.encoder, self.layer, flat, say, chunk.hooks.should_stop)
            except LayerMissing as why:
                raise Undefined(str(why)) from None
            return split(found, [len(pooled) for pooled in texts])

        return chunk.shared(("token states", self.encoder, self.layer), make)[index]


def _matched(
    hypotheses: Sequence[TokenStates], references: Sequence[TokenStates], learned: Learned
) -> tuple[Floats, Floats]:
    """(n, m) precision and recall of every hypothesis against every reference; 0 if either has no words."""
    if not hypotheses or not references:
        return np.zeros((len(hypotheses), len(references))), np.zeros((len(hypotheses), len(references)))
    precision = _covered(hypotheses, references, learned)
    recall = precision.T if hypotheses is references else _covered(references, hypotheses, learned).T
    return precision, recall


def _covered(texts: Sequence[TokenStates], others: Sequence[TokenStates], learned: Learned) -> Floats:
    """(texts, others) weighted mean, over the tokens of a text, of the largest cosine to a token of the other text."""
    weights = [_weights(text, learned) for text in texts]
    # In double precision the score of a pair does not depend on the other pairs computed with it.
    tokens, columns = (np.concatenate([t.states for t in side]).astype(float) for side in (texts, others))
    ends = np.cumsum([len(other.ids) for other in others])
    starts = np.concatenate([[0], ends[:-1]])
    best = np.concatenate(
        [np.maximum.reduceat(tokens[k : k + ROWS] @ columns.T, starts, axis=1) for k in range(0, len(tokens), ROWS)]
    )
    firsts = np.concatenate([[0], np.cumsum([len(text.ids) for text in texts])[:-1]])
    found: Floats = np.add.reduceat(np.clip(best, -1.0, 1.0) * np.concatenate(weights)[:, None], firsts, axis=0)
    found[[text.special.all() for text in texts]] = 0.0
    found[:, [other.special.all() for other in others]] = 0.0
    return np.clip(found, -1.0, 1.0)


def _weights(text: TokenStates, learned: Learned) -> Floats:
    """(tokens,) share of each token in a score; 0 for special tokens unless tokens have learned weights."""
    if learned.weights:
        weights = np.array([learned.weights.get(int(token), learned.unseen) for token in text.ids])
    else:
        weights = np.where(text.special, 0.0, 1.0)
    total = weights.sum()
    return weights / total if total else weights

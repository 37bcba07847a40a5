"""Distances by ROUGE as summarisation papers report it: shared n-grams, and words that sentences share in order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from metrics.base import Range, Undefined
from metrics.chunk import Chunk
from metrics.distances.base import Distance
from metrics.mathematics.arrays import Floats
from metrics.text.sentences import RULE, sentences
from metrics.text.tokens import Tokens

LONGEST = 5_000
"""Maximum number of words in a sentence: finding what two sentences this long share in order takes 100 MB."""


@dataclass(frozen=True)
class RougeScoreDistance(Distance):
    """1 - F-score on rouge-score's tokens, which are words of a..z and 0..9 whatever the study's tokenizer."""

    stemmer: bool = False
    cites: ClassVar[tuple[str, ...]] = ("lin2004rouge",)

    @property
    def parameters(self) -> str:
        return f"beta:1|stem:{'porter-nltk' if self.stemmer else 'no'}|tok:rouge"

    @abstractmethod
    def compared(self, hypotheses: Sequence[str], references: Sequence[str]) -> Floats:
        """(h, r) F-score of each hypothesis against each reference. Raises Undefined with the reason if undefined."""

    def keys(self, chunk: Chunk, index: int) -> list[Any]:
        return self._tokens(chunk.texts(index))

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return self.compared(chunk.texts(index), chunk.texts(index))

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return self.compared(chunk.candidates[index], chunk.references[index])

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        from metrics.text.rouge_score import rouge_tokens

        return [rouge_tokens(text, self.stemmer) for text in texts]


@dataclass(frozen=True)
class RougeNDistance(RougeScoreDistance):
    """1 - ROUGE-N F-score of one hypothesis against one reference."""

    n: Annotated[int, Range(1, 9)] = 1
    name: ClassVar[str] = "rouge"
    symmetric: ClassVar[bool] = True

    @property
    def label(self) -> str:
        return f"ROUGE-{self.n}"

    @property
    def name_with_order(self) -> str:
        return f"rouge_{self.n}"

    def compared(self, hypotheses: Sequence[str], references: Sequence[str]) -> Floats:
        from metrics.text.rouge_score import shared_ngrams

        return shared_ngrams(self._tokens(hypotheses), self._tokens(references), self.n)


@dataclass(frozen=True)
class RougeLsumDistance(RougeScoreDistance):
    """1 - ROUGE-Lsum F-score of one hypothesis against one reference, sentence by sentence."""

    name: ClassVar[str] = "rouge_lsum"
    label: ClassVar[str] = "ROUGE-Lsum"

    @property
    def parameters(self) -> str:
        return f"{super().parameters}|sentences:{RULE}"

    def compared(self, hypotheses: Sequence[str], references: Sequence[str]) -> Floats:
        from metrics.text.rouge_score import summary_lcs

        both = [self._sentences(side) for side in (hypotheses, references)]
        if max((len(one) for side in both for text in side for one in text), default=0) > LONGEST:
            raise Undefined(f"a sentence has more than {LONGEST:,} words, too many for its longest common subsequences")
        return summary_lcs(*both)

    def _sentences(self, texts: Sequence[str]) -> list[list[Tokens]]:
        return [self._tokens(sentences(text)) for text in texts]

"""Novelty: which captions of a run are not among those that its model was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics.base import Family, Grain, Metric, Need, Stats
from metrics.chunk import Chunk
from metrics.suite.mixins import OnTokens
from metrics.text.tokens import Tokenizer


@dataclass(frozen=True)
class NovelCaptions(OnTokens, Metric):
    """Share of candidates that match no training caption word for word."""

    training: str = ""
    tokenizer: Tokenizer = "ptb"
    name: ClassVar[str] = "novel_captions"
    label: ClassVar[str] = "Novel captions"
    family: ClassVar[Family] = "diversity"
    grain: ClassVar[Grain] = "candidate"
    higher_is_better: ClassVar[bool] = True
    more_means: ClassVar[str] = "more novel"
    reads_references: ClassVar[bool] = False
    scores_empty_captions: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    no_test: ClassVar[str] = "it compares captions with those of training, and never with people's of the item"
    source: ClassVar[str] = "Shetty et al. 2017 (novel captions)"
    cites: ClassVar[tuple[str, ...]] = ("shetty2017speaking",)
    formula: ClassVar[str] = r"\frac1n\,|\{i : c_i \notin T\}|"
    summary: ClassVar[str] = (
        "T are the captions of the file `training`: a .txt with one per line, or any format of captions. Captions are "
        "equal if they have the same tokens, case and punctuation aside. 0 for a model that only repeats what it was "
        "trained on; a word salad is all new."
    )

    @property
    def parameters(self) -> str:
        from metrics.text.training_captions import read

        digest = read(self.training, self.tokenizer).digest[:12] if self.training else "none"
        return f"tok:{self.tokenizer}|training:{digest}"

    @property
    def needs(self) -> frozenset[Need]:
        return super().needs if self.training else frozenset({*super().needs, "training captions"})

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        from metrics.text.training_captions import joined, read

        known = read(self.training, self.tokenizer).known
        sizes = [chunk.sizes(index)[0] for index in range(len(chunk))]
        new = [
            joined(tokens) not in known
            for index, n in enumerate(sizes)
            for tokens in chunk.tokens(self.tokenizer, index)[:n]
        ]
        reasons = {index: "no captions of the run" for index, n in enumerate(sizes) if n == 0}
        item = np.repeat(np.arange(len(chunk)), sizes)
        return Stats(np.array(new, dtype=float).reshape(-1, 1), item, len(chunk), reasons)

"""Perplexity of captions under one language model for all runs: a measure of fluency to accompany diversity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from metrics.base import Family, Grain, Metric, Need, Stats, Work, item_sums
from metrics.chunk import Chunk
from metrics.mathematics.arrays import Floats


@dataclass(frozen=True)
class Perplexity(Metric):
    """Perplexity of candidates under a causal language model: exp of the mean of -ln p per token."""

    model: str = ""
    name: ClassVar[str] = "perplexity"
    family: ClassVar[Family] = "quality"
    grain: ClassVar[Grain] = "candidate"
    higher_is_better: ClassVar[bool] = False
    pooled: ClassVar[bool] = True
    reads_references: ClassVar[bool] = False
    size_free: ClassVar[bool] = True
    work: ClassVar[Work] = "encoder"
    bounds: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    no_test: ClassVar[str] = "it reads one caption at a time, and never compares a set with people's"
    source: ClassVar[str] = "Jelinek et al. 1977; equal to exp of the mean loss of transformers over the same tokens"
    cites: ClassVar[tuple[str, ...]] = ("jelinek1977perplexity",)
    formula: ClassVar[str] = r"\exp\Big(-\frac{\sum_{c\in C} \ln p(c)}{\sum_{c\in C} |c|}\Big)"
    summary: ClassVar[str] = (
        "Is the English of a run fluent, by one language model for all runs and people? Low for probable captions, "
        "and lowest for a bland one repeated: read it together with diversity. |c| counts the tokens of the model; a "
        "token for the beginning comes first, the end is not scored. Values from different language models cannot be "
        "compared."
    )

    @property
    def label(self) -> str:
        return f"Perplexity {Path(self.model).name}".strip()

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset() if self.model else frozenset({"causal model"})

    @property
    def parameters(self) -> str:
        from metrics.text.causal_model import signature

        return f"model:{signature(self.model) if self.model else 'none'}|start:scored from|end:left out"

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        from metrics.text.causal_model import surprisals

        texts = [text for captions in chunk.candidates for text in captions]
        sizes = [len(captions) for captions in chunk.candidates]
        item = np.repeat(np.arange(len(chunk)), sizes)

        def say(done: int, of: int) -> None:
            chunk.hooks.progress(f"{self.label}, {done:,} of {of:,} captions")

        found = surprisals(self.model, texts, say, chunk.hooks.should_stop)
        found[found[:, 1] == 0] = np.nan
        reasons = {k: "no captions of the run" for k, size in enumerate(sizes) if not size}
        reasons |= {int(k): "a caption without a word" for k in item[np.isnan(found[:, 0])]}
        return Stats(found, item, len(chunk), reasons)

    def units(self, values: Floats) -> Floats:
        found: Floats = np.exp(values[:, 0] / values[:, 1])
        return found

    def totals(self, stats: Stats) -> Floats:
        return item_sums(stats)

    def finish(self, totals: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(totals[..., 1] > 0, np.exp(totals[..., 0] / totals[..., 1]), np.nan)

"""SPICE (Anderson et al. 2016) by the authors' program, for users who have the jars of CoreNLP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics.base import Family, Grain, Metric, Need, Stats, Work
from metrics.chunk import Chunk
from metrics.mathematics.arrays import Integers
from metrics.suite.scene import SceneF


@dataclass(frozen=True)
class Spice(Metric):
    """SPICE: F-score of objects, attributes and relations, caption against references, by the authors' program."""

    corenlp: str = ""
    name: ClassVar[str] = "spice"
    label: ClassVar[str] = "SPICE"
    family: ClassVar[Family] = "quality"
    grain: ClassVar[Grain] = "candidate"
    higher_is_better: ClassVar[bool] = True
    scores_empty_captions: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    no_test: ClassVar[str] = "each relabelling would be another run of the authors' program"
    no_human: ClassVar[str] = SceneF.no_human
    work: ClassVar[Work] = "encoder"
    source: ClassVar[str] = "Anderson et al. 2016; SPICE 1.0 with CoreNLP 3.6.0, as pycocoevalcap runs it"
    cites: ClassVar[tuple[str, ...]] = ("anderson2016spice",)
    formula: ClassVar[str] = (
        r"\frac{2PR}{P+R},\; P=\frac{|T(c)\otimes T(R)|}{|T(c)|},\; R=\frac{|T(c)\otimes T(R)|}{|T(R)|}"
    )
    summary: ClassVar[str] = (
        "T are the tuples of a text's scene graph; the graphs of all references are merged. `corenlp` is a folder with "
        "the two jars of CoreNLP 3.6.0, which no package contains. `scene_f` is an alternative without them."
    )

    @property
    def parameters(self) -> str:
        from metrics.text.spice import signature

        return f"spice:{signature(self.corenlp) if self.corenlp else 'none'}|synsets:yes"

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset() if self.corenlp else frozenset({"corenlp"})

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        from metrics.text.spice import Task, scores

        item = np.repeat(np.arange(len(chunk)), [len(own) for own in chunk.candidates])
        pairs = zip(chunk.candidates, chunk.references)
        tasks = [Task(text, people) for own, people in pairs for text in own]
        there = np.array([bool(task.references) for task in tasks], dtype=bool)
        chunk.hooks.progress(f"SPICE, {there.sum():,} captions")
        found = np.full(len(tasks), np.nan)
        found[there] = scores(self.corenlp, [task for task in tasks if task.references], chunk.hooks.should_stop)
        return Stats(found.reshape(-1, 1), item, len(chunk), _reasons(chunk, item[np.isnan(found)]))


def _reasons(chunk: Chunk, without: Integers) -> dict[int, str]:
    reasons = {int(index): "SPICE has no value for one of these captions" for index in without}
    for index in range(len(chunk)):
        n, m = chunk.sizes(index)
        if not n or not m:
            reasons[index] = "no captions by people" if not m else "no captions of the run"
    return reasons

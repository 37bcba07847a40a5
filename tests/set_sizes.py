"""Measure how a metric changes if the same sampler writes more captions per item, for the law of `Metric.size_free`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.study import Item, Run, Settings, Study
from metrics.base import Work
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.prove.worlds import with_logprobs
from tools.demo.captions import render, scene_grammar
from tools.demo.grammar import sample
from tools.demo.models import distribution
from tools.demo.world import scenes

FEW, MANY = 3, 10


@dataclass(frozen=True)
class Move:
    few: float
    many: float
    error: float

    @property
    def times(self) -> float:
        return abs(self.many - self.few) / max(self.error, 1e-9)


def moves(works: tuple[Work, ...], model: str = "Oracle", items: int = 16, repeats: int = 5) -> dict[str, Move]:
    """Return, by name, how each metric changes with the size of the sets; the grammar writes new captions in each
    repeat.
    """
    rng, people, how = np.random.default_rng(1), distribution("Oracle", 1.0), distribution(model, 1.0)
    roots = [scene_grammar(scene).root for scene in scenes()[:items]]

    def said(n: int, by: object = how) -> list[tuple[str, ...]]:
        return [tuple(render(sample(root, by, rng)) for _ in range(n)) for root in roots]  # type: ignore[arg-type]

    sets = tuple(Item(str(k), texts) for k, texts in enumerate(said(MANY, people)))
    runs = tuple(
        Run(f"{n} {k}", model, Settings(), {str(i): texts for i, texts in enumerate(said(n))})
        for n in (FEW, MANY)
        for k in range(repeats)
    )
    metrics = [m for m in METRICS.values() if m.work in works and m.family != "references"]
    bare, scene_of = Study("sizes", sets, runs), {str(k): k for k in range(items)}
    study = with_logprobs(bare, scene_of, dict.fromkeys((run.name for run in runs), how))
    found = scoring.score(study, metrics, Options(resamples=50), Cache(None))
    out = {}
    for metric in metrics:
        few, many = (np.array([found[f"{n} {k}", metric.name].corpus for k in range(repeats)]) for n in (FEW, MANY))
        error = np.sqrt((few.var(ddof=1) + many.var(ddof=1)) / repeats)
        out[metric.name] = Move(float(few.mean()), float(many.mean()), float(error))
    return out

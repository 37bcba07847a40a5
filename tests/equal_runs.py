"""Make studies of runs whose true values are known: captions are drawn from a pool of scored captions by the
grammar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from data.study import Item, Run, Settings, Study
from metrics.analysis.central.medoid import to_centre
from metrics.cache.disk import Cache
from metrics.distances.base import item_distances
from metrics.distances.words import BowDistance
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.mathematics.arrays import Floats
from metrics.registry import METRICS
from tools.demo.captions import render, scene_grammar
from tools.demo.grammar import sample
from tools.demo.models import distribution
from tools.demo.world import scenes

CAPTIONS = 20
"""How many captions are scored per scene and temperature; the captions of runs are drawn from these."""


@dataclass(frozen=True)
class Pool:
    """Sufficient statistics (captions, scenes, k) by one metric, for captions written at one temperature."""

    metric: str
    totals: Floats

    def run(self, rng: np.random.Generator, at: np.ndarray) -> Result:
        """A run with one random caption for each of the scenes `at` (items,)."""
        metric = METRICS[self.metric]
        totals = self.totals[rng.integers(len(self.totals), size=len(at)), at]
        items = np.asarray(metric.finish(totals))
        return Result(metric, len(at), float(metric.finish(totals.sum(axis=0))), items=items, totals=totals)

    @property
    def truth(self) -> float:
        """The value that a run would have over infinitely many scenes."""
        return float(METRICS[self.metric].finish(self.totals.mean(axis=(0, 1))))


@lru_cache(maxsize=16)
def pool(metric: str, temperature: float = 1.0) -> Pool:
    """Return the scores of Oracle's captions at a temperature, against five references per scene."""
    references, written = _said(1.0, 5), _said(temperature, CAPTIONS, seed=round(100 * temperature))
    items = tuple(Item(str(k), said) for k, said in enumerate(references))
    runs = tuple(
        Run(f"run {c}", "Oracle", Settings(), {str(k): (said[c],) for k, said in enumerate(written)})
        for c in range(CAPTIONS)
    )
    found = scoring.score(Study("pool", items, runs), [METRICS[metric]], Options(), Cache(None))
    return Pool(metric, np.stack([found[run.name, metric].totals for run in runs]))


def _said(temperature: float, count: int, seed: int = 0) -> list[tuple[str, ...]]:
    rng, how = np.random.default_rng(seed), distribution("Oracle", temperature)
    roots = [scene_grammar(scene).root for scene in scenes()]
    return [tuple(render(sample(root, how, rng)) for _ in range(count)) for root in roots]


def studies(pools: list[Pool], items: int, repeats: int, seed: int = 0) -> Iterator[list[Result]]:
    """Yield `repeats` studies of `items` scenes, each as one result per pool; all runs of a study describe the same
    scenes.
    """
    for one in np.random.SeedSequence(seed).spawn(repeats):
        rng = np.random.default_rng(one)
        at = rng.integers(pools[0].totals.shape[1], size=items)
        yield [pool.run(rng, at) for pool in pools]


CENTRE_REFERENCES = 5
CENTRE_CANDIDATES = 3


@lru_cache(maxsize=1)
def said_apart() -> tuple[Study, Floats]:
    """Return a study with the references of each scene, and (scenes, n, n) bag-of-words distances of n captions by
    people.
    """
    written = _said(1.0, 60)
    items = tuple(Item(str(k), said) for k, said in enumerate(written))
    one = Run("run", "Oracle", Settings(), {item.id: item.references[:1] for item in items})
    whole = Study("pool", items, (one,))
    found = [item_distances(whole, "run", k, BowDistance(), Cache(None)).matrix[1:, 1:] for k in range(len(items))]
    few = tuple(Item(item.id, item.references[:CENTRE_REFERENCES]) for item in items)
    return Study("equal", few, ()), np.stack(found)


def centres(runs: int, repeats: int, seed: int = 0) -> Iterator[tuple[Study, dict[str, Floats]]]:
    """Yield studies of runs that write as people do, with the "near" and "own" that `central.study.measure` would
    find.
    """
    study, apart = said_apart()
    names = tuple(Run(f"run {k}", "Oracle", Settings(), {}) for k in range(runs))
    study = Study(study.name, study.items, names)
    is_candidate = np.arange(CENTRE_CANDIDATES * runs + CENTRE_REFERENCES) < CENTRE_CANDIDATES * runs
    for one in np.random.SeedSequence(seed).spawn(repeats):
        rng, far = np.random.default_rng(one), []
        for scene in rng.integers(len(apart), size=len(study.items)):
            references, others = np.split(rng.permutation(apart.shape[1]), [CENTRE_REFERENCES])
            written = [rng.permutation(others)[:CENTRE_CANDIDATES] for _ in range(runs)]
            drawn = np.concatenate([*written, references])
            far.append(to_centre(apart[scene][np.ix_(drawn, drawn)], is_candidate))
        found = np.array(far)
        near = found[:, is_candidate].reshape(len(found), runs, CENTRE_CANDIDATES).mean(axis=2).T
        own = np.broadcast_to(found[:, ~is_candidate].mean(axis=1), near.shape)
        total = CENTRE_REFERENCES * len(study.items)
        central = np.arange(total) % CENTRE_REFERENCES == 0
        flat = dict.fromkeys(("expected", "words", "content"), np.ones(total))
        yield study, {**flat, "central": central, "near": near, "own": own}

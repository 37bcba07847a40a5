"""Measure how often permutation tests reject if both sides come from one source."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from data.study import Item, Run, Settings, Study
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.registry import resolve
from tools.demo.captions import render, scene_grammar
from tools.demo.grammar import sample
from tools.demo.models import distribution
from tools.demo.world import scenes

ALPHA = 0.05
Written = Sequence[tuple[str, ...]]
"""For each item, the captions from which those of simulated studies are drawn."""


@lru_cache(maxsize=1)
def by_grammar() -> Written:
    rng, truth = np.random.default_rng(11), distribution("Oracle", 1.0)
    grammars = [scene_grammar(scene) for scene in scenes()]
    return [tuple(render(sample(one.root, truth, rng)) for _ in range(60)) for one in grammars]


def null_study(written: Written, rng: np.random.Generator, items: int, candidates: int, references: int) -> Study:
    made, said = [], {}
    for k in rng.choice(len(written), items, replace=False):
        texts = [written[k][c] for c in rng.choice(len(written[k]), candidates + references, replace=False)]
        made.append(Item(str(k), tuple(texts[candidates:])))
        said[str(k)] = tuple(texts[:candidates])
    return Study("null", tuple(made), (Run("null", "null", Settings(), said),))


def rejected(
    written: Written,
    names: Sequence[str],
    sizes: tuple[int, int, int],
    repeats: int,
    seed: int = 0,
    cache: Cache | None = None,
) -> dict[str, tuple[float, float]]:
    """Return, by metric, the share of runs and the share of items for which the null hypothesis is rejected.

    `sizes` are the numbers of items, of candidates and of references per item. A `cache` keeps slow results for texts
    and pairs, which recur in other studies.
    """
    rng, counts = np.random.default_rng(seed), {name: np.zeros(2) for name in names}
    options = Options(p_values=True, draws=999, resamples=1)
    for _ in range(repeats):
        study = null_study(written, rng, *sizes)
        found = scoring.score(
            study, resolve(names, "whitespace"), options, cache or Cache(None), workers=Workers(jobs=1)
        )
        for name in names:
            one = found["null", name]
            assert one.item_p is not None, one.error
            counts[name] += [one.p_value <= ALPHA, np.mean(one.item_p <= ALPHA)]
    return {name: (float(runs) / repeats, float(of_items) / repeats) for name, (runs, of_items) in counts.items()}


def most(repeats: int) -> float:
    """Return the largest share of rejections allowed in `repeats` tests of level ALPHA, with three standard errors."""
    return ALPHA + 3 * float(np.sqrt(ALPHA * (1 - ALPHA) / repeats))

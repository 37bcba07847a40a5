"""The faults that a study could detect: runs with known faults, built from its own captions, and how far each departs.

That no difference from people is detected means little unless one that matters would have been detected. The captions
of a run and of people are shuffled within each item, so that a new run and new references come from one source; then
some captions of that run are exchanged for those of other items, or for copies of each other. Scored like any run, each
shows by how many standard deviations its fault moves the statistics of the joint test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from statistics import NormalDist

import numpy as np

from data.study import Captions, Item, Run, Settings, Study
from metrics.base import Metric
from metrics.cache.disk import entry_key
from metrics.engine import scoring
from metrics.engine.scoring import Results
from metrics.engine.tasks import Options
from metrics.mathematics.arrays import Floats
from metrics.permutation.joint import PARTS
from metrics.permutation.pvalues import ALPHA
from metrics.units import count_units

POWER = 0.8
"""Share of studies in which a fault that counts as detectable would be detected."""
ITEMS = 100
"""Most items whose captions are shuffled; departures found in them are scaled to the number of items of the study."""
TESTED = Options(p_values=True)
FAULTLESS, LESS_VARIED = "0 wrong", "half as varied"


@dataclass(frozen=True)
class Detectable:
    """The least faults that a study finds in a run with a probability of at least POWER.

    `wrong`: how many of the `captions` per item have to belong to other items, None if not even all would be found;
    `less_varied`: whether a run with only half as many different captions would be found.
    """

    wrong: int | None
    captions: int
    less_varied: bool

    @property
    def nothing(self) -> bool:
        """Whether no fault that was tried would be found: too few items to tell."""
        return self.wrong is None and not self.less_varied


def mixtures(study: Study, run: Run, seed: int = 0) -> Study | None:
    """Return the study of runs with faults, from the captions of `run` and of people; None where these are too few.

    It needs two items with two captions per side. Only items with the most frequent numbers of captions take part.
    """
    sizes = [(len(run.candidates.get(item.id, ())), len(item.references)) for item in study.items]
    able = [size for size in sizes if min(size) > 1]
    common = max(sorted(set(able)), key=able.count, default=(0, 0))
    rng = np.random.default_rng(seed)
    chosen = rng.permutation([k for k, size in enumerate(sizes) if size == common and min(size) > 1])[:ITEMS]
    if len(chosen) < 2:
        return None
    n = common[0]
    # Items of one cluster are shuffled alike, so that twins stay twins and a writer's manner stays on one side.
    units = (np.arange(len(study.items)) if study.unit is None else study.unit)[chosen].tolist()
    orders = {unit: rng.permutation(sum(common)) for unit in dict.fromkeys(units)}
    texts = [(*run.candidates[study.items[k].id], *study.items[k].references) for k in chosen]
    texts = texts if study.unit is None else [tuple(sorted(said)) for said in texts]
    pools = [tuple(said[place] for place in orders[unit]) for said, unit in zip(texts, units)]
    items = tuple(Item(study.items[k].id, pool[n:], cluster=study.items[k].cluster) for k, pool in zip(chosen, pools))
    runs = {FAULTLESS: [pool[:n] for pool in pools], LESS_VARIED: [_repeated(pool[:n]) for pool in pools]}
    for wrong in _levels(n):
        others = [*pools[1:], *pools[:1]]
        runs[f"{wrong} wrong"] = [(*other[:wrong], *own[wrong:n]) for own, other in zip(pools, others)]
    made = tuple(
        Run(name, name, Settings(), {item.id: said for item, said in zip(items, sets)}) for name, sets in runs.items()
    )
    return replace(study, name="mixtures", items=items, runs=made, scores=(), vectors=(), distances=(), pictured=False)


def key(mixed: Study, metric: Metric) -> str:
    """Return the cache key of the statistics of runs with faults: that of their results."""
    return entry_key("detectable", 1, [scoring.result_key(metric, run, mixed, TESTED) for run in mixed.runs])


def statistics(mixed: Study, metric: Metric, results: Results) -> Floats | None:
    """(runs, 6) the statistics of the joint tests of the runs of `mixed`; None until all have theirs."""
    found = [results.get((run.name, metric.name)) for run in mixed.runs]
    z = [result.joint.z for result in found if result is not None and result.joint]
    return np.stack(z) if len(z) == len(found) else None


def detectable(mixed: Study, statistics: Floats, study: Study, tests: int) -> Detectable:
    """Return the faults that `study`, with `tests` tested runs in all, would find by a divergence.

    A fault is found if it moves some of its `statistics` (runs, 6) beyond the quantile of the normal distribution at
    ALPHA, Bonferroni over statistics and runs, with probability POWER. In clusters, their normal scores count.
    """
    if mixed.unit is not None:
        # The least p of flips, either way, is 2 / 2^clusters.
        if tests * 2.0 ** (1 - _clusters(study)) > ALPHA:
            return Detectable(None, len(next(iter(mixed.runs[0].candidates.values()))), less_varied=False)
        statistics = _normal_scores(statistics, _clusters(mixed))
    z = dict(zip((run.name for run in mixed.runs), statistics))
    needed = NormalDist().inv_cdf(1 - ALPHA / (2 * len(PARTS) * tests)) + NormalDist().inv_cdf(POWER)
    scale = np.sqrt(len(study.items) / len(mixed.items))

    def moves(name: str) -> bool:
        return bool(_departure(z[name] - z[FAULTLESS]) * scale >= needed)

    captions = len(next(iter(mixed.runs[0].candidates.values())))
    # The least number from which on all are found: a smaller one may be found by luck.
    found_from = list(takewhile(lambda k: moves(f"{k} wrong"), reversed(_levels(captions))))
    return Detectable(found_from[-1] if found_from else None, captions, moves(LESS_VARIED))


def _clusters(study: Study) -> int:
    """The number of independent units of a study: clusters, and items outside them."""
    return count_units(study.unit, np.arange(len(study.items)))


def _normal_scores(z: Floats, clusters: int) -> Floats:
    """Convert sums standardised by the sign flips of `clusters` summands to the scale of a normal distribution.

    A sum over the root of its summands' squares is at most the root of their number, however large the fault is. It is
    a function of Student's t of the summands, whose tail tells how rare it is.
    """
    from scipy.special import ndtri, stdtr

    t = z * np.sqrt((clusters - 1) / np.maximum(clusters - z**2, 1e-9))
    return np.asarray(-np.sign(z) * ndtri(stdtr(clusters - 1, -np.abs(t))))


def _levels(captions: int) -> Sequence[int]:
    """Numbers of wrong captions to try: each up to three, then fewer, and all."""
    return [k for k in range(1, captions + 1) if k <= 3 or k in (5, 10, 20, 50) or k == captions]


def _departure(moved: Floats) -> float:
    """The largest move of a statistic: upwards for the divergence, either way for the others."""
    return float(max(moved[0], np.abs(moved[1:]).max()))


def _repeated(said: Captions) -> Captions:
    """The first half of the captions, repeated to the same number."""
    half = said[: (len(said) + 1) // 2]
    return tuple(half[k % len(half)] for k in range(len(said)))

"""The faults that a study could detect, estimated from runs with known faults built from its own captions.

That a run does not differ detectably from people means little unless a relevant difference would have been detected.
The captions of a run and of people are shuffled within each item, so that a new run and new references come from one
source; then some captions of that run are replaced by those of other items, or by copies of one another. These runs are
scored like any other, which shows by how many standard deviations each fault moves the statistics of the joint test.
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
from metrics.permutation.joint_test import PARTS
from metrics.permutation.pvalues import ALPHA
from metrics.units import count_units

POWER = 0.8
"""Minimum probability of detecting a fault that counts as detectable."""
ITEMS = 100
"""Maximum number of items whose captions are shuffled; departures are scaled to the number of items of the study."""
TESTED = Options(p_values=True)
FAULTLESS, LESS_VARIED = "0 wrong", "half as varied"


@dataclass(frozen=True)
class Detectable:
    """The smallest faults that a study detects in a run with a probability of at least POWER.

    `wrong` is how many of the `captions` per item must belong to other items for the run to be detected, None if even
    all of them would not suffice; `less_varied` is whether a run with only half as many distinct captions would be
    detected.
    """

    wrong: int | None
    captions: int
    less_varied: bool

    @property
    def nothing(self) -> bool:
        """Whether none of the faults tried would be detected, because the study has too few items."""
        return self.wrong is None and not self.less_varied


def mixtures(study: Study, run: Run, seed: int = 0) -> Study | None:
    """Return a study of runs with faults and one without, from captions of `run` and of people; None with too few.

    At least two items must have two captions or more per side. Only items with the most common numbers of captions are
    used.
    """
    sizes = [(len(run.candidates.get(item.id, ())), len(item.references)) for item in study.items]
    able = [size for size in sizes if min(size) > 1]
    common = max(sorted(set(able)), key=able.count, default=(0, 0))
    rng = np.random.default_rng(seed)
    chosen = rng.permutation([k for k, size in enumerate(sizes) if size == common and min(size) > 1])[:ITEMS]
    if len(chosen) < 2:
        return None
    n = common[0]
    # Shuffle the items of one cluster identically: duplicates stay duplicates, a writer's style stays on one side.
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
    """Return the cache key of the statistics of the runs with faults, derived from the keys of their results."""
    return entry_key("detectable", 1, [scoring.result_key(metric, run, mixed, TESTED) for run in mixed.runs])


def statistics(mixed: Study, metric: Metric, results: Results) -> Floats | None:
    """Return the joint-test statistics (runs, 6) of the runs of `mixed`; None unless all of them have a joint test."""
    found = [results.get((run.name, metric.name)) for run in mixed.runs]
    z = [result.joint.z for result in found if result is not None and result.joint]
    return np.stack(z) if len(z) == len(found) else None


def detectable(mixed: Study, statistics: Floats, study: Study, tests: int) -> Detectable:
    """Return the faults that `study`, with `tests` tested runs in total, would detect with a divergence.

    A fault is detectable if, with probability POWER, it moves one of its `statistics` (runs, 6) beyond the normal
    quantile at ALPHA, Bonferroni-corrected across statistics and runs. If items are clustered, the statistics are first
    converted to normal scores.
    """
    if mixed.unit is not None:
        # The smallest two-sided p of sign flips is 2 / 2^clusters.
        if tests * 2.0 ** (1 - _clusters(study)) > ALPHA:
            return Detectable(None, len(next(iter(mixed.runs[0].candidates.values()))), less_varied=False)
        statistics = _normal_scores(statistics, _clusters(mixed))
    z = dict(zip((run.name for run in mixed.runs), statistics))
    needed = NormalDist().inv_cdf(1 - ALPHA / (2 * len(PARTS) * tests)) + NormalDist().inv_cdf(POWER)
    scale = np.sqrt(len(study.items) / len(mixed.items))

    def moves(name: str) -> bool:
        return bool(_departure(z[name] - z[FAULTLESS]) * scale >= needed)

    captions = len(next(iter(mixed.runs[0].candidates.values())))
    # The smallest number such that it and all larger ones are detected: a smaller one may be detected by chance.
    found_from = list(takewhile(lambda k: moves(f"{k} wrong"), reversed(_levels(captions))))
    return Detectable(found_from[-1] if found_from else None, captions, moves(LESS_VARIED))


def _clusters(study: Study) -> int:
    """The number of independent units of a study: clusters, and items outside clusters."""
    return count_units(study.unit, np.arange(len(study.items)))


def _normal_scores(z: Floats, clusters: int) -> Floats:
    """Return sums, standardised by the sign flips of their `clusters` summands, on the scale of a normal distribution.

    A sum divided by the root of its summands' squares is at most the root of their number, however large the fault. It
    is a function of the summands' Student t, whose tail probability gives the normal score.
    """
    from scipy.special import ndtri, stdtr

    t = z * np.sqrt((clusters - 1) / np.maximum(clusters - z**2, 1e-9))
    return np.asarray(-np.sign(z) * ndtri(stdtr(clusters - 1, -np.abs(t))))


def _levels(captions: int) -> Sequence[int]:
    return [k for k in range(1, captions + 1) if k <= 3 or k in (5, 10, 20, 50) or k == captions]


def _departure(moved: Floats) -> float:
    """The largest shift of any statistic: upwards for the divergence, in either direction for the other statistics."""
    return float(max(moved[0], np.abs(moved[1:]).max()))


def _repeated(said: Captions) -> Captions:
    """The first half of the captions, rounded up, repeated until there are as many as before."""
    half = said[: (len(said) + 1) // 2]
    return tuple(half[k % len(half)] for k in range(len(said)))

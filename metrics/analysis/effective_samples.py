"""Effective sample sizes of the texts behind an estimate of the Bhattacharyya distance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from data.study import Study, of_study
from metrics.base import Undefined
from metrics.logprobs import RunLogprobs, of_run
from metrics.mathematics.arrays import Floats
from metrics.mathematics.bhattacharyya import effective_size, half_log_ratio

FEW = 100
"""Effective sample size below which an interval is too narrow.

In simulations with unit-variance normals, 48 to 500 items and 1 to 10 texts per side, 92 to 95 % of the 95 % intervals
contain the distance if the effective sample is at least 100, and on average about 80 % if it is 10 to 30. For the same
effective sample, coverage is lower if the source is far away than if the study is small: see docs/proof.md.
"""


class EffectiveSample(NamedTuple):
    """Kish's effective sample size of one side of a run, candidates or references, and its number of texts."""

    size: float
    texts: int
    side: str


@of_study
def effective_samples(study: Study) -> dict[str, EffectiveSample]:
    """Return the smaller effective sample of the two sides, for each run with a Bhattacharyya distance, by run name."""
    found = {}
    for run in study.runs:
        stated = of_run(study.only(runs=[run.name]))
        if sides := _sides(stated):
            found[run.name] = min(sides, key=lambda side: side.size)
    return found


def _sides(stated: RunLogprobs) -> list[EffectiveSample]:
    logs: dict[str, list[Floats]] = {"candidates": [], "references": []}
    for id in stated.items:
        try:
            stated.need_sampled()
            own, oracle, people, people_oracle = stated.of(id, "own", "oracle", "references", "references_oracle")
            both = half_log_ratio(oracle, own), half_log_ratio(people, people_oracle)
        except (Undefined, ValueError):
            continue
        # Items have equal weights, regardless of their numbers of texts.
        for side, of_item in zip(logs.values(), both):
            side.append(of_item - np.log(len(of_item)))
    joined = {side: np.concatenate(parts) for side, parts in logs.items() if parts}
    return [EffectiveSample(effective_size(weights), len(weights), side) for side, weights in joined.items()]

"""Measure the coverage of intervals of log-probability metrics, by effective sample size."""

from __future__ import annotations

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.effective_samples import FEW, effective_samples
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.engine.result import assemble
from metrics.mathematics.arrays import Floats
from metrics.registry import METRICS
from tests.prove.conftest import Proof

RESAMPLES, REPEATS = 400, 60
SPREAD = 0.3
"""The standard deviation, over items, of the distance between the means of an item's two normals."""
SIZES = ((48, 10), (48, 2))
DISTANCES = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0)


def logs(x: Floats, mean: Floats | float) -> Floats:
    return np.asarray(-((x - mean) ** 2) / 2 - np.log(2 * np.pi) / 2)


def world(rng: np.random.Generator, items: int, texts: int, distance: float) -> Study:
    """Make items whose texts are numbers, drawn from normals: by the run around 0, by the oracle around about
    `distance`.
    """
    means = (distance + SPREAD * rng.standard_normal(items))[:, None]
    x, y = rng.standard_normal((items, texts)), means + rng.standard_normal((items, texts))
    ids = [f"{k}" for k in range(items)]

    def rows(values: Floats) -> dict[str, tuple[float, ...]]:
        return {id: tuple(row) for id, row in zip(ids, values.tolist())}

    said, people = ("x",) * texts, rows(logs(y, means))
    run = Run(
        "run",
        "run",
        Settings(decoder="sample"),
        dict.fromkeys(ids, said),
        logprobs=rows(logs(x, 0.0)),
        oracle_logprobs=rows(logs(x, means)),
        reference_logprobs=rows(logs(y, 0.0)),
    )
    return Study("normals", tuple(Item(id, said, oracle_logprobs=people[id]) for id in ids), (run,))


def truths(distance: float) -> dict[str, float]:
    """Return the values for infinitely many texts and items, by metric."""
    apart = distance + SPREAD * np.random.default_rng(1).standard_normal(2_000_000)
    own = (1 + np.log(2 * np.pi)) / 2
    across = float(own + np.mean(apart**2) / 2)
    return {
        "entropy": float(own),
        "nll": across,
        "oracle_nll": across,
        "bhattacharyya": -float(np.log(np.mean(np.exp(-(apart**2) / 8)))),
    }


def held(study: Study, metric: Metric, truth: float) -> tuple[bool, float]:
    chunk = Chunk.of(study.items, study.runs[0], Cache(None))
    result = assemble(metric, metric.stats(metric.prepare(study), chunk), None, RESAMPLES, 0)  # type: ignore[attr-defined]
    return result.low <= truth <= result.high, result.corpus


def least(share: float, repeats: int) -> float:
    return share - 3.2 * float(np.sqrt(share * (1 - share) / repeats))


@pytest.mark.prove
@pytest.mark.parametrize(("items", "texts"), SIZES)
def test_means_of_log_probabilities_are_covered(proof: Proof, items: int, texts: int) -> None:
    rng, distance = np.random.default_rng(items), 1.5
    real = truths(distance)
    studies = [world(rng, items, texts, distance) for _ in range(2 * REPEATS)]
    for name in ("nll", "entropy", "oracle_nll"):
        share = float(np.mean([held(study, METRICS[name], real[name])[0] for study in studies]))
        proof.row(
            "Stated log-probabilities: coverage of 95 % intervals",
            metric=name,
            design=f"{items} items, {texts} texts",
            nominal=0.95,
            measured=share,
            repeats=len(studies),
        )
        assert share >= least(0.94, len(studies)), name


@pytest.mark.prove
def test_the_effective_sample_tells_which_distances_are_covered(proof: Proof) -> None:
    """Coverage is nearly 95 % if the effective sample has at least FEW texts, and too low far below that."""
    rng, metric, enough, few = np.random.default_rng(22), METRICS["bhattacharyya"], [], []
    for items, texts in SIZES:
        for distance in DISTANCES:
            real = truths(distance)["bhattacharyya"]
            studies = [world(rng, items, texts, distance) for _ in range(REPEATS)]
            covers, values = np.array([held(study, metric, real) for study in studies], dtype=np.float64).T
            size = float(np.median([effective_samples(study)["run"].size for study in studies]))
            proof.row(
                "Bhattacharyya distance of two normals: coverage of 95 % intervals, and their effective sample",
                design=f"{items} items, {texts} texts",
                true_distance=real,
                effective_sample=round(size),
                mean_error=float(np.mean(values) - real),
                nominal=0.95,
                measured=float(covers.mean()),
                repeats=REPEATS,
            )
            (enough if size >= FEW else few).append((float(covers.mean()), float(np.mean(values) - real)))
    shares, errors = np.array(enough).T
    assert shares.mean() >= least(0.935, REPEATS * len(enough))
    assert np.abs(errors).max() < 0.05
    assert min(share for share, _ in few) < 0.8

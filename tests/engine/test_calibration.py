"""Test that tests keep their level under a true null: halves of 48 sentences that people wrote about one scene."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

from data.load import load_study
from data.study import Item, Run, Settings, Study
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.permutation.item_test import PermutationResult
from metrics.permutation.pvalues import harmonic_mean_p
from metrics.registry import METRICS

TESTED = [name for name, metric in METRICS.items() if metric.tested and metric.work != "encoder"]
"""Tested metrics without an encoder; those with one keep their level if their null is invariant, as
`test_exchangeable.py` tests exactly.
"""
REFERENCES = 5


@pytest.fixture(scope="module")
def people(realdata: Path) -> Study:
    study = load_study([], references=[realdata / "abstract48s_500.jsonl"]).study
    assert study is not None
    return study


def split(people: Study, seed: int, items: int, candidates: int = 5) -> Study:
    source = np.random.default_rng(seed)
    made, others = [], {}
    for item in people.items[:items]:
        chosen = [item.references[k] for k in source.choice(48, REFERENCES + candidates, replace=False)]
        made.append(Item(item.id, tuple(chosen[:REFERENCES])))
        others[item.id] = tuple(chosen[REFERENCES:])
    return Study("halves", tuple(made), (Run("people", "people", Settings(), others),))


def outcomes(metric: Metric, study: Study, chunk: Chunk) -> list[PermutationResult]:
    metric = metric.tested_as
    context = metric.prepare(study)
    return [metric.test(context, chunk, index, 200_000, 0) for index in range(len(chunk))]


def spread(found: PermutationResult, source: np.random.Generator) -> float:
    """Return a p-value that is exactly uniform under the null hypothesis, with ties broken at random."""
    sign = 1 if found.alternative == "greater" else -1
    null, observed = sign * found.null, sign * found.statistic
    guard = 1e-9 * abs(observed) + 1e-12
    beyond = np.count_nonzero(null > observed + guard)
    equal = np.count_nonzero(null >= observed - guard) - beyond
    return float((beyond + source.random() * equal) / len(null))


@pytest.fixture(scope="module")
def halves(people: Study) -> tuple[Study, Chunk]:
    study = split(people, seed=0, items=300)
    return study, Chunk.of(study.items, study.runs[0], Cache(None), whole=StudyDigests.of(study))


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTED)
def test_p_is_uniform_under_a_true_null(halves: tuple[Study, Chunk], name: str) -> None:
    found = outcomes(METRICS[name], *halves)
    source = np.random.default_rng(1)
    assert all(result.exact for result in found)
    assert kstest([spread(result, source) for result in found], "uniform").pvalue > 0.01
    p = np.array([result.p_value for result in found])
    for level in (0.05, 0.1, 0.25, 0.5):
        # Discrete p-values may reject less often than the level, never more often.
        assert np.mean(p <= level) <= level + 3 * np.sqrt(level * (1 - level) / len(p)), level


@pytest.mark.slow
def test_calibrated_harmonic_mean_rejects_as_often_as_it_says(people: Study) -> None:
    """Sets of 5 and 10 sentences have 3,003 partitions; with 5 and 5, a mean over twenty p could never reject."""
    metric, size, rejected, raw = METRICS["trm_rouge_l"], 20, [], []
    source = np.random.default_rng(2)
    for seed in range(20):
        study = split(people, seed=100 + seed, items=500, candidates=10)
        chunk = Chunk.of(study.items, study.runs[0], Cache(None))
        p = np.array([spread(result, source) for result in outcomes(metric, study, chunk)])
        for start in range(0, len(p), size):
            found = harmonic_mean_p(p[start : start + size])
            rejected.append(found.calibrated <= 0.05)
            raw.append(found.raw <= 0.05)
    error = np.sqrt(0.05 * 0.95 / len(rejected))
    assert np.mean(rejected) == pytest.approx(0.05, abs=3 * error)
    assert np.mean(raw) > np.mean(rejected)

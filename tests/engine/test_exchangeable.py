"""Test a law of every permutation test: it does not change if the texts are relabelled.

The statistic of any relabelling, computed from scratch with its labels, equals its entry in the null distribution. A
metric that learns facts from only one side violates this law.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from data.study import Study
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.distances.words import BowDistance, CiderDDistance
from metrics.engine.tasks import Facts
from metrics.permutation.item_test import BUDGET, PermutationResult
from metrics.registry import METRICS, with_parameters
from metrics.suite.distribution import Mmd, Trm
from metrics.suite.quality import CiderD
from metrics.text.cider import DocumentFrequencies
from tests.studies import study

TESTED = [metric for metric in METRICS.values() if metric.tested]
GIVEN = DocumentFrequencies.fit([[("a", "dog")], [("a", "cat", "sits")], [("the", "beach")]])


def outcomes(metric: Metric, of: Study) -> tuple[Chunk, list[PermutationResult]]:
    (run,) = of.runs
    chunk = Chunk.of(of.items, run, Cache(None), whole=StudyDigests.of(of, run))
    facts = Facts(of, (metric,))
    return chunk, [metric.test(facts.of(metric), chunk, k, BUDGET, 0) for k in range(len(chunk))]


def relabelled(of: Study, source: np.random.Generator) -> Study:
    (run,) = of.runs
    items, said = [], {}
    for item in of.items:
        texts = (*run.candidates[item.id], *item.references)
        order = source.permutation(len(texts))
        n = len(run.candidates[item.id])
        said[item.id] = tuple(texts[k] for k in order[:n])
        items.append(replace(item, references=tuple(texts[k] for k in order[n:])))
    return replace(of, items=tuple(items), runs=(replace(run, candidates=said),))


def departures(metric: Metric) -> float:
    """Return the largest departure from the law for some relabellings of a study.

    The statistic of a relabelled item is compared with its entry in the null distribution, and the sorted null
    distribution with that before the relabelling.
    """
    of = study(items=6, references=4, candidates=3, runs=1, seed=4)
    chunk, before = outcomes(metric, of)
    found = []
    for seed in range(3):
        other, after = outcomes(metric, relabelled(of, np.random.default_rng(seed)))
        for k, (one, two) in enumerate(zip(before, after)):
            left, texts = list(chunk.texts(k)), []
            for text in other.candidates[k]:
                texts.append(left.index(text))
                left[texts[-1]] = ""
            entry = list(combinations(range(len(left)), len(texts))).index(tuple(sorted(texts)))
            found += [one.null[entry] - two.statistic, *(np.sort(one.null) - np.sort(two.null))]
    return float(np.abs(found).max())


@pytest.mark.parametrize(
    "metric", [*TESTED, with_parameters(METRICS["cider_d"], {"idf": GIVEN})], ids=lambda metric: metric.signature
)
def test_the_null_of_a_relabelled_study_is_the_same(metric: Metric) -> None:
    slack = 2e-6 if metric.work == "encoder" else 1e-9
    assert departures(metric.tested_as) < slack


@pytest.mark.parametrize(
    "metric",
    [CiderD(), Trm(CiderDDistance()), Trm(BowDistance(vocabulary="study")), Mmd(BowDistance(vocabulary="study"))],
    ids=lambda metric: metric.signature,
)
def test_what_is_learned_from_references_alone_breaks_it(metric: Metric) -> None:
    assert departures(metric) > 1e-3

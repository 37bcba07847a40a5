"""Test that the demo shows its known effects under METEOR and MiniLM, with the real Java program and encoder."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from data.demo import load
from data.study import Item, Run, Study
from metrics.mathematics.triangle import triangle_rank
from metrics.permutation.exact import permutation_test
from metrics.text import encoder, meteor

pytestmark = pytest.mark.slow
LABELS = np.array([True] * 10 + [False] * 10)
Distance = Callable[[Item, Run], np.ndarray]


def plain(text: str) -> str:
    return re.sub(r"[^\w' -]", "", text.lower()).strip()


def pooled(item: Item, run: Run) -> list[str]:
    return [*run.candidates[item.id], *item.references]


def bert(study: Study) -> Distance:
    if why := encoder.missing():
        pytest.skip(why)
    texts = list({text for item in study.items for run in study.runs for text in pooled(item, run)})
    vectors = dict(zip(texts, encoder.Encoder().encode(texts).astype(float), strict=True))

    def distance(item: Item, run: Run) -> np.ndarray:
        rows = np.array([vectors[text] for text in pooled(item, run)])
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return 1 - rows @ rows.T

    return distance


def by_meteor(study: Study) -> Distance:
    if why := meteor.missing():
        pytest.skip(why)
    pairs = {
        (a, b): None
        for item in study.items
        for run in study.runs
        for a in map(plain, pooled(item, run))
        for b in map(plain, pooled(item, run))
    }
    scores = dict(zip(pairs, meteor.score(meteor.statistics(list(pairs))), strict=True))

    def distance(item: Item, run: Run) -> np.ndarray:
        texts = [plain(text) for text in pooled(item, run)]
        return 1 - np.array([[scores[a, b] for b in texts] for a in texts])

    return distance


def nearby() -> Study:
    """The settings nearest to the truth; all others are farther away."""
    return load().only(runs=["Oracle T=0.7", "Oracle T=1.0", "Oracle T=1.3", "Peaked T=1.6", "Loose T=0.5"])


@pytest.mark.parametrize("make", [bert, by_meteor], ids=["bert", "meteor"])
def test_the_truth_has_the_lowest_trm_and_uniform_p_values(make: Callable[[Study], Distance]) -> None:
    study = nearby()
    measure = make(study)
    values: dict[str, np.ndarray] = {}
    for run in study.runs:
        matrices = []
        for item in study.items:
            distance = measure(item, run)
            texts = [plain(text) for text in pooled(item, run)]
            distance[[[a == b for b in texts] for a in texts]] = 0
            matrices.append(distance)
        values[run.name] = np.array([triangle_rank(matrix, LABELS) for matrix in matrices])
        if run.name == "Oracle T=1.0":
            p = [permutation_test("trm", m, LABELS, budget=0, draws=400).p_value for m in matrices]
    means = {name: float(found.mean()) for name, found in values.items()}
    first, second = sorted(means, key=means.__getitem__)[:2]
    assert first == "Oracle T=1.0"
    assert means[second] - means[first] > 0.05, means
    for name in set(values) - {first}:
        assert stats.ttest_rel(values[name], values[first], alternative="greater").pvalue < 0.05, name
    assert stats.kstest(p, "uniform").pvalue > 0.05

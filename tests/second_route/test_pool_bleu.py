"""Test BLEU of each text against a pool of references, by its definition and by fast-bleu."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.text.ngram_sets import pool_bleu
from tests.second_route import slow


def texts(rng, number, least=0):
    return [tuple(rng.integers(0, 6, rng.integers(least, 12)).tolist()) for _ in range(number)]


def test_by_the_definition():
    rng = np.random.default_rng(5)
    for _ in range(25):
        own, pool = texts(rng, rng.integers(1, 8)), texts(rng, rng.integers(1, 8))
        found = pool_bleu(own, pool, 5)
        assert found.shape == (len(own), 4)
        for text, row in zip(own, found):
            for n, value in zip(range(2, 6), row):
                assert value == pytest.approx(slow.sentence_bleu(text, pool, n, "epsilon"), abs=1e-12)


def test_is_that_of_fast_bleu():
    package = pytest.importorskip("fast_bleu")
    rng = np.random.default_rng(6)
    own, pool = [tuple(rng.integers(0, 9, 8).tolist()) for _ in range(60)], texts(rng, 200, 8)
    weights = {n: (1 / n,) * n for n in (2, 4)}
    theirs = package.BLEU(pool, weights, smoothing_func=1).get_score(own)
    assert np.allclose(pool_bleu(own, pool, 4)[:, [0, 2]], np.transpose([theirs[2], theirs[4]]), rtol=0, atol=1e-9)


def test_a_text_of_the_pool_scores_one_and_no_pool_is_no_value():
    assert pool_bleu([(1, 2, 3, 4)], [(5,), (1, 2, 3, 4)], 4) == pytest.approx(1.0)
    assert np.isnan(pool_bleu([(1, 2)], [], 4)).all()

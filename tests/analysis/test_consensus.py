"""Test the agreement of references, which is a mean over samples if there are many references."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from metrics.engine import scoring
from metrics.engine.scores_table import scores
from metrics.engine.workers import Workers
from metrics.registry import resolve
from metrics.suite.consensus import reference_samples
from tests.studies import study as random_study
from tests.text.helpers import rouge_l


def test_up_to_five_references_are_all_taken_and_of_more_ten_samples_of_five():
    assert [rows.tolist() for rows in reference_samples(5, 0)] == [[0, 1, 2, 3, 4]]
    samples = reference_samples(9, 7)
    assert len(samples) == 10
    assert all(len(set(rows.tolist())) == 5 and set(rows.tolist()) <= set(range(9)) for rows in samples)
    assert len({tuple(rows) for rows in samples}) > 5
    again, other = reference_samples(9, 7), reference_samples(9, 8)
    assert np.array_equal(samples, again)
    assert not np.array_equal(samples, other)


def test_six_references_agree_as_the_mean_over_their_samples():
    """The mean over ten random samples of five references is within the range of the six possible samples, near their
    mean.
    """
    study = random_study(items=8, references=6, runs=1, seed=4)
    found = scoring.score(study, resolve(["consensus_rouge_l"], "whitespace"), workers=Workers(jobs=1))
    for item, value in zip(study.items, found["references", "consensus_rouge_l"].items):
        texts, ways = [text.split() for text in item.references], []
        for rows in combinations(range(6), 5):
            scores = [rouge_l([texts[k]], [texts[j] for j in rows if j != k])[0] for k in rows]
            ways.append(np.mean(scores))
        assert min(ways) - 1e-12 <= value <= max(ways) + 1e-12
        assert value == pytest.approx(np.mean(ways), abs=5 * np.std(ways) / np.sqrt(10) + 1e-12)


def test_consensus_bleu_is_the_mean_of_the_four_orders_and_has_a_spread() -> None:
    """The table by Zhu et al. (table 2) has such means and standard deviations over items."""
    of = random_study(items=7, references=7, runs=1)
    names = [f"consensus_bleu_{n}" for n in range(1, 5)]
    found = scoring.score(of, resolve([*names, "consensus_bleu"], "whitespace"))
    orders = np.mean([found["references", name].items for name in names], axis=0)
    mean = found["references", "consensus_bleu"]
    assert mean.items == pytest.approx(orders, abs=1e-12)
    assert mean.corpus == pytest.approx(orders.mean())
    row = scores(of, {("references", "consensus_bleu"): mean}).iloc[0]
    assert row.sd == pytest.approx(np.std(orders, ddof=1))

"""Test values and laws of the n-gram set metrics, of MAUVE and of Self-CIDEr."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metrics.mathematics.mauve import area, frontier, mauve
from metrics.text import ngram_sets
from metrics.text.set_ngram_kernels import orders

A, B, C = np.array([1, 2, 3]), np.array([1, 2, 4]), np.array([7, 8, 9, 7, 8, 9])


def test_ms_jaccard_of_a_worked_example():
    assert ngram_sets.jaccard_orders([A], [B], 3) == pytest.approx([2 / 4, 1 / 3, 0])
    assert ngram_sets.ms_jaccard([A], [B], 3) == pytest.approx([math.sqrt(1 / 6), 0])


def test_ms_jaccard_without_texts_is_undefined():
    assert np.isnan(ngram_sets.ms_jaccard([], [A], 3)).all()


def test_self_bleu_of_copies_is_one_and_of_strangers_zero():
    assert ngram_sets.self_bleu([C] * 3, 4) == pytest.approx(np.ones((3, 3)))
    assert ngram_sets.self_bleu([A, C], 4) == pytest.approx(np.zeros((2, 3)))
    assert np.isnan(ngram_sets.self_bleu([A], 4)).all()
    assert ngram_sets.self_bleu([A, A, []], 2)[:, 0] == pytest.approx([1, 1, 0])


def test_a_text_is_no_reference_of_itself():
    """The largest count, 7, is the text's own, so the second largest clips it."""
    assert ngram_sets.self_bleu([[7, 7, 7], [7, 7, 5]], 2)[0, 0] == pytest.approx(math.sqrt(2 / 3 * 1 / 2))


def test_ten_thousand_texts_take_seconds():
    rng = np.random.default_rng(0)
    some = [rng.zipf(1.5, rng.integers(5, 15)) % 5000 for _ in range(10_000)]
    assert ngram_sets.self_bleu(some, 5).shape == (10_000, 4)
    assert ngram_sets.self_bleu_without(some, np.arange(10_000) // 5, 5)[1].shape == (2_000, 4)
    assert ngram_sets.ms_jaccard(some[:5000], some[5000:], 5).shape == (4,)


def test_ngrams_are_exact_where_a_hash_would_collide():
    big = 2**62
    texts = [[0, big], [big, 0], [1, big - 1], [-big, 5]]
    assert [grams.distinct for grams in orders(texts, 2)] == [6, 4]


def test_self_cider_runs_from_copies_to_strangers():
    assert ngram_sets.self_cider(np.ones((4, 4))) == pytest.approx(0, abs=1e-14)
    assert ngram_sets.self_cider(np.eye(4)) == pytest.approx(1)
    assert ngram_sets.self_cider(10 * np.eye(4)) == pytest.approx(1)
    blocks = np.kron(np.eye(2), np.ones((2, 2)))  # two texts, twice each: two equal singular values of four
    assert ngram_sets.self_cider(blocks) == pytest.approx(math.log(2) / math.log(4), abs=1e-14)
    assert math.isnan(ngram_sets.self_cider(np.ones((1, 1))))
    assert math.isnan(ngram_sets.self_cider(np.zeros((3, 3))))


@pytest.mark.parametrize("text", [[1.5, 2.0], [[1, 2]], ["a"]])
def test_tokens_must_be_integers(text):
    with pytest.raises(ValueError, match="Text 1 must be a one-dimensional array of integer tokens"):
        ngram_sets.self_bleu([A, text], 2)


def test_orders_begin_at_one():
    with pytest.raises(ValueError, match="max_n must be at least 1"):
        ngram_sets.ms_jaccard([A], [A], 0)


def test_mauve_at_its_ends():
    assert area(frontier([3, 5, 2], [3, 5, 2])) == pytest.approx(1)
    assert area(frontier([30, 50, 20], [3, 5, 2])) == pytest.approx(1)
    assert area(frontier([1, 0], [0, 1])) < 0.01
    close, far = area(frontier([3, 5, 2], [4, 4, 2])), area(frontier([3, 5, 2], [1, 1, 8]))
    assert 1 > close > far > 0
    assert area(frontier([1, 1, 8], [3, 5, 2])) == pytest.approx(far)
    curve = frontier([3, 5, 2], [1, 1, 8])
    assert (np.diff(curve[:, 0]) <= 0).all()
    assert (np.diff(curve[:, 1]) >= 0).all()


def test_mauve_tells_near_from_far_and_is_seeded():
    rng = np.random.default_rng(0)
    base, near, far = (rng.normal(size=(200, 6)) + shift for shift in (1.0, 1.1, -1.0))
    results = [mauve(other, base, clusters=10, seed=1) for other in (near, far)]
    assert results[0].value > 0.8 > 0.2 > results[1].value
    again = mauve(near, base, clusters=10, seed=1)
    assert again.value == results[0].value
    assert results[0].candidates.sum(axis=1) == pytest.approx(np.ones(5))
    assert 1 <= results[0].dimensions <= 6
    assert mauve(near, base).candidates.shape == (5, 20)  # starts, and a tenth of the smaller set


def test_mauve_knows_no_order_and_is_the_mean_over_starts():
    rng = np.random.default_rng(4)
    p, q = rng.normal(size=(120, 12)), rng.normal(size=(120, 12)) + 0.3
    p[:20] = q[:20]
    found = mauve(p, q)
    orders = [(rng.permutation(120), rng.permutation(120)) for _ in range(3)]
    assert {mauve(p[one], q[other]).value for one, other in orders} == {found.value}
    assert mauve(q, p).value == pytest.approx(found.value, abs=1e-12)
    each = [area(frontier(*both)) for both in zip(found.candidates, found.references)]
    assert found.value == pytest.approx(np.mean(each))
    assert np.ptp(each) > 0.02  # one start alone is a matter of luck


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [([1, 2], [1, 2, 3], "same clusters"), ([0, 0], [1, 1], "at least one"), ([-1, 2], [1, 1], "not negative")],
)
def test_malformed_histograms_are_explained(p, q, message):
    with pytest.raises(ValueError, match=message):
        frontier(p, q)


def test_too_few_different_embeddings_for_the_clusters():
    with pytest.raises(ValueError, match="3 clusters need as many different embeddings among the 8 texts"):
        mauve(np.ones((4, 2)), np.zeros((4, 2)), clusters=3)
    with pytest.raises(ValueError, match="equal dimension"):
        mauve(np.ones((4, 2)), np.zeros((4, 3)))

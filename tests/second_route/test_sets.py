"""Test set metrics against counters of tuples, fast-bleu and mauve-text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics.mathematics.mauve import area, frontier, mauve
from metrics.text import ngram_sets
from tests.second_route import slow

texts = st.lists(st.lists(st.integers(0, 3), max_size=8).map(tuple), min_size=1, max_size=6)


@given(texts, texts, st.integers(2, 5))
@settings(max_examples=150, deadline=None)
def test_ms_jaccard_by_counters(first, second, max_n):
    orders = [slow.jaccard(first, second, n) for n in range(1, max_n + 1)]
    found = ngram_sets.jaccard_orders(first, second, max_n)
    assert [None if math.isnan(value) else pytest.approx(value) for value in found] == orders
    means = []
    for n in range(2, max_n + 1):
        used = [value for value in orders[:n] if value is not None]
        means.append(math.prod(used) ** (1 / len(used)) if used else float("nan"))
    assert ngram_sets.ms_jaccard(first, second, max_n) == pytest.approx(means, abs=1e-12, nan_ok=True)


grouped = st.lists(
    st.tuples(st.lists(st.integers(0, 2), max_size=6).map(tuple), st.integers(0, 3), st.booleans()), max_size=10
)


@given(grouped, st.integers(2, 5))
@settings(max_examples=200, deadline=None)
def test_ms_jaccard_without_a_group_is_that_of_the_others_alone(some, max_n):
    first, second = ([(text, of) for text, of, left in some if left == side] for side in (True, False))
    args = [[text for text, _ in side] for side in (first, second)]
    value, found = ngram_sets.ms_jaccard_without(*args, [g for _, g in first], [g for _, g in second], 5, max_n)
    assert np.allclose(value, ngram_sets.ms_jaccard(*args, max_n), rtol=0, atol=1e-12, equal_nan=True)
    assert found.shape == (5, max_n - 1)
    for left_out, values in enumerate(found):
        others = [[text for text, of in side if of != left_out] for side in (first, second)]
        alone = ngram_sets.ms_jaccard(*others, max_n)
        assert np.allclose(values, alone, rtol=0, atol=1e-12, equal_nan=True)


@given(st.lists(st.lists(st.integers(-1, 2), min_size=1, max_size=8).map(tuple), min_size=2, max_size=7))
@settings(max_examples=120, deadline=None)
def test_self_bleu_by_counters(some):
    found = ngram_sets.self_bleu(some, 5)
    expected = np.stack([slow.self_bleu(some, n) for n in range(2, 6)], axis=1)
    assert np.allclose(found, expected, rtol=0, atol=1e-12)


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 2), max_size=7).map(tuple), st.integers(0, 3)), min_size=2, max_size=9)
)
@settings(max_examples=150, deadline=None)
def test_self_bleu_without_a_group_is_that_of_the_others_alone(some):
    texts, numbers = zip(*some)
    group = np.unique(numbers, return_inverse=True)[1]
    scores, found = ngram_sets.self_bleu_without(texts, group, 4)
    assert np.array_equal(scores, ngram_sets.self_bleu(texts, 4))
    for left_out, values in enumerate(found):
        others = [text for text, of in zip(texts, group) if of != left_out]
        alone = ngram_sets.self_bleu(others, 4).mean(axis=0) if len(others) > 1 else np.full(3, np.nan)
        assert np.allclose(values, alone, rtol=0, atol=1e-12, equal_nan=True)


def fast_bleu_differences(rng, lengths):
    """Return (texts, 4) |ours - fast-bleu's| for N = 2..5 over random sets, except for texts shorter than all others.

    To those, the package sometimes gives no brevity penalty, and sometimes the wrong closest length, because its
    threads share it. Its n-gram precisions are correct; its weights have single precision unless N is 2 or 4.
    """
    package = pytest.importorskip("fast_bleu")
    rows = []
    for _ in range(40):
        some = [tuple(rng.integers(0, 6, n)) for n in lengths()]
        theirs = package.SelfBLEU(some, {n: (1 / n,) * n for n in (2, 3, 4, 5)}, smoothing_func=1).get_score()
        gaps = np.abs(ngram_sets.self_bleu(some, 5) - np.transpose(list(theirs.values())))
        sizes = [len(text) for text in some]
        rows += [gaps[i] for i, n in enumerate(sizes) if n >= min(sizes[:i] + sizes[i + 1 :])]
    return np.array(rows)


def test_self_bleu_is_that_of_fast_bleu():
    rng = np.random.default_rng(1)
    alike = fast_bleu_differences(rng, lambda: [rng.integers(1, 12)] * rng.integers(2, 9))
    assert len(alike) > 100
    assert (alike <= [1e-9, 1e-7, 1e-9, 1e-7]).all()
    unlike = fast_bleu_differences(rng, lambda: rng.integers(2, 12, rng.integers(2, 9)))
    assert (unlike <= [1e-9, 1e-7, 1e-9, 1e-7]).all(axis=1).mean() > 0.95


@given(st.lists(st.integers(0, 9), max_size=40))
@settings(max_examples=80, deadline=None)
def test_zipf_by_counters(tokens):
    counts = sorted(slow.Counter(tokens).values(), reverse=True)
    if len(counts) < 2:
        assert math.isnan(ngram_sets.zipf_coefficient(tokens))
        return
    slope = np.polyfit(np.log(np.arange(1, len(counts) + 1)), np.log(counts), 1)[0]
    assert ngram_sets.zipf_coefficient(tokens) == pytest.approx(-slope, abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(2, 30))
@settings(max_examples=60, deadline=None)
@example(seed=59, clusters=2)
def test_mauve_is_that_of_mauve_text_on_one_quantisation(seed, clusters):
    module = pytest.importorskip("mauve.compute_mauve")
    rng = np.random.default_rng(seed)
    p, q = rng.multinomial(60, rng.dirichlet(np.ones(clusters) / 2, 2))
    if np.array_equal(p, q):  # the package sorts tied points by chance there, and may answer 0.75
        assert area(frontier(p, q)) == pytest.approx(1.0, abs=1e-12)
        return
    weights = np.linspace(1e-6, 1 - 1e-6, 25)
    curve = module.get_divergence_curve_for_multinomials(p / p.sum(), q / q.sum(), weights, 5)
    x, y = curve.T
    theirs = 0.5 * (
        module.compute_area_under_curve(np.sort(x), y[np.argsort(x)])
        + module.compute_area_under_curve(np.sort(y), x[np.argsort(y)])
    )
    assert np.allclose(frontier(p, q), curve, rtol=0, atol=1e-12)
    assert area(frontier(p, q)) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.slow
def test_mauve_is_close_to_mauve_text_end_to_end():
    package = pytest.importorskip("mauve")
    rng = np.random.default_rng(0)
    p, q = rng.normal(size=(400, 20)), rng.normal(size=(400, 20)) + 0.25
    theirs = package.compute_mauve(p_features=p, q_features=q, num_buckets=20, verbose=False)
    ours = mauve(p, q, clusters=20)
    assert area(frontier(theirs.p_hist, theirs.q_hist)) == pytest.approx(theirs.mauve, abs=1e-9)
    assert ours.value == pytest.approx(theirs.mauve, abs=0.05)  # another k-means finds other clusters

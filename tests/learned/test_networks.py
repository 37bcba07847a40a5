"""Test compact bilinear pooling against its definition, and the trigram model against its formula and its samples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch

from metrics.learned.networks import Classifier, CompactBilinear
from metrics.learned.ngram_model import END, LONGEST, NgramModel


def test_the_fft_is_a_circular_convolution_of_the_sketches() -> None:
    pooling = CompactBilinear((5, 7), size=16, seed=2)
    rng = torch.Generator().manual_seed(0)
    x, y = torch.randn(3, 5, generator=rng), torch.randn(3, 7, generator=rng)
    one, other = pooling.sketches(x, y)
    direct = torch.zeros(3, 16)
    for a in range(16):
        for b in range(16):
            direct[:, (a + b) % 16] += one[:, a] * other[:, b]
    assert torch.allclose(pooling(x, y), direct, atol=1e-5)
    places, signs = pooling.places.tolist(), pooling.signs.tolist()
    product = torch.zeros(3, 16)
    for i in range(5):
        for j in range(7):
            product[:, (places[i] + places[5 + j]) % 16] += signs[i] * signs[5 + j] * x[:, i] * y[:, j]
    assert torch.allclose(direct, product, atol=1e-5)


def test_inner_products_estimate_those_of_outer_products() -> None:
    rng = np.random.default_rng(1)
    x, y = (torch.tensor(rng.standard_normal((2, 20)) + 2, dtype=torch.float32) for _ in range(2))
    wanted = float(x[0] @ x[1]) * float(y[0] @ y[1])
    found = []
    for seed in range(120):
        sketch = CompactBilinear((20, 20), size=512, seed=seed)(x, y)
        found.append(float(sketch[0] @ sketch[1]))
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(wanted, abs=4 * error)
    assert error < 0.02 * abs(wanted)
    same = CompactBilinear((20, 20), size=8192)(x[:1], x[:1])
    assert float(same[0] @ same[0]) == pytest.approx(float(x[0] @ x[0]) ** 2, rel=0.15)


@pytest.mark.parametrize("combination", ["linear", "mlp", "bilinear"])
def test_classifiers_read_caption_and_context(combination: str) -> None:
    network = Classifier(6, 6, combination, sketch=64)  # type: ignore[arg-type]
    rng = torch.Generator().manual_seed(0)
    x, y, other = (torch.randn(2, 6, generator=rng) for _ in range(3))
    assert network(x, y).shape == (2, 2)
    assert not torch.allclose(network(x, y), network(other, y))
    assert not torch.allclose(network(x, y), network(x, other))
    assert Classifier(6, 0, combination)(x).shape == (2, 2)  # type: ignore[arg-type]


CAPTIONS = [line.split() for line in ("a dog runs", "a dog sleeps", "a cat sleeps on a mat", "the dog runs")]


def test_probabilities_are_those_of_witten_and_bell() -> None:
    model = NgramModel(CAPTIONS)
    assert set(model.words) == {word for words in CAPTIONS for word in words} | {END}
    for history in ([], ["a"], ["a", "dog"], ["never", "seen"], ["a", "cat", "sleeps"]):
        assert model.probabilities(history).sum() == pytest.approx(1)
    tokens = [*(word for words in CAPTIONS for word in words), *[END] * 4]
    kinds = len(model.words)
    unigram = (tokens.count("runs") + kinds / kinds) / (len(tokens) + kinds)
    bigram = (2 + 2 * unigram) / (3 + 2)  # dog: runs, sleeps, runs
    trigram = (1 + 2 * bigram) / (2 + 2)  # a dog: runs, sleeps
    assert model.probabilities(["a", "dog"])[model.words.index("runs")] == pytest.approx(trigram)


def test_samples_have_the_probabilities_of_the_model() -> None:
    model, rng = NgramModel(CAPTIONS), np.random.default_rng(0)
    samples = [model.sample(rng) for _ in range(4_000)]
    assert max(map(len, samples)) <= LONGEST
    first = Counter(words[0] if words else END for words in samples)
    wanted = model.probabilities([])
    for word, p in zip(model.words, wanted):
        assert first[word] / 4_000 == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 4_000))

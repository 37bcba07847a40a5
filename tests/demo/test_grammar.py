"""Test grammars: probabilities sum to 1, the inside algorithm is exact, and decoders follow their definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.demo.grammar import (
    Choice,
    Distribution,
    Node,
    Sequence_,
    Tokens,
    Words,
    beam,
    greedy,
    inside,
    nucleus,
    sample,
)

WORD = st.sampled_from("abc").map(lambda letter: Words((letter,)))
LEAF = st.one_of(WORD, st.just(Words(())), st.just(Words(("a", "b"))))


def choices(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    logit = st.floats(-3, 3)
    option = st.tuples(logit, st.sampled_from(["", "wrong"]), nodes)
    return st.lists(option, min_size=1, max_size=3).map(
        lambda rows: Choice(tuple(r[2] for r in rows), tuple(r[0] for r in rows), tuple(r[1] for r in rows))
    )


def sequences(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.lists(nodes, min_size=1, max_size=3).map(lambda parts: Sequence_(tuple(parts)))


GRAMMAR = st.recursive(LEAF, lambda nodes: st.one_of(choices(nodes), sequences(nodes)), max_leaves=10)
MODEL = st.builds(
    Distribution,
    scale=st.floats(0.5, 2),
    bonus=st.just({"wrong": 1.0}),
    temperature=st.floats(0.3, 2),
    top_p=st.sampled_from([1.0, 0.7]),
)


def derivations(node: Node, model: Distribution) -> Iterator[tuple[Tokens, float]]:
    """Yield the tokens and the probability of every derivation of a node."""
    if isinstance(node, Words):
        yield node.tokens, 1.0
    elif isinstance(node, Choice):
        for option, chance in zip(node.options, model.probabilities(node), strict=True):
            for tokens, inner in derivations(option, model):
                yield tokens, chance * inner
    elif node.parts:
        for tokens, chance in derivations(node.parts[0], model):
            for rest, inner in derivations(Sequence_(node.parts[1:]), model):
                yield tokens + rest, chance * inner
    else:
        yield (), 1.0


def texts(node: Node, model: Distribution) -> dict[Tokens, float]:
    found: dict[Tokens, float] = defaultdict(float)
    for tokens, chance in derivations(node, model):
        found[tokens] += chance
    return found


@given(GRAMMAR, MODEL, MODEL)
@settings(max_examples=150, deadline=None)
def test_the_log_probability_of_a_text_is_the_sum_over_all_its_derivations(
    node: Node, model: Distribution, other: Distribution
) -> None:
    known, elsewhere = texts(node, model), texts(node, other)
    assert math.fsum(known.values()) == pytest.approx(1, abs=1e-12)
    for tokens, chance in known.items():
        here, there = np.exp(inside([node], tokens, [model, other])[0])
        assert here == pytest.approx(chance, abs=1e-12)
        assert there == pytest.approx(elsewhere[tokens], abs=1e-12)
    assert inside([node], ("no", "such", "text"), [model])[0, 0] == -math.inf


def test_temperature_divides_the_logits() -> None:
    coin = Choice((Words(("x",)), Words(("y",)), Words(("z",))), (0.0, -1.0, -2.5), ("", "", ""))
    for temperature in (0.3, 1.0, 1.6):
        weights = np.exp(np.array(coin.logits) / temperature)
        assert Distribution(temperature=temperature).probabilities(coin) == pytest.approx(weights / weights.sum())


def test_a_nucleus_is_the_smallest_most_probable_set() -> None:
    assert nucleus([0.1, 0.5, 0.25, 0.15], 0.75) == pytest.approx((0, 2 / 3, 1 / 3, 0))
    assert nucleus([0.1, 0.5, 0.25, 0.15], 0.76) == pytest.approx((0, 50 / 90, 25 / 90, 15 / 90))
    assert nucleus([0.5, 0.5], 0.5) == (1.0, 0.0)


@given(GRAMMAR, MODEL)
@settings(max_examples=100, deadline=None)
def test_a_wide_beam_finds_the_most_probable_derivations_and_greedy_follows_each_choice(
    node: Node, model: Distribution
) -> None:
    best: dict[Tokens, float] = {}
    for tokens, chance in derivations(node, model):
        best[tokens] = max(chance, best.get(tokens, 0.0))
    found = beam(node, model, width=10_000)
    assert set(found) == {tokens for tokens, chance in best.items() if chance > 0}
    chances = [best[tokens] for tokens in found]
    assert all(a >= b * (1 - 1e-9) for a, b in pairwise(chances))
    assert greedy(node, model) in found


def test_a_narrow_beam_can_lose_the_best_text() -> None:
    """The left branch is more probable than the right one, but is divided among texts that are less probable."""
    spread = Choice(tuple(Words((letter,)) for letter in "abc"), (0.0, 0.0, 0.0), ("",) * 3)
    node = Choice((spread, Words(("d",))), (math.log(0.6), math.log(0.4)), ("", ""))
    plain = Distribution()
    assert beam(node, plain, 1)[0] != ("d",)
    assert beam(node, plain, 4)[0] == ("d",)
    assert greedy(node, plain) == ("a",)


def test_samples_come_as_often_as_their_probabilities_say() -> None:
    inner = Choice((Words(("a",)), Words(()), Words(("a", "b"))), (0.0, -0.5, 0.3), ("", "", "wrong"))
    node = Sequence_((inner, Words(("b",)), inner))
    model = Distribution(bonus={"wrong": 0.4}, temperature=1.3)
    rng, n = np.random.default_rng(3), 20_000
    counts = Counter(sample(node, model, rng) for _ in range(n))
    for tokens, chance in texts(node, model).items():
        assert counts[tokens] / n == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / n) + 1e-9)

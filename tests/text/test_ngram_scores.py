"""Test that BLEU, ROUGE-L and CIDEr-D equal the COCO evaluation, and that matrices of pairs follow their laws."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.text.bleu import bleu, bleu_pairs, bleu_statistics
from metrics.text.cider import DocumentFrequencies, cider_d_block, cider_d_pairs
from metrics.text.ngrams import count_words, encode
from metrics.text.rouge import f_score, rouge_l_block, rouge_l_pairs
from metrics.text.tokens import tokenize
from tests.text.helpers import CANDIDATES, REFERENCES, WITH_CANDIDATES, needs_java, realdata, rouge_l, sides

Tokens = list[tuple[str, ...]]
OWN = [
    ([tuple(filter(None, c.split(" "))) for c in cs], [tuple(filter(None, r.split(" "))) for r in rs])
    for cs, rs in zip(CANDIDATES, REFERENCES)
]
TEXTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=9).map(tuple), min_size=1, max_size=6)


def theirs(scorer: Any, items: list[tuple[Tokens, Tokens]]) -> tuple[Any, Any]:
    pairs = [(candidate, references) for candidates, references in items for candidate in candidates]
    gts = {i: [" ".join(text) for text in references] for i, (_, references) in enumerate(pairs)}
    res = {i: [" ".join(candidate)] for i, (candidate, _) in enumerate(pairs)}
    with contextlib.redirect_stdout(io.StringIO()):
        return scorer.compute_score(gts, res)


def frequencies(items: list[tuple[Tokens, Tokens]]) -> DocumentFrequencies:
    return DocumentFrequencies.fit([references for candidates, references in items for _ in candidates])


def check_bleu(items: list[tuple[Tokens, Tokens]]) -> None:
    from pycocoevalcap.bleu.bleu import Bleu

    corpus, captions = theirs(Bleu(4), items)
    statistics = np.concatenate([bleu_statistics(*item) for item in items])
    for n in range(1, 5):
        assert bleu(statistics.sum(axis=0), n) == pytest.approx(corpus[n - 1], abs=1e-9)
        np.testing.assert_allclose(bleu(statistics, n), captions[n - 1], rtol=0, atol=1e-9)


def check_rouge(items: list[tuple[Tokens, Tokens]]) -> None:
    from pycocoevalcap.rouge.rouge import Rouge

    _, captions = theirs(Rouge(), items)
    np.testing.assert_allclose(np.concatenate([rouge_l(*item) for item in items]), captions, rtol=0, atol=1e-9)


def check_cider(items: list[tuple[Tokens, Tokens]]) -> None:
    from pycocoevalcap.cider.cider import Cider

    corpus, captions = theirs(Cider(), items)
    known = frequencies(items)
    blocks = [cider_d_block(*item, known).mean(axis=1) for item in items]
    np.testing.assert_allclose(np.concatenate(blocks), captions, rtol=0, atol=1e-9)
    assert np.concatenate(blocks).mean() == pytest.approx(corpus, abs=1e-9)
    candidates, references = items[0]
    pooled = cider_d_pairs([*candidates, *references], known)
    np.testing.assert_allclose(pooled[: len(candidates), len(candidates) :].mean(axis=1), blocks[0], atol=1e-12)


@pytest.mark.parametrize("check", [check_bleu, check_rouge, check_cider])
def test_own_captions_equal_the_coco_evaluation(check: Any) -> None:
    check(OWN)


@needs_java
@pytest.mark.parametrize("name", WITH_CANDIDATES)
def test_real_captions_equal_the_coco_evaluation(name: str) -> None:
    found = list(sides(realdata(name)))[:300]
    items = [(tokenize(candidates[:2]), tokenize(references[:10])) for candidates, references in found]
    for check in (check_bleu, check_rouge, check_cider):
        check(items)


@needs_java
def test_published_values_of_the_coco_demo() -> None:
    items = [(tokenize(c), tokenize(r)) for c, r in sides(realdata("coco_fakecap_1000.jsonl"))]
    total = np.concatenate([bleu_statistics(*item) for item in items]).sum(axis=0)
    assert [round(float(bleu(total, n)), 3) for n in range(1, 5)] == [0.579, 0.404, 0.279, 0.191]
    assert round(float(np.mean([rouge_l(*item)[0] for item in items])), 3) == 0.396
    known = frequencies(items)
    assert round(float(np.mean([cider_d_block(*item, known).mean() for item in items])), 3) == 0.600


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_counts_by_a_slow_route(texts: Tokens) -> None:
    counts = count_words(texts, 4)
    arrays, names = encode(texts), {}
    for i in range(len(counts.prefix)):
        names[i] = (*names.get(int(counts.prefix[i]), ()), int(counts.last[i]))
    assert len(set(names.values())) == len(names)
    for k, t in itertools.product(range(4), range(len(texts))):
        here = slice(counts.indptr[k, t], counts.indptr[k, t + 1])
        expected = Counter(tuple(map(int, arrays[t][p : p + k + 1])) for p in range(len(texts[t]) - k))
        assert {names[int(i)]: int(c) for i, c in zip(counts.ids[here], counts.counts[here])} == expected
        assert (np.diff(counts.ids[here]) > 0).all()
        assert ((counts.ids[here] >= counts.starts[k]) & (counts.ids[here] < counts.starts[k + 1])).all()


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, st.lists(st.lists(st.sampled_from("ab"), max_size=9).map(tuple), min_size=2, max_size=4))
def test_sides_that_are_weighed_apart_have_the_numbers_of_both_together(
    one: Tokens, two: Tokens, known: Tokens
) -> None:
    """The frequencies are of "a" and "b" only, so both sides have n-grams that the frequencies lack."""
    found = DocumentFrequencies.fit([[text] for text in known])
    together = cider_d_pairs([*one, *two], found)[: len(one), len(one) :]
    assert np.array_equal(cider_d_block(one, two, found), together)


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.sampled_from([1, 2, 4]))
def test_bleu_pairs_are_bleu_of_one_reference(texts: Tokens, n: int) -> None:
    found = bleu_pairs(texts, n)
    for i, j in itertools.product(range(len(texts)), repeat=2):
        statistics = bleu_statistics([texts[i]], [texts[j]])[0]
        matched = (statistics[:n] > 0).all()
        assert found[i, j] == pytest.approx(float(bleu(statistics, n)) if matched else 0.0, abs=1e-8)


def slow_lcs(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i, j in itertools.product(range(len(a)), range(len(b))):
        table[i + 1, j + 1] = table[i, j] + 1 if a[i] == b[j] else max(table[i, j + 1], table[i + 1, j])
    return int(table[-1, -1])


@pytest.mark.parametrize("lengths", [(0, 1, 5), (63, 64, 65), (127, 128, 200)])
@pytest.mark.parametrize("letters", [2, 30])
def test_common_subsequences_at_the_edges_of_machine_words(lengths: tuple[int, ...], letters: int) -> None:
    random = np.random.default_rng(len(lengths) * letters)
    texts = [tuple(map(str, random.integers(0, letters, n))) for n in (*lengths, *lengths)]
    precision, recall = rouge_l_pairs(texts)
    sizes = np.array([max(len(text), 1) for text in texts])
    expected = np.array([[slow_lcs(a or ("",), b or ("",)) for b in texts] for a in texts])
    np.testing.assert_allclose(precision * sizes[:, None], expected, atol=1e-9)
    np.testing.assert_allclose(recall * sizes[None, :], expected, atol=1e-9)
    np.testing.assert_array_equal(rouge_l_block(texts[:2], texts[2:]), np.stack([precision, recall])[:, :2, 2:])


def test_a_carry_passes_through_a_machine_word_without_a_match() -> None:
    texts = [("x",) * 64 + ("y",) * 64 + ("x",) * 64, ("x",)]
    assert rouge_l_pairs(texts)[1, 0, 1] == 1
    assert rouge_l_pairs(texts)[0, 1, 0] == 1


def test_f_score_of_nothing_is_nothing() -> None:
    np.testing.assert_allclose(
        f_score(np.array([0.0, 1.0, 0.5]), np.array([0.0, 1.0, 0.25])), [0, 1, 2.44 * 0.125 / 0.97]
    )


def test_document_frequencies_count_items_and_survive_storage() -> None:
    items = [[("a", "b"), ("a", "b", "a")], [("b", "a")], [()]]
    known = DocumentFrequencies.fit(items)
    names: dict[int, tuple[str, ...]] = {}
    for i, (p, w) in enumerate(zip(known.prefix, known.last)):
        names[i] = (*names.get(int(p), ()), known.vocabulary[int(w)])
    found = {names[i]: int(f) for i, f in enumerate(known.frequency)}
    assert found == {("a",): 2, ("b",): 2, ("a", "b"): 1, ("b", "a"): 2, ("a", "b", "a"): 1}
    stored = DocumentFrequencies.from_arrays(known.to_arrays())
    assert stored.digest == known.digest
    assert stored.vocabulary == known.vocabulary
    assert DocumentFrequencies.fit(items[:2]).digest != known.digest
    assert DocumentFrequencies.fit([items[2], items[1], items[0]]).digest == known.digest


def test_cider_d_by_hand() -> None:
    known = DocumentFrequencies.fit([[("a", "b")], [("c",)], [("a",)], [("d",)]])
    texts = [("a", "b"), ("a", "x")]
    a, b, x = math.log(4 / 2), math.log(4), math.log(4)
    unigrams = a * a / math.hypot(a, b) / math.hypot(a, x)
    assert cider_d_pairs(texts, known)[0, 1] == pytest.approx(10 * unigrams / 4)
    assert cider_d_pairs(texts, known)[0, 0] == pytest.approx(5.0)  # two of four orders exist


def test_cider_d_of_a_single_item_is_undefined() -> None:
    known = DocumentFrequencies.fit([[("a", "b"), ("a",)]])
    assert known.undefined is not None
    assert "two sets of references or more" in known.undefined
    assert np.isnan(cider_d_pairs([("a",), ("b",)], known)).all()


def test_references_are_required() -> None:
    with pytest.raises(ValueError, match="needs at least one reference"):
        bleu_statistics([("a",)], [])
    with pytest.raises(ValueError, match="at least one item"):
        DocumentFrequencies.fit([])

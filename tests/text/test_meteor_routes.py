"""Test that compiled METEOR equals the jar on real captions, random texts, and texts with ties in the alignment."""

from __future__ import annotations

import importlib.util
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.text.meteor import LONGEST, Pair, aligner, data, score, statistics
from metrics.text.meteor.index import index
from metrics.text.meteor.normalise import words
from metrics.text.meteor.texts import java_hash, prepared
from tests.text.helpers import CANDIDATES, REFERENCES, WITH_CANDIDATES, needs_java, realdata

# Repeated words: which of two equal links is taken shows in the number of chunks, and in what is left for later words.
TIES = [
    ("x", "x x x"), ("h x", "x x"), ("x x", "x x x"), ("x y", "x y x y"), ("a b a", "b a b a"),
    ("a b c a", "a c b a a"),
    ("the cat the mat on the", "on the the mat cat the"), ("a a b b a b", "b a a b b a a"),
    ("a man on a bench with a dog", "a dog with a man on a bench"),
    ("big large huge big", "large big great large"), ("runs run running ran", "run ran runs runs"),
    ("a man and a man and a woman", "the woman and a man and a person"),
    ("of running the men on the big a dog ran top ran", "of of of a big the top red the dogs runs a"),
    ("dogs running runs of dog a red red ran ran on person", "the of top the dogs a a dogs person the the on"),
]  # fmt: skip
SIGNS = [
    "don't", "it's", "'s", "''", "``", "\u201cno\u201d", "\u2018x\u2019", "o'clock", "1990's", "a-b-c", "--",
    "-", "\u2013", "\u2014", "...", "..", "u.s.a.", "U.S.", "Mr.", "No.", "No. 5", "Art. x", "3.14", "1,000",
    "a,b", ",", "5,a", "e.g.", "?", "!!", "(x)", "a/b", "100%", "$5", "\xe9t\xe9", "\u4e2d\u6587", "\U0001f600",
    "\u0130x", "\u03a3\u0391\u03a3", "\xa0", "\u3000", "\u200b", "DOTMULTI", "DOTMULTI.", "DOTDOTMULTI", "x.y.",
    "B. C.", "end.", "\x01", "|", "|||", "l'\xe9t\xe9", "ca n\u2019t", "wait...what", "x. Y", "x. y", "feet",
    "went", "bodies", "running", "a lot of", "in front of", "next to", "the middle of",
]  # fmt: skip
WORDS = ["a", "the", "of", "man", "men", "person", "dog", "dogs", "runs", "running", "ran", "on", "top", "red", "big"]


def differences(pairs: list[Pair]) -> list[Pair]:
    ours, theirs = statistics(pairs), statistics(pairs, route="jar")
    np.testing.assert_array_equal(score(ours), score(theirs))
    return [pair for pair, same in zip(pairs, (ours == theirs).all(axis=1)) if not same]


def texts_of(source: random.Random, size: int) -> str:
    """Return random words, either a few that recur or many mixed with signs, with or without spaces between them."""
    some = source.sample(WORDS, 3) if source.random() < 0.5 else WORDS + SIGNS
    return source.choice([" ", " ", " ", ""]).join(source.choice(some) for _ in range(size))


def near(source: random.Random, text: str) -> str:
    parts = text.split(" ")
    for _ in range(source.randrange(4)):
        at = source.randrange(len(parts))
        parts[at : at + source.randrange(2)] = [source.choice([*parts, *WORDS])] * source.randrange(3)
        parts = parts or [""]
    source.shuffle(parts) if source.random() < 0.2 else None
    return " ".join(parts)


@needs_java
def test_ties_and_captions_equal_the_jar() -> None:
    texts = [text for group in (*CANDIDATES, *REFERENCES) for text in group]
    both = [*TIES, *((b, a) for a, b in TIES)]
    assert differences([*both, *((a, b) for a in texts for b in texts)]) == []


@needs_java
@pytest.mark.parametrize("seed", range(2))
def test_random_texts_equal_the_jar(seed: int) -> None:
    source = random.Random(seed)
    first = [texts_of(source, source.choice([0, 1, 2, 5, 9, 14, 25])) for _ in range(1_500)]
    second = [near(source, text) if source.random() < 0.6 else source.choice(first) for text in first]
    assert differences(list(zip(first, second))) == []


@needs_java
@pytest.mark.slow
def test_longest_texts_equal_the_jar() -> None:
    source = random.Random(1)
    some, many = [*WORDS, "x", "y"], [*WORDS, *(f"w{k}" for k in range(LONGEST))]
    pairs = [
        (" ".join(source.choices(WORDS, k=400)), " ".join(source.choices(some, k=size))) for size in (10, 150, 400)
    ]
    pairs += [(" ".join(source.choices(many, k=LONGEST)), " ".join(source.choices(many, k=LONGEST)))]
    assert differences(pairs) == []


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_CANDIDATES)
def test_real_captions_equal_the_jar(name: str) -> None:
    """Of a study with dozens of captions per image, 2,000 of the pairs are compared."""
    items = realdata(name)[:40]
    pairs = {
        pair
        for item in items
        for candidate in [text for texts in item["candidates"].values() for text in texts]
        for reference in item["references"][:6]
        for pair in ((candidate, reference), (reference, candidate), (reference, item["references"][0]))
    }
    assert differences(random.Random(0).sample(sorted(pairs), min(len(pairs), 2_000))) == []


MUTATIONS = [
    ("the distance is not counted", "key += abs(links[k, START] - links[k, OTHER_START])", "key += 0"),
    ("the distance is added before", "new = _offer(keys, order, found, new, key + _gain(links, k, last),",
     "new = _offer(keys, order, found, new, key + _gain(links, k, last) + abs(i - links[k, OTHER_START]),"),
    ("ties are broken by the younger", "while at > 0 and keys[at - 1] > key", "while at > 0 and keys[at - 1] >= key"),
    ("the beam is narrower", "BEAM = 40", "BEAM = 8"),
    ("chunks are not closed", "costs[rank] += (paths[rank, LAST] != -1) * CHUNK", "costs[rank] += 0"),
    ("inexact links weigh as much", "weight = 2 if links[k, MODULE] == EXACT else 1", "weight = 2"),
]  # fmt: skip


def mutant(folder: Path, old: str, new: str) -> Callable[..., Any]:
    """Return the aligner with one change in its source, not compiled."""
    source = Path(aligner.__file__).read_text(encoding="utf-8")
    assert source.count(old) == 1
    importing = "from metrics.mathematics.compiled import compiled"
    source = source.replace(old, new).replace(importing, "compiled = lambda same: same")
    path = folder / "mutant.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("mutant", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.align


def aligned(align: Callable[..., Any], pairs: list[Pair]) -> np.ndarray:
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vocabulary, ready, n = prepared(texts)
    numbers = np.array([[texts.index(text) for text in pair] for pair in pairs])
    return align(vocabulary, ready, numbers, np.zeros((n, 2), np.int32), np.zeros((n, 2), np.int32), 1 << 20)


@pytest.fixture(scope="module")
def tied() -> tuple[list[Pair], np.ndarray]:
    source = random.Random(3)
    first = [" ".join(source.choices("abc" * 3 + "xyz", k=source.choice([3, 6, 12, 16]))) for _ in range(60)]
    second = [near(source, text) if source.random() < 0.5 else source.choice(first) for text in first]
    more = [(" ".join(source.choices(WORDS, k=12)), " ".join(source.choices(WORDS, k=12))) for _ in range(60)]
    pairs = [*TIES, *zip(first, second), *more]
    return pairs, statistics(pairs, route="jar")


@needs_java
def test_without_compiler_it_is_the_same(tied: tuple[list[Pair], np.ndarray], tmp_path: Path) -> None:
    np.testing.assert_array_equal(aligned(mutant(tmp_path, "BEAM = 40", "BEAM = 40"), tied[0]), tied[1])


@needs_java
@pytest.mark.parametrize(("old", "new"), [change for _, *change in MUTATIONS], ids=[name for name, *_ in MUTATIONS])
def test_each_change_of_a_tie_shows(old: str, new: str, tied: tuple[list[Pair], np.ndarray], tmp_path: Path) -> None:
    (pairs, rows), changed = tied, mutant(tmp_path, old, new)
    assert any((aligned(changed, pairs[k : k + 20]) != rows[k : k + 20]).any() for k in range(0, len(pairs), 20))


def test_normalised_words() -> None:
    assert words("A man's dog, 1,000 miles... U.S.A. end. x.") == [
        "a", "man", "'s", "dog", ",", "1,000", "miles", "...", "usa", "end.", "x", ".",
    ]  # fmt: skip
    assert words("a-b-c \u201chi\u201d don't rock'n'roll 5's") == [
        "a", "b-c", '"', "hi", '"', "don", "'t", "rock", "'n'roll", "5", "'s",
    ]  # fmt: skip
    assert words("Mr. X and No. 5, No. six, no. 5") == [
        "mr.",
        "x",
        "and",
        "no.",
        "5",
        ",",
        "no.",
        "six",
        ",",
        "no",
        ".",
        "5",
    ]
    assert words(" \x00 \u00a0 ") == words("") == []


def test_facts_about_words() -> None:
    assert java_hash("hello") == 99162322
    assert java_hash("polygenelubricants") == -(1 << 31)
    found = index()
    assert set(found.synonyms("feet")) > set(found.synonyms("foot")) - set(found.synonyms("feet")) == set()
    assert set(found.synonyms("horses")) == set(found.synonyms("horse")) != set()
    assert found.synonyms("glass") != ()
    assert found.synonyms("qqqq") == found.synonyms("qqqqs") == ()
    assert found.word("qqqq") == 0 < found.word("man")
    assert {"the", "of", "a"} < data.function_words()
    assert "man" not in data.function_words()


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*WORDS, *SIGNS]), max_size=14), st.randoms(use_true_random=False))
def test_laws_of_pairs(parts: list[str], source: random.Random) -> None:
    text = " ".join(parts)
    other = near(source, text)
    rows = statistics([(text, text), (text, other), (other, text), (f"  {text} ", other), ("", text)])
    n = len(words(text))
    assert rows[0, [0, 1, 20, 21, 22]].tolist() == [n, n, 0, n, n]
    assert score(rows[0]) == (1 if n else 0)
    np.testing.assert_array_equal(rows[1], rows[3])
    assert (rows[1, :2] == rows[2, 1::-1]).all()
    assert ((score(rows) >= 0) & (score(rows) <= 1)).all()
    assert (rows[:, 4:20].reshape(-1, 8, 2).sum(axis=1) == rows[:, 21:23]).all()
    assert (rows[4, 2:3] == 0).all()
    assert score(rows[4]) == 0


def test_too_many_links_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics.text.meteor.pairs.LINKS", 10_000)
    reasons: dict[int, str] = {}
    rows = statistics([("a b", "b a"), ("!" * 200, "!" * 300), ("a", "a")], reasons=reasons)
    assert reasons == {1: "more than 10,000 links between words"}
    assert np.isnan(rows).all(axis=1).tolist() == [False, True, False]


def test_reasons_of_equal_pairs_are_those_of_each() -> None:
    long = "a " * (LONGEST + 1)
    reasons: dict[int, str] = {}
    rows = statistics([("a", long), ("b", "b"), ("a", long), ("b", "b")], reasons=reasons)
    assert sorted(reasons) == [0, 2]
    assert re.match(r"1,001 words: ", reasons[0])
    np.testing.assert_array_equal(rows[1], rows[3])

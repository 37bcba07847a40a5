"""Test transformations of captions: their laws, what each preserves, and transformations from plug-in files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from metrics.extensions import plugins
from metrics.laws.transformations import MATERIAL, transformation_violations
from metrics.transformations import TRANSFORMATIONS, Material, TransformationFaulty, nouns, transformed, vocabulary
from metrics.transformations.base import another, share
from tests.engine.test_plugins import run

CAPTION = ["A", "dog", "is", "running", "across", "the", "wet", "street", "near", "a", "sofa"]
WORDS = st.lists(st.text("abcAB.é狗", min_size=1, max_size=6), max_size=12)
STRENGTH = st.floats(0, 1)


def made(name: str, words: list[str], strength: float, seed: int = 0, material: Material = MATERIAL) -> list[str]:
    return transformed(TRANSFORMATIONS[name].prepare(material), words, strength, np.random.default_rng(seed))


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_the_laws_hold(name: str) -> None:
    assert transformation_violations(TRANSFORMATIONS[name]) == []
    one = TRANSFORMATIONS[name]
    assert one.signature == f"{name}|v1"
    assert all(text.strip() for text in (one.label, one.summary, one.source, type(one).__doc__ or ""))


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@given(words=WORDS, strength=STRENGTH, seed=st.integers(0, 99))
def test_any_caption_and_strength_gives_words(name: str, words: list[str], strength: float, seed: int) -> None:
    assert made(name, words, 0.0, seed) == words
    assert made(name, words, strength, seed) == made(name, words, strength, seed)


@given(words=WORDS, strength=STRENGTH, seed=st.integers(0, 99))
def test_what_each_one_keeps(words: list[str], strength: float, seed: int) -> None:
    found = {name: made(name, words, strength, seed) for name in TRANSFORMATIONS}
    moved = share(strength, len(words)) if len(words) > 1 else 0
    assert Counter(found["word_permutation"]) == Counter(words)
    assert sum(a != b for a, b in zip(found["word_permutation"], words)) <= moved
    assert sum(a != b for a, b in zip(found["random_words"], words, strict=True)) == share(strength, len(words))
    assert found["random_caption"] in [words, *map(list, MATERIAL.others)]
    assert found["repeated_clause"][: len(words)] == words
    assert found["repeated_clause"][len(words) :] == words[len(words) - share(strength, len(words)) :]
    left = iter(words)
    assert all(word in left for word in found["dropped_words"]), "what is left stands in its order"
    assert len(found["dropped_words"]) == len(words) - min(share(strength, len(words)), max(len(words) - 1, 0))
    assert [word.lower() for word in found["letter_case"]] == [word.lower() for word in words]
    assert all(abs(len(a) - len(b)) <= 1 for a, b in zip(found["typos"], words, strict=True))
    assert found["photo_prefix"][-len(words) or None :] == words or not words


def test_every_word_moves_in_a_whole_permutation() -> None:
    words = [f"w{k}" for k in range(9)]
    orders = {tuple(made("word_permutation", words, 1.0, seed)) for seed in range(200)}
    assert len(orders) > 190
    assert all(a != b for order in orders for a, b in zip(order, words))


def test_two_words_at_least_and_all_at_most() -> None:
    assert [share(strength, 10) for strength in (0, 0.001, 0.2, 0.25, 0.5, 1)] == [0, 2, 2, 3, 5, 10]
    assert (share(0.1, 1), share(0.1, 0), share(0.05, 40, least=1)) == (1, 0, 2)
    for strength, changed in ((0.05, 2), (0.5, 6), (1.0, 11)):
        assert sum(a != b for a, b in zip(CAPTION, made("random_words", CAPTION, strength))) == changed


def test_a_random_caption_is_of_the_nearest_share() -> None:
    others = tuple((f"caption{k}",) for k in range(20))
    drawn = {
        strength: {made("random_caption", CAPTION, strength, seed, Material(others))[0] for seed in range(400)}
        for strength in (0.01, 0.25, 1.0)
    }
    assert drawn == {0.01: {"caption0"}, 0.25: {f"caption{k}" for k in range(5)}, 1.0: {o[0] for o in others}}


def test_nouns_and_words_of_a_study() -> None:
    captions = [text.split() for text in ("A dog on a sofa.", "The big dog barks", "a white and black cat", "the cat")]
    assert nouns(captions) == ("cat", "dog", "sofa")
    assert nouns([*captions, ["a", "sofa", "bed"]]) == ("cat", "dog")
    assert vocabulary(captions) == ("a", "and", "barks", "big", "black", "cat", "dog", "on", "sofa", "the", "white")
    swapped = made("swapped_nouns", CAPTION, 1.0, material=Material(nouns=("dog", "sofa", "cat")))
    assert [k for k, (a, b) in enumerate(zip(swapped, CAPTION)) if a != b] == [1, 10]
    assert made("swapped_nouns", ["so", "it", "goes"], 1.0) == ["so", "it", "goes"]


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ("A dog is running", "A dog is not running"),
        ("A dog on a sofa", "there is no dog on a sofa"),
        ("Dogs", "there is no Dogs"),
    ],
)
def test_negation(said: str, denied: str) -> None:
    assert {" ".join(made("negation", said.split(), strength)) for strength in (0.01, 1)} == {denied}


def test_a_strength_beyond_1_is_refused() -> None:
    with pytest.raises(ValueError, match=r"is from 0 to 1, not 1\.5"):
        made("typos", CAPTION, 1.5)


def test_the_command_line_lists_them() -> None:
    code, said = run("list", "--transformations")
    assert code == 0
    assert all(name in said for name in TRANSFORMATIONS)
    assert "Cui et al. 2018, section 3.3" in said


PLUGIN = '''
from dataclasses import dataclass
from metrics import Transformation

@dataclass(frozen=True)
class Shout(Transformation):
    """Words in capitals."""
    marks: int = 1
    name, label, summary = "shout", "Shout", "Strength: the share of words in capitals."

    def transform(self, words, strength, rng):
        return [w.upper() + "!" * self.marks if rng.random() < strength else w for w in words]

TRANSFORMATIONS = (Shout(),)
'''


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    yield
    for one in plugins.loaded():
        plugins.unload(one)


def test_a_plugin_adds_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLUGIN)
    code, said = run("check-plugin", tmp_path / "mine.py")
    assert (code, said.rpartition(": ")[2]) == (0, "the laws of transformations hold\n")
    assert "shout|v1|marks:1|plugin:" in run("list", "--transformations", "--plugin", tmp_path / "mine.py")[1]
    made_plugin = plugins.load(tmp_path / "mine.py")
    assert TRANSFORMATIONS["shout"].signature == f"shout|v1|marks:1|plugin:{made_plugin.digest}"
    assert made("shout", ["a", "dog"], 1.0) == ["A!", "DOG!"]
    plugins.unload(made_plugin)
    assert "shout" not in TRANSFORMATIONS


RETURN = 'return [w.upper() + "!" * self.marks if rng.random() < strength else w for w in words]'


@pytest.mark.parametrize(
    ("change", "into", "why"),
    [
        ('"shout",', '"typos",', "line 9: Shout: the name typos is taken"),
        ('"Shout",', '"Typos",', "line 9: Shout: the label Typos is taken"),
        ('"shout",', '"Shout it",', "line 9: Shout: `name` must consist of lowercase letters"),
        ('"Strength: the share of words in capitals."', '""', "line 9: Shout: `summary` must be a text"),
        ("@dataclass(frozen=True)\n", "", "write @dataclass(frozen=True) above the class"),
        ("(Shout(),)", "(len,)", "TRANSFORMATIONS holds <built-in function len>, which is not a Transformation"),
        (RETURN, "return ' '.join(words)", "line 6: shout: shout gives a str, not a list of words"),
        (RETURN, "return [*words, 3]", "line 6: shout: shout gives a list with a int, not of words"),
        (RETURN, "return ['a b']", "shout gives the word 'a b', which is empty or holds a blank"),
        (RETURN, "return [w.upper() for w in words]", "strength 0 changes the caption"),
        (RETURN, "return words", "strength 1 changes no caption"),
        (RETURN, "return 1 / 0", "shout raises ZeroDivisionError: division by zero"),
        (RETURN, "words.reverse() if strength else 0\n        return words", "it changes the list of words"),
        (RETURN, "import random\n        return [w + str(random.random()) for w in words] if strength else words",
         "draw from `rng` alone"),
    ],
)  # fmt: skip
def test_a_faulty_plugin_is_refused_in_a_sentence(change: str, into: str, why: str, tmp_path: Path) -> None:
    assert change in PLUGIN
    (tmp_path / "mine.py").write_text(PLUGIN.replace(change, into))
    known = dict(TRANSFORMATIONS)
    code, said = run("check-plugin", tmp_path / "mine.py")
    assert code == 2
    assert why in said
    assert said.startswith("mine.py")
    assert "Traceback" not in said
    for one in plugins.loaded():
        plugins.unload(one)
    assert known == TRANSFORMATIONS


def test_what_a_faulty_one_gives_is_an_error_where_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLUGIN.replace(RETURN, "return None"))
    plugins.load(tmp_path / "mine.py")
    with pytest.raises(TransformationFaulty, match="shout gives a NoneType, not a list of words"):
        made("shout", CAPTION, 0.5)


def slow_another(words: Sequence[str], but: str, rng: np.random.Generator) -> str:
    """List all other words, and draw one of them; if there are none, return the word itself."""
    others = [word for word in words if word.lower() != but.lower()]
    return others[int(rng.integers(len(others)))] if others else but


@pytest.mark.parametrize("but", ["b", "B", "z", "a"])
def test_another_word_is_drawn_as_from_a_list_of_the_others(but: str) -> None:
    words = ("a", "b", "B", "c", "d", "b", "e")
    drawn = [[one(words, but, np.random.default_rng(k)) for k in range(4000)] for one in (another, slow_another)]
    assert drawn[0] == drawn[1]
    counts = Counter(drawn[0])
    others = [word for word in words if word.lower() != but.lower()]
    assert set(counts) == set(others)
    expected = {word: 4000 * others.count(word) / len(others) for word in counts}
    assert chisquare([counts[w] for w in expected], list(expected.values())).pvalue > 1e-3
    assert another(("x", "X"), "x", np.random.default_rng(0)) == "x"

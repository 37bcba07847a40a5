"""Word differences: every word of a caption is kept, and the marked words are those missing from the other caption."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.text.word_diff import Match, best_matches, diff, nearest

WORDS = st.lists(st.sampled_from(["a", "dog", "Dog", "cat", "runs", "fast,", "—", "犬", "رَجُل"]), max_size=9)


def own(pieces) -> list[str]:
    return [piece.text for piece in pieces if piece.own]


@given(st.text(max_size=40), st.text(max_size=40))
def test_pieces_give_back_the_captions(first: str, second: str) -> None:
    for text, pieces in zip((first, second), diff(first, second)):
        assert "".join(piece.text for piece in pieces) == text
        assert all(a.own != b.own for a, b in pairwise(pieces)), "neighbours of one kind are one piece"


@given(WORDS, WORDS)
def test_what_is_not_marked_is_the_same_on_both_sides(first: list[str], second: list[str]) -> None:
    pieces = diff(" ".join(first), " ".join(second))
    shared = [re.sub(r"[,—]", "", "".join(p.text for p in side if not p.own)).casefold().split() for side in pieces]
    assert shared[0] == shared[1]
    assert own(diff(" ".join(first), " ".join(first))[0]) == []


@pytest.mark.parametrize(
    ("first", "second", "marked"),
    [
        ("A brown dog runs.", "a dog sleeps.", (["brown", "runs"], ["sleeps"])),
        ("a red kite", "two big dogs", (["a red kite"], ["two big dogs"])),
        ("一只狗在草地上", "一只猫在草地上", (["狗"], ["猫"])),
        ("a kite, at dusk", "a kite at dusk!", ([], [])),
        ("one red, very old car", "one car", (["red, very old"], [])),
        ("the dog's ball", "the dog ball", (["dog's"], ["dog"])),
        ("café", "cafe\u0301 bar", (["café"], ["cafe\u0301 bar"])),
        ("\U0001f9d1\u200d\U0001f9d1 here", "here", (["\U0001f9d1\u200d\U0001f9d1"], [])),
        ("", "a dog", ([], ["a dog"])),
    ],
)
def test_words_that_only_one_caption_has(first: str, second: str, marked: tuple[list[str], list[str]]) -> None:
    assert tuple(own(side) for side in diff(first, second)) == marked


def test_very_long_captions_are_told_apart_by_their_words() -> None:
    first, second = "word " * 800 + "new", "word " * 800 + "old"
    assert [own(side) for side in diff(first, second)] == [["new"], ["old"]]


def test_matches_are_the_nearest_pairs_each_caption_once() -> None:
    first = ["a dog runs", "a cat sits", "the sea"]
    second = ["a cat sleeps", "a dog runs", "a dog runs fast", "boats"]
    assert best_matches(first, second, 2) == [Match(0, 2, 6 / 7), Match(1, 0, 4 / 6)]
    assert len(best_matches(first, second, 9)) == 3
    assert best_matches(["same"], ["same"], 3) == []
    assert best_matches([], ["x"], 3) == []


def test_the_nearest_caption_is_the_same_one_if_there_is_one() -> None:
    by_people = ["Two dogs in snow.", "a DOG runs on grass", "A dog runs on grass, fast."]
    assert nearest("A dog runs on grass.", by_people) == "a DOG runs on grass"
    assert nearest("nothing alike", by_people) == "Two dogs in snow."

"""Test that captions are split into words without loss, in any script, and which caption is nearest to another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.text.split_words import is_word, nearest, tokens


@given(st.text(max_size=40))
def test_the_tokens_are_the_caption(text: str) -> None:
    assert "".join(tokens(text)) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("one red, very old car", ["one", "red", "very", "old", "car"]),
        ("一只狗", ["一", "只", "狗"]),
        ("the dog's ball — here!", ["the", "dog's", "ball", "here"]),
        ("cafe\u0301 bar", ["cafe\u0301", "bar"]),
        ("رَجُل", ["رَجُل"]),
        ("\U0001f9d1\u200d\U0001f9d1 here", ["\U0001f9d1\u200d\U0001f9d1", "here"]),
        ("", []),
    ],
)
def test_words_are_told_from_spaces_and_punctuation(text: str, words: list[str]) -> None:
    assert [token for token in tokens(text) if is_word(token)] == words


def test_the_nearest_caption_is_the_same_one_if_there_is_one() -> None:
    by_people = ["Two dogs in snow.", "a DOG runs on grass", "A dog runs on grass, fast."]
    assert nearest("A dog runs on grass.", by_people) == "a DOG runs on grass"
    assert nearest("nothing alike", by_people) == "Two dogs in snow."

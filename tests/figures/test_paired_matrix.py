"""Test the names beside the matrix of all pairs on a phone: they fit, and names that are cut are given in full."""

from __future__ import annotations

import pytest

from figures.paired.matrix import NARROW_LEFT, cut_names, shown_name
from figures.style.text_width import text_width

LONG = ["a-very-long-name-of-model-one", "a-very-long-name-of-model-two", "W" * 30]


@pytest.mark.parametrize("name", [*LONG, "Oracle · greedy", "模型" * 12])
def test_a_name_ends_before_the_squares(name: str) -> None:
    said = shown_name(name, [*LONG, name], narrow=True)
    assert text_width(said, 10) <= NARROW_LEFT - 37
    assert said == name or "…" in said


def test_what_is_cut_is_listed_in_full_by_the_number_of_its_row() -> None:
    assert cut_names(["Oracle · greedy", *LONG]) == [(2, LONG[0]), (3, LONG[1]), (4, LONG[2])]
    assert cut_names(["Oracle · greedy", "Peaked · 1.0"]) == []
    one, two = (shown_name(name, LONG, narrow=True) for name in LONG[:2])
    assert one != two, "names that begin alike stay apart"

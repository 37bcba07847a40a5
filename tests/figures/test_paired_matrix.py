"""Test the names beside the matrix of all pairs: they fit, and names that a phone cuts are given in full."""

from __future__ import annotations

import numpy as np
import pytest

from data.study import Run, Settings
from figures.paired.matrix import NARROW_LEFT, Matrix, cut_names, lettered, shown_name, width
from figures.style.text_width import text_width
from metrics.registry import METRICS

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


def test_many_runs_fit_a_page_without_letters_that_nobody_can_read() -> None:
    names, metric = [f"a-model-with-a-name-{k} · T 1.0 · seed 1" for k in range(40)], METRICS["cider_d"]
    runs = tuple(Run(name, "m", Settings(), {}) for name in names)
    none = np.full((40, 40), np.nan)
    few, many = (Matrix(metric, runs, none, none, none, none, (letters,) * 40) for letters in ("ab", "a" * 40))
    assert (lettered(few), lettered(many)) == (True, False)
    assert max(width(few, names), width(many, names)) <= 1010

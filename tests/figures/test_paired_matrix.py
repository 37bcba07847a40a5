"""Test the names beside the matrix of all pairs: they fit, and names that are cut on a phone are given in full."""

from __future__ import annotations

import numpy as np
import pytest

from data.study import Run, Settings, Study
from figures.paired.matrix import NARROW_LEFT, Matrix, cut_names, lettered, matrix_figure, shown_name, width
from figures.style.palette import styles_of
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


@pytest.mark.parametrize("n", [4, 20])
def test_many_runs_fill_one_half_and_draw_no_circles(n: int) -> None:
    runs = tuple(Run(f"run {k}", "m", Settings(), {}) for k in range(n))
    gaps = np.arange(n)[None, :] - np.arange(n)[:, None]
    p = np.where(np.abs(gaps) > 1, 0.01, 0.4)
    np.fill_diagonal(p, np.nan)
    found = Matrix(METRICS["cider_d"], runs, gaps / n, p, p, p, ("",) * n)
    style = Study("s", (), runs)
    figure = matrix_figure(found, [run.name for run in runs], [styles_of(style)["m"]] * n, "light")
    circles = [trace for trace in figure.data if trace.name == "no difference detected"]
    below, pairs = np.tril(np.array(figure.data[0].z)), len(figure.data[-1].x)
    assert (bool(circles), below.any(), pairs) == ((True, True, n * (n - 1)) if n == 4 else (False, False, 190))
    assert (np.triu(np.array(figure.data[0].z), 2) > 0.1)[np.triu_indices(n, 2)].all()

"""Test the matrix of metrics by its numbers, signs, names and colours, and that its verdict is rarely wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

from figures.agreement import words
from figures.agreement.matrix import Cells, matrix
from figures.agreement.pair import scatter
from figures.style.palette import Mode
from figures.unique_correct.heatmaps import luminance
from metrics.analysis.agreement.matrix import agreement, ends, telling_pair
from metrics.analysis.agreement.observations import Observations
from tests.studies import study as random_study


def cells(count: int, chosen: tuple[str, str] | None) -> Cells:
    keys = [f"m{k}" for k in range(count)]
    values = np.corrcoef(np.random.default_rng(0).normal(size=(count, 30)))
    return Cells(keys, keys, values, np.full((count, count), 30), chosen)


@pytest.mark.parametrize(
    ("count", "narrow", "every"),
    [(7, True, True), (10, True, True), (11, True, False), (14, False, True), (40, False, False)],
)
def test_cells_without_room_have_no_number_though_one_is_chosen(count: int, narrow: bool, every: bool) -> None:
    shown = cells(count, ("m2", "m5"))
    (numbers,) = (trace for trace in matrix(shown, "light", narrow).data if trace.type == "scatter")
    told = {tuple(keys): text for keys, text in zip(numbers.customdata, numbers.text) if text}
    negative = {
        (a, b) for i, a in enumerate(shown.keys) for j, b in enumerate(shown.keys[:i]) if shown.values[i, j] < -0.005
    }
    assert negative == {pair for pair, text in told.items() if text.startswith("\u2212")} != set()
    if every:
        assert len(told) == count * (count - 1) / 2
    else:
        assert set(told.values()) == {"\u2212"}, "the number of the chosen pair stands beside the points"


@pytest.mark.parametrize(("count", "narrow"), [(6, False), (6, True), (12, False)])
def test_names_stand_on_the_diagonal_whole_and_end_within_the_figure(count: int, narrow: bool) -> None:
    labels = ["MiniLM similarity"] * count
    shown = cells(count, None)
    figure = matrix(Cells(shown.keys, labels, shown.values, shown.n), "light", narrow)
    assert [(one.text, one.y) for one in figure.layout.annotations] == [(labels[0], k) for k in range(count)]
    assert figure.layout.margin.r > 6.4 * len(labels[0]), "the last name begins at the last cell"


def test_each_pair_is_one_cell_with_its_own_value_and_the_chosen_one_is_framed_in_either_order() -> None:
    shown = cells(6, ("m2", "m4"))
    figure = matrix(shown, "light")
    drawn = {(i, j): value for i, row in enumerate(figure.data[0].z) for j, value in enumerate(row) if value == value}
    assert drawn == {(i, j): shown.values[i, j] for i in range(6) for j in range(i)}
    assert {(frame.x0, frame.x1, frame.y0, frame.y1) for frame in figure.layout.shapes} == {(1.5, 2.5, 3.5, 4.5)}
    assert matrix(cells(6, ("m4", "m2")), "light").layout.shapes == figure.layout.shapes


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_scale_has_more_ink_for_more_alike_and_its_end_below_zero_is_lighter_than_that_above(mode: Mode) -> None:
    figure = matrix(cells(5, None), mode)
    colours = [str(colour) for _, colour in figure.data[0].colorscale]
    light = [luminance([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) for colour in colours]
    apart = [abs(one - light[len(light) // 2]) for one in light]
    middle = len(light) // 2
    assert apart[middle:] == sorted(apart[middle:])
    assert apart[middle::-1] == sorted(apart[: middle + 1])
    # In grey, too, red is between paper and ink: a strong value looks strong, whatever its sign.
    assert 0.25 * apart[-1] < apart[0] < apart[-1]


def test_a_page_opens_on_the_pair_that_the_verdict_cites_and_on_no_wall() -> None:
    rng = np.random.default_rng(0)
    line = rng.normal(size=200)
    values = np.stack([line, line + 0.3 * rng.normal(size=200), line + 0.4 * rng.normal(size=200), np.maximum(line, 1)])
    none = np.zeros(200, dtype=int)
    found = Observations("captions", tuple("abcd"), values, none, np.arange(200), np.arange(200), none)
    both = agreement(found)
    low, _ = ends(found, both, "spearman")
    assert found.walls == [False, False, False, True]
    assert telling_pair(both.spearman, low, found.walls, [False] * 4) == (1, 2)
    assert telling_pair(both.spearman, low, found.walls, [False, False, True, False]) == (0, 1)


def of_captions(values: np.ndarray, items: int, lengths: Sequence[bool] = ()) -> list[str]:
    """Return the sentence about m metrics with these values (m, n), for n captions of `items` images."""
    m, n = values.shape
    at = np.arange(n)
    found = Observations("captions", tuple("abcdefgh"[:m]), values, at * 0, at % items, at, at * 0)
    both = agreement(found)
    names = [f"M{k}" for k in range(m)]
    between, study = ends(found, both, "spearman"), random_study(items=items)
    return words.verdict(both.spearman, between, names, "captions", study, (), lengths)


@pytest.mark.parametrize("items", [3, 5])
def test_few_images_say_of_no_metrics_that_they_agree_or_say_the_opposite(items: int) -> None:
    """The number of captions does not matter, since the captions of an image are not independent evidence."""
    line = np.arange(30.0)
    said = "".join(of_captions(np.stack([line, line, -line, line**2]), items))
    assert said == "There are too few captions to show which metrics agree."


def test_what_is_sure_is_said_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    line = rng.normal(size=300)
    other = rng.normal(size=300)
    said = "".join(of_captions(np.stack([line, line + 0.3 * rng.normal(size=300), -line, other]), 300))
    assert "M0 and M1 agree closely on captions: 0.9" in said
    assert said.startswith("M0 and M1 agree closely")
    assert "contradict each other: -" in said.replace("−", "-")
    apart = "".join(of_captions(np.stack([line, line + 0.3 * rng.normal(size=300), other]), 300))
    assert apart.startswith("M0 and M1 agree closely on captions: ")
    assert apart.endswith(". M2 agrees closely with no other metric.")
    few = "".join(of_captions(np.stack([line, line + 0.3 * rng.normal(size=300), other])[:, :12], 12))
    assert "M0 and M1 agree on captions: 0.87 (0.48 to" in few, "the interval begins below 0.7"
    length = "".join(of_captions(np.stack([line, line + 0.3 * rng.normal(size=300), other]), 300, (False, False, True)))
    assert "M2" not in length, "it is no news that a length stands apart"


def test_metrics_that_have_nothing_in_common_are_rarely_said_to() -> None:
    """In most studies, some of the 28 pairs of eight random metrics correlate at .7 over 10 images."""
    said = ["".join(of_captions(np.random.default_rng(k).normal(size=(8, 10)), 10)) for k in range(100)]
    assert sum(
        bool(re.search("agree (closely )?on", one)) or "contradict" in one for one in said
    ) <= 100 * 0.05 + 3 * np.sqrt(100 * 0.05 * 0.95)


def test_marked_points_stand_at_their_values_however_rare_these_are() -> None:
    """When nearly all values were 0, as they may be for BLEU-4, all points and rings were once at the edge of the
    axis.
    """
    values, none = np.zeros((2, 400)), np.zeros(400, dtype=int)
    values[0, 7], values[0, 8], values[1] = 0.8, 0.3, np.linspace(0, 1, 400)
    found = Observations("captions", ("one", "other"), values, none, np.arange(400), np.arange(400), none)
    figure = scatter(found, 0, 1, ("one", "other"), [8], "light")
    assert list(figure.data[1].x) == [0.3]
    assert figure.data[0].x[7] == 0.3, "others beyond it are at the edge"
    assert figure.layout.xaxis.range[1] > 0.3

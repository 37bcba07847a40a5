"""Test that the texts above the axis of a paired comparison never overlap, and share a line if there is room."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest

from figures.paired.effects import HALF, Sides, beyond, effects, span
from figures.paired.forest import ForestRow
from figures.style.palette import ModelStyle
from figures.style.text_width import text_width

PLOT, MARGIN, PHONE = 728, 128, 330
"""Widths in px: of the plot on a laptop, of the space to its left, and of the plot on a phone."""
NAMES = [("a", "b"), ("Oracle · top-p 0.8", "Peaked · T 0.3"), ("m" * 30, "a model of a very long name and more")]


def spans(names: tuple[str, str], value: float, means: str, narrow: bool) -> dict[str, tuple[float, float, float]]:
    """Return the left end, right end and height, in px, of each text above the axis, by its name.

    In a wide figure, only the texts in the lowest line are returned.
    """
    line = ForestRow(
        "key", "metric", value, value - 0.1, value + 0.1, True, means, (3, 1, 2), "+1", "0.01", family="quality"
    )
    figure = effects([line], Sides(names, (ModelStyle(0), ModelStyle(1))), "light", narrow)
    low, high = figure.layout.xaxis.range
    width, axis = (PHONE, PHONE) if narrow else (PLOT, PLOT * figure.layout.xaxis.domain[1])
    found = {}
    for one in figure.layout.annotations:
        if one.yref != "paper" or (one.yshift != 4 and not narrow):
            continue
        text = re.sub("<[^>]+>", "", one.text)
        wide = text_width(text) * (1.06 if "<b>" in one.text else 1)
        at = one.x * width if one.xref == "paper" else (one.x - low) / (high - low) * axis
        start = at + (one.xshift or 0) - (wide if one.xanchor == "right" else 0)
        found[text] = (start, start + wide, one.yshift)
    return found


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("means", ["better", "more varied"])
@pytest.mark.parametrize("value", [-50.0, -1.0, 0.0, 0.4, 50.0])
def test_no_words_above_the_axis_lie_over_others(
    names: tuple[str, str], narrow: bool, means: str, value: float
) -> None:
    found = spans(names, value, means, narrow)
    assert len(found) == (2 if narrow else 4)
    for (one, (left, right, high)), (other, (start, end, level)) in itertools.combinations(found.items(), 2):
        assert right <= start or end <= left or abs(high - level) >= 16, (one, other)
    assert min(left for left, _, _ in found.values()) >= (0 if narrow else -MARGIN), "nothing is cut at the left"
    assert max(right for _, right, _ in found.values()) <= (PHONE if narrow else PLOT)


@pytest.mark.parametrize("narrow", [False, True])
def test_names_that_fit_are_whole(narrow: bool) -> None:
    assert set(spans(NAMES[1], 0.0, "better", narrow)) >= {"Oracle · top-p 0.8 better →", "← Peaked · T 0.3 better"}


def test_nine_metrics_take_less_than_six_inches_of_a_column_and_no_line_overlaps_another() -> None:
    lines = [
        ForestRow(f"{k}", f"m{k}", 1.0, 0.9, 1.1, True, "", (3, 1, 2), "+1", "0.01", family="quality") for k in range(9)
    ]
    figure = effects(lines, Sides(("a", "b"), (ModelStyle(0), ModelStyle(1))), "light", True)
    assert figure.layout.height < 6 * 96
    heights = sorted({one.y for one in figure.layout.annotations if one.yref != "paper"})
    assert min(b - a for a, b in itertools.pairwise(heights)) >= 14
    bars = [bar.y[0] - HALF for bar in figure.data if bar.type == "bar"]
    above = [max(y for y in heights if y < top) for top in bars]
    assert min(top - y for top, y in zip(bars, above)) >= 11, "no line hides the top of a bar"
    below = [min(y for y in heights if y > top + HALF) for top in bars]
    assert min(y - top for top, y in zip(bars, below)) >= 2 * HALF + 8, "nor its foot"


def test_a_row_without_a_better_side_does_not_squeeze_the_others() -> None:
    """A difference of three standard deviations in caption length once left only a quarter of the axis to the
    others.
    """
    quality = ForestRow("q", "METEOR", 0.5, 0.2, 0.8, counts=(3, 0, 1), family="quality")
    long = replace(quality, key="l", name="Caption length", value=-3.3, low=-4.0, high=-2.6, means="longer")
    low, high = span([quality, long])
    assert -0.5 < low < -0.2
    assert high == pytest.approx(span([quality])[1], abs=0.1)
    figure = effects([quality, long], Sides(("A", "B"), (ModelStyle(0), ModelStyle(1))), "light")
    mark = next(trace for trace in figure.data if trace.type == "scatter" and trace.customdata == ("l",))
    assert (mark.marker.symbol, mark.x[0]) == ("triangle-left", low)
    assert all(low <= x <= high for trace in figure.data if trace.xaxis in (None, "x") for x in trace.x)
    assert beyond([quality, long])
    assert not beyond([quality])
    assert span([long])[0] < -4.0, "alone, it has the whole axis"

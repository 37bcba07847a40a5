"""The map of the power to tell two runs apart, and the key of the curves on paper."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from figures.sensitivity.curve import Curves, Line, p_curve
from figures.sensitivity.power import LOW, MANY, ROW, power_map
from metrics.analysis.sensitivity.power import Power


@pytest.mark.parametrize("rows", [1, MANY, MANY + 1, 13])
def test_a_map_of_many_references_stays_on_one_screen(rows: int) -> None:
    sizes = tuple(range(1, rows + 1))
    made = SimpleNamespace(
        references=SimpleNamespace(sizes=sizes), candidates=(2,), items=(50, 100, 200), has=100, draws=9
    )
    found = cast(Power, SimpleNamespace(design=made, share=np.full((rows, 1, 3), 0.5)))
    figure = power_map(found, 2, "light")
    plot = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    assert plot == rows * (ROW if rows <= MANY else LOW)
    assert plot <= 340
    assert len([one for one in figure.layout.annotations if one.text == "50"]) >= 3 * rows


def test_the_key_on_paper_shows_the_marks_of_the_lines_filled_only_for_the_chosen_one() -> None:
    lines = tuple(Line(name, name, (2, 3), (0.2, 0.1), (0.1, 0.05), (0.3, 0.2)) for name in ("first", "second"))
    for chosen, mark in ((None, "○"), ("second", "○"), ("first", "●")):
        figure = p_curve(Curves(lines, None, ((2, 0.05), (3, 0.01))), chosen, "light", narrow=True)
        assert f"{mark} first" in [note.text for note in figure.layout.annotations]
        drawn = next(trace for trace in figure.data if trace.name == "first")
        assert (drawn.marker.color == drawn.line.color) == (mark == "●")

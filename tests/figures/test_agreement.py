"""The matrix of metrics: every number where there is room, else that of the chosen pair."""

from __future__ import annotations

import numpy as np
import pytest

from figures.agreement.matrix import Cells, matrix


def cells(count: int, chosen: tuple[str, str] | None) -> Cells:
    keys = [f"m{k}" for k in range(count)]
    values = np.corrcoef(np.random.default_rng(0).normal(size=(count, 30)))
    return Cells(keys, keys, values, np.full((count, count), 30), chosen)


@pytest.mark.parametrize(
    ("count", "narrow", "every"), [(7, True, True), (8, True, False), (14, False, True), (40, False, False)]
)
def test_cells_without_room_have_no_number_though_one_is_chosen(count: int, narrow: bool, every: bool) -> None:
    shown = cells(count, ("m2", "m5"))
    (numbers,) = (trace for trace in matrix(shown, "light", narrow).data if trace.type == "scatter")
    told = {tuple(keys): text for keys, text in zip(numbers.customdata, numbers.text) if text}
    if every:
        assert len(told) == count * (count - 1)
    else:
        assert told == {}, "that of the chosen pair stands beside the points"

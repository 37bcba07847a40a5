"""Test the marks of many runs on the Data page."""

from __future__ import annotations

import re

from figures.dataset.spread import Line, spread


def test_each_run_has_a_mark_where_its_value_is_and_the_ends_are_named() -> None:
    shown = spread(["a<b", "c", "d"], [Line("Words", [2.0, 10.0, 4.0], "%.1f")])
    assert [float(x) for x in re.findall(r"left:([\d.]+)%", shown)] == [0.0, 100.0, 25.0]
    assert "<span>2.0 a&lt;b</span><span>10.0 c</span>" in shown


def test_equal_and_unknown_values_have_no_line() -> None:
    nan = float("nan")
    assert spread(["a", "b"], [Line("Words", [2.0, 2.01], "%.1f"), Line("Rating", [nan, nan], "%.2f")]) == ""

"""Test the table of an item's values: bars are to scale, the best value is bold, and names are only text."""

from __future__ import annotations

import re

import numpy as np

from figures.images.contact_sheet import card
from figures.images.values_table import MetricColumn, RunValues, values_table


def table(*columns: tuple[MetricColumn, list[float]]) -> str:
    names = ("<b>a</b>", "b", "c")
    rows = [RunValues(name, "#123456", [of[k] for _, of in columns]) for k, name in enumerate(names)]
    return values_table(rows, [column for column, _ in columns])


def widths(said: str) -> list[float]:
    return [float(width) for width in re.findall(r"--w:([\d.]+)", said)]


def test_bars_are_shares_of_the_largest_value_and_the_best_is_bold() -> None:
    said = table((MetricColumn("CIDEr-D", "higher is better", True), [0.5, 2.0, np.nan]))
    assert widths(said) == [0.25, 1.0]
    assert re.findall(r"<td><b>([\d.]+)", said) == ["2.000"]
    assert "–</span></td>" in said
    lower = table((MetricColumn("TRM", "lower is better", False), [0.5, 2.0, 1.0]))
    assert re.findall(r"<td><b>([\d.]+)", lower) == ["0.500"]
    assert widths(lower) == [], "the worst value would have the longest bar"
    lone = table((MetricColumn("CIDEr-D", "higher is better", True), [0.5, np.nan, np.nan]))
    assert widths(lone) == [], "the only value would have the longest bar"
    rated = table((MetricColumn("ratings", "higher is better", True, low=1.0, high=5.0), [1.0, 5.0, 2.0]))
    assert widths(rated) == [0.0, 1.0, 0.25], "a scale from 1 to 5"


def test_all_captions_of_a_row_are_shown_once_with_their_scores() -> None:
    row = RunValues("a", "#123456", [0.5], ("one\n* two", "three", "three"), {"three": "0.25"}, "<i>mark</i>")
    said = values_table([row], [MetricColumn("x", "y")], "each by x")
    assert "a<i>mark</i></th>" in said
    assert re.search(r">three</q> <em>×2</em> <em>0.25</em><br><q[^>]*>one\n\* two</q></td>", said)
    assert "<b>Caption</b><small>each by x</small>" in said


def test_no_value_is_bold_without_a_better_side_or_if_it_is_shared() -> None:
    assert "<td><b>" not in table((MetricColumn("length", "longer", None), [1.0, 2.0, 3.0]))
    assert "<td><b>" not in table((MetricColumn("x", "higher is better", True), [2.0, 2.0, 1.0]))
    assert "<td><b>" not in table((MetricColumn("x", "higher is better", True), [2.0, np.nan, np.nan]))


def test_values_below_zero_have_no_bar() -> None:
    assert widths(table((MetricColumn("x", "higher is better", True), [-0.5, 2.0, 1.0]))) == []


def test_what_is_computed_and_what_chance_gives_are_said() -> None:
    column = MetricColumn("x", "higher is better", True, {1}, {0: (0.1, 0.2)})
    said = table((column, [0.5, np.nan, np.nan]))
    assert said.count("computing") == 1
    assert said.count("–</span>") == 1
    assert "<small>chance 0.100 to 0.200</small>" in said


def test_names_are_text() -> None:
    assert "&lt;b&gt;a&lt;/b&gt;" in table((MetricColumn("x", "y"), [1.0, 2.0, 3.0]))


def test_a_card_says_people_s_caption_once() -> None:
    people = ["a <b> dog in a park", "two dogs"]
    named = card("a <b> dog in…", "?image=1", "", people, [], None)
    assert '<b dir="auto">a &lt;b&gt; dog in a park</b>' in named
    assert "People" not in named
    assert "People" in card("Dogs", "?image=1", "", people, [], None)
    assert "People" not in card("Dogs", "?image=1", "data:,", people, [], None)
    assert "dog in…<" in card("a <b> dog in…", "?image=1", "data:,", people, [], None), "beside a picture, short"

"""Test the dot plot of central captions with many runs."""

from __future__ import annotations

import math

import pytest

from figures.central import standings
from figures.style.palette import ModelStyle


def rows(n: int, name: str = "run") -> list[standings.Standing]:
    return [
        standings.Standing(f"{k}", f"{name} {k}", ModelStyle(0), 1 + k / 100, 1.0, 1.1 + k / 100, 9) for k in range(n)
    ]


@pytest.mark.parametrize("narrow", [False, True])
def test_the_middle_of_many_runs_is_in_the_table_alone(narrow: bool) -> None:
    name = "the run of a long name" if narrow else "run"
    figure = standings.standings(rows(40, name), "light", narrow=narrow)
    assert [trace.customdata[0][0] for trace in figure.data] == [*map(str, range(6)), *map(str, range(36, 40))]
    said = [note.text for note in figure.layout.annotations]
    assert "⋮ 30 more" in said
    assert f"{name} 6" not in said
    assert standings.left_out(rows(40)) == "The 6 nearest and 4 farthest of 40; the table has all."
    assert figure.layout.height < standings.standings(rows(standings.MANY, name), "light", narrow=narrow).layout.height
    over = next(note for note in figure.layout.annotations if note.text == "people's own")
    assert (over.xanchor == "left") == narrow, "it is not cut at the edge of a phone"


def test_runs_without_a_value_are_not_drawn_as_the_farthest() -> None:
    none = [
        standings.Standing(f"none {k}", f"none {k}", ModelStyle(0), math.nan, math.nan, math.nan, 0) for k in range(4)
    ]
    drawn = [trace.customdata[0][0] for trace in standings.standings([*rows(30), *none], "light").data]
    assert drawn == [*map(str, range(6)), *map(str, range(26, 30))]
    assert standings.left_out([*rows(30), *none]) == "The 6 nearest and 4 farthest of 30; the table has all."
    few = [*rows(standings.MANY), *none]
    assert standings.left_out(few) == ""
    assert len(standings.standings(few, "light").data) == standings.MANY


def test_paper_and_figures_of_few_runs_have_all() -> None:
    assert len(standings.standings(rows(40), "light", 500.0).data) == 40
    assert len(standings.standings(rows(standings.MANY), "light").data) == standings.MANY
    assert standings.left_out(rows(standings.MANY)) == ""

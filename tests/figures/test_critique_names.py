"""Test the names above the marks of a row: each can be read and has its own line to its mark."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from figures.critique.names import LETTER, placed

WIDTH = 380.0
MARKS = st.lists(st.tuples(st.floats(0, WIDTH), st.text("x", min_size=3, max_size=28)), min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(MARKS)
def test_no_name_covers_another_or_the_line_of_another(marks: list[tuple[float, str]]) -> None:
    at, names = [x for x, _ in marks], [name for _, name in marks]
    found = placed(at, names, WIDTH)
    boxes = [
        (x - LETTER * len(name), x) if place.leftward else (x, x + LETTER * len(name))
        for x, name, place in zip(at, names, found)
    ]
    for i, (one, box) in enumerate(zip(found, boxes)):
        for k, (other, beside) in enumerate(zip(found, boxes)):
            if i != k and one.tier == other.tier:
                assert box[1] <= beside[0] or beside[1] <= box[0]
            if one.tier < other.tier:
                assert not box[0] < at[k] < box[1], "the line of the higher name runs through the lower"


def test_names_take_few_tiers_and_stay_in_the_plot() -> None:
    assert [place.tier for place in placed([20, 300], ["people", "the run"], WIDTH)] == [0, 0]
    crowded = placed([375, 372, 4], ["captions of other images", "shuffled words", "random words"], WIDTH)
    assert [place.leftward for place in crowded] == [True, True, False]
    assert sorted(place.tier for place in crowded) == [0, 0, 1]

"""Test label placement: no label covers another, lines avoid obstacles, and required labels are shown."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from figures.style.label_placement import WIDTHS, Boxes, Label, cheapest, place

labels = st.lists(
    st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.sampled_from(["1", "0.7", "T 0.3", "a run"])),
    min_size=1,
    max_size=25,
)


@given(labels)
@settings(deadline=None, max_examples=25)
def test_optional_labels_never_cover_each_other(rows):
    """At each width, labels are inside the plot, and no two of them overlap by 25 square pixels or more."""
    height = 496.0
    wanted = [Label(x, y, text) for x, y, text in rows]
    places = place(wanted, Boxes(height))
    for width in WIDTHS:
        boxes = [
            (label.x * width + at.dx, label.y * height + at.dy, label.width)
            for label, at in zip(wanted, places)
            if at is not None
        ]
        for (x1, y1, w1), (x2, y2, w2) in itertools.combinations(boxes, 2):
            across, along = (w1 + w2) / 2 - abs(x1 - x2), 15 - abs(y1 - y2)
            assert max(across, 0) * max(along, 0) < 25
        assert all(x - w / 2 > -1 and x + w / 2 < width + 1 for x, _, w in boxes)


def test_no_label_lies_on_the_line_of_another():
    """A number is to the left of the line to a name; without the line, it would be to the right of its mark."""
    boxes, half = Boxes(496, (600,)), np.array([0.5])
    name, number = Label(0.5, 0.5, "a run", must=True), Label(286 / 600, (248 + 59) / 496, "1")
    for above, high in ((-100, 260), (48, 6)):
        boxes.add(half, half + above / 496, 600, high)
    alone, (named, moved) = place([number], Boxes(496, (600,))), place([name, number], boxes)
    assert named is not None
    assert alone[0] is not None
    assert moved is not None
    assert (named.far, named.dx, named.dy > 70, alone[0].dx > 10) == (True, 0, True, True)
    assert abs(286 + moved.dx - 300) > number.width / 2


def test_a_line_is_not_drawn_along_the_bars_of_its_point() -> None:
    """If all nearby places are taken and the point has bars, the line to its label is slanted."""
    for x, y, wide, high in itertools.product((0.0, 0.5, 1.0), (0.1, 0.5, 0.9), (0.0, 120.0), (60.0, 90.0)):
        boxes = Boxes(496)
        boxes.add(np.array([x]), np.array([y]), 60 + wide, high)
        (at,) = place([Label(x, y, "a run", must=True, barred=True)], boxes)
        assert at is not None
        assert not at.far or min(abs(at.dx), abs(at.dy)) > 5


def test_a_line_goes_where_less_is_in_its_way():
    """If all nearby places are taken, the label goes above its point or, if a bar is between them, below it."""
    label, half = Label(0.5, 0.5, "a run"), np.array([0.5])

    def far(*bars: float) -> float:
        boxes = Boxes(496)
        boxes.add(half, half, 100, 60)
        for bar in bars:
            boxes.add(half, half + bar / 496, 30, 4)
        (found,) = place([label], boxes)
        assert found is not None
        assert (found.far, found.dx) == (True, 0)
        return found.dy

    assert far() > 40
    assert far(38) == -far()
    assert far(38, -38) == far()


def test_what_must_be_said_is_said_in_a_crowd():
    crowd = [Label(0.5, 0.5, "a name", must=True, size=13) for _ in range(30)]
    assert all(place(crowd, Boxes(496)))
    assert None in place([replace(label, must=False) for label in crowd], Boxes(496))


def test_a_label_is_clear_of_what_comes_near_in_a_larger_plot() -> None:
    """In the small plot, another mark is between a mark and its label; in the large plot, it would be inside the
    label.
    """
    label = Label(0.5, 0.5, "a run")

    def beside(*plots: tuple[float, float]) -> tuple[float, float]:
        boxes = Boxes.of_sizes(plots)
        boxes.add(np.array([0.5 + 8 / 400]), np.array([0.5]), 4, 4)
        (found,) = place([label], boxes)
        assert found is not None
        return found.dx, found.dy

    right = (label.width / 2 + 9 + 11 / 3 - 2, 0)
    assert beside((400, 400)) == right
    assert beside((400, 400), (600, 600)) == beside((600, 600)) != right


def test_without_lines_no_label_goes_far_and_none_that_has_no_room_is_in_the_way() -> None:
    crowd = [Label(0.5, 0.5, "a name") for _ in range(30)]
    assert not [at for at in place(crowd, Boxes(496), lines=False) if at is not None and at.far]
    assert [at for at in place(crowd, Boxes(496)) if at is not None and at.far]


def test_without_lines_a_label_is_nearer_to_its_own_point_than_to_any_other() -> None:
    x = np.linspace(0.3, 0.7, 15)
    for y in (np.full(15, 0.5), np.where(np.arange(15) % 2, 0.5, 0.53)):
        wanted, boxes = [Label(a, b, "0.7") for a, b in zip(x, y)], Boxes(496, (600,))
        boxes.add(x, y, 12, 12)
        boxes.add_marks(x, y)
        at = np.column_stack([x * 600, y * 496])
        found = place(wanted, boxes, lines=False)
        assert any(found)
        for k, (label, where) in enumerate(zip(wanted, found)):
            if where is not None:
                over = np.abs(at - at[k] - (where.dx, where.dy)) - (label.width / 2, 7.5)
                assert np.hypot(*np.clip(over, 0, None).T).argmin() == k


@given(labels, labels)
@settings(deadline=None, max_examples=25)
def test_with_lines_too_a_label_beside_its_point_is_nearest_to_it(rows, others):
    """A label beside its point, without a line, is at least as near to it as to any other mark."""
    marks = np.array([(x, y) for x, y, _ in (*rows, *others)])
    wanted = [Label(x, y, text) for x, y, text in rows]
    for lines in (True, False):
        boxes = Boxes(496, (600,))
        boxes.add_marks(*marks.T)
        for label, where in zip(wanted, place(wanted, boxes, lines)):
            if where is None or where.apart(label) or math.hypot(where.dx, where.dy) > label.width / 2 + 20:
                continue
            at = (marks - (label.x, label.y)) * (600, 496)
            over = np.clip(np.abs(at - (where.dx, where.dy)) - (label.width / 2, 7.5), 0, None)
            own = np.clip(np.abs((where.dx, where.dy)) - np.array([label.width / 2, 7.5]), 0, None)
            assert np.hypot(*own) <= np.hypot(*over.T).min() + 1e-6


def test_a_name_goes_to_the_point_that_needs_no_line() -> None:
    """Only far places are free around the first point; if both points have room, the first has the name."""
    half, crowded, free = np.array([0.5]), Label(0.25, 0.5, "a run"), Label(0.75, 0.5, "a run")
    boxes = Boxes(496, (800,))
    boxes.add(half / 2, half, 90, 60)
    assert place([crowded], boxes)[0].far  # type: ignore[union-attr]
    assert cheapest([crowded, free], boxes) == 1
    assert cheapest([free, crowded], boxes) == 0
    assert cheapest([crowded, free], Boxes(496, (800,))) == 0


def test_a_line_does_not_run_past_another_mark():
    """If a mark is beside the shortest line, though not on it, the label moves to the other side."""
    label, half = Label(0.5, 0.5, "a run"), np.array([0.5])

    def far(*marks: float) -> float:
        boxes = Boxes(496)
        boxes.add(half, half, 100, 60)
        for mark in marks:
            boxes.add_marks(half + 0.002, half + mark / 496)
        (found,) = place([label], boxes)
        assert found is not None
        assert found.far
        return found.dy

    assert far() > 40
    assert far(35) < 0

"""Labels inside the frontier: names of models and runs, temperatures, the human value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from figures.frontier.drawing import Drawing, few_models, human_shown
from figures.style.label_placement import WIDE, Boxes, Label, Place, cheapest, place
from figures.style.numbers import defined, temperature
from figures.style.palette import grey, note, plain, tone

_ALL_NAMED = 14
"""Maximum number of paths at which all must be named; if there are more, most names appear only where there is room."""


@dataclass(frozen=True)
class _LabelRequest:
    x: float
    y: float
    label: Label
    colour: str
    path: Sequence[int] = ()


@dataclass(frozen=True)
class Labels:
    """The annotations for `layout`, and the paths whose names do not fit but which a key can tell apart."""

    annotations: list[dict[str, Any]]
    unnamed: list[Sequence[int]]


def label_annotations(
    drawing: Drawing, corners: Sequence[tuple[float, float]], boxes: Boxes, all_named: bool
) -> Labels:
    """Return the necessary labels, then others that have room beside their points.

    A necessary label without such room is joined to its point by a line, or lies over intervals; without room for this
    either, a key and hover texts name the point. If `all_named`, there is no key: each necessary label is placed, if
    need be over other things. `boxes` is filled with what labels must not cover.
    """
    without = Boxes.of_sizes(boxes.sizes)  # obstacles other than intervals
    for one in (boxes, without):
        _obstacles(drawing, corners, one)
    if drawing.intervals:  # of all runs, so that labels stay in place when another run is chosen
        for k in sorted(drawing.lit):
            _cross(boxes, drawing, k)
    wanted = [*_human(drawing), *_names(drawing, boxes), *_temperatures(drawing)]
    first, rest = ([want for want in wanted if want.label.must is must] for must in (True, False))
    places = place([want.label for want in first], boxes, lines=all_named)
    for want, where in zip(first, places):
        if where is not None:
            without.put(want.label, where)
    # First try a line to a place that is clear of intervals, too, then a place over intervals.
    for obstacles, other in ((boxes, without), (without, boxes)):
        homeless = [want for want, where in zip(first, places) if where is None]
        found = iter(place([want.label for want in homeless], obstacles, forced=False))
        places = [where or next(found) for where in places]
        for want, where in zip(first, places):
            if where is not None and want in homeless:
                other.put(want.label, where)
    places += place([want.label for want in rest], boxes, lines=False)
    placed = list(zip([*first, *rest], places))
    lacking = [want for want, where in placed if where is None]
    unnamed = [want.path for want in lacking if len(want.path) > 1 or (want.path and want.label.must)]
    # A key tells marks that look alike apart only if lines join them.
    lines_and_unnamed = [path for path in drawing.view.paths if len(path) > 1 or path in unnamed]
    looks = Counter(_look(drawing, path) for path in lines_and_unnamed)
    unnamed = [path for path in unnamed if len(path) > 1 or looks[_look(drawing, path)] == 1]
    return Labels([_annotation(want, where) for want, where in placed if where is not None], unnamed)


def _look(drawing: Drawing, path: Sequence[int]) -> tuple[str, str]:
    """The colour and the symbol of a path's marks."""
    return drawing.colour(path[0]), drawing.mark(path[0]).style.symbol


def _annotation(want: _LabelRequest, where: Place) -> dict[str, Any]:
    font = {"size": want.label.size, "color": want.colour, "weight": 600 if want.label.bold else 400}
    if not where.apart(want.label):
        return note(
            want.x, want.y, plain(want.label.text), xshift=where.dx, yshift=where.dy, xanchor="center", font=font
        )
    return note(
        want.x,
        want.y,
        plain(want.label.text),
        showarrow=True,
        ax=where.dx,
        ay=-where.dy,
        arrowhead=0,
        arrowwidth=0.75,
        arrowcolor=grey(0.8),
        standoff=6,
        startstandoff=1,
        xanchor="center",
        font=font,
    )


def _obstacles(drawing: Drawing, corners: Sequence[tuple[float, float]], boxes: Boxes) -> None:
    view = drawing.view
    x, y = drawing.x.at(view.diversity.value), drawing.y.at(view.quality.value)
    boxes.add(x, y, 12, 12)
    known = np.isfinite(x) & np.isfinite(y)
    boxes.add_marks(x[known], y[known])
    for across, along in view.seeds:
        boxes.add(drawing.x.at(across), drawing.y.at(along), 5, 5)
    if drawing.chosen is not None:
        boxes.add(x[[drawing.chosen]], y[[drawing.chosen]], 20, 20)
    reached = view.trades.reaching if len(view.trades.models) > 1 else []
    for one in reached:
        boxes.add(drawing.x.at(np.array([view.trades.people])), drawing.y.at(np.array([one.kept.value])), 22, 14)
    for path in view.paths:
        boxes.add_line([x[k] for k in path], [y[k] for k in path], 4)
    boxes.add_line([drawing.x.at(c[0]) for c in corners], [drawing.y.at(c[1]) for c in corners], 2)
    _human_boxes(boxes, drawing)


def _cross(boxes: Boxes, drawing: Drawing, k: int) -> None:
    view = drawing.view
    x, y = drawing.x.at(view.diversity.value[k]), drawing.y.at(view.quality.value[k])
    across = drawing.x.at(view.diversity.low[k]), drawing.x.at(view.diversity.high[k])
    along = drawing.y.at(view.quality.low[k]), drawing.y.at(view.quality.high[k])
    if np.isfinite(across).all():
        boxes.add_line(across, (y, y), 2)
    if np.isfinite(along).all():
        boxes.add_line((x, x), along, 2)


def _human_boxes(boxes: Boxes, drawing: Drawing) -> None:
    x, y = _human_at(drawing)
    if defined(x) and defined(y):
        boxes.add(np.array([drawing.x.at(x)]), np.array([drawing.y.at(y)]), 16, 16)
        _ends(boxes, drawing)
    elif defined(x):
        boxes.add_line((drawing.x.at(x), drawing.x.at(x)), (0, 1), 3)
    elif defined(y):
        boxes.add_line((0, 1), (drawing.y.at(y), drawing.y.at(y)), 3)


def _ends(boxes: Boxes, drawing: Drawing) -> None:
    across, along = drawing.view.diversity.human, drawing.view.quality.human
    if defined(across.low) and defined(across.high):
        at = drawing.y.at(along.value)
        boxes.add_line((drawing.x.at(across.low), drawing.x.at(across.high)), (at, at), 2)
    if defined(along.low) and defined(along.high):
        at = drawing.x.at(across.value)
        boxes.add_line((at, at), (drawing.y.at(along.low), drawing.y.at(along.high)), 2)


def _human_at(drawing: Drawing) -> tuple[float, float]:
    """The human values; NaN for a value that is not drawn."""
    view = drawing.view
    x, y = (axis.human.value if human_shown(axis) else np.nan for axis in (view.diversity, view.quality))
    return x, y


def _human(drawing: Drawing) -> Iterable[_LabelRequest]:
    x, y = _human_at(drawing)
    if not (defined(x) or defined(y)):
        return
    # Put a line's word at its end, away from the runs.
    at_x = x if defined(x) else drawing.x.end + 0.02 * (drawing.x.start - drawing.x.end)
    at_y = y if defined(y) else drawing.y.end + 0.02 * (drawing.y.start - drawing.y.end)
    label = Label(drawing.x.at(at_x), drawing.y.at(at_y), "People", must=True, size=13, bold=True)
    yield _LabelRequest(at_x, at_y, label, tone("ink", drawing.mode))


def _names(drawing: Drawing, boxes: Boxes) -> Iterable[_LabelRequest]:
    view = drawing.view
    must_all = len(view.paths) <= _ALL_NAMED
    few = few_models(view)
    roomy = min(width for width, _ in boxes.sizes) >= min(WIDE)  # elsewhere, lines to many names would cross
    whole_front = few or (roomy and int(view.front.sum()) <= _ALL_NAMED)
    for path in view.paths:
        colour = drawing.ink(path[0])
        alone = len(path) == 1
        model = view.runs[path[0]].model
        name = drawing.path_name(path)
        # The colour identifies a lone run of a model that has a path: its name is printed small, like temperatures.
        small = alone and any(len(p) > 1 and view.runs[p[0]].model == model for p in view.paths)
        front, lit = view.front[list(path)].any(), not drawing.lit.isdisjoint(path)
        if not (front or lit or few):
            continue
        must = must_all or bool(front and whole_front) or (lit and not few)
        size = 11 if small or (alone and not must_all) else 13
        bold = must and not small and lit
        candidates = [_label(drawing, k, name, must, size, bold) for k in (path[-1], path[0], *path[1:-1])]
        best = cheapest([want.label for want in candidates], boxes)
        want = candidates[best]
        yield _LabelRequest(want.x, want.y, want.label, colour, path)


def _temperatures(drawing: Drawing) -> Iterable[_LabelRequest]:
    view = drawing.view
    found = [k for path in view.paths if len(path) > 1 for k in path]
    for k in sorted(found, key=lambda k: (k != drawing.chosen, not view.front[k])):
        heat = view.runs[k].settings.temperature
        if heat is not None:
            want = _label(drawing, k, temperature(heat))
            yield _LabelRequest(want.x, want.y, want.label, drawing.ink(k))


def _label(
    drawing: Drawing, k: int, text: str, must: bool = False, size: float = 11, bold: bool = False
) -> _LabelRequest:
    x, y = float(drawing.view.diversity.value[k]), float(drawing.view.quality.value[k])
    label = Label(
        drawing.x.at(x),
        drawing.y.at(y),
        text,
        must,
        size,
        bold,
        k == drawing.chosen,
        drawing.intervals and k in drawing.lit,
    )
    return _LabelRequest(x, y, label, "")

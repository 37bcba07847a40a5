"""The figure on which charts are drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import plotly.graph_objects as go

ROWS = "rows"
"""The `meta` of a figure whose rows are targets: a click beside the plot selects the row at its height, and Tab reaches
each of them.
"""
MARKS = "marks"
"""The `meta` of a figure whose marks with customdata can be clicked one by one, and are reached by Tab."""
TICKS = 5
"""The default number of steps of an axis."""
_SET = ("tickvals", "ticktext", "tickformat", "dtick")
"""The settings that replace plotly's own ticks."""
_OF_SUBPLOTS = ("row", "col", "secondary_y", "exclude_empty_subplots")


class Drawing(go.Figure):
    """A plotly figure without subplots that sets annotations and shapes all at once, when its layout is read.

    plotly checks and copies all annotations whenever one is added, so adding sixty takes two seconds.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        self._waiting: dict[str, list[Mapping[str, Any]]] = {"annotations": [], "shapes": []}
        super().__init__(*given, **named)

    def add_annotation(self, arg: Any = None, **named: Any) -> Drawing:
        """Add an annotation."""
        return self._add("annotations", {**(arg or {}), **named})

    def add_shape(self, arg: Any = None, **named: Any) -> Drawing:
        """Add a shape."""
        return self._add("shapes", {**(arg or {}), **named})

    def _add(self, name: str, made: Mapping[str, Any]) -> Drawing:
        self._waiting[name].append({key: value for key, value in made.items() if key not in _OF_SUBPLOTS})
        return self

    def __getitem__(self, prop: Any) -> Any:
        found = super().__getitem__(prop)
        if prop == "layout":
            self._place(found)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as plain values; ticks of an axis get the decimals that `_decimals` finds, if any."""
        self._place(super().__getitem__("layout"))
        made = dict(super().to_dict())
        for name, axis in made["layout"].items():
            if name[1:].startswith("axis") and (digits := _decimals(axis)):
                axis["tickformat"] = f".{digits}f"
        return made

    def _place(self, layout: Any) -> None:
        for name, waiting in self._waiting.items():
            if waiting:
                self._waiting[name] = []
                layout[name] = [*layout[name], *waiting]


def _decimals(axis: Mapping[str, Any]) -> int:
    """Return the decimals of the steps that plotly chooses for a linear axis with a range; 0 for other axes or whole
    steps.

    Plotly itself drops trailing zeros: 3.5, 4, 4.5.
    """
    ends: Sequence[Any] = axis.get("range") or ()
    if axis.get("type") == "log" or any(axis.get(name) is not None for name in _SET):
        return 0
    if len(ends) != 2 or not all(isinstance(end, Real) for end in ends):
        return 0
    rough = abs(ends[1] - ends[0]) / (axis.get("nticks") or TICKS)
    if not rough:
        return 0
    power = math.floor(math.log10(rough))
    step = next(by for by in (2, 5, 10) if by >= rough / 10.0**power * (1 - 1e-9))
    return max(0, -power - (step == 10))


def whole_row(figure: go.Figure, y: float, ends: tuple[float, float], key: str, name: str, hover: str) -> None:
    """Make the whole row at `y` a target for hovering and clicking, with `key` as customdata.

    `ends` are the ends of the axis. The `meta` of the figure must be ROWS.
    """
    figure.add_bar(
        x=[ends[1] - ends[0]],
        y=[y],
        base=[ends[0]],
        width=1.0,
        orientation="h",
        customdata=[key],
        name=name,
        marker={"color": "rgba(0,0,0,0)", "line": {"width": 0}},
        hovertemplate=hover,
        showlegend=False,
    )


def band(figure: go.Figure, y: float, colour: str, left: int, right: int) -> None:
    """Draw a band behind the row at `y`, from `left` px left of the plot to `right` px right of it."""
    base = {"type": "rect", "xref": "paper", "y0": y + 0.5, "y1": y - 0.5, "fillcolor": colour, "line_width": 0}
    figure.add_shape(base, x0=0, x1=1, layer="below")
    for at, wide in ((0, -left), (1, right)):
        figure.add_shape(base, xsizemode="pixel", xanchor=at, x0=0, x1=wide, layer="below")

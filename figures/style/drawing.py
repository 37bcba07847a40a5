"""The figure that charts are drawn on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

_OF_SUBPLOTS = ("row", "col", "secondary_y", "exclude_empty_subplots")


class Drawing(go.Figure):
    """A plotly figure without a grid of subplots that sets annotations and shapes at once, when its layout is read.

    plotly checks and copies all annotations for each that is added: sixty of them take two seconds.
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
        """Return the figure as plain values."""
        self._place(super().__getitem__("layout"))
        return dict(super().to_dict())

    def _place(self, layout: Any) -> None:
        for name, waiting in self._waiting.items():
            if waiting:
                self._waiting[name] = []
                layout[name] = [*layout[name], *waiting]

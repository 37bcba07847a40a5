"""Test that charts are drawn exactly as plotly would draw them, in time proportional to the number of marks."""

from __future__ import annotations

import copy
from typing import Any

import plotly.graph_objects as go

from figures.style.drawing import Drawing, whole_row
from figures.style.palette import note


def drawn(figure: Any) -> Any:
    for k in range(3):
        figure.add_annotation(note(k, k, str(k), font={"size": 11}))
        figure.add_shape(type="line", x0=k, x1=k, y0=0, y1=1)
    figure.add_hline(y=3)
    figure.add_vrect(x0=1, x1=2, annotation_text="a band")
    figure.update_layout(height=300)
    figure.add_annotation({"x": 1, "y": 1}, text="last")
    return figure


def test_it_is_what_plotly_draws() -> None:
    trace = go.Scatter(x=[1, 2], y=[1, 2])
    theirs = drawn(go.Figure(trace)).to_dict()
    assert len(theirs["layout"]["annotations"]) == 5
    assert drawn(Drawing(trace)).to_dict() == theirs
    assert len(drawn(Drawing(trace)).layout.shapes) == 5
    for again in (copy.deepcopy, go.Figure):
        assert again(drawn(Drawing(trace))).to_dict() == theirs


def test_all_ticks_of_an_axis_have_equally_many_decimals() -> None:
    figure = Drawing()
    figure.update_xaxes(range=[2.6, 4.1], nticks=7)  # steps of 0.5: 3.0, 3.5, 4.0
    figure.update_yaxes(range=[0.31, 0.19])  # steps of 0.05
    layout = figure.to_dict()["layout"]
    assert (layout["xaxis"]["tickformat"], layout["yaxis"]["tickformat"]) == (".1f", ".2f")
    figure.update_xaxes(range=[0, 400])
    figure.update_yaxes(range=[0.4, 1.4], tickvals=[0.5, 1])
    layout = figure.to_dict()["layout"]
    assert "tickformat" not in layout["xaxis"]
    assert "tickformat" not in layout["yaxis"], "ticks that a figure sets itself"


def test_a_mark_is_checked_once(monkeypatch: Any) -> None:
    made, made_by = [], go.layout.Annotation.__init__
    monkeypatch.setattr(
        go.layout.Annotation, "__init__", lambda self, *given, **named: made.append(0) or made_by(self, *given, **named)
    )
    figure = Drawing()
    for k in range(40):
        figure.add_annotation(note(k, k, str(k)))
        whole_row(figure, k, (0, 1), str(k), str(k), str(k))
    assert len(figure.to_dict()["layout"]["annotations"]) == 40
    assert len(made) <= 80

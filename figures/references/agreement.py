"""How well people agree: mean and spread of every metric, beside published values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from figures.judgments.ranking import ACCENT
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import DASH, defined, num
from figures.style.palette import Mode, frame, grey, note, plain, tone

ROW = 44
_TOP, _NAMES, _GAP = 26, 0.3, 0.12


@dataclass(frozen=True)
class Cell:
    """Mean and standard deviation over items; NaN if undefined."""

    mean: float
    sd: float


@dataclass(frozen=True)
class AgreementRow:
    """One metric, with a cell for each column and the largest value on its scale."""

    key: str
    label: str
    cells: tuple[Cell, ...]
    scale: float


def agreement(rows: Sequence[AgreementRow], columns: Sequence[str], chosen: str | None, mode: Mode) -> go.Figure:
    """Return a row for each metric on its own scale from 0; bars reach one standard deviation to each side of the
    mean.
    """
    figure = Drawing()
    frame(figure, mode, _TOP + ROW * len(rows), margin={"l": 0, "r": 6, "t": _TOP, "b": 0})
    figure.update_xaxes(visible=False, range=[0, 1], fixedrange=True)
    figure.update_yaxes(visible=False, range=[0.5 - len(rows), 0.5], fixedrange=True)
    width = (1 - _NAMES) / len(columns)
    muted = {"size": 12, "color": tone("muted", mode)}
    for k, name in enumerate(("Metric", *columns)):
        x = 0.0 if k == 0 else _NAMES + k * width
        anchor = "right" if k else "left"
        head = note(x, 1, plain(short(name, 16)), xref="paper", yref="paper", yshift=13, xanchor=anchor, font=muted)
        figure.add_annotation(head)
    for k, row in enumerate(rows):
        line = {"color": grey(0.25), "width": 1}
        figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=0.5 - k, y1=0.5 - k, line=line)
        colour = ACCENT[mode] if row.key == chosen else tone("ink", mode)
        label = plain(short(row.label, 20))
        text, font = f"<b>{label}</b>" if row.key == chosen else label, {"size": 12.5, "color": colour}
        figure.add_annotation(note(0, -k, text, xref="paper", font=font))
        _ends(figure, row, _NAMES, width, -k, mode)
        for column, cell in enumerate(row.cells):
            _cell(figure, row, cell, _NAMES + column * width, width, -k, mode)
    return figure


def _ends(figure: go.Figure, row: AgreementRow, left: float, width: float, y: float, mode: Mode) -> None:
    """Write the ends of the row's scale beside its first bar."""
    font = {"size": 11, "color": tone("muted", mode)}
    for at, value, anchor in ((left + _GAP * width, 0.0, "right"), (left + width, row.scale, "left")):
        shift = 4 if anchor == "left" else -4
        figure.add_annotation(note(at, y - 0.28, f"{value:g}", xanchor=anchor, xshift=shift, font=font))


def _cell(figure: go.Figure, row: AgreementRow, cell: Cell, left: float, width: float, y: float, mode: Mode) -> None:
    right = left + width
    text = f"{num(cell.mean, 2)} <span style='color:{tone('muted', mode)}'>± {num(cell.sd, 2)}</span>"
    said = note(right, y + 0.14, text if defined(cell.mean) else DASH, xanchor="right")
    figure.add_annotation(said | {"font": {"size": 12.5, "color": tone("ink", mode)}})
    if not defined(cell.mean):
        return
    begin, room = left + _GAP * width, (1 - _GAP) * width
    track = {"color": grey(0.25), "width": 1}
    figure.add_shape(type="line", x0=begin, x1=right, y0=y - 0.28, y1=y - 0.28, line=track)

    def at(value: float) -> float:
        return begin + room * min(max(value / row.scale, 0.0), 1.0)

    if defined(cell.sd):
        figure.add_shape(
            type="rect",
            x0=at(cell.mean - cell.sd),
            x1=at(cell.mean + cell.sd),
            y0=y - 0.33,
            y1=y - 0.23,
            fillcolor=grey(0.45),
            line_width=0,
        )
    line = {"color": tone("ink", mode), "width": 2}
    figure.add_shape(type="line", x0=at(cell.mean), x1=at(cell.mean), y0=y - 0.38, y1=y - 0.18, line=line)

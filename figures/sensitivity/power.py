"""The power to tell two runs apart by numbers of items and references, as a map with the line at 80 %."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from figures.judgments.ranking import ACCENT
from figures.style.drawing import Drawing
from figures.style.palette import Mode, frame, note, ramp, tone
from figures.unique_correct.heatmaps import text_on_ramp
from metrics.analysis.sensitivity.power import ENOUGH, Power

ROW, LOW, MANY = 34, 24, 9
"""Height of a row in px, of a low row, and the number of rows above which rows are low."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 6, 24, 44
_NAME = 30
"""Width in pixels of the axis's name, right of the axis."""
FEW = 6
"""Numbers of items that a narrow map shows."""


def power_map(found: Power, candidates: int, mode: Mode, narrow: bool = False, noun: str = "image") -> go.Figure:
    """Cells in per cent of draws that find the difference; more ink means surer. The ring marks this study."""
    made = found.design
    rows = list(made.references.sizes)
    columns = _columns(made.items, made.has) if narrow else list(range(len(made.items)))
    share = found.share[:, made.candidates.index(candidates), :][:, columns]
    items = [made.items[k] for k in columns]
    figure = Drawing(
        go.Heatmap(
            z=share,
            colorscale=[[1 - at, colour] for at, colour in reversed(ramp(mode))],
            zmin=0,
            zmax=1.15,
            xgap=2,
            ygap=2,
            showscale=False,
            customdata=[[f"{n:,}" for n in items]] * len(rows),
            hovertemplate=f"%{{customdata}} {noun}s: %{{z:.0%}}<extra></extra>",
        )
    )
    for r in range(len(rows)):
        for c in range(len(items)):
            _number(figure, float(share[r, c]), c, r, mode)
    high = ROW if len(rows) <= MANY else LOW
    frame(figure, mode, high * len(rows) + _TOP + _BOTTOM, margin={"l": _LEFT, "r": _RIGHT, "t": _TOP, "b": _BOTTOM})
    _stairs(figure, share, mode)
    _study(figure, items.index(made.has), len(rows) - 1, len(items), mode, narrow)
    _axes(figure, items, rows, noun)
    return figure


def _axes(figure: go.Figure, items: Sequence[int], rows: Sequence[int], noun: str) -> None:
    figure.update_xaxes(
        tickvals=list(range(len(items))),
        ticktext=[f"{n:,}" for n in items],
        ticks="",
        title_text=f"{noun}s; cells: % of draws that find it, line: 80 %",
        range=[-0.5, len(items) - 0.5],
        zeroline=False,
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[str(n) for n in rows],
        showgrid=False,
        range=[-0.5, len(rows) - 0.5],
        zeroline=False,
    )
    figure.add_annotation(note(0, 1, "by people", xref="paper", yref="paper", yshift=13, xshift=2 - _LEFT))


def _columns(items: Sequence[int], has: int) -> list[int]:
    """The columns of a narrow map: some, evenly, with the study's own."""
    if len(items) <= FEW:
        return list(range(len(items)))
    even = np.unique(np.linspace(0, len(items) - 1, FEW - 1).round().astype(int)).tolist()
    return sorted({*even, items.index(has)})


def _number(figure: go.Figure, share: float, column: int, row: int, mode: Mode) -> None:
    if np.isnan(share):
        return
    text = f"{100 * share:.0f}"
    font = {"size": 12, "color": text_on_ramp(share / 1.15, mode)}
    figure.add_annotation(note(column, row, f"<b>{text}</b>" if share >= ENOUGH else text, xanchor="center", font=font))


def _stairs(figure: go.Figure, share: np.ndarray[tuple[int, ...], np.dtype[np.float64]], mode: Mode) -> None:
    """Draw the step line left of the first cell of each row in which at least 80 % of draws find the difference."""
    x: list[float] = []
    y: list[float] = []
    for row, cells in enumerate(share):
        enough = np.flatnonzero(cells >= ENOUGH)
        at = (float(enough[0]) if len(enough) else float(len(cells))) - 0.5
        x += [at, at]
        y += [row - 0.5, row + 0.5]
    for line in _cased(mode):
        figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", cliponaxis=False)


def _cased(mode: Mode) -> tuple[dict[str, str | float], ...]:
    """The two strokes of a line that is visible on light and on dark cells: paper below, the accent above."""
    return {"color": tone("paper", mode), "width": 6}, {"color": ACCENT[mode], "width": 2.6}


def _study(figure: go.Figure, column: int, row: int, columns: int, mode: Mode, narrow: bool) -> None:
    """Draw the ring at this study, and the dashed line beyond which more items are drawn than the study has."""
    edges = {"x0": column - 0.49, "x1": column + 0.49, "y0": row - 0.48, "y1": row + 0.48}
    for ring in _cased(mode):
        figure.add_shape(type="rect", **edges, line=ring, fillcolor="rgba(0,0,0,0)")
    font = {"size": 12, "color": ACCENT[mode]}
    first = column == 0  # the axis has its name above this column
    at = {"x": -0.5, "xanchor": "left", "xshift": _NAME} if first else {"x": column, "xanchor": "center"}
    figure.add_annotation({**note(column, 1, "<b>this study</b>", yref="paper", yshift=13, font=font), **at})
    if column + 1 < columns:
        dashed = {"color": tone("muted", mode), "width": 1, "dash": "4px,3px"}
        top = 1 if first else 1.08
        figure.add_shape(type="line", x0=column + 0.5, x1=column + 0.5, yref="paper", y0=-0.04, y1=top, line=dashed)
        if not narrow and column + 2 < columns:
            text = "<i>more than drawn →</i>"
            shift = _NAME + 20 if first else 0
            figure.add_annotation(
                note(column + 0.85, 1, text, yref="paper", yshift=13, xshift=shift, font={"size": 11.5})
            )

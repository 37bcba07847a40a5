"""Images or references: the error of a difference by the numbers of both, with lines of equal cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from figures.judgments.ranking import ACCENT
from figures.style.drawing import Drawing
from figures.style.numbers import count
from figures.style.palette import Mode, frame, note, ramp, tone
from metrics.mathematics.arrays import Floats

CELL, MOST = 36, 999
"""Side of a cell in px, and the largest error in % that is written in one."""
_LEFT, _TOP, _BOTTOM = 40, 26, 46
_ROWS = 6
_LIGHT_TEXT: dict[Mode, float] = {"light": 0.52, "dark": 0.5}
"""Amount of ink in a cell from which its number has the colour of paper."""


@dataclass(frozen=True)
class BudgetMap:
    """The (sizes, images) errors, as shares of what `of` names.

    `own` is the position of the study's own column; `what` is the noun for its items.
    """

    sizes: tuple[int, ...]
    images: tuple[int, ...]
    error: Floats
    own: int
    what: str = "image"
    of: str = "difference"

    def within(self, captions: int) -> list[int]:
        """For each size, the number of columns that cost at most `captions` captions."""
        return [sum(n * size <= captions for n in self.images) for size in self.sizes]

    @property
    def costs(self) -> tuple[int, int]:
        """Captions needed for one reference of each of the study's items, and for all references."""
        return self.images[self.own], self.images[self.own] * self.sizes[-1]


def columns(items: int) -> tuple[int, ...]:
    """Return numbers of items to show: up to three round ones on each side of the study's own, none close to it."""
    nice = [base * 10**power for power in range(7) for base in (1, 2, 5)]
    less = [n for n in nice if 2 <= n < 0.8 * items][-3:]
    return (*less, items, *[n for n in nice if n > 1.25 * items][:3])


def rows(sizes: Sequence[int]) -> list[int]:
    """Return the indices of the sizes to show: all if few, else evenly spread ones with the first and the last."""
    if len(sizes) <= _ROWS:
        return list(range(len(sizes)))
    return sorted(set(np.linspace(0, len(sizes) - 1, _ROWS).round().astype(int).tolist()))


def budget_map(found: BudgetMap, mode: Mode) -> go.Figure:
    """Return the map: more ink means a smaller error; the study's own cell is framed.

    Columns to the right of that cell, in italics, are extrapolated.
    """
    ink = _ink(found.error)
    count_y, count_x = found.error.shape
    figure = Drawing()
    figure.add_heatmap(
        z=1 - ink,
        x=list(range(count_x)),
        y=list(range(count_y)),
        zmin=0,
        zmax=1,
        colorscale=ramp(mode),
        showscale=False,
        xgap=2,
        ygap=2,
        hoverinfo="skip",
    )
    _numbers(figure, found, ink, mode)
    one, full = found.costs
    for captions, dash in ((one, "5px,3px"), (full, "solid")):
        _staircase(figure, found.within(captions), dash, mode)
    _study(figure, found, mode)
    frame(
        figure,
        mode,
        _TOP + CELL * count_y + _BOTTOM,
        margin={"l": _LEFT, "r": 4, "t": _TOP, "b": _BOTTOM},
    )
    _axes(figure, found)
    title = note(0, 1, "references", xref="paper", yref="paper", yshift=15, xshift=-_LEFT + 2)
    figure.add_annotation(title | {"font": {"size": 12, "color": tone("ink", mode)}})
    return figure


def _axes(figure: go.Figure, found: BudgetMap) -> None:
    one, full = found.costs
    count_y, count_x = found.error.shape
    said = f"{found.what}s; lines: {one:,} (dashed) and {count(full, 'caption')}"
    figure.update_xaxes(
        range=[-0.5, count_x - 0.5],
        tickvals=list(range(count_x)),
        ticktext=[f"{n:,}" for n in found.images],
        ticks="",
        title_text=said,
        fixedrange=True,
    )
    figure.update_yaxes(
        range=[-0.5, count_y - 0.5],
        tickvals=list(range(count_y)),
        ticktext=[str(size) for size in found.sizes],
        showgrid=False,
        fixedrange=True,
    )


def _ink(error: Floats) -> Floats:
    """Amounts of ink (0..1), larger for smaller errors, by the logarithm of the error; 0.3 if errors are equal."""
    logs = np.log(np.where(error > 0, error, np.nan))
    if len(np.unique(error[error > 0])) < 2:
        return np.full(error.shape, 0.3)
    low, high = np.nanmin(logs), np.nanmax(logs)
    return np.asarray(np.nan_to_num(0.04 + 0.82 * ((high - logs) / (high - low)) ** 1.6, nan=0.0))


def _numbers(figure: go.Figure, found: BudgetMap, ink: Floats, mode: Mode) -> None:
    y, x = np.divmod(np.arange(found.error.size), found.error.shape[1])
    digits = 1 if np.nanmin(found.error) < 0.1 else 0
    texts, hover = [], []
    for row, column in zip(y, x):
        beyond = column > found.own
        error = 100 * found.error[row, column]
        text = f"{error:.{digits}f}" if error < MOST else f">{MOST}"
        texts.append(f"<i>{text}</i>" if beyond else text)
        size, n = found.sizes[row], found.images[column]
        said = f"{count(n, found.what)} with {count(size, 'reference')} each: {n * size:,} captions"
        more = "<br>extrapolated: more than the study has" if beyond else ""
        hover.append(f"{said}<br>standard error {error:.2f} % of the {found.of}{more}")
    dark = ink[y, x] > _LIGHT_TEXT[mode]
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers+text",
        marker={"size": CELL - 6, "symbol": "square", "opacity": 0},
        text=texts,
        textfont={"size": 11.5, "color": [tone("paper" if one else "ink", mode) for one in dark]},
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _staircase(figure: go.Figure, within: Sequence[int], dash: str, mode: Mode) -> None:
    x = [k - 0.5 for k in within for _ in range(2)]
    y = [row + side for row in range(len(within)) for side in (-0.5, 0.5)]
    line = {"color": ACCENT[mode], "width": 2.4, "dash": dash}
    figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", cliponaxis=False)


def _study(figure: go.Figure, found: BudgetMap, mode: Mode) -> None:
    top = len(found.sizes) - 1
    figure.add_shape(
        type="rect",
        x0=found.own - 0.5,
        x1=found.own + 0.5,
        y0=top - 0.5,
        y1=top + 0.5,
        line={"color": ACCENT[mode], "width": 2.6},
    )
    said = note(found.own, 1, "<b>this study</b>", yref="paper", xanchor="center", yshift=15)
    figure.add_annotation(said | {"font": {"size": 12, "color": ACCENT[mode]}})

"""The matrix of all pairs of runs: filled if the row's run is significantly better, with a circle if neither run is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from data.study import Run, Study
from figures.style.drawing import Drawing
from figures.style.escaping import short, whole
from figures.style.numbers import decimals, defined, p_text, signed
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, note, plain, tone
from figures.style.text_width import text_width
from metrics.analysis.letters import letters
from metrics.analysis.numbers import Numbers
from metrics.analysis.run_differences import ranking
from metrics.base import Metric
from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation.pvalues import ALPHA

CELL, TOP, _LONGEST, _LETTERS, _PAGE = 24, 26, 36, 10, 1000
"""The side of a square and the height above the squares, in px; the most characters of a name, and the most letters
shown beside a run; the width of a page, in px.
"""
_WHOLE = 15
"""Up to this many runs, both halves are drawn, with a circle if no difference is detected; with more, one half."""
NARROW_CELL, NARROW_LEFT = 15, 118
_NARROW_NAME, _NARROW_SIZE = 37, 10
"""On a phone: the x position of names, and their font size, in px."""


@dataclass(frozen=True)
class Matrix:
    """Runs from best to worst by a metric, with (runs, runs) differences, row minus column.

    `p` is corrected across all pairs (Holm); `low` and `high` are the ends of the intervals. Entries are NaN if two
    runs cannot be compared. No difference is detected between runs that share one of the `letters`.
    """

    metric: Metric
    runs: tuple[Run, ...]
    value: Floats
    p: Floats
    low: Floats
    high: Floats
    letters: tuple[str, ...]

    @property
    def advantage(self) -> Floats:
        """(runs, runs) differences, positive if the row's run is better."""
        return self.value if self.metric.higher_is_better else -self.value

    @property
    def sure(self) -> Labels:
        """(runs, runs) flags: True if two runs differ significantly."""
        return self.p <= ALPHA

    @property
    def pairs(self) -> int:
        """The number of pairs compared."""
        return int(defined_pairs(self.p).sum())

    @property
    def not_different(self) -> int:
        """The number of pairs in which no difference is detected."""
        return int((defined_pairs(self.p) & ~self.sure).sum())


def defined_pairs(p: Floats) -> Labels:
    """Return (runs, runs) flags that are True once for each pair with a p."""
    return np.asarray(np.triu(~np.isnan(p), 1))


def matrix(study: Study, numbers: Numbers, metric: Metric, runs: Sequence[Run]) -> Matrix:
    """Return all pairs of the runs that have a value, with p corrected for all pairs."""
    values, _ = numbers.corpus(study, metric, runs)
    found = numbers.pairs(study, metric, runs)
    order = [k for k in ranking(values, metric.higher_is_better) if defined(float(values[k]))]
    at = np.ix_(order, order)
    p = found.p[at]
    named = tuple(letters(p <= ALPHA))
    return Matrix(metric, tuple(runs[k] for k in order), found.value[at], p, found.low[at], found.high[at], named)


def width(found: Matrix, names: Sequence[str]) -> int:
    """Return the width in px of the matrix, with the names of its runs."""
    return _left(found, names) + len(names) * _cell(found, names) + 8


def _cell(found: Matrix, names: Sequence[str]) -> int:
    """The side of a square in px: smaller if a page has no room for all runs."""
    return max(NARROW_CELL, min(CELL, (_PAGE - _left(found, names)) // max(len(names), 1)))


def lettered(found: Matrix) -> bool:
    """Return whether letters are shown: with many groups of runs, there are too many letters to read."""
    return max(map(len, found.letters), default=0) <= _LETTERS


def halved(found: Matrix) -> bool:
    """Return whether only the half in which the row is the better run is drawn: hundreds of circles say nothing."""
    return len(found.runs) > _WHOLE


def _left(found: Matrix, names: Sequence[str]) -> int:
    """The width in px of the numbers, marks, names and letters beside the squares."""
    widest = max((text_width(shown_name(name, names, False), 13) for name in names), default=0.0)
    return round(62 + widest + (20 + 7.3 * max(map(len, found.letters), default=0)) * lettered(found))


def matrix_figure(
    found: Matrix, names: Sequence[str], styles: Sequence[ModelStyle], mode: Mode, narrow: bool = False
) -> go.Figure:
    """Return the figure of the matrix; the customdata of a square contains the names of its two runs."""
    n, cell = len(found.runs), NARROW_CELL if narrow else _cell(found, names)
    left = NARROW_LEFT if narrow else _left(found, names)
    figure = Drawing(_fills(found, mode))
    if not halved(found):
        _circles(figure, found, cell, mode)
    _targets(figure, found, names, cell)
    for k in range(n):
        figure.add_shape(
            type="line", x0=k - 0.2, x1=k + 0.2, y0=k + 0.2, y1=k - 0.2, line={"color": grey(0.45), "width": 1}
        )
        _names(
            figure, k, names, styles[k], found.letters[k] if lettered(found) else "", mode, left, narrow, halved(found)
        )
    if not narrow and lettered(found):
        figure.add_annotation(
            note(
                0,
                1,
                "letters",
                xref="paper",
                yref="paper",
                xshift=-12,
                yshift=4,
                xanchor="right",
                yanchor="bottom",
                font=_font(12, "muted", mode),
            )
        )
    frame(figure, mode, n * cell + TOP + 8, margin={"l": left, "r": 4, "t": TOP, "b": 4})
    figure.update_xaxes(range=[-0.5, n - 0.5], visible=False)
    figure.update_yaxes(range=[n - 0.5, -0.5], visible=False)
    return figure


def shown_name(name: str, names: Sequence[str], narrow: bool) -> str:
    """Return the name of a run, cut to _LONGEST characters or, on a phone, to the width beside the squares."""
    if not narrow:
        return short(name, _LONGEST, names)
    room = NARROW_LEFT - _NARROW_NAME - 4
    cuts = (short(name, most, names) for most in range(len(name), 1, -1))
    return next((cut for cut in cuts if text_width(cut, _NARROW_SIZE) <= room), short(name, 2))


def cut_names(names: Sequence[str]) -> list[tuple[int, str]]:
    """Return the numbers of the rows whose names do not fit on a phone, with the full names."""
    return [(k + 1, name) for k, name in enumerate(names) if shown_name(name, names, True) != name]


def _circles(figure: go.Figure, found: Matrix, cell: int, mode: Mode) -> None:
    not_different = np.argwhere(~found.sure & ~np.isnan(found.p))
    line = {"width": 1.1, "color": tone("ink", mode)}
    figure.add_scatter(
        x=not_different[:, 1],
        y=not_different[:, 0],
        mode="markers",
        hoverinfo="skip",
        name="no difference detected",
        marker={"symbol": "circle", "size": cell * 0.5, "color": tone("paper", mode), "line": line},
    )


def _fills(found: Matrix, mode: Mode) -> go.Heatmap:
    """The squares: ink if the row's run is significantly better, more for larger differences; else nearly paper."""
    ahead = np.where(found.sure & (found.advantage > 0), found.advantage, np.nan)
    most = np.nanmax(np.abs(found.value), initial=0.0) or 1.0
    shade = np.where(np.isnan(ahead), 0.025, 0.16 + 0.74 * np.sqrt(np.nan_to_num(ahead) / most))
    np.fill_diagonal(shade, 0.0)
    shade = np.triu(shade) if halved(found) else shade
    ink = tone("ink", mode)
    return go.Heatmap(
        z=shade,
        zmin=0,
        zmax=1,
        colorscale=[[0, alpha(ink, 0)], [1, alpha(ink, 1)]],
        showscale=False,
        xgap=1.5,
        ygap=1.5,
        hoverinfo="skip",
    )


def _targets(figure: go.Figure, found: Matrix, names: Sequence[str], cell: int) -> None:
    digits = decimals(np.abs(found.value[~np.isnan(found.value)]).tolist())
    where = np.argwhere(defined_pairs(found.p) if halved(found) else ~np.isnan(found.p))
    said = []
    for i, j in where:
        gap = float(found.advantage[i, j])
        side = "the row" if gap > 0 else "the column"
        said.append(
            f"<b>{plain(names[i], 40)} against {plain(names[j], 40)}</b><br>{signed(abs(gap), digits)} in favour of "
            f"{side}<br>p {p_text(float(found.p[i, j]))}, corrected for {found.pairs:,} pairs"
        )
    figure.add_scatter(
        x=where[:, 1],
        y=where[:, 0],
        mode="markers",
        text=said,
        hovertemplate="%{text}<extra></extra>",
        name="pairs",
        customdata=[[found.runs[i].name, found.runs[j].name] for i, j in where],
        marker={"symbol": "square", "size": cell - 2, "opacity": 0},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
    )


_SIGNS = {"circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "triangle-down": "▼"}


def _names(
    figure: go.Figure,
    k: int,
    names: Sequence[str],
    style: ModelStyle,
    named: str,
    mode: Mode,
    left: int,
    narrow: bool,
    crowded: bool,
) -> None:
    size = _NARROW_SIZE if narrow else 13
    mark: dict[str, Any] = {"x": 0, "xref": "paper", "y": k}
    figure.add_annotation(
        note(**mark, text=f"{k + 1}", xshift=18 - left, xanchor="right", font=_font(size, "muted", mode))
    )
    sign = _SIGNS.get(style.symbol, "✚")
    figure.add_annotation(note(**mark, text=sign, xshift=25 - left, font={"size": size, "color": style.mark(mode)}))
    label = note(
        **mark,
        text=plain(shown_name(names[k], names, narrow)),
        xshift=(_NARROW_NAME if narrow else 42) - left,
        font=_font(size, "ink", mode),
    )
    figure.add_annotation(label)
    if not narrow:
        mono = {"size": 12, "color": tone("ink", mode), "family": "IBM Plex Mono, monospace"}
        figure.add_annotation(note(**mark, text=named, xshift=-12, xanchor="right", font=mono))
    figure.add_annotation(
        note(
            k,
            1,
            f"{k + 1}" if not (narrow and crowded) or k % 5 == 4 else "",
            yref="paper",
            yshift=4,
            xanchor="center",
            yanchor="bottom",
            font=_font(7 if narrow else 11, "muted", mode),
        )
    )


def _font(size: float, role: str, mode: Mode) -> dict[str, object]:
    return {"size": size, "color": tone(role, mode)}


def table(found: Matrix) -> pd.DataFrame:
    """Return a row for each pair, the better run first: the difference, its interval over all pairs, p, and letters."""
    rows = []
    for i, j in np.argwhere(defined_pairs(found.p)):
        rows.append(
            (
                whole(found.runs[i].name),
                whole(found.runs[j].name),
                float(found.value[i, j]),
                float(found.low[i, j]),
                float(found.high[i, j]),
                float(found.p[i, j]),
                found.letters[i],
                found.letters[j],
            )
        )
    columns = (
        "Run",
        "Against",
        f"{found.metric.label} difference",
        "95 % from",
        "95 % to",
        "Corrected p",
        "Letters",
        "Its letters",
    )
    return pd.DataFrame(rows, columns=list(columns))

"""Effects of the choice of references: a curve per metric by the number of references, above rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from figures.judgments.ranking import ACCENT
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import count, defined, percent, percent_ticks
from figures.style.palette import Mode, alpha, dodge, frame, grey, note, plain, tone
from metrics.mathematics.arrays import Floats

DASHES = ("dash", "dashdot", "dot", "longdash", "longdashdot")
LEFT, RIGHT, TOP, PLOT, ROW = 92, 122, 42, 184, 19
_MOST, _FEW, _SHORT = 8, 3, 4
"""Maximum numbers of texts below an axis: if they have up to `_SHORT` characters, and if they are longer."""
_SHIFTS, _HALF = (14, -14, 25, -25, 36), 0.07
"""Offsets in px of a number from its point, in order of preference, and half its width as a share of the axis."""
_LINE, _LOWEST = 16, 20
"""Height of a line of text, and how far the middle of the lowest name may be below the axis, in px."""
_GAP = 60
"""Distance in px between panels that are stacked."""


@dataclass(frozen=True)
class Line:
    """The curve of one metric: (sizes,) shares."""

    key: str
    label: str
    values: Floats


@dataclass(frozen=True)
class Panel:
    """One quantity by the number of references, with rows of text under the axis, one text for each number.

    `claimed` is the index of the number that a sentence cites, whose value is always written.
    """

    title: str
    lines: tuple[Line, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    claimed: int | None = None

    @property
    def height(self) -> int:
        """Height in px of the plot and the rows under it."""
        return PLOT + 30 + ROW * len(self.rows)


def curves(
    panels: Sequence[Panel], sizes: Sequence[int], chosen: str | None, mode: Mode, stacked: bool = True
) -> go.Figure:
    """Return the panels, stacked or side by side; the line of the `chosen` metric has filled marks and numbers."""
    figure = Drawing()
    height = (
        sum(p.height + TOP for p in panels) + _GAP * (len(panels) - 1)
        if stacked
        else TOP + max(p.height for p in panels)
    )
    frame(figure, mode, height, margin={"l": LEFT, "r": RIGHT, "t": 0, "b": 0})
    top = 0.0
    for k, panel in enumerate(panels):
        across = (0.0, 1.0) if stacked or len(panels) == 1 else ((0.0, 0.34) if k == 0 else (0.66, 1.0))
        begin = top + TOP
        up = (1 - (begin + PLOT) / height, 1 - begin / height)
        _panel(figure, panel, sizes, chosen, mode, "" if k == 0 else str(k + 1), across, up)
        top += panel.height + TOP + _GAP if stacked else 0
    return figure


def _panel(
    figure: go.Figure,
    panel: Panel,
    sizes: Sequence[int],
    chosen: str | None,
    mode: Mode,
    axis: str,
    across: tuple[float, float],
    up: tuple[float, float],
) -> None:
    x, y = f"x{axis}", f"y{axis}"
    known = [v for line in panel.lines for v in line.values if defined(v)]
    most = 1.12 * (max(known, default=0.0) or 0.1)
    if len(sizes) == 1:
        _dots(figure, panel, sizes[0], chosen, mode, axis, most, (across, up))
        return
    listed = _listed(len(sizes))
    _axes(figure, axis, sizes, listed, most, (across, up))
    figure.add_annotation(_text(panel.title, x, y, 1, -LEFT + 4, 26, "ink", mode))
    figure.add_annotation(_text("references", x, y, 0, -LEFT + 4, -15, "muted", mode))
    order = sorted(range(len(panel.lines)), key=lambda k: panel.lines[k].key == chosen)
    dashes = iter(DASHES * 9)
    styles = [None if line.key == chosen else next(dashes) for line in panel.lines]
    for k in order:
        _line(figure, panel.lines[k], styles[k], x, y, mode)
    _names(figure, panel.lines, chosen, most, x, y, mode)
    main = next((line for line in panel.lines if line.key == chosen), None)
    if main is not None:
        said = [_share(float(value)) for value in main.values]
        # A number between the ends that repeats the last one says nothing new.
        places = _numbered(len(sizes), panel.claimed)
        places = [k for k in places if k in (0, panel.claimed, len(sizes) - 1) or said[k] != said[-1]]
        _values(figure, main, panel.lines, most, places, x, y, mode)
    _rows(figure, panel, listed, x, y, mode)


def _dots(
    figure: go.Figure,
    panel: Panel,
    size: int,
    chosen: str | None,
    mode: Mode,
    axis: str,
    most: float,
    domains: tuple[tuple[float, float], tuple[float, float]],
) -> None:
    """Draw a row for each metric: with a single number of references, there is no curve."""
    x, y, lines, (across, up) = f"x{axis}", f"y{axis}", panel.lines, domains
    names = [plain(short(line.label, 13)) for line in lines]
    names = [f"<b>{name}</b>" if line.key == chosen else name for name, line in zip(names, lines)]
    ends = {
        "domain": list(across),
        "range": [-0.05 * most, most],
        "anchor": y,
        "ticks": "",
        "fixedrange": True,
        "showgrid": True,
    }
    rows = {"tickvals": list(range(len(lines))), "ticktext": names, "showgrid": False, "zeroline": False}
    rows |= {"domain": list(up), "range": [len(lines) - 0.5, -0.5], "anchor": x, "fixedrange": True}
    figure.update_layout({f"xaxis{axis}": ends | percent_ticks(0, most), f"yaxis{axis}": rows})
    title = f"{panel.title}, with {count(size, 'reference')}"
    figure.add_annotation(_text(title, x, y, 1, -LEFT + 4, 26, "ink", mode))
    for k, line in enumerate(lines):
        colour = ACCENT[mode] if line.key == chosen else tone("muted", mode)
        said = _share(float(line.values[0]))
        stem = {"color": alpha(colour, 0.45), "width": 2}
        figure.add_shape(type="line", xref=x, yref=y, x0=0, x1=float(line.values[0]), y0=k, y1=k, line=stem)
        figure.add_scatter(
            x=line.values.tolist(),
            y=[k],
            xaxis=x,
            yaxis=y,
            mode="markers",
            name=plain(line.label),
            customdata=[line.key],
            cliponaxis=False,
            marker={"size": 10, "color": colour},
            hovertemplate=f"{plain(line.label)}<br>{said}<extra></extra>",
        )
        right = {"xref": f"{x} domain", "yref": y, "xshift": 10, "font": {"size": 12, "color": colour}}
        figure.add_annotation(note(1, k, said, **right))


def _rows(figure: go.Figure, panel: Panel, listed: Sequence[int], x: str, y: str, mode: Mode) -> None:
    for row, (title, texts) in enumerate(panel.rows):
        shift = -13 - ROW * (row + 1) - 5
        figure.add_annotation(_text(title, x, y, 0, -LEFT + 4, shift, "muted", mode))
        short_texts = max(map(len, texts)) <= _SHORT
        for k in listed if short_texts else _few(len(texts)):
            said = note(k, 0, plain(texts[k]), xref=x, yref=f"{y} domain", xanchor="center", yshift=shift)
            figure.add_annotation(said | {"font": {"size": 12, "color": tone("ink", mode)}})


def _axes(
    figure: go.Figure,
    axis: str,
    sizes: Sequence[int],
    listed: Sequence[int],
    most: float,
    domains: tuple[tuple[float, float], tuple[float, float]],
) -> None:
    last, (across, up) = len(sizes) - 1, domains
    figure.update_layout(
        {
            f"xaxis{axis}": {
                "domain": list(across),
                "range": [-0.2 - 0.06 * last, last + 0.2 + 0.06 * last],
                "tickvals": listed,
                "ticktext": [str(sizes[k]) for k in listed],
                "tickangle": 0,
                "anchor": f"y{axis}",
                "ticks": "",
                "ticklabelstandoff": 6,  # clear of a mark at zero
                "fixedrange": True,
            },
            f"yaxis{axis}": {
                "domain": list(up),
                "range": [0, most],
                **percent_ticks(0, most),
                "anchor": f"x{axis}",
                "fixedrange": True,
                "rangemode": "tozero",
            },
        }
    )


def _listed(count: int) -> list[int]:
    return list(range(count)) if count <= _MOST else sorted(set(np.linspace(0, count - 1, _MOST).round().astype(int)))


def _few(count: int) -> list[int]:
    """Positions of texts that need room: all if few, else the ends, and the middle if it lies evenly between them."""
    return list(range(count)) if count <= _FEW else [0, *([count // 2] if count % 2 else []), count - 1]


def _numbered(count: int, claimed: int | None) -> list[int]:
    places = _few(count)
    if claimed is None or claimed in places:
        return places
    return sorted({claimed, *(k for k in places if k in (0, count - 1) or abs(k - claimed) > 1)})


def _text(text: str, x: str, y: str, at: float, dx: float, dy: float, role: str, mode: Mode) -> dict[str, object]:
    font = {"size": 12 if role == "ink" else 11.5, "color": tone(role, mode)}
    return note(0, at, plain(text), xref=f"{x} domain", yref=f"{y} domain", xshift=dx, yshift=dy, font=font)


def _line(figure: go.Figure, line: Line, dash: str | None, x: str, y: str, mode: Mode) -> None:
    colour = ACCENT[mode] if dash is None else tone("muted", mode)
    fill = colour if dash is None else tone("paper", mode)
    figure.add_scatter(
        x=list(range(len(line.values))),
        y=line.values.tolist(),
        xaxis=x,
        yaxis=y,
        mode="lines+markers",
        name=plain(line.label),
        customdata=[line.key] * len(line.values),
        cliponaxis=False,
        line={"color": colour, "width": 2.6 if dash is None else 1.5, "dash": dash or "solid"},
        marker={"size": 9 if dash is None else 7, "color": fill, "line": {"color": colour, "width": 1.5}},
        text=[_share(float(v)) for v in line.values],
        hovertemplate=f"{plain(line.label)}<br>%{{text}}<extra></extra>",
    )


def _names(
    figure: go.Figure, lines: Sequence[Line], chosen: str | None, most: float, x: str, y: str, mode: Mode
) -> None:
    """Name the lines at their ends.

    The names of lines that end together are stacked in the order of the lines' other values. Lines that are all equal
    get a single name.
    """
    known = [line for line in lines if defined(float(line.values[-1]))]
    if len({tuple(map(_share, line.values.tolist())) for line in known}) == 1 < len(known) == len(lines):
        known = [next((line for line in known if line.key == chosen), known[0])]
    known.sort(key=lambda line: (round(float(line.values[-1]), 3), *line.values.tolist()))
    at = [float(line.values[-1]) / most * PLOT for line in known]
    groups: dict[str, list[float]] = {}
    for line, there in zip(known, _within(dodge(at, _LINE))):
        every = "both metrics" if len(lines) == 2 else f"all {len(lines)} metrics"
        name = every if len(known) == 1 < len(lines) else plain(short(line.label, 17))
        font = {"size": 12.5, "color": ACCENT[mode] if line.key == chosen else tone("ink", mode)}
        bold = f"<b>{name}</b>" if line.key == chosen else name
        label = note(1, there / PLOT, bold, xref=f"{x} domain", yref=f"{y} domain")
        figure.add_annotation(label | {"xshift": 16, "font": font})
        groups.setdefault(_share(float(line.values[-1])), [float(line.values[-1]) / most * PLOT]).append(there)
    last = max((len(line.values) for line in lines), default=1) - 1
    for end, *places in groups.values():
        middle = (places[0] + places[-1]) / 2
        _leader(figure, (last + 0.1, last + 0.2 + 0.06 * last), (end, middle), x, y)
        if places[1:]:
            _leader(figure, (last + 0.2 + 0.06 * last,) * 2, (places[0] - _LINE / 2, places[-1] + _LINE / 2), x, y)


def _within(heights: Sequence[float]) -> list[float]:
    """Heights in px moved up together, if the lowest name would be below the figure."""
    return [height + max(0.0, -_LOWEST - min(heights)) for height in heights]


def _leader(figure: go.Figure, across: tuple[float, float], up: tuple[float, float], x: str, y: str) -> None:
    ends = {"x0": across[0], "x1": across[1], "y0": up[0] / PLOT, "y1": up[1] / PLOT}
    figure.add_shape(type="line", xref=x, yref=f"{y} domain", **ends, line={"color": grey(0.6), "width": 1})


def _crossed(lines: Sequence[Line], k: int, middle: float, most: float) -> int:
    """How many lines cross a number at index k, centred `middle` px above the axis."""
    near = k + np.linspace(-1, 1, 9) * _HALF * (len(lines[0].values) - 1)
    every = [np.interp(near, np.arange(len(line.values)), line.values) / most * PLOT for line in lines]
    return sum(bool((np.abs(at - middle) < 9).any()) for at in every)


def _share(value: float) -> str:
    return percent(value, 1 if value else 0)


def _values(
    figure: go.Figure,
    main: Line,
    lines: Sequence[Line],
    most: float,
    listed: Sequence[int],
    x: str,
    y: str,
    mode: Mode,
) -> None:
    for k in listed:
        here = float(main.values[k])
        if not defined(here):
            continue
        shifts = [shift for shift in _SHIFTS if 8 <= here / most * PLOT + shift <= PLOT - 8]
        best = min(shifts, key=lambda shift: _crossed(lines, k, here / most * PLOT + shift, most), default=_SHIFTS[0])
        text = note(k, here, f"<b>{_share(here)}</b>", xref=x, yref=y, xanchor="center", yshift=best)
        ground = {"bgcolor": alpha(tone("paper", mode), 0.9), "borderpad": 0}
        figure.add_annotation(text | ground | {"font": {"size": 12, "color": ACCENT[mode]}})

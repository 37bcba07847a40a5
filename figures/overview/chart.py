"""The two orders of a study's runs, with a line per run: on the left by quality, on the right by distance to people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
import plotly.graph_objects as go

from figures.export.paper import Ground
from figures.overview.first_run import few_behind
from figures.overview.names import BOTH_SIDES, ROOM, ROOMY, run_labels, two_lines
from figures.overview.people import p_line
from figures.overview.words import FEW, value_line, with_interval
from figures.style.drawing import Drawing
from figures.style.numbers import DASH, decimals, num, rank_text
from figures.style.palette import Mode, ModelStyle, frame, grey, note, plain, styles_of, tone
from figures.style.run_names import JOINT, short_names
from figures.style.text_width import in_two, text_width
from metrics.analysis.overview import Order, Overview

PITCH, EDGE, MARGIN = 22.6, 12, 136
NAME, RANK = 32, 14
"""Distance in px of a name from its side of the chart, and the width of the rank in between."""
ONE_SIDE, NUMBER = 190, 76
"""Maximum width in px of a name opposite a side with only numbers, and of these numbers."""
SMALL, BOLD = 11, 6
"""The font size of names in two lines, and how many px wider they are in bold."""
VALUE, VALUE_SIZE = 15, 10.5
"""Height in px of the line with a value below a name, and its font size."""
THIRD = 10
"""Height in px that a third line adds to a row."""
WHOLE, MOST = 16, 12
"""Maximum number of runs that are all shown; if there are more, the rows with the one that counts the rest."""
_T = np.linspace(0, 1, 41)
_EASE = _T**3 * (_T * (6 * _T - 15) + 10)
_LINE: dict[Mode, str] = {"light": "rgba(128,123,115,.5)", "dark": "rgba(160,155,147,.55)"}
_DOT: dict[Mode, str] = {"light": "#B1AEA8", "dark": "#66625C"}
_SIZE = 12.5
Kind = Literal["dot", "ring", "cross"]


@dataclass(frozen=True)
class Side:
    """One side of the chart: the runs from top to bottom, and whether its ranks have been computed.

    An `unordered` side has too few runs with a value for ranks, so runs keep their positions from the other side.
    """

    order: Order
    runs: tuple[int, ...]
    known: bool
    unordered: bool = False

    def y(self, run: int) -> int:
        """The slot of a run, 0 at the top."""
        return self.runs.index(run)


def shown_runs(seen: Overview) -> tuple[int, ...]:
    """Return the runs that the chart shows: all of up to WHOLE, else the emphasised, then the best, MOST - 1 in all.

    If a run is the only one clearly behind in an order, it is shown, too: the headline may name it. In the second case,
    runs without a rank have no row, unless ranks are still being computed.
    """
    every = range(len(seen.study.runs))
    if len(every) <= WHOLE:
        return tuple(every)
    ranked = (order.at(rank) for rank in range(1, len(every) + 1) for order in (seen.quality, seen.other))
    best = [k for k in ranked if k is not None]
    last = [found[0] for order in (seen.quality, seen.other) if len(found := few_behind(order)) == 1]
    wanted = dict.fromkeys([*seen.emphasised, *last, *best, *(every if seen.waiting else ())])
    return tuple(sorted(list(wanted)[: MOST - 1]))


def side(order: Order, runs: tuple[int, ...]) -> Side:
    """Return these runs by rank; runs without a rank are last, in the given order."""
    ranked = sorted(runs, key=lambda k: (order.rank[k] == 0, order.rank[k]))
    return Side(order, tuple(ranked), not order.waiting)


def bump(seen: Overview, on: Ground, roomy: bool = False) -> go.Figure:
    """Return a chart of two orders; ranks that are being computed are a dotted axis with an ellipsis in each slot.

    A `roomy` chart has the whole width of a laptop's page, so that most names need only one line.
    """
    runs = shown_runs(seen)
    left = side(seen.quality, runs)
    right = side(seen.other, left.runs)
    if seen.too_few:
        right = replace(right, runs=left.runs, unordered=True)
    styles = styles_of(seen.study)
    names = _names(seen, ROOMY if roomy else BOTH_SIDES)
    strong = runs if len(runs) <= FEW else seen.emphasised if left.known and right.known else seen.emphasised[:1]
    more = len(seen.study.runs) - len(runs)
    figure = Drawing()
    for x, of in ((0, left), (1, right)):
        _axis(figure, x, of, len(runs), on.mode)
    for run in sorted(runs, key=lambda k: k in strong):
        style = styles[seen.study.runs[run].model] if run in strong else None
        if left.known and right.known and not (right.unordered and not seen.other.rank[run]):
            _line(figure, seen, run, left.y(run), right.y(run), style, on.mode)
        for x, of in ((0, left), (1, right)):
            _end(figure, seen, run, x, of, style, names, on.mode)
    slots = len(runs) + bool(more)
    if more:
        for x in (0, 1):
            figure.add_annotation(_beside(x, len(runs), f"⋮ {more} more", tone("muted", on.mode), 400))
    height = round(2 * names.edge + names.pitch * (slots - 1))
    margin = {"l": names.left, "r": names.right, "t": 0, "b": 0}
    frame(figure, on.mode, max(height, 60), margin=margin, hoverdistance=12)
    pad = names.edge / names.pitch
    figure.update_xaxes(visible=False, range=[0, 1], fixedrange=True)
    figure.update_yaxes(visible=False, range=[slots - 1 + pad, -pad], fixedrange=True)
    return figure


@dataclass(frozen=True)
class _Names:
    """The names beside the chart with line breaks, their font size, the distance between rows, and both margins, in px.

    Long names take two lines, and the value follows in the second; if this leaves the chart no room on a phone, values
    are `below` these two, in a third line. Names on only one side have more room. `ends` tells whether values have
    intervals. `ranks` are the widths that `_beyond` returns for the two sides.
    """

    labels: Sequence[str]
    second: Sequence[str] = ()
    size: float = _SIZE
    pitch: float = PITCH
    edge: float = EDGE
    left: float = MARGIN
    right: float = MARGIN
    values: bool = False
    below: bool = False
    ends: bool = True
    ranks: tuple[float, float] = (0.0, 0.0)


def _names(seen: Overview, most: float) -> _Names:
    every, short = seen.study.runs, short_names(seen.study.runs)
    widest = max(map(text_width, short.values()))
    if seen.too_few:
        room = min(max(widest, ROOM), ONE_SIDE)
        labels, ranks = [plain(label) for label in run_labels(every, room)], (_beyond(seen.quality), 0.0)
        return _Names(labels, left=MARGIN - ROOM + room + ranks[0], right=NUMBER, ranks=ranks)
    ranked = [(of, k) for of in (seen.quality, seen.other) for k in range(len(every)) if of.rank[k]]
    values = [text_width(_value(order, k)) * VALUE_SIZE / _SIZE for order, k in ranked]
    room = min(max(widest, ROOM, *values), most)
    # Names of emphasised runs are bold, so they are wider by a share of their length.
    margin = MARGIN - ROOM + room + 0.06 * max(room - BOTH_SIDES / 2, 0) * (most > BOTH_SIDES)
    if not two_lines(every, most):
        names = _Names([plain(label) for label in run_labels(every, room)], left=margin, right=margin)
    else:
        lines = [_two_lines(short[run.name], room * _SIZE / SMALL) for run in every]
        first, second = ([plain(line[k]) for line in lines] for k in (0, 1))
        wide = [_last_line(lines, of) for of in (seen.quality, seen.other)]
        below = max(wide) > most
        left, right = (margin - room + (room if below else max(room, one)) for one in wide)
        names = _Names(first, second, SMALL, PITCH + THIRD * below, EDGE, left + BOLD, right + BOLD, below=below)
    pitch, edge = names.pitch + VALUE, names.edge + VALUE / 2
    ranks = _beyond(seen.quality), _beyond(seen.other)
    left, right = names.left + ranks[0], names.right + ranks[1]
    ends = not two_lines(every)
    return replace(names, pitch=pitch, edge=edge, left=left, right=right, values=True, ends=ends, ranks=ranks)


def _beyond(order: Order) -> float:
    """The width in px that ranges of ranks need beyond a rank of two digits."""
    return max(0.0, *(text_width(_rank(order, k), VALUE_SIZE) - RANK for k in range(len(order.rank))))


def _rank(order: Order, run: int) -> str:
    """The ranks that a run may have, as on the Leaderboard; "" without a value."""
    low, high = order.span(run)
    return rank_text(low or None, high or None)


def _last_line(lines: Sequence[tuple[str, str]], order: Order) -> float:
    """Return the width in px of the widest second line with its value."""
    values = [_value(order, k, ends=False) if order.rank[k] else "" for k in range(len(lines))]
    return max(
        text_width(f"{second}: ", SMALL) + text_width(value, VALUE_SIZE) for (_, second), value in zip(lines, values)
    )


def _two_lines(name: str, room: float) -> tuple[str, str]:
    """Return a name in one or two lines of at most `room` px: if possible, the model and then its settings."""
    model, dot, settings = name.partition(JOINT)
    lines = (model, settings) if dot and max(map(text_width, (model, settings))) <= room else in_two(name, room)
    return lines[0], "".join(lines[1:])


def _value(order: Order, run: int, ends: bool = True) -> str:
    known = order.values[np.isfinite(order.values)]
    digits = min(decimals(known), 2 if np.abs(known).max() >= 1 else 3)
    return with_interval(order, run, digits) if ends else num(order.values[run], digits)


def _axis(figure: go.Figure, x: int, of: Side, slots: int, mode: Mode) -> None:
    ranks = [int(of.order.rank[run]) for run in of.runs] if of.known and not of.unordered else []
    for y, (rank, below) in enumerate(pairwise(ranks)):
        if below > rank + 1:
            figure.add_annotation(_beside(x, y + 0.5, "⋮", tone("muted", mode), 400, shift=14))
    line = {"color": grey(0.17 if of.known else 0.45), "width": 1, "dash": "solid" if of.known else "dot"}
    figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=slots - 1, line=line, layer="below")


def _line(
    figure: go.Figure, seen: Overview, run: int, start: int, end: int, style: ModelStyle | None, mode: Mode
) -> None:
    """Draw a run's line from one side to the other, dashed if the run has no rank on a side."""
    path = {"x": _T, "y": start + (end - start) * _EASE, "mode": "lines", "hoverinfo": "skip"}
    missing = not (seen.quality.rank[run] and seen.other.rank[run])
    dash = {"dash": "2px,3px"} if missing else {}
    if style is not None:
        figure.add_scatter(**path, line={"color": tone("paper", mode), "width": 6}, cliponaxis=False)
    colour = style.mark(mode) if style else _LINE[mode]
    hover = {"hovertemplate": f"{_hover(seen, run)}<extra></extra>", "hoverinfo": "all"}
    figure.add_scatter(
        **path | hover,
        line={"color": colour, "width": 3 if style else 1.2} | dash,
        cliponaxis=False,
        name=plain(seen.study.runs[run].name),
    )


def _end(
    figure: go.Figure, seen: Overview, run: int, x: int, of: Side, style: ModelStyle | None, names: _Names, mode: Mode
) -> None:
    y, rank = of.y(run), int(of.order.rank[run])
    colour = tone("muted", mode)
    if not of.known:
        figure.add_annotation(_beside(x, y, "…", colour, 400, shift=11))
        return
    if of.unordered and not rank:
        return
    figure.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        cliponaxis=False,
        marker=_mark(style, _kind(seen, run, x, rank), mode),
        hovertemplate=f"{_hover(seen, run)}<extra></extra>",
        name=plain(seen.study.runs[run].name),
    )
    text, weight = (style.text(mode), 600) if style else (colour, 400)
    if of.unordered:
        figure.add_annotation(_beside(x, y, num(of.order.values[run]), text, weight, shift=11))
        return
    low, high = of.order.span(run)
    size = VALUE_SIZE if low < high else _SIZE
    figure.add_annotation(_beside(x, y, _rank(of.order, run) or DASH, text, weight, shift=11, size=size))
    label, second = names.labels[run], names.second[run] if names.second else ""
    if second:
        label += f"<br>{second}"
    if names.values and rank:
        value = _value(of.order, run, ends=names.ends and not second)
        joint = ": " if second and not names.below else "<br>"
        quiet = f"font-size:{VALUE_SIZE}px;font-weight:400;color:{tone('muted', mode)}"
        label += f'{joint}<span style="{quiet}">{value}</span>'
    figure.add_annotation(_beside(x, y, label, text, weight, shift=NAME + names.ranks[x], size=names.size))


def _kind(seen: Overview, run: int, x: int, rank: int) -> Kind:
    if x and run in seen.alike:
        return "ring"
    return "dot" if rank or (x and seen.tested(run)) else "cross"


def _mark(style: ModelStyle | None, kind: Kind, mode: Mode) -> dict[str, object]:
    paper = tone("paper", mode)
    colour, strong = (style.mark(mode), True) if style else (_DOT[mode], False)
    if kind == "cross":
        return {
            "size": 8 if strong else 6,
            "symbol": "x-thin",
            "line": {"color": colour, "width": 2 if strong else 1.5},
        }
    if kind == "ring":
        line = {"color": colour, "width": 3 if strong else 1.75}
        symbol = style.symbol if style else "circle"
        return {"size": 11 if strong else 7, "symbol": symbol, "color": paper, "line": line}
    if style is None:
        return {"size": 5.2, "color": colour}
    return {"size": 11, "symbol": style.symbol, "color": colour, "line": {"color": paper, "width": 1.5}}


def _beside(
    x: int, y: float, text: str, colour: str, weight: int, shift: float = NAME, size: float = _SIZE
) -> dict[str, object]:
    sign, anchor = (1, "left") if x else (-1, "right")
    font = {"size": size, "color": colour, "weight": weight}
    return note(x, y, text, xanchor=anchor, xshift=sign * shift, font=font, align=anchor)


def _hover(seen: Overview, run: int) -> str:
    rows = [
        f"<b>{plain(seen.study.runs[run].name, 60)}</b>",
        value_line(seen.quality, run),
        value_line(seen.other, run),
    ]
    return "<br>".join(filter(None, [rows[0], *(plain(row) for row in [*rows[1:], p_line(seen, run)] if row)]))

"""The values of an item's runs by several metrics, as an HTML table with a bar for each value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from figures.images.caption_cells import caption
from figures.style.escaping import esc
from figures.style.html import alike
from figures.style.numbers import COMPUTING, DASH, interval, num

_UNBROKEN = 14
"""Maximum length of a run's name that stays on one line."""


@dataclass(frozen=True)
class RunValues:
    """A run's name, the colour of its bars, and its values in column order; NaN if undefined.

    `texts` are its captions, for a table that shows them; None for one that does not. `scores` are the values to show
    after each of several captions, by caption; `mark` is HTML.
    """

    name: str
    colour: str
    values: Sequence[float]
    texts: Sequence[str] | None = None
    scores: Mapping[str, str] = field(default_factory=dict)
    mark: str = ""


@dataclass(frozen=True)
class MetricColumn:
    """A metric: its name, what a higher value means, and its better end (None if there is none).

    Values have `digits` decimals; bars begin at `low` and reach to `high`, by default from 0 to the largest value. A
    column whose lower values are better has no bars, since the worst value would have the longest. Rows in `waiting`
    are being computed; `chance` maps a row to the range expected by chance.
    """

    label: str
    direction: str
    higher_is_better: bool | None = None
    waiting: Collection[int] = ()
    chance: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    digits: int = 3
    low: float = 0.0
    high: float | None = None


def values_table(rows: Sequence[RunValues], columns: Sequence[MetricColumn], scored: str = "") -> str:
    """Return the table: a row for each run, the best value of a metric in bold unless it is tied.

    `scored` explains the values after captions.
    """
    heads = "".join(
        f'<th scope="col"><b>{esc(one.label)}</b><small>{esc(one.direction)}</small></th>' for one in columns
    )
    each = f"<small>{esc(scored)}</small>" if scored else ""
    said = any(row.texts is not None for row in rows)
    captions = f'<th scope="col"><b>Caption</b>{each}</th>' if said else ""
    cells = [_cells(column, rows, [row.values[k] for row in rows]) for k, column in enumerate(columns)]
    body = "".join(
        f'<tr><th scope="row" dir="auto" style="color:{esc(row.colour)}"{_short(row.name)}>'
        f"{esc(row.name)}{row.mark}</th>"
        f"{_said(row)}{''.join(column[k] for column in cells)}</tr>"
        for k, row in enumerate(rows)
    )
    return (
        '<div class="tl-vals" tabindex="0" role="region" aria-label="Values of each run"><table>'
        f'<thead><tr><th scope="col"><b>Run</b></th>{captions}{heads}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _short(name: str) -> str:
    """The class of a name that is not broken, such as VinVL-large; "" for longer ones, which may break at hyphens."""
    return ' class="short"' if len(name) <= _UNBROKEN else ""


def _said(row: RunValues) -> str:
    """The cell of all captions, each once."""
    if row.texts is None:
        return ""
    lines = [f"{caption(same)}{_times(same)}{_score(row, same[0])}" for same in alike(row.texts)]
    return f'<td class="said">{"<br>".join(lines) or caption(())}</td>'


def _times(same: Sequence[str]) -> str:
    return f" <em>×{len(same)}</em>" if len(same) > 1 else ""


def _score(row: RunValues, text: str) -> str:
    return f" <em>{esc(row.scores[text])}</em>" if text in row.scores else ""


def _cells(column: MetricColumn, rows: Sequence[RunValues], values: Sequence[float]) -> list[str]:
    known = [value for value in values if np.isfinite(value)]
    digits, begin = column.digits, column.low
    room = (max(known, default=0.0) if column.high is None else column.high) - begin
    several = len(known) > 1 or column.high is not None  # the largest of one value would fill its bar
    drawn = several and room > 0 and min(known, default=begin) >= begin and column.higher_is_better is not False
    best = np.nan
    if column.higher_is_better is not None and len(known) > 1:
        end = (max if column.higher_is_better else min)(known)
        best = end if known.count(end) == 1 else np.nan
    made = []
    for k, (row, value) in enumerate(zip(rows, values, strict=True)):
        if not np.isfinite(value):
            made.append(f'<td><span class="mut">{COMPUTING if k in column.waiting else DASH}</span></td>')
            continue
        tag = "b" if value == best else "span"
        bar = f'<i style="--w:{(value - begin) / room:.3f};--c:{esc(row.colour)}"></i>' if drawn else ""
        ends = column.chance.get(k, (np.nan, np.nan))
        chance = f"<small>chance {interval(*ends, digits)}</small>" if np.isfinite(ends[0]) else ""
        made.append(f"<td><{tag}>{num(value, digits)}</{tag}>{bar}{chance}</td>")
    return made

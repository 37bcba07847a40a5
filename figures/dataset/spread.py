"""The runs of a large study as marks on lines, when their table is folded: how long captions are, how many are
repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from figures.style.escaping import esc
from figures.style.numbers import defined


@dataclass(frozen=True)
class Line:
    """A quantity with a value for each run, in the order of the names, and the printf format of its values."""

    title: str
    values: Sequence[float]
    form: str


def spread(names: Sequence[str], lines: Iterable[Line]) -> str:
    """Return, as HTML, a line for each quantity by which runs differ, with a mark for each run and the runs at both
    ends.

    It is "" if no quantity, as printed, differs between runs.
    """
    return "".join(_line(names, one) for one in lines)


def _line(names: Sequence[str], one: Line) -> str:
    known = [(value, name) for value, name in zip(one.values, names, strict=True) if defined(value)]
    if len({one.form % value for value, _ in known}) < 2:
        return ""
    (low, first), (high, last) = min(known), max(known)
    marks = "".join(
        f'<i style="left:{100 * (value - low) / (high - low):.2f}%" title="{esc(name)}: {esc(one.form % value)}"></i>'
        for value, name in known
    )
    ends = "".join(f"<span>{esc(one.form % value)} {esc(name)}</span>" for value, name in ((low, first), (high, last)))
    said = f"{one.title} of {len(known)} runs, from {one.form % low} ({first}) to {one.form % high} ({last})"
    drawing = f'<div role="img" aria-label="{esc(said)}">{marks}</div>'
    return f'<div class="tl-spread"><b>{esc(one.title)}</b>{drawing}<p>{ends}</p></div>'

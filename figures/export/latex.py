"""LaTeX tables with booktabs: best in bold, second underlined, intervals, daggers, all text escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from figures.export.latex_page import CROWDED, Column, Layout, choose_layout, with_break_points
from figures.style.escaping import whole
from figures.style.numbers import P_VALUE, p_text

if TYPE_CHECKING:
    import pandas as pd

Side = Literal["min", "max"]
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "²": r"$^2$",
    "³": r"$^3$",
    "×": r"$\times$",
    "−": r"$-$",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "≠": r"$\ne$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "←": r"$\leftarrow$",
    "→": r"$\rightarrow$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "–": "--",
    "—": "---",
    "·": r"$\cdot$",
    "†": r"$^{\dagger}$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "\u00a0": "~",
    "\u202f": r"\,",
    "`": "`{}",
}
# LaTeX would turn two hyphens, which a name may have, into a dash.
_PATTERN = re.compile("|".join(["-(?=-)", *map(re.escape, _SPECIAL)]))
_POWER = re.compile(r"e([+-]?)0*(\d+)$")
_RAISED = re.compile("[⁻⁰¹⁴⁵⁶⁷⁸⁹]+[⁰¹²³⁴⁵⁶⁷⁸⁹]*")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_BREAKS = re.compile(r"\s*[\r\n\u2028\u2029]+\s*")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FROM, _TO = "95 % from", "95 % to"
DAGGER = r"$^{\dagger}$"


@dataclass(frozen=True)
class Marks:
    """Marks that a table shows besides its numbers.

    `best` names the columns whose smallest or largest value is bold and whose next one is underlined; values that print
    alike share the mark. `intervals` gives, for a column, the two columns with the ends of its interval, which are
    printed below its numbers instead of as columns. `daggers` has a flag for each row of a column. The last `apart`
    rows are below a rule and do not compete (people, for example).
    """

    best: Mapping[str, Side] = field(default_factory=dict)
    second: bool = True
    intervals: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    daggers: Mapping[str, Sequence[bool]] = field(default_factory=dict)
    apart: int = 0

    def words(self) -> str:
        """Return the meaning of the marks, for a caption; daggers are explained by the caller."""
        said = ""
        if self.best:
            said = "Best bold, second underlined." if self.second else "Best bold."
        return f"{said} Brackets: 95 % intervals.".strip() if self.intervals else said


def escape(text: str) -> str:
    """Return text that LaTeX prints literally, on one line."""
    line = _CONTROL.sub("", _BREAKS.sub(" ", whole(text)))
    raised: list[str] = []

    def lift(found: re.Match[str]) -> str:
        raised.append(found.group().translate(_LOWERED))
        return "\0"

    escaped = _PATTERN.sub(lambda m: _SPECIAL.get(m.group(), "-{}"), _RAISED.sub(lift, line))
    for power in raised:
        escaped = escaped.replace("\0", f"$^{{{power}}}$", 1)
    return escaped


def booktabs(
    table: pd.DataFrame,
    best: Mapping[str, Side] | None = None,
    digits: int | Mapping[str, int] = 3,
    caption: str = "",
    label: str = "",
    *,
    marks: Marks | None = None,
    formats: Mapping[str, str] | None = None,
    signatures: Sequence[str] = (),
) -> str:
    """Return a `table` or `longtable` for booktabs, preceded by comments with requirements and signatures.

    `best` is shorthand for `marks` with the intervals found in the table (`intervals_of`). Numbers have `digits`
    decimals or, in the columns of `formats`, the format given there: "%.1f", for example, or P_VALUE. Integer columns
    have no decimals; an undefined number is a dash. A column of empty texts is left out. The caption ends with the
    meaning of the marks. Raises KeyError for an unknown column.
    """
    marks = marks or Marks(best or {}, intervals=intervals_of(table))
    ends = {end for pair in marks.intervals.values() for end in pair}
    shown = [c for c in table.columns if c not in ends and not _blank(table[c])]
    cells = {str(c): _column(table[c], _digits(digits, str(c)), (formats or {}).get(str(c))) for c in shown}
    for name, side in marks.best.items():
        cells[name] = _ranked(cells[name], table[name], side, marks)
    for name, flags in marks.daggers.items():
        cells[name] = _daggered(cells[name], flags)
    below = {
        name: _interval(table[low], table[high], _digits(digits, name)) for name, (low, high) in marks.intervals.items()
    }
    heads = _heads([str(c) for c in shown])
    columns = [
        Column(head, cells[str(c)], below.get(str(c), ()), _numeric(table[c])) for c, head in zip(shown, zip(*heads))
    ]
    found = choose_layout(columns)
    for place in found.shares:
        cells[str(shown[place])] = [with_break_points(cell) for cell in cells[str(shown[place])]]
    heading = _heading(" ".join(filter(None, [caption, marks.words()])), label)
    rows = [f"{_kept_apart(' & '.join(row))} \\\\" for row in heads]
    lines = found.around(heading, rows, _body(cells, below, len(table), marks.apart))
    return "\n".join([*_comments(found, signatures), *lines]) + "\n"


def _blank(column: pd.Series) -> bool:
    return bool(len(column)) and all(isinstance(cell, str) and not cell.strip() for cell in column)


def commented(sentence: str) -> str:
    """Return a sentence as a LaTeX comment; "" stays ""."""
    return f"% {_inert(sentence)}\n" if sentence else ""


def intervals_of(table: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Return the columns with an interval, each with the two columns of its ends.

    "TRM 95 % from" and "TRM 95 % to" belong to TRM; a pair without a name belongs to the column before it.
    """
    names, found = [str(c) for c in table.columns], {}
    for place, (low, high) in enumerate(pairwise(names)):
        if low.endswith(_FROM) and high == low.removesuffix(_FROM) + _TO and place:
            owner = low.removesuffix(_FROM).strip() or names[place - 1]
            if owner in names:
                found[owner] = (low, high)
    return found


def _heading(caption: str, label: str) -> list[str]:
    lines = [rf"\caption{{{escape(caption)}}}"] if caption else []
    return lines + ([rf"\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', label)}}}"] if label else [])


def _comments(found: Layout, signatures: Sequence[str]) -> list[str]:
    said = ["% Signatures of the numbers:", *(f"%   {s}" for s in dict.fromkeys(signatures))] if signatures else []
    return [_inert(line) for line in (*found.needs(), *said)]


def _inert(line: str) -> str:
    return _CONTROL.sub("", _BREAKS.sub(" ", whole(line)))


def _heads(names: Sequence[str]) -> list[list[str]]:
    """The header rows. In a crowded table, long headers take two lines, and the arrow stays with the last word."""
    split = [_two_lines(name) if len(names) > CROWDED else ("", name) for name in names]
    return [row for lines in zip(*split) if any(row := [escape(line) for line in lines])]


def _two_lines(name: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.+?) (\S+(?: [↑↓])?)", name)
    return (found[1], found[2]) if found and found[2] not in "↑↓" else ("", name)


def _body(cells: Mapping[str, list[str]], below: Mapping[str, list[str]], rows: int, apart: int) -> list[str]:
    lines = []
    for k in range(rows):
        if apart and k == rows - apart and k:
            lines.append(r"\midrule")
        row = _kept_apart(" & ".join(column[k] for column in cells.values()))
        under = [below[name][k] if name in below else "" for name in cells]
        lines += [rf"{row} \\[-1pt]", rf"{' & '.join(under)} \\[2pt]"] if any(under) else [rf"{row} \\"]
    return lines


def _kept_apart(row: str) -> str:
    """Return a row, after `{}` if LaTeX could read its leading bracket or star as an argument of the line above."""
    return ("{}" if row.startswith(("[", "*")) else "") + row


def _numeric(values: pd.Series[Any]) -> bool:
    return values.dtype.kind in "iufc"


def _digits(digits: int | Mapping[str, int], column: str) -> int:
    return digits if isinstance(digits, int) else digits.get(column, 3)


def _column(values: pd.Series[Any], digits: int, form: str | None = None) -> list[str]:
    if not _numeric(values):
        return ["--" if absent else escape(_said(v)) for v, absent in zip(values, values.isna())]
    if form is not None:
        return [_formed(form, float(v)) if not absent else "--" for v, absent in zip(values, values.isna())]
    digits = 0 if values.dtype.kind in "iu" else digits
    return [_number(float(v), digits) if not absent else "--" for v, absent in zip(values, values.isna())]


def _said(value: object) -> str:
    return str(value) if not isinstance(value, bool | np.bool_) else "yes" if value else "no"


def _formed(form: str, value: float) -> str:
    if not math.isfinite(value):
        return "--"
    if form == P_VALUE:
        return escape(p_text(value))
    text = _POWER.sub(lambda m: rf"$\times$10$^{{{m[1].lstrip('+')}{m[2]}}}$", form % value)
    return f"$-${text[1:]}" if text.startswith("-") else text


def _number(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return "--"
    text = f"{value:.{digits}f}"
    return f"$-${text[1:]}" if text.startswith("-") and float(text) != 0 else text.lstrip("-")


def _interval(low: pd.Series[Any], high: pd.Series[Any], digits: int) -> list[str]:
    ends = zip(_column(low, digits), _column(high, digits))
    return ["" if "--" in pair else rf"{{\scriptsize [{pair[0]}, {pair[1]}]}}" for pair in ends]


def _ranked(printed: list[str], values: pd.Series[Any], side: Side, marks: Marks) -> list[str]:
    rows = zip(values[: len(values) - marks.apart], values.isna(), printed)
    competing = [(float(v), text) for v, absent, text in rows if not absent]
    finite = sorted((one for one in competing if math.isfinite(one[0])), reverse=side == "max")
    order = list(dict.fromkeys(text for _, text in finite))
    styles = dict(zip(order, (r"\textbf{%s}", r"\underline{%s}" if marks.second else "%s")))
    last = len(printed) - marks.apart
    return [styles.get(text, "%s") % text if k < last else text for k, text in enumerate(printed)]


def _daggered(printed: list[str], flags: Sequence[bool]) -> list[str]:
    """Return the cells with daggers; unflagged cells get the same space, so that digits stay aligned."""
    if not any(flags):
        return printed
    return [text + (DAGGER if flag else rf"\phantom{{{DAGGER}}}") for text, flag in zip(printed, flags, strict=True)]

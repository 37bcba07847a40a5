"""How a table is placed on a page of a paper: in one column or across both, smaller, wrapped, or over several pages.

Widths are estimated in points from the printed letters, with a safety margin.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from figures.export.paper import COLUMN, PAGE

WIDE, CROWDED = 4, 6
"""Tables with more columns than WIDE span both columns of a two-column paper; with more than CROWDED, they are in a
smaller size.
"""
_POINTS = 72.27
_ACROSS, _LENGTH, _HEIGHT = PAGE * _POINTS, 640.0, 560.0
"""In points: the width and the height of a page, and the height that header and caption leave for the rows."""
_APART = 1.0
_SENTENCE, _NARROWEST, _WORD = 28, 60.0, 20
"""Width in digits above which text may wrap, its minimum width in points, and width in digits above which a word may
break.
"""
_SHRINK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{"
_THIN, _BROAD, _SMALLER = frozenset(" .,:;'|!()[]ijl"), frozenset(["m", "w", "-", r"\%", r"\&"]), 0.85
_ONE_COLUMN = "% The table spans pages, which two-column text does not allow: put \\onecolumn before it."
_TOO_WIDE = "% The table is wider than a page: leave columns out."
_MACRO = re.compile(r"\\(?:textbf|underline|scriptsize|phantom)\b *|[{}$]|\[-?\d+pt\]")
_SIGN = re.compile(r"\\[A-Za-z]+\{\}|\\.|\$[^$]*\$|.")
Environment = Literal["table", "table*", "longtable"]


@dataclass(frozen=True)
class _Size:
    """A font size: its command, and the sizes in points of a digit, a line and the gap between columns."""

    command: str
    digit: float
    line: float
    gap: float


_NORMAL = _Size("", 5.0, 12.0, 12.0)
_SMALL = _Size(r"\footnotesize", 4.25, 9.5, 6.0)
_SMALLEST = _Size(r"\scriptsize", 3.75, 8.0, 6.0)


@dataclass(frozen=True)
class Column:
    """A printed column: the lines of its header, a cell for each row, and text below cells ("" for none)."""

    head: Sequence[str]
    cells: Sequence[str]
    below: Sequence[str] = ()
    numeric: bool = False

    def max_width(self) -> float:
        """The width of the column's widest line, in digits."""
        return max((printed_width(line) for line in (*self.head, *self.cells, *self.below)), default=0.0)

    def mean_width(self) -> float:
        """The mean width of the column's cells, in digits; at least 1."""
        return max(1.0, sum(map(printed_width, self.cells)) / max(1, len(self.cells)))


@dataclass(frozen=True)
class Layout:
    """Position and size of a table. `shares` maps the positions of wrapped columns to shares of the free width of the
    line.

    An `overfull` table fits at no font size and, if it is on one page, is scaled down; the pages of a `rotated` one are
    turned by 90 degrees.
    """

    environment: Environment
    size: _Size
    kinds: str
    fixed: float
    shares: dict[int, float] = field(default_factory=dict)
    overfull: bool = False
    rotated: bool = False

    def needs(self) -> list[str]:
        """Return comments on the packages that the table needs and on its other requirements."""
        long = self.environment == "longtable"
        wanted = {
            "array": bool(self.shares),
            "graphicx": self.overfull and not long,
            "longtable": long,
            "pdflscape": self.rotated,
        }
        names = ",".join(["booktabs", *(name for name, needed in wanted.items() if needed)])
        said = [_ONE_COLUMN] * long + [_TOO_WIDE] * (long and self.overfull)
        return [rf"% Needs \usepackage{{{names}}}.", *said]

    def columns(self) -> str:
        """The argument of the tabular environment: wrapped columns share the width that the others leave."""
        free = rf"\dimexpr\linewidth-{math.ceil(self.fixed)}pt\relax"
        wrapped = r">{\raggedright\arraybackslash}p{%.3f%s}"
        return "".join(wrapped % (self.shares[k], free) if k in self.shares else c for k, c in enumerate(self.kinds))

    def around(self, heading: Sequence[str], heads: Sequence[str], rows: Sequence[str]) -> list[str]:
        """Return all lines of the table, given its heading, header rows and rows."""
        top = [r"\toprule", *heads, r"\midrule"]
        small = [self.size.command, r"\setlength{\tabcolsep}{3pt}"] if self.size.command else []
        if self.environment == "longtable":
            return self._over_pages(heading, top, rows, small)
        shrink, end = (_SHRINK, "}") if self.overfull else ("", "")
        return [
            rf"\begin{{{self.environment}}}",
            r"\centering",
            *small,
            *heading,
            rf"{shrink}\begin{{tabular}}{{{self.columns()}}}",
            *top,
            *rows,
            r"\bottomrule",
            rf"\end{{tabular}}{end}",
            rf"\end{{{self.environment}}}",
        ]

    def _over_pages(
        self, heading: Sequence[str], top: Sequence[str], rows: Sequence[str], small: Sequence[str]
    ) -> list[str]:
        first = [*heading[:-1], rf"{heading[-1]} \\"] if heading else []
        again = [r"\caption[]{(continued)} \\"] if heading else []
        turn, back = ([r"\begin{landscape}"], [r"\end{landscape}"]) if self.rotated else ([], [])
        return [
            *turn,
            r"\begingroup",
            *small,
            r"\setlength{\LTcapwidth}{\linewidth}",
            rf"\begin{{longtable}}{{{self.columns()}}}",
            *first,
            *top,
            r"\endfirsthead",
            *again,
            *top,
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *rows,
            r"\end{longtable}",
            r"\endgroup",
            *back,
        ]


def printed_width(text: str) -> float:
    """Return the width of LaTeX text in digits: capitals count more, full stops less, commands nothing."""
    seen = _MACRO.sub("", re.sub(r"\\[A-Za-z]+\{\}|\\(?!textbf|underline|scriptsize|phantom)[A-Za-z]+", "x", text))
    signs = _SIGN.findall(seen)
    wide, thin = sum(sign.isupper() or sign in _BROAD for sign in signs), sum(sign in _THIN for sign in signs)
    return (len(signs) + 0.5 * wide - 0.4 * thin) * (_SMALLER if r"\scriptsize" in text else 1.0)


def with_break_points(cell: str) -> str:
    """Return an escaped text with break points in its long words."""
    return " ".join(_broken(word) if printed_width(word) > _WORD else word for word in cell.split(" "))


def _broken(word: str) -> str:
    parts, since = [], 0
    for sign in _SIGN.findall(word):
        since += 1
        parts.append(sign)
        if not sign.isalnum() or since >= _WORD:
            parts.append(r"\allowbreak{}")
            since = 0
    return "".join(parts)


def choose_layout(columns: Sequence[Column]) -> Layout:
    """Return a layout in which a table with these columns fits, if there is one; if it has too many rows, it spans
    pages.
    """
    found = _across(columns, (_NORMAL, _SMALL), _ACROSS)
    if _height(columns, found) <= _HEIGHT:
        return found
    upright = _across(columns, (_NORMAL, _SMALL, _SMALLEST), _ACROSS)
    if not upright.overfull:
        return replace(upright, environment="longtable")
    return replace(_across(columns, (_SMALLEST,), _LENGTH), environment="longtable", rotated=True)


def _across(columns: Sequence[Column], sizes: Sequence[_Size], page: float) -> Layout:
    """The first layout in which the columns, with any sentences wrapped, fit side by side in `page` points.

    If they never fit, this is the layout of the last size, marked as overfull.
    """
    kinds = "".join("r" if column.numeric else "l" for column in columns)
    widths = [column.max_width() for column in columns]
    texts = [k for k, column in enumerate(columns) if not column.numeric and widths[k] > _SENTENCE]
    for size in [size for size in sizes if size is not _NORMAL] if len(columns) > CROWDED else sizes:
        whole = size.digit * sum(widths) + size.gap * len(columns)
        if whole <= page:
            narrow = len(columns) <= WIDE and whole <= COLUMN * _POINTS
            return Layout("table" if narrow else "table*", size, kinds, whole)
        fixed = whole - size.digit * sum(widths[k] for k in texts)
        if texts and page - fixed >= _NARROWEST * len(texts):
            mean_width = {k: columns[k].mean_width() for k in texts}
            shares = {k: own / sum(mean_width.values()) for k, own in mean_width.items()}
            return Layout("table*", size, kinds, fixed, shares)
    return Layout("table*", sizes[-1], kinds, whole, overfull=True)


def _height(columns: Sequence[Column], found: Layout) -> float:
    """The height of all rows in points: wrapped text takes several lines, and text below a cell takes one."""
    free = _ACROSS - found.fixed
    height = 0.0
    for row in range(max((len(column.cells) for column in columns), default=0)):
        wrapped = [
            math.ceil(printed_width(columns[k].cells[row]) * found.size.digit / (share * free))
            for k, share in found.shares.items()
        ]
        under = any(column.below[row] for column in columns if column.below)
        height += (max([1, *wrapped]) + under) * found.size.line + _APART * under
    return height

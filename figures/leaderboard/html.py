"""The leaderboard as an HTML table: all text escaped, styled by the `tl-board` classes of the app's style sheet.

The ranked column is a forest plot with an axis, the others are strips. Rows for people, no difference and chance are
pinned above the runs and continue through them as lines and a band. An outline means that no difference from people is
detected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from figures.leaderboard.board import Board, Cell, Column, Row
from figures.leaderboard.hover_texts import cell_words, no_outline, p_words, with_p
from figures.leaderboard.scale import Scale, alone, scale
from figures.notes import flags
from figures.style.escaping import breakable, capital, esc
from figures.style.html import unbroken, waiting
from figures.style.numbers import DASH, count, defined, interval, num, p_phrase, p_text, rank_text, signed
from figures.style.palette import Mode, tone
from figures.style.run_names import JOINT

View = Literal["values", "difference"]
WIDTH, FIXED, RANKED, NUMBER, FEW = 1010, 306, 236, 68, 4
"""Widths in px of the table on a laptop, its first columns, the ranked column and a number; FEW other columns fit."""
FIRST, LAST = 10, 5
"""The numbers of best and of worst runs that a folded board of more than MANY shows."""
MANY = 24
LONG_NAME, SHORT_NAME, SETTING = 12, 10, 11
"""Lengths in characters above which a text may take two lines: a name without settings, a name with them, a setting."""
LEAST_SEEN, _TINY = 3, 0.0001
"""Width in px below which an interval is not drawn; p of a difference below which only this bound is shown."""


@dataclass(frozen=True)
class Links:
    """Addresses that a board on a page links to: for its rows, by run, and for its column headings, by key.

    `fold` is the address that shows all rows of a long board or, if all are shown (`whole`), fewer.
    """

    rows: Mapping[str, str] = field(default_factory=dict)
    heads: Mapping[str, str] = field(default_factory=dict)
    fold: str = ""
    whole: bool = False


NO_LINKS = Links()


@dataclass(frozen=True)
class _Drawing:
    """Data shared by all cells: scales and best values by column key; `second` is the other column on a phone."""

    board: Board
    mode: Mode
    view: View
    columns: tuple[Column, ...]
    scales: dict[str, Scale | None]
    best: dict[str, float]
    second: str
    links: Links

    @property
    def settings(self) -> bool:
        return any(row.named[1] for row in self.board.rows)

    @property
    def difference(self) -> bool:
        return self.view == "difference"

    @property
    def p_key(self) -> str:
        """The key of the column that p belongs to: with differences, the ranked one."""
        return (self.difference and self.board.ranked) or self.board.p_key

    @property
    def p_label(self) -> str:
        """The heading of the p column; "" omits the column, for example if all runs share a p or none has a p."""
        if self.difference:
            return self.board.p_label or ("" if self.board.over_seeds else self.p_key)
        tested = any(defined(row.p_value) or row.cell(self.p_key).waiting for row in self.board.rows)
        return self.board.p_label if tested and not self.board.common_p else ""

    def kind(self, column: Column) -> str:
        role = " by" if column.key == self.board.ranked else " second" if column.key == self.second else ""
        return f"m{role}"

    def track(self, column: Column) -> float:
        """The approximate width in px of the column's track."""
        if column.key == self.board.ranked:
            return RANKED - NUMBER
        others = len(self.columns) - (1 if self.board.ranked else 0)
        return max((WIDTH - FIXED - RANKED) / max(others, FEW) - NUMBER, 40)


def board_html(board: Board, mode: Mode, view: View = "values", links: Links = NO_LINKS) -> str:
    """Return the table; `view` "difference" shows deltas from the baseline around a line at zero.

    With `links.fold`, the middle of a board of more than MANY rows is folded unless `links.whole`.

    Raises ValueError if differences are requested and no row is the baseline.
    """
    if view == "difference" and board.baseline not in [row.name for row in board.rows]:
        raise ValueError("differences need a baseline among the rows")
    columns = tuple(sorted(board.columns, key=lambda column: column.key != board.ranked))
    scales = {column.key: scale(board, column, view == "difference") for column in columns}
    best = {column.key: board.best(column) for column in columns}
    drawing = _Drawing(board, mode, view, columns, scales, best, _second(board, columns), links)
    pinned = "" if view == "difference" else "".join(_pin(drawing, row) for row in board.apart)
    rows, wide = _rows(drawing), " wide" if len(columns) > FEW + 1 else ""
    without = f"{'' if drawing.p_label else ' nop'}{'' if board.ranked else ' nork'}"
    without += f"{'' if drawing.settings else ' nost'}{' tight' if len(board.rows) > MANY else ''}"
    longest = max((len(row.named[0] if drawing.settings else "".join(row.named)) for row in board.rows), default=0)
    setting = max((len(row.named[1]) for row in board.rows), default=0)
    return (
        f'<div class="tl-scroll{wide}" tabindex="0" role="region" aria-label="Leaderboard: runs by metrics">'
        f'<table class="tl-board{without}" style="{_tokens(mode)};--n:{len(columns)};--l:{longest};--s:{setting}">'
        f"<thead>{_head(drawing)}</thead><tbody>{pinned}{rows}</tbody></table>{_unseen(drawing, bool(wide))}</div>"
    )


def _rows(drawing: _Drawing) -> str:
    """The rows of the runs; in a long folded board, one line replaces those in the middle that do not stand out."""
    rows, links = drawing.board.rows, drawing.links
    if not links.fold or len(rows) <= MANY:
        return "".join(_row(drawing, row) for row in rows)
    middle = [] if links.whole else [k for k in range(FIRST, len(rows) - LAST) if not _stands_out(drawing, rows[k])]
    hidden, said = set(middle), "Show fewer runs" if links.whole else f"Show {count(len(middle), 'more run')}"
    rest = with_p(drawing, NO_P, (f'<td class="{drawing.kind(column)}"></td>' for column in drawing.columns))
    link = f'<td class="rn"><a class="tl-go" href="{esc(links.fold)}">{said}</a></td><td class="st"></td>'
    line = f'<tr class="fold"><td class="rk"></td>{link}{rest}</tr>'
    made = [_row(drawing, row) if k not in hidden else line if k == middle[0] else "" for k, row in enumerate(rows)]
    return "".join([*made, *([line] if links.whole else [])])


def _stands_out(drawing: _Drawing, row: Row) -> bool:
    return row.name == drawing.board.baseline or row.cell(drawing.board.p_key).alike


def _unseen(drawing: _Drawing, wide: bool) -> str:
    """Where to find the columns that do not fit: a phone shows only two, and a wide table scrolls. "" if all fit."""
    columns, shown = drawing.columns, (drawing.board.ranked, drawing.second)
    narrow, side = sum(column.key not in shown for column in columns), f"Scroll sideways for all {len(columns)} metrics"
    said = (
        f'<span class="phone">{count(narrow, "more metric")} in the table, or on a wider screen</span>'
        if narrow > 0
        else ""
    )
    said += f'<span class="side">{side} →</span>' if wide else ""
    return f'<div class="tl-unseen">{said}</div>' if said else ""


def _tokens(mode: Mode) -> str:
    return f"--paper:{tone('paper', mode)};--answer:{tone('answer', mode)};--band:{0.3 if mode == 'light' else 0.42}"


def _second(board: Board, columns: tuple[Column, ...]) -> str:
    """The key of the second column on a phone: a distance if the ranked column is a score, or the reverse.

    One direction of it is better; CIDEr-D is preferred. Without a ranked column, it is the first; "" if there is none.
    """
    ranked = next((column for column in columns if column.key == board.ranked), None)
    if ranked is None:
        return columns[0].key if columns else ""
    others = [c for c in columns if c.judged and c is not ranked]
    return min(others, key=lambda c: (c.distance == ranked.distance, c.key != "cider_d")).key if others else ""


def _head(drawing: _Drawing) -> str:
    board = drawing.board
    corrected = drawing.difference or board.corrected
    against = ("against baseline" if drawing.difference else "against people") if drawing.p_label else ""
    of = next((column.label for column in drawing.columns if column.key == drawing.p_key), board.p_label)
    by = f"<small>{esc(of)}</small>" if drawing.p_key != board.ranked else ""
    about = p_words(f"{of}, against the baseline" if drawing.difference else board.p_label, corrected)
    whose = f"of {esc(of)} " if by else ""
    phone = f'<small class="pp">p {whose}{against}</small>' if drawing.p_label else ""
    what = "Model" if drawing.settings else "Setting" if board.over_seeds else "Run"
    cells = [
        '<th scope="col" class="rk"><b>Rank</b><small>95 %</small></th>' if board.ranked else _NO_RANK,
        f'<th scope="col" class="rn"><b>{what}</b><small class="pw">&nbsp;</small>{phone}</th>',
        '<th scope="col" class="st"><b>Setting</b><small>&nbsp;</small></th>',
    ]
    p = f'<th scope="col" class="pc" title="{esc(about)}"><b>p</b>{by}<small>{against}</small></th>'
    return f"<tr>{''.join(cells)}{with_p(drawing, p, (_column_head(drawing, c) for c in drawing.columns))}</tr>"


NO_P, _NO_RANK = '<td class="pc"></td>', '<th scope="col" class="rk"></th>'


def _column_head(drawing: _Drawing, column: Column) -> str:
    ranked = column.key == drawing.board.ranked
    words = "lower is nearer to people" if ranked and column.distance and not column.higher_is_better else column.words
    about = " ".join(filter(None, [column.about, f"{capital(column.words)}.", column.note, column.signature]))
    sort = ' aria-sort="other"' if ranked else ""
    label, link = unbroken(esc(column.label)), drawing.links.heads.get(column.key)
    if link and not ranked:
        label = f'<a class="tl-go" href="{esc(link)}" aria-label="Rank by {esc(column.label)}">{label}</a>'
        about += " Click to rank by it."
    return (
        f'<th scope="col" class="{drawing.kind(column)}"{sort} title="{esc(about)}"><b>{label}</b>'
        f"<small>{esc(words)}</small>{_axis(drawing, column) if ranked else ''}</th>"
    )


def _axis(drawing: _Drawing, column: Column) -> str:
    found = drawing.scales[column.key]
    if found is None:
        return ""
    ticks = found.ticks()
    round_ones = [t for t in ticks if found.behind(t) is None]
    digits = next((d for d in range(1, 7) if all(abs(round(t, d) - t) < 1e-9 for t in round_ones)), 7)
    said = [(found.at(t), signed(t, digits) if drawing.difference else num(t, digits)) for t in ticks]
    return f'<div class="axis">{"".join(f"<span style={_left(at)}>{text}</span>" for at, text in said)}</div>'


def _left(share: float) -> str:
    return f'"--g:{share:.1f}%"'


def _pin(drawing: _Drawing, row: Row) -> str:
    last = " last" if row is drawing.board.apart[-1] else ""
    mark = {id(drawing.board.no_difference): "nd", id(drawing.board.chance): "ch"}.get(id(row), "people")
    name = f'<span class="nm"><i class="k {mark}"></i><span dir="auto">{esc(row.name)}</span></span>'
    cells = with_p(drawing, NO_P, (_pin_cell(drawing, row, c, mark) for c in drawing.columns))
    heads = f'<td class="rk"></td><th scope="row" class="rn">{name}</th><td class="st"></td>'
    return f'<tr class="pin{last}">{heads}{cells}</tr>'


def _pin_cell(drawing: _Drawing, row: Row, column: Column, mark: str) -> str:
    cell, found = row.cell(column.key), drawing.scales[column.key]
    kind = drawing.kind(column)
    if not defined(cell.value) or found is None:
        text = waiting() if cell.waiting else f'<span class="mut">{DASH}</span>'
        # The line of people continues through the row of no difference.
        people = drawing.board.people
        other = people.cell(column.key).value if mark == "nd" and people is not None else float("nan")
        line = _line(found, other, "") if found is not None and defined(other) and not column.distance else ""
        return _td(kind, cell.reason or "undefined", text, f'<div class="tr">{line}</div>')
    said = cell_words(column, row, replace(cell, low=float("nan")) if mark == "nd" else cell)
    at = found.at(cell.value)
    if mark == "ch":
        return _td(
            kind, said, num(cell.value, column.digits), f'<div class="tr">{_floor(found, cell.low, cell.high)}</div>'
        )
    line = _line(found, cell.value, f"{mark if mark == 'nd' else ''} half")
    square = f'<i class="hp {mark}" style="--h:{at:.1f}%"></i>'
    return _td(kind, said, num(cell.value, column.digits), f'<div class="tr">{line}{square}</div>')


def _td(kind: str, title: str, text: str, track: str, best: bool = False) -> str:
    inside = f'<div class="cell{" best" if best else ""}"><span class="v">{text}</span>{track}</div>'
    return f'<td class="{kind}" title="{esc(title)}">{inside}</td>'


def _floor(found: Scale, low: float, high: float) -> str:
    if not (defined(low) and defined(high)):
        return ""
    left, right = sorted((found.at(low), found.at(high)))
    return f'<i class="ch" style="--a:{left:.1f}%;--b:{right:.1f}%"></i>'


def _line(found: Scale, value: float, kind: str) -> str:
    return f'<i class="hl {kind}" style="--h:{found.at(value):.1f}%"></i>'


def _row(drawing: _Drawing, row: Row) -> str:
    board = drawing.board
    tested = row.cell(board.p_key) if board.p_key else Cell(float("nan"))
    same = tested.alike and not drawing.difference
    rank = rank_text(row.rank_low, row.rank_high) if board.ranked is not None else ""
    p, phrase = _p(drawing, row, tested)
    cells = with_p(drawing, f'<td class="pc">{p}</td>', (_cell(drawing, column, row) for column in drawing.columns))
    phone = f'<small class="pp">{phrase}</small>' if phrase else ""
    name = f'<th scope="row" class="rn" title="{esc(row.name)}">{_name(drawing, row)}{phone}</th>'
    setting = f'<td class="st" title="{esc(row.name)}"><span dir="auto">{_broken(row.named[1], SETTING)}</span></td>'
    kind = f"run{' same' if same else ''}{' go' if row.name in drawing.links.rows else ''}"
    return f'<tr class="{kind}"><td class="rk">{rank}</td>{name}{setting}{cells}</tr>'


def _broken(text: str, most: int = 1000) -> str:
    """Return HTML that may break at spaces and, on a phone, at JOINT; before digits only if `text` exceeds `most`."""
    space = r"\u00a0(?!\d)" if len(text) <= most else "\u00a0"
    parts = [breakable(re.sub(space, " ", part)) for part in text.split(JOINT, 1)]
    return '<span class="jt"> ·&nbsp;</span>'.join(parts)


def _name(drawing: _Drawing, row: Row) -> str:
    shape, colour = (row.style.symbol, row.style.mark(drawing.mode)) if row.style else ("square", "currentColor")
    base = "<small>baseline</small>" if row.name == drawing.board.baseline and drawing.difference else ""
    anomaly = flags.mark("; ".join(row.anomaly))
    key = f'<i class="k {shape}" style="--c:{colour}"></i>'
    shown, setting = row.named
    name, kind = esc(shown), "nm"
    most = SHORT_NAME if drawing.settings else LONG_NAME
    below = bool(anomaly) and max(len(other.named[0]) for other in drawing.board.rows if other.anomaly) + 6 > most
    if not below and max(len(other.named[0]) for other in drawing.board.rows) + 6 * bool(base) > most:
        name, kind = _broken(shown), "nm long"
    if link := drawing.links.rows.get(row.name):
        told = esc(f"{' '.join(filter(None, row.named))}: compare two runs")
        name = f'<a class="tl-go" href="{esc(link)}" aria-label="{told}">{name}</a>'
    narrow = f' <small class="sn" dir="auto">{esc(setting)}</small>' if setting else ""
    if below:
        return f'<span class="nm two">{key}<span><span dir="auto">{name}{narrow}</span>{base}{anomaly}</span></span>'
    return f'<span class="{kind}">{key}<span dir="auto">{name}{narrow}</span>{base}{anomaly}</span>'


def _p(drawing: _Drawing, row: Row, tested: Cell) -> tuple[str, str]:
    """The p of a row as shown in the column of p and, on a phone, below the row's name."""
    if not drawing.p_label:
        return "", ""
    if drawing.difference:
        cell = row.cell(drawing.p_key)
        if row.name == drawing.board.baseline or not defined(cell.delta_p):
            return "", ""
        if cell.delta_p < _TINY:
            return f"&lt; {_TINY}", f"p &lt; {_TINY}"
        return p_text(cell.delta_p, cell.delta_floor), p_phrase(cell.delta_p, cell.delta_floor)
    if not defined(row.p_value):
        text = waiting() if tested.waiting else DASH
        return f'<span title="{esc(row.p_reason)}">{text}</span>', "" if tested.waiting else f"p {DASH}"
    said = [f"n = {row.p_n:,}"] if row.p_n else []
    said += [f"p cannot be below {p_text(row.p_floor)} with these captions"] if defined(row.p_floor) else []
    raw = ""
    if defined(row.p_raw):
        said.append(f"calibrated for their number; the raw harmonic mean is {p_text(row.p_raw)}")
        raw = f"<br>raw {p_text(row.p_raw)}"
    p, least = drawing.board.p_shown(row)
    if p != row.p_value:
        said.append(f"{p_phrase(row.p_value, row.p_floor)} uncorrected")
    said += [no_outline(tested)] if tested.not_alike else []
    said += [tested.departs] if tested.departs else []
    text = f"{p_text(p, least)}{raw}"
    outline = ' class="eq"' if tested.alike else ""
    return f'<span{outline} title="{esc(", ".join(said))}">{text}</span>', p_phrase(p, least)


def _cell(drawing: _Drawing, column: Column, row: Row) -> str:
    cell, kind = row.cell(column.key), drawing.kind(column)
    shown = cell.delta if drawing.difference else cell.value
    base = drawing.difference and row.name == drawing.board.baseline
    if not defined(cell.value) or not (defined(shown) or base):
        reason = cell.reason or ("no difference against the baseline" if drawing.difference else "undefined")
        text = waiting() if cell.waiting else f'<span class="mut">{DASH}</span>'
        said = f"{cell_words(column, row, cell)}; {reason}" if defined(cell.value) else reason
        return _td(kind, said, text, _empty(drawing, column))
    text = "0" if base else signed(shown, column.digits) if drawing.difference else num(shown, column.digits)
    best = not drawing.difference and cell.value == drawing.best[column.key]
    if cell.alike and not drawing.difference:
        text = f'<span class="eq">{text}</span>'
    track = _empty(drawing, column) if base else _track(drawing, column, row, cell)
    said = cell_words(column, row, cell, drawing.board.baseline if drawing.difference else None)
    return _td(kind, said, text, track, best)


def _lines(drawing: _Drawing, column: Column) -> str:
    found = drawing.scales[column.key]
    if found is None:
        return ""
    ticks = found.ticks() if column.key == drawing.board.ranked else []
    lines = "".join(f'<i class="gl" style={_left(found.at(tick))}></i>' for tick in ticks)
    if drawing.difference:
        return lines + _line(found, 0.0, "")
    of = drawing.board.no_difference if column.distance else drawing.board.people
    value = of.cell(column.key).value if of is not None else float("nan")
    return lines + (_line(found, value, "nd" if column.distance else "") if defined(value) else "")


def _empty(drawing: _Drawing, column: Column) -> str:
    return f'<div class="tr">{_lines(drawing, column)}</div>'


def _track(drawing: _Drawing, column: Column, row: Row, cell: Cell) -> str:
    found = drawing.scales[column.key]
    value, low, high = (
        (cell.delta, cell.delta_low, cell.delta_high) if drawing.difference else (cell.value, cell.low, cell.high)
    )
    assert found is not None
    colour = row.style.mark(drawing.mode) if row.style else "currentColor"
    if column.key != drawing.board.ranked and alone(drawing.board, column):
        said = interval(low, high, column.digits) if defined(low) and defined(high) else ""
        return f'<div class="tr"><span class="iv">{esc(said)}</span></div>'
    ends = sorted(found.at(end) for end in (low, high) if defined(end))
    unsure = drawing.difference and not cell.sure
    bar = ""
    if len(ends) == 2 and (unsure or (ends[1] - ends[0]) / 100 * drawing.track(column) >= LEAST_SEEN):
        bar = f'<i class="ci{" o" if unsure else ""}"></i>'
    elif unsure:
        ends, bar = [found.at(value)] * 2, '<i class="ci o"></i>'
    point = "" if unsure else '<i class="pt"></i>'
    span = f"--a:{ends[0]:.1f}%;--b:{ends[1]:.1f}%;" if len(ends) == 2 else ""
    place = f"--c:{colour};{span}--x:{found.at(value):.1f}%"
    floor = "" if drawing.difference else _floor(found, *cell.chance[1:])
    ticks = "".join(f'<i class="sd" style="--h:{found.at(seed):.1f}%"></i>' for seed in cell.seeds)
    behind = found.behind(value)
    mark = "" if behind is None else f'<i class="br" style="--h:{behind:.1f}%"></i>'
    return f'<div class="tr" style="{place}">{_lines(drawing, column)}{floor}{bar}{ticks}{point}{mark}</div>'

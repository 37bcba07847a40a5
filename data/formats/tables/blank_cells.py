"""Tables whose ids, runs or settings are only in the first row of a block, as below merged cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from data.fields.names import IDS, RUNS, leaf
from data.findings import TrustedText, clip, named
from data.formats.columns.assigned_roles import called_id
from data.formats.columns.caption_columns import ranked
from data.formats.columns.contents import cell_of, scalar
from data.formats.columns.roles import is_meant, setting_columns
from data.formats.tables.table import Table
from data.records import Columns, Source

Rows = Sequence[Sequence[Any]]
_Row = tuple[str, Sequence[Any]]
_TOTALS = re.compile(
    r"(?:mean|avg|average|median|std|total|totals|sum|overall|mittelwert|durchschnitt|summe|gesamt|moyenne|promedio|media)"
    r"(?:[\s:(].{0,40})?",
    re.IGNORECASE | re.DOTALL,
)
_LOOKED_AT = 20_000
"""Maximum number of rows that are examined for titles of blocks."""
_FEWEST_WORDS = 3
"""Minimum number of words in a remark below a table."""


def filled_down(found: Table, source: Source) -> Table:
    """Return the table with blank cells of blocks filled in from the row above, and add a finding.

    A column of ids has blocks if each id occurs once, on the first row of its block, and at least half of the ids are
    followed by rows without one. The same holds for a column of runs; if ids have blocks, a run may be named several
    times, but only rows without an id may lack a run. Nothing changes if `source.reading.fills` is False.
    """
    columns = _columns(found, source)
    if not columns or not source.reading.fills:
        return found
    return replace(found, rows=_filled(found, columns, source))


def without_remarks(found: Table, source: Source) -> Table:
    """Return the table without rows at its end that contain only a remark, in the first cell, or totals of the rows
    above.

    A remark has at least three words, and more than any other cell of its column; the findings quote the first remark.
    A row of totals has a word such as MEAN in the place of its id and no sentence in any cell.
    """
    if len(found.header) < 2:
        return found
    found = replace(found, rows=_above(found, 0, "notes_below", _is_remark, source))
    sample = found.sample()
    ids = [*ranked(found.header, IDS), called_id(found.header, sample, of_items=True)]
    return replace(found, rows=_above(found, ids[0], "totals_below", _are_totals, source)) if ids[0] >= 0 else found


def with_titles_as_runs(found: Table, source: Source) -> Table:
    """Return the table with the titles of its blocks of rows in a column of runs, and add a finding.

    A title is the only text in its row. The first row is a title, or the header is repeated below each title; no column
    names runs, and the blocks have items in common. Rows that repeat the header are left out of any table.
    """
    sample = found.sample(_LOOKED_AT)
    again = any(_is_again(row, found.header) for row in sample)
    if again:
        kept = (
            one for one in found.rows if not _is_again(one[1], found.header) and any(map(str.strip, map(str, one[1])))
        )
        found = replace(found, rows=kept)
    ids = ranked(found.header, IDS)
    above = found.title if again else ""
    if not ids or any(leaf(name) in RUNS for name in found.header) or not (above or any(map(_title, sample[:1]))):
        return found
    titles, blocks = [above] * bool(above), [set[str]() for _ in range(bool(above))]
    for row in found.sample(_LOOKED_AT):
        if title := _title(row):
            titles, blocks = [*titles, title], [*blocks, set()]
        else:
            blocks[-1].add(str(row[ids[0]]) if ids[0] < len(row) else "")
    if not all(blocks) or len(set(titles)) < max(len(titles), 2) or not all(of & blocks[0] for of in blocks):
        return found
    source.log.add("titles_as_runs", source.name, titles=TrustedText(named([f"`{clip(one)}`" for one in titles])))
    return replace(found, header=[*found.header, RUNS[0]], rows=_below_titles(found, above))


def _is_again(row: Sequence[Any], header: Sequence[str]) -> bool:
    """Return whether a row repeats the header, which has several names."""
    cells = [str(cell).strip() for cell in row[: len(header)]]
    return len(header) > 1 and cells == [*header] and not any(row[len(header) :])


def _title(row: Sequence[Any]) -> str:
    """Return the only text in a row, which merged cells repeat; "" if it has several texts or none."""
    cells = {str(cell).strip() for k, cell in enumerate(row) if not _is_blank(row, k)}
    return next(iter(cells)) if len(cells) == 1 else ""


def _below_titles(found: Table, title: str) -> Iterator[tuple[str, Sequence[Any]]]:
    width = len(found.header)
    for where, row in found.rows:
        if own := _title(row):
            title = own
        else:
            yield where, [*row, *[""] * (width - len(row)), title]


def _above(
    found: Table, place: int, code: str, ends: Callable[[Sequence[Any], str, int], bool], source: Source
) -> Iterator[_Row]:
    """Yield the rows of each sheet, except rows at its end for which `ends` is true; report these as the finding
    `code`.

    `ends` is called with a row, its cell in the column `place`, and the number of words in the longest such cell above.
    """
    for rows, alike in _sheets(found):
        held, longest = list[_Row](), 0
        for where, row in rows:
            text = str(cell_of(row, place)).strip()
            if longest and ends(row[: len(row) - alike], text, longest):
                held.append((where, row))
                continue
            yield from held
            held, longest = [], max(longest, len(text.split()), _FEWEST_WORDS - 1)
            yield where, row
        for where, row in held:
            source.log.add(code, source.name, where, text=clip(str(row[place])))


def _sheets(found: Table) -> Iterator[tuple[Iterator[_Row], int]]:
    """Yield the rows of each sheet of a workbook, and how many of the last columns have only one value in the sheet.

    Such a column may be the name of the sheet. The rows of any other table are yielded together, with 0.
    """
    width = len(found.header)
    for sheet, group in groupby(found.rows, lambda row: row[0].startswith("sheet ") and row[0].rpartition(", ")[0]):
        rows: Iterator[_Row] = group
        below = [*rows] if sheet else []
        values = [{str(cell_of(row, k)) for _, row in below} for k in range(width)]
        yield iter(below) if sheet else rows, next((k for k in range(width) if len(values[width - 1 - k]) != 1), 0)


def _are_totals(row: Sequence[Any], text: str, _: int) -> bool:
    return bool(_TOTALS.fullmatch(text)) and all(_n_words(str(one)) < _FEWEST_WORDS for one in row)


def _n_words(text: str) -> int:
    return sum(any(map(str.isalpha, word)) for word in text.split())


def _is_remark(row: Sequence[Any], text: str, longest: int) -> bool:
    return len(text.split()) > longest and all(one in (None, "") for one in row[1:])


def _columns(found: Table, source: Source) -> list[int]:
    header, sample = found.header, found.sample()
    given = source.reading.columns if is_meant(header, source.reading.columns) else Columns()
    taken = {header.index(name) for name in given.named if name in header}
    ids = [header.index(given.id[0])] if len(given.id) == 1 else [k for k in ranked(header, IDS) if k not in taken]
    ids = [k for k in ids if scalar(sample, k) and _blank(sample, k) < set(range(len(sample)))]
    if given.id[1:] or any(not _blank(sample, k) for k in ids):
        ids = []
    ids = [k for k in ids if _in_blocks(sample, k)]
    ids = [k for k in ids if _blank(sample, k) == _blank(sample, ids[0])]
    lacking = _blank(sample, ids[0]) if ids else set[int]()
    runs = [header.index(given.run)] if given.run else [k for k, name in enumerate(header) if leaf(name) in RUNS]
    runs = [k for k in runs if k not in ids and scalar(sample, k)]
    runs = [
        k for k in runs if 0 not in (gaps := _blank(sample, k)) and gaps and (gaps <= lacking or _in_blocks(sample, k))
    ]
    for k in runs:
        lacking = lacking | _blank(sample, k)
    settings = [*setting_columns([leaf(name) for name in header]).values()] if lacking else []
    settings = [k for k in settings if 0 not in (gaps := _blank(sample, k)) and gaps and gaps <= lacking]
    return [*ids, *runs, *(k for k in settings if k not in (*ids, *runs))]


def _blank(rows: Rows, place: int) -> set[int]:
    return {k for k, row in enumerate(rows) if _is_blank(row, place)}


def _is_blank(row: Sequence[Any], place: int) -> bool:
    cell = cell_of(row, place)
    return cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())


def _in_blocks(rows: Rows, place: int) -> bool:
    """Return whether each value of a column occurs once, in the first row of a block.

    At least half of the blocks must have several rows. The last row of a sample may be the first of its block.
    """
    blank = _blank(rows, place)
    first = [k for k in range(len(rows)) if k not in blank]
    values = {str(rows[k][place]).strip() for k in first}
    longer = sum(k + 1 in blank for k in first)
    return bool(blank) and 0 not in blank and len(values) == len(first) and 2 * longer >= len(first)


def _filled(found: Table, places: Sequence[int], source: Source) -> Iterator[tuple[str, Sequence[Any]]]:
    above: dict[int, Any] = {}
    names = TrustedText(named([f"`{found.header[k]}`" for k in places]))
    for where, row in found.rows:
        lacking = [k for k in places if _is_blank(row, k)]
        above |= {k: row[k] for k in places if k not in lacking}
        if not lacking:
            yield where, row
            continue
        made = [*row, *[""] * (max(lacking) + 1 - len(row))]
        for k in lacking:
            made[k] = above[k]
        source.log.add("filled_down", source.name, where, str(above[places[0]]), columns=names)
        yield where, made

"""Spreadsheets (.xlsx): sheets with the same header as the first sheet of captions form one table; other sheets are
files.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from typing import Any

from data.fields.criteria import COUNTED
from data.fields.directions import OF_METRICS
from data.fields.names import IDS, OF_ONE_PERSON, RUNS, is_text, norm, rank, words
from data.files.limits import BROKEN, Budget, TooLargeError, read_all
from data.findings import Log, TrustedText, clip, named
from data.formats.nesting.setting_keys import are_settings, settings_of
from data.formats.tables import header as headers
from data.formats.tables.table import Table, headed, with_point
from data.records import Source

_SHARED = re.compile(rb"<(?:\w+:)?si\b.*?</(?:\w+:)?si>", re.DOTALL)
_CELL = re.compile(rb"<(?:\w+:)?c\b")
_PLACE = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]{0,3})(\d{1,7})[\"']")
_Span = tuple[tuple[int, int], tuple[int, int]]
"""The first and last of a range of merged cells, by row and column from 0."""
_SENTENCE = 3
"""Minimum mean number of words in captions."""
_NUMBER = re.compile(r"\s*-?\d+(?:[.,]\d+)?\s*")
_COUNTS = ("no", "nr", "number", "num", "nummer", "#", "")
"""Names of a first column that numbers the items of several sheets."""
_OF_SHARED = re.compile(rb'\bt="s"[^>]*>\s*<(?:\w+:)?v>(\d{1,9})<')


def matches(content: bytes) -> bool:
    """Return whether bytes are a workbook in the format of Excel 2007 and later."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "xl/workbook.xml" in archive.NameToInfo
    except BROKEN:
        return False


def load(content: bytes, source: Source, log: Log) -> Table | None:
    """Return the table; None, with a finding, if the workbook is damaged or has no rows. Raises TooLargeError if its
    sheets exceed a limit.
    """
    try:
        spans: dict[str, list[_Span]] = {}
        if filled := _filled(content, source.budget, spans=spans):
            chosen = _alike(filled)
            for name in chosen:
                _say_merged(filled[name], spans[name], source)
            read = {*chosen, *_of_runs(filled, chosen)}
            if others := [name for name in filled if name not in read and not _is_file(filled[name])]:
                log.add("other_sheets", source.name, names=named([f"`{name}`" for name in others]))
            return _stacked({name: _table(filled[name], source) for name in chosen})
    except TooLargeError:
        raise
    except Exception as error:  # noqa: BLE001 - the library raises its own kinds, and panics of Rust, for damaged files
        log.add("bad_table", source.name, why=type(error).__name__)
        return None
    log.add("empty_file", source.name)
    return None


def others(content: bytes) -> dict[str, bytes]:
    """Return, as CSV by name, the sheets that contain captions or numbers of items and that `load` does not read.

    The result is empty for a damaged or too large workbook, which `load` reports.
    """
    try:
        filled = _filled(content, Budget(len(content)), 2)
    except Exception:  # noqa: BLE001 - `load` reports it
        return {}
    chosen = _alike(filled) if filled else []
    columns = _of_runs(filled, chosen)
    others = {name: rows for name, rows in filled.items() if name not in {*chosen, *columns} and _is_file(rows)}
    return {name: _as_csv(rows) for name, rows in (_of_settings(others) | _measured(filled, columns)).items()}


def _of_settings(sheets: dict[str, list[list[Any]]]) -> dict[str, list[list[Any]]]:
    """Return the sheets, with those joined that share a header and are named by settings, such as "T=0.7"."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, (header, *_) in sheets.items():
        alike.setdefault(tuple(map(str, header)), []).append(name)
    made: dict[str, list[list[Any]]] = {}
    for names in alike.values():
        told = [settings_of(name) for name in names] if are_settings(names) else [{}]
        if len(names) < 2 or len({frozenset(of) for of in told}) > 1 or not told[0]:
            made |= {name: sheets[name] for name in names}
            continue
        made[", ".join(names)] = [[*sheets[names[0]][0], *told[0]]]
        for name, of in zip(names, told):
            made[", ".join(names)] += [[*row, *of.values()] for row in sheets[name][1:]]
    return made


def _of_runs(sheets: dict[str, list[list[Any]]], chosen: list[str]) -> dict[str, list[int]]:
    """Return the sheets that are named after a metric or criterion, each with the columns of the runs' numbers.

    These columns are named like runs in the sheets of captions: like a column or a sheet, or like a cell in a column of
    runs.
    """
    below = {name: rows[headers.n_titles(rows) :] for name, rows in sheets.items()}
    runs = {norm(name) for name in chosen}
    for header, *rows in (below[name] for name in chosen):
        runs |= {norm(str(name)) for name in header if rank(str(name), IDS) is None}
        runs |= {norm(str(row[k])) for k, name in enumerate(header) if norm(str(name)) in RUNS for row in rows}
    found: dict[str, list[int]] = {}
    for name, (header, *rows) in below.items():
        places = [k for k, one in enumerate(header) if norm(str(one)) in runs - {""}]
        cells = [row[k] for row in rows for k in places if row[k] != ""]
        named = any(rank(str(one), IDS) is not None for one in header)
        counts = name in chosen or {*words(name)} & COUNTED
        if not counts and len(places) > 1 and named and all(_NUMBER.fullmatch(str(one)) for one in cells):
            found[name] = places
    return found


def _measured(sheets: dict[str, list[list[Any]]], columns: dict[str, list[int]]) -> dict[str, list[list[Any]]]:
    """Return tables with a row for each number in sheets of metrics or criteria, by the names of the sheets."""
    made: dict[tuple[str, ...], tuple[list[str], list[list[Any]]]] = {}
    for sheet, places in columns.items():
        header, *rows = sheets[sheet][headers.n_titles(sheets[sheet]) :]
        kept = [k for k in range(len(header)) if k not in places]
        of = ("metric", "value") if OF_METRICS.match(norm(sheet)) else ("criterion", "rating")
        head = (*(str(header[k]) for k in kept), RUNS[0], *of)
        names, table = made.setdefault(head, ([], [[*head]]))
        names.append(sheet)
        table += [[*(row[k] for k in kept), header[k], sheet, row[k]] for row in rows for k in places if row[k] != ""]
    return {", ".join(names): table for names, table in made.values()}


def _filled(
    content: bytes, budget: Budget, least: int = 1, spans: dict[str, list[_Span]] | None = None
) -> dict[str, list[list[Any]]]:
    """Return the sheets with a header and a row below it, by name; {} if the workbook has fewer than `least` sheets.

    The merged cells of each sheet are added to `spans`.
    """
    from python_calamine import CalamineWorkbook

    _bound(content, budget)
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    names = book.sheet_names if len(book.sheet_names) >= least else []
    sheets = {name: book.get_sheet_by_name(name) for name in names}
    if spans is not None:
        spans |= {name: list(sheet.merged_cell_ranges or []) for name, sheet in sheets.items()}
    return {name: rows for name, sheet in sheets.items() if len(rows := _rows(sheet)) > 1}


def _say_merged(rows: list[list[Any]], spans: list[_Span], source: Source) -> None:
    titles = headers.n_titles(rows)
    below = [one for one in spans if titles < one[0][0] < one[1][0] and _value(rows, one[0]) != ""]
    if below:
        places = sorted({place for (_, left), (_, right) in below for place in range(left, right + 1)})
        names = [f"`{clip(str(_value(rows, (titles, place))))}`" for place in places]
        count, where = sum(bottom - top for (top, _), (bottom, _) in below), f"row {min(below)[0][0] + 1}"
        source.log.add("merged_filled", source.name, where, count=count, columns=TrustedText(named(names)))


def _value(rows: list[list[Any]], place: tuple[int, int]) -> Any:
    return rows[place[0]][place[1]] if place[1] < len(rows[place[0]]) else ""


def _as_csv(rows: list[list[Any]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows([_plain(cell) for cell in row] for row in rows)
    return out.getvalue().encode()


def _is_file(rows: list[list[Any]]) -> bool:
    """Return whether a sheet beside others is read as a separate file, with captions or numbers of items."""
    return _describes(rows) or _counts(rows)


def _describes(rows: list[list[Any]]) -> bool:
    header, *below = rows[headers.n_titles(rows) :]
    ids = {k for k, name in enumerate(header) if rank(str(name), IDS) is not None}
    columns = [[str(row[k]).split() for row in below if row[k] != ""] for k in range(len(header)) if k not in ids]
    return bool(ids) and any(of and sum(map(len, of)) >= _SENTENCE * len(of) for of in columns)


def _counts(rows: list[list[Any]]) -> bool:
    """Return whether a sheet has only numbers beside the columns of items, runs and raters."""
    header, *below = rows[headers.n_titles(rows) :]
    ids, runs = ([k for k, name in enumerate(header) if rank(str(name), of) is not None] for of in (IDS, RUNS))
    people = [k for k, name in enumerate(header) if OF_ONE_PERSON & {*words(str(name))}]
    beside = {*ids, *runs, *people}
    others = [row[k] for row in below for k in range(len(header)) if k not in beside and row[k] != ""]
    return bool(ids and runs and others) and all(_NUMBER.fullmatch(str(one)) for one in others)


def _alike(sheets: dict[str, list[list[Any]]]) -> list[str]:
    """Return the names of a sheet of captions and of all sheets with the same header.

    The sheet of captions is the first with a header of captions, or else with a header that names texts and recurs, or
    else with ids and sentences. If there is no such sheet, return only the first sheet of all.
    """
    headers_of = {name: [norm(str(cell)) for cell in rows[headers.n_titles(rows)]] for name, rows in sheets.items()}
    first = next((name for name, header in headers_of.items() if headers.is_header(header)), None)
    shared = Counter(map(tuple, headers_of.values()))
    first = first or next(
        (name for name, of in headers_of.items() if shared[tuple(of)] > 1 and any(map(is_text, of))), None
    )
    first = first or next((name for name, rows in sheets.items() if _describes(rows)), None)
    if first is None:
        return [next(iter(sheets))]
    return [name for name, header in headers_of.items() if header == headers_of[first]]


def _stacked(tables: dict[str, Table]) -> Table:
    """Return one table from several with the same header.

    A run is named after its sheet if no column names it, unless the sheets are named by settings, such as "T=0.7". A
    first column named as in `_COUNTS` is renamed `id` if no other column has a name for ids.
    """
    first = next(iter(tables.values()))
    if len(tables) == 1:
        return first
    names = [norm(name) for name in first.header]
    told = [settings_of(name) for name in tables] if are_settings(tables) else [{}]
    alike = all(one.keys() == told[0].keys() for one in told) and not told[0].keys() & {*names}
    settings = list(told[0]) if alike else []
    named = [] if settings or any(name in RUNS for name in names) else ["run"]
    beside = {
        name: [*(of[key] for key in settings), *[name] * len(named)] for name, of in zip(tables, told * len(tables))
    }
    rows = (
        (f"sheet {clip(name)}, {where}", [*row, *[""] * (len(first.header) - len(row)), *beside[name]])
        for name, one in tables.items()
        for where, row in one.rows
    )
    numbered, *others = first.header
    if norm(numbered) in _COUNTS and all(rank(norm(name), IDS) is None for name in others):
        numbered = "id"
    return Table([numbered, *others, *settings, *named], rows)


def _rows(sheet: Any) -> list[list[Any]]:
    """Return the cells of a sheet; merged cells all have the value of the first."""
    rows: list[list[Any]] = sheet.to_python(skip_empty_area=False)
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or []:
        for row in rows[top : bottom + 1]:
            if left < len(row):
                row[left : right + 1] = [rows[top][left]] * (min(right + 1, len(row)) - left)
    return rows


def _table(rows: list[list[Any]], source: Source) -> Table:
    told = ""
    if titles := headers.n_titles(rows):
        told = " ".join(dict.fromkeys(str(cell) for row in rows[:titles] for cell in row if cell != ""))
        source.log.add("title_rows", source.name, count=titles, text=told)
    header = [str(cell).strip() for cell in rows[titles]]
    cells = ([_plain(cell) for cell in row] for row in rows[titles + 1 :])
    kept = ((f"row {k}", row) for k, row in enumerate(cells, titles + 2) if any(cell != "" for cell in row))
    return headed(Table(header, kept, title=told), source)


def _plain(cell: Any) -> Any:
    """Return a whole number as an integer (sheets have only floats, such as 1.0), and anything but a number as text.

    In a number written as text, a point replaces the decimal comma.
    """
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell if isinstance(cell, int | float) else with_point(str(cell))


def _bound(content: bytes, budget: Budget) -> None:
    """Count the unpacked sheets in the budget; a text that is stored once may fill many cells."""
    shared: list[int] = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        # A sheet may have any name.
        members = {name: archive.open(name) for name in archive.namelist() if not name.endswith("/")}
        found = {name: read_all(stream, budget) for name, stream in members.items()}
    for name, raw in found.items():
        if name.endswith("sharedStrings.xml"):
            shared = [len(one[0]) for one in _SHARED.finditer(raw)]
    for raw in found.values():
        if b"sheetData" in raw:
            cells = len(_CELL.findall(raw))
            budget.take_values(max(5 * cells, _area(raw)))
            budget.take(sum(shared[k] for one in _OF_SHARED.finditer(raw) if (k := int(one[1])) < len(shared)))


def _area(raw: bytes) -> int:
    """Return the number of cells in the rectangle into which a sheet is read, filled or not."""
    places = {(found[1].upper(), int(found[2])) for found in _PLACE.finditer(raw)}
    columns = {letters for letters, _ in places}
    return max((row for _, row in places), default=0) * max(map(_column, columns), default=0)


def _column(letters: bytes) -> int:
    """Return the number of a column from its letters: 27 for AA, 0 for none."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number

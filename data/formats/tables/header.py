"""Find the headers of sheets below titles, join headers of two rows, and name columns without a name."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from data.fields.keys import names_only_people
from data.fields.names import ALSO_CALLED, IDS, RUNS, in_roles, is_text, norm
from data.findings import PEEK, TrustedText
from data.formats.columns.contents import ONE_LANGUAGE, Rows, count_words, has_words, shared_words, values
from data.records import Source
from data.run_settings import SETTING_NAMES

_OF_AN_IMPORT = re.compile(r"""\{['"]+ImportId['"]+:""")
_NUMBER_AND_TEXT = re.compile(r"(\d{1,3})\s{2,}(\D.*)")
"""A number and a text in one cell, as in Flickr30k's `2199200615.jpg| 4   A dog runs across the grass .`."""
_SEPARATOR = re.compile(r'"?sep=([\t,;|])"?\n')
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?%?")
_FEWEST = 3
MOST_TITLES = 10
"""Maximum number of rows above a header."""
_STATED, _APART = re.compile(r"\s*([^\W\d][\w -]{0,30}?)\s*[:=]\s*(\S.{0,99}?)\s*"), re.compile(r"[;,](?=\s)")
"""A fact in a comment, such as `temperature: 0.7`, and the separator between two facts."""
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")


def below_separator(text: str) -> tuple[str, str]:
    """Return a text with plain line breaks, and the separator that its first line states, such as `sep=;`, or "".

    A first line that states the separator becomes empty.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    stated = _SEPARATOR.match(plain)
    return (plain[stated.end() - 1 :], stated[1]) if stated else (plain, "")


def first_cells(text: str, mark: str) -> list[str]:
    """Return the cells of the first line of a text, split at `mark`.

    If `mark` is a comma, the comma in `0,2` beside semicolons is not a separator. A quoted cell may contain line
    breaks.
    """
    text = text.lstrip("\r\n")[:100_000]
    line = text.split("\n", 1)[0].rstrip("\r")
    if line.count('"') % 2:
        try:
            return next(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True), [])
        except csv.Error:
            pass
    if mark == "," and ";" in line:
        line = _DECIMAL_COMMA.sub(".", line)
    try:
        return next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return []


def with_missing_mark(
    rows: Iterator[tuple[str, list[str]]], width: int, source: Source
) -> Iterator[tuple[str, list[str]]]:
    """Yield rows; if a row lacks one cell and its last cell is a number, blanks and a text, split that cell, with a
    finding.
    """
    for where, row in rows:
        cells = _NUMBER_AND_TEXT.fullmatch(row[-1]) if len(row) == width - 1 > 1 else None
        if cells is not None:
            source.log.add("mark_missing", source.name, where)
        yield where, row if cells is None else [*row[:-1], *cells.groups()]


_BRACKETED = re.compile(r"\([^()]{1,40}\)|\[[^\[\]]{1,40}\]")
"""A cell that describes its column, such as `(1-5)`."""


def is_header(cells: Sequence[Any]) -> bool:
    """Return whether cells include a heading of items or runs, and a heading of captions."""
    names = [norm(str(cell)) for cell in cells]
    return any(name in IDS or name in RUNS for name in names) and any(is_text(name) for name in names)


def n_titles(rows: Sequence[Sequence[Any]]) -> int:
    """Return the number of title rows above the header, each with one text or a comment after #; 0 if there are
    none.
    """
    for place, row in enumerate(rows[: MOST_TITLES + 1]):
        above = rows[:place]
        apart = len(rows[0]) == len(row) or all(_is_comment(one) and len(one) != len(row) for one in above)
        below = rows[place + 1 : place + 2]
        if is_header(row) or (place and ((apart and _are_names(row, below)) or _has_two_rows(row, below))):
            return place
        if len({str(cell).strip() for cell in row} - {""}) > 1 and not _is_comment(row):
            return 0
    return 0


def _has_two_rows(row: Sequence[Any], below: Sequence[Sequence[Any]]) -> bool:
    """Return whether a row is the first of a header's two rows, and names an item."""
    names = [str(cell).strip() for cell in row]
    return any(norm(name) in IDS for name in names) and bool(below) and joined(names, below[0]) is not None


def _is_comment(row: Sequence[Any]) -> bool:
    return str(next(iter(row), "")).startswith("#")


def _are_names(row: Sequence[Any], below: Sequence[Sequence[Any]]) -> bool:
    """Return whether three or more cells are all short and different, above a row with a number or a sentence."""
    cells = [str(cell).strip() for cell in row]
    short = len(set(cells)) == len(cells) >= _FEWEST and all(cell and len(cell.split()) <= _FEWEST for cell in cells)
    under = [str(cell).strip() for cell in below[0]] if below else []
    return (
        short
        and not any(map(_NUMBER.fullmatch, cells))
        and len(under) == len(cells)
        and any(_NUMBER.fullmatch(cell) or len(cell.split()) > _FEWEST for cell in under)
    )


def counts_below(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether any column consists of several numbers below a cell that is not a number, and so names the
    column.
    """
    below = {k: [str(cell).strip() for cell in values(rows, k)] for k in range(len(header))}
    return any(
        header[k].strip()
        and not _NUMBER.fullmatch(header[k].strip())
        and len(of) > 1
        and all(map(_NUMBER.fullmatch, of))
        for k, of in below.items()
    )


def n_title_lines(text: str, marks: str) -> int:
    """Return the number of title lines above the header of delimited text."""
    lines = text[:100_000].splitlines()[: MOST_TITLES + 1]
    made = (n_titles([next(csv.reader([line], delimiter=mark), []) for line in lines]) for mark in marks)
    return next((place for place in made if place), 0)


def stated(lines: Iterable[str], header: Sequence[str]) -> dict[str, str]:
    """Return the run and the settings that comments above a header state, such as `# temperature: 0.7`, unless a column
    does.
    """
    known, said = {norm(name) for name in header}, dict[str, str]()
    for line in lines:
        for match in map(_STATED.fullmatch, _APART.split(line.strip().lstrip("#")) if line.lstrip()[:1] == "#" else ()):
            name = ALSO_CALLED.get(norm(match[1]), norm(match[1])) if match else ""
            if match and _can_be(name, match[2]) and not known & {name, norm(match[1])}:
                said.setdefault(name, match[2])
    return said


def _can_be(name: str, value: str) -> bool:
    """Return whether a fact can be the name of a run, a setting with a number, or a decoder."""
    short = len(value.split()) <= _FEWEST
    return short and (name in (*RUNS, "decoder") or (name in SETTING_NAMES and _NUMBER.fullmatch(value) is not None))


def joined(header: Sequence[str], row: Sequence[Any]) -> list[str] | None:
    """Join a header of two rows into names such as `Model A T 0.2`; return None if the second row is data.

    The second row belongs to the header if it has different texts under each name that spans several columns, and no
    other texts, except repeats of the names above, and known names of ids, runs and captions below empty cells.
    """
    above, own = list(header), [str(cell).strip() for cell in [*row, *[""] * (len(header) - len(row))]]
    for k in range(1, len(above)):
        above[k] = above[k] or (above[k - 1] if own[k] else "")
    spans = {k for k, name in enumerate(above) if name and above.count(name) > 1}
    under = {above[k]: [own[j] for j in spans if above[j] == above[k]] for k in spans}
    if not spans or not all(all(texts) and len(set(texts)) == len(texts) for texts in under.values()):
        return None
    alone = {k: name for k, name in enumerate(above) if k not in spans}
    known = {k for k in alone if norm(own[k]) in (*IDS, *RUNS) or is_text(norm(own[k]))}
    if any(own[k] not in ("", name) and (name or k not in known) for k, name in alone.items()):
        return None
    return [f"{name} {own[k]}" if k in spans else name or own[k] for k, name in enumerate(above)]


def of_levels(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str] | None:
    """Return the column names in the three rows that pandas writes for two levels of columns and a named index, or
    None.

    The first column contains the names of the levels, then the name of the index: `model`, `temperature`, `image_id`.
    """
    if len(rows) < 2 or len(header) < 2:
        return None
    level, index = ([str(cell).strip() for cell in row] for row in rows[:2])
    if not header[0].strip() or not index[:1] or not index[0] or any(index[1:]) or norm(index[0]) not in IDS:
        return None
    made = joined(["", *header[1:]], ["", *level[1:]])
    if not level[0] or made is None:
        return None
    stated = f"{norm(level[0])}=" if norm(level[0]) in SETTING_NAMES else ""
    under = zip(made[1:], level[1:])
    return [index[0], *(f"{name.removesuffix(value)}{stated}{value}" if value else name for name, value in under)]


def n_descriptions(rows: Sequence[Sequence[Any]]) -> int:
    """Return the number of rows below the header that describe its columns: two in Qualtrics, one in brackets, or none.

    Of two rows, the second has an object with an `ImportId` in each cell; a single row has cells such as `(1-5)` or
    `[text]`.
    """
    first = [str(cell).strip() for cell in rows[0] if str(cell).strip()] if len(rows) > 1 else []
    if len(first) > 1 and all(_BRACKETED.fullmatch(cell) for cell in first):
        return int(not all(_BRACKETED.fullmatch(str(cell).strip()) for cell in rows[1]))
    cells = [str(cell).strip() for cell in rows[1]] if len(rows) > 1 else []
    return 2 if any(cells) and all(_OF_AN_IMPORT.match(cell) for cell in cells if cell) else 0


def named(header: Sequence[str], sample: Sequence[Sequence[Any]]) -> list[str]:
    """Return the header with a name for each column that has cells but no name.

    A first column without a name may be an index, as pandas writes it: it is called `index` if it names the rows, and
    stays unnamed if it only numbers them.
    """
    made = list(header)
    for k, name in enumerate(header):
        cells = [str(cell).strip() for cell in values(sample, k)]
        if name.strip() or not cells:
            continue
        counts = all(cell.isdigit() for cell in cells) and all(int(b) == int(a) + 1 for a, b in pairwise(cells))
        ids = len(cells) == len(sample) == len(set(cells)) and not any(" " in cell for cell in cells)
        made[k] = (
            "" if k == 0 and counts else "index" if k == 0 and ids and "index" not in header else f"column {k + 1}"
        )
    return made


def by_number(source: Source, header: Sequence[str]) -> Source:
    """Return the source with column names in place of column numbers, from 1, in a person's roles: `2` or `column 2`.

    `header` are the names given to the columns of a table that has none. Roles stay unchanged if one of them names no
    column, or if some are scores, which are read before the columns have names.
    """
    given = source.reading.columns
    names = {form: name for k, name in enumerate(header, 1) for form in (f"column {k}", str(k), name)}
    if not given.any or given.scores or not set(given.named) <= names.keys():
        return source
    source.log.counted[source.name] = frozenset(names)

    def named(columns: Sequence[str]) -> tuple[str, ...]:
        return tuple(names[one] for one in columns)

    made = replace(given, id=named(given.id), captions=named(given.captions), references=named(given.references))
    made = replace(made, run=given.run and names[given.run], settings=named(given.settings))
    made = replace(made, metadata=named(given.metadata), ignored=named(given.ignored))
    return replace(source, reading=replace(source.reading, columns=made))


def by_content(width: int, rows: Rows, source: Source) -> list[str]:
    """Return names for the columns of a table without a header, by the cells of its rows.

    A column of distinct ids is called `id`. If there is none, but each pair of cells in two columns occurs once, the
    column with more values is `id`, and the other `run`. The first column of texts is a prediction (or a reference),
    and the others are references; lists are references beside single texts. If only the order of the columns shows
    this, a finding states it. Two columns of texts may be sources and outputs, however, and columns that share few
    words may be translations: these are only numbered, for a person to give them roles. All columns are numbered if a
    person mapped them by number.
    """
    sample, role = rows[:PEEK], source.reading.role or ("references" if names_only_people(source.stem) else None)
    short = [k for k in range(width) if not has_words(sample, k) or _are_words(rows, k)]
    ids = [k for k in short if len({str(row[k]) for row in rows if k < len(row)}) == len(rows)]
    written = [k for k in range(width) if k not in short]
    names = {k: f"column {k + 1}" for k in range(width)}
    names |= {ids[0]: "id"} if ids else _item_and_run(rows, short)
    lists = {k for k in written if any(isinstance(row[k], list | tuple) for row in sample if k < len(row))}
    written.sort(key=lists.__contains__)
    alike = (len(written) != 2 or len(lists) == 1) and all(
        shared_words(sample, k, written[0]) > ONE_LANGUAGE for k in written[1:]
    )
    counted = {form for k in range(1, width + 1) for form in (str(k), f"column {k}")}
    if source.reading.columns.named and counted.issuperset(source.reading.columns.named):
        return [f"column {k + 1}" for k in range(width)]
    if role is None and alike and len(written) > 2 and len(lists) in (0, len(written)):
        places = [str(k + 1) for k in written]
        roles = [("id", [str(k + 1) for k in ids[:1]]), *(("candidates", [k]) for k in places[:-1])]
        option = TrustedText(in_roles([*roles, ("references", places[-1:])]))
        source.log.add("first_is_run", source.name, first=places[0], others=", ".join(places[1:]), option=option)
    if role is not None or alike:
        said = "caption" if len(written) == 1 else "reference_0" if role == "references" else "prediction"
        names |= {k: f"reference_{place}" for place, k in enumerate(written[1:], 1)} | dict.fromkeys(written[:1], said)
    return [names[k] for k in range(width)]


def _item_and_run(rows: Rows, short: Sequence[int]) -> dict[int, str]:
    """Return the names "id" and "run" for two columns whose contents fit these, if `short` has exactly two columns;
    else {}.
    """
    cells = {k: [str(row[k]) for row in rows if k < len(row)] for k in short}
    if len(cells) != 2:
        return {}
    item, run = sorted(cells, key=lambda k: -len(set(cells[k])))
    once = len(set(zip(cells[item], cells[run]))) == len(rows)
    able = 1 < len(set(cells[run])) < len(set(cells[item])) and not any(map(_NUMBER.fullmatch, cells[run]))
    return {item: "id", run: "run"} if once and able else {}


def _are_words(rows: Rows, place: int) -> bool:
    return all(count_words(str(row[place])) < 2 for row in rows if place < len(row))

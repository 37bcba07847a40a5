"""Tables whose columns are mapped to roles by a person or by inference from their names."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from types import MappingProxyType
from typing import Any

from data.fields.names import IDS, NEUTRAL, PREDICTED, REFERENCES, RUNS, base, is_text, norm, rank
from data.files import printed_lists
from data.files.blobs import without_packing
from data.files.limits import MAX_COLUMNS, TooLargeError
from data.files.printed_lists import unknown
from data.findings import PEEK, FieldTable, clip
from data.formats.columns import distinguishing_columns, failed_answers, metadata, reference_rows, role_doubts, row_runs
from data.formats.columns.assigned_roles import ColumnRoles, by_role, meant, say_fields
from data.formats.columns.contents import cell_of, count_words
from data.formats.columns.joined_tables import Pairs, by_common_part
from data.formats.columns.roles import column_roles, is_meant
from data.formats.columns.run_labels import label_runs
from data.formats.columns.shared_ids import take_shared_id
from data.formats.nesting.nested_records import PICTURE
from data.formats.tables import header as headers
from data.formats.tables import promptfoo, side_by_side
from data.records import Part, Record, Source, as_id

_MARKS, _PICTURED = "\t,;|", ["image", "caption"]
_DECIMAL = re.compile(r"[-+]?\d+[.,]\d+")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")
NOTHING: Mapping[int, str] = MappingProxyType({})
# A caption may be of any length; the default limit of the csv module, 128 KB, would reject the file.
csv.field_size_limit(1 << 30)


@dataclass
class Table:
    """A header, below a `title`, and rows with their places; `nested` if the columns are paths to fields of records.

    If the last column is an id made from other columns, these are `id_of`, and `mark` is between their cells.
    """

    header: list[str]
    rows: Iterator[tuple[str, Sequence[Any]]]
    nested: bool = False
    id_of: tuple[int, ...] = ()
    mark: str = ""
    title: str = ""

    def peek(self, count: int = PEEK) -> list[tuple[str, Sequence[Any]]]:
        """Return the first rows without consuming them."""
        found = list(islice(self.rows, count))
        self.rows = chain(found, self.rows)
        return found

    def sample(self, count: int = PEEK) -> list[Sequence[Any]]:
        """Return the cells of the first rows without consuming them."""
        return [row for _, row in self.peek(count)]


def of_records(source: Source, rows: Sequence[Any], nested: bool = False) -> Table:
    """Return records as a table with a column for each of their fields; report other values as findings."""
    head = list(dict.fromkeys(key for row in rows if isinstance(row, dict) for key in row))
    return Table(head, ((where, [row.get(key) for key in head]) for where, row in source.objects(rows)), nested)


def looks_like_table(text: str, name: str) -> bool:
    """Return whether text is a table: by its extension, or because its first line has an id and a caption column."""
    if without_packing(name).lower().endswith((".csv", ".tsv")):
        return True
    head = headers.first_cells(text, delimiter(text))
    known = [norm(column) for column in head]
    return len(head) > 1 and any(c in IDS for c in known) and any(is_text(c) for c in known)


def delimiter(text: str) -> str:
    """Return the separator that splits the first line into the most cells."""
    return max(_MARKS, key=lambda mark: len(headers.first_cells(text, mark)))


def from_text(source: Source) -> Table:
    """Return the table in delimited text; report rows that do not fit. Raises TooLargeError for too many columns."""
    text, stated = headers.below_separator(source.value)
    above, title = list[str](), ""
    if titles := headers.n_title_lines(text, _MARKS):
        *above, _ = lines = text.split("\n", titles)
        if title := " ".join(above).strip(_MARKS + " "):
            source.log.add("title_rows", source.name, count=titles, text=title)
        text = "\n" * titles + lines[titles]
    mark = stated or delimiter(text)
    # Tab-separated captions often contain unescaped quotation marks.
    quoting: Any = csv.QUOTE_NONE if mark == "\t" and not _quotes_close(text) else csv.QUOTE_MINIMAL
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=mark, quoting=quoting, strict=quoting == csv.QUOTE_MINIMAL
    )
    header: list[str] = []
    while not any(header):
        header = next(_rows(reader, source), ("", []))[1]
        if reader.line_num == 0 or (not header and reader.line_num >= text.count("\n")):
            break
    if len(header) > MAX_COLUMNS:
        raise TooLargeError(f"{len(header):,} columns, more than {MAX_COLUMNS:,}")
    header = promptfoo.prompts(header)
    rows = _rows(reader, source, len(header), mark == "," and _commas_are_text(header, text))
    if mark == "," and _is_ragged(text) and _commas_are_text(_PICTURED, f"\n{text}"):
        source.log.add("no_header", source.name)
        first = [header[0], ",".join(header[1:])]
        header, rows = [*_PICTURED], chain([("line 1", first)], _rows(reader, source, len(_PICTURED), joined=True))
    # With semicolons between cells, spreadsheets write 0,3 for 0.3.
    if mark == "|":  # as in Flickr30k: `image_name| comment_number| comment`
        stripped = ((where, [one.strip() for one in row]) for where, row in rows)
        return Table([name.strip() for name in header], headers.with_missing_mark(stripped, len(header), source))
    if facts := headers.stated(above, header):
        width, header = len(header), [*header, *facts]
        rows = ((where, [*row, *[""] * (width - len(row)), *facts.values()]) for where, row in rows)
    decimals = ((where, [with_point(cell) for cell in row]) for where, row in rows)
    return headed(Table(header, rows if mark == "," else decimals, title=title), source)


def headed(table: Table, source: Source) -> Table:
    """Return the table with a name for each column if its header has two or three rows or lacks names.

    Rows below the header that describe the columns are dropped, with a finding; tables side by side are joined.
    """
    if count := headers.n_descriptions(table.sample()):
        (where, _), *_ = islice(table.rows, count)
        source.log.add("described_columns", source.name, where, count=count)
    first = table.peek()
    if (levels := headers.of_levels(table.header, [row for _, row in first[:2]])) is not None:
        return replace(table, header=levels, rows=islice(table.rows, 2, None))
    if first and (joined := headers.joined(table.header, first[0][1])) is not None:
        return replace(table, header=joined, rows=islice(table.rows, 1, None))
    if apart := side_by_side.parts(table.header, [row for _, row in first]):
        return Table(*side_by_side.joined(table.header, apart, table.rows), table.nested)
    return replace(table, header=headers.named(table.header, [row for _, row in first]))


def _commas_are_text(header: list[str], text: str) -> bool:
    """Return whether cells after the second are the rest of an unquoted caption.

    This is certain in a table of ids and captions if every id is unique and a space follows every later comma, or if
    every id is the name of a picture or sound and every later cell has letters.
    """
    if len(header) != 2 or norm(header[0]) not in IDS or not is_text(norm(header[1])):
        return False
    rows = [line.split(",") for line in text.strip().splitlines()[1:] if line]
    if all(PICTURE.fullmatch(row[0]) for row in rows):
        return all(any(map(str.isalpha, cell)) or cell.strip(" .!?") == "" for row in rows for cell in row[2:])
    if '"' in text:
        return False
    apart = all(cell[:1] == " " and cell.strip() for row in rows for cell in row[2:])
    return apart and len({row[0] for row in rows}) == len(rows)


def _is_ragged(text: str) -> bool:
    """Return whether lines that begin with the name of a picture or sound differ in their number of commas."""
    lines = text.strip().split("\n")
    named = PICTURE.fullmatch(lines[0].partition(",")[0])
    return named is not None and len({line.count(",") for line in lines}) > 1 and all("," in line for line in lines)


def with_point(cell: str) -> str:
    """Return a cell with a decimal point in place of the comma that many languages write."""
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell


def _quotes_close(text: str) -> bool:
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True):
            pass
    except csv.Error:
        return False
    return True


def _rows(reader: Any, source: Source, width: int = 0, joined: bool = False) -> Iterator[tuple[str, list[str]]]:
    while True:
        where = f"line {reader.line_num + 1}"
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            source.log.add("bad_table", source.name, where, why=error)
            continue
        if joined and len(row) > width:
            source.log.add("commas_joined", source.name, where)
            yield where, [row[0], ",".join(row[1:])]
        elif width and len(row) > width and any(row[width:]):
            source.log.add("bad_row", source.name, where, why=f"{len(row)} and {width}")
        elif any(row):
            yield where, row


def with_header(table: Table, source: Source) -> Table:
    """Return the table; columns of verdicts are renamed, and a first line of texts without names or questions becomes a
    row.

    The columns then get names, with a finding: a column of short, unique texts without spaces is the id; the first of
    several further columns contains the run's captions.
    """
    known = (IDS, PREDICTED, REFERENCES, NEUTRAL, [*RUNS])
    if (judged := failed_answers.named(table.header, table.sample())) is not None:
        return replace(table, header=judged)
    if any(rank(name, of) is not None for name in table.header for of in known) and not _counts_on(table):
        return table
    # A name in a script without spaces is as long as a text, but no header has a number for a name.
    is_row = any(_DECIMAL.fullmatch(name) for name in table.header) or _counts_on(table)
    count = count_words if is_row else lambda text: len(text.split())
    texts = [k for k, name in enumerate(table.header) if count(name) > 2 or printed_lists.listed(name) is not None]
    below = [str(row[k]) for _, row in table.peek() for k in texts if k < len(row)]
    named = not is_row and headers.counts_below(table.header, table.sample())
    if is_row and not texts and len(table.header) > 2 and not table.nested:
        source.log.add("no_header", source.name)
        return Table(
            [f"column {k}" for k in range(1, len(table.header) + 1)], chain([("line 1", table.header)], table.rows)
        )
    if named or not texts or (below and all(count(one) < 2 for one in below)):
        return table
    return _by_content(len(table.header), [("line 1", table.header), *table.rows], source)


def _counts_on(table: Table) -> bool:
    """Return whether a name in the header is the first of the numbered names below it: `video1` above `video2`."""
    rows = table.sample()
    numbered = [k for k, name in enumerate(table.header) if name[-1:].isdecimal() and " " not in name.strip()]
    below = {k: [norm(str(row[k])) for row in rows if k < len(row)] for k in numbered}
    return any(of and {base(name) for name in of} == {base(norm(table.header[k]))} for k, of in below.items())


def _named(table: Table, source: Source) -> Table:
    if len(table.header) < 2 or not all(name == f"column {k}" for k, name in enumerate(table.header, 1)):
        return table
    return _by_content(len(table.header), list(table.rows), source)


def _by_content(width: int, rows: list[tuple[str, Sequence[Any]]], source: Source) -> Table:
    source.log.add("no_header", source.name)
    return Table(headers.by_content(width, [row for _, row in rows], source), iter(rows), nested=True)


def load(source: Source) -> Part | None:
    """Return the captions in a table with one row per caption or item; None, with a finding, if there are none."""
    found = read(source)
    return found and found[0]


def read(source: Source, beside: Mapping[int, str] = NOTHING) -> tuple[Part, ColumnRoles] | None:
    """Return the captions of a table and the roles of its columns; None, with a finding, if none can be read.

    The columns `beside` are read elsewhere, as "score", "rating" or "rater". Raises TooLargeError for too many columns.
    """
    table = source.value if isinstance(source.value, Table) else from_text(source)
    given = source.reading.columns.named
    if not given or not set(given) <= set(table.header):
        before, table = table, _named(table, source) if table.nested else with_header(table, source)
        source = headers.by_number(source, table.header) if table is not before else source
    sample = table.sample()
    if not given and reference_rows.column(table.header, sample) >= 0:
        header, made = reference_rows.split(table.header, rows := list(table.rows)) or (table.header, rows)
        table = replace(table, header=header, rows=iter(made))
        sample = table.sample()
    if not given and table.nested and failed_answers.are_alone(table.header, sample):
        failed_answers.say_all(table.rows, table.header, source)
        return None
    own = len(table.header) - bool(table.id_of)
    first = tuple(tuple(row[:own]) for row in sample[:3])
    source.log.fields[source.name] = FieldTable(source.name, tuple(table.header[:own]), first, count=len(sample))
    roles = column_roles(table.header, source, sample)
    if roles is None:
        return None
    roles.id_of, roles.mark = table.id_of, table.mark
    if roles.runs and not source.reading.columns.id:
        take_shared_id(roles, table.header, table.sample(distinguishing_columns.LOOKED_AT))
    if roles.predicted:
        distinguishing_columns.add(roles, table.header, source, table.sample(distinguishing_columns.LOOKED_AT))
    table.rows = row_runs.with_settings(table.rows, table.header, roles)
    table.rows = failed_answers.without_verdicts(table.rows, table.header, roles, source, sample)
    used = {*roles.used(), *beside} - {k for k in roles.id_of if table.header[k] == "language"}  # for Slices
    others = [i for i, name in enumerate(table.header) if i not in used and name]
    wrong = {i: table.header[i] for i in others[:100] if meant([table.header[i]], roles)}
    metadata.say(source.log, "misspelt_columns", source.name, [*wrong.values()], meant([*wrong.values()], roles))
    if not is_meant(table.header, source.reading.columns) and role_doubts.asked(
        table.header, sample, others, roles, source
    ):
        return None
    alike = None if given else role_doubts.say_doubts(table.header, sample, others[:100], roles, source)
    by_place = roles.id < 0 and roles.told_by < 0 and not roles.only
    found = metadata.Facts(table.header, [i for i in others if i not in wrong], by_place)
    say_fields(table.header, roles, source)
    records, stated, n_rows, others_ids = _records(source, table, roles, found)
    if roles.runs and roles.id >= 0 and not beside:
        records = by_common_part(records, source)
    facts_read = found.give(records.values(), source)
    metadata.say(
        source.log, "scores_read", source.name, [table.header[k] for k, what in beside.items() if what == "score"]
    )
    shown = replace(source.log.fields[source.name], roles=by_role(table.header, roles, facts_read, beside))
    source.log.fields[source.name] = shown
    labels = label_runs(source, dict.fromkeys(run for r in records.values() for run in r.candidates), stated)
    part = Part(source.name, "table", list(records.values()), n_rows, labels)
    part.by_place, part.neutral, part.alike = roles.id < 0 and not roles.only, roles.neutral, alike
    part.fields = frozenset(table.header[k] for k in {*range(len(table.header))} - roles.said() | {*roles.id_of})
    sources = {table.header[roles.told_by]: [*roles.told]} if 0 < len(roles.told) == len(part.records) else {}
    part.told = found.told() | sources
    part.other_id = (table.header[roles.other_id], frozenset(others_ids)) if others_ids else None
    return part, roles


def _records(
    source: Source, table: Table, roles: ColumnRoles, found: metadata.Facts
) -> tuple[dict[str, Record], dict[str, dict[str, Any]], int, set[str]]:
    """Return the records of all rows, the stated settings by run, the number of rows, and the values of `other_id`."""
    records: dict[str, Record] = {}
    stated: dict[str, dict[str, Any]] = {}
    rows = failed_answers.without_failed(table.rows, table.header, roles, source) if table.nested else table.rows
    pairs, n_rows, others = Pairs(roles), 0, set[str]()
    for count, (where, row) in enumerate(pairs.watch(rows), 1):
        n_rows = count
        if 0 <= roles.other_id < len(row) and (other := as_id(row[roles.other_id])) is not None:
            others.add(other)
        if (id := _take(source, where, row, roles, table.header, records, stated)) is not None:
            found.take(id, row)
    for id, run in roles.references_only:
        records[id].candidates.setdefault(run, [""])
    pairs.read_once(records.values(), source)
    if roles.only:
        source.log.add("ranked_rows", source.name, n=n_rows, item=clip(roles.only))
    if roles.told:
        n_rows = len(records)
        source.log.add("told_by", source.name, column=f"`{clip(table.header[roles.told_by])}`", n=n_rows)
    return records, stated, n_rows, others


def _take(
    source: Source,
    where: str,
    row: Sequence[Any],
    roles: ColumnRoles,
    header: list[str],
    records: dict[str, Record],
    stated: dict[str, dict[str, Any]],
) -> str | None:
    """Add the captions of a row to the record of its item; return the item's id, or None if the row has none."""

    cell = partial(cell_of, row)
    if roles.told_by >= 0 and cell(roles.told_by) not in (None, ""):
        value: Any = roles.told.setdefault(str(cell(roles.told_by)), len(roles.told) + 1)
    else:
        value = cell(roles.id) if roles.id >= 0 else roles.id_of_row(len(records) + 1)
    if value is None or value == "":
        source.log.add("missing_id", source.name, where)
        return None
    if (id := source.checked_id(value, where)) is None:
        return None
    record = records.setdefault(id, Record(id, where))
    if roles.aliases and not record.aliases:
        record.aliases = tuple(name for k in roles.aliases if (name := as_id(cell(k))) is not None)
    if roles.image >= 0 and isinstance(cell(roles.image), str):
        record.image = as_id(cell(roles.image))
    reviewed = {norm(header[k]): cell(k) for k in (*roles.marks, *roles.states)}
    if roles.references and not source.is_withdrawn(reviewed, where, id):
        is_withdrawn = partial(source.is_withdrawn, where=where, id=id)
        said = printed_lists.without_marked([cell(index) for index in roles.references], reviewed, is_withdrawn)
        _add_references(source, where, said, record, bool(roles.predicted))
    for name in dict.fromkeys(roles.named.get(index, "") for index in roles.predicted):
        run = row_runs.run_of(source, cell, roles, header, stated, name)
        if run not in source.named:
            source.named[run] = row_runs.place_of_run(where, cell, roles, header)
        captions = [cell(index) for index in roles.predicted if roles.named.get(index, "") == name]
        if all(one is failed_answers.FAILED for one in captions):
            continue
        kept = [one for one in captions if one not in (None, "", failed_answers.FAILED)] or captions[:1]
        if kept == [None] and any(cell(index) for index in roles.references):
            if not roles.runs or any(cell(k) not in (None, "") for k in roles.runs):
                roles.references_only.append((id, run))  # another record may have the run's caption
            continue
        for one in kept:
            texts = source.captions("" if one is None else one, "candidate", where, id)
            record.candidates.setdefault(run, []).extend(texts)
    return id


def _add_references(source: Source, where: str, cells: list[Any], record: Record, of_captions: bool) -> None:
    """Add the references in the cells of a row, but only once if a sheet repeats them in each row of an item."""
    known = source.counted.setdefault(record.id, Counter())
    # An empty cell means no reference in a numbered column, and the reference above in a sheet.
    filled = [one for one in cells if one not in (None, "") or (len(cells) == 1 and not (of_captions and known))]
    texts = [text for one in filled for text in source.captions(one or "", "reference", where, record.id)]
    # A row with only a reference counts even if it is repeated, since two people may write the same.
    new = unknown(known, texts) if of_captions or len(texts) > 1 else texts
    if len(new) < len(texts):
        source.log.add("references_repeated", source.name, where, record.id, len(texts) - len(new))
    record.references += new

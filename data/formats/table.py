"""Tables (CSV, TSV, Parquet) with a column mapping, given or inferred from column names."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from data.blobs import without_gz
from data.bounds import BROKEN, MAX_COLUMNS, TooLargeError
from data.cells import MARKS
from data.findings import TrustedText, clip
from data.formats import facts, parquet
from data.near import misspelt
from data.records import Columns, Part, Record, Source, as_id, label_runs, unknown
from data.settings import SETTING_NAMES

IDS = [
    "id",
    "_id",
    "item_id",
    "item",
    "image_id",
    "imageid",
    "img_id",
    "video_id",
    "videoid",
    "audio_id",
    "clip_id",
    "sound_id",
    "cocoid",
    "audiocap_id",
    "file_name",
    "filename",
    "file",
    "image",
    "image_name",
    "image_path",
    "img",
    "video",
    "audio",
    "path",
    "key",
    "uid",
    "youtube_id",
    "url",
    "image_url",
    "name",
]
IMAGES = ["image", "image_path", "file_name", "filename", "image_name", "path", "img", "file"]
PREDICTED = [
    "caption_predicted",
    "predicted_caption",
    "prediction",
    "predictions",
    "predicted",
    "candidate",
    "candidates",
    "hypothesis",
    "hypotheses",
    "generated",
    "generated_caption",
    "output",
]
REFERENCES = [
    "reference",
    "references",
    "ref",
    "refs",
    "ground_truth",
    "gt",
    "target",
    "human_caption",
    "caption_reference",
    "caption_references",
]
NEUTRAL = ["caption", "captions", "text", "description", "sentence", "sentences", "comment", "raw"]
RUNS = ("run", "run_name", "system", "model", "model_name")
ALSO_CALLED = {"temp": "temperature", "topp": "top_p", "nucleus_p": "top_p", "topk": "top_k", "random_seed": "seed"}
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")
_NUMBERED = re.compile(r"_?\d{1,3}$")
# A cell may hold any caption; the module's own limit of 128 KB would stop the file.
csv.field_size_limit(1 << 30)


@dataclass
class Table:
    """A header and rows with their places; `used` are the columns that were given a meaning."""

    header: list[str]
    rows: Iterator[tuple[str, Sequence[Any]]]
    n_rows: int = 0


@dataclass
class ColumnRoles:
    """The column numbers of each role."""

    id: int = -1
    image: int = -1
    runs: list[int] = field(default_factory=list)
    settings: dict[str, int] = field(default_factory=dict)
    predicted: list[int] = field(default_factory=list)
    references: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)

    def used(self) -> set[int]:
        """All columns with a role."""
        texts = (*self.predicted, *self.references, *self.marks)
        return {self.id, self.image, *self.runs, *self.settings.values(), *texts}


def looks_like_table(text: str, name: str) -> bool:
    """Whether text is a table: its ending says so, or its first line has an id and a caption column."""
    if without_gz(name).lower().endswith((".csv", ".tsv")):
        return True
    head = _header(text, delimiter(text))
    known = [norm(column) for column in head]
    return len(head) > 1 and any(c in IDS for c in known) and any(is_text(c) for c in known)


def delimiter(text: str) -> str:
    """The separator that splits the first line into most cells."""
    return max("\t,;|", key=lambda mark: len(_header(text, mark)))


def _header(text: str, mark: str) -> list[str]:
    line = text.lstrip("\r\n").split("\n", 1)[0][:100_000]
    try:
        return next(csv.reader([line.rstrip("\r")], delimiter=mark), [])
    except csv.Error:
        return []


def norm(column: str) -> str:
    """The name of a column in lower case, with underscores for blanks and hyphens."""
    return re.sub(r"[\s-]+", "_", column.strip().lower())


def _base(column: str) -> str:
    return _NUMBERED.sub("", column)


def setting_columns(names: Sequence[str]) -> dict[str, int]:
    """The columns of settings by the names of these, among names of columns as `norm` writes them."""
    called = {name: [name, *(also for also, meant in ALSO_CALLED.items() if meant == name)] for name in SETTING_NAMES}
    return {key: place for key, known in called.items() if (place := _first(list(names), known)) >= 0}


def is_text(column: str) -> bool:
    """Whether a column of that name, as `norm` writes it, holds captions."""
    return _base(column) in {*PREDICTED, *REFERENCES, *NEUTRAL}


def from_text(source: Source) -> Table:
    """The table in delimited text; rows that do not fit the header are findings."""
    text: str = source.value
    mark = delimiter(text)
    quoting: Any = csv.QUOTE_MINIMAL
    if mark == "\t" and not _quotes_close(text):
        quoting = csv.QUOTE_NONE  # tab-separated captions often hold bare quotation marks
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
    rows = _rows(reader, source, len(header))
    # Where semicolons part the cells, spreadsheets write 0,3 for 0.3.
    decimals = ((where, [_with_point(cell) for cell in row]) for where, row in rows)
    return Table(header, decimals if mark == ";" else rows)


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell


def _quotes_close(text: str) -> bool:
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True):
            pass
    except csv.Error:
        return False
    return True


def _rows(reader: Any, source: Source, width: int = 0) -> Iterator[tuple[str, list[str]]]:
    while True:
        where = f"line {reader.line_num + 1}"
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            source.log.add("bad_table", source.name, where, why=error)
            continue
        if width and len(row) > width and any(row[width:]):
            source.log.add("bad_row", source.name, where, why=f"{len(row)} and {width}")
        elif any(row):
            yield where, row


def from_parquet(content: bytes, source: Source) -> Table | None:
    """The table in a Parquet file; None, with a finding, when it is damaged."""
    try:
        names, columns = parquet.columns(content, source.budget)
    except BROKEN as error:
        source.log.add("bad_table", source.name, why=str(error) or type(error).__name__)
        return None
    rows = ((f"row {i + 1}", row) for i, row in enumerate(zip(*columns)))
    return Table(names, rows)


def load(source: Source, rated: Container[int] = ()) -> Part | None:
    """References and candidates of a table, a row per caption or per item; the columns `rated` are read elsewhere."""
    table = source.value if isinstance(source.value, Table) else from_text(source)
    roles = column_roles(table.header, source)
    if roles is None:
        return None
    others = [i for i, name in enumerate(table.header) if i not in roles.used() and i not in rated and name]
    wrong = {i: table.header[i] for i in others[:100] if _meant([table.header[i]], roles)}
    facts.say(source.log, "misspelt_columns", source.name, [*wrong.values()], _meant([*wrong.values()], roles))
    found = facts.Facts(table.header, [i for i in others if i not in wrong])
    records: dict[str, Record] = {}
    stated: dict[str, dict[str, Any]] = {}
    n_rows = 0
    for where, row in table.rows:
        n_rows += 1
        if (id := _take(source, where, row, roles, table.header, records, stated)) is not None:
            found.take(id, row)
    found.give(records.values(), source)
    labels = label_runs(source, dict.fromkeys(run for r in records.values() for run in r.candidates), stated)
    return Part(source.name, "table", list(records.values()), n_rows, labels)


def _take(
    source: Source,
    where: str,
    row: Sequence[Any],
    roles: ColumnRoles,
    header: list[str],
    records: dict[str, Record],
    stated: dict[str, dict[str, Any]],
) -> str | None:
    """Add the captions of a row to the record of its item; return the id, None without one."""

    def cell(index: int) -> Any:
        return row[index] if 0 <= index < len(row) else None

    value = cell(roles.id)
    if value is None or value == "":
        source.log.add("missing_id", source.name, where)
        return None
    if (id := source.checked_id(value, where)) is None:
        return None
    record = records.setdefault(id, Record(id, where))
    if roles.image >= 0 and isinstance(cell(roles.image), str):
        record.image = as_id(cell(roles.image))
    if roles.references and not source.is_withdrawn({norm(header[k]): cell(k) for k in roles.marks}, where, id):
        _add_references(source, where, [cell(index) for index in roles.references], record, bool(roles.predicted))
    if roles.predicted:
        run = run_of(source, cell, roles, header, stated)
        if run not in source.named:
            source.named[run] = _place_of_run(where, cell, roles, header)
        captions = [cell(index) for index in roles.predicted]
        kept = [one for one in captions if one not in (None, "")] or captions[:1]
        for one in kept:
            texts = source.captions("" if one is None else one, "candidate", where, id)
            record.candidates.setdefault(run, []).extend(texts)
    return id


def _add_references(source: Source, where: str, cells: list[Any], record: Record, of_captions: bool) -> None:
    """Add the references in the cells of a row; those that sheets of captions repeat on each row of an item, once."""
    known = source.counted.setdefault(record.id, Counter())
    # An empty cell of a numbered column says that there is no such reference, one in a sheet that it stands above.
    filled = [one for one in cells if one not in (None, "") or (len(cells) == 1 and not (of_captions and known))]
    texts = [text for one in filled for text in source.captions(one or "", "reference", where, record.id)]
    # A row with one reference and nothing else is a reference of its own: two people may write the same.
    new = unknown(known, texts) if of_captions or len(texts) > 1 else texts
    if len(new) < len(texts):
        source.log.add("references_repeated", source.name, where, record.id, len(texts) - len(new))
    record.references += new


def run_of(source: Source, cell: Any, roles: ColumnRoles, header: list[str], stated: dict[str, dict[str, Any]]) -> str:
    """The name of the run of a row, or of the file, with what the row states of it added to `stated`."""
    run, settings, model = _parts_of_run(source, cell, roles, header)
    if run not in stated:
        stated[run] = {**settings, **({"model": model} if model else {})}
    return run


def _place_of_run(where: str, cell: Callable[[int], Any], roles: ColumnRoles, header: list[str]) -> str:
    """The row that names a run first, with the column that does."""
    column = next((header[i] for i in roles.runs if cell(i) not in (None, "")), None)
    return where if column is None else f"{where}, column {clip(column)}"


def run_name(source: Source, cell: Callable[[int], Any], roles: ColumnRoles, header: list[str]) -> str | None:
    """The name of the run of a row; None where its cells are empty."""
    if all(cell(i) in (None, "") for i in roles.runs):
        return None
    return _parts_of_run(source, cell, roles, header)[0]


def _parts_of_run(
    source: Source, cell: Callable[[int], Any], roles: ColumnRoles, header: list[str]
) -> tuple[str, dict[str, Any], str | None]:
    """The name, settings and model of the run of a row."""
    names = {norm(header[i]): str(cell(i)) for i in roles.runs if cell(i) not in (None, "")}
    settings = {key: _number(cell(i)) for key, i in roles.settings.items() if cell(i) not in (None, "")}
    model = next((names[key] for key in ("model", "model_name") if key in names), None)
    run = next((names[key] for key in ("run", "run_name", "system") if key in names), None)
    if run is None:
        parts = [model or source.run, *(f"{key}={value}" for key, value in settings.items())]
        run = "@".join(parts) if model or settings else source.run
    return source.run_name(run) or source.run, settings, model


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value


def column_roles(header: list[str], source: Source) -> ColumnRoles | None:
    given = source.reading.columns
    names = [norm(column) for column in header]
    stated = {column: i for i, column in reversed(list(enumerate(header)))}
    missing = [c for c in (given.id, given.run, *given.captions, *given.references) if c and c not in stated]
    if missing:
        source.log.add("no_columns", source.name, what=f"`{missing[0]}`", columns=TrustedText(_listing(header)))
        return None
    roles = ColumnRoles()
    roles.id = stated[given.id] if given.id else _first(names, IDS)
    roles.settings = setting_columns(names)
    roles.runs = [stated[given.run]] if given.run else [names.index(key) for key in RUNS if key in names]
    _text_columns(roles, names, stated, given, source)
    roles.marks = [place for place, name in enumerate(names) if name in MARKS]
    image = _first(names, IMAGES)
    roles.image = image if image not in (*roles.predicted, *roles.references) else -1
    for found, what in ((roles.id >= 0, "the id"), (roles.predicted or roles.references, "captions")):
        if not found:
            told, meant = TrustedText(_listing(header)), _meant(header, roles)
            source.log.add("no_columns", source.name, what=what, columns=told, hint=meant)
            return None
    return roles


def _meant(columns: Sequence[str], roles: ColumnRoles) -> TrustedText:
    """What columns without a meaning may be misspellings of: captions, and an id or a run where none was found."""
    texts = [*PREDICTED, *NEUTRAL, *REFERENCES]
    known = [*texts, *(() if roles.id >= 0 else IDS), *(() if roles.runs else RUNS)]
    bases = (_base(norm(name)) for name in columns[:100])
    # Of `caption_de` and `reference_id` the first word is right.
    return misspelt((base for base in bases if base not in {*IDS, *RUNS} and base.split("_")[0] not in texts), known)


def _text_columns(roles: ColumnRoles, names: list[str], stated: dict[str, int], given: Columns, source: Source) -> None:
    if given.captions or given.references:
        roles.predicted = [stated[column] for column in given.captions]
        roles.references = [stated[column] for column in given.references]
        if source.reading.role == "references":
            roles.predicted, roles.references = [], roles.references + roles.predicted
        return
    taken = {roles.id, *roles.runs}
    of = {
        kind: [i for i, n in enumerate(names) if i not in taken and (n in known or _base(n) in known)]
        for kind, known in (("predicted", PREDICTED), ("references", REFERENCES), ("neutral", NEUTRAL))
    }
    roles.predicted, roles.references = of["predicted"], of["references"]
    if not of["neutral"]:
        return
    # Captions without a word of who wrote them: numbered ones beside predictions, or alone, are human (Clotho).
    numbered = len(of["neutral"]) > 1
    usual = source.role("references" if numbered and not roles.runs else "predictions")
    if roles.predicted or (usual == "references" and not roles.references):
        roles.references = roles.references or of["neutral"]
    elif usual != "references":
        roles.predicted = of["neutral"]


def _first(names: list[str], known: Sequence[str]) -> int:
    return next((names.index(key) for key in known if key in names), -1)


def _listing(header: list[str]) -> str:
    return ", ".join(clip(column) for column in header[:12]) + (", …" if len(header) > 12 else "")

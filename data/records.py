"""Records as loaders return them, before any check, and the part of a study that a file forms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.fields.keys import Fields, is_of_people
from data.files import printed_lists
from data.files.limits import A_ROW, Budget
from data.findings import Log, clip
from data.judge_answers import Answer
from data.run_settings import parse_stem
from data.study import Settings, SystemRatings, Tokenizer

Role = Literal["references", "predictions", "both"]
MAX_DEPTH = 20
_LONG_CELL, LONGEST_ID = 2_000, 500  # characters from which a text may count as a list; the longest id


@dataclass(frozen=True)
class Columns:
    """The columns, or fields by path, that a person assigned to each role; empty roles are inferred from names.

    The cells of several columns in `id` are joined. With `each`, every column of captions is a run; with `where_there`,
    the roles apply only to files with all of the columns.
    """

    id: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    run: str | None = None
    where_there: bool = False
    settings: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    ratings: tuple[str, ...] = ()
    rater: str | None = None
    each: bool = False

    @property
    def named(self) -> tuple[str, ...]:
        """The names of all columns with a role."""
        rest = (*self.settings, *self.metadata, *self.ignored, *self.scores, *self.ratings)
        texts = (*self.captions, *self.references)
        return tuple(name for name in (*self.id, self.run, *texts, *rest, self.rater) if name)

    @property
    def any(self) -> bool:
        """Whether any column has a role."""
        return bool(self.named)


@dataclass(frozen=True)
class Asked:
    """A file of requests to a model: the settings that it states, by the id of the request."""

    file: str
    settings: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Reading:
    """Instructions for reading one file that override detection.

    `format` is a key of `data.formats.registry.FORMATS`, and `run` the name for the run of a file that names none. With
    `beside_references`, another file contains the references, and columns of sentences with unknown names are read as
    runs. `ids_beside` are the ids in the other files, if a file has none of them under the usual names for ids, and
    `runs_beside` are their runs, if a file of numbers names none. With `fills`, the ids and runs in the first row of a
    block are copied to its other rows. `stems` are the names of all files, and `asked` contains the files of requests.
    """

    format: str | None = None
    role: Role | None = None
    run: str | None = None
    columns: Columns = Columns()
    beside_references: bool = False
    ids_beside: frozenset[str] = frozenset()
    runs_beside: frozenset[str] = frozenset()
    fills: bool = True
    asked: tuple[Asked, ...] = ()
    stems: tuple[str, ...] = ()


@dataclass(slots=True)
class Record:
    """The contents of a file about one item; `where` is its place in the file, and `aliases` are its other names."""

    id: str
    where: str = ""
    references: list[str] = field(default_factory=list)
    candidates: dict[str, list[str]] = field(default_factory=dict)
    image: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    human: dict[str, Any] = field(default_factory=dict)
    logprobs: dict[str, list[float]] = field(default_factory=dict)
    oracle_logprobs: dict[str, list[float]] = field(default_factory=dict)
    reference_logprobs: dict[str, list[float]] = field(default_factory=dict)
    references_oracle_logprobs: list[float] = field(default_factory=list)
    coherence: dict[str, list[str]] = field(default_factory=dict)
    references_coherence: list[str] = field(default_factory=list)
    cluster: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Label:
    """The model and settings of a run: `stated` are the settings that the file states, and `written` is the name in the
    file.

    `setting` names, if the file does, the setting whose replicates differ only in a seed; `where` is the first place in
    a table that names the run.
    """

    model: str
    settings: Settings
    stated: frozenset[str] = frozenset()
    written: str = ""
    setting: str | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score computed elsewhere, for a caption, an item or a run; `value` is None for an empty cell.

    `index` numbers the candidates of the item as the file does. `higher`, `low` and `high` are the direction and range
    that the file states for the metric.
    """

    where: str
    metric: str
    value: float | None
    run: str | None = None
    item: str | None = None
    index: int | None = None
    caption: str | None = None
    higher: bool | None = None
    low: float | None = None
    high: float | None = None

    @property
    def of_candidate(self) -> bool:
        """Whether the row is about a single candidate."""
        return self.index is not None or self.caption is not None


@dataclass(frozen=True, slots=True)
class RatingRow(ScoreRow):
    """A rating by one rater; `metric` is the criterion, and `rater` is empty if the file names none."""

    rater: str = ""


@dataclass(frozen=True, slots=True)
class PreferenceRow:
    """Votes between two captions of an item, identified as in rows of scores; a tie counts half for each."""

    first: ScoreRow
    second: ScoreRow
    first_votes: float
    second_votes: float
    criterion: str
    category: str
    ties: float = 0.0


@dataclass(frozen=True)
class VectorFile:
    """The embeddings in one file: row k of `rows` (n, d) belongs to the caption that `keys[k]` identifies."""

    name: str
    keys: list[ScoreRow]
    rows: NDArray[np.float32]


@dataclass(frozen=True)
class FieldsAlike:
    """The fields whose texts resemble those of runs, and the values of `--map` that read them as references or runs."""

    columns: tuple[str, ...]
    options: tuple[str, str]


@dataclass
class Part:
    """The records of one file. With `append`, its references are added to other files' references for the same items.

    Instead of records, a file of scores has `scores`, a file of embeddings `vectors`, a file of distances `matrices` by
    their names in the file, and a file of judgments `ratings`, `preferences`, `systems` or a judge's `answers`.
    `counts_from_zero` states whether the file numbers candidates from 0 rather than 1, and `stem` is its name. `keyed`
    is the same text with the first word of each line as its id, `spaced` if a space separates the two. If `by_place`,
    the position of a record is its id; if `neutral`, no field shows who wrote its captions; `other_id` is a field that
    may be the id, with its values, and `fields` are the fields of its records that are not about captions. For records
    without ids, `told` has the fields whose values all differ, with these values in order. `as_written` has the
    contents of the file without the repair `fill_down`, if any file needs that repair. `alike` are fields that were not
    read although their texts resemble the captions of runs.
    """

    file: str
    format: str
    records: list[Record]
    n_records: int
    labels: dict[str, Label] = field(default_factory=dict)
    dataset: str | None = None
    tokenizer: Tokenizer | None = None
    synthetic: bool = False
    append: bool = False
    first_of: str | None = None
    scores: list[ScoreRow] = field(default_factory=list)
    counts_from_zero: bool = True
    stem: str = ""
    vectors: VectorFile | None = None
    matrices: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    ratings: list[RatingRow] = field(default_factory=list)
    preferences: list[PreferenceRow] = field(default_factory=list)
    systems: list[SystemRatings] = field(default_factory=list)
    answers: list[tuple[str, Answer]] = field(default_factory=list)
    keyed: Part | None = None
    spaced: bool = False
    other_id: tuple[str, frozenset[str]] | None = None
    by_place: bool = False
    neutral: bool = False
    fields: frozenset[str] = frozenset()
    told: dict[str, list[str]] = field(default_factory=dict)
    as_written: Part | None = None
    alike: FieldsAlike | None = None


@dataclass
class Source:
    """A parsed file as passed to loaders: its value, the place of each record, and how to read it.

    `written` are the names of runs as in the file, and `named` the first places in a table that mention them, both
    keyed by the cleaned name. `counted` are the references of each item in rows that may repeat them; `budget` limits
    the unpacked contents of the file.
    """

    name: str
    stem: str
    value: Any
    log: Log
    reading: Reading = Reading()
    lines: list[int] | None = None
    written: dict[str, str] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    counted: dict[str, Counter[str]] = field(default_factory=dict)
    budget: Budget = field(default_factory=lambda: Budget(0))

    def where(self, index: int) -> str:
        """Return the place of a record: its line in JSON Lines, or else its number from 1."""
        return f"line {self.lines[index]}" if self.lines else f"record {index + 1}"

    @property
    def run(self) -> str:
        """The name of the run in a file that names none."""
        return as_id(self.reading.run or parse_stem(self.stem)) or "run"

    def role(self, usual: Role) -> Role:
        """Return the role set for the file, or "references" if its name suggests it, or else `usual`."""
        if self.reading.role:
            return self.reading.role
        people = usual == "predictions" and is_of_people(self.stem, self.reading.stems)
        return "references" if people else usual

    def objects(self, rows: Iterable[Any]) -> Iterable[tuple[str, dict[str, Any]]]:
        """Yield the records that are objects, with their places; report other values as findings."""
        for index, row in enumerate(rows):
            if isinstance(row, dict):
                yield self.where(index), row
            else:
                self.log.add("record_type", self.name, self.where(index), found=kind(row))

    def id(self, row: Mapping[str, Any], keys: Iterable[str], where: str) -> str | None:
        """Return the id under the first key with a value; None, with a finding, if there is none or it is invalid."""
        if (value := next((row[key] for key in keys if row.get(key) is not None), None)) is not None:
            return self.checked_id(value, where)
        self.log.add("missing_id", self.name, where)
        return None

    def checked_id(self, value: Any, where: str) -> str | None:
        """Return an id as text; None, with a finding, for a value that cannot be an id."""
        made = as_id(value)
        if made is None:
            self.log.add("bad_id", self.name, where, found=kind(value))
        elif isinstance(value, str) and made != value:
            self.log.add("ids_trimmed", self.name, where, made)
        return made

    def run_name(self, value: Any, where: str = "", id: str = "") -> str | None:
        """Return the name of a run as text, or None; add a finding if cleaning makes two names in the file equal."""
        made = as_id(value)
        if made is not None and isinstance(value, str):
            first = self.written.setdefault(made, value)
            if first != value:
                self.log.add("names_merged", self.name, where, id, first=repr(first), second=repr(value))
        return made

    def check_fields(self, row: Mapping[str, Any], fields: Fields, where: str, id: str) -> None:
        """Add findings for misspelt and for synonymous fields in one record."""
        beside, misspelt = fields.suspicious(row)
        for used, left in beside:
            self.log.add("second_field", self.name, where, id, field=left, used=used)
        for name, near in misspelt:
            self.log.add("misspelt_field", self.name, where, id, field=name, meant=near)

    def captions(self, value: Any, what: str, where: str, id: str = "") -> list[str]:
        """Return the texts in one or more captions; drop other values and withdrawn captions, with findings."""
        if value is None:
            return []
        values = printed_lists.untokenised(value) if isinstance(value, list) else [value]
        if what != "candidate":
            values = printed_lists.kept(values, partial(self.is_withdrawn, where=where, id=id))
        texts: list[str] = []
        for one in values:
            if isinstance(one, str) and len(one) > _LONG_CELL and one.lstrip()[:1] in "[(an":
                self.budget.take_values(A_ROW * sum(map(one.count, ("'", '"'))) // 2 + one.count(",") + one.count(" "))
            # Within a list, the text "[]" is a caption, if an odd one.
            listed = isinstance(value, list)
            for text in printed_lists.captions_of(one, alone=not listed) or [one] * (listed and isinstance(one, str)):
                if not isinstance(text, str):
                    self.log.add("not_text", self.name, where, id, kind=what, found=kind(one))
                    continue
                if printed_lists.looks_listed(text):
                    self.log.add("odd_list", self.name, where, id, kind=what)
                texts.append(text)
        return texts

    def is_withdrawn(self, row: Mapping[str, Any], where: str, id: str = "") -> bool:
        """Return whether a record withdraws a person's caption; add a finding if it does."""
        if (field := printed_lists.withdrawn(row)) is not None:
            self.log.add("withdrawn", self.name, where, id, field=field)
        return field is not None


def rename(part: Part, ids: Sequence[str]) -> None:
    """Give the records of a part new ids, in order, and update its scores and ratings accordingly."""
    new = {record.id: id for record, id in zip(part.records, ids)}
    for record, id in zip(part.records, ids):
        record.id = id
    part.scores = [replace(row, item=new[row.item]) for row in part.scores if row.item in new]
    part.ratings = [replace(row, item=new[row.item]) for row in part.ratings if row.item in new]


def as_id(value: Any) -> str | None:
    """Return text of up to LONGEST_ID characters, or a whole number, as one line of text; None for other values."""
    if isinstance(value, str):
        text = (
            "".join(c if c.isprintable() else "�" for c in value.strip()) if not value.isprintable() else value.strip()
        )
        return text if 0 < len(text) <= LONGEST_ID else None
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and (not math.isfinite(value) or value != int(value) or abs(value) >= 2**53):
        return None
    return str(int(value)) if isinstance(value, int | float) and abs(value) < 10**40 else None


def kind(value: Any) -> str:
    """Return the type of a value in words for findings."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "infinity"
    if isinstance(value, int | float):
        return f"the number {clip(value) if abs(value) < 10**40 else 'with very many digits'}"
    if isinstance(value, str):
        return (
            "an empty text" if not value.strip() else f"the text {clip(value)!r}" if len(value) < 200 else "a long text"
        )
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return "an object" if isinstance(value, dict) else type(value).__name__


def plain(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Return a value in JSON's types, with None for any other value. Raises ValueError for more than `depth` levels."""
    if depth == 0:
        raise ValueError(f"it nests deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {str(plain(str(key))): plain(one, depth - 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one, depth - 1) for one in value]
    if isinstance(value, str):
        return value if value.isprintable() else value.encode("utf-8", "replace").decode()
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else float(value) if abs(value) < 10**300 else None
    return value if isinstance(value, float) and math.isfinite(value) else None

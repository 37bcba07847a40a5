"""Which field of records plays which role: by the names in `data.formats.names`, and by what stands in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from data import cells
from data.cells import MARKS
from data.findings import TrustedText, clip
from data.formats.names import (
    ALSO_CALLED,
    IDS,
    IMAGES,
    NEUTRAL,
    PREDICTED,
    REFERENCES,
    RUNS,
    SURE_IDS,
    TURN,
    VAGUE_IDS,
    WORDS_OF_CLASSES,
    base,
    leaf,
    norm,
    rank,
)
from data.near import misspelt
from data.records import Columns, Source, as_id
from data.settings import SETTING_NAMES

_PICTURE = re.compile(r".+\.(jpe?g|png|webp|gif|bmp|tiff?|wav|flac|mp3|mp4|avi|webm)$", re.IGNORECASE)
Rows = Sequence[Sequence[Any]]


@dataclass
class ColumnRoles:
    """The column numbers of each role; `aliases` are of other names of an item, `guessed` where content decided."""

    id: int = -1
    image: int = -1
    runs: list[int] = field(default_factory=list)
    settings: dict[str, int] = field(default_factory=dict)
    predicted: list[int] = field(default_factory=list)
    references: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    aliases: list[int] = field(default_factory=list)
    same: list[int] = field(default_factory=list)
    neutral: bool = False
    guessed: bool = False

    def used(self) -> set[int]:
        """All columns with a role; other names of an item may say something of it, such as its video."""
        texts = (*self.predicted, *self.references, *self.marks, *self.same)
        return {self.id, self.image, *self.runs, *self.settings.values(), *texts}


def setting_columns(names: Sequence[str]) -> dict[str, int]:
    """The columns of settings by the names of these, among names of columns as `norm` writes them."""
    called = {name: [name, *(also for also, meant in ALSO_CALLED.items() if meant == name)] for name in SETTING_NAMES}
    return {key: place for key, known in called.items() if (place := first(list(names), known)) >= 0}


def first(names: list[str], known: Sequence[str]) -> int:
    """Return the place of the first known name among names of columns; -1 where none is there."""
    return next((names.index(key) for key in known if key in names), -1)


def column_roles(header: Sequence[str], source: Source, sample: Rows = ()) -> ColumnRoles | None:
    """Return the roles of columns, as given or by names and a sample of the rows.

    None, with a finding, where no column holds captions. Without a column of ids, `id` is -1.
    """
    given = source.reading.columns
    if given.where_there and not is_meant(header, given):
        given = Columns()
    roles, stated = ColumnRoles(), {column: i for i, column in reversed(list(enumerate(header)))}
    if missing := [name for name in given.named if name not in stated]:
        source.log.add(
            "no_columns",
            source.name,
            what=f"`{missing[0]}`",
            columns=TrustedText(listing(header)),
            option=TrustedText("id=FIELD,candidates=FIELD"),
        )
        return None
    names = [leaf(column) for column in header]
    roles.settings = setting_columns(names)
    roles.marks = [place for place, name in enumerate(names) if name in MARKS]
    roles.runs = [stated[given.run]] if given.run else _runs(header, sample)
    roles.id = stated[given.id] if given.id else _id(header, sample, roles)
    _texts(roles, header, stated, given, source, sample)
    if not (roles.predicted or roles.references):
        return _refused(header, "captions", roles, source, sample)
    taken = {*roles.predicted, *roles.references}
    if roles.id in taken:
        roles.id = -1
    if roles.id < 0 and not given.any and misspelt([norm(name) for name in header], IDS):
        return _refused(header, "the id", roles, source, sample)
    images = [k for k in _ranked(header, IMAGES) if k not in taken and _scalar(sample, k)]
    roles.image = images[0] if images else -1
    roles.aliases = [k for k in _ranked(header, IDS) if k not in {roles.id, *taken, *roles.runs} and _names(sample, k)]
    return roles


def _refused(header: Sequence[str], what: str, roles: ColumnRoles, source: Source, sample: Rows) -> ColumnRoles | None:
    """Return None, and say that a role has no column, which there are, and how to say which one it is."""
    texts = roles.predicted or [k for k in range(len(header)) if _holds_texts(sample, k) and k != roles.id]
    id = header[roles.id] if roles.id >= 0 else next((n for k, n in enumerate(header) if _names(sample, k)), "FIELD")
    texts = [k for k in texts if header[k] != id]
    told = f"id={clip(id)},candidates={clip(header[texts[0]]) if texts else 'FIELD'}"
    columns, hint = TrustedText(listing(header)), meant(header, roles)
    source.log.add("no_columns", source.name, what=what, columns=columns, option=TrustedText(told), hint=hint)
    return None


def is_meant(header: Sequence[str], given: Columns) -> bool:
    """Return whether columns that are given are among those of a file."""
    return given.any and (not given.where_there or set(given.named) <= set(header))


def mapping(header: Sequence[str], roles: ColumnRoles) -> str:
    """Return "id: `doc_id`; candidates: `filtered_resps`; references: `target`"."""
    parts = [("id", [roles.id] if roles.id >= 0 else []), ("candidates", roles.predicted)]
    parts += [("references", roles.references), ("run", roles.runs)]
    told = [f"{what}: {', '.join(f'`{clip(header[k])}`' for k in places[:4])}" for what, places in parts if places]
    return "; ".join(told if roles.id >= 0 else ["id: the number of the record", *told])


def option(header: Sequence[str], roles: ColumnRoles) -> str:
    """Return what `--map` takes to read a file so: "id=doc_id,candidates=filtered_resps"."""
    parts = [("id", [roles.id]), ("candidates", roles.predicted), ("references", roles.references), ("run", roles.runs)]
    return ",".join(f"{what}={header[k]}" for what, places in parts for k in places if k >= 0)


def by_role(header: Sequence[str], roles: ColumnRoles) -> dict[str, str]:
    """Return the role of each field that has one of the four which `--map` gives."""
    parts = [("run", roles.runs), ("references", roles.references), ("candidates", roles.predicted), ("id", [roles.id])]
    return {header[k]: what for what, places in parts for k in places if k >= 0}


def meant(columns: Sequence[str], roles: ColumnRoles) -> TrustedText:
    """Return what columns without a meaning may be misspellings of: captions, and an id or a run if none was found."""
    texts = [*PREDICTED, *NEUTRAL, *REFERENCES]
    known = [*texts, *(() if roles.id >= 0 else IDS), *(() if roles.runs else RUNS)]
    bases = (base(norm(name)) for name in columns[:100])
    # Of `caption_de` and `reference_id` the first word is right.
    return misspelt((one for one in bases if one not in {*IDS, *RUNS} and one.split("_")[0] not in texts), known)


def listing(header: Sequence[str]) -> str:
    """Return the names of the first columns, as words for a finding."""
    return ", ".join(clip(column) for column in header[:12]) + (", …" if len(header) > 12 else "")


def values(sample: Rows, place: int) -> list[Any]:
    """Return what a column of the sample holds; empty cells are left out."""
    return [row[place] for row in sample if place < len(row) and row[place] not in (None, "")]


def _runs(header: Sequence[str], sample: Rows) -> list[int]:
    """By full path, else by the last part (`response.body.model`); a text as long as a prompt names no run."""
    found = (first([norm(column) for column in header], [name]) for name in RUNS)
    last = [leaf(column) for column in header]
    places = dict.fromkeys(k if k >= 0 else first(last, [name]) for name, k in zip(RUNS, found))
    return [
        k for k in places if k >= 0 and all(len(str(cell)) <= 100 for cell in values(sample, k)) and _scalar(sample, k)
    ]


def _ranked(header: Sequence[str], known: list[str]) -> list[int]:
    """The columns with a known name, the surest first; of one name, the one that nests least."""
    found = [(place, k) for k, column in enumerate(header) if (place := rank(column, known)) is not None]
    return [k for _, k in sorted(found, key=lambda one: (one[0], header[one[1]].count("."), one[1]))]


def _scalar(sample: Rows, place: int) -> bool:
    return not any(isinstance(cell, list | dict | bool | bytes) for cell in values(sample, place))


def _names(sample: Rows, place: int) -> bool:
    """Whether a column can name items: no lists, and not the same in each of several rows."""
    found = [as_id(cell) for cell in values(sample, place)]
    return _scalar(sample, place) and bool(found) and (len(found) == 1 or len(set(found)) > 1)


def _id(header: Sequence[str], sample: Rows, roles: ColumnRoles) -> int:
    """The surest name of an id; another one that repeats where this one differs in every row of one caption."""
    nested = {k for k, column in enumerate(header) if "." in column and leaf(column) in VAGUE_IDS}
    # A batch numbers its answers by `id`, beside the id that was asked for.
    order = [
        k for k in _ranked(header, ["custom_id", *IDS]) if k not in roles.runs and k not in roles.settings.values()
    ]
    order = [*(k for k in order if k not in nested), *(k for k in order if k in nested)]
    if not sample:
        return order[0] if order else -1
    able = [k for k in order if _scalar(sample, k) and values(sample, k)]
    named = [k for k in able if _names(sample, k)]
    if not named:
        paths = [k for k in range(len(header)) if _are_paths(sample, k) and _names(sample, k)]
        return able[0] if able and len(sample) == 1 else paths[0] if paths else able[0] if able else -1
    chosen = named[0]
    many = [k for k in named[1:] if leaf(header[k]) not in VAGUE_IDS and _repeats(sample, k)]
    # Frames have an `id` and the id of their video; what is called otherwise may number captions.
    if many and leaf(header[chosen]) not in SURE_IDS and not _repeats(sample, chosen):
        roles.guessed = True
        return many[0]
    return chosen


def _repeats(sample: Rows, place: int) -> bool:
    found = [as_id(cell) for cell in values(sample, place)]
    return 1 < len(set(found)) < len(found)


def _are_paths(sample: Rows, place: int) -> bool:
    found = values(sample, place)
    return bool(found) and all(isinstance(cell, str) and _PICTURE.match(cell) for cell in found)


def _texts(
    roles: ColumnRoles, header: Sequence[str], stated: dict[str, int], given: Columns, source: Source, sample: Rows
) -> None:
    if given.captions or given.references:
        roles.predicted = [stated[column] for column in given.captions]
        roles.references = [stated[column] for column in given.references]
        if source.reading.role == "references":
            roles.predicted, roles.references = [], roles.references + roles.predicted
        return
    taken = {roles.id, *roles.runs, *roles.marks}
    able = [k for k in range(len(header)) if k not in taken and _holds_texts(sample, k)]
    # A field of its own stands above the same in the details of a metric.
    predicted = sorted((k for k in _ranked(header, PREDICTED) if k in able), key=lambda k: "." in header[k])
    predicted += [k for k in able if k not in predicted and is_answer(header[k])]
    references = [k for k in _ranked(header, REFERENCES) if k in able and k not in predicted]
    references = [k for k in references if leaf(header[k]) not in WORDS_OF_CLASSES or _are_sentences(sample, k)]
    if any(_said(row, [k]) for row in sample for k in able):
        references = [k for k in references if any(_said(row, [k]) for row in sample)]
    neutral = [k for k in _ranked(header, NEUTRAL) if k in able and k not in predicted and k not in references]
    # A run that says the same of every item is a run; beside other captions, what never changes is the prompt.
    spoken = [k for k in neutral if not _is_prompt(sample, k)]
    neutral = spoken if spoken or predicted else neutral
    roles.references = _group(header, references, sample, most=True)
    roles.predicted = _group(header, predicted, sample)
    roles.same = [k for k in (*predicted, *references) if k not in {*roles.predicted, *roles.references}]
    if neutral:
        _neutral(roles, _group(header, neutral, sample), source, sample)


def _neutral(roles: ColumnRoles, neutral: list[int], source: Source, sample: Rows) -> None:
    """Captions without a word of who wrote them: numbered ones beside predictions, or alone, are human (Clotho)."""
    if roles.references and _within(sample, neutral, roles.references):
        roles.same += neutral
        return
    usual = source.role("references" if len(neutral) > 1 and not roles.runs else "predictions")
    if roles.predicted or (usual == "references" and not roles.references):
        roles.references = roles.references or neutral
    elif usual != "references":
        roles.predicted, roles.neutral = neutral, not roles.references


def is_answer(path: str) -> bool:
    """Whether a path leads to what a model says in a conversation."""
    return TURN in path or path.endswith(("message.content", "content.parts"))


def _holds_texts(sample: Rows, place: int) -> bool:
    found = values(sample, place)
    return not sample or any(_texts_of(cell) for cell in found) or not found


def _texts_of(cell: Any) -> list[str]:
    found = [text for one in (cell if isinstance(cell, list) else [cell]) for text in cells.captions_of(one)]
    return [text for text in found if isinstance(text, str) and text]


def _are_sentences(sample: Rows, place: int) -> bool:
    """Whether the texts of a column have two words or more on average: classes have one."""
    texts = [text for cell in values(sample, place) for text in _texts_of(cell)]
    return sum(len(text.split()) for text in texts) >= 2 * len(texts)


def _is_prompt(sample: Rows, place: int) -> bool:
    """Whether the same text stands in each of several rows."""
    found = values(sample, place)
    return len(found) > 1 and len({str(cell) for cell in found}) == 1


def _within(sample: Rows, captions: Sequence[int], references: Sequence[int]) -> bool:
    """Whether the captions of each row are among its references."""
    pairs = [(_said(row, captions), _said(row, references)) for row in sample]
    return bool(pairs) and all(one <= other for one, other in pairs)


def _said(row: Sequence[Any], places: Sequence[int]) -> set[str]:
    return {text for k in places if k < len(row) for text in _texts_of(row[k])}


def _group(header: Sequence[str], places: list[int], sample: Rows, most: bool = False) -> list[int]:
    """The numbered columns of the surest name, or, of names for the same thing, those that hold the most texts."""
    groups: dict[tuple[str, str], list[int]] = {}
    for k in places:
        groups.setdefault((header[k].rpartition(".")[0], base(leaf(header[k]))), []).append(k)
    made = [sorted(group) for group in groups.values()]
    if not most or len(made) < 2:
        return made[0] if made else []
    return max(made, key=lambda group: sum(len(_texts_of(row[k])) for row in sample for k in group if k < len(row)))

"""Ids made of parts: several columns (MSVD's `VideoID`, `Start`, `End`), or a field and a position (YouCook2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import isfinite
from typing import Any

from data.fields.names import IDS, LANGUAGES, NEUTRAL, PREDICTED, QUESTIONS, REFERENCES, RUNS, in_roles, leaf, rank
from data.findings import TrustedText, clip, named
from data.formats.columns import caption_columns, clips, contents
from data.formats.columns.contents import cell_of
from data.formats.columns.roles import is_meant
from data.formats.columns.run_columns import LANGUAGE, SPOKEN, is_tokenised
from data.formats.nesting.nested_records import KEY, VALUE, names_field
from data.formats.nesting.value_kinds import are_objects, is_text
from data.formats.tables.table import Table, with_header
from data.matching.match_ids import forms
from data.records import Columns, Source, as_id

MARKS = ("_", "-", " ", "")
"""Possible separators between the parts of an id; only the first two are tried on ids that no person specified."""
_GUESSED, _LOOKED_AT, _TRIED, _MOST = 2, 20_000, 20, 50
_LEAST_MET = 0.5
"""Minimum share of the ids in other files, or in this file if it has fewer, that must match for parts to make up an
id.
"""
_LANGUAGES = ("language", "lang", "locale", "language_code", "lang_code")
_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?|[A-Z]?[a-z]{3,14}")
"""A language by its code or name, such as pt-BR or German."""
Roles = list[tuple[str, list[str]]]
_WHOLE = re.compile(r"\d+\.0+")
_PADDED = re.compile(r"(?<![^\W_])0+(?=\d+(?![^\W_]))")


def with_id(table: Table, source: Source) -> tuple[Table, Source]:
    """Return the table with its id as the last column, and the source with this id, if the id is made of several
    columns.

    The columns are those that a person named, or else those whose cells form ids in other files
    (`source.reading.ids_beside`). If the cells of a single column are such ids, the table is unchanged, and this column
    is the id.
    """
    given = source.reading.columns if is_meant(table.header, source.reading.columns) else Columns()
    if source.reading.ids_beside and not given.any:
        table = with_header(table, source)
    beside = {_bare(form): id for id in source.reading.ids_beside for _, form in forms(id)[:1]}
    if given.id and not set(given.id) <= set(table.header):
        return table, source
    rows = table.sample(_LOOKED_AT) if beside else []
    if len(given.id) > 1:
        places = tuple(table.header.index(name) for name in given.id)
        mark = max(MARKS, key=lambda one: len(_joined(rows, places, one) & beside.keys()))
    elif (
        beside
        and not given.id
        and (found := _found(rows, beside, caption_columns.ranked(table.header, IDS))) is not None
    ):
        places, mark = found
    else:
        return table, source
    if len(places) == 1 and not given.id and (apart := _languages(table.header, rows)) is not None:
        places, mark = apart, MARKS[0]
    if len(places) == 1:
        columns = replace(given, id=(table.header[places[0]],))
        return table, replace(source, reading=replace(source.reading, columns=columns))
    return _made(table, source, places, mark, beside)


def with_clips(table: Table, source: Source) -> tuple[Table, Source]:
    """Return the table with the id of each clip, question or language as the last column, and the source with this id.

    Videos must have several clips, or pictures must have several questions or captions in several languages. Nothing
    changes if the id is already known, or if no column has times or numbers of clips, questions or languages.
    """
    asked = [k for k, name in enumerate(table.header) if leaf(name) in QUESTIONS]
    spoken = any(leaf(name) in _LANGUAGES for name in table.header)
    stated = source.reading.columns.id and is_meant(table.header, source.reading.columns)
    if stated or not (asked or spoken or clips.named(table.header)):
        return table, source
    rows = table.sample(_LOOKED_AT)
    places = clips.parts(table.header, rows) or _questions(table.header, rows, asked)
    places = places or _languages(table.header, rows)
    return _made(table, source, places, MARKS[0], {}) if places else (table, source)


def _questions(header: Sequence[str], rows: Sequence[Sequence[Any]], asked: Sequence[int]) -> tuple[int, ...] | None:
    """Return the columns of the item and of the question if rows with one id have different questions and answers;
    otherwise None.
    """
    ids = [k for k in caption_columns.ranked(header, IDS) if contents.names_items(rows, k) and k not in asked]
    ids = [k for k in ids if rank(header[k], RUNS) is None]
    return (ids[0], asked[0]) if ids and asked and all(contents.mixes(header, rows, k) for k in ids) else None


def _languages(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> tuple[int, ...] | None:
    """Return the columns of the item and of the language if most items have rows in several languages; else None."""
    spoken = [k for k, name in enumerate(header) if leaf(name) in _LANGUAGES]
    ids = [k for k in caption_columns.ranked(header, IDS) if contents.names_items(rows, k) and k not in spoken]
    if not ids or not spoken or not all(_CODE.fullmatch(str(one)) for one in contents.values(rows, spoken[0])):
        return None
    found = contents.by_cells(rows, ids[:1], spoken[:1])
    several = sum(len(set(cells)) > 1 for cells in found)
    return (ids[0], spoken[0]) if 2 * several > len(found) else None


def _made(
    table: Table, source: Source, places: tuple[int, ...], mark: str, beside: dict[str, str]
) -> tuple[Table, Source]:
    given = source.reading.columns if is_meant(table.header, source.reading.columns) else Columns()
    name = mark.join(table.header[k] for k in places)
    while name in table.header:
        name += "*"
    made = replace(table, header=[*table.header, name], id_of=places, mark=mark)
    made.rows = _with_last(table, places, mark, beside)
    columns = replace(given, id=(name,), ignored=(*given.ignored, *(table.header[k] for k in places)))
    return made, replace(source, reading=replace(source.reading, columns=columns))


def _with_last(
    table: Table, places: Sequence[int], mark: str, beside: dict[str, str]
) -> Iterator[tuple[str, Sequence[Any]]]:
    width = len(table.header)
    for where, row in table.rows:
        id = _id(row, places, mark)
        yield where, [*row, *[None] * (width - len(row)), beside.get(_bare(id), id)]


def by_language(
    places: list[str], rows: list[dict[str, Any]], source: Source
) -> tuple[list[str], list[dict[str, Any]], Source]:
    """Return one record per language with its place, and the source, if records have an object of captions for each
    language.

    Examples are `"en": {"caption": [..]}, "de": {"caption": [..]}` in Crossmodal-3600, and fields such as `pred_en`,
    `ref_en`, `pred_de` and `ref_de`. A tokenised copy of the captions shows that they belong to a data set; the source
    then states that they are references. A finding names the languages. Nothing changes if a person gave one of the
    fields a role, or if a field names the language.
    """
    rows, flat = _by_code(rows, source.reading.columns)
    first, given, field = rows[:_TRIED], source.reading.columns, _LANGUAGES[0]
    of = {key: one for row in first for key, one in row.items() if LANGUAGE.fullmatch(key) and isinstance(one, dict)}
    names = [*next(iter(of.values()), ())]
    said = [name for name in names if rank(name, [*PREDICTED, *NEUTRAL]) is not None]
    alike = len(of) > 1 and all({*one} == {*names} for one in of.values())
    told = any({field, *row} & {*names} or field in row for row in first)
    if not (alike and said) or told or any(f"{key}.{name}" in given.named for key in of for name in names):
        return places, rows, source
    source.budget.take_values(len(of) * sum(map(len, rows)))
    made = [
        (place, {**{name: one for name, one in row.items() if name not in of}, field: key, **row[key]})
        for place, row in zip(places, rows)
        for key in of
        if isinstance(row.get(key), dict)
    ]
    option = in_roles(flat or [("references", [f"{next(iter(of))}.{said[0]}"])])
    source.log.add("languages_read", source.name, languages=named([*of]), option=TrustedText(option))
    if source.reading.role is None and not given.any and any(is_tokenised(names, k) for k in range(len(names))):
        source = replace(source, reading=replace(source.reading, role="references"))
    return [place for place, _ in made], [row for _, row in made], source


def are_spoken(header: Iterable[str]) -> bool:
    """Return whether columns contain a model's and people's captions for each of several languages."""
    return bool(_codes(header))


def _codes(header: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return, for each language, its columns by their names without the language code: `pred_en` by `pred`.

    Return {} unless several languages have the same columns, a model's and people's among them.
    """
    found: dict[str, dict[str, str]] = {}
    for name, match in ((name, SPOKEN.fullmatch(name)) for name in header):
        if match is not None:
            found.setdefault(match[2], {})[match[1]] = name
    sides = (
        [rank(base, known) is not None for base in of] for of in found.values() for known in (PREDICTED, REFERENCES)
    )
    alike = len(found) > 1 and len({frozenset(of) for of in found.values()}) == 1
    return found if alike and all(map(any, sides)) else {}


def _by_code(rows: list[dict[str, Any]], given: Columns) -> tuple[list[dict[str, Any]], Roles]:
    """Gather fields by language in one object per language; return the records and the roles of the first language's
    fields.

    Return the records unchanged, and [], if there are no such fields or the user has named one of them.
    """
    of = _codes(dict.fromkeys(name for row in rows[:_TRIED] for name in row))
    moved = {name for names in of.values() for name in names.values()}
    if not of or moved & {*given.named}:
        return rows, []
    first = next(iter(of.values()))
    roles = [
        (role, [name for base, name in first.items() if rank(base, known) is not None])
        for role, known in (("candidates", PREDICTED), ("references", REFERENCES))
    ]
    made = [
        {name: one for name, one in row.items() if name not in moved}
        | {code: {base: row.get(name) for base, name in names.items()} for code, names in of.items()}
        for row in rows
    ]
    return made, roles


def listed(value: Any, source: Source) -> Any:
    """Return captions by item and language, `{"1": {"de": [..], "en": [..]}}`, or by language and item, as a list of
    records.

    There is one record per item and language or, if a person gave a language a role, one per item; a finding names the
    languages. Other values are returned unchanged.
    """
    held = list(value.values()) if isinstance(value, dict) else []
    if not held or not all(isinstance(of, dict) and of and all(map(is_text, of.values())) for of in held):
        return value
    inner = dict.fromkeys(key for of in held for key in of)
    if any(map(names_field, (*value, *inner))):
        return value
    if _are_languages(value):
        value = {id: {key: of[id] for key, of in value.items() if id in of} for id in inner}
    elif not _are_languages(inner):
        return value
    spoken = dict.fromkeys(key for of in value.values() for key in of)
    if set(source.reading.columns.named) & {*spoken}:
        return [{KEY: id, **of} for id, of in value.items()]
    option = in_roles([("references", [next(iter(spoken))])])
    source.log.add("languages_read", source.name, languages=named([*spoken]), option=TrustedText(option))
    return [{KEY: id, _LANGUAGES[0]: key, VALUE: one} for id, of in value.items() for key, one in of.items()]


def _are_languages(keys: Collection[str]) -> bool:
    codes = [key.partition("-")[0] for key in keys]
    return sum(code in LANGUAGES for code in codes) > 1 and all(code.islower() and 1 < len(code) < 4 for code in codes)


def counted(places: list[str], rows: list[dict[str, Any]], source: Source) -> tuple[list[str], list[dict[str, Any]]]:
    """Return one record per part of a film, with its place, if other files number the parts: `vid_0` in YouCook2.

    The parts are objects in a list in each record; the records stay unchanged if no other file has ids of their parts.
    A record without parts is dropped, with a finding.
    """
    beside = source.reading.ids_beside
    tried = rows[:_TRIED] if beside else []
    for name in dict.fromkeys(name for row in tried for name, one in row.items() if are_objects(one)):
        whole = next((key for row in rows[:1] for key in row if rank(key, IDS) is not None and key != name), "")
        for mark, start in ((mark, start) for mark in MARKS[:_GUESSED] for start in (0, 1)):
            made = [
                (place, {**row, **part, name: None, whole: f"{as_id(row.get(whole))}{mark}{k}"})
                for place, row in zip(places, rows)
                for k, part in enumerate(row[name] if are_objects(row.get(name)) else (), start)
            ]
            if sum(row[whole] in beside for _, row in made) >= max(2, _LEAST_MET * len(beside)):
                for place, row in zip(places, rows):
                    if not are_objects(row.get(name)):
                        said = f"`{clip(name)}`"
                        source.log.add("no_parts", source.name, place, as_id(row.get(whole)) or "", field=said)
                return [place for place, _ in made], [row for _, row in made]
    return places, rows


def _id(row: Sequence[Any], places: Sequence[int], mark: str) -> str:
    parts = [_part(cell_of(row, k)) for k in places]
    return "" if None in parts else mark.join(str(part) for part in parts)


def _part(cell: Any) -> str | None:
    """Return a cell as part of an id: 33.0 as `33`, other decimals as written, a span as both its times; else None."""
    if clips.is_span(cell):
        return MARKS[0].join(str(_part(one)) for one in cell)
    if isinstance(cell, str) and _WHOLE.fullmatch(cell.strip()):
        return cell.strip().split(".")[0]
    return as_id(cell) or (str(cell) if isinstance(cell, float) and isfinite(cell) else None)


def _bare(id: str) -> str:
    """Return an id without leading zeros in its numbers, as in `v0ZFZzwYJzo_000010_000020`."""
    return _PADDED.sub("", id)


def _joined(rows: Sequence[Sequence[Any]], places: Sequence[int], mark: str) -> set[str]:
    made = {_id(row, places, mark) for row in rows}
    return {_bare(forms(id)[0][1]) if len(places) == 1 else _bare(id) for id in made}


def _found(
    rows: Sequence[Sequence[Any]], beside: Collection[str], known: Collection[int]
) -> tuple[tuple[int, ...], str] | None:
    """Return the columns whose cells form the most ids in other files, and the mark between the cells, or None.

    `known` are the columns with a known name for ids.
    """
    width = min(max(map(len, rows), default=0), _MOST)
    able = [k for k in range(width) if contents.scalar(rows, k) and contents.values(rows, k)]
    able = [k for k in able if all(len(str(cell).split()) == 1 for cell in contents.values(rows, k))]
    cells = {k: {_bare(str(as_id(one))) for one in contents.values(rows, k)} for k in able}
    tried: list[tuple[tuple[int, ...], str]] = [((k,), "") for k in able]
    tried += [(places, mark) for mark in MARKS[:_GUESSED] for places in _splits(beside, cells, mark)]
    made, others = {one: _joined(rows, *one) for one in tried}, set(beside)
    unsure = {one for one in tried if len(one[0]) == 1 and one[0][0] not in known}
    met = {one: len(ids & others) for one, ids in made.items() if _are_shared(ids, others, one in unsure)}
    return max(met, key=lambda one: (met[one], -len(one[0])), default=None)


def _are_shared(ids: set[str], beside: set[str], unsure: bool) -> bool:
    """Return whether enough ids occur in other files; if they are `unsure`, numbers count only if all ids agree."""
    shared = ids & beside
    if unsure and ids - {""} != beside:
        shared = {id for id in shared if not id.isdecimal()}
    return len(shared) >= max(2, _LEAST_MET * min(len(beside), len(ids)))


def _splits(ids: Collection[str], cells: dict[int, set[str]], mark: str) -> list[tuple[int, ...]]:
    """Return the sets of columns whose cells form ids, beginning with the sets that form most of the first ids."""
    found: Counter[tuple[int, ...]] = Counter()
    for id in islice((id for id in ids if mark in id), 10 * _TRIED):
        found.update(_parted(id.split(mark), cells, mark))
    return [places for places, _ in found.most_common(_TRIED) if len(places) > 1]


def _parted(words: Sequence[str], cells: dict[int, set[str]], mark: str) -> Iterator[tuple[int, ...]]:
    """Yield every way in which an id, split at its marks, consists of cells from different columns."""
    if not words:
        yield ()
    for end in range(1, len(words) + 1):
        part = mark.join(words[:end])
        for k in [k for k, of in cells.items() if part in of]:
            rest = {place: of for place, of in cells.items() if place != k}
            yield from ((k, *others) for others in _parted(words[end:], rest, mark))

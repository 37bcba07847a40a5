"""The roles of columns by number, and the words and options that state them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from data.fields.names import (
    ASKED_OF,
    GIVEN,
    IDS,
    NEUTRAL,
    NO_CAPTION,
    OF_JUDGES,
    OF_MODELS,
    OF_ONE_CAPTION,
    OF_ONE_PERSON,
    PREDICTED,
    REFERENCES,
    RUNS,
    TOLD_OF,
    base,
    in_roles,
    is_text,
    leaf,
    names_a_model,
    no_caption,
    norm,
    rank,
    tells_captions,
    unnumbered,
    whose,
    words,
)
from data.fields.word_lists import word_set
from data.findings import FieldTable, TrustedText, clip, named, some
from data.formats.columns.contents import (
    ONE_LANGUAGE,
    are_labels,
    has_words,
    holds_texts,
    is_source,
    is_written,
    may_name,
    repeats,
    shared_words,
    values,
)
from data.formats.columns.run_columns import runs_by_name
from data.matching.near_names import misspelt, nearest
from data.records import Source

Rows = Sequence[Sequence[Any]]
_COUNTED = re.compile(r"column \d+")


@dataclass
class ColumnRoles:
    """The numbers of the columns with each role; -1 if no column has it.

    `predicted` are the columns of runs' captions, unless `neutral`: then nothing shows who wrote the captions.
    `repeated` repeat the captions of other columns, and `aliases` have other names of an item. `guessed` is True if the
    contents of cells decided a role. If each column of candidates is a run, `named` has the runs' names; `constant` are
    settings that never change, `varied` settings with several values for one item under the same run name, and
    `other_id` is a column that differs in every row while the id repeats. Without an id, rows with the same text in
    `told_by` belong to one item, numbered in `told`, or all rows belong to the item `only`. A cell of `marks` or
    `states` may withdraw the row's references. `set_aside` are the columns that a person left out or declared to be
    metadata. If the id was made from several columns, these are `id_of`, with `mark` between their cells.
    `references_only` are the items and runs of rows that have only references. With `all_settings`, a person named all
    columns of settings. `people` states for each row whether a person wrote its captions.
    """

    id: int = -1
    id_of: tuple[int, ...] = ()
    mark: str = ""
    image: int = -1
    people: int = -1
    runs: list[int] = field(default_factory=list)
    settings: dict[str, int] = field(default_factory=dict)
    predicted: list[int] = field(default_factory=list)
    references: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    aliases: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    named: dict[int, str] = field(default_factory=dict)
    constant: set[str] = field(default_factory=set)
    varied: set[str] = field(default_factory=set)
    ignored: set[int] = field(default_factory=set)
    other_id: int = -1
    told_by: int = -1
    only: str = ""
    told: dict[str, int] = field(default_factory=dict)
    references_only: list[tuple[str, str]] = field(default_factory=list)
    set_aside: set[int] = field(default_factory=set)
    neutral: bool = False
    guessed: bool = False
    all_settings: bool = False

    def id_of_row(self, count: int) -> str:
        """Return the id for a row that has none, given the row's number."""
        return self.only or str(count)

    def ids(self) -> list[int]:
        """Return the columns of the id: none, one, or the parts of a composite id."""
        return [*self.id_of] or [self.id] * (self.id >= 0)

    def said(self) -> set[int]:
        """Return the columns with a role, except an image column that is not also the id."""
        return self.used() - {self.image} | {self.id}

    def used(self) -> set[int]:
        """Return all columns with a role except aliases, which may be facts about an item, such as its video."""
        texts = (*self.predicted, *self.references, *self.marks, *self.repeated)
        return {self.id, self.image, self.people, *self.runs, *self.settings.values(), *texts, *self.ignored}


def with_stated(guess: Mapping[str, int], stated: Mapping[str, int]) -> dict[str, int]:
    """Return the columns of settings that a person named, and also the guessed columns unless the person named one of
    them.
    """
    return dict(stated) if {*stated.values()} & {*guess.values()} else {**guess, **stated}


def absent(header: Sequence[str], name: str, source: Source) -> None:
    """Report that a column named by a person does not exist."""
    columns, told = TrustedText(some(header)), TrustedText("id=FIELD,candidates=FIELD")
    source.log.add("no_columns", source.name, what=f"`{name}`", columns=columns, option=told)


_OF_ANOTHER = OF_ONE_PERSON | OF_JUDGES | OF_MODELS | {*RUNS}
_OF_ANOTHER |= word_set("caption answer comment annotation assignment hit session trace message req request")
"""Words in the names of ids that do not identify items: `output_id`, `worker_id`."""


def called_id(header: Sequence[str], sample: Rows, of_items: bool = False) -> int:
    """Return the column named like `gem_id`, ending in `id` or `uid`, with a different word in each row; else -1.

    With `of_items`, only the ids of items count, as `called_ids` returns them.
    """
    able = called_ids(header, sample, of_items)
    return next((k for k in able if values(sample, k) and not repeats(sample, k)), -1)


def called_ids(header: Sequence[str], sample: Rows, of_items: bool) -> list[int]:
    """Return the columns whose names end in `id` or `uid`, least nested first. With `of_items`, ids of captions,
    people, runs and requests are left out, and ids of sessions beside those of people.
    """
    able = [k for k, name in enumerate(header) if words(name)[-1:] in (["id"], ["uid"]) and may_name(sample, k)]
    judged = any({*words(name)} & (OF_ONE_PERSON | OF_JUDGES) for name in header)
    another = _OF_ANOTHER if judged else _OF_ANOTHER - {"session"}
    able = [k for k in able if not (of_items and set(words(header[k])) & another)]
    return sorted(able, key=lambda k: header[k].count("."))


def refused(
    header: Sequence[str], what: str, roles: ColumnRoles, source: Source, sample: Rows, role: str = "candidates"
) -> ColumnRoles | None:
    """Report that no column has the role that `what` describes, and return None.

    The finding lists all columns and, if some may have the role, the option that maps them.
    """
    place = roles.id if roles.id >= 0 else called_id(header, sample)
    id = header[place] if place >= 0 else next((n for k, n in enumerate(header) if may_name(sample, k)), "")
    able = [k for k in range(len(header)) if holds_texts(sample, k) and header[k] != id and k not in roles.runs]
    able = [k for k in able if has_words(sample, k) and not are_labels(sample, k)]
    near = {k for k in able if role == "candidates" and nearest(base(norm(header[k])), REFERENCES) is not None}
    told = {k for k in able if role == "candidates" and whose(header[k]) == "people"} | near
    able = roles.predicted or sorted(able, key=lambda k: (k in told, not is_written(sample, k)))
    columns, hint = TrustedText(some(header)), meant(header, roles)
    if not able:
        source.log.add("no_texts", source.name, columns=columns if any(header) else "none")
        return None
    single = [k for k in able if all(isinstance(one, str) for one in values(sample, k))]
    written = [k for k in single if is_written(sample, k) and not no_caption(header[k])]
    made = written if role == "references" else _without_sources(header, sample, written)
    written = [k for k in written if is_text(leaf(header[k]))] or made
    able = [k for k in able if k in written or not set(words(header[k])) & NO_CAPTION - {"q"}]  # `Q1` in a survey
    beside = [k for k in able if (outer := header[able[0]].rpartition(".")[0]) and header[k].startswith(f"{outer}.")]
    named = [header[k] for k in (written or beside or able[:1])[:MOST_NAMED]] or ["FIELD"]
    counted = role == "candidates" and all(map(_COUNTED.fullmatch, named))  # as in a table without a header
    people = named[1:] if counted else [header[k] for k in sorted(near) if header[k] not in named]
    apart = [(role, named[:1] if counted else named), ("references", people)]
    if counted and any(shared_words(sample, k, written[0]) <= ONE_LANGUAGE for k in written[1:]):
        apart = [(role, named[-1:])]  # a translation follows its source
    elif (
        role == "candidates"
        and len({unnumbered(leaf(name)) for name in named}) == 1 < len(named)
        and not runs_by_name(named, [*range(len(named))])
    ):
        # Numbers distinguish captions of one run only if the names mean captions.
        apart = [(role, named)] if tells_captions(named[0]) else [(role, [name]) for name in named]
    mapped = in_roles([("id", [id] if id else []), *apart])
    if source.name in source.log.fields and not source.reading.columns.any and not hint:
        asked = {header[k]: role for k in written or able[:1]} | ({id: "id"} if id else {})
        source.log.fields[source.name] = replace(source.log.fields[source.name], roles=asked)
    source.log.add("no_columns", source.name, what=what, columns=columns, option=TrustedText(mapped), hint=hint)
    return None


def _without_sources(header: Sequence[str], sample: Rows, places: list[int]) -> list[int]:
    """Return the columns of texts that are not, by name or content, the sources of others; if all are, return all."""
    kept = [k for k in places if leaf(header[k]) not in {*TOLD_OF, *ASKED_OF}]
    made = [k for k in kept if not is_source(sample, k, [one for one in kept if one != k])]
    return made or kept or places


def refuse(rows: Sequence[Mapping[str, Any]], source: Source, role: str) -> None:
    """Report that nothing was read from records (fields by path), with those fields and the option to map them."""
    header = tuple(dict.fromkeys(name for row in rows for name in row))
    sample = [tuple(row.get(name) for name in header) for row in rows]
    source.log.fields[source.name] = FieldTable(source.name, header, tuple(sample[:3]), count=len(sample))
    told = any(is_text(leaf(name)) and holds_texts(sample, k) for k, name in enumerate(header))
    refused(header, "the id" if told else "captions", ColumnRoles(), source, sample, role)


_SHOWN = 5
"""Maximum number of fields per role in a sentence."""


def mapping(header: Sequence[str], roles: ColumnRoles) -> str:
    """Return a text that states the role of each field, such as "id: `doc_id`; candidates: `filtered_resps`;
    references: `target`".
    """
    parts = [("id", roles.ids()), ("candidates", roles.predicted), ("references", roles.references)]
    parts += [("run", roles.runs), ("settings", [*roles.settings.values()])]
    parts += [("written by people or not", [roles.people] if roles.people >= 0 else [])]
    each = " (a run each)" if roles.named else ""
    told = [f"{what}: {_listed([header[k] for k in places])}" for what, places in parts if places]
    told = [f"{one}{each if one.startswith('candidates') else ''}" for one in told]
    if (heat := roles.settings.get("temperature", -1)) >= 0 and re.search(r"\d", header[heat]):
        told[-1] += f" (temperature: `{clip(header[heat])}`)" if len(roles.settings) > 1 else " (temperature)"
    if roles.id_of:
        told[0] += f", joined by {f'`{roles.mark}`' if roles.mark.strip() else 'a blank' if roles.mark else 'nothing'}"
    return "; ".join(
        told if roles.id >= 0 else [f"id: the {'name of the file' if roles.only else 'number of the record'}", *told]
    )


def _listed(names: Sequence[str]) -> str:
    more = f", … ({len(names):,} in all)" if len(names) > _SHOWN else ""
    return ", ".join(f"`{clip(name)}`" for name in names[:_SHOWN]) + more


MOST_NAMED = 50
"""Maximum number of fields per role in an option."""


def option(header: Sequence[str], roles: ColumnRoles) -> str:
    """Return the value of `--map` for these roles, "id=doc_id,candidates=one+two", with at most MOST_NAMED fields each.

    Columns that are runs, although their names do not show it, are listed one by one: "candidates=v1,candidates=v2".
    """
    apart = bool(roles.named) and not runs_by_name(header, roles.predicted)
    candidates = [[k] for k in roles.predicted[:MOST_NAMED]] if apart else [roles.predicted]
    parts = [("id", roles.ids()), *(("candidates", one) for one in candidates), ("references", roles.references)]
    parts += [("run", roles.runs[:1]), ("setting", [*roles.runs[1:], *roles.settings.values()])]
    return in_roles((what, [header[k] for k in places[:MOST_NAMED]]) for what, places in parts)


def say_fields(header: Sequence[str], roles: ColumnRoles, source: Source) -> None:
    """Report the role in which each field was read, and the option to assign other roles.

    Fields that were not read because they repeat or contain captions in other fields are named, too.
    """
    read, again = TrustedText(mapping(header, roles)), TrustedText(option(header, roles))
    source.log.add("fields_mapped", source.name, read=read, option=again)
    if left := [header[k] for k in roles.repeated]:
        used = TrustedText(named([f"`{header[k]}`" for k in (*roles.predicted, *roles.references)]))
        people = not roles.predicted or rank(left[0], REFERENCES) is not None
        again = TrustedText(in_roles([("references" if people else "candidates", left[:1])]))
        columns = TrustedText(named([f"`{name}`" for name in left]))
        source.log.add("repeated_texts", source.name, columns=columns, used=used, option=again)


def by_role(
    header: Sequence[str], roles: ColumnRoles, metadata: Sequence[int], beside: Mapping[int, str]
) -> dict[str, str]:
    """Return the role of each field, for roles that `--map` can set; `beside` has the roles of columns of numbers."""
    parts = [("metadata", metadata), *((what, [k]) for k, what in beside.items())]
    parts += [("setting", [*roles.settings.values()]), ("run", roles.runs)]
    parts += [("references", roles.references), ("candidates", roles.predicted), ("id", roles.ids())]
    return {header[k]: what for what, places in parts for k in places}


def meant(columns: Sequence[str], roles: ColumnRoles) -> TrustedText:
    """Return hints about misspelt names for captions, and for ids or runs if none was found."""
    texts = [*PREDICTED, *NEUTRAL, *REFERENCES]
    known = [*texts, *(() if max(roles.id, roles.other_id) >= 0 else IDS), *(() if roles.runs else RUNS)]
    # Fields of one object, such as `response.input` and `response.text`, resemble each other without being misspelt.
    names = [norm(name) for name in columns[:100] if "." not in norm(name) and not _is_other_id(name)]
    bases = map(base, names)
    # The first word of `caption_de` and `reference_id` is not misspelt, nor does `sample` mean `sampled`.
    said = {*IDS, *RUNS, *OF_ONE_CAPTION, *GIVEN, "comments"}
    return misspelt((one for one in bases if one not in said and one.split("_")[0] not in texts), known)


def _is_other_id(name: str) -> bool:
    """Return whether a name ends in `id` without resembling a known id, so that `ResponseId` is no misspelling of
    `response`.
    """
    return words(name)[-1:] == ["id"] and not misspelt([norm(name)], IDS)


def called_models(header: Sequence[str], sample: Rows) -> dict[int, None]:
    """Return the columns named like `DialogModel`, if their names do not mean captions or their cells are single
    words.
    """
    able = [k for k, column in enumerate(header) if names_a_model(column)]
    return dict.fromkeys(k for k in able if may_name(sample, k) or not set(words(header[k])) & {*NEUTRAL})

"""Find contents that contradict the guessed roles of columns, and ask a person to decide, by an error or a warning."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations, islice, product
from statistics import mean
from typing import Any

from data.fields.keys import OF_ANNOTATORS, words_of
from data.fields.names import (
    ASKED_OF,
    NO_CAPTION,
    PREDICTED,
    REFERENCES,
    TOLD_OF,
    in_roles,
    is_known,
    leaf,
    no_caption,
    rank,
    tells_captions,
    whose,
    words,
)
from data.fields.word_lists import word_set
from data.findings import PEEK, Log, TrustedText, clip, named
from data.formats.columns import pairs_of_texts
from data.formats.columns.assigned_roles import MOST_NAMED, ColumnRoles, by_role, option
from data.formats.columns.contents import (
    asks_more,
    cell_of,
    has_words,
    holds_texts,
    in_common,
    is_source,
    is_written,
    lists_apart,
    longer_words,
    n_words,
    resembles,
    said,
    same_writer,
    share_texts,
    tells_all_apart,
    values,
)
from data.formats.columns.run_columns import LANGUAGE, named_caption
from data.records import FieldsAlike, Part, Source, as_id
from data.run_settings import SETTING_NAMES

Rows = Sequence[Sequence[Any]]
_MOST = 100
"""Maximum number of columns without a role that are examined."""
_FEWEST = 3
"""Minimum number of rows that show a pattern."""
_LONGEST = 2.5
"""Maximum ratio of length between captions and texts of another column that may be captions, too."""
_WORD = 1.5
"""Mean number of words per text below which a column contains labels rather than captions."""
_DISTINCT = 0.8
_ALIKE = 0.05
"""Share of longer words in common below which captions are of different images."""
_AS_ALIKE = 0.7
_SOURCES = frozenset(["doc", "vars", "arguments", "messages", "inputs", "input", "request"])
"""Names of objects that contain a model's input."""
_GIVEN = word_set(
    "email message messages dialogue dialog conversation post passage abstract body ticket justification rationale "
    "feedback critique"
)
"""Words in the names of texts that are a model's input or explain a judgment, besides those in NO_CAPTION."""
_SHOWN = 4
_NUMBER = r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?"
_NUMBERS = re.compile(rf"\s*(?:[\w .@/-]{{1,40}}[:=]\s*)?{_NUMBER}(?P<more>(?:[\s,;|]+{_NUMBER})*)\s*", re.IGNORECASE)
"""Numbers, alone or after the name of a metric."""


def asked(header: Sequence[str], sample: Rows, others: Sequence[int], roles: ColumnRoles, source: Source) -> bool:
    """Return whether contents contradict the roles of columns; if so, report why, with an option for `--map`.

    The option reads all texts in question, and its roles are kept as a proposal. `others` are the columns without a
    role.
    """
    why, likely = _doubt(header, sample, others[:_MOST], roles, source)
    if why:
        shown = source.log.fields[source.name]
        source.log.fields[source.name] = replace(shown, roles=by_role(header, likely, (), {}))
        source.log.add("unsure_fields", source.name, why=TrustedText(why), option=TrustedText(option(header, likely)))
    return bool(why)


def may_be(rows: Sequence[dict[str, Any]], used: Collection[str]) -> bool:
    """Return whether at least three records have sentences beside the fields that a loader reads, so that roles have to
    be guessed.

    The fields of these sentences have names for captions or resemble the captions in the fields `used`, or the fields
    `used` contain only single words.
    """
    header = list(dict.fromkeys(name for row in rows for name, one in row.items() if isinstance(one, str)))
    sample = [[row.get(name) for name in header] for row in rows]
    written = _written(header, sample, [k for k, name in enumerate(header) if name not in used])
    read = [k for k, name in enumerate(header) if name in used]
    if len(rows) < _FEWEST or not (read and written):
        return False
    return n_words(sample, read) < _WORD or any(is_known(header[k]) or resembles(sample, k, read) for k in written)


def _doubt(
    header: Sequence[str], sample: Rows, others: Sequence[int], roles: ColumnRoles, source: Source
) -> tuple[str, ColumnRoles]:
    """Return the doubt about the roles (the end of a sentence, or ""), and the roles with the columns in question."""
    written = _written(header, sample, others) if len(sample) >= _FEWEST else []
    read = _listed(header, _captions(roles))
    if again := _again(header, sample, others, roles):
        said = f"beside those in {read}, there are texts under the same name in {_listed(header, again)}"
        return said, _with(roles, again if roles.predicted else [], [] if roles.predicted else again)
    one_side = not (roles.runs or roles.named or (roles.predicted and roles.references))
    if one_side and (why := pairs_of_texts.doubt(header, sample, _captions(roles), read)):
        return why, replace(roles, references=roles.references[:1])
    if likelihoods := _likelihoods(header, sample, others, roles):
        return (
            f"{_listed(header, likelihoods)} has no texts, but lists of numbers, as of choices: {read} may be these",
            roles,
        )
    if len(sample) == 1 and (numbered := _numbered(header, sample[0], others, roles)):
        return f"texts in {read} are listed in one record, but each has its own {_listed(header, numbered)}", roles
    if source.reading.role is None and (unread := _unread(header, sample, others, roles)):
        said = f"only people's were found, in {read}, but {_listed(header, unread)} may hold a model's"
        return said, _with(roles, unread)
    if source.reading.role is None and _are_of_people(header, sample, roles):
        said = f"nothing says who wrote those in {read}, and items have different numbers of them, as of people's"
        return said, replace(roles, predicted=[], references=roles.predicted, named={})
    left = _left_out(header, sample, others, [] if _are_named(header, roles) else roles.references)
    if len(left) > 1:  # a single one only causes a warning
        said = f"people's may be in {read} or in {', '.join(f'`{clip(name)}`' for name in left[:_SHOWN])}"
        return said, _with(roles, [], [k for k in others if header[k] in left])
    if like := _left(header, sample, written, roles):
        said = f"beside those in {read}, there are texts like captions in {_listed(header, like)}"
        if source.reading.role == "references":
            return said, roles  # a person said that no model wrote them; the others may be sources, as in WavCaps
        if words_of(header) & OF_ANNOTATORS and not (roles.references or roles.runs):
            return said, replace(roles, predicted=[], references=[*roles.predicted, *like])
        people = [k for k in like if whose(header[k]) == "people"]
        return said, _with(roles, [k for k in like if k not in people], people)
    if written and n_words(sample, _captions(roles)) < _WORD:
        said = f"there are only single words in {read}, but sentences in {_listed(header, written)}"
        both = bool(roles.predicted and roles.references)
        words_only = replace(roles, predicted=[], references=roles.references if both else [], named={})
        return said, _with(words_only, written)
    if others and _repeat(sample, roles):
        return f"there is no id, and several records have the same texts in {read}", roles
    if (
        roles.id >= 0
        and not roles.id_of
        and asks_more(header, sample, roles.id, [*roles.runs, *roles.settings.values()])
    ):
        return f"records with the same {_listed(header, roles.ids())} answer different questions", roles
    if roles.id >= 0 and roles.predicted and lists_apart(sample, roles.ids(), roles.references):
        return f"records with the same {_listed(header, roles.ids())} list different captions by people", roles
    if _mixed(header, sample, roles):
        return f"captions of records with the same {_listed(header, roles.ids())} have no words in common", roles
    return "", roles


def _with(roles: ColumnRoles, predicted: Sequence[int], references: Sequence[int] = ()) -> ColumnRoles:
    """Return the roles with more columns of captions."""
    each = replace(roles, predicted=[*roles.predicted, *predicted], references=[*roles.references, *references])
    return replace(each, named={} if predicted else roles.named)


def _captions(roles: ColumnRoles) -> list[int]:
    return [*roles.predicted, *roles.references]


def _listed(header: Sequence[str], places: Sequence[int]) -> str:
    return ", ".join(f"`{clip(header[k])}`" for k in places[:_SHOWN])


def _written(header: Sequence[str], sample: Rows, others: Iterable[int]) -> list[int]:
    """Return the columns of sentences that differ between records, except those whose names mean something other than
    captions.
    """
    told = {*TOLD_OF, *ASKED_OF}
    able = [k for k in others if not set(words(header[k])) & (NO_CAPTION | _GIVEN) and leaf(header[k]) not in told]
    # Mechanical Turk's inputs are what people judged.
    given = _SOURCES - ({"input"} if any(name.startswith("Answer.") for name in header) else set())
    able = [k for k in able if header[k].lower().partition(".")[0] not in given]
    found = {k: list(map(str, values(sample, k))) for k in able if is_written(sample, k) and holds_texts(sample, k)}
    return [k for k, of in found.items() if len(set(of)) >= _DISTINCT * len(of)]


def _are_of_people(header: Sequence[str], sample: Rows, roles: ColumnRoles) -> bool:
    """Return whether several columns of lists, each read as a run, may contain people's captions.

    They may if, in each column, the number of captions differs from item to item, and if no column's name means a
    model.
    """
    if len(roles.named) < 2 or roles.references or len(sample) < _FEWEST:
        return False
    lists = [list(values(sample, k)) for k in roles.predicted]
    differ = all(len({len(one) if isinstance(one, list) else 1 for one in of}) > 1 for of in lists)
    return differ and not any(whose(header[k]) == "model" for k in roles.predicted)


def _again(header: Sequence[str], sample: Rows, others: Sequence[int], roles: ColumnRoles) -> list[int]:
    """Return unread columns of texts whose paths end like that of a column that was read; [] unless there are
    several.
    """
    names = {leaf(header[k]) for k in _captions(roles) if "." in header[k] and is_known(header[k])}
    able = [k for k in others if "." in header[k] and leaf(header[k]) in names and values(sample, k)]
    able = [k for k in able if header[k].lower().partition(".")[0] not in _SOURCES and holds_texts(sample, k)]
    read = _captions(roles)
    able = [k for k in able if not all(said(row, [k]) <= said(row, read) for row in sample)]
    data = any(not header[k].partition(".")[0].removesuffix("[]").isidentifier() for k in able)
    return able if len(able) >= (2 if data else _FEWEST) and has_words(sample, able[0]) else []


def _likelihoods(header: Sequence[str], sample: Rows, others: Sequence[int], roles: ColumnRoles) -> list[int]:
    """Return columns that have a name for predictions but lists of numbers, unless another such column was read."""
    if any(rank(header[k], PREDICTED) is not None for k in roles.predicted):
        return []
    able = [k for k in others if rank(header[k], PREDICTED) is not None and not holds_texts(sample, k)]
    return [k for k in able if all(isinstance(cell, list) for cell in values(sample, k))]


def _numbered(header: Sequence[str], row: Sequence[Any], others: Sequence[int], roles: ColumnRoles) -> list[int]:
    """Return the columns of ids that, in a file's only record, distinguish the texts of a list of objects."""
    outer = {header[k].rpartition(".")[0]: row[k] for k in _captions(roles) if "[]" in header[k]}
    able = [k for k in others if header[k].rpartition(".")[0] in outer and isinstance(row[k], list)]
    able = [k for k in able if len(outer[header[k].rpartition(".")[0]]) == len(row[k]) == len(set(map(str, row[k])))]
    return [
        k for k in able if len(row[k]) >= _FEWEST and words(header[k])[-1:] in (["id"], ["idx"], ["index"], ["name"])
    ]


def _unread(header: Sequence[str], sample: Rows, others: Sequence[int], roles: ColumnRoles) -> list[int]:
    """Return the columns whose names suggest captions by a model, if only captions by people were read; else []."""
    if roles.predicted or not roles.references or not _are_named(header, roles):
        return []
    able = [k for k in others if whose(header[k]) == "model" or (named_caption(header[k]) and "[]" not in header[k])]
    able = [k for k in able if values(sample, k) and holds_texts(sample, k) and has_words(sample, k)]
    written = len({text for row in sample for text in said(row, roles.references)})
    return [k for k in able if len({str(cell) for cell in values(sample, k)}) >= max(written, 2)]


def _left_out(header: Sequence[str], sample: Rows, places: Sequence[int], used: Sequence[int]) -> list[str]:
    """Return the names of those `places` that suggest people's captions and share no sentence with a `used` column."""
    found = [k for k in places if used and whose(header[k]) == "people" and is_written(sample, k)]
    found = [k for k in found if not LANGUAGE.fullmatch(words(header[k])[-1])]
    return [header[k] for k in found if not share_texts(sample, k, used)]


def _are_named(header: Sequence[str], roles: ColumnRoles) -> bool:
    return any(rank(header[k], REFERENCES) is not None for k in roles.references)


def _left(header: Sequence[str], sample: Rows, written: Iterable[int], roles: ColumnRoles) -> list[int]:
    """Return further columns that may contain captions.

    Their texts are about as long as those that were read, and similar to them within records. If no column is similar,
    columns with a known name for captions count, unless both sides have captions.
    """
    captions = _captions(roles)
    length = n_words(sample, captions)
    able = [k for k in written if length / _LONGEST < n_words(sample, [k]) < _LONGEST * length]
    able = [k for k in able if not (same_writer(sample, k, captions) or is_source(sample, k, captions))]
    alike = [k for k in able if roles.references and resembles(sample, k, captions)]
    if roles.predicted:  # captions and references are more alike than either is to a source
        least = _AS_ALIKE * in_common(sample, roles.predicted, roles.references)
        alike = [k for k in alike if in_common(sample, [k], captions) >= least]
    return alike or [k for k in able if is_known(header[k]) and not (roles.predicted and roles.references)]


def _repeat(sample: Rows, roles: ColumnRoles) -> bool:
    """Return whether most records repeat the texts of other records, and no column names the items."""
    if max(roles.id, roles.told_by) >= 0 or not roles.predicted or len(sample) < _FEWEST:
        return False
    told = Counter((str(said(row, roles.predicted)), str(said(row, roles.references))) for row in sample)
    return 2 * len(told) <= len(sample) and len(told) > 1


def _mixed(header: Sequence[str], sample: Rows, roles: ColumnRoles) -> bool:
    """Return whether captions with one id in different records share hardly any words, and not clearly more than
    captions with different ids.

    Lists within a record are not compared, since answers in a dialogue may have no words in common. Nor are records of
    one id that all differ in run and known settings.
    """
    known = [k for name, k in roles.settings.items() if name in SETTING_NAMES]
    if known and tells_all_apart(sample, roles.ids(), [*roles.runs, *known]):
        return False
    apart = ([k for k in of if "[]" not in header[k]] for of in (roles.predicted, roles.references))
    found = [_between(sample, roles.id, of) for of in apart]
    told = [one for one in found if one is not None]
    return bool(told) and all(own < _ALIKE and own <= 2 * other for own, other in told)


def _between(sample: Rows, id: int, captions: Sequence[int]) -> tuple[float, float] | None:
    """Return the mean share of common words between two records of one id, and that between records of two ids.

    Return None if few ids have two records.
    """
    groups: dict[str, list[set[str]]] = defaultdict(list)
    for row in sample:
        if (name := as_id(cell_of(row, id))) is not None and (found := longer_words(row, captions)):
            groups[name].append(found)
    several = [of for of in groups.values() if len(of) > 1]
    if len(several) < _FEWEST or 2 * len(several) < len(groups):
        return None
    own = [_shared(*pair) for of in several for pair in combinations(of[:_SHOWN], 2)]
    pairs = zip(several, [*several[1:], several[0]])
    other = [_shared(*pair) for one, next_of in pairs for pair in product(one[:_SHOWN], next_of[:_SHOWN])]
    return mean(own), mean(other)


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(min(len(one), len(other)), 1)


def say_doubts(
    header: Sequence[str], sample: Rows, others: Sequence[int], roles: ColumnRoles, source: Source
) -> FieldsAlike | None:
    """Report references that may have been missed among `others`, and columns that may each be a run.

    Return the columns that may be references if no other file has references; None if there are none.
    """
    if left := _left_out(header, sample, others, roles.references):
        used = [header[k] for k in roles.references]
        again = TrustedText(in_roles([("references", [*used, *left][:MOST_NAMED])]))
        source.log.add("references_left", source.name, columns=", ".join(left), used=", ".join(used), option=again)
    told = [header[k] for k in roles.predicted]
    if len(told) > 1 and not (roles.named or any(map(tells_captions, told))):
        again = TrustedText(in_roles([("candidates", [name]) for name in told[:MOST_NAMED]]))
        source.log.add("numbered_columns", source.name, columns=", ".join(told[:MOST_NAMED]), option=again)
    if roles.references or not roles.predicted:
        return None
    named = [k for k in others if rank(header[k], REFERENCES) is not None]
    for name in (header[k] for k in named if values(sample, k) and holds_texts(sample, k) and has_words(sample, k)):
        again = TrustedText(in_roles([("references", [name])]))
        source.log.add("references_unread", source.name, columns=name, option=again)
    found = [k for k in alike(header, sample, others, roles.predicted) if k not in named]
    if not found:
        return None
    runs = replace(roles, predicted=[*roles.predicted, *found], named={})
    options = option(header, replace(roles, references=found)), option(header, runs)
    return FieldsAlike(tuple(header[k] for k in found), options)


def alike(header: Sequence[str], sample: Rows, others: Iterable[int], captions: list[int]) -> list[int]:
    """Return the columns among `others` whose texts resemble the captions in their rows but are by another writer."""
    able = [k for k in others if not no_caption(header[k]) and is_written(sample, k)]
    return [k for k in able if resembles(sample, k, captions) and not same_writer(sample, k, captions)]


def of_records(rows: Sequence[Any], others: list[str], ids: Sequence[str], texts: Sequence[str]) -> FieldsAlike | None:
    """Return the fields among `others` that may be references; None if there are none. `ids` and `texts` are possible
    names of the id and the captions.
    """
    first = [row for row in rows[:PEEK] if isinstance(row, dict)]
    used = [next((name for name in known if any(name in row for row in first)), "") for known in (ids, texts)]
    header = [*others, *used]
    sample = [[row.get(name) for name in header] for row in first]
    found = [header[k] for k in alike(header, sample, range(len(others)), [len(header) - 1])]
    people = [("id", used[:1]), ("candidates", used[1:]), ("references", found[:MOST_NAMED])]
    runs = [("id", used[:1]), ("candidates", [*used[1:], *found[:MOST_NAMED]])]
    return FieldsAlike(tuple(found), (in_roles(people), in_roles(runs))) if found else None


def check(parts: Iterable[Part], log: Log) -> None:
    """Report, for each file of a study without references, the fields that may contain them."""
    for part in parts:
        if part.alike is not None:
            columns = TrustedText(named([f"`{name}`" for name in part.alike.columns[:MOST_NAMED]]))
            people, runs = map(TrustedText, part.alike.options)
            log.add("texts_alike", part.file, columns=columns, option=people, runs=runs)


def are_numbers(part: Part, source: Source) -> bool:
    """Return whether all captions of a file are numbers; if so, report it.

    Each must consist of several numbers or, if there are no captions by people, some must have decimals. If a person
    chose the field of captions or the format, the captions are accepted, as in Trilens' own format.
    """
    of_people = [text for one in part.records for text in one.references]
    said = (text for one in (part.keyed or part).records for of in one.candidates.values() for text in of)
    written = of_people[:PEEK] or [*islice(said, PEEK)]
    if source.reading.columns.captions or source.reading.format or part.format == "trilens":
        return False
    found = [_NUMBERS.fullmatch(one) for one in written]
    several = all(one and one["more"] for one in found)
    decimals = any("." in one for one in written) and not of_people
    if not (found and all(found)) or not (several or decimals):
        return False
    source.log.add("numbers_alone", source.name, example=f"`{clip(written[0])}`")
    return True

"""Columns of any name that distinguish the captions of one item: runs, settings beside runs, or authors."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Any

from data.checks.people_by_name import of_people_by_name
from data.fields.names import OF_ONE_CAPTION, OF_ONE_PERSON, RUNS, known_run, leaf, norm, words
from data.fields.word_lists import word_set
from data.files.printed_lists import STATES
from data.formats.columns.assigned_roles import ColumnRoles
from data.formats.columns.contents import by_cells, tells_apart, values
from data.formats.nesting.setting_keys import are_settings
from data.records import Source
from data.run_settings import names_settings

Rows = Sequence[Sequence[Any]]
MOST_VALUES, LOOKED_AT, _FIRST = 50, 20_000, 200
_PLAIN = re.compile(r"\d+([.,]\d+)?")
_LONGEST_NAME = 60
_TEMPERATURE = re.compile(r"\d(?:[.,]\d+)?")
_UNNAMED = re.compile(r"(?:column|level)_\d+")
"""The name that programs give to a column without a name, or to a level of a pandas index."""
_CROSSED = 0.8
"""Minimum share of pairs of an item and a value that must occur for a column to distinguish runs."""

_IN_WORDS = word_set(
    "params parameters settings setting config configuration decoding_params decoding_config sampling_params "
    "sampling_config generation_params generation_config gen_config gen_kwargs generation_kwargs hyperparameters"
)
"""Names of columns whose cells may state settings: `temp=0.7, top_p=0.9`."""


def add(roles: ColumnRoles, header: Sequence[str], source: Source, sample: Rows) -> None:
    """Find columns, such as `prompt_style`, whose values recur for every item and distinguish its captions.

    The first such column that contains more than numbers names the runs if no other column does; the rest become
    settings, as do additional columns of runs.
    """
    id = roles.id if roles.id >= 0 else roles.told_by
    if id < 0 or not roles.predicted or roles.named or source.reading.columns.run:
        return
    known = [k for name in RUNS for k in roles.runs if known_run(header[k]) == name]
    told = [id, *known[:1], *roles.settings.values()]
    for k in known[1:]:
        if tells_apart(sample, told, [k]):
            roles.runs.remove(k)
            roles.settings[norm(header[k])] = k
            told.append(k)
    taken = {*roles.set_aside, *roles.used()}
    able = [k for k, name in enumerate(header) if k not in taken and _may_tell(name, sample[:_FIRST], k, 1)]
    for k in able:
        if not _may_tell(header[k], sample, k, 2) or not _crosses(sample, told, k):
            continue
        if not tells_apart(sample, told, roles.predicted[:1]):
            continue  # values that differ for one and the same caption describe that caption
        found = [str(one) for one in values(sample, k)]
        heat = _UNNAMED.fullmatch(norm(header[k])) and "temperature" not in roles.settings and are_settings(found)
        names_runs = not (heat or roles.runs or all(map(_PLAIN.fullmatch, found)))
        if roles.all_settings and not names_runs:
            continue
        roles.guessed = True
        if names_runs:
            roles.runs = [k]
        else:
            roles.settings["temperature" if heat else norm(header[k])] = k
        told.append(k)


def _may_tell(name: str, sample: Rows, place: int, fewest: int) -> bool:
    """Return whether a column contains at least `fewest` distinct short texts, and its name does not mean single
    captions.

    Numbers distinguish captions unless they only count them: 0, 1, 2. Times do not distinguish them, nor do yes and no.
    """
    said = {word for part in name.split(".") for word in words(part)}
    if norm(name) in STATES or said & {*OF_ONE_PERSON, *OF_ONE_CAPTION}:
        return False
    found = {
        str(one) if isinstance(one, int | float) else one
        for one in values(sample, place)
        if not isinstance(one, list | dict)
    }
    short = all(isinstance(one, str) and len(one) <= 100 and len(one.split()) <= 5 for one in found)
    numbers = short and all(re.fullmatch(r"[\d.,:T\sZ-]+|true|false|yes|no", one, re.IGNORECASE) for one in found)
    if numbers and found and all(map(_PLAIN.fullmatch, found)):
        told = sorted(float(one.replace(",", ".")) for one in found)
        numbers = told[0] in (0, 1) and told == [told[0] + k for k in range(len(told))]
    return fewest <= len(found) <= MOST_VALUES and short and not numbers


def _crosses(sample: Rows, told: Sequence[int], place: int) -> bool:
    """Return whether nearly all groups of rows with equal cells in `told` have nearly all values of the column
    `place`.
    """
    found = [set(cells) for cells in by_cells(sample, told, [place]) if len(cells) > 1]
    n_values = len(set().union(*found))
    return len(found) > 1 < n_values and sum(map(len, found)) >= _CROSSED * n_values * len(found)


def bare_t(names: Sequence[str], sample: Rows) -> dict[str, int]:
    """Return `{"temperature": k}` if column k is named `T` and all its cells can be temperatures, else {}.

    `names` are normalised by `norm`.
    """
    place = names.index("t") if "t" in names else -1
    found = [str(one).strip() for one in values(sample, place)] if place >= 0 else []
    return {"temperature": place} if found and all(map(_TEMPERATURE.fullmatch, found)) else {}


def told_in_words(names: Sequence[str], sample: Rows) -> dict[str, int]:
    """Return the columns with names in `_IN_WORDS`, by name, in which every cell states settings and nothing else."""
    told = {k: values(sample, k) for k, name in enumerate(names) if name in _IN_WORDS}
    return {names[k]: k for k, cells in told.items() if cells and all(map(_states_settings, cells))}


def _states_settings(cell: object) -> bool:
    return isinstance(cell, str) and names_settings(cell)


def authors(sample: Rows, id: int, width: int, taken: Container[int]) -> list[int]:
    """Return, as a list, the column that names each caption's author; [] if there is none.

    Some of the authors must be people, and authors must vary within an item.
    """
    for k in range(width):
        who = [one for one in values(sample, k) if isinstance(one, str)]
        if k in taken or not 1 < len(set(who)) < len(who) == len(values(sample, k)):
            continue
        short = all(len(one) <= _LONGEST_NAME for one in who)
        if short and any(map(of_people_by_name, set(who))) and tells_apart(sample, [id], [k]):
            return [k]
    return []


def ranks(header: Sequence[str], sample: Sequence[Sequence[Any]]) -> bool:
    """Return whether a column called rank numbers all rows, as in a contest of captions."""
    told = [
        [row[k] for row in sample if k < len(row)] for k, name in enumerate(header) if leaf(name) in ("rank", "rang")
    ]
    return any(len(of) > 1 and [str(cell).strip() for cell in of] in _counts(len(of)) for of in told)


def _counts(n: int) -> list[list[str]]:
    return [[str(start + k) for k in range(n)] for start in (0, 1)]

"""Columns that name the items of a table, because they contain the same ids, or the same requests, for each run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from typing import Any

from data.fields.criteria import BESIDE
from data.fields.names import ASKED_OF, IDS, first, norm, of_requests
from data.formats.columns import contents
from data.formats.columns.assigned_roles import ColumnRoles
from data.formats.columns.caption_columns import ranked
from data.formats.columns.contents import may_name, scalar, values

_PICTURE = re.compile(r".+\.(jpe?g|png|webp|gif|bmp|tiff?|wav|flac|mp3|mp4|avi|webm)$", re.IGNORECASE)
Rows = Sequence[Sequence[Any]]


def take_shared_id(roles: ColumnRoles, header: Sequence[str], rows: Rows) -> None:
    """Use a column with the same ids for each run as the id if no id was chosen, or if the runs share none of the ids
    in the chosen column.

    Without such a column, requests that each run answers are used. `rows` are more than the sample from which the roles
    were inferred, since files may list one run after another.
    """
    named = [roles.id] if roles.id >= 0 else []
    rated = {k for k, name in enumerate(header) if norm(name) in BESIDE}
    taken = (roles.used() - {roles.image}) | rated
    named += [k for k in ranked(header, IDS) if k not in taken and scalar(rows, k)]
    shared = shared_by_runs(rows, named if roles.id >= 0 else [], roles.runs, taken)
    if shared is not None:
        roles.id, roles.guessed, roles.other_id, roles.told_by = shared, True, -1, -1
        roles.aliases = [k for k in roles.aliases if k != shared]
    _take_shared_request(roles, header, rows)


def _take_shared_request(roles: ColumnRoles, header: Sequence[str], rows: Rows) -> None:
    """Let requests name the items if no column does and each run, at each setting, answers mostly the same requests.

    There must be more requests than answers to any of them.
    """
    asked = first(of_requests(header), ASKED_OF)
    if max(roles.id, roles.told_by, roles.other_id) >= 0 or roles.only or asked in {-1, *roles.used()}:
        return
    groups = [Counter(cells) for cells in contents.by_cells(rows, [*roles.runs, *roles.settings.values()], [asked])]
    shared = all(2 * len(one & groups[0]) > len(one) for one in groups)
    several = all(max(one.values()) < len(one) for one in groups)
    if len(groups) > 1 and shared and several and contents.is_written(rows, asked):
        roles.told_by = asked


def shared_by_runs(sample: Rows, named: list[int], runs: list[int], taken: Container[int] = ()) -> int | None:
    """Return the first column with the same ids for each run, if the runs share none of the ids in the surest column.

    Runs share no ids of results, for example. A column of any name counts if each of its words occurs once in every
    run. The result is None if there is no such column or only one run.
    """

    def of(place: int) -> list[set[Any]]:
        return [set(ids) for ids in contents.by_cells(sample, runs, [place])]

    if not runs or len(contents.by_cells(sample, runs, ())) < 2:
        return None
    if named and len(set.union(*of(named[0]))) < sum(map(len, of(named[0]))):
        return None
    if (known := next((k for k in named[1:] if _same(of(k))), None)) is not None:
        return known
    places = [k for k in range(max(map(len, sample))) if k not in runs and k not in taken and may_name(sample, k)]
    once = [k for k in places if _same(found := of(k)) and sum(map(len, found)) == len(sample)]
    return min(once, key=lambda k: (not are_paths(sample, k), _are_numbers(sample, k)), default=None)


def _same(sets: list[set[Any]]) -> bool:
    return all(one == sets[0] for one in sets) and len(sets[0]) > 1


def _are_numbers(sample: Rows, place: int) -> bool:
    return all(str(cell).isdecimal() for cell in values(sample, place))


def are_paths(sample: Rows, place: int) -> bool:
    """Return whether each cell of a column is the name of a picture, a sound or a film."""
    found = values(sample, place)
    return bool(found) and all(isinstance(cell, str) and _PICTURE.match(cell) for cell in found)

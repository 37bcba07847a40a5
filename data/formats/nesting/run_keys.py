"""Decide whether the keys of an object of lists are runs or kinds of items."""

from __future__ import annotations

from typing import Any

from data.fields.names import CONTAINERS, IDS, REFERENCES, SURE_IDS, is_known, norm, rank, whose
from data.formats.nesting.value_kinds import are_objects, is_object, is_text


def has_runs(value: dict[str, Any]) -> bool:
    """Return whether the keys are runs with lists of records that have their own ids.

    The ids are distinct within each run, or every run has the same ids, some of them repeated.
    """
    groups = list(value.values())
    if not groups or not all(map(are_objects, groups)):
        return False
    if len(value) == 1 and norm(next(iter(value))) in CONTAINERS:
        return False
    for name in IDS:
        ids = [[str(row.get(name)) for row in rows] for rows in groups]
        if not all(name in row for rows in groups for row in rows):
            continue
        distinct = sum(len(set(one)) for one in ids)
        if all(len(set(one)) == 1 for one in ids):
            return False
        if all(len(set(one)) == len(one) for one in ids):
            shared = len({id for one in ids for id in one}) < distinct
            return name not in SURE_IDS or shared or all(map(has_references, (row for rows in groups for row in rows)))
        if len(ids) > 1 and all(set(one) == set(ids[0]) for one in ids):
            return True
    return False


def has_references(row: dict[str, Any]) -> bool:
    """Return whether a record has captions by people beside other captions."""
    known = [rank(name, REFERENCES) is not None for name, one in row.items() if is_text(one) and is_known(name)]
    return any(known) and not all(known)


def are_kinds(value: dict[str, Any]) -> bool:
    """Return whether the keys are kinds of items: no two share an item, and each record has its own references."""
    if len(value) < 2 or not has_runs(value):
        return False
    rows = [row for group in value.values() for row in group]
    ids = [str(next(row[name] for name in IDS if name in row)) for row in rows if any(name in row for name in IDS)]
    return len(set(ids)) == len(rows) and all(any(whose(key) == "people" for key in row) for row in rows)


def in_one_order(value: dict[str, Any]) -> bool:
    """Return whether the keys are runs with equally long lists of records with captions and references, but no ids."""
    groups = list(value.values())
    if not all(isinstance(one, list) for one in groups) or len({len(one) for one in groups}) != 1:
        return False
    rows = [row for one in groups for row in one]
    if len(groups[0]) < 2 or not rows or not all(map(is_object, rows)):
        return False
    return all(map(has_references, rows)) and not any(rank(name, IDS) is not None for row in rows for name in row)

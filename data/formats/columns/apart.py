"""Recognise, by their contents, columns that distinguish the captions of an item."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Any

from data.checks.people import of_people_by_name
from data.formats.columns.sampled import values
from data.records import as_id

Rows = Sequence[Sequence[Any]]
_LONGEST_NAME = 60
_HEAT = re.compile(r"\d(?:[.,]\d+)?")


def bare_t(names: Sequence[str], sample: Rows) -> dict[str, int]:
    """Return `{"temperature": k}` if column k is named `T` and all its cells can be temperatures, else {}.

    `names` are normalised by `norm`.
    """
    place = names.index("t") if "t" in names else -1
    found = [str(one).strip() for one in values(sample, place)] if place >= 0 else []
    return {"temperature": place} if found and all(map(_HEAT.fullmatch, found)) else {}


def authors(sample: Rows, id: int, width: int, taken: Container[int]) -> list[int]:
    """Return, as a list, the column that names each caption's author; [] if there is none.

    Some of the authors must be people, and they must vary within an item.
    """
    for k in range(width):
        who = [one for one in values(sample, k) if isinstance(one, str)]
        if k in taken or not 1 < len(set(who)) < len(who) == len(values(sample, k)):
            continue
        pairs = {(as_id(row[id]), row[k]) for row in sample if max(id, k) < len(row)}
        short = all(len(one) <= _LONGEST_NAME for one in who)
        if short and any(map(of_people_by_name, set(who))) and len({id for id, _ in pairs}) < len(pairs):
            return [k]
    return []

"""Tables whose cells hold objects, as JSON or as Python prints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson

from data.files.cells import TEXT_KEYS
from data.formats.containers.jsonfile import literals
from data.formats.tables.table import Table

_LONGEST = 20_000
"""Maximum number of characters of an object as Python prints it."""
_OTHER = 4


def with_objects(table: Table) -> Table:
    """Return the table with objects in place of cells, in columns where at most a quarter of the cells are plain texts.

    A plain text goes where most objects have their caption.
    """
    rows = table.sample()
    keys = {k: key for k in range(len(table.header)) if (key := _key(rows, k)) is not None}
    if keys:
        read = [
            (where, [_in_object(cell, keys[k]) if k in keys else cell for k, cell in enumerate(row)])
            for where, row in table.rows
        ]
        table.rows = iter(read)
    return table


def _key(rows: Sequence[Sequence[Any]], place: int) -> str | None:
    """Return the key of the texts in a column of objects, "" if all cells are objects without any, or else None."""
    cells = [row[place] for row in rows if place < len(row) and row[place]]
    found = [one for cell in cells if (one := _object(cell)) is not None]
    if not found or len(found) * _OTHER < len(cells) * (_OTHER - 1):
        return None
    counts = Counter(key for one in found for key in one if key in TEXT_KEYS and isinstance(one[key], str))
    key = max(counts, key=counts.__getitem__, default="")
    return key if key or len(found) == len(cells) else None


def _in_object(cell: Any, key: str) -> Any:
    return found if (found := _object(cell)) is not None else {key: cell} if key and cell else cell


def _object(cell: Any) -> dict[str, Any] | None:
    if not isinstance(cell, str) or not cell.startswith("{"):
        return None
    try:
        value = orjson.loads(cell)
    except orjson.JSONDecodeError:
        value = next(iter(literals(cell)), None) if len(cell) <= _LONGEST else None
    return value if isinstance(value, dict) else None

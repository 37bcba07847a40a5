"""The winner of a pair in one column of 0s and 1s per outcome: `winner_model_a`, `winner_model_b` and `winner_tie`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data.fields.names import norm
from data.findings import PEEK
from data.formats.columns.contents import cell_of, columns_of
from data.formats.nesting.value_kinds import are_objects
from data.formats.tables.table import Table

WINNER = "winner"
_BEGIN = (WINNER, "win", "wins", "won", "preferred", "prefers", "chosen", "better")
_TRUE, _FALSE = frozenset(["1", "1.0", "true"]), frozenset(["0", "0.0", "false", ""])


def joined(found: Table) -> Table:
    """Return the table with a column that names the outcome in place of one column per outcome; return other tables
    unchanged.
    """
    sides = _sides(found.header, found.sample())
    if not sides:
        return found
    kept = [k for k in range(len(found.header)) if k not in sides]

    def cells(row: Sequence[Any]) -> list[Any]:
        return [*(cell_of(row, k) for k in kept), _outcome(row, sides)]

    header = [*(found.header[k] for k in kept), WINNER]
    return Table(header, ((where, cells(row)) for where, row in found.rows))


def records(value: Any) -> Any:
    """Return a list of objects with a field that names the outcome in place of one field per outcome; return other
    values unchanged.
    """
    first = value[:PEEK] if isinstance(value, list) else None
    if not are_objects(first):
        return value
    header, sample = columns_of(first)
    sides = _sides(header, sample)
    names = {header[k] for k in sides}

    def made(row: dict[str, Any]) -> dict[str, Any]:
        outcome = _outcome([row.get(name) for name in header], sides)
        return {**{name: one for name, one in row.items() if name not in names}, WINNER: outcome}

    return [made(row) if isinstance(row, dict) else row for row in value] if sides else value


def _sides(header: Sequence[str], sample: Sequence[Sequence[Any]]) -> dict[int, str]:
    """Return the outcome of each column that stands for one.

    Return {} unless exactly one of these columns is true in every row, and no other column is called `winner`.
    """
    parts = {k: norm(name).partition("_") for k, name in enumerate(header) if isinstance(name, str)}
    for begin in _BEGIN:
        sides = {k: rest for k, (first, _, rest) in parts.items() if first == begin and rest}
        told = [[_bit(cell_of(row, k)) for k in sides] for row in sample]
        if len(sides) > 1 and told and all(None not in row and sum(map(bool, row)) == 1 for row in told):
            return {} if WINNER in map(norm, header) else sides
    return {}


def _outcome(row: Sequence[Any], sides: dict[int, str]) -> str | None:
    return next((name for k, name in sides.items() if _bit(cell_of(row, k))), None)


def _bit(cell: Any) -> bool | None:
    said = str("" if cell is None else cell).strip().lower()
    return True if said in _TRUE else False if said in _FALSE else None

"""Tables with a column for each item, named by its picture or another file, and a row for each run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from data.fields.names import norm
from data.formats.columns.contents import are_sentences
from data.formats.nesting.nested_records import PICTURE
from data.formats.tables.table import Table
from data.records import Source

_ITEM, _TEXT = "image", "caption"
_FEWEST = 3
"""Minimum number of columns named by files."""


def with_rows(found: Table, source: Source) -> Table:
    """Return the table with a row for each caption, with columns for captions and items; return other tables unchanged.

    A table also stays unchanged if a person gave one of the items' columns a role.
    """
    items = [k for k, name in enumerate(found.header) if PICTURE.fullmatch(str(name).strip())]
    others = [k for k in range(len(found.header)) if k not in items]
    given = {found.header[k] for k in items} & {*source.reading.columns.named}
    if len(items) < _FEWEST or given or {_ITEM, _TEXT} & {norm(found.header[k]) for k in others}:
        return found
    sample = found.sample()
    if not all(are_sentences(sample, k) for k in items):
        return found
    names = [found.header[k].strip() for k in items]

    def rows() -> Iterator[tuple[str, Sequence[Any]]]:
        for where, row in found.rows:
            cells = [*row, *[None] * (len(found.header) - len(row))]
            source.budget.take_values(len(items) * (len(others) + 2))
            beside = [cells[k] for k in others]
            yield from ((where, [*beside, name, cells[k]]) for name, k in zip(names, items))

    return Table([*(found.header[k] for k in others), _ITEM, _TEXT], rows())

"""Ratings as rows of tick boxes: RaCCoon has `cbVisible1` to `cbVisible5`, one of which is 1 and the others 0."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data.formats.table import Table

_BOX = re.compile(r"^cb([A-Za-z]+)([1-9])$")
_FEWEST = 3


@dataclass(frozen=True)
class Scale:
    """A criterion and the column of each of its boxes, from 1 on."""

    criterion: str
    columns: tuple[int, ...]

    def value(self, row: Sequence[Any]) -> Any:
        """The box that is ticked; None where none is, and the boxes as text where several are."""
        cells = [str(row[k]).strip() if k < len(row) else "" for k in self.columns]
        ticked = [str(number) for number, cell in enumerate(cells, 1) if cell in ("1", "1.0", "True")]
        return int(ticked[0]) if len(ticked) == 1 else " and ".join(ticked) or None


def scales(header: Sequence[str]) -> list[Scale]:
    """The scales in the header of a table: boxes numbered from 1, without a gap."""
    boxes: dict[str, dict[int, int]] = {}
    for column, name in enumerate(header):
        if isinstance(name, str) and (match := _BOX.match(name.strip())):
            boxes.setdefault(match[1], {}).setdefault(int(match[2]), column)
    return [
        Scale(name, tuple(of[k] for k in range(1, len(of) + 1)))
        for name, of in boxes.items()
        if len(of) >= _FEWEST and set(of) == set(range(1, len(of) + 1))
    ]


def joined(found: Table) -> Table:
    """A table with a column of numbers, `human:` and the criterion, in place of the boxes of each scale."""
    known = scales(found.header)
    if not known:
        return found
    gone = {column for scale in known for column in scale.columns}
    kept = [k for k in range(len(found.header)) if k not in gone]

    def cells(row: Sequence[Any]) -> list[Any]:
        return [*(row[k] if k < len(row) else "" for k in kept), *(scale.value(row) for scale in known)]

    header = [*(found.header[k] for k in kept), *(f"human:{scale.criterion}" for scale in known)]
    return Table(header, ((where, cells(row)) for where, row in found.rows), found.n_rows)

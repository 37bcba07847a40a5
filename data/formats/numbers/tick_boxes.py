"""Ratings given as rows of tick boxes: of RaCCoon's `cbVisible1` to `cbVisible5`, one is 1 and the others are 0.

RaCCoon rates Meta and Subjective with `cbMetaBad` and `cbMetaGood`, read as 0 and 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from data.formats.tables.table import Table

_BOX = re.compile(r"^cb([A-Za-z]+)([1-9])$")
_JUDGED = re.compile(r"^cb([A-Za-z]+)(Bad|Good)$")
_FEWEST = 3


@dataclass(frozen=True)
class Scale:
    """A criterion and the columns of its boxes; the first box stands for the rating `first`."""

    criterion: str
    columns: tuple[int, ...]
    first: int = 1

    def ticked(self, row: Sequence[Any]) -> list[int]:
        """Return the ratings of the ticked boxes: exactly one if the row has a rating."""
        cells = [str(row[k]).strip() if k < len(row) else "" for k in self.columns]
        return [number for number, cell in enumerate(cells, self.first) if cell in ("1", "1.0", "True")]


def scales(header: Sequence[str]) -> list[Scale]:
    """Return the scales in a header: boxes numbered from 1 without a gap and, beside such boxes, bad and good."""
    boxes: dict[str, dict[int, int]] = {}
    judged: dict[str, dict[str, int]] = {}
    for column, name in enumerate(header):
        if isinstance(name, str) and (match := _BOX.match(name.strip())):
            boxes.setdefault(match[1], {}).setdefault(int(match[2]), column)
        elif isinstance(name, str) and (match := _JUDGED.match(name.strip())):
            judged.setdefault(match[1], {}).setdefault(match[2], column)
    numbered = [
        Scale(name, tuple(of[k] for k in range(1, len(of) + 1)))
        for name, of in boxes.items()
        if len(of) >= _FEWEST and set(of) == set(range(1, len(of) + 1))
    ]
    both = [Scale(name, (of["Bad"], of["Good"]), 0) for name, of in judged.items() if len(of) == 2]
    return [*numbered, *both] if numbered else []


def joined(found: Table, unclear: Callable[[str, str, str], None] | None = None) -> Table:
    """Return the table with the boxes of each scale replaced by a column of numbers named `human:` and the criterion.

    A row with several ticks gets an empty cell, and `unclear` is called with the place, the criterion and the boxes.
    """
    known = scales(found.header)
    if not known:
        return found
    gone = {column for scale in known for column in scale.columns}
    kept = [k for k in range(len(found.header)) if k not in gone]

    def cells(where: str, row: Sequence[Any]) -> list[Any]:
        made = [row[k] if k < len(row) else "" for k in kept]
        for scale in known:
            ticked = scale.ticked(row)
            made.append(ticked[0] if len(ticked) == 1 else None)
            if len(ticked) > 1 and unclear is not None:
                unclear(where, scale.criterion, " and ".join(map(str, ticked)))
        return made

    header = [*(found.header[k] for k in kept), *(f"human:{scale.criterion}" for scale in known)]
    return Table(header, ((where, cells(where, row)) for where, row in found.rows))

"""Published numbers of a recipe, compared with those in the tables that its commands write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from data.paper_recipe import Recipe, Row, Step, decimals, names, recipe
from data.study import DataError

COLUMNS = ("recipe", "row", "column", "printed", "recomputed", "difference", "mark", "command")
BEYOND, ABSENT = "beyond rounding", "not computed"
_GUARD = 1e-9
"""Tolerance in printed units, so that floating-point error does not push a number over the edge of its rounding.
"""


@dataclass(frozen=True)
class Compared:
    """A printed number, as text, and the recomputed number in the printed unit, NaN if it was not recomputed."""

    printed: str
    recomputed: float

    @property
    def difference(self) -> float:
        """The recomputed minus the printed number."""
        return self.recomputed - float(self.printed)

    @property
    def mark(self) -> str:
        """`BEYOND` if the recomputed number would be printed with other digits, `ABSENT` if it is NaN, else ""."""
        if np.isnan(self.recomputed):
            return ABSENT
        unit = 10.0 ** -decimals(self.printed)
        return BEYOND if abs(self.difference) > unit * (0.5 + _GUARD) else ""


def printed() -> pd.DataFrame:
    """Return one row per printed number of every recipe: paper, table, and the first four of `COLUMNS`."""
    rows = [
        (one.paper, one.table, one.name, _name(row), column, number)
        for one in map(recipe, names())
        for step in one.steps
        for row in step.rows
        for column, number in zip(step.columns, row.printed, strict=True)
        if number
    ]
    return pd.DataFrame(rows, columns=["paper", "table", *COLUMNS[:4]])


def beside(path: Path) -> pd.DataFrame:
    """Return the printed numbers next to those in a table from `trilens reproduce --out`; missing numbers last, as NaN.

    The table may be edited manually, or by a program that writes .60 as 0.6, so cells may be text or numbers; rows of
    unknown recipes are left out. Raises DataError if the file is not such a table.
    """
    try:
        given = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise DataError(f"{path.name} is not a .csv table written by `trilens reproduce --out`") from error
    if lacking := [name for name in COLUMNS if name not in given]:
        raise DataError(f"{path.name} lacks {', '.join(lacking)}: write it with `trilens reproduce --out {path.name}`")
    keys = [*COLUMNS[:3], "number"]
    given, own = (one.assign(number=one.printed.map(_number)) for one in (given, printed()))
    found = own.merge(given.drop_duplicates(keys)[[*keys, "recomputed"]], how="left", on=keys).drop(columns="number")
    found = found.sort_values("recomputed", key=pd.Series.isna, kind="stable", ignore_index=True)
    values = [_number(value) for value in found.recomputed]
    compared = [Compared(number, value) for number, value in zip(found.printed, values)]
    marks = ["" if np.isnan(one.recomputed) else one.mark for one in compared]
    return found.assign(recomputed=values, difference=[one.difference for one in compared], mark=marks)


def compare(recipe: Recipe, step: Step, table: pd.DataFrame) -> pd.DataFrame:
    """Return one row with `COLUMNS` per printed number of a step, from the table that its command wrote.

    Raises DataError if the table lacks a column that the step names, or does not have exactly one row for a printed
    row.
    """
    place = f"{recipe.name}: the table of `{step.command}`"
    if lacking := [name for name in (*step.by, *step.where, *step.columns) if name not in table]:
        raise DataError(f"{place} has no column {', '.join(lacking)}; it has {', '.join(map(str, table))}")
    rows = []
    for row in step.rows:
        cells = dict(zip(step.by, row.cells, strict=True)) | dict(step.where)
        found = _row(table, cells, place)
        for column, printed in zip(step.columns, row.printed, strict=True):
            if printed:
                one = Compared(printed, _number(found[column]) * step.scale)
                rows.append((recipe.name, _name(row), column, printed, one.recomputed, one.difference, one.mark))
    return pd.DataFrame([(*row, f"trilens {step.command}") for row in rows], columns=list(COLUMNS))


def _name(row: Row) -> str:
    return ", ".join(row.cells)


def _row(table: pd.DataFrame, cells: Mapping[str, str], place: str) -> pd.Series:
    kept = np.ones(len(table), bool)
    for column, cell in cells.items():
        kept &= (table[column].astype(str) == cell).to_numpy()
    if kept.sum() != 1:
        said = ", ".join(f"{column} {cell}" for column, cell in cells.items())
        raise DataError(f"{place} has {kept.sum() or 'no'} row{'s' if kept.sum() else ''} of {said}")
    return table[kept].iloc[0]


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return float("nan")


def summary(table: pd.DataFrame) -> str:
    """Return a sentence on how many recomputed numbers agree with the printed numbers to the last digit."""
    agree, beyond, absent = ((table.mark == mark).sum() for mark in ("", BEYOND, ABSENT))
    rest = f"; {absent} could not be computed" if absent else ""
    return f"{agree} of {len(table)} numbers agree with the printed digits, {beyond} differ beyond rounding{rest}."

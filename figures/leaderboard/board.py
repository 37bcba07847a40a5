"""The content of a leaderboard as plain values; `figures.leaderboard.html` draws it and computes nothing.

`figures.leaderboard.rows` builds a `Board`: one `Column` per metric, one `Row` per run in ranking order, one `Cell` per
number. The row `people` has the values of the references, the row `no_difference` the distances expected between two
sets from one source, and the row `chance` the values against other items' references. These three rows are never
ranked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from figures.style.escaping import whole
from figures.style.numbers import defined, p_phrase
from figures.style.palette import ModelStyle
from figures.style.run_names import JOINT

if TYPE_CHECKING:
    import pandas as pd

NAN = math.nan


@dataclass(frozen=True)
class Cell:
    """One number with its 95 % interval; deltas are from the baseline, with paired resamples.

    `delta_p` is the p of the delta after Holm's correction; `sure` means that it is at most 0.05. An undefined value is
    NaN with a `reason`, shown in the table as a dash with a tooltip; a `waiting` one is being computed. `no_interval`
    states why the delta has no interval or, without a baseline, why the value has none; `note` is shown beside the
    value. `p` tests the value against people, and `holm_p` is p after Holm's correction across the runs. `alike` means
    that no difference from people is detected, `departs` describes how the run departs from them by the joint test, and
    `not_alike` why a run with a p above 0.05 is not claimed to be like them. For a setting, `seeds` are the values of
    its runs, shown as ticks, and `sd` is their standard deviation. `chance`, if requested, is the value against other
    items' references, with the range of 95 % of the pairings. A floor of p is the smallest p that the test can give.
    """

    value: float
    low: float = NAN
    high: float = NAN
    delta: float = NAN
    delta_low: float = NAN
    delta_high: float = NAN
    delta_p: float = NAN
    delta_floor: float = NAN
    sure: bool = False
    reason: str = ""
    no_interval: str = ""
    note: str = ""
    p: float = NAN
    p_floor: float = NAN
    holm_p: float = NAN
    holm_floor: float = NAN
    alike: bool = False
    departs: str = ""
    not_alike: str = ""
    rank: str = ""
    waiting: bool = False
    seeds: tuple[float, ...] = ()
    sd: float = NAN
    chance: tuple[float, float, float] = (NAN, NAN, NAN)


@dataclass(frozen=True)
class Column:
    """A metric: its key, label and decimals; `direction` in words ("↓ lower is better", "↑ more diverse").

    In a column that is not `judged`, no direction is better; `higher_is_better` then states which one is more diverse.
    `note` is shown beside the signature; `about` describes the metric in a sentence. `distance` means that the metric
    compares two sets; people's captions then have no value of their own.
    """

    key: str
    label: str
    higher_is_better: bool
    judged: bool
    direction: str
    digits: int = 3
    signature: str = ""
    note: str = ""
    about: str = ""
    distance: bool = False

    @property
    def words(self) -> str:
        """The better, or more diverse, direction without an arrow: "lower is better", "lower: more diverse"."""
        said = self.direction.lstrip("↑↓ ")
        return said if self.judged else f"{'higher' if self.higher_is_better else 'lower'}: {said}"


@dataclass(frozen=True)
class Row:
    """A run: its name, its model's style, its cells by column key, its rank range, and its p-value over `p_n` items.

    `short` is the name that the table shows; it begins with the model unless `no_model`. `p_raw` is the harmonic mean
    behind a calibrated p. `anomaly` has clauses about what is wrong with the run.
    """

    name: str
    cells: Mapping[str, Cell] = field(default_factory=dict)
    style: ModelStyle | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    p_value: float = NAN
    p_floor: float = NAN
    p_raw: float = NAN
    p_n: int = 0
    p_reason: str = ""
    anomaly: tuple[str, ...] = ()
    short: str = ""
    no_model: bool = False

    @property
    def shown(self) -> str:
        """The name that the table shows."""
        return self.short or self.name

    @property
    def named(self) -> tuple[str, str]:
        """The name that the table shows, as its model and its setting; the setting may be "", as with `no_model`."""
        if self.no_model:
            return self.shown, ""
        model, _, setting = self.shown.partition(JOINT)
        return model, setting

    def cell(self, key: str) -> Cell:
        """Return the cell of a column; if it was not computed, return an undefined cell with this reason."""
        return self.cells.get(key, Cell(NAN, reason="not computed"))


@dataclass(frozen=True)
class Board:
    """Rows in display order. `ranked` is the key of the column that ranks them, None if there is no ranking.

    `p_label` is the small line under "p" ("TRM, against people"); "" omits the column. `p_key` is the key of the column
    that p belongs to. `baseline` names the row from which deltas are taken. Raises ValueError if the ranked column is
    unknown or is not `judged`.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    ranked: str | None = None
    people: Row | None = None
    no_difference: Row | None = None
    baseline: str | None = None
    p_label: str = ""
    p_key: str = ""
    chance: Row | None = None

    def __post_init__(self) -> None:
        if self.ranked is None:
            return
        found = [column for column in self.columns if column.key == self.ranked]
        if not found:
            raise ValueError(f"the ranked column {self.ranked!r} is not among the columns")
        if not found[0].judged:
            raise ValueError(f"{found[0].label} has no better side: it cannot rank runs")

    @property
    def apart(self) -> tuple[Row, ...]:
        """The rows that are never ranked, if there are any: people, no difference and chance."""
        return tuple(row for row in (self.people, self.no_difference, self.chance) if row is not None)

    def p_shown(self, row: Row) -> tuple[float, float]:
        """Return the p of a row, after Holm's correction if it is not a harmonic mean, and the smallest p that is
        possible.
        """
        tested = row.cell(self.p_key)
        if self.harmonic or not defined(tested.holm_p):
            return row.p_value, row.p_floor
        return tested.holm_p, tested.holm_floor

    @property
    def harmonic(self) -> bool:
        """Whether p is a harmonic mean, which has a raw value in addition to the calibrated one."""
        return any(defined(row.p_raw) for row in self.rows)

    @property
    def corrected(self) -> bool:
        """Whether the displayed p is Holm-corrected across the runs: neither a harmonic mean nor p of a single run."""
        return not self.harmonic and sum(defined(row.cell(self.p_key).holm_p) for row in self.rows) > 1

    @cached_property
    def common_p(self) -> str:
        """The p that all tested runs share, in words; "" if they share none, or while a p is being computed.

        Harmonic means, and p over different numbers of items, do not count as the same.
        """
        tested = [row for row in self.rows if defined(row.p_value)]
        said = [p_phrase(*self.p_shown(row)) for row in tested if row.p_n == tested[0].p_n]
        said = said if len(said) == len(tested) else []
        waiting = any(row.cell(self.p_key).waiting for row in self.rows)
        one = len(set(said)) == 1 < len(said) and self.p_label and not (waiting or self.harmonic)
        return said[0] if one else ""

    @property
    def over_seeds(self) -> bool:
        """Whether rows are settings with several seeds."""
        return any(cell.seeds for row in self.rows for cell in row.cells.values())

    def best(self, column: Column) -> float:
        """Return the best value of the runs; NaN without values, while one is being computed, or if no direction is
        better.
        """
        cells = [row.cell(column.key) for row in self.rows]
        known = [cell.value for cell in cells if defined(cell.value)]
        if not known or not column.judged or any(cell.waiting for cell in cells):
            return NAN
        return max(known) if column.higher_is_better else min(known)

    @property
    def empty(self) -> dict[str, str]:
        """The keys of columns in which no run has or awaits a value, with reasons, except those of the rank and of p.

        If these would be all columns, none counts as empty.
        """
        of = {
            column.key: [row.cell(column.key) for row in self.rows]
            for column in self.columns
            if column.key not in (self.ranked, self.p_key)
        }
        found = {
            key: cells[0].reason or "undefined"
            for key, cells in of.items()
            if cells and not any(defined(cell.value) or cell.waiting for cell in cells)
        }
        return found if len(found) < len(self.columns) else {}

    def without_empty(self) -> Board:
        """Return the board without its empty columns."""
        empty = self.empty
        return replace(self, columns=tuple(column for column in self.columns if column.key not in empty))

    def frame(self) -> pd.DataFrame:
        """Return the board at full precision: one row per run, then the rows `apart`, with values and intervals."""
        from pandas import DataFrame

        table = DataFrame([self._record(row) for row in (*self.rows, *self.apart)])
        whole_numbers = [column for column in ("Rank from", "Rank to", "n of p") if column in table]
        return table.astype(dict.fromkeys(whole_numbers, "Int64"))

    def waiting(self) -> dict[str, set[int]]:
        """Return, for each column, the rows of `frame` whose number is being computed."""
        rows = list(enumerate((*self.rows, *self.apart)))
        return {column.label: {k for k, row in rows if row.cell(column.key).waiting} for column in self.columns}

    def _record(self, row: Row) -> dict[str, object]:
        record: dict[str, object] = {"Setting" if self.over_seeds else "Run": whole(row.name)}
        if self.ranked is not None:
            record["Rank from"], record["Rank to"] = row.rank_low, row.rank_high
        for column in self.columns:
            cell = row.cell(column.key)
            record[column.label] = cell.value
            record[f"{column.label} 95 % from"] = cell.low
            record[f"{column.label} 95 % to"] = cell.high
            if self.over_seeds:
                record[f"{column.label} sd of seeds"] = cell.sd
        if self.p_label:
            record["p"] = row.p_value
            if not self.harmonic:
                record["Corrected p"] = row.cell(self.p_key).holm_p
            if self.harmonic:
                record["Uncalibrated p"] = row.p_raw
            record["Smallest possible p"] = row.p_floor
            record["n of p"] = row.p_n if defined(row.p_value) else None
        return record

"""Print the tables of commands on the screen, or write them to a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import compress, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cli import output
from cli.score_chance import COLUMNS as CHANCE
from data.files import safe_csv

if TYPE_CHECKING:
    import pandas as pd

Justify = Literal["left", "right"]
GAP = 2
"""Width of the gap between two columns on the screen, in characters."""
LEAST = 12
"""Minimum width of a key column on the screen, in characters."""


def check_out(out: Path | None, read: Iterable[Path | None]) -> None:
    """Exit with status 2 before any work if the table could not be written, or would replace a file that is read."""
    if out is not None:
        output.check(out, (".csv", ".parquet", ".json"), read)


def write_table(table: pd.DataFrame, out: Path, number: str | None = "value") -> None:
    """Write a table in the format of the extension; report how many rows it has and, unless `number` is None, how many
    of them have a number in that column.
    """
    from figures.style.numbers import count

    if out.suffix == ".csv":
        content = safe_csv.to_csv(table)
    elif out.suffix == ".parquet":
        content = table.to_parquet(index=False)
    else:
        content = table.to_json(orient="records", indent=1, double_precision=15).encode()
    output.write(out, content)
    numbers = f", {table[number].notna().sum():,} with a number" if number is not None else ""
    print(f"{out}: {count(len(table), 'row')}{numbers}", file=sys.stderr)


def give_table(table: pd.DataFrame, shown: Sequence[str], out: Path | None, number: str | None = "value") -> None:
    """Write a table to a file, or print it if `out` is None: see `write_table` and `print_table`."""
    if out is None:
        print_table(table, shown)
    else:
        write_table(table, out, number)


def print_scores(table: pd.DataFrame, p_values: bool, long: bool = False) -> None:
    """Print SCORES on stdout, with the columns of the tests if `p_values` is set.

    On a screen, a table that has only values of runs is printed with one row per run, unless it has tests or values
    expected by chance, or `long` is set.
    """
    if sys.stdout.isatty() and not long and not p_values and "chance" not in table and set(table.level) == {"corpus"}:
        _print_short(table)
        return
    names = ["run", "metric", "item", "candidate", "value", "ci_low", "ci_high", *CHANCE, "sd", "n"]
    names = [name for name in names if name in table]
    names += ["p_value", "p_two_sided", "p_hmp_raw", "p_hmp", "p_floor", "p_n"] if p_values else []
    noted = ["note"] if table.note.notna().any() else []
    print_table(table, [name for name in names if table[name].notna().any()] + ["error", *noted])


def _print_short(table: pd.DataFrame) -> None:
    metrics, runs = list(dict.fromkeys(table.metric)), list(dict.fromkeys(table.run))
    values = {(row.run, row.metric): row.value for row in table.itertuples()}
    columns = {name: [_cell(values.get((run, name))) for run in runs] for name in metrics}
    _print_columns({"run": list(map(_cell, runs))}, columns, justify="right")
    for column in ("error", "note"):
        for why, rows in table[table[column].notna() & (table[column] != "")].groupby(column, sort=False):
            _print_line(f"{', '.join(dict.fromkeys(rows.metric))}: {why}")


def print_table(table: pd.DataFrame, shown: Sequence[str]) -> None:
    """Print a table on stdout: on a screen the columns `shown`, aligned; otherwise all columns, tab-separated."""
    from pandas.api.types import is_numeric_dtype

    if not sys.stdout.isatty():
        print(safe_csv.to_csv(table, "\t").decode(), end="")
        return
    cells = {name: list(map(_cell, table[name])) for name in shown}
    keys = list(takewhile(lambda name: not is_numeric_dtype(table[name]), shown))
    count = len(keys) if len(keys) < len(shown) else 1
    _print_columns(dict(list(cells.items())[:count]), dict(list(cells.items())[count:]))


def _print_columns(keys: dict[str, list[str]], values: dict[str, list[str]], justify: Justify = "left") -> None:
    """Print columns in parts, each with as many columns as fit beside the keys of the rows.

    Nothing is cut, and long texts wrap. If not all columns fit at once, a key that is the same in all rows is printed
    once, keys get up to half of the screen's width, and each part leaves out the rows in which it is empty.
    """
    width, sizes = Console().width + GAP, {name: _size([name, *of]) for name, of in (keys | values).items()}
    if sum(sizes.values()) <= width:
        _print_part(keys, values, sizes, justify)
        return
    for name in [name for name, of in keys.items() if len(of) > 1 and len(set(of)) == 1][: len(keys) - 1]:
        _print_line(f"{name}: {keys.pop(name)[0]}")
    limit = width // 2
    while sum(min(sizes[name], limit) for name in keys) > width // 2 and limit > LEAST:
        limit -= 1
    sizes |= {name: min(sizes[name], limit) for name in keys}
    room, parts = width - sum(sizes[name] for name in keys), list[dict[str, list[str]]]()
    for name, of in values.items():
        if not parts or sum(sizes[other] for other in parts[-1]) + sizes[name] > room:
            parts.append({})
        parts[-1][name] = of
    for part in parts:
        kept = [any(row) for row in zip(*part.values())]
        if any(kept):
            _print_part(_rows(keys, kept), _rows(part, kept), sizes, justify)


def _print_part(keys: dict[str, list[str]], values: dict[str, list[str]], sizes: dict[str, int], side: Justify) -> None:
    screen = Table(box=None, pad_edge=False)
    for name in keys:
        screen.add_column(escape(name), overflow="fold", max_width=sizes[name] - GAP)
    for name in values:
        screen.add_column(escape(name), overflow="fold", justify=side)
    for row in zip(*keys.values(), *values.values(), strict=True):
        screen.add_row(*map(escape, row))
    Console().print(screen)


def _rows(columns: dict[str, list[str]], kept: list[bool]) -> dict[str, list[str]]:
    return {name: list(compress(of, kept)) for name, of in columns.items()}


def _size(texts: Iterable[str]) -> int:
    return GAP + max((cell_len(line) for text in texts for line in text.splitlines()), default=0)


def _print_line(text: str) -> None:
    Console().print(escape(text), highlight=False, soft_wrap=True)


def _cell(value: Any) -> str:
    import pandas as pd

    if pd.isna(value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)

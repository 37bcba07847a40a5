"""Tables as commands print them on the screen or write them to a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cli import output
from cli.chance import COLUMNS as CHANCE
from data.files import safe_csv

if TYPE_CHECKING:
    import pandas as pd


def check_out(out: Path | None, read: Iterable[Path | None]) -> None:
    """Exit 2 before any work if the table could not be written, or would replace a file that is read."""
    if out is not None:
        output.check(out, (".csv", ".parquet", ".json"), read)


def write_table(table: pd.DataFrame, out: Path, number: str | None = "value") -> None:
    """Write a table in the format of the extension, and say how many rows have their `number`, if they have one."""
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


def print_scores(table: pd.DataFrame, p_values: bool, long: bool = False) -> None:
    """Print SCORES on stdout: on a screen one row per run, unless the long table or more than values is asked for."""
    if sys.stdout.isatty() and not long and not p_values and "chance" not in table and set(table.level) == {"corpus"}:
        _print_short(table)
        return
    names = ["run", "metric", "item", "candidate", "value", "ci_low", "ci_high", *CHANCE, "sd", "n"]
    names = [name for name in names if name in table]
    names += ["p_value", "p_two_sided", "p_hmp_raw", "p_hmp", "p_floor", "p_n"] if p_values else []
    noted = ["note"] if table.note.notna().any() else []
    print_table(table, [name for name in names if table[name].notna().any()] + ["error", *noted])


def _print_short(table: pd.DataFrame) -> None:
    """Print a row for each run and a column for each metric, as many at a time as fit; then why numbers are missing."""
    console = Console()
    metrics, runs = list(dict.fromkeys(table.metric)), list(dict.fromkeys(table.run))
    values = {(row.run, row.metric): row.value for row in table.itertuples()}
    room = console.width - max(map(len, ["run", *map(str, runs)]))
    each = max(1, room // (max(map(len, metrics)) + 2))
    for first in range(0, len(metrics), each):
        shown = metrics[first : first + each]
        screen = Table("run", box=None, pad_edge=False)
        for name in shown:
            screen.add_column(escape(name), justify="right", no_wrap=True)
        for run in runs:
            screen.add_row(escape(str(run)), *(_cell(values.get((run, name))) for name in shown))
        console.print(screen)
    for why, rows in table[table.error.notna() & (table.error != "")].groupby("error", sort=False):
        console.print(escape(f"{', '.join(dict.fromkeys(rows.metric))}: {why}"), highlight=False, soft_wrap=True)
    for note, rows in table[table.note.notna() & (table.note != "")].groupby("note", sort=False):
        console.print(escape(f"{', '.join(dict.fromkeys(rows.metric))}: {note}"), highlight=False, soft_wrap=True)


def print_table(table: pd.DataFrame, shown: Sequence[str]) -> None:
    """Print a table on stdout: on a screen the columns `shown`, aligned; for programs all of it, tab-separated."""
    if not sys.stdout.isatty():
        print(safe_csv.to_csv(table, "\t").decode(), end="")
        return
    screen = Table(*shown, box=None, pad_edge=False)
    for row in table[list(shown)].itertuples(index=False):
        screen.add_row(*(_cell(value) for value in row))
    Console().print(screen)


def _cell(value: Any) -> str:
    import pandas as pd

    if pd.isna(value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))

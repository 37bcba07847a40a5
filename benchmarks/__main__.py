"""`python -m benchmarks [NAME ...]`: run benchmarks/bench_NAME.py, print a table, write benchmarks/results.md.

Each module has `rows() -> list[dict]` with the keys

- `work`: the task, with its size;
- `ours`, `alternative`: the implementations compared, in words;
- `ours_value`, `alternative_value`: the measured value, a number with its unit in `work` or a text such as "1.2 s";
- `ratio`: how many times better this code is, or None;
- `target`: the ratio to reach, as a number or as ">= 10" or "<= 0.5"; any other text is only displayed;
- `reached`: for a target that is not a ratio, whether it was met (or None); optional.

A module that fails becomes a row with its error, and the others still run. If only some modules run, only their
sections of results.md are replaced. Exit status: 0, or 1 if a module failed.
"""

import argparse
import datetime
import importlib
import os
import platform
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.md"
COLUMNS = ("work", "this code", "the alternative", "ratio", "target", "reached")
TITLE = "# Measured against the alternatives\n\nWritten by `python -m benchmarks`; a ratio above 1 favours this code.\n"

Row = Mapping[str, Any]


def number(value: object) -> str:
    """Format a value for the tables: numbers below 1,000 with three significant digits, others as whole numbers.

    None becomes "-"; text stays unchanged.
    """
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def reached(ratio: object, target: object) -> bool | None:
    """Return whether a ratio meets its target; None if there is no ratio or the target is other text."""
    if isinstance(target, int | float):
        target = f">= {target}"
    match = re.fullmatch(r"\s*(>=|<=|>|<)\s*([\d.]+)\s*x?\s*", str(target))
    if match is None or not isinstance(ratio, int | float):
        return None
    limit = float(match[2])
    return {">=": ratio >= limit, "<=": ratio <= limit, ">": ratio > limit, "<": ratio < limit}[match[1]]


def cells(row: Row) -> list[str]:
    """Return the six cells of a row; for a module that failed, the second contains the error."""
    if "error" in row:
        return [str(row["work"]), f"failed: {row['error']}", "-", "-", "-", "no"]
    met = row["reached"] if "reached" in row else reached(row["ratio"], row["target"])
    verdict = {True: "yes", False: "no", None: "-"}[met]
    return [
        str(row["work"]),
        f"{row['ours']}: {number(row['ours_value'])}",
        f"{row['alternative']}: {number(row['alternative_value'])}",
        number(row["ratio"]),
        number(row["target"]),
        verdict,
    ]


def measure(name: str) -> list[Row]:
    """Return the rows of one module, or one row with the error that stopped it."""
    try:
        rows = list(importlib.import_module(f"benchmarks.bench_{name}").rows())
        for row in rows:
            cells(row)
    except Exception as error:  # noqa: BLE001 - the error is the row: one failure must not hide the others
        return [{"work": name, "error": f"{type(error).__name__}: {error}"}]
    return rows


def machine() -> str:
    """Describe the machine, Python and the date, as far as a reader needs them to judge a duration."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = platform.python_version()
    return f"{cores} cores, {platform.system()} {platform.machine()}, Python {python}, {datetime.date.today()}"


def section(name: str, rows: Sequence[Row], seconds: float) -> str:
    """Return one module's part of results.md."""
    lines = [[cell.replace("|", "\\|").replace("\n", " ") for cell in cells(row)] for row in rows]
    table = [list(COLUMNS), ["---"] * len(COLUMNS), *lines]
    body = "\n".join(f"| {' | '.join(line)} |" for line in table)
    return f"## {name}\n\n{machine()}; took {seconds:.0f} s.\n\n{body}\n"


def write(sections: Mapping[str, str], path: Path = RESULTS) -> None:
    """Put sections into results.md in the order of their names, keeping those of other modules."""
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = re.split(r"^## ", old, flags=re.MULTILINE)[1:]
    kept = {part.split("\n", 1)[0]: f"## {part.rstrip()}\n" for part in parts}
    merged = kept | dict(sections)
    path.write_text("\n".join([TITLE, *(merged[name] for name in sorted(merged))]), encoding="utf-8")


def show(name: str, rows: Sequence[Row], console: Console) -> None:
    """Print one module's rows as a table."""
    table = Table(*COLUMNS, title=name, title_justify="left")
    for row in rows:
        table.add_row(*cells(row))
    console.print(table, markup=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named modules, or all of them, and return the exit status."""
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure against the alternatives.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run (default: all): {', '.join(known)}")
    parser.add_argument("--sizes", help="numbers of items for `scale`, such as 500,5000,40000")
    given = parser.parse_args(arguments)
    names = given.names or known
    if given.sizes:
        os.environ["TRILENS_BENCH_SIZES"] = given.sizes
    unknown = sorted(set(names) - set(known))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}")
    failed = False
    for name in names:
        start = time.perf_counter()
        rows = measure(name)
        show(name, rows, Console())
        write({name: section(name, rows, time.perf_counter() - start)})  # so that a later crash does not lose it
        failed = failed or any("error" in row for row in rows)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

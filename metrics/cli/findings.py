"""What was read from files and found in them, on the terminal or a line each."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from data.findings import Finding
from data.load import Loaded


def show(loaded: Loaded, console: Console) -> None:
    """What was read and everything that was found, worst first: a table for people, a line each for programs."""
    from metrics.reach import with_findings

    loaded = with_findings(loaded)
    for file in loaded.files:
        console.print(escape(f"{file.name}: {file.format}"), highlight=False, soft_wrap=True)
    if not console.is_terminal:
        for finding in loaded.findings:
            console.print(escape(_line(finding)), highlight=False, soft_wrap=True)
        return
    table = Table("", "file", "record", "id", "problem", "repair", box=None, pad_edge=False)
    for finding in loaded.findings:
        cells = (finding.severity, finding.file, finding.record, finding.id, finding.problem, finding.remedy)
        table.add_row(*(escape("" if cell is None else str(cell)) for cell in cells))
    if loaded.findings:
        console.print(table)


def _line(finding: Finding) -> str:
    place = ", ".join(str(cell) for cell in (finding.file, finding.record, finding.id) if cell)
    report = (f"{finding.severity}:", f"{place}:" if place else "", finding.problem, finding.remedy)
    return " ".join(" ".join(part for part in report if part).split())

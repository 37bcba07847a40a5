"""What was read from files and found in them, a line each."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from data.findings import Finding
from data.load import Loaded

_STYLES = {"error": "red", "warning": "yellow"}


def show(loaded: Loaded, console: Console) -> None:
    """What was read and everything that was found, worst first, a line each."""
    from metrics.reach import with_findings

    loaded = with_findings(loaded)
    for file in loaded.files:
        console.print(escape(f"{file.name}: {file.format}"), highlight=False, soft_wrap=True)
    for finding in loaded.findings:
        console.print(escape(_line(finding)), style=_STYLES.get(finding.severity), highlight=False, soft_wrap=True)


def _line(finding: Finding) -> str:
    place = ", ".join(str(cell) for cell in (finding.file, finding.record, finding.id) if cell)
    report = (f"{finding.severity}:", f"{place}:" if place else "", finding.problem, finding.remedy)
    return " ".join(" ".join(part for part in report if part).split())

"""Print what was read from files and the findings about it, one per line."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from data.findings import Finding, merged, unmarked
from data.kinds.catalogue import DEFAULTS, REPAIRS
from data.load import Loaded

_STYLES = {"error": "red", "warning": "yellow"}


def show(loaded: Loaded, console: Console) -> None:
    """Print what was read and all findings, worst first, one per line."""
    from metrics.reach import with_findings

    loaded = with_findings(loaded)
    for file in loaded.files:
        console.print(escape(f"{file.name}: {file.format}"), highlight=False, soft_wrap=True)
    for finding in merged(loaded.findings):
        mended = finding.fix in loaded.applied and finding.fix not in DEFAULTS
        line, style = _line(finding, mended), None if mended else _STYLES.get(finding.severity)
        console.print(escape(line), style=style, highlight=False, soft_wrap=True)


def _line(finding: Finding, mended: bool) -> str:
    place = ", ".join(str(cell) for cell in (finding.file, finding.record, finding.id) if cell)
    if (finding.id or finding.record).endswith("…"):
        place += f" ({finding.count:,} in all)"
    remedy = f"Repaired: {REPAIRS[finding.fix]}" if mended and finding.fix else finding.remedy
    said = unmarked(f"{finding.problem} {remedy}")
    return " ".join(f"{finding.severity}: {f'{place}: ' if place else ''}{said}".split())

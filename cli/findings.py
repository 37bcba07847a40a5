"""Print what each file was read as, the findings, and the first records of files that were not read."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from data.finding_kinds.catalogue import DEFAULTS, REPAIRS
from data.findings import FieldTable, Finding, clip, merged, unmarked
from data.load import Loaded

_STYLES = {"error": "red", "warning": "yellow"}
_MOST = 60
"""Maximum number of fields whose records are shown."""


def show(loaded: Loaded, console: Console) -> None:
    """Print what each file was read as, all findings (one per line, worst first), and the first records of files whose
    fields are unknown.
    """
    from metrics.partly_read import with_findings

    loaded = with_findings(loaded)
    for file in loaded.files:
        console.print(escape(f"{file.name}: {file.format}"), highlight=False, soft_wrap=True)
    for finding in merged(loaded.findings):
        applied = finding.fix in loaded.applied
        mended = applied and finding.fix not in DEFAULTS
        line, style = _line(finding, applied), None if mended else _STYLES.get(finding.severity)
        console.print(escape(line), style=style, highlight=False, soft_wrap=True)
    for name, found in loaded.asked_for.items():
        if name in loaded.unread and found.rows:
            _records(found, console)


def _records(found: FieldTable, console: Console) -> None:
    """Print a line for each field with its role and its text in the first records, cut to the width of the screen."""
    n, fields = len(found.rows), found.header[:_MOST]
    of, beyond = "record" if n == 1 else f"{n} records", len(found.header) - len(fields)
    said = f"The first {of} of {found.file}, with the role guessed for each field:"
    console.print(escape(said), highlight=False, soft_wrap=True)
    wide, role = min(max(map(cell_len, fields)), console.width // 4), len("candidates")
    each = max((console.width - wide - role) // n - 2, 4)
    widths = {"field": wide, "role": role} | {f"record {k}": each for k in range(1, n + 1)}
    table = Table(box=None, pad_edge=False)
    for title, width in widths.items():
        table.add_column(title, no_wrap=True, max_width=max(width, len(title)))
    table.columns[0].min_width, table.columns[1].min_width = wide, role
    for place, name in enumerate(fields):
        cells = [clip(name), found.roles.get(name, "not used"), *found.texts(place)]
        table.add_row(*map(escape, cells))
    console.print(table, highlight=False)
    if beyond:
        console.print(f"and {beyond:,} more field{'s' * (beyond > 1)}", highlight=False)


def _line(finding: Finding, applied: bool) -> str:
    place = ", ".join(str(cell) for cell in (finding.file, finding.record, finding.id) if cell)
    if (finding.id or finding.record).endswith("…"):
        place += f" ({finding.count:,} in all)"
    said = unmarked(f"{finding.problem} {_remedy(finding, applied)}")
    return " ".join(f"{finding.severity}: {f'{place}: ' if place else ''}{said}".split())


def _remedy(finding: Finding, applied: bool) -> str:
    """Return the remedy for a finding, or what its repair did if it was `applied`.

    For a default repair, the text also states how to take it back or make it again.
    """
    fix = finding.fix
    if fix is None:
        return finding.remedy
    if fix in DEFAULTS and not applied:
        return f"Not repaired: {REPAIRS[fix].removesuffix('.')} (--repair {fix})."
    if fix in DEFAULTS:
        back = f"--repair -{fix}"
        return finding.remedy if back in finding.remedy else f"{finding.remedy} {back} takes this back."
    return f"Repaired: {REPAIRS[fix]}" if applied else finding.remedy

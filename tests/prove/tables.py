"""Write measurements as tables in a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

HEAD = """# What was measured

Levels of tests under a true null, coverage of intervals, familywise error rates of comparisons, and power. Written by
`make prove`, which also fails where a rate is not what it should be; the experiments are in `tests/prove/`.
"""


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    titles = sorted({row["table"] for row in rows})
    return "\n".join([HEAD, *(_table(title, [row for row in rows if row["table"] == title]) for title in titles)])


def _table(title: str, rows: Sequence[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row if name != "table"))
    body = sorted([_cell(row.get(name)) for name in columns] for row in rows)
    lines = [columns, ["---"] * len(columns), *body]
    return f"## {title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)

"""Parquet, and Arrow files and streams as Feather and `datasets` write them.

A few bytes of them can say gigabytes, pyarrow has no bound for what it unpacks, and a forged footer or page can end the
process that reads it. So a process of its own reads them, which the system ends beyond a bound of memory.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import orjson

from data.bounds import (
    A_ROW,
    A_TEXT,
    MAX_COLUMNS,
    MAX_RATIO,
    MAX_UNPACKED,
    MIN_CHECKED_SIZE,
    MIN_VALUES,
    VALUES_OF_A_BYTE,
    TooLargeError,
)
from data.findings import Log
from data.formats.table import Table
from data.records import Source

_MAGIC = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
_READER = Path(__file__).with_name("unpack.py")
_TOO_MUCH = (3, -signal.SIGXCPU, -signal.SIGKILL)
"""How the process ends where it reaches a bound."""
_SECONDS = 120
# One arena of the system's allocator: others reserve more address space than a small file may take.
_ALLOCATOR = {"MALLOC_ARENA_MAX": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}


def matches(content: bytes) -> bool:
    """Return whether bytes are Parquet, or an Arrow file or stream."""
    return content.startswith(_MAGIC)


def load(content: bytes, source: Source, log: Log) -> Table | None:
    """Return the table; None, with a finding, where it is damaged. Raises TooLargeError."""
    most = max(MIN_CHECKED_SIZE, min(MAX_UNPACKED, MAX_RATIO * len(content)))
    values = max(MIN_VALUES, VALUES_OF_A_BYTE * len(content))
    bounds = (most, _SECONDS, MAX_COLUMNS, values, A_ROW, A_TEXT)
    command = [sys.executable, "-P", str(_READER), *map(str, bounds)]
    set_to = {**os.environ, **_ALLOCATOR}
    ran = subprocess.run(command, input=content, capture_output=True, env=set_to, check=False)
    said = ran.stderr.decode("utf-8", "replace").strip() if ran.returncode > 0 else ""
    if ran.returncode in _TOO_MUCH:
        raise TooLargeError(said or f"more than {_SECONDS} seconds of work")
    rows = ran.stdout.count(b"\n") - 1
    if ran.returncode or rows < 0:
        log.add("bad_table", source.name, why=said or "its contents are not what it says of them")
        return None
    source.budget.take(len(ran.stdout))
    lines = io.BytesIO(ran.stdout)
    header = [str(name) for name in orjson.loads(next(lines))]
    source.budget.take_values((A_ROW + A_TEXT * len(header)) * rows)
    return Table(header, ((f"row {k}", orjson.loads(line)) for k, line in enumerate(lines, 1)))

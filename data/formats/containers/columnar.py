"""Parquet, and Arrow files and streams as written by Feather and `datasets`.

A few bytes can expand to gigabytes, pyarrow does not limit what it unpacks, and a forged footer or page can crash the
process that reads it. Therefore a separate process reads such files, and the system kills it if it exceeds a memory
limit.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys

import orjson

from data.files.limits import (
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
from data.formats.containers import columnar_program
from data.formats.tables.table import Table
from data.records import Source

_MAGIC = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
_READER = columnar_program.__file__
_TOO_MUCH = {
    columnar_program.TOO_MUCH,
    *(-getattr(signal, name, -columnar_program.TOO_MUCH) for name in ("SIGXCPU", "SIGKILL")),
}
"""Exit codes of the process if it exceeds a limit."""
_SECONDS = 120
# Each arena of the allocator reserves address space.
_ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}


def matches(content: bytes) -> bool:
    """Return whether bytes are Parquet, or an Arrow file or stream."""
    return content.startswith(_MAGIC)


def load(content: bytes, source: Source, log: Log) -> Table | None:
    """Return the table; None, with a finding, if the file is damaged. Raises TooLargeError if reading it exceeds a
    limit.
    """
    most = max(MIN_CHECKED_SIZE, min(MAX_UNPACKED, MAX_RATIO * len(content)))
    values = max(MIN_VALUES, VALUES_OF_A_BYTE * len(content))
    bounds = (most, _SECONDS, MAX_COLUMNS, values, A_ROW, A_TEXT)
    command = [sys.executable, "-P", _READER, *map(str, bounds)]
    with subprocess.Popen(
        command,
        env={**os.environ, **_ONE_ARENA},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        out, error = child.communicate(content)
    said = error.decode("utf-8", "replace").strip() if child.returncode > 0 else ""
    if child.returncode in _TOO_MUCH:
        raise TooLargeError(said or f"more than {_SECONDS} seconds of work")
    rows = out.count(b"\n") - 1
    if child.returncode or rows < 0:
        log.add("bad_table", source.name, why=said or "its contents differ from what it states")
        return None
    source.budget.take(len(out))
    lines = io.BytesIO(out)
    header = [str(name) for name in orjson.loads(next(lines))]
    source.budget.take_values((A_ROW + A_TEXT * len(header)) * rows)
    return Table(header, ((f"row {k}", orjson.loads(line)) for k, line in enumerate(lines, 1)))

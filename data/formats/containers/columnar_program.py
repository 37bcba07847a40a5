"""Read Parquet or Arrow from standard input and write JSON Lines, in a separate process for `columnar`.

The first line has the names of the columns, each other line the cells of a row. The exit code is TOO_MUCH if the lines,
or pyarrow's data, exceed the limits, and 1, with a message, if the file is damaged.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

if TYPE_CHECKING:
    import pyarrow as pa

TOO_MUCH = 3
_ROWS = 1_000
"""Maximum number of rows per batch."""
_LIBRARIES = 2 << 30
"""Address space, in bytes, assumed for Python and pyarrow if the system does not report it."""


def main(most: int, seconds: int, columns: int, values: int, a_row: int, a_text: int) -> None:
    """Write the column names and the rows, up to `most` bytes, `columns` columns and `seconds` of CPU time.

    A row counts as `a_row` values, plus `a_text` for each of its columns; at most `values` are written.
    """
    import pyarrow.parquet

    # Other allocators reserve more address space than a small file may take.
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    _limit(_held() + (256 << 20) + 4 * most, seconds)
    written = counted = 0
    try:
        parts = _read(sys.stdin.buffer.read())
        names = next(parts)
        if len(names) > columns:
            _stop(f"{len(names):,} columns, more than {columns:,}")
        sys.stdout.buffer.write(orjson.dumps(names) + b"\n")
        for row in (row for batch in parts for row in _rows(batch)):
            line = orjson.dumps(row, default=_plain) + b"\n"
            written, counted = written + len(line), counted + a_row + a_text * len(names)
            if written > most or counted > values:
                _stop(f"more than {most >> 20:,} MB or {values:,} values, the maximum for a file of its size")
            sys.stdout.buffer.write(line)
    except MemoryError:
        _stop("more memory than a file of its size may take")
    except Exception as error:  # noqa: BLE001 -- whatever pyarrow raises for a damaged file
        sys.exit(f"{type(error).__name__}: {error}")


def _stop(why: str) -> NoReturn:
    sys.stderr.write(why)
    sys.exit(TOO_MUCH)


def _held() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else _LIBRARIES


def _limit(memory: int, seconds: int) -> None:
    import resource  # here, since not every system has it

    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (most, most))


def _read(content: bytes) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if content.startswith(b"PAR1"):
        file = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False)
        yield file.schema_arrow.names
        yield from file.iter_batches(_ROWS, use_threads=False)
        return
    whole, buffer = content.startswith(b"ARROW1"), pa.BufferReader(content)
    names = None
    while names is None or (not whole and buffer.tell() < buffer.size()):
        opened = pa.ipc.open_file(content) if whole else pa.ipc.open_stream(buffer)
        if names is None:
            yield opened.schema.names
        elif names != opened.schema.names:
            raise pa.ArrowInvalid("columns differ")
        names = opened.schema.names
        yield from map(opened.get_batch, range(opened.num_record_batches)) if whole else opened


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(batch), _ROWS):
        yield from zip(*(column.to_pylist() for column in batch.slice(start, _ROWS).columns), strict=True)


def _plain(value: object) -> str | None:
    if not isinstance(value, bytes):
        return str(value)
    text = value.decode(errors="replace")
    # Bytes that hardly decode as text are a picture or a sound.
    return text if 10 * text.count("\ufffd") <= len(text) else None


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

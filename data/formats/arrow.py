"""Arrow tables: files and streams, as Feather and `datasets` write them.

A few bytes of a compressed buffer can say gigabytes, and pyarrow has no bound for what it unpacks. A process of its own
reads them, which the system ends beyond a bound of memory.
"""

from __future__ import annotations

import signal
import subprocess
import sys

import orjson

from data.bounds import A_ROW, A_TEXT, MAX_UNPACKED, TooLargeError
from data.findings import Log
from data.formats.table import Table
from data.records import Source

_MAGIC, _STREAM = b"ARROW1", b"\xff\xff\xff\xff"
_MEMORY = 3 << 30
"""Address space of the process, of which libraries take half."""
_SECONDS = 120
_TOO_MUCH = 3
_READER = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[3]), int(sys.argv[3])))
import orjson
import pyarrow as pa
content = sys.stdin.buffer.read()
out, most = sys.stdout.buffer, int(sys.argv[2])
try:
    buffer = pa.BufferReader(content)
    whole, names = content[:6] == b"ARROW1", None
    while names is None or (not whole and buffer.tell() < buffer.size()):
        opened = pa.ipc.open_file(content) if whole else pa.ipc.open_stream(buffer)
        batches = (opened.get_batch(k) for k in range(opened.num_record_batches)) if whole else opened
        if names is None:
            out.write(orjson.dumps(opened.schema.names) + b"\\n")
        elif names != opened.schema.names:
            raise pa.ArrowInvalid("columns differ")
        names = opened.schema.names
        for batch in batches:
            for start in range(0, len(batch), 1000):
                for row in zip(*(column.to_pylist() for column in batch.slice(start, 1000).columns)):
                    line = orjson.dumps(row, default=lambda value: None if isinstance(value, bytes) else str(value))
                    most -= len(line)
                    if most < 0:
                        sys.exit(3)
                    out.write(line + b"\\n")
except MemoryError:
    sys.exit(3)
except Exception as error:
    sys.stderr.write(type(error).__name__)
    sys.exit(1)
"""


def matches(content: bytes) -> bool:
    """Return whether bytes are an Arrow file or stream."""
    return content.startswith((_MAGIC, _STREAM))


def load(content: bytes, source: Source, log: Log) -> Table | None:
    """Return the table; None, with a finding, where it is damaged. Raises TooLargeError."""
    command = [sys.executable, "-c", _READER, str(_MEMORY), str(MAX_UNPACKED), str(_SECONDS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        out, said = child.communicate(content)
    if child.returncode in (_TOO_MUCH, -signal.SIGXCPU, -signal.SIGKILL):
        raise TooLargeError(f"more than {MAX_UNPACKED >> 20:,} MB, or {_SECONDS} seconds of work")
    lines = out.splitlines()
    if child.returncode or not lines:
        log.add("bad_table", source.name, why=said[-40:].decode("ascii", "replace") or "damaged")
        return None
    source.budget.take(len(out))
    header = [str(name) for name in orjson.loads(lines[0])]
    source.budget.take_values((A_ROW + A_TEXT * len(header)) * len(lines))
    return Table(header, ((f"row {k}", orjson.loads(line)) for k, line in enumerate(lines[1:], 1)))

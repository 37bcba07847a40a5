"""Tables of errors that people marked in texts, as in MQM: each row repeats the text with tags around an error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from data.fields.names import norm
from data.formats.columns import metadata
from data.formats.columns.contents import values
from data.formats.tables.table import Table
from data.records import Source

_TAG = re.compile(r"</?v>")
_ERROR = ("severity", "category")
_BESIDE = frozenset([*_ERROR, "rater", "annotator", "comment", "comments", "note", "metadata", "error_type"])
"""Names of columns that describe the error or name its finder, and contain no captions."""


def without_errors(found: Table, source: Source) -> Table:
    """Return a table of errors with each text once, without tags and columns about the errors; return others unchanged.

    A finding names the columns left out.
    """
    names, sample = [norm(name) for name in found.header], found.sample()
    marked = any(_TAG.search(str(cell)) for k in range(len(names)) for cell in values(sample, k))
    if not marked or not set(_ERROR) <= set(names):
        return found
    kept = [k for k, name in enumerate(names) if name not in _BESIDE]
    left = [name for k, name in enumerate(found.header) if k not in kept]
    metadata.say(source.log, "ignored_columns", source.name, left)

    def rows() -> Iterator[tuple[str, Sequence[Any]]]:
        seen = set[str]()
        for where, row in found.rows:
            cells = [_TAG.sub("", row[k]) if isinstance(row[k], str) else row[k] for k in kept if k < len(row)]
            if (said := str(cells)) not in seen:
                seen.add(said)
                yield where, cells

    return replace(found, header=[found.header[k] for k in kept], rows=rows())

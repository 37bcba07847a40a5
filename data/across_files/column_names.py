"""Rows without column names, as pandas writes them with `orient="values"`, beside a file of column names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import orjson

from data.across_files.single_records import Given
from data.fields.names import IDS, is_known, rank
from data.files.blobs import Blob
from data.findings import Log

_LONGEST = 10_000
"""Maximum size in bytes of a list of names and of a first row."""
_FEWEST = 2


def joined(given: Sequence[Given], log: Log) -> list[Given]:
    """Return the files, with column names added to rows that lack them.

    If exactly one file lists column names, the files whose first row has as many cells become tables, with findings,
    and the file of names is left out.
    """
    named = {k: names for k, (blob, _) in enumerate(given) if (names := _names(blob))}
    if len(named) != 1:
        return list(given)
    ((place, names),) = named.items()
    rows = [k for k, (blob, _) in enumerate(given) if k != place and _width(blob) == len(names)]
    made = dict(enumerate(given))
    for k in rows:
        blob, forced = given[k]
        content = b'{"columns":' + orjson.dumps(names) + b',"data":' + blob.content.strip() + b"}"
        made[k] = (replace(blob, content=content), forced)
        log.add("columns_named", blob.name, other=given[place][0].name)
    if rows:
        del made[place]
    return [made[k] for k in sorted(made)]


def _names(blob: Blob) -> list[str]:
    """Return the names in a file that lists only distinct column names, of which at least two are known; else []."""
    found = _list(blob.content) if len(blob.content) <= _LONGEST else []
    names = [one for one in found if isinstance(one, str)]
    known = sum(is_known(name) or rank(name, IDS) is not None for name in names)
    return names if len(set(names)) == len(found) and known >= _FEWEST else []


def _width(blob: Blob) -> int:
    """Return the number of cells in the first list of a list of lists; 0 if this list is too long, and for other
    files.
    """
    start = blob.content[:_LONGEST].lstrip()
    if not start.startswith(b"[") or not (inner := start[1:].lstrip()).startswith(b"["):
        return 0
    return len(_list(inner[: inner.find(b"]") + 1]))


def _list(content: bytes) -> list[object]:
    try:
        found = orjson.loads(content)
    except ValueError:
        return []
    return found if isinstance(found, list) else []

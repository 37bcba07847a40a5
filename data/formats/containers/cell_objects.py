"""Tables whose cells contain objects, as JSON or as printed by Python, conversations, or unquoted lists."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import orjson

from data.files.printed_lists import TEXT_KEYS, listed
from data.findings import clip
from data.formats.containers.json_text import literals
from data.formats.nesting.turns import speaker
from data.formats.tables.table import Table
from data.records import Source

_LONGEST = 20_000
"""Maximum number of characters of an object as Python prints it."""
_OTHER = 4
_HEAD = re.compile(r"(?:^|\n)(system|user|human|tool|assistant):\n")
"""The line above each turn in a conversation written as one text, as in Inspect's tables of samples."""
_FEWEST_WORDS, _ALIKE = 3, 0.8
"""Minimum mean number of words in the parts of a list, and minimum share of lists in which some parts have a word in
common, as captions of one item do.
"""


def with_objects(table: Table, source: Source) -> Table:
    """Return the table with objects in place of cells, in columns of which at most a quarter of the cells are plain
    texts.

    A plain text becomes an object with the key under which most objects have their caption. Conversations become lists
    of turns. Lists as DuckDB writes them, `[A kite., 'A kite, red.']`, become lists of texts, with a finding.
    """
    rows = table.sample()
    readers: dict[int, Callable[[Any], Any]] = {}
    for k, name in enumerate(table.header):
        cells = [row[k] for row in rows if k < len(row) and row[k]]
        if (key := _key(cells)) is not None:
            readers[k] = partial(_in_object, key=key)
        elif cells and all(map(_turns, cells)):
            readers[k] = lambda cell: _turns(cell) or cell
        elif _are_bare_lists(cells):
            readers[k] = lambda cell: _bare_list(cell) or cell
            source.log.add("bare_lists", source.name, column=f"`{clip(name)}`")
    if readers:
        read = [
            (where, [readers[k](cell) if k in readers else cell for k, cell in enumerate(row)])
            for where, row in table.rows
        ]
        table.rows = iter(read)
    return table


def _turns(cell: Any) -> list[dict[str, str]]:
    """Return the turns of a conversation in which a model speaks; [] for any other cell."""
    parts = _HEAD.split(cell) if isinstance(cell, str) and _HEAD.match(cell) else []
    turns = [{"role": who, "content": said.strip()} for who, said in zip(parts[1::2], parts[2::2])]
    return turns if any(speaker(turn) for turn in turns) else []


def _bare_list(cell: Any) -> list[str]:
    """Return the texts of a list without quotation marks, except around texts with commas; [] for any other cell."""
    bare = cell.strip() if isinstance(cell, str) else ""
    if not (bare.startswith("[") and bare.endswith("]")) or listed(bare) is not None:
        return []
    try:
        (parts,) = csv.reader([bare[1:-1]], quotechar="'", skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        return []
    return parts if all(part.strip() for part in parts) else []


def _are_bare_lists(cells: Sequence[Any]) -> bool:
    found = [_bare_list(cell) for cell in cells]
    texts = [text for of in found for text in of]
    sentences = sum(len(text.split()) for text in texts) >= _FEWEST_WORDS * len(texts)
    several = [of for of in found if len(of) > 1]
    alike = sum(any(_words(of[0]) & _words(text) for text in of[1:]) for of in several)
    return all(found) and sentences and 2 * len(several) > len(found) and _ALIKE * len(several) <= alike


def _words(text: str) -> set[str]:
    return set(text.lower().split())


def _key(cells: Sequence[Any]) -> str | None:
    """Return the key of the texts in a column of objects, or "" if no object has texts; None for other columns."""
    found = [one for cell in cells if (one := _object(cell)) is not None]
    if not found or len(found) * _OTHER < len(cells) * (_OTHER - 1):
        return None
    counts = Counter(key for one in found for key in one if key in TEXT_KEYS and isinstance(one[key], str))
    key = max(counts, key=counts.__getitem__, default="")
    return key if key or len(found) == len(cells) else None


def _in_object(cell: Any, key: str) -> Any:
    return found if (found := _object(cell)) is not None else {key: cell} if key and cell else cell


def _object(cell: Any) -> dict[str, Any] | None:
    if not isinstance(cell, str) or not cell.startswith("{"):
        return None
    try:
        value = orjson.loads(cell)
    except orjson.JSONDecodeError:
        value = next(iter(literals(cell)), None) if len(cell) <= _LONGEST else None
    return value if isinstance(value, dict) else None

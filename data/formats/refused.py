"""Messages about JSON from which nothing could be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data.findings import PEEK, TrustedText, clip
from data.formats.columns import assigned_roles
from data.formats.nesting import nested_records, value_kinds
from data.formats.registry import FORMATS
from data.matching.near_names import misspelt
from data.records import Source


def say(source: Source, value: Any, wanted: str | None, known: Sequence[str]) -> None:
    """Report a value from which nothing was read, with its keys.

    `wanted` is the format that a person asked for, or None, and `known` are the names that mark a record.
    """
    if not value:
        source.log.add("empty_file", source.name)
        return
    if wanted is None and (isinstance(value, dict) or isinstance(value[0], dict)):
        rows = value_kinds.of_object(value) if isinstance(value, dict) else value
        assigned_roles.refuse(
            [nested_records.flat(row) for row in rows[:PEEK] if isinstance(row, dict)], source, "candidates"
        )
        return
    if isinstance(value, dict):
        found = f"an object with the keys {', '.join(clip(key) for key in list(value)[:8])}"
    elif isinstance(value[0], dict):
        found = f"a list of objects with the keys {', '.join(clip(key) for key in list(value[0])[:8])}"
    else:
        source.log.add(
            "wrong_top_level", source.name, found=f"a list of {kind(value[0])}", expected="a list of objects"
        )
        return
    prefix = f"(asked for: {FORMATS[wanted]}) " if wanted else ""
    keys = list(value if isinstance(value, dict) else value[0])[:20]
    source.log.add("unknown_shape", source.name, found=TrustedText(prefix + found), hint=misspelt(keys, known))


def kind(value: Any) -> str:
    """Return the kind of a JSON value in words that can follow "a list of"."""
    names = {str: "text", bool: "true or false", int: "numbers", float: "numbers", list: "lists", dict: "objects"}
    return names.get(type(value), "null")

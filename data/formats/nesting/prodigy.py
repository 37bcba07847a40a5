"""Prodigy's choices: records with `options`, `[{"id": "blip", "text": ..}, ..]`, and the accepted ids in `accept`."""

from __future__ import annotations

from typing import Any

from data.formats.nesting.nested_records import RUN, VALUE

_OWN = ("options", "accept", "answer", "_input_hash", "_task_hash", "_session_id", "_annotator_id", "_timestamp")
ACCEPTED = "human:accepted"
"""The rating of an option: 1 if it was accepted, else 0."""


def as_records(value: Any) -> Any:
    """Return a record for each option, with a rating, and with its run if ids are names; return other values unchanged.

    If a person ignored or rejected the whole task, its options have no rating.
    """
    rows = value if isinstance(value, list) else [value]
    if not all(isinstance(row, dict) and _is_choice(row) for row in rows) or not any("accept" in row for row in rows):
        return value
    named = all(isinstance(one["id"], str) and not one["id"].isdecimal() for row in rows for one in row["options"])
    return [
        {
            **{name: one for name, one in row.items() if name not in _OWN},
            **({RUN: one["id"]} if named else {}),
            VALUE: one["text"],
            "rater": row.get("_annotator_id") or row.get("_session_id"),
            ACCEPTED: int(one["id"] in row["accept"]) if "accept" in row and row.get("answer") == "accept" else None,
        }
        for row in rows
        for one in row["options"]
    ]


def _is_choice(row: dict[str, Any]) -> bool:
    options, accepted = row.get("options"), row.get("accept", [])
    listed = isinstance(options, list) and len(options) > 1 and isinstance(accepted, list)
    return listed and all(isinstance(one, dict) and {"id", "text"} <= one.keys() for one in options or [])

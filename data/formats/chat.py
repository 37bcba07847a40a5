"""Conversations with a model, as chat and batch files hold them: recognised, so that they are read as nothing else."""

from __future__ import annotations

from typing import Any

from data.formats import coco, trilens

_MODEL = ("assistant", "gpt", "model", "bot", "chatbot")
_DEPTH = 8
_LOOKED_AT = 20


def field(value: Any) -> str | None:
    """The field in which records hold what a model said in a conversation, where they hold no captions beside it."""
    for row in value[:_LOOKED_AT] if isinstance(value, list) else ():
        if isinstance(row, dict) and not any(key in row for key in (*trilens.CANDIDATES, *coco.TEXTS)):
            found = next((key for key, one in row.items() if _speaks(one, _DEPTH)), None)
            if found is not None:
                return found
    return None


def _speaks(value: Any, depth: int) -> bool:
    """Whether a model speaks anywhere in a value: `{"role": "assistant", "content": ..}`, `{"from": "gpt", ..}`."""
    if depth == 0 or not isinstance(value, dict | list):
        return False
    if isinstance(value, list):
        return any(_speaks(one, depth - 1) for one in value[:_LOOKED_AT])
    who = value.get("role", value.get("from"))
    said = isinstance(who, str) and who.lower() in _MODEL and any(key in value for key in ("content", "value", "parts"))
    return said or any(_speaks(one, depth - 1) for one in value.values())

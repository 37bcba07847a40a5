"""Turns of conversations and steps of programs, in lists of objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SAID = ("content", "value", "parts", "text")
"""The fields that contain the text of a turn, surest first."""
_OF_TEXT = frozenset(["type", "text"])
"""The fields of a part that is nothing but text."""
_MODEL = ("assistant", "gpt", "model", "bot", "chatbot")


def speaker(turn: dict[str, Any]) -> bool | None:
    """Return whether the speaker of a conversation's turn is the model; None for an object that is not a turn."""
    who = turn.get("role", turn.get("from"))
    if not isinstance(who, str) or not any(key in turn for key in SAID):
        return None
    return who.lower() in _MODEL


def last_turn(turns: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the model's last turn; None if the turns are not a conversation or the model has none."""
    turns = [turn for turn in turns if not ("type" in turn and speaker(turn) is None)]  # reasoning, tool calls
    who = [speaker(turn) for turn in turns]
    if None in who or True not in who:
        return None
    return turns[len(who) - 1 - who[::-1].index(True)]


def last_answer(key: str, value: Any) -> Any:
    """Return the last of a model's answers in `turns`, as FastChat writes them for MT-bench; return other values
    unchanged.
    """
    answers = key == "turns" and isinstance(value, list) and value and all(isinstance(one, str) for one in value)
    return value[-1] if answers else value


def written_beside(path: str, parts: Any) -> Iterator[tuple[str, Any]]:
    """Yield the path and the references inside the parts of an answer, as in Tarsier's evaluation."""
    listed = parts if isinstance(parts, list) else []
    found = [one["reference"] for one in listed if isinstance(one, dict) and "reference" in one]
    if found:
        yield f"{path}[].reference", found


def text_of(turn: dict[str, Any]) -> tuple[str, Any]:
    """Return the field that contains the text of a turn, and the text; a refusal takes the place of an empty text."""
    field = next(key for key in SAID if key in turn)
    refused = turn.get("refusal") if turn[field] in (None, "", []) else None
    return field, refused if isinstance(refused, str) and refused else joined(turn[field])


def question(turns: list[dict[str, Any]]) -> tuple[str, str] | None:
    """Return the field that contains a person's only turn, and its text; None if there is no such turn, or if it
    contains more than text.

    System turns do not count.
    """
    asked = [turn for turn in turns if speaker(turn) is False and turn.get("role", turn.get("from")) != "system"]
    if len(asked) != 1:
        return None
    field = next(key for key in SAID if key in asked[0])
    said = asked[0][field]
    if isinstance(said, str) and said:
        return field, said
    parts = said if isinstance(said, list) else []
    told = all(isinstance(one, dict) and {*one} <= _OF_TEXT and isinstance(one.get("text"), str) for one in parts)
    return (field, joined(parts)) if parts and told else None


def _thinks(part: Any) -> bool:
    return isinstance(part, dict) and part.get("thought") is True


def joined(value: Any) -> Any:
    """Return the joined texts of a message in parts, without a model's thoughts, or the only field of an object, as
    Arena-Hard writes answers; return other values unchanged.
    """
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value.values()))
    if not isinstance(value, list):
        return value
    texts = [one.get("text", one.get("refusal")) if isinstance(one, dict) else one for one in value if not _thinks(one)]
    return "".join(text for text in texts if isinstance(text, str))


def is_trace(value: list[dict[str, Any]]) -> bool:
    """Return whether objects are a program's steps, of several kinds, which only repeat the rest of the record."""
    kinds = [one.get("event") for one in value]
    return all(isinstance(kind, str) for kind in kinds) and len(set(kinds)) > 1

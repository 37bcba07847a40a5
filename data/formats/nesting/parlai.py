"""ParlAI's conversations: a `dialog` of exchanges, `[[{"id": "task", ..}, {"id": "blip", "text": ..}], ..]`."""

from __future__ import annotations

from typing import Any

from data.formats.nesting.nested_records import RUN

_OF_TASK = frozenset(["id", "text", "episode_done", "labels", "eval_labels"])
_LABELS = ("labels", "eval_labels")


def as_records(value: Any) -> Any:
    """Return a record per exchange, with the task's fields, its labels as references, and the last speaker as the run.

    Other values are returned unchanged.
    """
    rows = value if isinstance(value, list) else [value]
    if not rows or not all(isinstance(row, dict) and _is_dialog(row.get("dialog")) for row in rows):
        return value
    return [
        {**{name: one for name, one in row.items() if name != "dialog"}, **_record(exchange)}
        for row in rows
        for exchange in row["dialog"]
    ]


def _record(exchange: list[dict[str, Any]]) -> dict[str, Any]:
    asked, said = exchange[0], exchange[-1]
    labels = next((asked[name] for name in _LABELS if asked.get(name)), None)
    told = {name: one for name, one in asked.items() if name not in _OF_TASK}
    told |= {"prompt": asked["text"]} if asked.get("text") else {}
    told |= {"references": labels} if labels else {}
    return {**told, RUN: said["id"], "prediction": said["text"]}


def _is_dialog(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_exchange, value))


def _is_exchange(value: Any) -> bool:
    acts = value if isinstance(value, list) else []
    return len(acts) > 1 and all(isinstance(act, dict) and {"id", "text"} <= act.keys() for act in acts)

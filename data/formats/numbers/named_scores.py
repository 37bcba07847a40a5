"""Scores in a list within a record, as DeepEval and HELM write them: `[{"name": "Correctness", "score": 0.9}, ..]`."""

from __future__ import annotations

from typing import Any

from data.fields.names import NEUTRAL, PREDICTED, REFERENCES, norm, rank, words
from data.formats.nesting.value_kinds import is_text
from data.formats.numbers.caption_sheet import NAMED_SCORES
from data.formats.numbers.nested_ratings import BY_PEOPLE
from data.formats.numbers.scores import number

_NAMES, _VALUES = ("name", "metric", "metric_name"), ("score", "value", "mean")


def as_fields(row: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the scores in its lists of objects as the object `named_scores`.

    Each object has the name of a metric, which occurs only once, and a number or null, but no caption. Its other fields
    stay where they are. Lists whose names mean people, such as `annotations`, contain ratings instead. A record without
    such a list, or that already has `named_scores`, is returned unchanged.
    """
    made, found = dict(row), dict[str, Any]()
    for field, listed in row.items():
        told = [_score(one) for one in listed] if isinstance(listed, list) and listed else [None]
        scores = {name: value for one in told if one for name, value in [one]}
        known = NAMED_SCORES in row or set(words(field)) & BY_PEOPLE or scores.keys() & found.keys()
        if known or None in told or len(scores) < len(told) or all(one is None for one in scores.values()):
            continue
        found |= scores
        made[field] = [{key: one for key, one in of.items() if norm(key) not in (*_NAMES, *_VALUES)} for of in listed]
    return {**made, NAMED_SCORES: {name.replace(".", "_"): one for name, one in found.items()}} if found else row


def _inner(name: Any) -> Any:
    """Return a name, which HELM writes as an object with further facts: `{"name": .., "split": ..}`."""
    return name.get("name", name) if isinstance(name, dict) else name


def _score(one: Any) -> tuple[str, Any] | None:
    """Return the name of a metric and its score, from an object with one name, one number and no caption; else None."""
    if not isinstance(one, dict):
        return None
    texts = [name for name in (*PREDICTED, *NEUTRAL, *REFERENCES) if name != "comment"]  # a remark on the score
    names = [_inner(of) for key, of in one.items() if norm(key) in _NAMES]
    values = [of for key, of in one.items() if norm(key) in _VALUES]
    if len(names) != 1 or len(values) != 1 or not isinstance(names[0], str) or isinstance(values[0], str):
        return None
    if any(is_text(of) and rank(key, texts) is not None for key, of in one.items()):
        return None
    return (names[0], values[0]) if values[0] is None or number(values[0]) is not None else None

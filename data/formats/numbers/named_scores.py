"""Scores in a list within a record, as DeepEval and HELM write them: `[{"name": "Correctness", "score": 0.9}, ..]`."""

from __future__ import annotations

from typing import Any

from data.fields.names import NEUTRAL, PREDICTED, REFERENCES, norm, rank, words
from data.formats.nesting.value_kinds import is_text
from data.formats.numbers.caption_sheet import NAMED_SCORES
from data.formats.numbers.nested_ratings import BY_PEOPLE
from data.formats.numbers.scores import number

_NAMES, _VALUES = ("name", "metric", "metric_name", "key"), ("score", "value", "mean")
_PROGRAMS = frozenset(["code", "llm", "api", "eval", "model", "auto", "automatic", "heuristic"])


def as_fields(row: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the scores in its lists of objects as the object `named_scores`.

    Each object has the name of a metric, which occurs only once, and a number or null, but no caption. Its other fields
    stay where they are. The lists are fields of the record or of an object in it. Lists whose names mean people, such
    as `annotations`, contain ratings instead, unless each object states that a program made it, as in Phoenix. A record
    without such a list, or that already has `named_scores`, is returned unchanged.
    """
    if NAMED_SCORES in row:
        return row
    made, found = dict(row), dict[str, Any]()
    for field, of in row.items():
        inner, lists = (dict(of), of) if isinstance(of, dict) else (made, {field: of})
        for name, listed in lists.items():
            scores = _scores({*words(field), *words(name)}, listed)
            if scores and not scores.keys() & found.keys():
                found |= scores
                inner[name] = [{k: one for k, one in of.items() if norm(k) not in (*_NAMES, *_VALUES)} for of in listed]
        made[field] = made[field] if inner is made else inner
    return {**made, NAMED_SCORES: {name.replace(".", "_"): one for name, one in found.items()}} if found else row


def _scores(said: set[str], listed: Any) -> dict[str, Any]:
    """Return the scores in a list by their names; {} for other values.

    Return {} also if `said`, the words in the list's name, mean people, unless programs gave all the scores.
    """
    told = [_score(one) for one in listed] if isinstance(listed, list) and listed else [None]
    found = {name: value for one in told if one for name, value in [one]}
    if None in told or len(found) < len(told) or all(one is None for one in found.values()):
        return {}
    return {} if said & BY_PEOPLE and not all(map(_is_by_program, listed)) else found


def _inner(name: Any) -> Any:
    """Return a name, which HELM writes as an object with further facts: `{"name": .., "split": ..}`."""
    return name.get("name", name) if isinstance(name, dict) else name


def _is_by_program(one: Any) -> bool:
    """Return whether an object states that a program or a model gave its score: `"annotator_kind": "LLM"`."""
    return isinstance(one, dict) and any(
        isinstance(who, str) and words(key)[-1:] in (["kind"], ["source"], ["type"]) and who.lower() in _PROGRAMS
        for key, who in one.items()
    )


def _score(one: Any) -> tuple[str, Any] | None:
    """Return the name of a metric and its score, from an object with one name, one number and no caption; else None."""
    if not isinstance(one, dict):
        return None
    texts = [name for name in (*PREDICTED, *NEUTRAL, *REFERENCES) if name != "comment"]  # a remark on the score
    names = [_inner(of) for key, of in one.items() if norm(key) in _NAMES]
    values = [of for key, of in one.items() if norm(key) in _VALUES]
    if "key" in one and "score" not in one:
        return None  # a parameter and its value
    if len(names) != 1 or len(values) != 1 or not isinstance(names[0], str) or isinstance(values[0], str):
        return None
    if any(is_text(of) and rank(key, texts) is not None for key, of in one.items()):
        return None
    return (names[0], values[0]) if values[0] is None or number(values[0]) is not None else None

"""Answers of a judge, as written by `trilens ask`: JSON Lines with one answer per line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from data.findings import clip
from data.judge_answers import RANGES, Answer, Prompt
from data.records import Part, Source, as_id

PROMPTS = (*RANGES, "facts")
_KEYS = frozenset(("judge", "prompt", "signature", "item", "captions"))
_LONGEST, _MOST = 20_000, 1_000
"""Maximum number of characters in a text of an answer, and of captions or facts in one answer."""


def matches(value: Any) -> bool:
    """Return whether a value is an answer of a judge, or a list that begins with an answer."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and first.keys() >= _KEYS


def load(source: Source) -> Part:
    """Return the answers in a file; report malformed answers as findings."""
    part = Part(source.name, "answers", [], 0, stem=source.run)
    rows = source.value if isinstance(source.value, list) else [source.value]
    for where, row in source.objects(rows):
        part.n_records += 1
        try:
            part.answers.append((where, _answer(row)))
        except ValueError as why:
            source.log.add("answer_unusable", source.name, where, as_id(row.get("item")) or "", why=why)
    return part


def _answer(row: Mapping[str, Any]) -> Answer:
    prompt = _text(row, "prompt")
    if prompt not in PROMPTS:
        raise ValueError(f"has the prompt {clip(prompt)!r}, which is not one of {', '.join(PROMPTS)}")
    item = as_id(row.get("item"))
    captions, runs, places = _texts(row, "captions"), _texts(row, "runs"), tuple(_list(row, "places"))
    if item is None or not captions or not len(captions) == len(runs) == len(places):
        raise ValueError("does not name its item, and the run and place of each caption")
    if not all(_counts(place) for place in places):
        raise ValueError("has a place that is not a whole number from 0")
    order, repeat = row.get("order", 0), row.get("repeat", 0)
    if order not in (0, 1) or not _counts(repeat):
        raise ValueError("has an order other than 0 and 1, or a repeat that is not a whole number from 0")
    held = tuple(_list(row, "held"))
    if not all(isinstance(one, bool) for one in held):
        raise ValueError("has values other than true and false in `held`")
    score, texts = _score(row, prompt), {name: _text(row, name) for name in ("reason", "fault", "fingerprint")}
    if prompt in RANGES and math.isnan(score) != bool(texts["fault"]):
        raise ValueError("has both a score and a `fault`, or neither")
    judge, signature = as_id(_text(row, "judge")), _text(row, "signature")
    if judge is None or not signature:
        raise ValueError("does not name its judge and signature")
    facts = _texts(row, "facts")
    known = cast(Prompt, prompt)
    return Answer(
        judge, known, signature, item, runs, places, captions, order, repeat, score, facts=facts, held=held, **texts
    )


def _score(row: Mapping[str, Any], prompt: str) -> float:
    value = row.get("score")
    if value is None:
        return math.nan
    low, high = RANGES.get(prompt, (math.inf, -math.inf))
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"has the score {clip(value)}, which {prompt} cannot have")
    return float(value)


def _counts(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _list(row: Mapping[str, Any], name: str) -> list[Any]:
    value = row.get(name, [])
    if not isinstance(value, list) or len(value) > _MOST:
        raise ValueError(f"has no list of at most {_MOST:,} as `{name}`")
    return value


def _texts(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = _list(row, name)
    if not all(isinstance(one, str) and len(one) <= _LONGEST for one in values):
        raise ValueError(f"has values other than texts of at most {_LONGEST:,} characters in `{name}`")
    return tuple(values)


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name, "")
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise ValueError(f"has no text of at most {_LONGEST:,} characters as `{name}`")
    return value

"""Parsing of a judge's reply into a score with its reason, or the reason why the reply is unreadable.

Parsing is strict, because a guess would pass for an answer: a number outside the scale, a list of the wrong length, or
two conflicting answers are unreadable; nothing is clipped to its range.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from data.judge_answers import Prompt
from metrics.judging.endpoint import Reply

LONGEST = 2_000
"""Maximum number of characters of a reason that are kept."""
LONGEST_TEXT = 100_000
FEWEST_MOST_FACTS, WORDS_PER_FACT = 40, 4
SCALES = {"clair": (100.0, 100.0), "rating": (5.0, 1.0), "alike": (100.0, 100.0)}
"""The highest number that a prompt allows (the lowest is 0), and the divisor that turns a number into a score."""
CHOICES = {"a": 1.0, "b": 0.0, "tie": 0.5}
_KEYS: dict[Prompt, str] = {"pairwise": "choice", "facts": "facts", "coverage": "held", "precision": "held"}
_NUMBER = re.compile(r"\s*\d+(?:\.\d+)?\s*")


@dataclass(frozen=True)
class Said:
    """The content of an answer, as in `data.judge_answers.Answer`; for an unreadable reply, `reason` is its text."""

    score: float = math.nan
    reason: str = ""
    fault: str = ""
    facts: tuple[str, ...] = ()
    held: tuple[bool, ...] = ()


class _Unreadable(Exception):
    """Raised for an answer that lacks the required content; the message is the reason."""


def most_facts(captions: Iterable[str]) -> int:
    """Return the number of facts at which a list is considered full: far more than captions of that length state.

    It grows with the number of words, so that the list for a long text need not omit facts.
    """
    return max(FEWEST_MOST_FACTS, sum(len(text.split()) for text in captions) // WORDS_PER_FACT)


def read(prompt: Prompt, reply: Reply, count: int = 0) -> Said:
    """Return a reply's content, or its fault; `count` is the number of facts to check, or that fill a list."""
    try:
        if reply.refusal:
            raise _Unreadable("the judge refused")
        if reply.finish == "content_filter":
            raise _Unreadable("the server's filter withheld it")
        if not reply.text.strip():
            raise _Unreadable("it is empty")
        return _said(prompt, _object(reply, _KEYS.get(prompt, "score")), count)
    except _Unreadable as why:
        return Said(reason=(reply.refusal or reply.text).strip()[:LONGEST], fault=str(why))


def _object(reply: Reply, key: str) -> Mapping[str, Any]:
    """Return the object that has the key, anywhere in the reply; if there are several, their values must agree.

    Raises _Unreadable otherwise.
    """
    text = reply.text.rpartition("</think>")[2]
    if len(text) > LONGEST_TEXT:
        raise _Unreadable(f"it is longer than {LONGEST_TEXT:,} characters")
    found = [one for one in _objects(text) if key in one]
    if not found and reply.finish == "length":
        raise _Unreadable("it was cut off at the maximum number of tokens")
    if not found:
        raise _Unreadable(f'it has no JSON object with "{key}"')
    if any(one[key] != found[0][key] for one in found[1:]):
        raise _Unreadable(f'it has several values of "{key}"')
    return found[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects in a text, from left to right."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict):
                yield value
        at = text.find("{", end)


def _said(prompt: Prompt, answer: Mapping[str, Any], count: int) -> Said:
    reason = answer.get("reason")
    reason = reason.strip()[:LONGEST] if isinstance(reason, str) else ""
    if prompt in SCALES:
        return Said(_number(answer["score"], *SCALES[prompt]), reason)
    if prompt == "pairwise":
        choice = answer["choice"]
        known = choice.strip().lower() if isinstance(choice, str) else ""
        if known not in CHOICES:
            raise _Unreadable("its choice is neither A, B nor tie")
        return Said(CHOICES[known], reason)
    if prompt == "facts":
        return Said(facts=_facts(answer["facts"], count))
    held = answer["held"]
    if not isinstance(held, list) or not all(isinstance(one, bool) for one in held):
        raise _Unreadable("it is not a list of true and false")
    if len(held) != count:
        raise _Unreadable("it does not answer for each fact")
    return Said(sum(held) / count, reason, held=tuple(held))


def _number(value: Any, highest: float, divisor: float) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _Unreadable("its score is not a number")
    if not 0 <= value <= highest:
        raise _Unreadable(f"its score is outside 0 to {highest:g}")
    return float(value) / divisor


def _facts(value: Any, most: int) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _Unreadable("its facts are not a list of texts")
    found = tuple(dict.fromkeys(" ".join(one.split())[:LONGEST] for one in value if one.strip()))
    if not found:
        raise _Unreadable("it lists no fact")
    if len(found) >= most:
        raise _Unreadable(f"its list is full, with {most} facts or more: some may be missing")
    return found

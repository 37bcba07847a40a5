"""Fields whose place shows the role of their text: in a list, in a model's input, or beside scores."""

from __future__ import annotations

from collections.abc import Sequence

from data.fields.names import base, leaf, norm
from data.fields.word_lists import word_set

_GIVEN = word_set("prompt question query instruction context source article document history")


def list_of(path: str) -> str:
    """Return the path of the list whose objects have a field, `answers[]` for `answers[].text`; "" for other fields."""
    outer = path.rpartition(".")[0]
    return outer if outer.endswith("[]") else ""


def is_given(path: str) -> bool:
    """Return whether a field is in an object that contains a model's input, such as `prompt.text` or `question.text`.

    An `input` may also contain the caption that a judge was given; so of its fields only `text` counts as input.
    """
    outer = leaf(path.rpartition(".")[0]) if "." in path else ""
    return outer in _GIVEN or (outer in ("input", "inputs") and leaf(path) == "text")


def rates_each(header: Sequence[str]) -> bool:
    """Return whether several numbered fields, such as `score_0` and `score_1`, rate texts, which are then a model's."""
    rated = [norm(name) for name in header if base(norm(name)) in ("score", "rating", "reward")]
    return sum(name != base(name) for name in rated) > 1

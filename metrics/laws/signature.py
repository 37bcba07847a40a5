"""Laws of the signature: it contains every parameter, and equal signatures mean equal numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from metrics.base import Metric
from metrics.laws import studies
from metrics.laws.scored import one, plain_result, values
from metrics.parameters import parameters


def fields_are_signed(metric: Metric) -> list[str]:
    """Every field, including those of nested values, changes the signature."""
    found = [
        f"{name} of {type(metric).__name__} is annotated but is not a field: add @dataclass(frozen=True)"
        for name in _not_fields(metric)
    ]
    for path, others in _changed(metric):
        signatures = [signature for other in others if (signature := _signature(other)) is not None]
        if not signatures:
            found.append(f"the field {path} cannot be tried: no second value of its type is known")
        elif metric.signature in signatures:
            found.append(f"the field {path} is not in the signature {metric.signature}")
    return found


def equal_signatures_mean_equal_values(metric: Metric) -> list[str]:
    """A metric rebuilt from the same fields has the same signature and the same values."""
    again = replace(metric)
    if again != metric or hash(again) != hash(metric) or again.signature != metric.signature:
        return [f"{type(metric).__name__} is not a frozen dataclass: equal fields do not make it equal"]
    first, second = values(plain_result(metric)), values(one(again, studies.plain(studies.enough_items(metric))))
    if not np.array_equal(first, second, equal_nan=True):
        return ["scoring the same captions twice gives two values: random numbers need a seed among the fields"]
    return []


def _not_fields(metric: Metric) -> Iterator[str]:
    known = {field.name for field in fields(metric)}
    for cls in type(metric).__mro__:
        for name, hint in vars(cls).get("__annotations__", {}).items():
            if name not in known and "ClassVar" not in str(hint):
                yield name


def _changed(value: Any, path: str = "") -> Iterator[tuple[str, list[Any]]]:
    for field in fields(value):
        if not field.init:
            continue
        old, name = getattr(value, field.name), f"{path}{field.name}"
        if is_dataclass(old) and hasattr(old, "signature"):
            for inner, others in _changed(old, f"{name}."):
                yield inner, [replace(value, **{field.name: other}) for other in others]
        else:
            others = [other for other in (*_options(value, field.name), *_others(old)) if other != old]
            yield name, [changed for other in others for changed in _replaced(value, field.name, other)]


def _options(value: Any, name: str) -> tuple[str, ...]:
    found = parameters(value).get(name)
    return found.options if found is not None and found.kind == "choice" else ()


def _others(old: Any) -> list[Any]:
    """Return other values that a field could have, plausible values first."""
    if isinstance(old, bool):
        return [not old]
    if isinstance(old, Enum):
        return [member for member in type(old) if member != old]
    if isinstance(old, int | float):
        return [old + 1, old * 2, old / 2, old - 1]
    if isinstance(old, tuple):
        return [(*old, *old[-1:]), (*old, "other"), (*old, 1)]
    return ["other", str(Path(__file__).parent), 1]


def _replaced(value: Any, name: str, other: Any) -> list[Any]:
    """Return a list with a copy of the value in which one field is replaced; empty if its class rejects that."""
    try:
        return [replace(value, **{name: other})]
    except (ValueError, TypeError, LookupError):
        return []


def _signature(metric: Metric) -> str | None:
    """Return the signature; None if a field names something that does not exist, such as a model."""
    try:
        return metric.signature
    except (ValueError, TypeError, LookupError, AttributeError, RuntimeError):
        return None

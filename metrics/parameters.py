"""Another instance of a metric with parameters of one's own, written `mmd_bert(bandwidth=1,biased=true)`.

It stands in the same tables under that name; its signature is the one that these parameters have.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from data.study import DataError
from metrics.base import Metric, Range
from metrics.distances import document_frequencies
from metrics.distances.base import Distance
from metrics.text.cider import DocumentFrequencies
from metrics.text.encoder import missing

Kind = Literal["true or false", "choice", "whole number", "number", "text", "file"]
INSTANCES = 4_096
"""Classes of named instances that are remembered."""
LONGEST = 200
"""Characters of a name with parameters."""
_WRITTEN = re.compile(r"(\w+)\(([^()]*)\)")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class Parameter:
    """A parameter that can be set: a field of a metric, or of the distance or metric inside it.

    `options` are those of a choice; a `file` holds document frequencies and is named in their place.
    """

    name: str
    kind: Kind
    default: Any
    options: tuple[str, ...] = ()
    range: Range | None = None

    @property
    def takes(self) -> str:
        """What it can be, in words: "a number from 0.001 to 1000"."""
        if self.kind in ("choice", "file"):
            return " or ".join([*self.options, *(["a file of document frequencies"] if self.kind == "file" else [])])
        span = f" from {written(self.range.low)} to {written(self.range.high)}" if self.range else ""
        return self.kind if self.kind == "true or false" else f"a {self.kind}{span}".replace("a text", "a name")

    def read(self, text: str) -> Any:
        """The value that a text stands for, but for files. Raises ValueError."""
        if text in self.options:
            return text
        if self.kind == "true or false" and text.lower() in _TRUTH:
            return _TRUTH[text.lower()]
        if self.kind == "text" and text:
            return text
        number = _number(text, self.kind)
        if number is None or (self.range and not self.range.low <= number <= self.range.high):
            digits = " of at most six digits" if self.kind == "number" else ""
            raise ValueError(f"{self.name} takes {self.takes}{digits}, not {text[:LONGEST]!r}")
        return number


def parameters(value: Any) -> dict[str, Parameter]:
    """What can be set of a metric, by name; what stands in no signature cannot."""
    found: dict[str, Parameter] = {}
    for part in fields(value):
        inside = getattr(value, part.name)
        if part.name in getattr(value, "fixed", ()):
            continue
        if isinstance(inside, Metric | Distance):
            found = {**parameters(inside), **found}
        elif (one := _parameter(value, part.name, inside)) is not None:
            found[part.name] = one
    return found


def plain_name(name: str) -> str:
    """The registered name in one with parameters."""
    return name.partition("(")[0]


def split(text: str) -> list[str]:
    """Names joined by commas, those inside brackets left whole. Raises ValueError for brackets that do not match."""
    if re.search(r"[()]", re.sub(r"\([^()]*\)", "", text)):
        raise ValueError(f"the brackets in {text!r} do not match: write name(parameter=value,parameter=value)")
    names = (name.strip() for name in re.findall(r"(?:[^,()]|\([^()]*\))+", text))
    return [name for name in names if name]


def with_own(metric: Metric, written: str, known: Iterable[Metric] = (), files: bool = True) -> Metric:
    """A metric with the parameters that `written` sets, `name(parameter=value,..)`; that of `known` which is the same.

    Without `files`, as for an address that anybody can write, nothing that names a file or a model is taken. Raises
    ValueError that names what can be set.
    """
    texts = _texts(metric, written)
    there = parameters(metric)
    for key, text in texts.items():
        if key not in there:
            raise ValueError(_unknown(metric, key, there))
        if not files and there[key].kind in ("text", "file") and text not in there[key].options:
            raise ValueError(f"{metric.name}: a file or model for {key} is named on the command line only")
    values = {key: _value(metric, there[key], texts) for key in texts}
    real = {key: value for key, value in values.items() if changed(metric, {key: value}) != metric}
    for key, value in real.items():
        if changed(metric, {key: value}).signature == metric.signature:
            raise ValueError(f"{metric.name}: {key} is no part of the signature, so it cannot be set")
    new = changed(metric, real)
    same = next((other for other in (metric, *known) if other == new), None)
    return same or _named(metric, new, {key: (texts[key], real[key]) for key in sorted(real)})


def changed(value: Any, changes: Mapping[str, Any]) -> Any:
    """The same metric or distance with fields of these names changed, wherever in it they are."""
    new = {}
    for part in fields(value):
        old = getattr(value, part.name)
        if part.name in changes and part.name not in getattr(value, "fixed", ()):
            new[part.name] = changes[part.name]
        elif isinstance(old, Metric | Distance):
            new[part.name] = changed(old, changes)
    return replace(value, **new)


def _value(metric: Metric, parameter: Parameter, texts: Mapping[str, str]) -> Any:
    text = texts[parameter.name]
    if parameter.name == "encoder" and (lacking := missing(text)) is not None:
        raise ValueError(f"{metric.name}: {lacking}")
    if parameter.kind != "file" or text in parameter.options:
        try:
            return parameter.read(text)
        except ValueError as why:
            raise ValueError(f"{metric.name}: {why}") from None
    words = parameters(metric)["tokenizer"]
    tokenizer = _value(metric, words, texts) if words.name in texts else words.default
    try:
        return document_frequencies.checked(document_frequencies.read(Path(text), tokenizer), Path(text).name)
    except OSError as error:
        raise ValueError(f"{metric.name}: {parameter.name} takes {parameter.takes}; {text}: {error.strerror}") from None
    except DataError as why:
        raise ValueError(f"{metric.name}: {parameter.name}: {why}") from None


def _texts(metric: Metric, written: str) -> dict[str, str]:
    match = _WRITTEN.fullmatch(written.strip())
    pairs = [pair.partition("=") for pair in match[2].split(",")] if match else []
    if len(written) > LONGEST or not pairs or not all(key.strip() and text.strip() for key, _, text in pairs):
        raise ValueError(f"{written[:LONGEST]!r} is not written {metric.name}(parameter=value,parameter=value)")
    return {key.strip(): text.strip() for key, _, text in pairs}


def _named(metric: Metric, new: Metric, own: Mapping[str, tuple[str, Any]]) -> Metric:
    """`new` under the name of `metric` with the parameters that set the two apart, as texts and values."""
    texts = {
        key: Path(text).name if isinstance(value, DocumentFrequencies) else written(value)
        for key, (text, value) in own.items()
    }
    name = f"{plain_name(metric.name)}({','.join(f'{key}={text}' for key, text in texts.items())})"
    unsaid = [key for key, (_, value) in own.items() if changed(metric, {key: value}).label == metric.label]
    said = ", ".join(_said(key, own[key][1], texts[key]) for key in unsaid)
    return _as(new, name, f"{new.label} ({said})" if said else new.label, frozenset(own))


def _as(metric: Metric, name: str, label: str, chosen: frozenset[str]) -> Metric:
    values = {part.name: getattr(metric, part.name) for part in fields(metric)}
    made: Metric = _named_class(type(metric), name, label, chosen)(**values)
    return made


@lru_cache(maxsize=INSTANCES)
def _named_class(of: type[Metric], name: str, label: str, chosen: frozenset[str]) -> type[Metric]:
    """The class `of` under another name and label; other processes make it anew from these arguments."""

    def plain(self: Metric) -> Metric:
        return of(**{part.name: getattr(self, part.name) for part in fields(self)})

    def packed(self: Metric) -> tuple[Callable[..., Metric], tuple[Any, ...]]:
        return _as, (plain(self), name, label, chosen)

    def signed_name(self: Metric) -> str:
        return plain(self).signed_name

    body = {"name": name, "label": label, "chosen": chosen, "signed_name": property(signed_name), "__reduce__": packed}
    about = {"__doc__": of.__doc__, "__module__": of.__module__, "__qualname__": of.__qualname__}
    return type(of.__name__, (of,), body | about)


def _parameter(value: Any, name: str, default: Any) -> Parameter | None:
    """The parameter that a field is; None for a field that no text can stand for."""
    hint = _hint(type(value), name)
    span = next((one for one in _metadata(hint) if isinstance(one, Range)), None)
    hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    options = tuple(str(option) for part in parts if get_origin(part) is Literal for option in get_args(part))
    if DocumentFrequencies in parts:
        return Parameter(name, "file", default, options)
    if options:
        return Parameter(name, "choice", default, options)
    kinds: dict[Any, Kind] = {bool: "true or false", int: "whole number", float: "number", str: "text"}
    return Parameter(name, kinds[hint], default, (), span) if hint in kinds else None


def _hint(of: type, name: str) -> Any:
    """The type of a field, read where its class was written."""
    owner = next(one for one in of.__mro__ if name in vars(one).get("__annotations__", {}))
    alone = type("Alone", (), {"__annotations__": {name: owner.__annotations__[name]}})
    return get_type_hints(alone, vars(sys.modules[owner.__module__]), include_extras=True)[name]


def _metadata(hint: Any) -> Iterator[Any]:
    yield from getattr(hint, "__metadata__", ())


def _number(text: str, kind: Kind) -> int | float | None:
    """A number that its six significant digits say, as a signature has them; None for anything else."""
    if kind == "whole number":
        return int(text) if re.fullmatch(r"-?\d{1,12}", text) else None
    if kind == "number" and re.fullmatch(r"-?\d{1,12}(\.\d{0,12})?(e-?\d{1,2})?", text):
        return float(text) if float(f"{float(text):g}") == float(text) else None
    return None


def written(value: Any) -> str:
    """A value as a name has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, DocumentFrequencies):
        return value.digest[:12]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _said(key: str, value: Any, text: str) -> str:
    """A parameter as a label has it: "biased", "not squared", "bandwidth 1"."""
    if isinstance(value, bool):
        return key if value else f"not {key}"
    return f"{key} {text}"


def _unknown(metric: Metric, key: str, known: Mapping[str, Parameter]) -> str:
    if not known:
        return f"{metric.name} has no parameters that can be set"
    there = "; ".join(f"{name} ({one.takes})" for name, one in known.items())
    return f"{metric.name} has no parameter {key!r}; there are {there}"

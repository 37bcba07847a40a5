"""Parameters of metrics, and instances with other parameters: `mmd_bert(bandwidth=1,biased=true)`.

Tables list such an instance under that name; its signature follows from its parameters.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from data.study import DataError
from metrics.base import Metric, Range
from metrics.distances import document_frequencies
from metrics.distances.base import Distance
from metrics.text import bertscore_baselines
from metrics.text.cider import DocumentFrequencies

Kind = Literal["true or false", "choice", "whole number", "number", "text", "file"]
INSTANCES = 4_096
"""Maximum number of classes of named instances kept in memory."""
LONGEST = 200
"""Maximum number of characters of a name with parameters."""
NAMED_FILES = {
    "encoder": ".text.encoder",
    "model": ".text.causal_model",
    "classifier": ".text.fluency",
    "synonyms": ".suite.chair",
    "training": ".text.training_captions",
    "features": ".text.clip_features",
    "corenlp": ".text.spice",
    "vectors": ".text.word_vectors",
    "samples": ".learned.critique_samples",
    "baseline": ".text.bertscore_baselines",
}
"""For each parameter that names a model or a file, the module whose `missing` explains why it cannot be used."""
_PATTERN = re.compile(r"(\w+)\(([^()]*)\)")
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class Parameter:
    """A parameter that can be set: a field of a metric, or of the distance or metric that it uses.

    `options` are the possible values of a choice; they may also take the place of a `file` of document frequencies.
    """

    name: str
    kind: Kind
    default: Any
    options: tuple[str, ...] = ()
    range: Range | None = None

    @property
    def takes(self) -> str:
        """A description of the allowed values: "a number from 0.001 to 1000", or the options, joined by "or"."""
        if self.kind in ("choice", "file"):
            return " or ".join([*self.options, *(["a file of document frequencies"] if self.kind == "file" else [])])
        range_ = f" from {format_value(self.range.low)} to {format_value(self.range.high)}" if self.range else ""
        return self.kind if self.kind == "true or false" else f"a {self.kind}{range_}".replace("a text", "a name")

    def read(self, text: str) -> Any:
        """Return the value that a text represents, without reading files.

        Raises ValueError for a text that is not allowed.
        """
        if text in self.options:
            return text
        if self.kind == "true or false" and text.lower() in _BOOLEANS:
            return _BOOLEANS[text.lower()]
        if self.kind == "text" and text:
            return text
        number = _number(text, self.kind)
        if number is None or (self.range and not self.range.low <= number <= self.range.high):
            digits = " of at most six digits" if self.kind == "number" else ""
            raise ValueError(f"{self.name} takes {self.takes}{digits}, not {text[:LONGEST]!r}")
        return number


def parameters(value: Any) -> dict[str, Parameter]:
    """Return, by name, the parameters that can be set on a metric or distance and on one that it uses."""
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
    """Return the registered name within a name with parameters."""
    return name.partition("(")[0]


def split(text: str) -> list[str]:
    """Return the names in a text, split at commas outside brackets. Raises ValueError for unbalanced brackets."""
    if re.search(r"[()]", re.sub(r"\([^()]*\)", "", text)):
        raise ValueError(f"the brackets in {text!r} do not match: write name(parameter=value,parameter=value)")
    names = (name.strip() for name in re.findall(r"(?:[^,()]|\([^()]*\))+", text))
    return [name for name in names if name]


def parse_instance(metric: Metric, text: str, known: Iterable[Metric] = (), files: bool = True) -> Metric:
    """Return the metric that `text` names with its parameters, `name(parameter=value,..)`.

    If `known` contains an equal metric, that metric is returned. Without `files`, as for a URL that anybody can write,
    parameters that name a file or a model are refused. Raises ValueError if the text cannot be used; for an unknown
    parameter, the message lists the available ones.
    """
    texts = _parse(metric, text)
    available = parameters(metric)
    for key, value in texts.items():
        if key not in available:
            raise ValueError(_unknown_message(metric, key, available))
        if not files and available[key].kind in ("text", "file") and value not in available[key].options:
            raise ValueError(f"{metric.name}: a file or model for {key} is named on the command line only")
    values = {key: _read_value(metric, available[key], texts) for key in texts}
    effective = {key: value for key, value in values.items() if with_fields(metric, {key: value}) != metric}
    new = with_fields(metric, effective)
    for key, value in effective.items():
        alone, others = with_fields(metric, {key: value}), {k: v for k, v in effective.items() if k != key}
        if alone.signature == metric.signature and with_fields(metric, others).signature == new.signature:
            said = " beside the others" if others else ""
            raise ValueError(f"{metric.name}: {key} is not part of the signature{said}, so it cannot be set")
    same = next((other for other in (metric, *known) if other == new), None)
    return same or _name_instance(metric, new, {key: (texts[key], effective[key]) for key in sorted(effective)})


def with_values(metric: Metric, values: Mapping[str, Any]) -> Metric:
    """Return the metric with these values of its own parameters, and a name that includes them.

    Values may be labels and other free text.
    """
    changed = {key: value for key, value in values.items() if getattr(metric, key) != value}
    if not changed:
        return metric
    return _name_instance(metric, with_fields(metric, changed), {k: (format_value(v), v) for k, v in changed.items()})


def with_fields(value: Any, changes: Mapping[str, Any]) -> Any:
    """Return the metric or distance with these fields changed, at any depth, except fixed ones."""
    new = {}
    for part in fields(value):
        old = getattr(value, part.name)
        if part.name in changes and part.name not in getattr(value, "fixed", ()):
            new[part.name] = changes[part.name]
        elif isinstance(old, Metric | Distance):
            new[part.name] = with_fields(old, changes)
    return replace(value, **new)


def _read_value(metric: Metric, parameter: Parameter, texts: Mapping[str, str]) -> Any:
    text = texts[parameter.name]
    if parameter.name in NAMED_FILES:
        lacking = import_module(NAMED_FILES[parameter.name], __package__).missing(text)
        if lacking is not None:
            raise ValueError(f"{metric.name}: {lacking}")
    if parameter.name in ("weights", "images") and (why := _unusable_file(parameter, text)) is not None:
        raise ValueError(f"{metric.name}: {why}")
    if parameter.kind != "file" or text in parameter.options:
        try:
            if (parameter.name, text) == ("layer", bertscore_baselines.PUBLISHED):
                return bertscore_baselines.published_layer(texts.get("encoder", parameters(metric)["encoder"].default))
            return parameter.read(text)
        except ValueError as why:
            raise ValueError(f"{metric.name}: {why}") from None
    words = parameters(metric)["tokenizer"]
    tokenizer = _read_value(metric, words, texts) if words.name in texts else words.default
    try:
        return document_frequencies.checked(document_frequencies.read(Path(text), tokenizer), Path(text).name)
    except OSError as error:
        raise ValueError(f"{metric.name}: {parameter.name} takes {parameter.takes}; {text}: {error.strerror}") from None
    except DataError as why:
        raise ValueError(f"{metric.name}: {parameter.name}: {why}") from None


def _unusable_file(parameter: Parameter, path: str) -> str | None:
    from metrics.learned import cosmic_data, cosmic_file, pictures

    if path == parameter.default:
        return None
    try:
        if parameter.name == "weights":
            cosmic_file.read(path)
        elif pictures.are_pictures(path):
            pictures.listed(Path(path))
        else:
            cosmic_data.read_images(Path(path))
    except DataError as why:
        return str(why)
    return None


def _parse(metric: Metric, text: str) -> dict[str, str]:
    match = _PATTERN.fullmatch(text.strip())
    pairs = [pair.partition("=") for pair in match[2].split(",")] if match else []
    if len(text) > LONGEST or not pairs or not all(key.strip() and text.strip() for key, _, text in pairs):
        raise ValueError(f"{text[:LONGEST]!r} is not written {metric.name}(parameter=value,parameter=value)")
    return {key.strip(): text.strip() for key, _, text in pairs}


def _name_instance(metric: Metric, new: Metric, own: Mapping[str, tuple[str, Any]]) -> Metric:
    """Return `new`, named after `metric` and the parameters that differ, which are passed as texts and values."""
    texts = {
        key: Path(text).name if isinstance(value, DocumentFrequencies) else format_value(value)
        for key, (text, value) in own.items()
    }
    name = f"{plain_name(metric.name)}({','.join(f'{key}={text}' for key, text in texts.items())})"
    unlabelled = [key for key, (_, value) in own.items() if with_fields(metric, {key: value}).label == metric.label]
    described = ", ".join(_describe(key, own[key][1], texts[key]) for key in unlabelled)
    return _instance(new, name, f"{new.label} ({described})" if described else new.label, frozenset(own))


def _instance(metric: Metric, name: str, label: str, explicit_parameters: frozenset[str]) -> Metric:
    values = {part.name: getattr(metric, part.name) for part in fields(metric)}
    instance: Metric = _named_class(type(metric), name, label, explicit_parameters)(**values)
    return instance


@lru_cache(maxsize=INSTANCES)
def _named_class(of: type[Metric], name: str, label: str, explicit_parameters: frozenset[str]) -> type[Metric]:
    """Return a subclass of `of` with another name and label; other processes rebuild it from these arguments."""

    def plain(self: Metric) -> Metric:
        return of(**{part.name: getattr(self, part.name) for part in fields(self)})

    def packed(self: Metric) -> tuple[Callable[..., Metric], tuple[Any, ...]]:
        return _instance, (plain(self), name, label, explicit_parameters)

    def signed_name(self: Metric) -> str:
        return plain(self).signed_name

    body = {
        "name": name,
        "label": label,
        "explicit_parameters": explicit_parameters,
        "signed_name": property(signed_name),
        "__reduce__": packed,
    }
    identity = {"__doc__": of.__doc__, "__module__": of.__module__, "__qualname__": of.__qualname__}
    return type(of.__name__, (of,), body | identity)


def _parameter(value: Any, name: str, default: Any) -> Parameter | None:
    """Return the parameter for a field; None for a field that no text can set."""
    hint = _hint(type(value), name)
    range_ = next((one for one in _metadata(hint) if isinstance(one, Range)), None)
    hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    options = tuple(str(option) for part in parts if get_origin(part) is Literal for option in get_args(part))
    if DocumentFrequencies in parts:
        return Parameter(name, "file", default, options)
    if options:
        return Parameter(name, "choice", default, options)
    kinds: dict[Any, Kind] = {bool: "true or false", int: "whole number", float: "number", str: "text"}
    return Parameter(name, kinds[hint], default, (), range_) if hint in kinds else None


def _hint(of: type, name: str) -> Any:
    """Return the type of a field, resolved in the module that declares it."""
    owner = next(one for one in of.__mro__ if name in vars(one).get("__annotations__", {}))
    alone = type("Alone", (), {"__annotations__": {name: owner.__annotations__[name]}})
    return get_type_hints(alone, vars(sys.modules[owner.__module__]), include_extras=True)[name]


def _metadata(hint: Any) -> Iterator[Any]:
    yield from getattr(hint, "__metadata__", ())


def _number(text: str, kind: Kind) -> int | float | None:
    """Return the number in a text; None for any other text.

    A whole number has at most twelve digits, another number at most six significant digits, as in signatures.
    """
    if kind == "whole number":
        return int(text) if re.fullmatch(r"-?\d{1,12}", text) else None
    if kind == "number" and re.fullmatch(r"-?\d{1,12}(\.\d{0,12})?(e-?\d{1,2})?", text):
        return float(text) if float(f"{float(text):g}") == float(text) else None
    return None


def format_value(value: Any) -> str:
    """Return a value as it is written in names with parameters."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, DocumentFrequencies):
        return value.digest[:12]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _describe(key: str, value: Any, text: str) -> str:
    """Return a parameter as it is written in labels: "biased", "not squared", "bandwidth 1"."""
    if isinstance(value, bool):
        return key if value else f"not {key}"
    return f"{key} {text}"


def _unknown_message(metric: Metric, key: str, known: Mapping[str, Parameter]) -> str:
    if not known:
        return f"{metric.name} has no parameters that can be set"
    available = "; ".join(f"{name} ({one.takes})" for name, one in known.items())
    return f"{metric.name} has no parameter {key!r}; there are {available}"

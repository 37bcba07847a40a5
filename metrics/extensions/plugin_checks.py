"""Checks of a plug-in when it is loaded; `check-plugin` then tests the laws that its numbers must obey."""

from __future__ import annotations

import ast
import math
import re
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

from metrics import installation
from metrics.base import Family, Grain, Metric
from metrics.citations import entries
from metrics.distances.base import Distance
from metrics.extensions.encoders import TextEncoder
from metrics.parameters import Parameter, parameters, with_fields
from metrics.registry import METRICS
from metrics.transformations import Transformation

PREFIX = "trilens_plugin_"
"""Prefix of the names of plug-in modules, followed by the digest of the file."""
DESCRIPTIONS = ("name", "label", "source", "formula", "summary")
"""Texts about a metric that are shown on the Methods page."""


class PluginError(ValueError):
    """Raised for an error in a plug-in; the message states the file, the line and the remedy."""


@dataclass(frozen=True)
class Source:
    """A plug-in file as text and as a syntax tree, which is used to find the lines of errors."""

    path: Path
    text: str
    tree: ast.Module

    @classmethod
    def of(cls, path: Path, content: bytes) -> Source:
        """Return the parsed file. Raises PluginError if it is not valid Python or imports files from its own folder."""
        try:
            text = content.decode("utf-8-sig")
            source = cls(path, text, ast.parse(text, str(path)))
        except UnicodeDecodeError:
            raise PluginError(f"{path.name}: it is not a Python file in UTF-8") from None
        except (SyntaxError, ValueError) as error:
            line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            why = error.msg if isinstance(error, SyntaxError) else str(error)
            raise PluginError(f"{path.name}{line}: it is not Python: {why}") from None
        for number, name in source._imports():
            if source._is_local(name):
                raise PluginError(
                    f"{path.name}, line {number}: it imports {name or 'a file'} from its own folder; a plug-in is a "
                    "single file, as its digest signs the numbers and nothing else is sent to other machines"
                )
        return source

    def rejected(self, why: str, name: str = "", inside: str = "") -> PluginError:
        """Return the error for the class or variable `name`, or for the attribute `name` of the class `inside`."""
        line = self.line(name, inside)
        return PluginError(f"{self.path.name}{f', line {line}' if line else ''}: {why}")

    def failed(self, error: BaseException) -> PluginError:
        """Return the error for an exception that the file raised while it ran."""
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(self.path)]
        message = " ".join(f"{type(error).__name__}: {error}".split())
        if isinstance(error, ModuleNotFoundError) and error.name in ("data", "metrics"):
            message += "; write `from trilens import ..`, which a checkout understands, too"
        return PluginError(f"{self.path.name}{f', line {lines[-1]}' if lines else ''}: {message}")

    def line(self, name: str, inside: str = "") -> int | None:
        """Return the line that defines a class or variable, or an attribute of the class `inside`; None if unknown.

        If the class itself lacks the attribute, its own line is returned.
        """
        body = self.tree.body
        if inside and (owner := next((n for n in body if isinstance(n, ast.ClassDef) and n.name == inside), None)):
            return next((n.lineno for n in owner.body if name in _defined_names(n)), owner.lineno)
        return next((node.lineno for node in body if name in _defined_names(node)), None)

    def _imports(self) -> Iterator[tuple[int, str]]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.lineno, "" if node.level else node.module or ""

    def _is_local(self, name: str) -> bool:
        """Return whether an import refers to a file next to the plug-in, not to Trilens or an installed package."""
        top = name.partition(".")[0]
        if not top:
            return True
        near = (self.path.parent / f"{top}.py", self.path.parent / top / "__init__.py")
        return top not in installation.PACKAGES and any(file.is_file() for file in near)


def _defined_names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return {name.id for name in names}


def check(source: Source, metric: Metric) -> None:
    """Raise PluginError for the first rule that a metric breaks."""
    of = type(metric).__name__
    _check_frozen(source, metric)
    try:
        for name, why in _problems(metric):
            raise source.rejected(f"{of}: {why}", name, of)
        if (field := _unsigned_field(metric)) is not None:
            raise source.rejected(_unsigned_message(of, field), field, of)
    except PluginError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the properties of a class that we did not write raise
        raise source.failed(error) from None


def check_distance(source: Source, space: Distance) -> None:
    """Raise PluginError for the first rule that a distance breaks."""
    _check_part(source, space)


def check_encoder(source: Source, encoder: TextEncoder) -> None:
    """Raise PluginError for the first rule that an encoder breaks."""
    _check_words(source, encoder, "label")
    _check_part(source, encoder)


def check_transformation(source: Source, one: Transformation, known: Iterable[Transformation]) -> None:
    """Raise PluginError for the first rule that a transformation breaks; `known` are those listed before it."""
    _check_words(source, one, "label", "summary", "source")
    _check_part(source, one)
    of = type(one).__name__
    for name in ("name", "label"):
        if any(getattr(other, name) == getattr(one, name) for other in known):
            raise source.rejected(f"{of}: the {name} {getattr(one, name)} is taken", name, of)


def _check_words(source: Source, part: TextEncoder | Transformation, *names: str) -> None:
    of = type(part).__name__
    for name in names:
        if not isinstance(value := getattr(part, name, None), str) or not value.strip():
            raise source.rejected(f"{of}: `{name}` must be a text", name, of)


def _check_part(source: Source, part: Distance | TextEncoder | Transformation) -> None:
    of = type(part).__name__
    _check_frozen(source, part)
    if not (isinstance(getattr(part, "name", None), str) and re.fullmatch(r"[a-z][a-z0-9_]*", part.name)):
        raise source.rejected(f"{of}: `name` must consist of lowercase letters, digits and underscores", "name", of)
    if (name := _unsigned_field(part)) is not None:
        raise source.rejected(_unsigned_message(of, name), name, of)


def _unsigned_message(of: str, field: str) -> str:
    return f"{of}: the field `{field}` is not in the signature; state it in `parameters`"


def _check_frozen(source: Source, value: Any) -> None:
    for of in type(value).__mro__:
        if of.__module__.startswith(PREFIX):
            own = vars(of).get("__dataclass_params__")
            if own is None or not own.frozen:
                raise source.rejected(f"{of.__name__}: write @dataclass(frozen=True) above the class", of.__name__)


def _problems(metric: Metric) -> Iterator[tuple[str, str]]:
    for name in (*DESCRIPTIONS, "family", "grain", "higher_is_better", "bounds"):
        if not hasattr(metric, name):
            yield name, f"it has no `{name}`"
    for name in DESCRIPTIONS:
        if not isinstance(value := getattr(metric, name), str) or not value.strip():
            yield name, f"`{name}` must be a text"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", metric.name):
        yield "name", f"the name {metric.name!r} must consist of lowercase letters, digits and underscores"
    if metric.name in METRICS:
        yield "name", f"the name {metric.name} is taken"
    if any(other.label == metric.label for other in METRICS.values()):
        yield "label", f"the label {metric.label!r} is taken"
    for name, allowed in (("family", get_args(Family)), ("grain", get_args(Grain))):
        if getattr(metric, name) not in allowed:
            yield name, f"`{name}` is {getattr(metric, name)!r}, but must be one of {', '.join(allowed)}"
    if getattr(metric, "higher_is_better", None) not in (True, False):
        yield "higher_is_better", "`higher_is_better` must be True or False"
    if not _is_range(metric.bounds):
        yield "bounds", "`bounds` must be the minimum and the maximum, such as (0.0, 1.0)"
    if unknown := [key for key in metric.cites if key not in entries()]:
        yield "cites", f"`cites` names {unknown[0]}, which is not a key of metrics/citations.bib: name it in `source`"
    if (type(metric).__doc__ or "").startswith(f"{type(metric).__name__}("):
        yield "", "it has no docstring: write one whose first line describes it"


def _is_range(bounds: Any) -> bool:
    numbers = isinstance(bounds, tuple) and all(isinstance(b, int | float) and not math.isnan(b) for b in bounds)
    return numbers and len(bounds) == 2 and bounds[0] < bounds[1]


def _unsigned_field(value: Metric | Distance | TextEncoder | Transformation) -> str | None:
    hash(value)
    for part in fields(value):
        new = _other_value(getattr(value, part.name), parameters(value).get(part.name))
        if new is not None and with_fields(value, {part.name: new}).signature == value.signature:
            return part.name
    return None


def _other_value(value: Any, known: Parameter | None) -> Any:
    if known is not None and known.options:
        return next(option for option in known.options if option != value)
    if known is not None and known.range:
        return known.range.low if value != known.range.low else known.range.high
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value * 2 + 1
    if isinstance(value, str):
        return value + "x"
    return (*value, *(value[:1] or ("x",))) if isinstance(value, tuple) else None

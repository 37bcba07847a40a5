"""Plug-ins: a user's own files that add to the registries, named on the command line or in TRILENS_PLUGINS.

A plug-in is a program, so it is accepted only from the person who starts Trilens, never from an upload or a study
bundle. Its digest is part of every signature that depends on it, so an edited plug-in never reuses numbers of its old
version.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.abc import InspectLoader
from importlib.metadata import entry_points
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from metrics import installation
from metrics.base import Metric
from metrics.distances.base import Distance
from metrics.extensions import plugin_checks
from metrics.extensions.encoders import CheckedEncoder, TextEncoder, distance_of
from metrics.extensions.plugin_checks import PREFIX, PluginError
from metrics.registry import register, unregister
from metrics.suite.distribution import Trm
from metrics.suite.imported_vectors import metrics_of
from metrics.transformations import TRANSFORMATIONS, Transformation
from metrics.transformations import register as register_transformations
from metrics.transformations import unregister as unregister_transformations

VARIABLE, GROUP = "TRILENS_PLUGINS", "trilens.metrics"
LISTS = ("METRICS", "DISTANCES", "ENCODERS", "TRANSFORMATIONS")
"""Names of the lists that a plug-in file may define."""
SIGNED = (Metric, Distance, TextEncoder, Transformation)


@dataclass(frozen=True)
class Plugin:
    """A loaded plug-in file: its path, its bytes, and what it defines."""

    path: Path
    content: bytes
    metrics: tuple[Metric, ...]
    encoders: tuple[CheckedEncoder, ...] = ()
    transformations: tuple[Transformation, ...] = ()
    installed: bool = False

    @property
    def digest(self) -> str:
        """The digest of the file, as used in signatures."""
        return digest(self.content)


_loaded: dict[str, Plugin] = {}
_lock = threading.RLock()


def digest(content: bytes) -> str:
    """Return the first twelve hexadecimal digits of the sha256 of a plug-in file."""
    return hashlib.sha256(content).hexdigest()[:12]


def loaded() -> tuple[Plugin, ...]:
    """Return all plug-ins in the order in which they were loaded."""
    return tuple(_loaded.values())


def of_metric(metric: Metric) -> Plugin | None:
    """Return the plug-in that defines a metric, its distance or its encoder; None for a built-in metric."""
    return next((one for one in _loaded.values() if f"|plugin:{one.digest}" in metric.signature), None)


def load_all(files: Iterable[Path] = ()) -> None:
    """Load these files, those in TRILENS_PLUGINS, and those of installed packages. Raises the errors of `load`."""
    for path in files:
        load(path)
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        load(Path(name).expanduser())
    for entry in entry_points(group=GROUP):
        load(_file_of(entry.module), installed=True)


def load(path: Path, installed: bool = False) -> Plugin:
    """Load a plug-in file and register what it defines, unless it is already loaded; return the plug-in.

    Raises PluginError if the file cannot be read or run, or breaks a rule; then nothing in it is registered.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PluginError(f"{path}: {error.strerror}") from None
    with _lock:
        known = _loaded.get(digest(content))
        return known or _load(path, content, installed)


def unload(plugin: Plugin) -> None:
    """Remove a plug-in with its metrics and transformations."""
    with _lock:
        del _loaded[plugin.digest]
        unregister(*(metric.name for metric in plugin.metrics))
        unregister_transformations(*plugin.transformations)
        sys.modules.pop(PREFIX + plugin.digest, None)


def _load(path: Path, content: bytes, installed: bool) -> Plugin:
    source = plugin_checks.Source.of(path, content)
    module = _run(source, PREFIX + digest(content))
    try:
        _sign(module, digest(content))
        encoders, transformations = _encoders(source, module), _transformations(source, module)
        metrics = _metrics(source, module, encoders)
        if not metrics and not transformations:
            raise source.rejected(f"it defines none of {', '.join(LISTS)}: end it with METRICS = (Mine(),)", "METRICS")
        for metric in metrics:
            plugin_checks.check(source, metric)
        try:
            register(*metrics)
        except ValueError as why:
            raise source.rejected(str(why), "METRICS") from None
        register_transformations(*transformations)
    except PluginError:
        del sys.modules[module.__name__]
        raise
    made = _loaded[digest(content)] = Plugin(path, content, metrics, encoders, transformations, installed)
    return made


class _Loader(InspectLoader):
    """A loader that runs the digested bytes, even if the file has changed since."""

    def __init__(self, source: plugin_checks.Source) -> None:
        self.source = source

    def get_source(self, fullname: str) -> str:
        return self.source.text

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.source.tree, str(self.source.path))


def _run(source: plugin_checks.Source, name: str) -> ModuleType:
    spec = importlib.util.spec_from_loader(name, _Loader(source), origin=str(source.path))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses and other processes look for it
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a file that we did not write raises
        del sys.modules[name]
        raise source.failed(error) from None
    return module


def _sign(module: ModuleType, file_digest: str) -> None:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, SIGNED) and value.__module__ == module.__name__:
            value.plugin = file_digest


def _encoders(source: plugin_checks.Source, module: ModuleType) -> tuple[CheckedEncoder, ...]:
    listed: tuple[TextEncoder, ...] = _listed(source, module, "ENCODERS", TextEncoder)
    for one in listed:
        plugin_checks.check_encoder(source, one)
    return tuple(CheckedEncoder(one, source.path.name) for one in listed)


def _transformations(source: plugin_checks.Source, module: ModuleType) -> tuple[Transformation, ...]:
    listed: tuple[Transformation, ...] = _listed(source, module, "TRANSFORMATIONS", Transformation)
    for k, one in enumerate(listed):
        plugin_checks.check_transformation(source, one, [*TRANSFORMATIONS.values(), *listed[:k]])
    return listed


def _metrics(
    source: plugin_checks.Source, module: ModuleType, encoders: tuple[CheckedEncoder, ...]
) -> tuple[Metric, ...]:
    """Return the metrics in METRICS, a triangle-rank metric for each of DISTANCES, and all metrics of each encoder."""
    own: tuple[Metric, ...] = _listed(source, module, "METRICS", Metric)
    spaces: tuple[Distance, ...] = _listed(source, module, "DISTANCES", Distance)
    for space in spaces:
        plugin_checks.check_distance(source, space)
    made = (*map(Trm, spaces), *(metric for one in encoders for metric in metrics_of(distance_of(one))))
    return (*own, *(metric for metric in made if metric not in own))


def _listed(source: plugin_checks.Source, module: ModuleType, name: str, kind: type) -> tuple[Any, ...]:
    values = getattr(module, name, ())
    if not isinstance(values, tuple | list):
        raise source.rejected(f"{name} is not a tuple: write {name} = (Mine(),)", name)
    for value in values:
        if isinstance(value, type):
            raise source.rejected(f"{name} holds the class {value.__name__}: write {value.__name__}()", name)
        if not isinstance(value, kind):
            raise source.rejected(f"{name} holds {value!r}, which is not a {kind.__name__}", name)
    return tuple(values)


def _file_of(module: str) -> Path:
    try:
        spec = importlib.util.find_spec(module)
    except ImportError:
        spec = None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        raise PluginError(f"the entry point {module} of {GROUP} is not a Python file")
    return Path(spec.origin)


def shipped() -> Iterator[tuple[str, bytes]]:
    """Yield the path, relative to the source, and the bytes of every plug-in, for workers of a cluster."""
    for one in _loaded.values():
        yield f"plugins/{one.digest}/{one.path.name}", one.content


def load_shipped() -> None:
    """Load, on a worker, the plug-ins that were sent with the source. Raises PluginError as `load` does."""
    for path in sorted((installation.HOME / "plugins").glob("*/*")):
        load(path)

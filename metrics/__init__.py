"""The metrics, their tests, and the engine that computes them.

For notebooks and plug-ins: `from trilens import score, study, ItemMetric`. Each of these names is loaded on first use,
so that importing one part does not load the others.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "Distance": ".distances.base",
    "ItemMetric": ".suite.distribution",
    "METRICS": ".registry",
    "Metric": ".base",
    "Range": ".base",
    "SETS": ".registry",
    "TextEncoder": ".extensions.encoders",
    "Transformation": ".transformations",
    "Undefined": ".base",
    "WordDistance": ".distances.words",
    "register": ".registry",
    "resolve": ".registry",
}
__all__ = [*_HOME, "score", "study"]  # noqa: PLE0604 - strings all of them


def __getattr__(name: str) -> Any:
    if name in ("score", "study"):
        return getattr(import_module(f"{__name__}.notebook"), name)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name], __name__), name)

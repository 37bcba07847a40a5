"""The metrics, their tests, and the engine that computes them.

For notebooks and plug-ins: `from metrics import score, study, ItemMetric`. What is named here is loaded when it is
first asked for, so that importing a part loads no other.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "Distance": "metrics.distances.base",
    "ItemMetric": "metrics.distribution",
    "METRICS": "metrics.registry",
    "Metric": "metrics.base",
    "Range": "metrics.base",
    "SETS": "metrics.registry",
    "TextEncoder": "metrics.encoders",
    "Transformation": "metrics.transformations",
    "Undefined": "metrics.base",
    "WordDistance": "metrics.distances.words",
    "register": "metrics.registry",
    "resolve": "metrics.registry",
}
__all__ = [*_HOME, "score", "study"]  # noqa: PLE0604 - strings all of them


def __getattr__(name: str) -> Any:
    if name in ("score", "study"):
        return getattr(import_module("metrics.notebook"), name)
    if name not in _HOME:
        raise AttributeError(f"module 'metrics' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)

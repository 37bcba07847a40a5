"""Trilens by its name: `from trilens import score, study, ItemMetric`, and `python -m trilens`.

The same in a checkout as installed, where this file is the package itself (`wheel_backend.py`).
"""

from importlib import import_module
from typing import Any

import metrics

__all__ = metrics.__all__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'trilens' has no attribute {name!r}")
    return getattr(metrics, name)


if __name__ == "__main__":
    import_module("metrics.__main__").main("python -m trilens")

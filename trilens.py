"""Trilens under its own name: `from trilens import score, study, ItemMetric`, and the command line in a checkout.

It works the same in a checkout as when installed, where this file is the package itself (`wheel_backend.py`). Names
are imported when they are first used.
"""

from typing import Any

import metrics

_READ = ("Reading", "load_study")
_SHOWN = ("open_app", "show")
__all__ = [*metrics.__all__, *_READ, *_SHOWN]  # noqa: PLE0604 - strings all of them


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'trilens' has no attribute {name!r}")
    if name in ("score", "study"):
        from metrics import notebook

        return getattr(notebook, name)
    if name in _READ:
        from data import load

        return getattr(load, name)
    if name in _SHOWN:
        from cli import notebook_views

        return getattr(notebook_views, name)
    return getattr(metrics, name)


if __name__ == "__main__":
    from metrics.__main__ import main

    main()

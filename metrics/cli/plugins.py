"""`--plugin` of every command that names metrics, and `check-plugin`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from metrics import plugins
from metrics.cli import output
from metrics.plugin_checks import PluginError


def _load(files: Sequence[Path] | None) -> Sequence[Path]:
    """Load these files, and what TRILENS_PLUGINS and installed packages name; exit 2 for one that cannot be used."""
    try:
        plugins.load_all(files or ())
    except PluginError as why:
        output.fail(str(why))
    return files or ()


Plugin = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin", help="Python file with metrics of your own; repeat for several.", callback=_load, is_eager=True
    ),
]

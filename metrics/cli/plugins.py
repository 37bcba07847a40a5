"""The option `--plugin` of commands that name metrics, and `python -m metrics check-plugin`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from metrics import plugins
from metrics.base import Metric
from metrics.cli import output
from metrics.plugin_checks import PluginError, Source


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


def check_plugin(
    files: Annotated[list[Path], typer.Argument(help="Python files with metrics of your own.", callback=_load)],
) -> None:
    """Try the laws that hold for every metric on those of FILES, with made-up captions; exit 2 if one is broken."""
    found = [sentence for path in files for sentence in _broken(plugins.load(path))]
    for sentence in found:
        output.warn(sentence)
    if found:
        raise typer.Exit(2)


def _broken(plugin: plugins.Plugin) -> Iterator[str]:
    """Each law that a plug-in breaks, with its line; what holds is printed."""
    from metrics.laws import LAWS, violations

    source = Source.of(plugin.path, plugin.content)
    for metric in plugin.metrics:
        sentences = violations(metric)
        if not sentences:
            print(f"{plugin.path.name}: {metric.signature}: all {len(LAWS)} laws hold")
        yield from (str(source.refused(f"{metric.name}: {sentence}", _class(metric))) for sentence in sentences)


def _class(metric: Metric) -> str:
    """The class in the file: of the metric, or of the distance that it is made of."""
    return type(metric if metric.plugin else getattr(metric, "space", metric)).__name__

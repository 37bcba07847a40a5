"""The option `--plugin` of commands that name metrics, and `trilens check-plugin`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from cli import output
from metrics.base import Metric
from metrics.extensions import plugins
from metrics.extensions.encoders import PluginDistance
from metrics.extensions.plugin_checks import PluginError, Source
from metrics.suite.distribution import Trm


def _load(files: Sequence[Path] | None) -> Sequence[Path]:
    """Load these plug-ins, and the plug-ins that TRILENS_PLUGINS and installed packages name.

    Exit with status 2 if one cannot be used.
    """
    try:
        plugins.load_all(files or ())
    except PluginError as why:
        output.fail(str(why))
    return files or ()


Plugin = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        help="Python file with metrics, encoders or transformations of your own; repeat for several.",
        callback=_load,
        is_eager=True,
    ),
]


def check_plugin(
    files: Annotated[list[Path], typer.Argument(help="Python files with metrics of your own.", callback=_load)],
) -> None:
    """Test what FILES define against the laws of all metrics, on made-up captions; exit 2 if a law is broken."""
    found = [sentence for path in files for sentence in _broken(plugins.load(path))]
    for sentence in found:
        output.warn(sentence)
    if found:
        raise typer.Exit(2)


def _broken(plugin: plugins.Plugin) -> Iterator[str]:
    """Yield a sentence for each broken law, with the line of the class that breaks it.

    Print a line for each metric, encoder and transformation that breaks none.
    """
    from metrics.laws import LAWS, violations

    source = Source.of(plugin.path, plugin.content)
    faulty = list(_faulty_encoders(plugin, source))
    yield from faulty
    yield from _faulty_transformations(plugin, source)
    for metric in plugin.metrics:
        space = getattr(metric, "space", None)
        if isinstance(space, PluginDistance) and (faulty or not isinstance(metric, Trm)):
            continue  # the other metrics on a plug-in's encoder are built in: they obey the laws with any encoder
        sentences = violations(metric)
        if not sentences:
            print(f"{plugin.path.name}: {metric.signature}: all {len(LAWS)} laws hold")
        yield from (str(source.rejected(f"{metric.name}: {why}", _class(metric, plugin))) for why in sentences)


def _faulty_encoders(plugin: plugins.Plugin, source: Source) -> Iterator[str]:
    from metrics.laws.encoders import encoder_violations

    for one in plugin.encoders:
        sentences = encoder_violations(one, plugin.path)
        if not sentences:
            print(f"{plugin.path.name}: {one.encoder.signature}: the laws of encoders hold")
        yield from (str(source.rejected(f"{one.encoder.name}: {why}", type(one.encoder).__name__)) for why in sentences)


def _faulty_transformations(plugin: plugins.Plugin, source: Source) -> Iterator[str]:
    from metrics.laws.transformations import transformation_violations

    for one in plugin.transformations:
        sentences = transformation_violations(one)
        if not sentences:
            print(f"{plugin.path.name}: {one.signature}: the laws of transformations hold")
        yield from (str(source.rejected(f"{one.name}: {why}", type(one).__name__)) for why in sentences)


def _class(metric: Metric, plugin: plugins.Plugin) -> str:
    """Return the name of the class that the file defines: the metric's own class, or the class of its distance or
    encoder.
    """
    space = getattr(metric, "space", metric)
    encoder = next((one.encoder for one in plugin.encoders if one.name == getattr(space, "encoder", None)), space)
    return type(metric if type(metric).plugin else encoder).__name__

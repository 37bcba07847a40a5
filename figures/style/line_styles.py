"""Names of decoders and lines, and how lines are drawn: the same words and marks on every page.

Colour shows the model; a model with several decoders has a marker and dash for each. On the frontier, where all models
share one chart, the marker is the model's, and only the dashes distinguish its decoders.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from data.study import Run
from figures.style.escaping import short
from figures.style.palette import DASHES, SYMBOLS, ModelStyle, model_styles
from figures.style.run_names import decoder_name, distinct_parts, models_in_labels, short_names
from metrics.analysis.sweeps import Decoder, Sweep, decoder_of, settings_of, sweeps_of

Line = tuple[str, Decoder]


@dataclass(frozen=True)
class Mark:
    """Name and style of a line."""

    name: str
    style: ModelStyle
    symbol: str
    dash: str

    def cut(self, most: int) -> str:
        """Return the name in at most `most` letters; where possible, only the model is shortened, not the decoder."""
        model, comma, decoder = self.name.partition(", ")
        room = most - len(comma) - len(decoder)
        return f"{short(model, room)}{comma}{decoder}" if comma and room > 1 else short(self.name, most)


def line_of(run: Run) -> Line:
    """Return the line of a run in figures of settings: its model and decoder."""
    return run.model, decoder_of(run.settings)


def model_names(lines: Iterable[Line]) -> dict[str, str]:
    """Return the names of the models of these lines, long names without the parts that all of them share.

    A model that is named after its only decoder has the display name of that decoder.
    """
    found: dict[str, set[Decoder]] = {}
    for model, decoder in lines:
        found.setdefault(model, set()).add(decoder)
    short = dict(zip(found, distinct_parts(list(found))))
    return {
        model: next((decoder_name(d, [model]) for d in of if len(of) == 1 and d.kind == model), short[model])
        for model, of in found.items()
    }


def marks_of(runs: Sequence[Run], every_model: Sequence[str] = ()) -> dict[Line, Mark]:
    """Return the name and style of every line of a study's runs, whichever of them a page shows.

    Long names of models lose the parts that all of them share. `every_model` includes the models of hidden runs.
    """
    models = list(dict.fromkeys((*every_model, *(run.model for run in runs))))
    styles, names = model_styles(models), dict(zip(models, distinct_parts(models)))
    said = models_in_labels(runs)
    marks: dict[Line, Mark] = {}
    by_model: dict[str, list[Sweep]] = {}
    for sweep in sweeps_of(settings_of(runs)):
        by_model.setdefault(sweep.model, []).append(sweep)
    for model, sweeps in by_model.items():
        style = styles[model]
        sweeps.sort(key=lambda sweep: -len(sweep.settings))
        for k, sweep in enumerate(sweeps):
            symbol = style.symbol if k == 0 else SYMBOLS[(SYMBOLS.index(style.symbol) + k) % len(SYMBOLS)]
            dash = DASHES[(DASHES.index(style.dash) + k) % len(DASHES)]
            marks[model, sweep.decoder] = Mark(
                _line_name(sweep, sweeps, names[model], said[model]), style, symbol, dash
            )
    return marks


def run_marks(runs: Sequence[Run], every_model: Sequence[str] = ()) -> dict[str, Mark]:
    """Return the mark of every run by its name: that of its line, or that of its model if the run has no
    temperature.
    """
    lines, styles = marks_of(runs, every_model), model_styles((*every_model, *(run.model for run in runs)))
    names = model_names(map(line_of, runs))
    alone = {
        model: Mark(name, styles[model], styles[model].symbol, styles[model].dash) for model, name in names.items()
    }
    return {run.name: alone[run.model] if run.settings.temperature is None else lines[line_of(run)] for run in runs}


def label_of_run(runs: Sequence[Run], run: Run) -> str:
    """Return the label of a run beside its mark: its name if its model has no other run, else its decoder if unique.

    Otherwise return its name without the model's, which the colour shows.
    """
    others = [other for other in runs if other.model == run.model and other is not run]
    name = short_names(runs)[run.name]
    if not others:
        return name
    decoder = decoder_of(run.settings)
    if decoder.kind and all(decoder_of(other.settings) != decoder for other in others):
        return decoder_name(decoder, [run.name])
    return name.removeprefix(run.model).lstrip(" \u00a0_-,:/·") or name


def labels_of_runs(runs: Sequence[Run], lines: Collection[str]) -> list[str]:
    """Return the labels of runs beside their marks, in a chart that names only models with `lines` elsewhere.

    The runs of other models have their whole names, because nothing else would show which model has their colour.
    """
    names = short_names(runs)
    return [label_of_run(runs, run) if run.model in lines else names[run.name] for run in runs]


def _line_name(sweep: Sweep, of_model: Sequence[Sweep], model: str, said: str) -> str:
    """The name of a line: its model or decoder if that is enough, else the model (shortened) and the decoder."""
    names = [name for setting in sweep.settings for name in setting.runs]
    decoder = decoder_name(sweep.decoder, [sweep.model, *names])
    if sweep.model == sweep.decoder.kind:
        return decoder
    long = [other for other in of_model if len(other.settings) > 1]
    alone = len(of_model) == 1 or (long == [sweep] and sweep.decoder.kind == "sampling")
    if (alone and said) or len(of_model) == 1:
        return model
    return f"{said or model}, {decoder}" if said or not sweep.decoder.kind else decoder

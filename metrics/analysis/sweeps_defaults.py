"""Defaults of the sweeps, by one rule for page and command: the axis, and the temperature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from data.study import Study
from metrics.analysis.sweeps import Decoder, Setting, by_decoder, sweeps_of

Along = Literal["temperature", "decoder"]
EACH = 2
"""Number of metrics per family shown by default."""
_OF_ITEMS = ("temperature", "top_p", "top_k", "decoder")
MANY = 6
"""Number of models above which those with a single setting are left out at first."""


def along(settings: Sequence[Setting]) -> Along:
    """Return "temperature" if some model has two temperatures with one decoder, else "decoder"."""
    return "temperature" if any(len(sweep.settings) > 1 for sweep in sweeps_of(settings)) else "decoder"


def varies(settings: Sequence[Setting]) -> bool:
    """Return whether settings vary: some model has two settings, or every run is named only by its decoder."""
    models = {setting.model for setting in settings}
    by_decoder = all(setting.model == setting.decoder.kind for setting in settings)
    return len(models) < len(settings) or (by_decoder and len(settings) > 1)


def per_item(study: Study) -> tuple[str, ...]:
    """Return the settings, such as "temperature", of which the metadata of items have at least two values."""
    known = {name: {str(item.metadata[name]) for item in study.items if name in item.metadata} for name in _OF_ITEMS}
    return tuple(name for name, values in known.items() if len(values) > 1)


def varying(settings: Sequence[Setting]) -> tuple[str, ...]:
    """Return the models that have several settings if there are too MANY models to show the others beside them.

    Return () for fewer models, or if all models or none have several settings.
    """
    times = Counter(setting.model for setting in settings)
    several = tuple(model for model, many in times.items() if many > 1)
    return several if MANY < len(times) > len(several) else ()


def common_temperature(settings: Sequence[Setting]) -> float | None:
    """Return the temperature for comparing decoders: the one with the most decoders; of several, the nearest to 1.

    None if no setting states a temperature.
    """
    decoders: dict[float, set[Decoder]] = {}
    for setting in settings:
        if setting.temperature is not None:
            decoders.setdefault(setting.temperature, set()).add(setting.decoder)
    return max(sorted(decoders), key=lambda t: (len(decoders[t]), -abs(t - 1)), default=None)


def decoders_of(
    settings: Sequence[Setting], temperature: float | None = None
) -> tuple[tuple[tuple[Setting, ...], ...], tuple[Setting, ...]]:
    """Return settings grouped by decoder, as `by_decoder` does, and those that are left out.

    If decoders are compared, a setting without a stated decoder is left out if others of its model state theirs.
    """
    groups = by_decoder(settings, temperature)
    stated = [group for group in groups if group[0].decoder != Decoder("")]
    known = {setting.model for group in stated for setting in group}
    left = [s for group in groups if group not in stated for s in group if s.model in known]
    if len(stated) < 2 or not left:
        return groups, ()
    kept = (tuple(setting for setting in group if setting not in left) for group in groups)
    return tuple(group for group in kept if group), tuple(left)

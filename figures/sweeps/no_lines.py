"""Sentences for studies in which no line joins any runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from figures.style.line_styles import Line, Mark
from figures.style.numbers import temperature
from figures.style.wording import names_in_a_row
from metrics.analysis.sweeps import Sweep

NAMED = 4
"""Number of settings that a sentence lists if there are at least two more."""


def no_line(sweeps: Sequence[Sweep], marks: Mapping[Line, Mark]) -> tuple[str, str]:
    """Return, as clauses, why there is no line to draw and which settings there are; both "" if there is a line."""
    if not sweeps:
        return "No run has a temperature", ""
    if any(len(sweep.settings) > 1 for sweep in sweeps):
        return "", ""
    there = [f"{marks[one.model, one.decoder].name} at T {temperature(one.settings[0].temperature)}" for one in sweeps]
    return "No model has two temperatures", f"There is only {names_in_a_row(there, NAMED)}"

"""Settings and their seeds in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from data.study import Study
from figures.style.numbers import count, defined, num, percent
from figures.style.run_names import models_in_labels, short_names
from metrics.analysis.replicates.grouping import Replicates, replicates
from metrics.analysis.replicates.spread_of_seeds import Estimate


def short_settings(study: Study, settings: Sequence[Replicates]) -> dict[str, str]:
    """Return the short name of each setting, by its name, in the style of the names of runs."""
    runs = [replace(study.run(of.runs[0]), name=of.name) for of in settings]
    return short_names(runs, models_in_labels(study.runs))


def names_shown(study: Study) -> dict[str, str]:
    """Return the short names of a study's runs and settings, by their names."""
    return {**short_settings(study, replicates(study.runs)), **short_names(study.runs)}


def among_seeds(study: Study, run: str) -> str:
    """Return a note that a run is one of several seeds of its setting: "one of 3 seeds"; "" if it is the only one."""
    of = next((one for one in replicates(study.runs) if run in one.runs), None)
    return f"one of {count(len(of.runs), 'seed')}" if of is not None and len(of.runs) > 1 else ""


def seed_words(one: Estimate, digits: int) -> str:
    """Return what is known about a setting's seeds: their number, their sd, and their share of a run's variance."""
    if one.runs < 2:
        return "one run, so the difference between seeds is not known"
    said = f"{count(one.runs, 'seed')}, sd between them {num(one.sd, digits + 1)}"
    if not defined(one.share):
        return f"{said}, no share of the variance: {one.reason}" if one.reason else said
    return f"{said}, {percent(one.share)} of a run's variance ({percent(one.share_low)} to {percent(one.share_high)})"

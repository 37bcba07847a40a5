"""The second order of the Overview in words: by distance to people (of images or runs), ratings or a second metric."""

from __future__ import annotations

from data.study import Study
from figures.style.escaping import capital
from figures.style.wording import item_noun
from metrics.analysis.feasibility import runs_with_sets
from metrics.analysis.overview import Overview
from metrics.base import Metric
from metrics.suite.distribution import Trm
from metrics.suite.ratings import RatedByPeople

DISTANCE = "distance to people"


def measure(seen: Overview) -> str:
    """Return the measure of the second order, for a sentence."""
    metric = seen.other.metric
    return DISTANCE if isinstance(metric, Trm) else f"{whose(metric)}{metric.label}"


def whose(metric: Metric) -> str:
    """Return "people's " for the name of human ratings, else ""."""
    return "people's " if isinstance(metric, RatedByPeople) else ""


def axis(second: Metric) -> tuple[str, str]:
    """Return the name of the second axis and the question behind it, in a few words."""
    if isinstance(second, RatedByPeople):
        return "By people", "what people thought"
    return "To people", "varies as people do" if second.of_items else "all captions at once"


def unmeasured(study: Study) -> str:
    """Return a sentence on why no run of the study can have a distance to people by image."""
    by = {"candidates": "", "references": " by people"}.get(_single_side(study))
    why = "" if by is None else f"With one caption{by} for each {item_noun(study)}, "
    return capital(f"{why}{DISTANCE} cannot be measured.")


def _single_side(study: Study) -> str:
    """The side on which no item has two captions, so that none has a distance; "" if there is no such side."""
    if not runs_with_sets(study):
        return "candidates"
    return "" if any(len(item.references) > 1 for item in study.items) else "references"


def unplaced(seen: Overview, run: int) -> str:
    """Return a clause on why a run has no place in the second order."""
    if isinstance(seen.other.metric, RatedByPeople):
        return "people did not rate it"
    if not isinstance(seen.other.metric, Trm):
        return f"{measure(seen)} does not compare it"
    if seen.study.runs[run].name in runs_with_sets(seen.study):
        return f"has no {DISTANCE}"
    return f"with one caption per {item_noun(seen.study)}, it has no {DISTANCE}"

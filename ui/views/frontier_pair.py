"""The two metrics of a frontier: the controls, the metrics that a study offers, known pairs, and why a study has no
pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from data.study import Study
from metrics.analysis.defaults import default_pair, default_singles
from metrics.analysis.feasibility import why_impossible
from metrics.base import Family, Metric
from metrics.suite.ratings import rating_metrics
from ui.frame import errors
from ui.jobs import study_metrics
from ui.session import address
from ui.widgets import metric_picker

MONTAHAEI = ("bleu_4", "self_bleu_4")
"""The metrics of figure 1 in Montahaei et al."""
ORACLE = ("oracle_nll", "entropy")
"""The metrics of figure 1d in Montahaei et al., for studies with log-probabilities."""
FAMILIES: tuple[Family, ...] = ("quality", "diversity", "distribution")
NAMES = ("quality-metric", "diversity-metric")
"""Names of the address parameters for the two metrics."""


@dataclass(frozen=True)
class Offers:
    """The metrics that a study can have, by name; `singles` names its default single-number metrics."""

    quality: dict[str, Metric]
    diversity: dict[str, Metric]
    distribution: dict[str, Metric]
    singles: list[str]


def offers(study: Study) -> Offers:
    """Return the metrics that a study offers."""
    every = {**rating_metrics(study), **study_metrics.metrics()}
    quality, diversity, distribution = (
        metric_picker.able(study, {name: one for name, one in every.items() if one.family == of}, *NAMES, "single")
        for of in FAMILIES
    )
    return Offers(quality, diversity, distribution, default_singles(study))


def lacking(study: Study) -> str:
    """Return why no quality metric, or no diversity metric, can be computed here; "" if one of each can."""
    found = offers(study)
    for family, able in (("quality", found.quality), ("diversity", found.diversity)):
        if not able:
            own = (m for m in study_metrics.metrics().values() if m.family == family)
            return f"{family} {next(why for m in own if (why := why_impossible(study, m)))}"
    return ""


def pick(study: Study) -> tuple[Metric, Metric]:
    """Show a control for each of the two metrics; return both."""
    found = offers(study)
    sides = zip(("Quality", "Diversity"), NAMES, (found.quality, found.diversity), first_pair(study), (115, 165))
    quality, diversity = (_metric(*side) for side in sides)
    return quality, diversity


def known_pairs(study: Study) -> None:
    """Show buttons for known pairs of metrics; no button is active if another pair is chosen."""
    found, first = offers(study), first_pair(study)
    known = {"Default": first, "Montahaei fig. 1": MONTAHAEI, "Montahaei fig. 1d": ORACLE}
    if first == MONTAHAEI:
        del known["Default"]
    there = {name: pair for name, pair in known.items() if pair[0] in found.quality and pair[1] in found.diversity}
    if not there:
        return
    now = tuple(address.value(name) or start for name, start in zip(NAMES, first))
    st.session_state["frontier_pair"] = next((name for name, pair in there.items() if pair == now), None)

    def take() -> None:
        for name, metric in zip(NAMES, there.get(st.session_state["frontier_pair"] or "", now)):
            address.store(name, metric)

    st.segmented_control("Pair", list(there), key="frontier_pair", on_change=errors.callback(take))


def first_pair(study: Study) -> tuple[str, str]:
    """Return the names of the study's two default metrics."""
    found = offers(study)
    quality, diversity = default_pair(study, list(found.quality.values()), list(found.diversity.values()))
    return quality.name, diversity.name


def _metric(label: str, name: str, offered: dict[str, Metric], first: str, width: int) -> Metric:
    address.follow(name, offered)
    return offered[metric_picker.select(label, name, offered, first, width=width)]

"""The two metrics of a frontier: the controls, the metrics that a study offers, known pairs, and why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from data.study import Study
from metrics.analysis.defaults import default_pair, default_singles
from metrics.analysis.feasibility import why_impossible
from metrics.base import Family, Metric
from ui.frame import errors
from ui.jobs import registry
from ui.jobs.jobs import jobs
from ui.session import address, state
from ui.widgets import metric_picker

MONTAHAEI = ("bleu_4", "self_bleu_4")
"""The metrics of figure 1 in Montahaei et al."""
ORACLE = ("oracle_nll", "entropy")
"""The metrics of its figure 1d, for studies with log-probabilities."""
FAMILIES: tuple[Family, ...] = ("quality", "diversity", "distribution")
NAMES = ("quality-metric", "diversity-metric")
"""Names of the address parameters for the two metrics."""


@dataclass(frozen=True)
class Offers:
    """Names of the metrics that a study can have, by family; `singles` are its default single-number metrics."""

    quality: list[str]
    diversity: list[str]
    distribution: list[str]
    singles: list[str]


@st.cache_resource(max_entries=64, show_spinner=False)
def _offers(_study: Study, digest: str, _metrics: Mapping[str, Metric]) -> Offers:
    offered = [
        [name for name, m in _metrics.items() if m.family == family and why_impossible(_study, m) is None]
        for family in FAMILIES
    ]
    quality, diversity, distribution = offered
    return Offers(quality, diversity, distribution, default_singles(_study))


def offers(study: Study) -> Offers:
    """Return the metrics that a study offers, cached by its captions, log-probabilities and imported metrics."""
    known = [study.digest, *study.logprobs_digests.values(), *(scores.name for scores in study.scores)]
    return _offers(study, " ".join(known), registry.metrics())


def lacking(study: Study) -> str:
    """Return why no quality or no diversity metric can be computed here; "" if each has one."""
    found = offers(study)
    for family, names in (("quality", found.quality), ("diversity", found.diversity)):
        if not names:
            own = (m for m in registry.metrics().values() if m.family == family)
            return f"{family} {next(why for m in own if (why := why_impossible(study, m)))}"
    return ""


def pick(study: Study) -> tuple[Metric, Metric]:
    """Show a control for each of the two metrics; return both."""
    found, by = offers(study), registry.metrics()
    first = first_pair(study)
    sides = zip(("Quality", "Diversity"), NAMES, (found.quality, found.diversity), first, (115, 165))
    quality, diversity = (_metric(*side) for side in sides)
    return by[quality], by[diversity]


def known_pairs(study: Study) -> None:
    """Show buttons for known pairs of metrics; none is active if another pair is chosen."""
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
    return default_pair(study, found.quality, found.diversity, partial(_there, study))


def _there(study: Study, name: str) -> bool:
    found = jobs().view(study, (registry.metrics()[name],), state.session(), start=False).results
    return len(found) == len(study.runs)


def _metric(label: str, name: str, options: list[str], first: str, width: int) -> str:
    by = registry.metrics()
    start = first if first in options else options[0]
    address.follow(name, options)
    return metric_picker.select(label, name, {one: by[one] for one in options}, start, width=width)

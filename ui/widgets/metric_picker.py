"""Which metrics a page shows: pills by family in a popover, kept in the address, with how long they take."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from data.study import Study
from metrics.analysis.feasibility import defaults, seconds
from metrics.base import Metric
from ui.frame.wording import WORK, duration
from ui.jobs import registry
from ui.session import address

Family = Literal["distribution", "quality", "diversity"]
FAMILIES: dict[Family, tuple[str, str]] = {
    "distribution": ("Distribution", "The set of candidates against the set of references"),
    "quality": ("Quality", "Each candidate against the references"),
    "diversity": ("Diversity", "How much candidates differ among themselves; more is not better"),
}
P_VALUES = {"corpus": "Corpus permutation test", "harmonic": "Harmonic mean of item tests"}


def pick(study: Study) -> tuple[tuple[Metric, ...], bool]:
    """The chosen metrics, distribution first, and whether p is the harmonic mean; all of it in the address."""
    return _pick(study, None, True)


def pick_some(study: Study, each: int) -> tuple[Metric, ...]:
    """The chosen metrics for a page that shows no p-value, at first `each` of a family."""
    return _pick(study, each, False)[0]


def _pick(study: Study, each: int | None, tested: bool) -> tuple[tuple[Metric, ...], bool]:
    address.begin_anew(*FAMILIES, "rank")
    names: list[str] = []
    first = {family: _first(study, family)[:each] for family in FAMILIES}
    chosen = sum(len(address.select_several(family, _own(family), first[family])) for family in FAMILIES)
    p = "corpus"
    with st.popover(f"Metrics: {chosen}", icon=":material/tune:"):
        for family, (title, about) in FAMILIES.items():
            names += _family(family, title, about, first[family])
        st.caption(_slow(study))
        if tested:
            p = address.select(
                "p-value", "p", list(P_VALUES), "corpus", named=P_VALUES.__getitem__,
                help="How likely so large a distance is if candidates and references had one source.",
            )  # fmt: skip
    by = registry.metrics()
    return tuple(by[name] for name in names), p == "harmonic"


def _family(family: Family, title: str, about: str, first: list[str]) -> list[str]:
    by = registry.metrics()
    return list(address.pills(title, family, _own(family), first, named=lambda n: by[n].label, help=about))


def _own(family: Family) -> list[str]:
    return [name for name, metric in registry.metrics().items() if metric.family == family]


def _first(study: Study, family: Family) -> list[str]:
    return [name for name in defaults(study) if registry.metrics()[name].family == family]


def _slow(study: Study) -> str:
    """How long each kind of work takes, for the kinds that the choice does not show yet."""
    first = {kind: next(metric for metric in registry.metrics().values() if metric.work == kind) for kind in WORK}
    told = [f"{WORK[kind]} {duration(seconds(study, [metric]))}" for kind, metric in first.items()]
    return f"Values take about this long the first time: {', '.join(told)}. Permutation tests follow."

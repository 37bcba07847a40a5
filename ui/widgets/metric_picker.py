"""The metrics that a page shows: pills by family in a popover, stored in the address, with the time they take."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from data.study import Study
from figures.style import html as style_html
from figures.style.escaping import capital
from figures.style.wording import labels
from metrics.analysis.critique.stored import Design
from metrics.analysis.critique.stored import seconds as seconds_of_training
from metrics.analysis.defaults import RunFamily, first_by_family
from metrics.analysis.feasibility import has_references, seconds
from metrics.base import Metric
from metrics.guide.cards import card
from metrics.guide.documentation import direction
from metrics.logprobs import unstated
from metrics.suite.ratings import ranking_ratings, rating_metrics
from ui.frame import look
from ui.frame.wording import WORK, duration, plain
from ui.jobs import registry
from ui.session import address, memory
from ui.widgets import own_settings

Offered = Mapping[str, Metric | str]
"""Metrics by key; a name instead of the metric if only the name is known."""
FAMILIES: dict[RunFamily, tuple[str, str]] = {
    "distribution": ("Distribution", "The run's captions as a group against people's"),
    "quality": ("Quality", "Each caption against people's"),
    "diversity": ("Diversity", "How much the run's captions differ from each other; more is not better in itself"),
}
RATED = "rated"
"""Address parameter for the displayed human ratings."""
_KNOWN = ("trm_meteor", "mmd_bert", "cider_d", "meteor", "rouge_l", "self_bleu_4")
_MOST: dict[RunFamily, int] = {"distribution": 2, "quality": 2, "diversity": 1}
_ALONE: dict[RunFamily, int] = {"distribution": 2, "quality": 2, "diversity": 5}
"""Metrics per family for a study without references, which has little but measures of diversity."""
P_VALUES = {"corpus": "of the whole run", "harmonic": "harmonic mean of single tests"}


def about(metric: Metric) -> str:
    """Return a sentence about a metric and its better direction, as help for a control."""
    return f"{plain(metric.label)}: {plain(card(metric))} {plain(capital(direction(metric)))}."


def select(label: str, name: str, offered: Offered, default: str, **kwargs: Any) -> str:
    """Show a select box of metrics, with help on the chosen one; return its key."""
    chosen = offered[address.select_one(name, list(offered), default, kwargs.get("keep", True))]
    help_ = None if isinstance(chosen, str) else about(chosen)
    return address.select(label, name, list(offered), default, format_func=_labels_of(offered), help=help_, **kwargs)


def pills(label: str, name: str, offered: Offered, default: Sequence[str], **kwargs: Any) -> tuple[str, ...]:
    """Show pills of metrics and, folded below, a sentence about each of them; return the chosen keys."""
    chosen = address.pills(label, name, list(offered), default, format_func=_labels_of(offered), **kwargs)
    _cards(offered.values())
    return chosen


def known(names: Sequence[str]) -> Offered:
    """Return the metrics with these keys; a name without a metric, as in a table of systems, remains a name."""
    by = registry.metrics()
    return {name: by.get(name, name) for name in names}


def _labels_of(offered: Offered) -> Callable[[str], str]:
    def label(name: str) -> str:
        one = offered[name]
        return one if isinstance(one, str) else one.label

    return label


def pick_board(study: Study) -> tuple[Metric, ...]:
    """Return the chosen metrics of a board, by default five that fit: two distances, two scores, one diversity metric.

    People's ratings come first, by default those that rank all runs.
    """
    return _pick(study, _board_first(study), rated=True)


def on_board(study: Study) -> tuple[Metric, ...]:
    """Return the metrics that the Leaderboard shows, or would show, by family: the chosen ones, else its defaults.

    People's ratings come first.
    """
    by, first, names, offered = registry.metrics(), _board_first(study), list[str](), _offered(study)
    ratings = rating_metrics(study)
    chosen = memory.read(RATED)
    rated = [name for name in ratings if name in (_first_ratings(study) if chosen is None else chosen)]
    for family in FAMILIES:
        chosen = memory.read(family)
        found = [name for name in offered[family] if name in (chosen or ())]
        names += found if found or chosen == () else [name for name in offered[family] if name in first[family]]
    return (*(ratings[name] for name in rated), *(by[name] for name in names))


def p_harmonic() -> bool:
    """Show a select box for the p-value; return whether it is the harmonic mean over the tests of items."""
    return _p() == "harmonic"


def pick_metrics(study: Study, each: int, rated: bool = False) -> tuple[Metric, ...]:
    """Return the chosen metrics for a page without p-values, by default `each` per family; with ratings if `rated`."""
    return _pick(study, first_by_family(study, each), rated)


def _pick(study: Study, first: Mapping[RunFamily, Sequence[str]], rated: bool) -> tuple[Metric, ...]:
    address.begin_anew(*FAMILIES, "rank", RATED)
    names: list[str] = []
    ratings = rating_metrics(study) if rated else {}
    own = _offered(study)
    chosen = sum(len(address.select_several(family, own[family], first[family])) for family in FAMILIES)
    of = sum(map(len, own.values())) + len(ratings)
    if ratings:
        chosen += len(address.select_several(RATED, list(ratings), _first_ratings(study)))
    with st.popover(f":gray[Metrics:] **{chosen} of {of}**", key="metrics_panel"):
        if ratings:
            names += _ratings(ratings, _first_ratings(study))
        for family, (title, what) in FAMILIES.items():
            names += _family(family, title, what, own[family], list(first[family]))
        by = {**ratings, **registry.metrics()}
        _cards([*ratings.values(), *(by[name] for of in own.values() for name in of)])
        own_settings.show()
        st.caption(_slow(study))
        st.caption(_trained(study))
        if lacking := _lacking(study):
            st.caption(f"Not offered: {_labels(lacking)}. The files do not state the log-probabilities that they need.")
    return tuple(by[name] for name in names)


def _first_ratings(study: Study) -> tuple[str, ...]:
    """The default ratings: those that rank all runs."""
    first = ranking_ratings(study)
    return () if first is None else (first.name,)


def _ratings(ratings: Mapping[str, Metric], first: Sequence[str]) -> tuple[str, ...]:
    help_ = "The mean of people's ratings of the run's captions"
    return address.pills(
        "Ratings by people", RATED, list(ratings), first, format_func=lambda name: ratings[name].label, help=help_
    )


def _board_first(study: Study) -> dict[RunFamily, list[str]]:
    firsts = first_by_family(study)
    found: dict[RunFamily, list[str]] = {}
    for family, most in (_MOST if has_references(study) else _ALONE).items():
        first = firsts[family]
        found[family] = sorted(first, key=lambda name: (name not in _KNOWN, first.index(name)))[:most]
    return found


def _p() -> str:
    return address.select(
        "p-value",
        "p",
        list(P_VALUES),
        "corpus",
        format_func=P_VALUES.__getitem__,
        help="How likely so large a distance would be if one source had written both.",
    )


def _family(family: RunFamily, title: str, what: str, own: list[str], first: list[str]) -> list[str]:
    by = registry.metrics()
    return list(address.pills(title, family, own, first, format_func=lambda n: by[n].label, help=what))


def _cards(metrics: Iterable[Metric | str]) -> None:
    rows = [(metric.label, card(metric)) for metric in metrics if not isinstance(metric, str)]
    if rows:
        look.block(f"<details><summary>What each metric says</summary>{style_html.facts(rows)}</details>")


def _offered(study: Study) -> dict[RunFamily, list[str]]:
    """The metrics of each family, except those that need log-probabilities that the study's files lack."""
    known = [(name, metric) for name, metric in registry.metrics().items() if not unstated(study, metric.needs)]
    return {family: [name for name, metric in known if metric.family == family] for family in FAMILIES}


def counted(study: Study) -> int:
    """Return the number of metrics that the picker offers."""
    return sum(map(len, _offered(study).values()))


def _lacking(study: Study) -> frozenset[str]:
    return frozenset(name for name, metric in registry.metrics().items() if unstated(study, metric.needs))


def _labels(names: Container[str]) -> str:
    return labels([metric for name, metric in registry.metrics().items() if name in names])


def _trained(study: Study) -> str:
    about = duration(seconds_of_training(study, Design()))
    return (
        f"Critique: how likely a person wrote a caption, by networks that learn from this study first, about {about}."
    )


def _slow(study: Study) -> str:
    by = registry.metrics()
    first = {kind: next(metric for metric in by.values() if metric.work == kind) for kind in WORK}
    told = [f"{WORK[kind]} {duration(seconds(study, [metric]))}" for kind, metric in first.items()]
    return f"The first computation takes about: {', '.join(told)}. p-values follow."

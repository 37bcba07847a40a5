"""The metrics that a page shows: pills by family in a popover, stored in the address, with the time they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from data.study import Study
from figures.dataset import html as checks_html
from figures.style import html as style_html
from figures.style.escaping import capital
from metrics.analysis.critique.stored import Design
from metrics.analysis.critique.stored import seconds as seconds_of_training
from metrics.analysis.defaults import RunFamily, first_by_family, mostly_sets
from metrics.analysis.feasibility import has_references, is_pool, seconds, why_impossible
from metrics.base import Metric
from metrics.guide.cards import card
from metrics.guide.documentation import direction
from metrics.suite.ratings import ranking_ratings, rating_metrics
from ui.frame import look
from ui.frame.wording import WORK, duration, plain
from ui.jobs import study_metrics
from ui.session import address, state, visit
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
_KNOWN = ("trm_meteor", "mmd_bert", "cider_d", "bert", "meteor", "rouge_l", "self_bleu_4")
_MOST: dict[RunFamily, int] = {"distribution": 2, "quality": 2, "diversity": 1}
_SINGLE: dict[RunFamily, int] = {"distribution": 0, "quality": 3, "diversity": 1}
_ALONE: dict[RunFamily, int] = {"distribution": 2, "quality": 2, "diversity": 4}
"""Metrics per family for a study without references, where little but diversity can be measured."""
P_VALUES = {"corpus": "of the whole run", "harmonic": "harmonic mean of single tests"}


def about(metric: Metric) -> str:
    """Return a sentence about a metric and its better direction, as help for a control."""
    return f"{plain(metric.label)}: {plain(card(metric))} {plain(capital(direction(metric)))}."


def select(label: str, name: str, offered: Offered, default: str, **kwargs: Any) -> str:
    """Show a select box of metrics, with help on the chosen one; return its key."""
    asked = (visit.read(name) or ("",))[-1]
    if asked not in offered and (metric := study_metrics.metrics().get(asked)) is not None:
        address.report_unknown(name, asked, why_impossible(state.study(), metric) or "")
    chosen = offered[address.select_one(name, list(offered), default, kwargs.get("keep", True))]
    help_ = None if isinstance(chosen, str) else about(chosen)
    return address.select(label, name, list(offered), default, format_func=_labels_of(offered), help=help_, **kwargs)


def pills(label: str, name: str, offered: Offered, default: Sequence[str], **kwargs: Any) -> tuple[str, ...]:
    """Show pills of metrics and, folded below, a sentence about each of them; return the chosen keys."""
    chosen = address.pills(label, name, list(offered), default, format_func=_labels_of(offered), **kwargs)
    _cards(offered.values())
    return chosen


def able(study: Study, metrics: Mapping[str, Metric], *parameters: str) -> dict[str, Metric]:
    """Return those of these metrics that pages offer for a study, and those that a parameter of the address names.

    A page states why it shows no value for the latter.
    """
    asked = {name for parameter in parameters for name in visit.read(parameter) or ()}
    lacking = study_metrics.not_offered(study, metrics).keys() - asked
    return {name: metric for name, metric in metrics.items() if name not in lacking}


def say_lacking(study: Study, metrics: Mapping[str, Metric], offered: Mapping[str, Metric]) -> None:
    """Show, folded, which of these metrics are not `offered`, and what they need."""
    left = {name: metric for name, metric in metrics.items() if name not in offered}
    reasons = [(why, left[name].label) for name, why in study_metrics.not_offered(study, left).items()]
    if reasons:
        summary = f"<summary>{len(reasons)} more, and what they need</summary>"
        look.block(f"<details>{summary}{checks_html.all_needs(reasons)}</details>")


def known(names: Sequence[str]) -> Offered:
    """Return the metrics with these keys; a name without a metric, as in a table of systems, remains a name."""
    by = study_metrics.metrics()
    return {name: by.get(name, name) for name in names}


def _labels_of(offered: Offered) -> Callable[[str], str]:
    def label(name: str) -> str:
        one = offered[name]
        return one if isinstance(one, str) else one.label

    return label


def pick_board(study: Study) -> tuple[Metric, ...]:
    """Return the chosen metrics of a board.

    By default, they are a few that fit, such as two distances, two scores and one of diversity. People's ratings come
    first, by default the one that ranks all runs.
    """
    return _pick(study, _board_first(study), rated=True)


def on_board(study: Study) -> tuple[Metric, ...]:
    """Return the metrics that the Leaderboard shows, or would show, by family: the chosen ones, else its defaults.

    People's ratings come first.
    """
    ratings, chosen = rating_metrics(study), visit.read(RATED)
    rated = [name for name in ratings if name in (_first_ratings(study) if chosen is None else chosen)]
    return (*(ratings[name] for name in rated), *_without_picker(study, _board_first(study)))


def on_page(study: Study, each: int) -> tuple[Metric, ...]:
    """Return the metrics of a page whose picker is `pick_metrics`: the chosen ones, else its defaults, by family."""
    return _without_picker(study, first_by_family(study, each))


def _without_picker(study: Study, first: Mapping[RunFamily, Sequence[str]]) -> tuple[Metric, ...]:
    names: list[Metric] = []
    for family, own in _offered(study).items():
        chosen = visit.read(family)
        found = [own[name] for name in own if name in (chosen or ())]
        names += found if found or chosen == () else [own[name] for name in own if name in first[family]]
    return tuple(names)


def p_harmonic() -> bool:
    """Show a select box for the p-value; return whether it is the harmonic mean over the tests of items."""
    return _p() == "harmonic"


def pick_metrics(
    study: Study, each: int, rated: bool = False, suits: Callable[[Metric], bool] = lambda metric: True
) -> tuple[Metric, ...]:
    """Return the chosen metrics for a page without p-values; with ratings if `rated`.

    By default, they are the first `each` of a family, without those that the page cannot show by `suits`.
    """
    by = study_metrics.metrics()
    first = {of: [n for n in names if suits(by[n])] for of, names in first_by_family(study, each).items()}
    return _pick(study, first, rated)


def _pick(study: Study, first: Mapping[RunFamily, Sequence[str]], rated: bool) -> tuple[Metric, ...]:
    address.begin_anew(*FAMILIES, "rank", RATED)
    names: list[str] = []
    ratings = rating_metrics(study) if rated else {}
    own = _offered(study)
    by = {**ratings, **{name: metric for family in own.values() for name, metric in family.items()}}
    chosen = sum(len(address.select_several(family, list(own[family]), first[family])) for family in FAMILIES)
    if ratings:
        chosen += len(address.select_several(RATED, list(ratings), _first_ratings(study)))
    with st.popover(f":gray[Metrics:] **{chosen} of {len(by)}**", key="metrics_panel"):
        if ratings:
            names += _ratings(ratings, _first_ratings(study))
        for family, (title, what) in FAMILIES.items():
            if own[family]:
                names += _family(family, title, what, own[family], list(first[family]))
        _cards(by.values())
        say_lacking(study, {name: one for name, one in study_metrics.metrics().items() if one.family in FAMILIES}, by)
        own_settings.show()
        st.caption(_slow(study, by.values()))
        if "critique" in by:
            st.caption(_trained(study))
    return tuple(by[name] for name in names)


def _first_ratings(study: Study) -> tuple[str, ...]:
    """The name of the default rating, which ranks all runs; () without one."""
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
    # Without sets, distances are of whole runs: another score of captions, by meaning, says more.
    sets = mostly_sets(study) or is_pool(study)
    for family, most in (_ALONE if not has_references(study) else _MOST if sets else _SINGLE).items():
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


def _family(family: RunFamily, title: str, what: str, own: Mapping[str, Metric], first: list[str]) -> list[str]:
    return list(address.pills(title, family, list(own), first, format_func=lambda n: own[n].label, help=what))


def _cards(metrics: Iterable[Metric | str]) -> None:
    rows = [(metric.label, card(metric)) for metric in metrics if not isinstance(metric, str)]
    if rows:
        look.block(f"<details><summary>What each metric says</summary>{style_html.facts(rows)}</details>")


def _offered(study: Study) -> dict[RunFamily, dict[str, Metric]]:
    known = study_metrics.metrics().items()
    return {of: able(study, {name: metric for name, metric in known if metric.family == of}, of) for of in FAMILIES}


def _trained(study: Study) -> str:
    about = duration(seconds_of_training(study, Design()))
    return (
        "Critique: how likely it is that a person wrote a caption, by networks that first learn from this study, "
        f"which takes about {about}."
    )


def _slow(study: Study, metrics: Iterable[Metric]) -> str:
    first = {metric.work: metric for metric in metrics}
    told = [f"{what} {duration(seconds(study, [first[kind]]))}" for kind, what in WORK.items() if kind in first]
    return f"The first computation takes about: {', '.join(told)}. p-values follow."

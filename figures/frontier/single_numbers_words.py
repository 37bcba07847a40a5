"""Sentences and tables on whether single numbers order the runs as quality and diversity together do."""

from __future__ import annotations

import pandas as pd

from data.study import Study
from figures.frontier.words import RUN, by_axes, noun, percent
from figures.style.escaping import Strong
from figures.style.numbers import count, defined
from figures.style.run_names import short_names
from figures.style.wording import item_noun, names_in_a_row, whole_run
from metrics.analysis.frontier import Frontier, Single
from metrics.bootstrap import RESAMPLES

RANK = "Rank, "


def singles_caption(study: Study, view: Frontier) -> str:
    """Return the caption of the tables of single numbers, for a paper."""
    pairs = max((single.pairs for single in view.singles), default=0)
    return (
        f"{by_axes(study, view)}, and single numbers of the same {noun(view)}s. "
        f"{count(pairs, 'pair')} in which one {noun(view)} matches or beats the other on both axes; a tie counts half."
    )


def singles_table(view: Frontier) -> pd.DataFrame:
    """Return one row per single number: its agreement with dominance and its winner."""
    rows = [
        {
            "Metric": single.metric.label,
            "Pairs": single.pairs,
            "Same order": single.agreed,
            "Share in the same order": single.share,
            "95 % from": single.low,
            "95 % to": single.high,
            "Puts first": ", ".join(view.runs[k].name for k in single.firsts),
            "On the front": ", ".join(dict.fromkeys("yes" if view.front[k] else "no" for k in single.firsts)),
        }
        for single in view.singles
    ]
    return pd.DataFrame(rows)


def ranks_table(view: Frontier) -> pd.DataFrame:
    """Return one row per run: whether it is on the front, and its value and rank by every single number."""
    columns: dict[str, object] = {RUN: [run.name for run in view.runs], "On the front": view.front}
    for single in view.singles:
        columns[f"{single.metric.label}"] = single.value
        columns[f"{RANK}{single.metric.label}"] = single.rank
    return pd.DataFrame(columns)


def singles_verdict(study: Study, view: Frontier) -> tuple[str, ...]:
    """Return how well each single number agrees with dominance, and whether its winner is on the front."""
    known = [single for single in view.singles if single.best is not None]
    if not known:
        return (
            f"{names_in_a_row([m.label for m in view.waiting])} not computed yet."
            if view.waiting
            else f"No {noun(view)} has values for these.",
        )
    if not known[0].pairs:
        none = f"No {noun(view)} is at least as good as another on both axes and better on one"
        return (f"{none}, so there is no order to agree with. ", *_winners(study, view))
    parts: list[str] = [f"Where one {noun(view)} matches or beats another on both axes, "]
    for place, single in enumerate(sorted(known, key=lambda s: -s.share)):
        parts += ["; " if place else "", Strong(single.metric.label), f" agrees in {_pairs(single)}"]
    return (*parts, ". ", *_winners(study, view))


def singles_line(view: Frontier) -> str:
    """Return in one sentence how many pairs each single number orders as both axes do; "" without pairs."""
    known = sorted((one for one in view.singles if one.best is not None), key=lambda one: -one.share)
    if not known or not known[0].pairs:
        return ""
    axes = f"{view.quality.metric.label} and {view.diversity.metric.label}"
    first, *rest = known
    parts = [f"{first.metric.label} puts {first.agreed:g} in that order"]
    parts += [f"{one.metric.label} {one.agreed:g}" for one in rest]
    said = names_in_a_row(parts, len(parts))
    return f"Of {count(first.pairs, 'pair')} in which one {noun(view)} matches or beats another on {axes}, {said}."


def agreed(single: Single) -> str:
    """Return a metric with its agreement, for a text alternative."""
    return f"{single.metric.label}: {_pairs(single)}"


def singles_footer(study: Study, view: Frontier) -> str:
    """Return the footer: which pairs count, which numbers are not computed yet, and which have no interval."""
    said = [singles_print_footer(view)]
    if view.waiting:
        said.append(f"Not computed yet: {names_in_a_row([metric.label for metric in view.waiting])}.")
    if any(defined(single.low) for single in view.singles):
        said.append(
            f"Lines: 95 % over {RESAMPLES:,} resamples of the {item_noun(study)}s; the pairs that count are "
            "resampled with them."
        )
    if why := whole_run([s.metric for s in view.singles if defined(s.share) and not defined(s.low)]):
        said.append(f"Without interval: {why}.")
    return " ".join(
        [
            *said,
            "A tie counts half; a coin toss agrees in half of the pairs. These "
            "shares are not compared with each other.",
        ]
    )


def singles_print_footer(view: Frontier) -> str:
    """Return the footer on paper: the number of pairs that count."""
    pairs = max((single.pairs for single in view.singles), default=0)
    of = f"{count(pairs, 'pair')} of {count(len(view.runs), noun(view))}"
    return f"n = {of} in which one matches or beats the other on both axes."


def _pairs(single: Single) -> str:
    ends = f" ({percent(single.low)} to {percent(single.high)})" if defined(single.low) else ""
    ends = " (too few to tell)" if single.low <= 0 and single.high >= 1 else ends
    return f"{single.agreed:g} of {count(single.pairs, 'pair')}{ends}"


def _winners(study: Study, view: Frontier) -> tuple[str, ...]:
    order, short = view.order, short_names(study.runs)
    said = []
    for best, labels in _first_by(view).items():
        on = best in order
        off = f"matched or beaten on both{'' if view.sure[best] < 0 else ', as measured'}"
        where = f"place {order.index(best) + 1} of {len(order)} on the front" if on else off
        put = "puts" if len(labels) == 1 else "put"
        said.append(f"{names_in_a_row(labels)} {put} {short[view.runs[best].name]} first ({where})")
    places = [f"{'; '.join(said)}. Places run from best quality to most diverse."] if said else []
    open_ = [single.metric.label for single in view.singles if single.best is not None and not single.sure]
    none = [f"By {names_in_a_row(open_)}, no {noun(view)} is clearly first."] if open_ else []
    return (" ".join([*places, *none]),)


def _first_by(view: Frontier) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for single in view.singles:
        if single.best is not None and single.sure:
            found.setdefault(single.best, []).append(single.metric.label)
    return found

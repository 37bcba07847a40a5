"""Sentences and tables about pairs of captions that people compared."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from data.study import Study
from figures.judgments.footer import MARKS
from figures.judgments.pairs import MOST, PairRow
from figures.judgments.words import UNCORRECTED, led, listed
from figures.style.escaping import Strong
from figures.style.numbers import count, defined, percent
from figures.style.wording import item_noun
from metrics.analysis.judgments.preferences import PairAgreement
from metrics.analysis.judgments.trivial_baselines import names
from metrics.base import Metric
from metrics.permutation.pvalues import ALPHA

PEOPLE = "people with each other"
HOW = (
    "Of all pairs that people decided by a majority of votes, the share in which the metric prefers the same caption. "
    "A tie of the metric counts half, and pairs that people tie are left out. The dashed line is a coin toss. Bars are "
    "95 % bootstrap intervals over images. Below the metrics: trivial baselines, and people with each other. The "
    "baselines choose by the number of words, by how often people prefer a caption's run or label on other images, or "
    "by the words that a caption shares with references. People with each other: each vote against the majority of "
    "the pair's other votes."
)


def verdict(found: PairAgreement, metrics: Sequence[Metric]) -> list[str]:
    """Return which metric agrees with people most often, where it does so least, and which others may be as good."""
    ranked = found.ranking()
    known = [k for k in ranked.order if defined(found.estimates[k][0].value)]
    if not known:
        return ["No chosen metric has a value for the captions that people compared."]
    best = known[0]
    of = found.estimates[best]
    said: list[str] = [
        Strong(metrics[best].label),
        f" prefers the same caption as people in {percent(of[0].value)} of pairs",
    ]
    worst = min((k for k in range(1, len(of)) if defined(of[k].value)), key=lambda k: of[k].value, default=0)
    if worst and of[worst].value < of[0].value:
        said.append(f", but only in {percent(of[worst].value)} of {found.categories[worst]} pairs")
    apart, ties, unknown = ranked.behind(best, known[1:])
    if ties:
        named = listed([metrics[k].label for k in ties]) if len(ties) <= 3 else count(len(ties), "other metric")
        said.append(f"; no difference from {named} is detected")
    elif apart:
        said.append(f", significantly more often than {led(len(apart), len(unknown))}")
    elif unknown:
        said.append(
            f"; whether {'the other metric does' if len(known) == 2 else 'others do'} so as often cannot be tested"
        )
    return [*said, ".", _not_ahead(found, best)]


def _not_ahead(found: PairAgreement, metric: int) -> str:
    """A sentence if a metric is behind the strongest trivial baseline, or is not shown to be ahead of it; else ""."""
    lead = found.leads[metric] if found.leads else None
    if lead is None or lead.over < 0 or lead.p_value <= ALPHA or not defined(lead.difference.p_value):
        return ""
    name, value = names(found.longer)[lead.over], percent(found.others[lead.over][0].value)
    if lead.difference.value < 0 and lead.difference.p_value <= ALPHA:
        return f" But a caption's {name} does so significantly more often ({value})."
    return f" It is not significantly ahead of a caption's {name} ({value})."


def rows(found: PairAgreement, metrics: Sequence[Metric]) -> list[PairRow]:
    """Return the metrics from best to worst, then those without a value, then baselines and people with a value."""
    ranked = found.ranking()
    of = [PairRow(metrics[k].name, metrics[k].label, found.estimates[k], bool(ranked.best[k])) for k in ranked.order]
    others = zip((*names(found.longer), PEOPLE), found.others)
    return of + [PairRow("", name.capitalize(), one, False, True) for name, one in others if defined(one[0].value)]


def titles(found: PairAgreement) -> list[str]:
    """Return the heading of each column: the category, or the number of all pairs."""
    return [f"All {count(found.n, 'pair')}", *found.categories[1:]]


def facts(study: Study, found: PairAgreement) -> list[str]:
    """Return the footer of the ranking: n, ties, the marks, and categories that are not drawn."""
    said = [f"n = {count(found.n, 'pair')} of {count(found.items, item_noun(study))}"]
    if found.ties:
        said.append(f"left out: {count(found.ties, 'pair')} that people tie")
    said += [
        "a metric's tie counts half",
        "dashed: a coin toss",
    ]
    said += MARKS
    if len(found.categories) > MOST + 1:
        said.append(f"{count(len(found.categories) - 1 - MOST, 'more category', 'more categories')} in the table")
    return said


def table(found: PairAgreement, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return one row for each category of each metric, of trivial baselines and of people."""
    letters = found.ranking().letters
    others = [(name, one) for name, one in zip((*names(found.longer), PEOPLE), found.others) if one[0].n]
    every = [
        *((metric.label, letters[k], found.estimates[k]) for k, metric in enumerate(metrics)),
        *((name.capitalize(), "", one) for name, one in others),
    ]
    return pd.DataFrame(
        [
            {
                "Metric": label,
                "Category": name or "all",
                "Letters": "" if name else letter,
                "Accuracy": one.value,
                "95 % from": one.low,
                "95 % to": one.high,
                f"p {UNCORRECTED}": one.p_value,
                "Pairs": one.n,
            }
            for label, letter, estimates in every
            for name, one in zip(found.categories, estimates, strict=True)
        ]
    )


def alt(shown: Sequence[PairRow]) -> str:
    """Return the text alternative of the ranking."""
    said = [f"{row.label} {percent(row.estimates[0].value)}" for row in shown if defined(row.estimates[0].value)]
    return f"Pairs in which a metric prefers the same caption as people: {', '.join(said)}."

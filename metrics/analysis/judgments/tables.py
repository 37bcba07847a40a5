"""The agreement of metrics with people as a long table: over captions, within items, over systems and over pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from data.study import Study
from metrics.analysis.judgments import floors, preferences
from metrics.analysis.judgments.caption_agreement import WITHIN, CaptionAgreement
from metrics.analysis.judgments.correlation import STATISTICS, Estimate
from metrics.analysis.judgments.floors import Floor
from metrics.analysis.judgments.points import Values
from metrics.analysis.judgments.system_groups import Group
from metrics.analysis.judgments.trivial_baselines import Lead, names
from metrics.base import Metric

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("metric", "criterion", "level", "statistic", "value", "ci_low", "ci_high", "p_value", "n")
LEAD = ("baseline", "lead", "lead_low", "lead_high", "p_ahead_of_all")
"""Columns of a metric's lead over the strongest trivial baseline, explained in `trivial_baselines.Lead`."""
CHANCE = ("chance", "chance_low", "chance_high", "over_chance", "over_chance_low", "over_chance_high", "p_over_chance")
"""Columns of a metric's floor (its agreement against other items' references), and of its lead over this floor."""
PEOPLE = "people"
"""Stands in for the metric in rows that compare raters with each other."""


class Row(NamedTuple):
    """An agreement estimate of a metric, a baseline or `PEOPLE`; a metric may have its lead over a named baseline."""

    metric: str
    criterion: str
    level: str
    statistic: str
    estimate: Estimate
    lead: tuple[str, Lead] | None = None
    floor: floors.Lead | None = None


def of_captions(
    found: CaptionAgreement, metrics: Sequence[Metric], criterion: str, floor: Sequence[Floor | None] = ()
) -> Iterator[Row]:
    """Yield the rows over captions and within items: metrics, baselines with a value, and people with each other.

    A metric has its lead over the strongest baseline and, if `floor` is given, its lead over its own floor.
    """
    trivial = names(bool(found.longer[0]))
    levels = (("candidate", STATISTICS, found.of, found.leads), ("within", WITHIN, found.inside, found.leads_within))
    of_metrics: list[list[Row]] = [[] for _ in metrics]
    others: list[list[Row]] = [[] for _ in (*trivial, PEOPLE)]
    for level, statistics, estimate, leads in levels:
        for statistic in statistics:
            name = statistic if level == "candidate" else f"within_{statistic}"
            above = floors.leads(floor, name) if floor else [None] * len(metrics)
            for k, (metric, lead, over) in enumerate(zip(metrics, leads(statistic), above, strict=True)):
                named = (trivial[lead.over], lead) if lead.over >= 0 else None
                of_metrics[k].append(Row(metric.name, criterion, level, statistic, estimate(k, statistic), named, over))
            for j, name in enumerate((*trivial, PEOPLE)):
                one = estimate(len(metrics) + j, statistic)
                if one.n and (name == PEOPLE or found.points[len(metrics) + j]):
                    others[j].append(Row(name, criterion, level, statistic, one))
    for rows in (*of_metrics, *others):
        yield from rows


def differences(
    found: CaptionAgreement, metrics: Sequence[Metric], criterion: str
) -> Iterator[tuple[str, str, str, str, str, float, float, int]]:
    """Yield the difference between each pair of metrics by each correlation over captions, with its Holm-corrected p.

    Pairs without a p are left out.
    """
    for statistic in STATISTICS:
        pairs = found.ranking(statistic).pairs
        for i, one in enumerate(metrics):
            for j in range(i + 1, len(metrics)):
                if np.isfinite(pairs.p[i, j]):
                    n = int(found.points[i])
                    value, p = float(pairs.value[i, j]), float(pairs.p[i, j])
                    yield one.name, metrics[j].name, criterion, "candidate", statistic, value, p, n


def of_systems(group: Group, seed: int = 0) -> Iterator[Row]:
    """Yield the rows of a group of systems, for all criteria and metrics."""
    for criterion in group.criteria:
        for metric in group.metrics:
            for statistic, estimate in group.of(criterion, metric, seed).of.items():
                yield Row(metric, criterion, "system", statistic, estimate)


def of_pairs(study: Study, results: Values, metrics: Sequence[Metric], seed: int = 0) -> Iterator[Row]:
    """Yield the accuracy of metrics, baselines and people on pairs that people compared, over all and by category.

    Pairs on which people tie are left out; a tie by the metric counts half.
    """
    for criterion in preferences.criteria(study):
        found = preferences.pair_agreement(study, results, metrics, criterion, seed)
        trivial = names(found.longer)
        of = {metric.name: one for metric, one in zip(metrics, found.estimates, strict=True)}
        of |= {name: one for name, one in zip((*trivial, PEOPLE), found.others, strict=True) if one[0].n}
        leads = dict(zip((metric.name for metric in metrics), found.leads))
        for metric, estimates in of.items():
            lead = leads.get(metric)
            for name, estimate in zip(found.categories, estimates, strict=True):
                over = (trivial[lead.over], lead) if lead and not name and lead.over >= 0 else None
                yield Row(metric, criterion, "pair", f"accuracy_{name}" if name else "accuracy", estimate, over)


def as_table(rows: Iterator[Row] | Sequence[Row]) -> pd.DataFrame:
    """Return rows as a table with `COLUMNS`, and with the columns of `LEAD` and `CHANCE` if any row has them."""
    import pandas as pd

    listed = list(rows)
    cells = [(*row[:4], *row.estimate) for row in listed]
    found = pd.DataFrame(cells, columns=list(COLUMNS)).astype({"n": "Int64"})
    if any(row.lead for row in listed):
        none = ("", *(np.nan,) * 4)
        ahead = [
            none if row.lead is None else (row.lead[0], *row.lead[1].difference[:3], row.lead[1].p_value)
            for row in listed
        ]
        found[list(LEAD)] = ahead
    if any(row.floor for row in listed):
        found[list(CHANCE)] = [
            (np.nan,) * len(CHANCE) if row.floor is None else (*row.floor.floor, *row.floor.lead[:3], row.floor.p_value)
            for row in listed
        ]
    return found

"""Words and columns about floors: how well metrics agree with people when given the references of other items."""

from __future__ import annotations

from collections.abc import Sequence

from figures.judgments.words import listed
from figures.style.numbers import defined
from metrics.analysis.judgments import floors
from metrics.analysis.judgments.floors import Floor
from metrics.base import Metric
from metrics.permutation.pvalues import ALPHA

HOW = (
    "Grey ticks: chance, which is the agreement of the same captions when they are scored against the references of "
    "other images (the mean of 39 pairings, with the range of 95 % of them). Chance is what a metric has in common "
    "with people without comparing a caption with its own image. A metric's lead over chance is tested by a bootstrap "
    "over images, which draws captions and references, with Holm's correction over the metrics."
)


def facts(
    floor: Sequence[Floor | None], metrics: Sequence[Metric], statistic: str, noun: str, mark: str = " (grey ticks)"
) -> list[str]:
    """Return which metrics are not significantly above their floors, and which are significantly below them.

    Otherwise, return that all are above, or that this cannot be tested; [] without floors. `mark` states how floors are
    drawn.
    """
    found = [(metric.label, lead) for metric, lead in zip(metrics, floors.leads(floor, statistic)) if lead is not None]
    tested = [(label, lead) for label, lead in found if defined(lead.p_value)]
    if not tested:
        return [f"whether agreement is above chance cannot be tested: too few {noun}s"] if found else []
    sure = [(label, lead.lead.value) for label, lead in tested if lead.p_value <= ALPHA]
    below = [label for label, value in sure if value < 0]
    rest = [label for label, lead in tested if lead.p_value > ALPHA]
    chance = f"chance, given by the references of other {noun}s{mark}"
    said = []
    if rest:
        named = "any metric" if len(rest) == len(tested) > 1 else listed(rest)
        said.append(f"agreement above {chance}, is not detected for {named}")
    if below:
        said.append(f"significantly below {chance}: {listed(below)}")
    return said or [f"every metric agrees significantly better than by {chance}"]


def columns(floor: Sequence[Floor | None], statistic: str) -> list[dict[str, object]]:
    """Return the columns of each metric for a table; {} for a metric without a floor."""
    return [
        {}
        if lead is None
        else {
            "By chance": lead.floor.value,
            "By chance from": lead.floor.low,
            "By chance to": lead.floor.high,
            "Above chance": lead.lead.value,
            "Above chance 95 % from": lead.lead.low,
            "Above chance 95 % to": lead.lead.high,
            "p of chance (Holm)": lead.p_value,
        }
        for lead in floors.leads(floor, statistic)
    ]

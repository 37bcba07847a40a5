"""Explain aliases of metrics, and reduce a set to the metrics that this machine can compute, for example
without torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cli.output import warn
from data.study import Study

if TYPE_CHECKING:
    from metrics.base import Metric


def explain(named: Sequence[str], study: Study) -> None:
    """Print which metric each alias stands for, unless the study has an imported metric of that name."""
    from metrics.aliases import ALIASES, explained
    from metrics.parameters import plain_name
    from metrics.registry import imported_metrics

    for name in named:
        if plain_name(name) in ALIASES.keys() - imported_metrics(study):
            warn(explained(name))


def with_ratings(names: str, study: Study) -> str:
    """Return the names, preceded by `ratings` if one of them is a set and people rated at least two runs."""
    from metrics.parameters import split
    from metrics.registry import SETS
    from metrics.suite.ratings import RATINGS, rating_metrics

    sets = any(name in SETS for name in split(names))
    return f"{RATINGS},{names}" if sets and rating_metrics(study) else names


def able(
    metrics: tuple[Metric, ...], named: Sequence[str], study: Study, given: Mapping[str, bytes]
) -> tuple[Metric, ...]:
    """Return the metrics without the members of sets that this machine cannot compute; metrics that are `named` stay.

    A message lists the omitted metrics, with the command that installs the missing package. Metrics whose numbers are
    `given`, in a bundle or the demo, stay, too. If no metric can be computed, all stay.
    """
    from cli.bundle_numbers import BundleNumbers
    from data.demo import LAYERS
    from figures.style.wording import names_in_a_row
    from metrics import needs
    from metrics.cache.disk import Cache
    from metrics.engine import scoring
    from metrics.engine.tasks import Options
    from metrics.registry import SETS, resolve

    asked = {metric.name for metric in resolve([name for name in named if name not in SETS], study=study)}
    known = Cache(None, LAYERS, given=BundleNumbers(given))
    rest = [metric for metric in metrics if metric.name not in asked and any(map(needs.unmet, metric.needs))]
    unmet = scoring.plan(study, rest, Options(), known).unmet
    if len(unmet) == len(metrics):
        return metrics
    for why in dict.fromkeys(unmet.values()):
        warn(f"left out: {names_in_a_row([name for name in unmet if unmet[name] == why])}. {why}")
    return tuple(metric for metric in metrics if metric.name not in unmet)

"""Values expected by chance, on request: a job for each metric, the cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from data.study import Run, Study
from metrics.analysis import artifacts
from metrics.analysis.chance import Design, has_chance, of_arrays
from metrics.analysis.judgments import caption_agreement as judged
from metrics.analysis.judgments.floors import Floor, from_arrays
from metrics.analysis.judgments.points import Values
from metrics.analysis.numbers import Numbers
from metrics.base import Metric
from metrics.cache.entry import Arrays
from ui.jobs import progress
from ui.jobs.jobs import jobs
from ui.session import address, state

HELP = (
    "The value of the same captions against the references of others: the mean of 39 pairings, and the range of 95 % "
    "of them. A run within it says nothing about what it describes."
)


def asked() -> bool:
    """Show the switch for values expected by chance; return whether it is on."""
    return address.toggle("Compare with chance", "chance", help=HELP)


def columns(study: Study, here: int, runs: Sequence[Run], metrics: Sequence[Metric]) -> dict[str, list[float]]:
    """Show the switch; return table columns of each run's value expected by chance on the item at position `here`.

    Three columns per metric are the mean and the ends of the 95 % range. The switch is hidden if no metric compares a
    run with references: values by chance are those with random references.
    """
    found = with_chance(study, Numbers({}), metrics).chance if any(map(has_chance, metrics)) and asked() else {}
    return {
        f"{metric.label} {title}": [float(found[metric.name][run.name].items[here, k]) for run in runs]
        for metric in metrics
        if metric.name in found
        for k, title in enumerate(("by chance", "by chance from", "by chance to"))
    }


def with_chance(study: Study, numbers: Numbers, metrics: Iterable[Metric]) -> Numbers:
    """Return the numbers with the chance values that exist, and show the job for the others."""
    found = _computed(metrics, lambda metric: artifacts.chance(study, metric, Design(), jobs().cache))
    return replace(numbers, chance={name: of_arrays(study, arrays) for name, arrays in found.items()})


def floors(study: Study, results: Values, metrics: Sequence[Metric], design: judged.Design) -> Sequence[Floor | None]:
    """Return each metric's agreement with people by chance, and show the job that computes it.

    The agreement is None until it is computed, and for a metric that does not compare runs with references.
    """
    found = _computed(metrics, lambda metric: artifacts.floor(study, results, metric, design, Design(), jobs().cache))
    return [from_arrays(found[metric.name]) if metric.name in found else None for metric in metrics]


def _computed(metrics: Iterable[Metric], work: Callable[[Metric], artifacts.Artifact]) -> dict[str, Arrays]:
    found, waiting = {}, None
    able = [metric for metric in metrics if has_chance(metric)]
    for metric in sorted(able, key=lambda one: (one.work != "words", one.family != "quality", one.work != "meteor")):
        view = jobs().artifact(work(metric), state.session())
        if view.arrays is not None:
            found[metric.name] = view.arrays
        waiting = waiting or (view if view.job is not None else None)
    if waiting is not None:
        progress.show(waiting)
    return found

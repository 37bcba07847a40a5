"""Laws that hold for every metric, built-in or not, tested by scoring made-up captions."""

from __future__ import annotations

from collections.abc import Callable

from metrics.base import Metric
from metrics.laws import captions, facts, signature, values
from metrics.laws.scored import Broken
from metrics.needs import unmet

Law = Callable[[Metric], list[str]]

LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (
        signature.fields_are_signed,
        signature.equal_signatures_mean_equal_values,
        captions.every_candidate_counts,
        captions.every_reference_counts,
        captions.order_is_irrelevant,
        captions.chunks_are_irrelevant,
        values.the_better_side_wins,
        values.values_lie_in_their_bounds,
        values.values_lie_in_their_intervals,
        values.undefined_is_nan_with_a_reason,
        values.tests_are_possible,
        facts.only_declared_sides_are_read,
        facts.means_are_means,
        facts.the_best_reference_counts_where_declared,
        facts.order_matters_where_declared,
        facts.other_items_have_a_say_where_declared,
        facts.size_free_values_do_not_grow,
        facts.single_captions_count_as_declared,
    )
}
"""The laws by name: functions that take a metric and return violations as sentences."""


def violations(metric: Metric) -> list[str]:
    """Return the violations of the laws, as sentences that begin with the law's name; empty for a sound metric.

    For a metric that this machine cannot run, the only sentence says why.
    """
    missing = [why for need in sorted(metric.needs) if (why := unmet(need))]
    if missing:
        return [f"{metric.name} cannot be tried on this machine: {missing[0]}"]
    return [f"{name.replace('_', ' ')}: {sentence}" for name, law in LAWS.items() for sentence in broken(law, metric)]


def broken(law: Law, metric: Metric) -> list[str]:
    """Return the violations of one law; an error that stops the metric is a violation too."""
    try:
        return law(metric)
    except Broken as error:
        return [str(error)]

"""`trilens replicates`: average settings over their seeds, as on the Leaderboard and on Paired comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, reading, table_output
from cli.bundle_numbers import report_foreign
from cli.reading import Given, Metrics, with_given
from cli.score_directions import check_metrics
from data.study import Study
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    from metrics.analysis.replicates.grouping import Replicates
    from metrics.base import Metric
    from metrics.engine.scoring import Results


@with_given("Prediction and reference files.")
def replicates(
    given: Given,
    metrics: Metrics = "fast",
    compare: Annotated[
        tuple[str, str] | None, typer.Option("--compare", metavar="A B", help="Setting A minus setting B.")
    ] = None,
) -> None:
    """Average runs that differ only in a seed: mean, spread between seeds, and the seed's share of the variance.

    With --compare, it shows whether two settings differ by more than their seeds and items explain. A run's settings or
    its name state the seed: `model_seed1`, `model (seed 2)`, or `model-s1` beside `model-s2`.
    """
    check_metrics(metrics, given.files)
    study, loaded, cache, frequencies = given.study_and_frequencies()
    settings = _settings(study, compare)
    chosen = reading.metrics_in_force(metrics, study, loaded, frequencies)
    chosen = tuple(metric for metric in chosen if metric.reads_candidates)
    results = reading.compute_results(study, chosen, Options(seed=given.seed), cache)
    report_foreign(study, cache, frequencies)
    _give(study, results, chosen, settings, compare is not None, given.seed, given.out)
    reading.exit_if_failed(results)


def _settings(study: Study, names: tuple[str, str] | None) -> tuple[Replicates, ...]:
    """Return all settings, or the two to compare.

    Exit with status 2 for an unknown name, or one that is given twice.
    """
    from metrics.analysis.replicates.grouping import replicated
    from metrics.analysis.replicates.grouping import replicates as settings_of

    settings = settings_of(study.runs)
    if not replicated(settings):
        output.warn("no two runs differ only in their seed: give each run a `seed` of its own in its settings or name")
    by = {setting.name: setting for setting in settings}
    for name in names or ():
        if name not in by:
            output.fail(f"there is no setting {name!r}; there are {', '.join(by)}")
    if names and names[0] == names[1]:
        output.fail("a setting does not differ from itself: name another")
    return tuple(by[name] for name in names) if names else settings


def _give(
    study: Study,
    results: Results,
    metrics: Sequence[Metric],
    settings: Sequence[Replicates],
    compared: bool,
    seed: int,
    out: Path | None,
) -> None:
    from metrics.analysis.numbers import Numbers
    from metrics.analysis.replicates import tables
    from metrics.analysis.replicates.setting_differences import differences, standing

    numbers = Numbers(results)
    if compared:
        first, second = settings
        found = tables.differences_table(differences(study, numbers, first, second, metrics, seed))
        table_output.give_table(found, tables.DIFFERENCES, out, "difference")
    else:
        found = tables.as_table([standing(study, numbers, metric, settings, seed) for metric in metrics])
        table_output.give_table(found, tables.COLUMNS, out, "mean")

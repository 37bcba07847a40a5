"""`trilens agreement`: how far metrics agree with one another, as on the Judgments page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, reading, required, table_output
from cli.reading import Given, Metrics, with_given
from data.study import Study
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    from metrics.analysis.agreement.observations import Over
    from metrics.base import Metric
    from metrics.engine.scoring import Results


@with_given("Captions, or a table of systems with metrics.")
def agreement(
    given: Given,
    metrics: Metrics = "fast",
    over: Annotated[list[str] | None, typer.Option(help="items, captions, runs, settings or systems; repeat.")] = None,
    pair: Annotated[tuple[str, str] | None, typer.Option(help="Two metrics: captions on which they disagree.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many captions of each kind --pair prints.")] = 5,
    runs: Annotated[list[str] | None, typer.Option("--run", help="Only this run; repeat for several.")] = None,
) -> None:
    """Correlate metrics with one another: over items of a run, captions, runs, settings and systems.

    Every value is oriented so that more is better, or more diverse. Correlations over items are computed within each
    run and averaged over the runs. With --pair, it prints the captions that one of two metrics ranks much higher than
    the other, or items if a metric has no value for single captions.
    """
    wanted, named = _points(over), metrics if pair is None else ",".join(_two(pair))
    study, loaded, cache, frequencies = given.study_and_frequencies()
    study = required.only_runs(study, runs or ())
    chosen = reading.metrics_in_force(named, study, loaded, frequencies)
    results = reading.compute_results(study, chosen, Options(seed=given.seed), cache) if study.runs else {}
    if pair is None:
        _give(study, results, chosen, wanted, given.out)
    else:
        _give_pair(study, results, chosen, pair, top, given.out)
    reading.exit_if_failed(results)


def _two(pair: tuple[str, str]) -> tuple[str, str]:
    if pair[0] == pair[1]:
        output.fail(f"--pair {pair[0]} {pair[1]}: takes two different metrics")
    return pair


def _points(over: Sequence[str] | None) -> list[Over]:
    from metrics.analysis.agreement.observations import OVER

    for name in over or ():
        if name not in OVER:
            output.fail(f"--over {name}: takes {', '.join(OVER)}")
    return [one for one in OVER if not over or one in over]


def _give(study: Study, results: Results, metrics: Sequence[Metric], wanted: Sequence[Over], out: Path | None) -> None:
    from metrics.analysis.agreement.observations import observations
    from metrics.analysis.agreement.tables import COLUMNS, as_table

    table = as_table([observations(study, results, metrics, one) for one in wanted])
    if table.empty:
        output.fail("no two metrics have values over the same points: name more metrics with --metrics")
    table_output.give_table(table, COLUMNS, out)


def _give_pair(
    study: Study, results: Results, metrics: Sequence[Metric], pair: tuple[str, str], top: int, out: Path | None
) -> None:
    from metrics.analysis.agreement.observations import observations
    from metrics.analysis.agreement.tables import pair_columns, pair_table

    kinds: tuple[Over, ...] = ("captions", "items")
    for over in kinds:
        found = observations(study, results, metrics, over)
        if set(pair) <= set(found.names):
            table = pair_table(study, found, pair, top)
            break
    else:
        output.fail(f"{pair[0]} and {pair[1]} have no values of the same captions or items")
    table_output.give_table(table, pair_columns(pair), out, "gap")

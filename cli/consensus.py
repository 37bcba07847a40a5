"""`trilens consensus`: how far references agree, and how many are enough."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, progress_bar, reading, table_output
from cli.reading import Given, with_given
from metrics.analysis.references import DRAWS
from metrics.engine.tasks import Options
from metrics.progress import Hooks

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from data.study import Study
    from metrics.analysis.references.stability import Stability
    from metrics.analysis.references.subset_totals import SubsetTotals
    from metrics.analysis.references.subsets import Design
    from metrics.base import Metric
    from metrics.cache.disk import Cache
    from metrics.engine.result import Result

ALL = "bleu_1,bleu_4,rouge_l,meteor,cider_d,bert"


@with_given("Files with references, or a study bundle.", "scores_direction")
def consensus(
    given: Given,
    beside: Annotated[
        list[Path] | None, typer.Option(help="File of another study, listed in the same tables; may be repeated.")
    ] = None,
    metrics: Annotated[str, typer.Option(help="Quality metrics, separated by commas.")] = ALL,
    stability: Annotated[
        Path | None, typer.Option(help="Write how scores and the order of runs move with fewer references.")
    ] = None,
    budget: Annotated[Path | None, typer.Option(help="Write standard errors by items and references.")] = None,
    items: Annotated[
        Path | None, typer.Option(help="Write the items of most and least agreement with every reference's score.")
    ] = None,
    draws: Annotated[int, typer.Option(help="Draws for each number of references.")] = DRAWS,
) -> None:
    """Score each reference against the others of its item; with runs, find how many references a stable order needs."""
    for path in (given.out, stability, budget, items):
        table_output.check_out(path, [*given.paths, *(beside or ())])
    if draws < 2:
        output.fail("--draws takes a number from 2")
    study, loaded, cache, frequencies = given.study_and_frequencies()
    chosen = _quality(reading.metrics_in_force(metrics, study, loaded, frequencies, default=ALL))
    others = [replace(given, files=[path], references=None).study() for path in beside or ()]
    _consensus([(study, cache), *((other, own) for other, _, own in others)], chosen, given.out, items)
    if stability is not None or budget is not None:
        _subsets(study, chosen, cache, (draws, given.seed), stability, budget)


def _consensus(
    studies: Sequence[tuple[Study, Cache]], chosen: tuple[Metric, ...], out: Path | None, items: Path | None
) -> None:
    import pandas as pd

    from metrics.analysis.references import tables

    own = tables.consensus_metrics(chosen)
    found, ends = [], []
    for study, cache in studies:
        computed = reading.compute_results(study, own, Options(), cache)
        results = [result for result in computed.values() if result.metric in own]
        found.append(tables.of_study(study, tables.consensus_table(results)))
        if items is not None:
            ends.append(tables.of_study(study, _items(study, results, cache)))
    table = pd.concat(found, ignore_index=True)
    table_output.print_table(table, [*(["study"] if len(found) > 1 else []), "metric", "mean", "sd", "n", "error"])
    if out is not None:
        table_output.write_table(table, out, "mean")
    if items is not None:
        table_output.write_table(pd.concat(ends, ignore_index=True), items, "score")


def _quality(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    from metrics.suite.consensus import Scored

    others = [metric.name for metric in metrics if not isinstance(metric, Scored)]
    if others:
        output.fail(f"{', '.join(others)}: consensus takes quality metrics, such as {ALL},scene_f")
    return metrics


def _items(study: Study, results: Sequence[Result], cache: Cache) -> pd.DataFrame:
    import pandas as pd

    from metrics.analysis import artifacts
    from metrics.analysis.references import own_scores, tables
    from metrics.suite.consensus import Consensus

    found = []
    for result in results:
        if isinstance(result.metric, Consensus):
            places = own_scores.ends(result.items).places
            work = artifacts.own_scores(study, result.metric, places, cache)
            scored = own_scores.scored_items(study, result.items, places, work.arrays(cache, Hooks()))
            found.append(tables.own_scores_table(study, result.metric.of.name, scored))
    return pd.concat(found)


def _subsets(
    study: Study,
    metrics: tuple[Metric, ...],
    cache: Cache,
    drawn: tuple[int, int],
    stability: Path | None,
    budget: Path | None,
) -> None:
    from metrics.analysis.references import budget as budgets
    from metrics.analysis.references import stability as stabilities
    from metrics.analysis.references import subsets, tables

    draws, seed = drawn
    made = subsets.design(study, seed=seed)
    if made is None or len(study.runs) < 1:
        output.fail("subsets of references need a run, and items with at least two references")
    assert made is not None
    totals = _totals(study, made, metrics, cache)
    if stability is not None:
        moved = [stabilities.stability(totals, metric.name, draws, seed) for metric in metrics]
        table_output.write_table(tables.stability_table(study, moved), stability, "mean")
        for one in moved:
            print(_advice(one))
    if budget is not None:
        errors = [budgets.budget(totals, metric.name, seed) for metric in metrics]
        table_output.write_table(tables.budget_table(study, errors), budget, "standard_error")


def _advice(one: Stability) -> str:
    from metrics.bootstrap import LEAST

    start = f"{one.metric}: "
    if len(one.full) < 2:
        return f"{start}one run, so there is no order."
    if one.n < LEAST:
        return f"{start}{one.n} items are too few to test the order of the runs."
    if not one.pairs:
        return f"{start}the order is not significant; more items would settle it sooner than more references."
    size = one.steady or one.sizes[-1]
    others = "another reference" if size == 1 else f"{size} other references"
    share = f"{one.swapped[one.sizes.index(size)]:.1%} of {one.pairs} significant pairs of runs"
    return f"{start}with {others}, {share} change places{'' if one.steady else ', so more may be needed'}."


def _totals(study: Study, made: Design, metrics: tuple[Metric, ...], cache: Cache) -> SubsetTotals:
    from metrics.analysis import artifacts
    from metrics.analysis.references import subset_totals

    work = artifacts.subset_totals(study, made, metrics, cache)
    with progress_bar.working("Scoring with fewer references") as hooks:
        return subset_totals.from_arrays(study, made, metrics, work.arrays(cache, hooks))

"""`trilens consensus`: how far references agree, and how many of them are enough."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, progress_bar
from cli import score as cli_score
from cli.plugins import Plugin
from cli.word_vectors import Vectors
from metrics.analysis.references import DRAWS
from metrics.engine.tasks import Options
from metrics.progress import Hooks

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from data.study import Study
    from metrics.analysis.references.stability import Stability
    from metrics.analysis.references.subsets import Design
    from metrics.analysis.references.totals import SubsetTotals
    from metrics.base import Metric
    from metrics.cache.disk import Cache
    from metrics.engine.result import Result

ALL = "bleu_1,bleu_4,rouge_l,meteor,cider_d,bert"


def consensus(
    files: Annotated[list[Path], typer.Argument(help="Files with references, or a study bundle.")],
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    beside: Annotated[
        list[Path] | None, typer.Option(help="File of another study, listed in the same tables; may be repeated.")
    ] = None,
    metrics: Annotated[str, typer.Option(help="Quality metrics, separated by commas.")] = ALL,
    out: Annotated[Path | None, typer.Option(help="Write study, metric, mean, sd, n: .csv, .parquet or .json.")] = None,
    stability: Annotated[
        Path | None, typer.Option(help="Write how scores and the order of runs move with fewer references.")
    ] = None,
    budget: Annotated[Path | None, typer.Option(help="Write standard errors by items and references.")] = None,
    items: Annotated[
        Path | None, typer.Option(help="Write the items of most and least agreement with every reference's score.")
    ] = None,
    draws: Annotated[int, typer.Option(help="Draws for each number of references.")] = DRAWS,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    idf: cli_score.Idf = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Folder for cached results.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Cache nothing.")] = False,
    keep_going: cli_score.KeepGoing = False,
    recompute: cli_score.Recompute = False,
    plugin: Plugin = None,
    vectors: Vectors = None,
) -> None:
    """Score each reference against the others of its item; with runs, find how many references a stable order needs."""
    for path in (out, stability, budget, items):
        cli_score.check_out(path, [*files, references, *(beside or ()), idf])
    if draws < 2 or seed < 0:
        output.fail("--draws takes a number from 2, --seed one from 0")
    given = cli_score.given_idf(idf)
    study, loaded = cli_score.load_study_or_exit(files, references, keep_going, recompute)
    asked = cli_score.chosen_metrics(metrics, study, loaded=loaded, default=ALL)
    chosen = _quality(cli_score.with_frequencies_of(asked, cli_score.frequencies_in_force(given, loaded)))
    cache = cli_score.open_cache(cache_dir, no_cache, loaded.numbers)
    others = [cli_score.load_study_or_exit([path], None, keep_going, recompute) for path in beside or ()]
    caches = [(study, cache), *((o, cli_score.open_cache(cache_dir, no_cache, of.numbers)) for o, of in others)]
    _consensus(caches, chosen, out, items)
    if stability is not None or budget is not None:
        _subsets(study, chosen, cache, (draws, seed), stability, budget)


def _consensus(
    studies: Sequence[tuple[Study, Cache]], chosen: tuple[Metric, ...], out: Path | None, items: Path | None
) -> None:
    import pandas as pd

    from metrics.analysis.references import tables

    own = tables.consensus_metrics(chosen)
    found, ends = [], []
    for study, cache in studies:
        computed = cli_score.compute_results(study, own, Options(), cache)
        results = [result for result in computed.values() if result.metric in own]
        found.append(tables.of_study(study, tables.consensus_table(results)))
        if items is not None:
            ends.append(tables.of_study(study, _items(study, results, cache)))
    table = pd.concat(found, ignore_index=True)
    cli_score.print_table(table, [*(["study"] if len(found) > 1 else []), "metric", "mean", "sd", "n", "error"])
    if out is not None:
        cli_score.write_table(table, out, "mean")
    if items is not None:
        cli_score.write_table(pd.concat(ends, ignore_index=True), items, "score")


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
            arrays = work.stored(cache) or work.compute(cache, Hooks())
            scored = own_scores.scored_items(study, result.items, places, arrays)
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
        cli_score.write_table(tables.stability_table(study, moved), stability, "mean")
        for one in moved:
            print(_advice(one))
    if budget is not None:
        errors = [budgets.budget(totals, metric.name, seed) for metric in metrics]
        cli_score.write_table(tables.budget_table(study, errors), budget, "standard_error")


def _advice(one: Stability) -> str:
    from metrics.bootstrap import LEAST

    start = f"{one.metric}: "
    if len(one.full) < 2:
        return f"{start}one run, so that there is no order."
    if one.n < LEAST:
        return f"{start}{one.n} items are too few to test the order of the runs."
    if not one.pairs:
        return f"{start}the order is not significant; more items would settle it sooner than more references."
    size = one.steady or one.sizes[-1]
    others = "another reference" if size == 1 else f"{size} other references"
    share = f"{one.swapped[one.sizes.index(size)]:.1%} of {one.pairs} significant pairs of runs"
    return f"{start}with {others}, {share} change places{'' if one.steady else ', so that more may be needed'}."


def _totals(study: Study, made: Design, metrics: tuple[Metric, ...], cache: Cache) -> SubsetTotals:
    from metrics.analysis import artifacts
    from metrics.analysis.references import totals

    work = artifacts.subset_totals(study, made, metrics, cache)
    arrays = work.stored(cache)
    if arrays is None:
        with progress_bar.working("Scoring with fewer references") as hooks:
            arrays = work.compute(cache, hooks)
    return totals.from_arrays(study, made, metrics, arrays)

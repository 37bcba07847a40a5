"""`trilens slices`: where one run is better or worse than another, as on the Slices page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from data.study import Study
from metrics.cli import complete, output
from metrics.cli import score as cli_score
from metrics.cli.options import Seed
from metrics.cli.plugins import Plugin
from metrics.cli.progress_bar import working
from metrics.cli.score import Idf, KeepGoing, Recompute
from metrics.cli.score_directions import Direction, check_metrics
from metrics.cli.word_vectors import Vectors
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    from metrics.analysis.slices.differences import Design, SliceDifferences, Values
    from metrics.base import Metric
    from metrics.cache.disk import Cache

SHOWN = ("kind", "field", "slice", "n", "difference", "ci_low", "ci_high", "elsewhere", "p_value", "p_adjusted")


class Correct(StrEnum):
    """How p is corrected over all slices."""

    holm = "holm"
    bh = "bh"


def slices(
    files: Annotated[list[Path], typer.Argument(help="Files with captions of runs and references, or a study bundle.")],
    runs: Annotated[
        tuple[str, str] | None,
        typer.Option(help="Runs A B: A minus B, the baseline. By default the second against the first in FILES."),
    ] = None,
    run: Annotated[str | None, typer.Option(help="One run, against its own mean, instead of two.")] = None,
    metric: Annotated[str, typer.Option(help="A metric with a value for each item.")] = "cider_d",
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    fewest: Annotated[int | None, typer.Option(help="Fewest items; 10 by default, 5 below 100 items.", min=2)] = None,
    correction: Annotated[Correct, typer.Option(help="holm, or bh: a share of false findings.")] = Correct.holm,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")] = None,
    idf: Idf = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Where results are kept.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep nothing.")] = False,
    seed: Seed = 0,
    keep_going: KeepGoing = False,
    recompute: Recompute = False,
    plugin: Plugin = None,
    scores_direction: Direction = None,
    vectors: Vectors = None,
) -> None:
    """Find slices on which the difference between two runs is unlike that on the other items.

    A slice is a word that people use, a quarter of the items by the length or the agreement of their references, or a
    value of the metadata. The p is that of a permutation of the differences over all items, corrected over all slices.
    """
    from metrics.analysis.slices import differences as analysis

    cli_score.check_out(out, [*files, references, idf])
    check_metrics(metric, files)
    given = cli_score.given_idf(idf)
    study, loaded = cli_score.load_study_or_exit(files, references, keep_going, recompute, directions=scores_direction)
    first, second = _runs(study, runs, run)
    chosen = _one(cli_score.chosen_metrics(metric, study, loaded=loaded))
    (wanted,) = cli_score.with_frequencies_of((chosen,), cli_score.frequencies_in_force(given, loaded))
    cache = cli_score.open_cache(cache_dir, no_cache, loaded.numbers)
    least = fewest if fewest is not None else analysis.fewest(len(study.items))
    values = _values(study, wanted, analysis.Design(first, second, least, seed=seed), cache)
    _give(values, _compared(study, values, correction, cache), out)


def _runs(study: Study, two: tuple[str, str] | None, one: str | None) -> tuple[str, str | None]:
    """The runs of these options, the baseline last: by default the first, as in `compare`. Exit 2 for others."""
    known = [run.name for run in study.runs]
    if not known:
        output.fail("slices compare runs, and these files have captions of none")
    if two is not None and one is not None:
        output.fail("give --runs A B or --run A, not both")
    for name in [*(two or ()), *([one] if one is not None else [])]:
        complete.require_run(name, study)
    if one is not None:
        return one, None
    if two is not None:
        return (two[0], two[1]) if two[0] != two[1] else output.fail("a run does not differ from itself: name another")
    if len(known) == 1:
        output.warn(f"run: {known[0]}, the only one, against its own mean")
        return known[0], None
    output.warn(f"{known[1]} against the baseline {known[0]}, the first run; --runs names others")
    return known[1], known[0]


def _one(chosen: tuple[Metric, ...]) -> Metric:
    """The metric, if it is one; exit 2 for several."""
    if len(chosen) != 1:
        output.fail(f"--metric takes one metric, not {len(chosen)}")
    return chosen[0]


def _values(study: Study, metric: Metric, design: Design, cache: Cache) -> Values:
    from metrics.analysis.slices import differences as analysis

    of_runs = study.only(runs=[design.first, *([design.second] if design.second is not None else [])])
    results = cli_score.compute_results(of_runs, analysis.needed(study, metric), Options(seed=design.seed), cache)
    values = analysis.values(study, results, metric, design)
    if isinstance(values, str):
        return output.fail(f"{metric.name}: {values}")
    return values


def _compared(study: Study, values: Values, correction: Correct, cache: Cache) -> SliceDifferences:
    from metrics.analysis import artifacts
    from metrics.analysis.slices import differences as analysis

    work = artifacts.slices(study, values)
    arrays = work.stored(cache)
    if arrays is None:
        with working("Comparing slices") as hooks:
            arrays = work.compute(cache, hooks)
    return analysis.differences(values, arrays, correction.value)


def _give(values: Values, found: SliceDifferences, out: Path | None) -> None:
    """Print or write the table, and say how many slices differ."""
    from metrics.analysis.slices.table import as_table

    if found.without_words:
        output.warn("words of references are left out: they take the PTB tokenizer, which needs Java")
    if values.agreement_decides:
        output.warn("slices by agreement are left out: where people agree, anybody scores higher; --runs compares two")
    if not found.rows:
        output.warn(f"no slice has {values.design.fewest} items or more inside and outside: lower --fewest")
    table = as_table(values, found)
    if out is None:
        cli_score.print_table(table, SHOWN)
    else:
        cli_score.write_table(table, out, "p_value")
    corrected = {"holm": "Holm", "bh": "Benjamini-Hochberg"}[found.correction]
    told = f"{len(found.found):,} of {len(found.rows):,} slices differ from the other items after {corrected}"
    output.warn(f"{told}; all {found.n:,} items: {found.overall:.4g}")

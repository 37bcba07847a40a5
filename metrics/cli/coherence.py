"""`python -m metrics coherence`: how a metric scores captions of each coherence label, as on the Coherence page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metrics.cli import output
from metrics.cli import score as cli_score
from metrics.cli.options import Network, Seed
from metrics.cli.plugins import Plugin
from metrics.cli.score import Idf, KeepGoing, Recompute
from metrics.cli.score_directions import Direction, check_metrics
from metrics.cli.word_vectors import Vectors
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    from data.study import Study
    from metrics.base import Metric

SHOWN = ("run", "label", "value", "low", "high", "captions", "images", "share", "people")


def coherence(
    files: Annotated[list[Path], typer.Argument(help="Files with captions and their coherence labels, or a bundle.")],
    metric: Annotated[str, typer.Option(help="A metric with a score of each caption.")] = "cider_d",
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
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
    cosmic: Network = None,
) -> None:
    """Print the mean score of each run's captions with each coherence label, and how often runs and people use it.

    Intervals are over images, each drawn with all of its captions.
    """
    from metrics.analysis.coherence_labels import by_label, table

    cli_score.check_out(out, [*files, references, idf])
    check_metrics(metric, files)
    given = cli_score.given_idf(idf, "ptb")
    study, loaded = cli_score.load_study_or_exit(files, references, keep_going, recompute, directions=scores_direction)
    chosen = _one(study, cli_score.chosen_metrics(metric, study, cosmic=cosmic))
    wanted = cli_score.with_frequencies_of((chosen,), cli_score.frequencies_in_force(given, loaded))
    cache = cli_score.open_cache(cache_dir, no_cache, loaded.numbers)
    results = cli_score.compute_results(study, wanted, Options(seed=seed), cache)
    made = table(by_label(study, results, wanted[0]))
    cli_score.print_table(made, SHOWN)
    if out is not None:
        cli_score.write_table(made, out)
    cli_score.exit_if_failed(results)


def _one(study: Study, metrics: tuple[Metric, ...]) -> Metric:
    """The only metric, which has a score of each caption; exit 2 for others, and for a study without labels."""
    if not any(run.coherence for run in study.runs):
        output.fail("no caption has a coherence label: give `coherence` with the captions, as docs/formats.md says")
    if len(metrics) != 1 or metrics[0].grain != "candidate":
        output.fail("--metric takes one metric with a score of each caption, such as cider_d")
    return metrics[0]

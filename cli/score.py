"""`trilens score`: write SCORES for the given files, with progress on stderr."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import reading, score_by_run
from cli.bundle_numbers import report_foreign
from cli.judge_options import USUAL_LIMIT, Judge, JudgeLimit, JudgeModel, Judging, judged, split_metrics
from cli.metric_sets import with_ratings
from cli.options import Jobs, Network, Tokenizer
from cli.output import warn
from cli.reading import Given, Metrics, with_given
from cli.score_chance import WithChance, Within, asked, with_chance
from cli.score_directions import check_metrics
from cli.score_p_values import with_run_tests
from cli.table_output import print_scores, write_table
from data.study import Tokenizer as Splits
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    from metrics.engine import scores_table
    from metrics.engine.workers import Backend
    from metrics.text.cider import DocumentFrequencies


BY_RUN = (
    "Read and score one run at a time, with the memory of one: for a large file of Trilens JSON Lines. The numbers are "
    "the same; TMPDIR must have room for the file and the references of each run."
)


class Level(StrEnum):
    """The level of detail to which one row of the table belongs."""

    corpus = "corpus"
    item = "item"
    candidate = "candidate"


@with_given("Prediction and reference files.")
def score(
    given: Given,
    metrics: Metrics = "fast",
    p_values: Annotated[bool, typer.Option("--p-values", help="Permutation tests of items and of each run.")] = False,
    level: Annotated[list[Level] | None, typer.Option(help="Rows to write; repeat for several.")] = None,
    tokenizer: Tokenizer = None,
    encoder: Annotated[str | None, typer.Option(help="SentenceTransformer by name or folder.")] = None,
    jobs: Jobs = 2,
    scheduler: Annotated[str | None, typer.Option(help="Dask scheduler, tcp://host:8786.")] = None,
    cosmic: Network = None,
    long: Annotated[bool, typer.Option("--long", help="Print one row per number on the screen, too.")] = False,
    by_run: Annotated[bool, typer.Option("--by-run", help=BY_RUN)] = False,
    chance: WithChance = False,
    chance_within: Within = None,
    judge: Judge = None,
    judge_model: JudgeModel = None,
    judge_limit: JudgeLimit = USUAL_LIMIT,
) -> None:
    """Score the runs in FILES.

    Exit status: 0 if every number that these captions allow was computed (rows with `error` state why the other numbers
    are impossible), 1 if some failed, 2 for bad input.
    """
    idf = reading.given_idf(given.idf, tokenizer)
    metrics, judging = split_metrics(metrics, judge, judge_model, judge_limit)
    check_metrics(metrics, given.files)
    levels: list[scores_table.Level] = [one.value for one in level or [Level.corpus]]
    options = Options(p_values=p_values, seed=given.seed)
    wanted = _Wanted(metrics, tokenizer, encoder, cosmic, idf, options, levels, asked(chance, chance_within), judging)
    with (
        reading.workers(scheduler, jobs, not given.no_cache) as backend,
        score_by_run.parts(given.files, given.references, by_run) as parts,
    ):
        done = score_by_run.joined(_score(replace(given, files=part), lacks, wanted, backend) for part, lacks in parts)
    _give(done, given.out, p_values, long)


@dataclass(frozen=True)
class _Wanted:
    metrics: str
    tokenizer: Splits | None
    encoder: str | None
    cosmic: Path | None
    idf: DocumentFrequencies | None
    options: Options
    levels: list[scores_table.Level]
    within: str | None
    judging: Judging | None = None


def _score(given: Given, lacks: int, wanted: _Wanted, backend: Backend) -> score_by_run.Scored:
    """Return the scores of the given files.

    If the files contain only one of several runs, `lacks` is the number of items that only other runs describe; else 0.
    """
    from figures.notes.hazards import few_texts
    from metrics.engine.scores_table import scores

    study, loaded, cache = given.study()
    if lacks:
        study = replace(study, lacking={run.name: lacks for run in study.runs})
    idf = reading.frequencies_in_force(wanted.idf, loaded, wanted.tokenizer)
    study, names = judged(study, wanted.metrics, wanted.judging, cache)
    chosen = reading.chosen_metrics(
        with_ratings(names, study), study, wanted.tokenizer, wanted.encoder, wanted.cosmic, loaded
    )
    metrics = reading.with_frequencies_of(chosen, idf)
    results = reading.compute_results(study, metrics, wanted.options, cache, backend)
    report_foreign(study, cache, idf)
    warnings = few_texts(study, metrics, study.runs, {run.name: run.name for run in study.runs})
    made = with_run_tests(scores(study, results, wanted.levels), study, results, wanted.options, cache)
    made = with_chance(made, study, results, wanted.within, wanted.options.seed, cache)
    return score_by_run.Scored.of(study, made, results, warnings)


def _give(done: score_by_run.Scored, out: Path | None, p_values: bool, long: bool) -> None:
    """Print or write the table and its warnings; exit with status 1 if any number could not be computed."""
    if out is None:
        print_scores(done.table, p_values, long)
    else:
        write_table(done.table, out)
    for sentence in done.warnings:
        warn(sentence)
    if done.failed:
        raise typer.Exit(1)

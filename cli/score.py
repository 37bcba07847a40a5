"""`trilens score`: write SCORES for the given files, with progress on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from cli import by_runs, findings, network
from cli.able import able, explain, with_ratings
from cli.bundle_numbers import BundleNumbers, report_foreign
from cli.chance import WithChance, Within, asked, with_chance
from cli.clusters import MAPPED, in_clusters
from cli.complete import require_complete, require_run, run_of_file
from cli.given_tables import check_out as check_out
from cli.given_tables import give_table as give_table
from cli.given_tables import print_scores
from cli.given_tables import print_table as print_table
from cli.given_tables import write_table as write_table
from cli.hidden_runs import shown_runs
from cli.judges import USUAL_LIMIT, Judge, JudgeLimit, JudgeModel, Judging, judged, split_metrics
from cli.options import Idf as Idf
from cli.options import Jobs as Jobs
from cli.options import KeepGoing as KeepGoing
from cli.options import Network
from cli.options import Recompute as Recompute
from cli.options import Seed as Seed
from cli.options import Tokenizer as Tokenizer
from cli.output import fail as fail
from cli.output import warn
from cli.plugins import Plugin
from cli.progress_bar import scoring
from cli.run_tests import with_run_tests
from cli.score_directions import Direction, check_metrics, check_names, sides
from cli.word_vectors import Vectors
from data.check import direct
from data.load import Loaded, load_study
from data.records import Columns
from data.study import DataError, Study
from data.study import Tokenizer as Splits
from data.unpack import hf_folders
from metrics.cache.disk import Cache, default_directory
from metrics.engine.scoring import Results
from metrics.engine.tasks import Options
from metrics.progress import Unable

if TYPE_CHECKING:
    from metrics.base import Metric
    from metrics.engine import table
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


def score(
    files: Annotated[list[Path], typer.Argument(help="Prediction and reference files.")],
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    metrics: Annotated[str, typer.Option(help="fast, full, paper, or names separated by commas.")] = "fast",
    p_values: Annotated[bool, typer.Option("--p-values", help="Permutation tests of items and of each run.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")] = None,
    level: Annotated[list[Level] | None, typer.Option(help="Rows to write; repeat for several.")] = None,
    tokenizer: Tokenizer = None,
    encoder: Annotated[str | None, typer.Option(help="SentenceTransformer by name or folder.")] = None,
    idf: Idf = None,
    jobs: Jobs = 2,
    scheduler: Annotated[str | None, typer.Option(help="Dask scheduler, tcp://host:8786.")] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Folder for cached results.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Cache nothing.")] = False,
    seed: Seed = 0,
    keep_going: KeepGoing = False,
    recompute: Recompute = False,
    plugin: Plugin = None,
    scores_direction: Direction = None,
    vectors: Vectors = None,
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

    Exit status: 0 if every number that these captions allow was computed (rows with `error` say why others are not
    possible), 1 if some failed, 2 for bad input.
    """
    given = given_idf(idf, tokenizer)
    check_out(out, [*files, references, idf])
    metrics, judging = split_metrics(metrics, judge, judge_model, judge_limit)
    check_metrics(metrics, files)
    source = _Source(files, references, keep_going, recompute, scores_direction)
    levels: list[table.Level] = [one.value for one in level or [Level.corpus]]
    options = Options(p_values=p_values, seed=seed)
    wanted = _Wanted(metrics, tokenizer, encoder, cosmic, given, options, levels, asked(chance, chance_within), judging)
    opened = partial(open_cache, cache_dir, no_cache)
    with workers(scheduler, jobs, not no_cache) as backend:
        done = _scored(source, wanted, opened, backend, by_run)
    _give(done, out, p_values, long)


Opened = Callable[[Mapping[str, bytes]], Cache]
"""A function that returns the cache, with the numbers of a bundle."""


@dataclass(frozen=True)
class _Source:
    """The files to read, and how; for a single run of several, also the number of items that only other runs
    describe.
    """

    files: list[Path]
    references: Path | None
    keep_going: bool
    recompute: bool
    directions: Sequence[str] | None
    lacks: int = 0


@dataclass(frozen=True)
class _Wanted:
    metrics: str
    tokenizer: Splits | None
    encoder: str | None
    cosmic: Path | None
    idf: DocumentFrequencies | None
    options: Options
    levels: list[table.Level]
    within: str | None
    judging: Judging | None = None


def _scored(source: _Source, wanted: _Wanted, opened: Opened, backend: Backend, by_run: bool) -> by_runs.Scored:
    with by_runs.parts(source.files, source.references, by_run) as parts:
        return by_runs.joined(
            _score(replace(source, files=part, lacks=lacks), wanted, opened, backend) for part, lacks in parts
        )


def _score(source: _Source, wanted: _Wanted, opened: Opened, backend: Backend) -> by_runs.Scored:
    from figures.notes.hazards import few_texts
    from metrics.engine.table import scores

    study, loaded = load_study_or_exit(
        source.files, source.references, source.keep_going, source.recompute, directions=source.directions
    )
    if source.lacks:
        study = replace(study, lacking={run.name: source.lacks for run in study.runs})
    idf = frequencies_in_force(wanted.idf, loaded, wanted.tokenizer)
    cache = opened(loaded.numbers)
    study, names = judged(study, wanted.metrics, wanted.judging, cache)
    chosen = chosen_metrics(with_ratings(names, study), study, wanted.tokenizer, wanted.encoder, wanted.cosmic, loaded)
    metrics = with_frequencies_of(chosen, idf)
    results = compute_results(study, metrics, wanted.options, cache, backend)
    report_foreign(study, cache, idf)
    warnings = few_texts(study, metrics, study.runs, {run.name: run.name for run in study.runs})
    made = with_run_tests(scores(study, results, wanted.levels), study, results, wanted.options, cache)
    made = with_chance(made, study, results, wanted.within, wanted.options.seed, cache)
    return by_runs.Scored.of(study, made, results, warnings)


def exit_if_failed(results: Results) -> None:
    """Exit 1 if some number could not be computed."""
    if any(result.error for result in results.values()):
        raise typer.Exit(1)


def _give(done: by_runs.Scored, out: Path | None, p_values: bool, long: bool) -> None:
    """Print or write the table and its warnings; exit 1 if some number could not be computed."""
    if out is None:
        print_scores(done.table, p_values, long)
    else:
        write_table(done.table, out)
    for sentence in done.warnings:
        warn(sentence)
    if done.failed:
        raise typer.Exit(1)


def load(files: list[Path], references: Path | None, keep_going: bool = False) -> Loaded:
    """Read files; exit 2 if one does not exist, or leave it out with a warning if `keep_going` is set.

    A missing file of references always ends the command, since every number that uses references would be missing.
    """
    absent = {path: why for path in [*files, *([references] if references else [])] if (why := _absent(path))}
    for path, why in absent.items():
        if not keep_going or path == references:
            fail(f"{path}: {why}")
        warn(f"{path}: {why}. {run_of_file(path.name)} is missing from the comparison.")
    known = [references] if references and references not in absent else []
    paths = [path for path in files if path not in absent]
    return in_clusters(load_study(paths, references=known, columns=MAPPED.get() or Columns()))


def _absent(path: Path) -> str | None:
    try:
        if path.is_dir() and not hf_folders(path):
            return "this is a folder; name the files in it"
        return None if path.exists() else "there is no such file"
    except OSError as error:
        return error.strerror or type(error).__name__


def open_cache(directory: Path | None, no_cache: bool, given: Mapping[str, bytes] | None = None) -> Cache:
    """Return the cache of the command line, backed by the demo's results and the entries of a study bundle."""
    from data.demo import LAYERS

    directory = directory or default_directory()
    if directory is None and not no_cache:
        warn("there is no home folder to keep results in: name one by --cache-dir or TRILENS_CACHE")
    return Cache(None if no_cache else directory, LAYERS, given=BundleNumbers(given or {}))


def given_idf(path: Path | None, tokenizer: Splits | None = None) -> DocumentFrequencies | None:
    """Return the frequencies that `--idf` names, or None without it; exit 2 if they cannot be used."""
    from metrics.distances import document_frequencies

    if path is None:
        return None
    if (why := _absent(path)) is not None:
        fail(f"{path}: {why}")
    try:
        return document_frequencies.checked(document_frequencies.read(path, tokenizer or "ptb"), path.name)
    except OSError as error:
        return fail(f"{path}: {error.strerror}")
    except DataError as error:
        return fail(str(error))


def frequencies_in_force(
    given: DocumentFrequencies | None, loaded: Loaded, tokenizer: Splits | None = None
) -> DocumentFrequencies | None:
    """Return the frequencies that `--idf` names, or else those of a study bundle, with a message; exit 2 for bad
    ones.
    """
    from metrics.distances import document_frequencies

    own: Splits = "ptb" if loaded.study is None else loaded.study.tokenizer
    if given is not None and tokenizer is None and own != "ptb":
        return fail(f"--idf: this study is split into words by {own}; score and compare take --tokenizer {own} with it")
    if given is not None or loaded.idf is None:
        return given
    try:
        found = document_frequencies.of_file(loaded.idf, tokenizer or own)
    except DataError as error:
        return fail(str(error))
    if found is not None:
        report = f"{loaded.idf.name} ({found.documents:,} items, idf:{found.digest[:12]})"
        warn(f"CIDEr-D takes the document frequencies in {report}; --idf takes others.")
    return found


def with_frequencies_of(
    metrics: tuple[Metric, ...], idf: DocumentFrequencies | None, tokenizer: str = "ptb"
) -> tuple[Metric, ...]:
    """Return the metrics, with these document frequencies and this tokenizer where applicable."""
    from metrics.registry import given_to

    return tuple(given_to(metric, idf, tokenizer) for metric in metrics)


def chosen_metrics(
    names: str,
    study: Study,
    tokenizer: str | None = None,
    encoder: str | None = None,
    cosmic: Path | None = None,
    loaded: Loaded | None = None,
    default: str = "fast",
) -> tuple[Metric, ...]:
    """Return the metrics of these comma-separated names or sets; exit 2 for none, an unknown one, or an absent encoder.

    A set, or the `default` of a command, is reduced to the metrics that this machine can compute. COSMic uses the
    network that `cosmic` names, or else that of a bundle in `loaded`.
    """
    from metrics.parameters import split
    from metrics.registry import resolve
    from metrics.text.encoder import missing

    try:
        if not (named := split(names)):
            fail("Name a metric or a set: `trilens list` shows all.")
        found = resolve(named, tokenizer, encoder, study=study, cosmic=cosmic)
    except ValueError as error:
        return fail(str(error))
    if encoder and any("encoder" in metric.needs for metric in found) and (why := missing(encoder)):
        fail(why)
    explain(named, study)
    asked = [] if names == default else named
    return able(network.in_force(found, study, loaded), asked, study, loaded.numbers if loaded else {})


def metrics_in_force(
    names: str,
    study: Study,
    loaded: Loaded,
    idf: DocumentFrequencies | None,
    cosmic: Path | None = None,
    default: str = "fast",
) -> tuple[Metric, ...]:
    """Return the chosen metrics, with these document frequencies where applicable."""
    return with_frequencies_of(chosen_metrics(names, study, cosmic=cosmic, loaded=loaded, default=default), idf)


def load_study_or_exit(
    files: list[Path],
    references: Path | None,
    keep_going: bool = False,
    recompute: bool = False,
    run: str | None = None,
    directions: Sequence[str] | None = None,
    all_runs: bool = False,
) -> tuple[Study, Loaded]:
    """Return the study in these files, and everything else that was read, such as the numbers of bundles.

    Runs that are hidden in a bundle are left out, with a message, unless `all_runs` or `--all-runs` is set. Exit 2 if
    there is no study, if it lacks part of a file and `keep_going` is not set, or if it has no run named `run`; the
    latter is reported before findings that cannot be the reason.
    """
    from metrics.analysis.bundle import checked

    higher = sides(directions or ())
    loaded = direct(checked(load(files, references, keep_going)), higher)
    study = loaded.study if all_runs or loaded.study is None else shown_runs(loaded.study, loaded)
    if run is not None and study and not loaded.unread and not loaded.runs_left_out:
        require_run(run, study)
    findings.show(loaded, Console(stderr=True))
    study = study or fail("nothing to compare: see the findings above")
    check_names(study, higher)
    require_complete(loaded, keep_going)
    return study, replace(loaded, numbers={}) if recompute else loaded


@contextmanager
def workers(scheduler: str | None, jobs: int, keeps: bool) -> Iterator[Backend]:
    """Yield threads of this machine, or a cluster; exit 2 if it cannot be reached, 1 if it is lost before the end."""
    from metrics.engine.workers import Workers

    if scheduler is None:
        yield Workers(jobs=jobs, spread=keeps)
        return
    from metrics.engine.cluster import connected

    def report(text: str) -> None:
        Console(stderr=True).print(escape(f"{text}."), style="yellow", highlight=False, soft_wrap=True)

    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(connected(scheduler, report))
        except Unable as error:
            fail(f"{error}.")
        try:
            yield cluster
        except Unable as error:
            report(f"{error}. What was finished is kept: the same command resumes from there" if keeps else str(error))
            raise typer.Exit(1) from None


def compute_results(
    study: Study, metrics: tuple[Metric, ...], options: Options, cache: Cache, workers: Backend | None = None
) -> Results:
    """Return results, with a progress bar on stderr; a message first names what this machine cannot compute."""
    from figures.style.wording import names_in_a_row
    from metrics.engine import scoring as engine

    unmet = engine.plan(study, metrics, options, cache).unmet
    for why in dict.fromkeys(unmet.values()):
        warn(f"{names_in_a_row([name for name in unmet if unmet[name] == why])}: {why}")
    with scoring() as callbacks:
        return engine.score(study, metrics, options, cache, callbacks, workers)

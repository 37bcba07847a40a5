"""Steps that commands share: take files and options, read the study in the files, choose metrics, and score."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from cli import bundle_network, findings
from cli.bundle_numbers import BundleNumbers
from cli.file_options import MAPPED, in_clusters
from cli.hidden_runs import shown_runs
from cli.metric_sets import able, explain
from cli.options import Idf, KeepGoing, Recompute, Seed
from cli.output import fail, warn
from cli.plugins import Plugin
from cli.progress_bar import scoring
from cli.required import require_complete, require_run, run_of_file
from cli.score_directions import Direction, check_names, sides
from cli.table_output import check_out
from cli.word_vectors import Vectors
from data.check import direct
from data.load import Loaded, load_study
from data.records import Columns
from data.study import DataError, Study
from data.study import Tokenizer as Splits
from metrics.cache.disk import Cache, default_directory
from metrics.engine.scoring import Results
from metrics.engine.tasks import Options
from metrics.progress import Unable

if TYPE_CHECKING:
    from metrics.base import Metric
    from metrics.engine.workers import Backend
    from metrics.text.cider import DocumentFrequencies

Metrics = Annotated[str, typer.Option(help="fast, full, paper, or names separated by commas.")]
REFERENCES = Annotated[Path | None, typer.Option(help="File of references.")]
OPTIONS: dict[str, tuple[Any, Any]] = {
    "out": (Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")], None),
    "idf": (Idf, None),
    "cache_dir": (Annotated[Path | None, typer.Option(help="Where results are kept.")], None),
    "no_cache": (Annotated[bool, typer.Option("--no-cache", help="Keep nothing.")], False),
    "seed": (Seed, 0),
    "keep_going": (KeepGoing, False),
    "recompute": (Recompute, False),
    "plugin": (Plugin, None),
    "scores_direction": (Direction, None),
    "vectors": (Vectors, None),
}
"""The type and the default of each shared option, by the name of its field in `Given`."""


@dataclass(frozen=True)
class Given:
    """The values of the argument FILES, of `--references` and of OPTIONS."""

    files: list[Path]
    references: Path | None = None
    out: Path | None = None
    idf: Path | None = None
    cache_dir: Path | None = None
    no_cache: bool = False
    seed: int = 0
    keep_going: bool = False
    recompute: bool = False
    plugin: list[Path] | None = None
    scores_direction: list[str] | None = None
    vectors: Path | None = None

    @property
    def paths(self) -> list[Path | None]:
        """The paths of all files that are read; None for options that were not given."""
        return [*self.files, self.references, self.idf, self.vectors, *(self.plugin or ())]

    def study(self, run: str | None = None) -> tuple[Study, Loaded, Cache]:
        """Return the study, everything else that was read, and the cache.

        Exit with status 2 for bad input, or if `run` does not exist.
        """
        study, loaded = load_study_or_exit(
            self.files, self.references, self.keep_going, self.recompute, run, self.scores_direction
        )
        return study, loaded, self.cache(loaded)

    def cache(self, loaded: Loaded) -> Cache:
        """Return the cache, with the numbers of the bundle that was read."""
        return open_cache(self.cache_dir, self.no_cache, loaded.numbers)

    def study_and_frequencies(
        self, run: str | None = None, tokenizer: Splits | None = None
    ) -> tuple[Study, Loaded, Cache, DocumentFrequencies | None]:
        """Return the results of `study`, and the document frequencies of `--idf` or else of the bundle, if any."""
        given = given_idf(self.idf, tokenizer)
        study, loaded, cache = self.study(run)
        return study, loaded, cache, frequencies_in_force(given, loaded, tokenizer)


def with_given(files: str, *without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command the argument FILES, `--references`, and all OPTIONS not in `without`.

    `files` is the help of FILES. The command takes the values of all of these as one `Given`, before its own options.
    `--out` is checked before the command runs.
    """

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        shared = {name: option for name, option in OPTIONS.items() if name not in without}

        @functools.wraps(command)
        def run(**values: Any) -> None:
            given = Given(**{name: values.pop(name) for name in ("files", "references", *shared) if name in values})
            check_out(given.out, given.paths)
            command(given, **values)

        parameter = functools.partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        parameters = [
            parameter("files", annotation=Annotated[list[Path], typer.Argument(help=files)]),
            parameter("references", annotation=REFERENCES, default=None),
            *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own),
            *(parameter(name, annotation=kind, default=default) for name, (kind, default) in shared.items()),
        ]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorated


def load(files: list[Path], references: Path | None, keep_going: bool = False) -> Loaded:
    """Read files; exit with status 2 for a missing file or, if `keep_going` is set, leave it out with a warning.

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
        if path.is_dir() and not any(path.iterdir()):
            return "this folder is empty"
        return None if path.exists() else "there is no such file"
    except OSError as error:
        return error.strerror or type(error).__name__


def open_cache(directory: Path | None, no_cache: bool, given: Mapping[str, bytes] | None = None) -> Cache:
    """Return the cache of the command line, backed by the demo's results and the entries of a study bundle.

    With `no_cache`, nothing is kept on disk; a warning says so if there is no folder to keep results in.
    """
    from data.demo import LAYERS

    directory = directory or default_directory()
    if directory is None and not no_cache:
        warn("there is no home folder to keep results in: name one with --cache-dir or TRILENS_CACHE")
    return Cache(None if no_cache else directory, LAYERS, given=BundleNumbers(given or {}))


def given_idf(path: Path | None, tokenizer: Splits | None = None) -> DocumentFrequencies | None:
    """Return the frequencies that `--idf` names, or None without it; exit with status 2 if they cannot be used."""
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
    """Return the frequencies that `--idf` names, else those of a study bundle, with a message, else None.

    Exit with status 2 if they cannot be used.
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
    """Return the metrics of comma-separated names or sets.

    A set, or the `default` of a command, is reduced to the metrics that this machine can compute. COSMic uses the
    network that `cosmic` names, or else the network of a bundle in `loaded`. Exit with status 2 if there is no name, or
    if one cannot be used.
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
    return able(bundle_network.in_force(found, study, loaded), asked, study, loaded.numbers if loaded else {})


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

    Runs that are hidden in a bundle are left out, with a message, unless `all_runs` or `--all-runs` is set. With
    `recompute`, the numbers of bundles are dropped. Exit with status 2 for bad input: if there is no study, for
    example, or no run named `run`, or if part of a file is lacking and `keep_going` is not set; a missing run is
    reported before findings that do not explain it.
    """
    from metrics.analysis.bundle import checked

    higher = sides(directions or ())
    loaded = direct(checked(load(files, references, keep_going)), higher)
    study = loaded.study if all_runs or loaded.study is None else shown_runs(loaded.study, loaded)
    if run is not None and study and not loaded.unread and not loaded.lacking:
        require_run(run, study)
    findings.show(loaded, Console(stderr=True))
    study = study or fail("nothing to compare: see the findings above")
    check_names(study, higher)
    require_complete(loaded, keep_going)
    return study, replace(loaded, numbers={}) if recompute else loaded


@contextmanager
def workers(scheduler: str | None, jobs: int, keeps: bool) -> Iterator[Backend]:
    """Yield the workers of this machine or of a cluster.

    `keeps` states whether results are cached, so that work can be spread over processes and resumed. Exit with status 2
    if the cluster cannot be reached, 1 if it is lost later.
    """
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
    """Return results, with a progress bar on stderr; a message first names the metrics that this machine cannot
    compute.
    """
    from figures.style.wording import names_in_a_row
    from metrics.engine import scoring as engine

    unmet = engine.plan(study, metrics, options, cache).unmet
    for why in dict.fromkeys(unmet.values()):
        warn(f"{names_in_a_row([name for name in unmet if unmet[name] == why])}: {why}")
    with scoring() as callbacks:
        return engine.score(study, metrics, options, cache, callbacks, workers)


def exit_if_failed(results: Results) -> None:
    """Exit with status 1 if the computation of any number failed."""
    if any(result.error for result in results.values()):
        raise typer.Exit(1)

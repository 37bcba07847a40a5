"""`python -m metrics score`: files in, SCORES out, progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from data.load import Loaded, load_study
from data.study import Study
from metrics.cache import Cache, default_directory
from metrics.cli_progress import scoring
from metrics.engine import Results
from metrics.tasks import Options

if TYPE_CHECKING:
    import pandas as pd

    from metrics.backend import Workers
    from metrics.base import Metric


class Level(StrEnum):
    """What one row of the table is about."""

    corpus = "corpus"
    item = "item"
    candidate = "candidate"


class Tokenizer(StrEnum):
    """How captions become words."""

    ptb = "ptb"
    whitespace = "whitespace"


def score(
    files: Annotated[list[Path], typer.Argument(help="Prediction and reference files.")],
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    metrics: Annotated[str, typer.Option(help="fast, full, paper, or names joined by commas.")] = "fast",
    p_values: Annotated[bool, typer.Option("--p-values", help="Permutation tests of items and of each run.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")] = None,
    level: Annotated[list[Level] | None, typer.Option(help="Rows to give; repeat for several.")] = None,
    tokenizer: Annotated[Tokenizer, typer.Option(help="ptb (as COCO) or whitespace.")] = Tokenizer.ptb,
    encoder: Annotated[str | None, typer.Option(help="SentenceTransformer by name or folder.")] = None,
    jobs: Annotated[int, typer.Option(help="Chunks at once.")] = 2,
    scheduler: Annotated[str | None, typer.Option(help="Dask scheduler, tcp://host:8786.")] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Where results are kept.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep nothing.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of bootstrap, draws and samples.")] = 0,
) -> None:
    """Score the runs in FILES. Exit 0: all numbers there; 1: some could not be computed; 2: bad input."""
    wanted = chosen_metrics(metrics, tokenizer.value, encoder)
    check_out(out)
    study, loaded = load_whole(files, references)
    options = Options(p_values=p_values, seed=seed)
    with _workers(scheduler, jobs) as workers:
        results = computed(study, wanted, options, open_cache(cache_dir, no_cache, loaded.numbers), workers)
    from metrics.table import scores

    table = scores(study, results, [chosen.value for chosen in level or [Level.corpus]])
    if out is None:
        print_scores(table, p_values)
    else:
        write_table(table, out)
    if any(result.error for result in results.values()):
        raise typer.Exit(1)


def load(files: list[Path], references: Path | None) -> Loaded:
    """Read files, exit 2 if one is not there."""
    for path in [*files, *([references] if references else [])]:
        if not path.is_file():
            fail(f"{path}: there is no such file")
    return load_study(files, references=[references] if references else ())


def fail(message: str) -> Any:
    """Say what is wrong on stderr and exit 2."""
    Console(stderr=True).print(escape(message), style="red", highlight=False, soft_wrap=True)
    raise typer.Exit(2)


def print_findings(loaded: Loaded, console: Console) -> None:
    """What was read and everything that was found, worst first."""
    for file in loaded.files:
        console.print(escape(f"{file.name}: {file.format}"), highlight=False)
    table = Table("", "file", "record", "id", "problem", "repair", box=None, pad_edge=False)
    for finding in loaded.findings:
        cells = (finding.severity, finding.file, finding.record, finding.id, finding.problem, finding.repair)
        table.add_row(*(escape("" if cell is None else str(cell)) for cell in cells))
    if loaded.findings:
        console.print(table)


def open_cache(directory: Path | None, no_cache: bool, given: Mapping[str, bytes] | None = None) -> Cache:
    """The cache of the command line, with the demo's results behind it and those that a study bundle gave."""
    from data.demo import LAYERS

    return Cache(None if no_cache else directory or default_directory(), LAYERS, given=given)


def chosen_metrics(names: str, tokenizer: str = "ptb", encoder: str | None = None) -> tuple[Metric, ...]:
    """The metrics of these names or sets, joined by commas; exit 2 for an unknown one."""
    from metrics.registry import resolve

    try:
        return resolve([name.strip() for name in names.split(",") if name.strip()], tokenizer, encoder)
    except ValueError as error:
        return fail(str(error))


def load_whole(files: list[Path], references: Path | None) -> tuple[Study, Loaded]:
    """The study of these files, and what else was read: the numbers of bundles among them; exit 2 if there is none."""
    loaded = load(files, references)
    print_findings(loaded, Console(stderr=True))
    return loaded.study or fail("nothing to score: see the findings above"), loaded


def _workers(scheduler: str | None, jobs: int) -> AbstractContextManager[Workers]:
    from metrics.backend import Workers, dask_cluster

    return dask_cluster(scheduler) if scheduler else nullcontext(Workers(jobs=jobs))


def write_scores(study: Study, path: Path, cache_dir: Path | None) -> None:
    """Every metric with p-values as a read-only layer of the cache."""
    from metrics.layer import write_layer
    from metrics.registry import METRICS

    with scoring() as callbacks:
        cache = Cache(cache_dir or default_directory())
        write_layer(path, study, METRICS.values(), Options(p_values=True), cache, callbacks)


def write_layouts(study: Study, path: Path, cache_dir: Path | None) -> None:
    """The caption cloud of a study as a read-only layer of the cache."""
    from metrics import layer

    layer.write_layouts(path, study, Cache(cache_dir or default_directory()))


def computed(
    study: Study, metrics: tuple[Metric, ...], options: Options, cache: Cache, workers: Workers | None = None
) -> Results:
    """Results with a progress bar on stderr; what this machine cannot compute is said first."""
    from metrics import engine

    for name, why in engine.plan(study, metrics, options, cache).unmet.items():
        Console(stderr=True).print(escape(f"{name}: {why}"), style="yellow", highlight=False)
    with scoring() as callbacks:
        return engine.score(study, metrics, options, cache, callbacks, workers)


def check_out(out: Path | None) -> None:
    """Exit 2 before any work if the table could not be written."""
    if out is None:
        return
    if out.suffix not in (".csv", ".parquet", ".json"):
        fail(f"{out}: write to a .csv, .parquet or .json file")
    if not out.absolute().parent.is_dir():
        fail(f"{out}: there is no folder {out.absolute().parent}")


def write_table(table: pd.DataFrame, out: Path) -> None:
    """Write SCORES by the ending of the name."""
    if out.suffix == ".csv":
        table.to_csv(out, index=False)
    elif out.suffix == ".parquet":
        table.to_parquet(out, index=False)
    else:
        table.to_json(out, orient="records", indent=1, double_precision=15)
    print(f"{out}: {len(table):,} numbers", file=sys.stderr)


def print_scores(table: pd.DataFrame, p_values: bool) -> None:
    """The table on stdout: aligned for people, tab-separated for programs."""
    if not sys.stdout.isatty():
        print(table.to_csv(index=False, sep="\t"), end="")
        return
    names = ["run", "metric", "item", "candidate", "value", "ci_low", "ci_high", "n"]
    names += ["p_value", "p_hmp", "p_floor", "p_n"] if p_values else []
    shown = table[[name for name in names if table[name].notna().any()] + ["error"]]
    screen = Table(*shown.columns, box=None, pad_edge=False)
    for row in shown.itertuples(index=False):
        screen.add_row(*(_cell(value) for value in row))
    Console().print(screen)


def _cell(value: Any) -> str:
    import pandas as pd

    if pd.isna(value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))

"""The program `trilens` and its short commands; every other command has a module of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from cli import (
    agreement,
    ask,
    cloud,
    coherence,
    compare,
    consensus,
    conversion,
    demo_scores,
    features,
    findings,
    hidden_runs,
    judge,
    layers,
    listing,
    output,
    reading,
    replicates,
    reproduce,
    required,
    robustness,
    score,
    sensitivity,
    serve,
    sweeps,
    train,
    triangles,
    unconditional,
)
from cli import idf as cli_idf
from cli import report as cli_report
from cli.bundle_numbers import pictures_to_take, report_foreign
from cli.errors import Program
from cli.file_options import with_cluster
from cli.options import Idf, KeepGoing, Recompute
from cli.plugins import Plugin, check_plugin
from cli.score_directions import Direction, check_metrics
from cli.word_vectors import Vectors
from data.study import Study
from data.version import VERSION
from metrics.analysis.arena.votes import voted_on
from metrics.cache.disk import Cache

app = typer.Typer(
    cls=Program,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Compare generated captions with people's: metrics, exact p-values, and the tables that hold them.",
)
cache_app = typer.Typer(no_args_is_help=True, help="Show what the cache holds, or empty it.")
app.add_typer(cache_app, name="cache")
app.add_typer(train.app, name="train")
app.command("score")(with_cluster(score.score))
app.command("compare")(with_cluster(compare.compare))
app.command("replicates")(with_cluster(replicates.replicates))
app.command("idf")(with_cluster(cli_idf.idf))
app.command("ask")(with_cluster(ask.ask))
app.command("judge")(with_cluster(judge.judge))
app.command("sweeps")(with_cluster(sweeps.sweeps))
app.command("triangles")(with_cluster(triangles.triangles))
app.command("layers")(with_cluster(layers.layers))
app.command("agreement")(with_cluster(agreement.agreement))
app.command("robustness")(with_cluster(robustness.robustness))
app.command("report")(with_cluster(cli_report.report))
app.command("check-plugin")(check_plugin)
app.command("unconditional")(unconditional.unconditional)
app.command("consensus")(with_cluster(consensus.consensus))
app.command("sensitivity")(with_cluster(sensitivity.sensitivity))
app.command("coherence")(with_cluster(coherence.coherence))
app.command("cloud")(with_cluster(cloud.cloud))
app.command("features")(features.features)
app.command("reproduce")(reproduce.reproduce)
app.command("serve")(serve.serve)

Files = Annotated[
    list[Path], typer.Argument(help="Prediction and reference files; packed ones (.gz, .zip, .tar) are read directly.")
]
References = Annotated[
    Path | None, typer.Option("--references", help="File of references, for predictions that have none.")
]
CacheDir = Annotated[Path | None, typer.Option("--cache-dir", help="Folder for cached results.")]
Format = Literal["table", "markdown"]
Task = Literal["captions", "long", "audio", "dialogue", "unconditional"]


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"trilens {VERSION}")
        raise typer.Exit


Version = typer.Option("--version", help="Print the version.", is_eager=True, callback=_say_version)


@app.callback()
def every_command(
    all_runs: Annotated[bool, typer.Option("--all-runs", help=hidden_runs.HELP)] = False,
    version: Annotated[bool, Version] = False,
) -> None:
    hidden_runs.ALL.set(all_runs)


@app.command("list")
def list_metrics(
    format: Annotated[Format, typer.Option(help="A table for people, or docs/metrics.md.")] = "table",
    task: Annotated[Task | None, typer.Option("--for", help="Metrics usual for such texts.")] = None,
    signatures: Annotated[
        bool, typer.Option("--signatures", help="Add what determines each number: a wide table.")
    ] = False,
    parameters: Annotated[bool, typer.Option("--parameters", help="What can be set: `mmd_bert(bandwidth=1)`.")] = False,
    transformations: Annotated[
        bool, typer.Option("--transformations", help="Ways to damage captions, instead of metrics.")
    ] = False,
    plugin: Plugin = None,
    vectors: Vectors = None,
) -> None:
    """List all metrics by family, or those for a task with --for: name, direction, range, and the unit of one value."""
    from metrics.guide import documentation
    from metrics.registry import LEARNED, METRICS

    if format == "markdown":
        print(documentation.markdown(), end="")
    elif parameters:
        listing.show_parameters((METRICS | LEARNED).values())
    elif transformations:
        listing.show_transformations()
    elif task:
        listing.show_task(task, signatures)
    else:
        listing.show(signatures)


@app.command()
@with_cluster
def check(files: Files, references: References = None, keep_going: KeepGoing = False) -> None:
    """Read files and list every finding; exit 2 if nothing can be compared, or if a file or a part of one is left
    out.
    """
    loaded = reading.load(files, references, keep_going)
    findings.show(loaded, Console())
    study = loaded.study
    if study is None:
        raise typer.Exit(2)
    named = study if study.items else voted_on(study)
    print(f"{_study_size(study)}: {', '.join(run.name for run in named.runs) or 'none'}")
    required.require_complete(loaded, keep_going)


@app.command()
@with_cluster
def convert(
    files: Files,
    out: Annotated[Path, typer.Option("--out", help="JSON Lines file to write; a folder with --to.")],
    references: References = None,
    keep_going: KeepGoing = False,
    to: Annotated[str | None, typer.Option("--to", metavar="FORMAT", help=conversion.HELP)] = None,
) -> None:
    """Write the study that was read as one Trilens JSON Lines file or as files of another program, after the default
    repairs.
    """
    if to is not None:
        conversion.check(out, to)
    else:
        output.check(out, (".jsonl",), [*files, references])
    study, _ = reading.load_study_or_exit(files, references, keep_going)
    print(f"{conversion.write(out, study, to)}: {_study_size(study)}")


def _study_size(study: Study) -> str:
    if study.preferences and not study.items:
        return f"{len(study.preferences):,} judged pairs of {len(voted_on(study).runs):,} runs"
    items, runs = len(study.items), len(study.runs)
    return f"{items:,} item{'' if items == 1 else 's'}, {runs:,} run{'' if runs == 1 else 's'}"


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder to write the demo study to.")],
    scores: Annotated[
        bool, typer.Option("--scores", help="Also score it; results go to scores/, one file per metric.")
    ] = False,
    classic: Annotated[
        bool, typer.Option("--classic", help="Write the classic study instead, in files like those of a lab.")
    ] = False,
    cache_dir: CacheDir = None,
) -> None:
    """Write the synthetic demo study, captions and pictures, to a folder."""
    if classic:
        _write_classic(out, scores)
        return
    from data.demo import load, write

    write(out)
    if scores:
        demo_scores.write_scores(load(out), out / "scores", cache_dir)
        demo_scores.write_artifacts(load(out), out, cache_dir)
    print(f"{out}: the demo study; score it with `trilens score {out}/demo.jsonl.gz`")


def _write_classic(out: Path, scores: bool) -> None:
    from data.demo.classic import write

    if scores:
        output.fail(
            "--scores works only for the first demo study: leave out --classic, or score the files with `trilens score`"
        )
    write(out)
    print(f"{out}: the classic study; score it with `trilens score {out}/*.json {out}/*.csv`")


@app.command()
@with_cluster
def bundle(
    files: Files,
    out: Annotated[Path, typer.Option("--out", help="The .zip to write.")],
    references: References = None,
    metrics: Annotated[str, typer.Option(help="fast, full, paper, or names separated by commas.")] = "fast",
    p_values: Annotated[bool, typer.Option("--p-values", help="Permutation tests too.")] = False,
    idf: Idf = None,
    cache_dir: CacheDir = None,
    keep_going: KeepGoing = False,
    recompute: Recompute = False,
    plugin: Plugin = None,
    scores_direction: Direction = None,
    vectors: Vectors = None,
) -> None:
    """Score FILES and pack study, settings and numbers into one zip, which the app, `score` and `report` can open.

    The zip includes what pages, reports and `unique-correct` have already computed for the study, and the document
    frequencies of CIDEr-D if any are given.
    """
    from metrics.analysis.bundle import own_metrics, study_bundle
    from metrics.analysis.numbers import score_with_people
    from metrics.engine.tasks import Options

    output.check(out, (".zip",), [*files, references, idf])
    check_metrics(metrics, files)
    frequencies = reading.given_idf(idf)
    higher = scores_direction
    study, loaded = reading.load_study_or_exit(files, references, keep_going, recompute, None, higher, all_runs=True)
    found = reading.frequencies_in_force(frequencies, loaded)
    wanted = reading.metrics_in_force(metrics, study, loaded, found)
    cache, options = reading.open_cache(cache_dir, False, loaded.numbers), Options(p_values=p_values)
    score_with_people(study, wanted, lambda of, some: reading.compute_results(of, some, options, cache))
    own = [metric for metric in wanted if metric.explicit_parameters]
    for metric in own:
        if not own_metrics([metric.name]):
            output.warn(f"{metric.name}: its settings name a file or a model, so a bundle does not hold its numbers.")
    beside = (loaded.slices, (loaded.network, loaded.images), loaded.marks, pictures_to_take(study, loaded))
    output.write(out, study_bundle(study, cache, found, own, *beside))
    report_foreign(study, cache, found)
    print(f"{out}: {_study_size(study)} with their numbers; open it with `trilens score {out}` or in the app")


@cache_app.command("info")
def cache_info(cache_dir: CacheDir = None) -> None:
    """Show the folder of the cache and the size of its contents."""
    from figures.style.numbers import count

    usage = _cache_on_disk(cache_dir).usage()
    held = count(usage.entries, "entry", "entries")
    print(f"{usage.directory}: {held}, {_size(usage.size)} of at most {_size(usage.limit)}")
    for kind, (entries, size) in sorted(usage.kinds.items()):
        print(f"  {kind}: {count(entries, 'entry', 'entries')}, {_size(size)}")


@cache_app.command("clear")
def cache_clear(cache_dir: CacheDir = None) -> None:
    """Delete every entry of the cache."""
    print(f"freed {_size(_cache_on_disk(cache_dir).clear())}")


def _cache_on_disk(cache_dir: Path | None) -> Cache:
    cache = reading.open_cache(cache_dir, no_cache=False)
    if cache.directory is None:
        raise typer.Exit(2)
    return cache


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB"

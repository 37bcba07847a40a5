"""`trilens words`: what runs say more, or less, often than people, as on the Words page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from data.study import Study
from metrics.cli import complete, output
from metrics.cli import score as cli_score
from metrics.cli.options import KeepGoing, Recompute, Seed
from metrics.cli.progress_bar import working

if TYPE_CHECKING:
    from metrics.analysis.words.usage import Design, Usage
    from metrics.cache.disk import Cache

SHOWN = ("run", "term", "run_per_1000", "people_per_1000", "times", "run_images", "people_images", "p_adjusted")


class Of(StrEnum):
    """What is counted."""

    words = "words"
    phrases = "phrases"


def words(
    files: Annotated[list[Path], typer.Argument(help="Files with captions of runs and references, or a study bundle.")],
    run: Annotated[list[str] | None, typer.Option(help="A run; several by repeating it. By default all.")] = None,
    unit: Annotated[Of, typer.Option(help="words, or phrases of two and three words.")] = Of.words,
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    fewest: Annotated[int | None, typer.Option(help="Fewest images; 10 by default, 5 below 100 images.", min=2)] = None,
    draws: Annotated[int, typer.Option(help="Random labellings of the test.", min=99)] = 999,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Where results are kept.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep nothing.")] = False,
    seed: Seed = 0,
    keep_going: KeepGoing = False,
    recompute: Recompute = False,
) -> None:
    """Find words and phrases that a run says more, or less, often than people say them of the same images.

    Log-odds with an informative prior (Monroe, Colaresi and Quinn 2008), an interval whose unit is the image, and a
    permutation test within images, corrected over all words of the run.
    """
    from metrics.analysis.words import usage as analysis

    cli_score.check_out(out, [*files, references])
    study, loaded = cli_score.load_study_or_exit(files, references, keep_going, recompute)
    names = _runs(study, run or [])
    cache = cli_score.open_cache(cache_dir, no_cache, loaded.numbers)
    least = fewest if fewest is not None else analysis.fewest(len(study.items))
    designs = [analysis.Design(name, unit.value, least, draws, seed) for name in names]
    _give([_measured(study, design, cache) for design in designs], out)


def _runs(study: Study, asked: list[str]) -> list[str]:
    """The runs asked for, by default all; exit 2 for a name that no run has, and where nobody's captions are there."""
    if not study.runs:
        output.fail("words compare runs with people, and these files have captions of no run")
    if not any(item.references for item in study.items):
        output.fail("words compare runs with people, and these files have no references")
    for name in asked:
        complete.require_run(name, study)
    return list(dict.fromkeys(asked)) or [run.name for run in study.runs]


def _measured(study: Study, design: Design, cache: Cache) -> Usage:
    from metrics.analysis import artifacts
    from metrics.analysis.words import usage as analysis

    work = artifacts.words(study, design)
    arrays = work.stored(cache)
    if arrays is None:
        with working(f"Comparing the {design.unit} of {design.run} with people's") as hooks:
            arrays = work.compute(cache, hooks)
    return analysis.usage(design, arrays)


def _give(found: list[Usage], out: Path | None) -> None:
    """Print or write the table, and say how many words of each run differ."""
    from metrics.analysis.words.table import as_table

    table = as_table(found)
    if out is None:
        cli_score.print_table(table, SHOWN)
    else:
        cli_score.write_table(table, out, "p_value")
    for of in found:
        if not of.rows:
            output.warn(f"{of.design.run}: no {of.design.unit} in {of.design.fewest} images or more: lower --fewest")
            continue
        told = f"{len(of.over):,} said more often than by people and {len(of.under):,} less often, after correction"
        output.warn(f"{of.design.run}: of {len(of.rows):,} {of.design.unit} in {of.images:,} images, {told}")

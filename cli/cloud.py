"""`trilens cloud`: how near the captions of each run are to people's, and how varied, as on the page Caption cloud."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output
from cli import score as cli_score
from cli.options import Seed
from cli.progress_bar import working
from cli.score import KeepGoing, Recompute

if TYPE_CHECKING:
    from data.study import Study
    from metrics.analysis.cloud.captions import Projection
    from metrics.cache.disk import Cache
    from metrics.cache.entry import Arrays


def cloud(
    files: Annotated[list[Path], typer.Argument(help="Files with captions of runs and references, or a study bundle.")],
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    encoder: Annotated[str | None, typer.Option(help="SentenceTransformer by name or folder.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Where results are kept.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep nothing.")] = False,
    seed: Seed = 0,
    keep_going: KeepGoing = False,
    recompute: Recompute = False,
) -> None:
    """Compare the captions of each run with people's by their embeddings: how near they are, and how varied.

    The table and the verdict are those of the page, whose maps change none of the numbers.
    """
    cli_score.check_out(out, [*files, references])
    study, loaded = cli_score.load_study_or_exit(files, references, keep_going, recompute)
    from figures.cloud import standing_words, words
    from metrics.analysis.cloud.captions import Projection, layout, points
    from metrics.analysis.cloud.standing import standings
    from metrics.text.encoder import DEFAULT

    projection = Projection("pca", centred=True, seed=seed, encoder=encoder or DEFAULT)
    arrays = _laid_out(study, projection, cli_score.open_cache(cache_dir, no_cache, loaded.numbers))
    of = points(study, seed=seed)
    lay = layout(of, projection, arrays)
    found = standings(of, lay)
    table = words.runs_table(study, lay, of, found)
    if out is None:
        cli_score.print_table(table, list(table.columns))
    else:
        cli_score.write_table(table, out, None)
    print("".join(standing_words.verdict(study, found)).strip(), file=sys.stderr)


def _laid_out(study: Study, projection: Projection, cache: Cache) -> Arrays:
    from metrics.analysis import artifacts
    from metrics.base import Undefined
    from metrics.text.encoder import EncoderFaulty, EncoderMissing

    try:
        work = artifacts.layout(study, projection, cache)
        if (stored := work.stored(cache)) is not None:
            return stored
        with working("captions") as hooks:
            return work.compute(cache, hooks)
    except (Undefined, EncoderMissing, EncoderFaulty) as why:
        return output.fail(str(why))

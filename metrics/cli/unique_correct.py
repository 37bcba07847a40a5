"""`trilens unique-correct`: how a metric responds to correctness and variety, by a study's own references."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from data.study import Study
from metrics.cli import output, progress_bar
from metrics.cli import score as cli_score
from metrics.cli.bundle_numbers import report_foreign
from metrics.cli.plugins import Plugin
from metrics.cli.word_vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

    from metrics.analysis.unique_correct.experiment import Design
    from metrics.analysis.unique_correct.variance_shares import VarianceShares
    from metrics.cache.disk import Cache
    from metrics.distribution import Trm
    from metrics.text.cider import DocumentFrequencies


def unique_correct(
    files: Annotated[list[Path], typer.Argument(help="Files with references, or a study bundle.")],
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    distance: Annotated[str, typer.Option(help="cider_d, meteor, bert, bow, rouge_l, bleu_4, or vectors.")] = "cider_d",
    size: Annotated[int | None, typer.Option(help="Captions in each set; by default as on the page.")] = None,
    held: Annotated[int | None, typer.Option(help="References held out; by default as on the page.")] = None,
    draw: Annotated[
        str, typer.Option(help="even repeats each unique caption equally often; paper draws as Chan et al. do.")
    ] = "even",
    repeats: Annotated[int | None, typer.Option(help="Draws per item; by default fewer for more items.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    correct: Annotated[int | None, typer.Option(help="Print the cells with this many correct captions.")] = None,
    unique: Annotated[
        int | None, typer.Option(help="Print the cells with this many unique captions, or a pool of this size.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write all cells: .csv, .parquet or .json.")] = None,
    idf: cli_score.Idf = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Folder for cached results.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Cache nothing.")] = False,
    keep_going: cli_score.KeepGoing = False,
    recompute: cli_score.Recompute = False,
    plugin: Plugin = None,
    vectors: Vectors = None,
) -> None:
    """Compare sets of correct, foreign and repeated captions: does a metric see correctness, variety, or both?"""
    from metrics.registry import given_to

    cli_score.check_out(out, [*files, references, idf])
    trm, given = _trm(distance), cli_score.given_idf(idf)
    study, loaded = cli_score.load_study_or_exit(files, references, keep_going, recompute)
    trm = given_to(trm, given := cli_score.frequencies_in_force(given, loaded), study.tokenizer)
    design = _design(study, trm, draw, size, held, repeats, seed)
    chosen = _cells(design, correct, unique)
    found = _measured(study, design, trm, cli_score.open_cache(cache_dir, no_cache, loaded.numbers), given)
    _print(study, found, chosen)
    if out is not None:
        cli_score.write_table(_table(study, found), out)


def _print(study: Study, found: VarianceShares, chosen: list[int]) -> None:
    """Verdict, notes, the chosen cells and the signatures."""
    from figures.style.wording import item_noun
    from figures.unique_correct import words as unique_correct_words

    print("".join(unique_correct_words.verdict(found)))
    notes = (
        unique_correct_words.sampled(study, found),
        unique_correct_words.paper_size_note(found.experiment.design, item_noun(study)),
        unique_correct_words.left_out(study, found),
        unique_correct_words.people(study, found),
        unique_correct_words.sign_flip_note(study, found),
    )
    print(" ".join(filter(None, notes)))
    for place in chosen:
        print(unique_correct_words.cell(found, place))
    print(f"{found.base.signature} {found.trm.signature}")


def _trm(distance: str) -> Trm:
    from metrics.needs import unmet
    from metrics.registry import TRMS

    known = {trm.space.name_with_order: trm for trm in TRMS.values()}
    if distance not in known:
        output.fail(f"there is no distance {distance!r}; there are {', '.join(known)}")
    for need in sorted(known[distance].needs):
        if (why := unmet(need)) is not None:
            output.fail(why)
    return known[distance]


def _design(
    study: Study, trm: Trm, draw: str, size: int | None, held: int | None, repeats: int | None, seed: int
) -> Design:
    """What was asked for, and for the rest what the page begins with; exit 2 where no item has so many references."""
    from metrics.analysis.unique_correct import experiment as sets

    if draw not in sets.DRAWS:
        output.fail(f"there is no draw {draw!r}; there are {', '.join(sets.DRAWS)}")
    kind = sets.DRAWS[sets.DRAWS.index(draw)]
    pools = sets.pools_of(study, kind)
    first = sets.default_design(pools, trm, seed, kind)
    size, held = first.size if size is None else size, first.references if held is None else held
    for name, number in (("--size", size), ("--held", held)):
        if not sets.FEWEST <= number <= sets.LARGEST:
            output.fail(f"{name} {number}: choose {sets.FEWEST} to {sets.LARGEST}")
    if (repeats is not None and repeats < 1) or seed < 0:
        output.fail("--repeats takes a number from 1, --seed one from 0")
    design = sets.Design(size, held, 1, seed, kind)
    usable = len(sets.usable(pools, design.needed))
    if not usable:
        most = max((len(pool) for pool in pools), default=0)
        keeps = "; --draw paper takes repeated ones, too" * bool(
            len(sets.usable(sets.pools_of(study, "paper"), design.needed))
        )
        output.fail(
            f"sets of {size} against {held} take {design.needed} {design.counted}; the most here is {most}{keeps}"
        )
    return replace(design, repeats=repeats or sets.default_repeats(usable, size, held, trm))


def _cells(design: Design, correct: int | None, unique: int | None) -> list[int]:
    """Positions of the cells to be printed; none where none is asked for."""
    if correct is None and unique is None:
        return []
    pairs = enumerate(design.cells.tolist())
    found = [place for place, (m, k) in pairs if correct in (None, m) and unique in (None, k)]
    return found or output.fail(f"sets of {design.size} have no such cell: one text is correct or foreign, not both")


def _measured(study: Study, design: Design, trm: Trm, cache: Cache, idf: DocumentFrequencies | None) -> VarianceShares:
    from metrics.analysis import artifacts
    from metrics.analysis.unique_correct.experiment import experiment_from
    from metrics.analysis.unique_correct.variance_shares import variance_shares

    work = artifacts.experiment(study, design, trm, cache)
    arrays = work.stored(cache)
    if arrays is None:
        with progress_bar.working(f"Comparing sets of captions by {trm.space.label}") as hooks:
            arrays = work.compute(cache, hooks)
    report_foreign(study, cache, idf)
    experiment = experiment_from(design, arrays)
    if not len(experiment.items):
        output.fail(f"no item has a value: {experiment.failed[0]}")
    return variance_shares(experiment, trm, study)


def _table(study: Study, found: VarianceShares) -> pd.DataFrame:
    """One row per cell and metric: the mean over items and its standard error."""
    import pandas as pd

    draw = found.experiment.design.draw
    second = "unique" if draw == "even" else "pool"

    rows = [
        {
            "dataset": study.name,
            "draw": draw,
            "correct": correct,
            second: unique,
            "metric": metric.name,
            "signature": metric.signature,
            "value": surface.mean[place],
            "standard_error": surface.error[place],
            "n": len(found.experiment.items),
            "people_different": found.people,
        }
        for metric, surface in found.both
        for place, (correct, unique) in enumerate(found.experiment.cells.tolist())
    ]
    return pd.DataFrame(rows)

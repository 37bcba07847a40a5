"""`python -m metrics train cosmic`: learn to rate captions by coherence label, and print how well it does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from metrics.cli import output, progress_bar
from metrics.cli import score as cli_score
from metrics.cli.options import Seed

if TYPE_CHECKING:
    from data.coherence_ratings import Rated, Ratings
    from metrics.analysis.coherence import Images

SHOWN = ("metric", "label", "value", "low", "high", "p_value", "difference", "difference_low", "difference_high", "n")


def cosmic(
    ratings: Annotated[Path, typer.Argument(help="A table of ratings with the columns of RaCCoon.")],
    images: Annotated[Path | None, typer.Option(help="Features of images: .npz with `names` and `features`.")] = None,
    labels: Annotated[bool, typer.Option(help="Read the coherence labels, or leave them out.")] = True,
    rectified: Annotated[bool, typer.Option(help="A ReLU after each layer, or fewer, as in the authors' code.")] = True,
    encoder: Annotated[str | None, typer.Option(help="A SentenceTransformer by name or folder.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Folder for cached results.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Cache nothing.")] = False,
    seed: Seed = 0,
) -> None:
    """Train COSMic Vanilla on ratings by coherence label, and print its agreement with ratings of other images.

    There are five folds of images, each scored by a network trained on the others. Kendall's tau-b, with intervals over
    images, stands beside that of metrics that learn nothing and of the label alone. A training that was killed goes on
    where it was.
    """
    from metrics.analysis import coherence
    from metrics.text.encoder import DEFAULT, missing

    cli_score.check_out(out, [ratings, images])
    design = coherence.Design(encoder or DEFAULT, labels, rectified, seed)
    if (why := missing(design.encoder)) is not None:
        output.fail(why)
    found = _read(ratings)
    _check_enough(ratings, found)
    features = None if images is None else _features(images, found.rated)
    cache = cli_score.open_cache(cache_dir, no_cache)
    with progress_bar.working("Training") as hooks:
        scored = coherence.learned(found.rated, features, design, cache, hooks.part(0, 0.9))
        scores = {design.name(features is not None): scored.scores}
        scores |= {coherence.LABEL_ALONE: coherence.label_alone(found.rated, scored.fold)}
        table = coherence.table(found.rated, {**scores, **coherence.beside(found.rated, cache, hooks.part(0.9, 1))})
    cli_score.print_table(table, SHOWN)
    _say(found, [len(history.losses) for history in scored.histories])
    if out is not None:
        cli_score.write_table(table, out)


def _read(path: Path) -> Ratings:
    from data.coherence_ratings import read, with_references
    from data.study import DataError

    try:
        found = read(path.name, path.read_bytes())
    except OSError as why:
        output.fail(f"{path}: {why.strerror or why}")
    except DataError as why:
        output.fail(str(why))
    return with_references(found)


def _check_enough(path: Path, ratings: Ratings) -> None:
    from metrics.analysis.coherence import LEAST_IMAGES

    if (known := len({one.image for one in ratings.rated})) < LEAST_IMAGES:
        output.fail(
            f"{path}: {known} images have a rated caption and another one that is rated good; COSMic learns from "
            f"{LEAST_IMAGES}. Give more ratings."
        )


def _features(path: Path, rated: Sequence[Rated]) -> Images:
    """The features of the images, each of which must have some."""
    from data import npz
    from metrics.analysis.coherence import Images

    try:
        arrays = npz.read(path.read_bytes())
    except (OSError, npz.UnusableFile) as why:
        output.fail(f"{path}: {why}")
    names, features = (arrays.get(name, np.zeros(0)) for name in ("names", "features"))
    if features.ndim != 2 or not features.shape[1] or len(features) != len(names) or features.dtype.kind != "f":
        output.fail(f"{path}: takes `names` (n,) and `features` (n, d) of floats; this file has {sorted(arrays)}.")
    if not np.isfinite(features).all():
        output.fail(f"{path}: `features` has values that are no finite numbers: mend them.")
    known = tuple(str(name) for name in names)
    absent = sorted({one.image for one in rated} - set(known))
    if absent:
        output.fail(f"{path}: no features of {len(absent):,} images, such as {absent[0]!r}. Add them to the file.")
    return Images(known, features.astype(float))


def _say(found: Ratings, epochs: Sequence[int]) -> None:
    """Print to stderr the mean rating of each label, what was left out, and how long the trainings were."""
    from data.coherence import LABELS

    of = {name: [one.rating for one in found.rated if one.label == name] for name in LABELS}
    means = ", ".join(f"{name} {np.mean(values):.3f} (n = {len(values):,})" for name, values in of.items() if values)
    print(f"mean rating 0..1: {means}", file=sys.stderr)
    for why, count in found.left_out.items():
        print(f"left out: {count:,}, {why}", file=sys.stderr)
    print(f"epochs of the five trainings: {', '.join(map(str, epochs))}", file=sys.stderr)

"""`trilens train cosmic`: train a network to rate captions by coherence label, and print its agreement with people."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, progress_bar, reading, table_output
from cli.options import Seed

if TYPE_CHECKING:
    import pandas as pd

    from data.ratings.coherence_ratings import Rated, Ratings
    from metrics.cache.disk import Cache
    from metrics.learned.cosmic import Relu as Layers
    from metrics.learned.cosmic_data import Design, Images
    from metrics.learned.pictures import PicturesOf

SHOWN = ("metric", "label", "value", "low", "high", "p_value", "difference", "difference_low", "difference_high", "n")


RatingsFile = Annotated[Path, typer.Argument(help="RaCCoon's table, JSON of ratings, or a rated study.")]
ImagesOption = Annotated[
    Path | None, typer.Option(help="Features: .npz with `names` and `features`; or pictures, a folder or .zip.")
]
LabelsOption = Annotated[bool, typer.Option(help="Read the coherence labels, or leave them out.")]


class Relu(StrEnum):
    """Where the network applies a ReLU."""

    paper = "paper"
    code = "code"


ReluOption = Annotated[
    Relu,
    typer.Option(help="A ReLU after each hidden layer (paper), or after all but the first (the authors' code)."),
]
Augmented = Annotated[bool, typer.Option(help="Balance the labels' means with captions of other images.")]
Save = Annotated[Path | None, typer.Option(help="Write a network trained on all ratings: FILE.safetensors.")]
EncoderOption = Annotated[
    str | None, typer.Option(help="A SentenceTransformer, or a folder with a vision-and-language encoder.")
]
Out = Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")]
CacheDir = Annotated[Path | None, typer.Option(help="Folder for cached results.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Cache nothing.")]


def cosmic(
    ratings: RatingsFile,
    images: ImagesOption = None,
    labels: LabelsOption = True,
    relu: ReluOption = Relu.paper,
    augmented: Augmented = False,
    save: Save = None,
    encoder: EncoderOption = None,
    out: Out = None,
    cache_dir: CacheDir = None,
    no_cache: NoCache = False,
    seed: Seed = 0,
) -> None:
    """Train COSMic on ratings by coherence label, and print its agreement with ratings of other images.

    The network is COSMic Vanilla or, if the encoder is a folder with an image processor, cross-modal COSMic: its
    encoder is fine-tuned on the pictures in --images.

    Images are divided into five folds, each scored by a network trained on the others. Kendall's tau-b, with intervals
    over images, is printed beside the tau-b of metrics without training and of the label alone. Training that was
    killed resumes where it stopped.
    """
    table_output.check_out(out, [ratings, images])
    if save is not None:
        output.check(save, (".safetensors",), [ratings, images])
    design = _design(encoder, labels, relu.value, seed, augmented)
    found = _read(ratings)
    _check_enough(ratings, found)
    given = _pictures(images, design, found.rated) if design.cross_modal else _features(images, found.rated)
    cache = reading.open_cache(cache_dir, no_cache)
    table, epochs = _trained(found.rated, given, design, save, cache)
    table_output.print_table(table, SHOWN)
    _say(found, design, epochs)
    if out is not None:
        table_output.write_table(table, out)


def _design(encoder: str | None, labels: bool, relu: Layers, seed: int, augmented: bool) -> Design:
    from metrics.learned.cosmic_data import Design
    from metrics.learned.cross_modal import reads_pictures
    from metrics.text.encoder import DEFAULT, missing

    both = encoder is not None and reads_pictures(encoder)
    if (why := missing(encoder or DEFAULT)) is not None:
        output.fail(why)
    return Design(encoder or DEFAULT, labels, relu, seed, augmented, both)


def _trained(
    rated: Sequence[Rated], images: Images | PicturesOf | None, design: Design, save: Path | None, cache: Cache
) -> tuple[pd.DataFrame, list[int]]:
    """Return the agreement on unseen images, and the epochs of the five folds.

    If `save` is given, a network trained on all images is written to it.
    """
    from metrics.analysis.coherence import cosmic_agreement

    with progress_bar.working("Training") as hooks:
        if save is not None:
            cosmic_agreement.save(save, rated, images, design, cache, hooks.part(0, 0.15))
        scored = cosmic_agreement.learned(rated, images, design, cache, hooks.part(0.15, 0.9))
        scores = {design.name(images is not None): scored.scores}
        scores |= {cosmic_agreement.LABEL_ALONE: cosmic_agreement.label_alone(rated, scored.fold)}
        table = cosmic_agreement.table(rated, {**scores, **cosmic_agreement.beside(rated, cache, hooks.part(0.9, 1))})
    return table, [len(history.losses) for history in scored.histories]


def _read(path: Path) -> Ratings:
    from data.coherence_study import ratings_in
    from data.study import DataError

    try:
        return ratings_in(path.name, path.read_bytes())
    except OSError as why:
        return output.fail(f"{path}: {why.strerror or why}")
    except DataError as why:
        return output.fail(str(why))


def _check_enough(path: Path, ratings: Ratings) -> None:
    from metrics.analysis.coherence.cosmic_agreement import LEAST_IMAGES

    if (known := len({one.image for one in ratings.rated})) < LEAST_IMAGES:
        output.fail(
            f"{path}: {known} images have a rated caption and another one that is rated good; COSMic needs at least "
            f"{LEAST_IMAGES}. Give more ratings."
        )


def _features(path: Path | None, rated: Sequence[Rated]) -> Images | None:
    if path is None:
        return None
    from data.study import DataError
    from metrics.learned.cosmic_data import read_images, require_features

    try:
        found = read_images(path)
        require_features(found, [one.image for one in rated], str(path))
    except DataError as why:
        output.fail(str(why))
    return found


def _pictures(path: Path | None, design: Design, rated: Sequence[Rated]) -> PicturesOf:
    """Return the pictures of the images; exit with status 2 unless all of them, and the encoder, can be loaded."""
    from data.study import DataError
    from metrics.learned import cross_modal
    from metrics.learned.pictures import are_pictures, by_image, listed, require_pictures

    if path is None or not are_pictures(str(path)):
        return output.fail(
            f"{design.encoder}: this encoder reads pictures. Name their folder or .zip file, `--images PICTURES`; a "
            "picture has the name of its image in the ratings, with or without folders and ending."
        )
    try:
        cross_modal.load(design.encoder)
        found = by_image(listed(path), {one.image for one in rated})
        require_pictures(found, [one.image for one in rated], str(path))
    except DataError as why:
        output.fail(str(why))
    return found


def _say(found: Ratings, design: Design, epochs: Sequence[int]) -> None:
    from data.ratings.coherence_ratings import in_order
    from metrics.learned.cosmic_data import label_means, level

    print(f"mean rating 0..1: {_means(label_means(found.rated))}", file=sys.stderr)
    if design.augmented:
        made = level(in_order(found.rated), design.seed)
        print(f"with made captions: {_means(label_means([*found.rated, *made]))}", file=sys.stderr)
    for why, count in found.left_out.items():
        print(f"left out: {count:,}, {why}", file=sys.stderr)
    print(f"epochs of the five trainings: {', '.join(map(str, epochs))}", file=sys.stderr)


def _means(of: Mapping[str, tuple[float, int]]) -> str:
    return ", ".join(f"{label} {mean:.3f} (n = {n:,})" for label, (mean, n) in of.items())

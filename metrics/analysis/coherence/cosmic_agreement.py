"""Agreement of COSMic, and of untrained metrics, with ratings of captions; COSMic is not trained on their images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.ratings.coherence_ratings import Rated, in_order, place
from data.study import Item, Run, Settings, Study, digest
from metrics.analysis.judgments.correlation import STATISTICS, Correlations, correlations, estimate
from metrics.cache.disk import TRAINING, Cache
from metrics.chunk import Chunk
from metrics.engine import scoring
from metrics.engine.scoring import Callbacks
from metrics.learned import cosmic_file, cross_modal
from metrics.learned.cosmic import FOLDS, Learnable, Rows, Scored, cross_validated, fitted
from metrics.learned.cosmic_data import Design, Images, label_set, level, tables
from metrics.learned.cosmic_file import About
from metrics.learned.pictures import PicturesOf
from metrics.learned.sentence_embeddings import embeddings
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.text.encoder import encoder_signature

LABEL_ALONE = "label alone"
BESIDE = ("meteor", "cider_d", "rouge_l", "bert")
LEAST_IMAGES = 10 * FOLDS
"""Minimum number of images to train on."""
_TAU = STATISTICS.index("kendall_tau_b")


def learned(
    rated: Sequence[Rated], images: Images | PicturesOf | None, design: Design, cache: Cache, hooks: Hooks
) -> Scored:
    """Return the scores of captions by networks that were not trained on their images (cross-validation).

    Every caption needs a reference. Captions whose rating is NaN are scored but not used for training. The order of the
    captions does not matter. Raises Cancelled.
    """
    order = sorted(range(len(rated)), key=lambda k: place(rated[k]))
    ordered = [rated[k] for k in order]
    made = level(ordered, design.seed) if design.augmented else ()
    data = _inputs([*ordered, *made], images, design, cache, hooks)[0]
    found = cross_validated(data, design.seed, design.relu, hooks, _checkpoints(cache))
    scores, fold = np.empty(len(rated)), np.empty(len(rated), dtype=np.int64)
    scores[order], fold[order] = found.scores[: len(rated)], found.fold[: len(rated)]
    return Scored(scores, fold, found.histories)


def _checkpoints(cache: Cache) -> Path | None:
    return cache.directory / TRAINING / "cosmic" if cache.directory else None


def save(
    path: Path, rated: Sequence[Rated], images: Images | PicturesOf | None, design: Design, cache: Cache, hooks: Hooks
) -> None:
    """Train one network on all rated captions and write it to a file.

    Raises Cancelled if the hooks stop it, EncoderMissing, and OSError if the file cannot be written.
    """
    ordered = in_order(rated)
    made = level(ordered, design.seed) if design.augmented else ()
    data, widths = _inputs([*ordered, *made], images, design, cache, hooks)
    network, history = fitted(data, design.seed, design.relu, hooks, _checkpoints(cache))
    about = About(
        encoder=encoder_signature(design.encoder),
        labels=label_set([*ordered, *made]) if design.labels else (),
        relu=design.relu,
        captions=len(ordered),
        pictures=len({one.image for one in ordered}),
        data=digest([list(vars(one).values()) for one in ordered]),
        seed=design.seed,
        augmented=design.augmented,
        **widths,
    )
    cosmic_file.save(path, network, about, history.losses)


def _inputs(
    rated: Sequence[Rated], images: Images | PicturesOf | None, design: Design, cache: Cache, hooks: Hooks
) -> tuple[Learnable, dict[str, Any]]:
    """The training data, and the widths and sizes for the header of a network file."""
    if not isinstance(images, PicturesOf):
        read = tables(rated, partial(embeddings, design.encoder, Chunk((), (), cache, hooks)), images, design)
        widths = {"texts": read.data.texts.shape[1], "images": read.data.images.shape[1]}
        return read.data, {**widths, "text_size": read.text_size, "image_size": read.image_size}
    hooks.progress("loading the encoder")
    encoder = cross_modal.load(design.encoder)
    sizes = {"texts": 0, "images": 0, "text_size": 1.0, "image_size": 1.0}
    return cross_modal.data_of(rated, images, encoder, design.labels), {**sizes, "cross": encoder.width}


def label_alone(rated: Sequence[Rated], fold: Rows) -> Floats:
    """Return the (captions,) mean rating of each caption's label in the other folds: predictions by label only.

    A label that the other folds lack gets their overall mean.
    """
    rating, label = np.array([one.rating for one in rated]), np.array([one.label for one in rated])
    found = np.full(len(rated), np.nan)
    for k in range(FOLDS):
        outside = fold != k
        overall = rating[outside].mean()
        for name in label_set(rated):
            known = rating[outside & (label == name)]
            found[(fold == k) & (label == name)] = known.mean() if len(known) else overall
    return found


def beside(rated: Sequence[Rated], cache: Cache, hooks: Hooks) -> dict[str, Floats]:
    """Return the scores (captions,) of rated captions by untrained metrics, by metric label; NaN where undefined."""
    ids = [str(k) for k in range(len(rated))]
    items = tuple(Item(id, (one.reference,)) for id, one in zip(ids, rated))
    run = Run("captions", "captions", Settings(), {id: (one.caption,) for id, one in zip(ids, rated)})
    metrics = [METRICS[name] for name in BESIDE]
    hooks.progress("scoring the captions by other metrics")
    callbacks = Callbacks(should_stop=hooks.should_stop)
    found = scoring.score(Study("rated captions", items, (run,)), metrics, cache=cache, callbacks=callbacks)
    return {metric.label: found[run.name, metric.name].items for metric in metrics}


def table(rated: Sequence[Rated], scores: Mapping[str, Floats]) -> pd.DataFrame:
    """Return Kendall's tau-b between each metric and the ratings, over all captions and over those of each label.

    `scores` (captions,) are by metric; a metric without a score for a caption has no tau. LABEL_ALONE is compared over
    all captions only. Intervals and p are over images; `difference` is the first metric's tau minus the row's, with its
    own interval and p.
    """
    image, label = (np.array([getattr(one, name) for one in rated]) for name in ("image", "label"))
    rating = np.array([one.rating for one in rated])
    rows: list[dict[str, object]] = []
    for name in ("all", *label_set(rated)):
        chosen = np.flatnonzero(np.full(len(rated), True) if name == "all" else label == name)
        cluster = np.unique(image[chosen], return_inverse=True)[1]
        found = {metric: _agreement(values[chosen], rating[chosen], cluster) for metric, values in scores.items()}
        first = next(iter(found.values()), None)
        rows += [
            _row(metric, name, one, first)
            for metric, one in found.items()
            if metric != LABEL_ALONE or name == "all"  # within a label, these scores differ only by fold
        ]
    return pd.DataFrame(rows)


def _agreement(values: Floats, rating: Floats, cluster: NDArray[np.int64]) -> Correlations | None:
    clusters = int(cluster.max(initial=-1)) + 1
    if not clusters or not np.isfinite(values).all():
        return None
    return correlations(values, rating, cluster, clusters)


def _row(metric: str, label: str, one: Correlations | None, first: Correlations | None) -> dict[str, object]:
    said: dict[str, object] = {"metric": metric, "label": label, "statistic": STATISTICS[_TAU]}
    if one is None:
        return {**said, **dict.fromkeys((*_NUMBERS, *_DIFFERENCE), np.nan), "n": 0, "images": 0}
    found = one.estimate(STATISTICS[_TAU])
    said |= dict(zip(_NUMBERS, (found.value, found.low, found.high, found.p_value)))
    gap = (np.nan,) * len(_DIFFERENCE)
    if first is not None and first is not one:
        other = estimate(
            float(first.value[_TAU] - one.value[_TAU]), first.boot[_TAU] - one.boot[_TAU], one.clusters, one.n
        )
        gap = (other.value, other.low, other.high, other.p_value)
    return {**said, **dict(zip(_DIFFERENCE, gap)), "n": one.n, "images": one.clusters}


_NUMBERS = ("value", "low", "high", "p_value")
_DIFFERENCE = ("difference", "difference_low", "difference_high", "difference_p")

"""How well COSMic, learned on some images, agrees with the ratings of others; beside metrics that learn nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from data.coherence import LABELS
from data.coherence_ratings import Rated
from data.study import Item, Run, Settings, Study
from metrics.analysis.judgments.correlation import STATISTICS, Correlations, correlations, estimate
from metrics.arrays import Floats
from metrics.cache.disk import TRAINING, Cache
from metrics.chunk import Chunk
from metrics.engine import scoring
from metrics.engine.scoring import Callbacks
from metrics.learned.cosmic import FOLDS, Data, Rows, Scored, cross_validated
from metrics.learned.trainer import device
from metrics.learned.vectors import embeddings
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.text.encoder import DEFAULT

COSMIC, LABEL_ALONE = "COSMic Vanilla", "label alone"
BESIDE = ("meteor", "cider_d", "rouge_l", "bert")
LEAST_IMAGES = 10 * FOLDS
"""Fewest images to learn from."""
_TAU = STATISTICS.index("kendall_tau_b")


@dataclass(frozen=True)
class Design:
    """What is trained: with coherence labels or without, a ReLU after each layer or as in the authors' code."""

    encoder: str = DEFAULT
    labels: bool = True
    rectified: bool = True
    seed: int = 0

    def name(self, images: bool) -> str:
        """The name of the network, with what it is not given."""
        without = [what for what, given in (("image", images), ("labels", self.labels)) if not given]
        return COSMIC + (f" without {' and '.join(without)}" if without else "")


class Images(NamedTuple):
    """Features (n, d) of images by name."""

    names: tuple[str, ...]
    features: Floats


def learned(rated: Sequence[Rated], images: Images | None, design: Design, cache: Cache, hooks: Hooks) -> Scored:
    """Return the scores of rated captions, which all have references, by networks that have not seen their images.

    The order of the captions does not matter. Raises Cancelled.
    """
    order = sorted(range(len(rated)), key=lambda k: (rated[k].image, rated[k].label, rated[k].caption))
    ordered = [rated[k] for k in order]
    texts = sorted({text for one in ordered for text in (one.caption, one.reference)})
    vectors = embeddings(design.encoder, Chunk((), (), cache, hooks), texts)
    folder = cache.directory / TRAINING / "cosmic" if cache.directory else None
    data = _data(ordered, texts, vectors, images, design)
    found = cross_validated(data, design.seed, design.rectified, hooks, folder)
    scores, fold = np.empty(len(rated)), np.empty(len(rated), dtype=np.int64)
    scores[order], fold[order] = found.scores, found.fold
    return Scored(scores, fold, found.histories)


def _data(rated: Sequence[Rated], texts: Sequence[str], vectors: Floats, images: Images | None, design: Design) -> Data:
    place, label = {text: k for k, text in enumerate(texts)}, {name: k for k, name in enumerate(LABELS)}
    names = sorted({one.image for one in rated})
    image = {name: k for k, name in enumerate(names)}

    def rows(of: Mapping[str, int], values: Sequence[str]) -> Rows:
        return np.array([of[value] for value in values], dtype=np.int64)

    features = np.zeros((len(names), 0))
    if images is not None:
        features = images.features[rows({name: k for k, name in enumerate(images.names)}, names)]
    group = rows(image, [one.image for one in rated])
    return Data(
        texts=_standard(vectors),
        images=_standard(features),
        caption=rows(place, [one.caption for one in rated]),
        reference=rows(place, [one.reference for one in rated]),
        image=group,
        label=rows(label, [one.label for one in rated]),
        reference_label=rows(label, [one.reference_label or one.label for one in rated]),
        n_labels=len(LABELS) if design.labels else 0,
        group=group,
        rating=np.array([one.rating for one in rated]),
    )


def _standard(vectors: Floats) -> torch.Tensor:
    """Vectors with components of size 1, as a layer's first weights expect."""
    size = np.sqrt((vectors**2).mean()) if vectors.size else 1.0
    return torch.as_tensor(vectors / (size or 1.0), dtype=torch.float32).to(device())


def label_alone(rated: Sequence[Rated], fold: Rows) -> Floats:
    """Return for each caption the mean rating of its label in the other folds: what a label says by itself."""
    rating, label = np.array([one.rating for one in rated]), np.array([one.label for one in rated])
    found = np.full(len(rated), np.nan)
    for k in range(FOLDS):
        outside = fold != k
        overall = rating[outside].mean()
        for name in LABELS:
            known = rating[outside & (label == name)]
            found[(fold == k) & (label == name)] = known.mean() if len(known) else overall
    return found


def beside(rated: Sequence[Rated], cache: Cache, hooks: Hooks) -> dict[str, Floats]:
    """Return the scores of the captions by metrics of one caption against its reference, by label; NaN without one."""
    ids = [str(k) for k in range(len(rated))]
    items = tuple(Item(id, (one.reference,)) for id, one in zip(ids, rated))
    run = Run("captions", "captions", Settings(), {id: (one.caption,) for id, one in zip(ids, rated)})
    metrics = [METRICS[name] for name in BESIDE]
    hooks.progress("scoring the captions by other metrics")
    callbacks = Callbacks(should_stop=hooks.should_stop)
    found = scoring.score(Study("rated captions", items, (run,)), metrics, cache=cache, callbacks=callbacks)
    return {metric.label: found[run.name, metric.name].items for metric in metrics}


def table(rated: Sequence[Rated], scores: Mapping[str, Floats]) -> pd.DataFrame:
    """Return Kendall's tau-b of each metric with the ratings, of all captions and of those of each label.

    Intervals and p are over images; `difference` is the first metric minus this one, with its own interval and p.
    """
    image, label = (np.array([getattr(one, name) for one in rated]) for name in ("image", "label"))
    rating = np.array([one.rating for one in rated])
    rows: list[dict[str, object]] = []
    for name in ("all", *LABELS):
        chosen = np.flatnonzero(np.full(len(rated), True) if name == "all" else label == name)
        cluster = np.unique(image[chosen], return_inverse=True)[1]
        found = {metric: _agreement(values[chosen], rating[chosen], cluster) for metric, values in scores.items()}
        first = next(iter(found.values()), None)
        rows += [
            _row(metric, name, one, first)
            for metric, one in found.items()
            if metric != LABEL_ALONE or name == "all"  # it tells captions of one label apart by their folds alone
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

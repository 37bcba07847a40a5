"""COSMic Vanilla (Inan et al. 2021): caption ratings learned from texts, coherence labels and image features.

The texts are read by a frozen sentence encoder; each fold of images is scored by a network that has not seen it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from data.study import digest
from metrics.learned.checkpoint import Checkpoint
from metrics.learned.trainer import History, Recipe, device, train
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.text.torch_setup import cores

Rows = NDArray[np.int64]
Relu = Literal["paper", "code"]
"""Positions of the ReLUs: after every hidden layer (eqs 3 to 5 of the paper), or all but the first (its code)."""
RELU: Relu = "paper"
EVERYWHERE = "everywhere"
"""ReLUs after the projections, too, as in networks saved before `Relu` was a parameter."""
RELUS = (*get_args(Relu), EVERYWHERE)
SIZES = (512, 256, 128, 64, 32, 16, 8, 1)
"""Output sizes of the layers after the projections."""
PROJECTED = 512
BATCH = 10
HELD_OUT = 10
"""One in this many training images is held out for early stopping."""
FOLDS = 5
SCORED_AT_ONCE = 8_192
"""Maximum number of captions in one pass of a trained network, which bounds memory."""
RECIPE = Recipe(learning_rate=1e-3, factor=0.01, every=10, epochs=100, patience=10)
"""The paper's recipe: Adam at 1e-3, multiplied by .01 after every 10 epochs; about 100 epochs with early stopping."""


class Network(nn.Module):
    """A network that scores captions from embeddings and, optionally, image features and one-hot labels.

    `texts`, `images` and `labels` are the widths of these inputs; 0 leaves out images or labels. Caption and reference
    share a projection to 512, and so do their labels. `relu` is one of RELUS.
    """

    def __init__(self, texts: int, images: int, labels: int, relu: str = RELU) -> None:
        super().__init__()
        self.relu = relu
        self.text = nn.Linear(texts, PROJECTED)
        self.image = nn.Linear(images, PROJECTED) if images else None
        self.label = nn.Linear(labels, PROJECTED) if labels else None
        inputs = PROJECTED * (2 + bool(images) + 2 * bool(labels))
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip((inputs, *SIZES), SIZES))

    def forward(self, texts: Sequence[Tensor], image: Tensor | None, labels: Sequence[Tensor]) -> Tensor:
        """Return (n,) scores from texts and labels of caption and reference, each (n, k), and features (n, images)."""
        parts = [self.text(one) for one in texts]
        if self.image is not None:
            parts.append(self.image(image))
        if self.label is not None:
            parts += [self.label(one) for one in labels]
        found = torch.cat(parts, dim=1)
        if self.relu == EVERYWHERE:
            found = found.relu()
        for k, layer in enumerate(self.layers):
            found = layer(found)
            if k < len(self.layers) - 1 and (k or self.relu != "code"):
                found = found.relu()
        return found[:, 0]


@dataclass(frozen=True)
class Data:
    """Rated captions (n,) as row numbers: `caption` and `reference` in `texts`, `image` in `images`.

    `label` and `reference_label` are numbers of labels, from 0 to `n_labels` - 1; without features, `images` has 0
    columns, and without labels, `n_labels` is 0. `group` is the image of each caption, by which folds are formed;
    `rating` is in 0..1, or NaN for a caption that is only scored.
    """

    texts: Tensor
    images: Tensor
    caption: Rows
    reference: Rows
    image: Rows
    label: Rows
    reference_label: Rows
    n_labels: int
    group: Rows
    rating: Floats

    batch, at_once, threads = BATCH, SCORED_AT_ONCE, 0

    @property
    def recipe(self) -> Recipe:
        """The settings for training."""
        return RECIPE

    def identity(self) -> str:
        """Return a digest of everything that determines the data."""
        arrays = (self.caption, self.reference, self.image, self.label, self.reference_label, self.group, self.rating)
        tables = [hashlib.sha256(table.cpu().numpy().tobytes()).hexdigest() for table in (self.texts, self.images)]
        return digest([*(one.tolist() for one in arrays), *tables])

    def network(self, relu: str) -> Network:
        """Return a new network for these inputs."""
        return Network(self.texts.shape[1], self.images.shape[1], self.n_labels, relu)

    def scores(self, network: nn.Module, rows: Rows) -> Tensor:
        """Return the (rows,) scores of these captions, on the device of the tables."""
        image = self.images[torch.as_tensor(self.image[rows])] if self.images.shape[1] else None
        labels = [self._one_hot(label[rows]) for label in (self.label, self.reference_label) if self.n_labels]
        texts = [self.texts[torch.as_tensor(one[rows])] for one in (self.caption, self.reference)]
        found: Tensor = network(texts, image, labels)
        return found

    def _one_hot(self, labels: Rows) -> Tensor:
        return torch.eye(self.n_labels, device=self.texts.device)[torch.as_tensor(labels)]


class Learnable(Protocol):
    """Rated captions (n,) of the images (n,) in `group`, and the network that can learn them.

    Training batches have `batch` captions, scoring batches `at_once`; `threads` folds are trained at a time, or as many
    as there are cores if it is 0.
    """

    @property
    def batch(self) -> int: ...
    @property
    def at_once(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def group(self) -> Rows: ...
    @property
    def rating(self) -> Floats: ...
    @property
    def recipe(self) -> Recipe: ...
    def identity(self) -> str: ...
    def network(self, relu: str) -> nn.Module: ...
    def scores(self, network: nn.Module, rows: Rows) -> Tensor: ...


@dataclass(frozen=True)
class Examples:
    """The task of one fold: to predict the ratings of the captions `rows` (n,), with those of `others` held out."""

    data: Learnable
    rows: Rows
    others: Rows

    def batches(self, rng: np.random.Generator) -> Iterator[Rows]:
        """Return all rows in random order, in batches."""
        return self._batches(rng.permutation(self.rows))

    def held_out(self) -> Sequence[Rows]:
        """Return the held-out rows in batches."""
        return list(self._batches(self.others))

    def loss(self, network: nn.Module, batch: Rows) -> Tensor:
        """Return the mean squared error of the batch as a scalar tensor."""
        found = self.data.scores(network, batch)
        return nn.functional.mse_loss(
            found, torch.as_tensor(self.data.rating[batch], dtype=found.dtype).to(found.device)
        )

    def _batches(self, rows: Rows) -> Iterator[Rows]:
        for start in range(0, len(rows), self.data.batch):
            yield rows[start : start + self.data.batch]


@dataclass(frozen=True)
class Scored:
    """Scores (n,) of captions by networks that have not seen their image, with folds (n,) and training histories."""

    scores: Floats
    fold: Rows
    histories: tuple[History, ...]


def cross_validated(
    data: Learnable, seed: int = 0, relu: str = RELU, hooks: Hooks | None = None, checkpoints: Path | None = None
) -> Scored:
    """Return the scores of all captions, each by a network trained on the other four of five folds of images.

    An interrupted training run resumes from its file in `checkpoints`. Raises Cancelled.
    """
    fold = folds(data.group, seed)
    work = _Work(data, seed, relu, fold, hooks or Hooks(), checkpoints)
    every = cores()
    threads = 1 if device().type == "cuda" else data.threads or every
    with ThreadPoolExecutor(threads, "cosmic", torch.set_num_threads, (max(1, every // threads),)) as pool:
        asked = [pool.submit(work.done, k) for k in range(FOLDS)]
        try:
            found = [one.result() for one in asked]
        finally:
            for one in asked:
                one.cancel()
    scores = np.full(len(data.rating), np.nan)
    for k, (scored, _) in enumerate(found):
        scores[fold == k] = scored
    return Scored(scores, fold, tuple(history for _, history in found))


def fitted(
    data: Learnable, seed: int = 0, relu: str = RELU, hooks: Hooks | None = None, checkpoints: Path | None = None
) -> tuple[nn.Module, History]:
    """Return a network trained on all images except those held out for early stopping. Raises Cancelled."""
    held = np.isin(data.group, np.random.default_rng([seed, FOLDS]).permutation(np.unique(data.group))[::HELD_OUT])
    recipe = replace(data.recipe, seed=int(np.random.SeedSequence([seed, FOLDS]).generate_state(1)[0]))
    network, known = data.network(relu).to(device()), np.isfinite(data.rating)
    examples = Examples(data, np.flatnonzero(known & ~held), np.flatnonzero(known & held))
    work = _Work(data, seed, relu, np.zeros(len(data.rating), dtype=np.int64), hooks or Hooks(), checkpoints)
    checkpoint = work.checkpoint(recipe)
    # With batches of ten captions, threads mostly wait for each other when other programs are running.
    with ThreadPoolExecutor(1, "cosmic", torch.set_num_threads, (cores() if data.threads else 1,)) as pool:
        history = pool.submit(train, network, examples, recipe, hooks, checkpoint).result()
    if checkpoint is not None:
        checkpoint.remove()
    return network, history


def folds(group: Rows, seed: int) -> Rows:
    """Return the fold (n,) of each caption: images are shuffled and assigned to folds in turn."""
    images = np.unique(group)
    place = np.empty(len(images), dtype=np.int64)
    place[np.random.default_rng(seed).permutation(len(images))] = np.arange(len(images))
    return np.asarray(place[np.searchsorted(images, group)] % FOLDS)


@dataclass
class _Work:
    data: Learnable
    seed: int
    relu: str
    fold: Rows
    hooks: Hooks
    checkpoints: Path | None

    def __post_init__(self) -> None:
        self.shares = [0.0] * FOLDS

    def done(self, k: int) -> tuple[Floats, History]:
        images = np.unique(self.data.group[self.fold != k])
        held = np.isin(self.data.group, np.random.default_rng([self.seed, k]).permutation(images)[::HELD_OUT])
        outside = (self.fold != k) & np.isfinite(self.data.rating)
        examples = Examples(self.data, np.flatnonzero(outside & ~held), np.flatnonzero(outside & held))
        recipe = replace(self.data.recipe, seed=int(np.random.SeedSequence([self.seed, k]).generate_state(1)[0]))
        network = self.data.network(self.relu).to(device())
        checkpoint = self.checkpoint(recipe)
        history = train(network, examples, recipe, self._hooks(k), checkpoint)
        rows = np.flatnonzero(self.fold == k)
        parts = [rows[start : start + self.data.at_once] for start in range(0, len(rows), self.data.at_once)]
        with torch.no_grad():
            scored = [self.data.scores(network, part).cpu().numpy().astype(float) for part in parts]
        if checkpoint is not None:
            checkpoint.remove()
        return np.concatenate([np.zeros(0), *scored]), history

    def checkpoint(self, recipe: Recipe) -> Checkpoint | None:
        """Return the checkpoint of a training run, named after all that determines it; None if none are kept."""
        if self.checkpoints is None:
            return None
        said = digest([self.data.identity(), self.relu, repr(recipe)])
        return Checkpoint(self.checkpoints / f"{said}.safetensors", said)

    def _hooks(self, k: int) -> Hooks:
        def share(done: float) -> None:
            self.shares[k] = done
            self.hooks.share(sum(self.shares) / FOLDS)

        return Hooks(
            lambda text: self.hooks.progress(f"fold {k + 1} of {FOLDS}: {text}"), self.hooks.should_stop, share
        )

"""Training of COSMic on a file of ratings, as an artifact: the network file, and its agreement on held-out images."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from data.check import GivenFile
from data.coherence_study import ratings_in
from data.ratings.coherence_ratings import Rated, in_order
from data.study import DataError, digest
from metrics.analysis.artifacts import Artifact
from metrics.cache import array_checks
from metrics.cache.disk import Cache, entry_key
from metrics.cache.entry import Arrays
from metrics.learned import cosmic_file
from metrics.learned.cosmic_metric import LEAST_IMAGES
from metrics.progress import Hooks
from metrics.text.encoder import encoder_signature

if TYPE_CHECKING:
    from metrics.learned.cosmic_data import Design, Images

VERSION = "2"
KIND = "networks"
_OWN = ("value", "low", "high")
_ALONE = ("value", "difference", "difference_low", "difference_high")


@dataclass(frozen=True)
class Training:
    """A training set: the rated captions of a file, and the training settings."""

    name: str
    rated: tuple[Rated, ...] = field(repr=False)
    augmented: bool = False
    features: Images | None = field(default=None, repr=False, compare=False)

    @property
    def covered(self) -> bool:
        """Whether features are available for all rated images."""
        return self.features is not None and {one.image for one in self.rated} <= set(self.features.names)

    @property
    def read_images(self) -> Images | None:
        """The features to train on; None if they do not cover all rated images."""
        return self.features if self.covered else None

    @property
    def design(self) -> Design:
        """The design of the network that `train cosmic` trains without further options."""
        from metrics.learned.cosmic_data import Design

        return Design(augmented=self.augmented)

    @cached_property
    def images(self) -> int:
        """Number of images that have a rated caption."""
        return len({one.image for one in self.rated})

    @cached_property
    def key(self) -> str:
        """The cache key of the network; it depends on encoder, ratings, design and features. Raises EncoderMissing."""
        rows = digest([[repr(value) for value in vars(one).values()] for one in in_order(self.rated)])
        said = [encoder_signature(self.design.encoder), rows, repr(self.design)]
        if (images := self.read_images) is not None:
            from metrics.learned.cosmic_data import images_digest

            said.append(images_digest(images))
        return entry_key(KIND, VERSION, *said)


@dataclass(frozen=True)
class Agreement:
    """Kendall's tau-b with ratings of held-out images, with its 95 % interval over images.

    `alone` is the tau-b of a prediction from the label only; `difference` is the network's tau-b minus `alone`, with
    its interval.
    """

    value: float
    low: float
    high: float
    alone: float
    difference: float
    difference_low: float
    difference_high: float


def training(name: str, content: bytes) -> Training:
    """Return the training set of a file of ratings.

    Raises DataError if the ratings cannot be read or cover fewer than LEAST_IMAGES images.
    """
    made = Training(name, ratings_in(name, content).rated)
    if made.images < LEAST_IMAGES:
        raise DataError(
            f"{name}: {made.images} images have a rated caption and another one that is rated good; COSMic needs at "
            f"least {LEAST_IMAGES}. Give more ratings."
        )
    return made


def trained(work: Training, cache: Cache) -> Artifact:
    """Return the artifact: a network trained on all ratings, as the bytes of a file, and its five-fold agreement."""

    def run(hooks: Hooks) -> Arrays:
        from metrics.analysis.coherence.cosmic_agreement import LABEL_ALONE, label_alone, learned, save, table

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "network.safetensors"
            save(path, work.rated, work.read_images, work.design, cache, hooks.part(0, 0.2))
            content = path.read_bytes()
        scored = learned(work.rated, work.read_images, work.design, cache, hooks.part(0.2, 1))
        scores = {"COSMic": scored.scores, LABEL_ALONE: label_alone(work.rated, scored.fold)}
        found = table(work.rated, scores)
        mine, alone = (found[(found.label == "all") & (found.metric == name)] for name in scores)
        numbers = [*mine[list(_OWN)].iloc[0], *alone[list(_ALONE)].iloc[0]]
        return {"network": np.frombuffer(content, dtype=np.uint8), "agreement": np.array(numbers, dtype=float)}

    return Artifact(work.key, run, f"Training COSMic on {work.name}", slow=True, fits=_fits)


def of_arrays(arrays: Arrays) -> tuple[bytes, Agreement]:
    """Return the network file, and the network's agreement with ratings."""
    return arrays["network"].tobytes(), Agreement(*(float(one) for one in arrays["agreement"]))


def _fits(arrays: Arrays) -> bool:
    try:
        array_checks.expect(arrays, {"network": (None,), "agreement": (7,)})
        if arrays["network"].dtype != np.uint8 or (np.abs(arrays["agreement"]) > 2).any():
            return False
        with tempfile.TemporaryDirectory() as folder:
            cosmic_file.store(GivenFile("network.safetensors", arrays["network"].tobytes()), Path(folder))
    except (array_checks.Unfit, DataError):
        return False
    return True

"""The training data of COSMic: rated captions as tables, added captions that balance the labels, and image features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from data.check import GivenFile
from data.files import npz
from data.files.file_cache import read_once
from data.files.limits import Budget
from data.ratings.coherence import LABELS
from data.ratings.coherence_ratings import Rated, in_order
from data.study import DataError, Item
from metrics.cache.disk import write_whole
from metrics.learned.cosmic import RELU, Data, Relu, Rows, folds
from metrics.learned.trainer import device
from metrics.mathematics.arrays import Floats
from metrics.text.encoder import DEFAULT

COSMIC, CROSS_MODAL = "COSMic Vanilla", "COSMic cross-modal"
SMALLER = "Leave out what the study does not have, or save `features` as float16."
MOST_MADE = 3
"""Maximum number of added captions per rated caption of a label."""


@dataclass(frozen=True)
class Design:
    """The design of the network: with or without coherence labels, with ReLUs as in the paper or the authors' code.

    `augmented` adds captions of other images, rated 0, until the labels' mean ratings are equal ("COSMic+"). A
    `cross_modal` network includes a vision-and-language encoder, which is trained with it and reads pictures.
    """

    encoder: str = DEFAULT
    labels: bool = True
    relu: Relu = RELU
    seed: int = 0
    augmented: bool = False
    cross_modal: bool = False

    def name(self, images: bool) -> str:
        """Return the name of the network, including the inputs that it lacks."""
        without = [what for what, given in (("image", images), ("labels", self.labels)) if not given]
        plain = (CROSS_MODAL if self.cross_modal else COSMIC) + ("+" if self.augmented else "")
        return plain + (f" without {' and '.join(without)}" if without else "")


class Images(NamedTuple):
    """Features (n, d) of images, with the images' names."""

    names: tuple[str, ...]
    features: Floats


def read_images(path: Path) -> Images:
    """Return the features in an .npz file with `names` (n,) and `features` (n, d). Raises DataError for other files."""
    try:
        arrays = npz.read(content := path.read_bytes(), Budget(len(content)))
    except (OSError, *npz.UNUSABLE) as why:
        raise DataError(f"{path}: {why}") from None
    names, features = (arrays.get(name, np.zeros(0)) for name in ("names", "features"))
    if features.ndim != 2 or not features.shape[1] or len(features) != len(names) or features.dtype.kind != "f":
        raise DataError(f"{path}: needs `names` (n,) and `features` (n, d) of floats; this file has {sorted(arrays)}.")
    if not np.isfinite(features).all():
        raise DataError(f"{path}: `features` has values that are not finite numbers: mend them.")
    return Images(tuple(str(name) for name in names), features.astype(float))


@read_once(2)
def images_of(path: Path) -> Images:
    """Return the features in a file, which is read again only after it changes. Raises DataError for other files."""
    return read_images(path)


def store_images(given: GivenFile, folder: Path) -> str:
    """Store a file of features in a folder under its digest, unless it exists, and return its path.

    Raises DataError with the file's name as given if it contains no features, is too large when unpacked, or cannot be
    stored.
    """
    path = folder / f"{given.sha256}.npz"
    try:
        if not path.is_file():
            if npz.size(given.content) > npz.LARGEST_GIVEN:
                most = f"arrays of more than {npz.LARGEST_GIVEN >> 20:,} MB"
                raise DataError(f"{given.name}: {most}. {SMALLER}")
            write_whole(path, given.content)
        images_of(str(path))
    except DataError as why:
        path.unlink(missing_ok=True)
        raise DataError(str(why).replace(str(path), given.name)) from None
    except OSError as why:
        said = f"{given.name}: it could not be saved on this machine ({why.strerror or why}). Free some space."
        raise DataError(said) from None
    return str(path)


def images_digest(images: Images) -> str:
    """Return a digest of 12 digits that identifies names and features."""
    said = sha256("\0".join(images.names).encode())
    said.update(np.ascontiguousarray(images.features).tobytes())
    return said.hexdigest()[:12]


def item_rows(images: Images, items: Sequence[Item]) -> Rows:
    """Return the row (items,) of each item's image, found by its path, its file name or the item's id; else -1."""
    place = {name: k for k, name in enumerate(images.names)}
    names = ((item.image or "", Path(item.image or "").name, item.id) for item in items)
    return np.array([next((place[name] for name in own if name in place), -1) for own in names], dtype=np.int64)


def require_features(images: Images, names: Sequence[str], where: str) -> None:
    """Raise DataError if any of these images has no features."""
    if absent := sorted(set(names) - set(images.names)):
        raise DataError(f"{where}: no features of {len(absent):,} images, such as {absent[0]!r}. Add them to the file.")


@dataclass(frozen=True)
class Tables:
    """The data for a network, its labels, and the divisors of embeddings and features."""

    data: Data
    labels: tuple[str, ...]
    text_size: float
    image_size: float


def label_set(rated: Sequence[Rated]) -> tuple[str, ...]:
    """Return the labels of captions and references: always the four known labels, then other labels by name."""
    said = {label for one in rated for label in (one.label, one.reference_label) if label}
    return (*LABELS, *sorted(said - set(LABELS)))


def tables(
    rated: Sequence[Rated], embed: Callable[[Sequence[str]], Floats], images: Images | None, design: Design
) -> Tables:
    """Return rated captions, all with a reference, as tensors and arrays for training.

    A reference without a label gets the label of its caption.
    """
    texts = sorted({text for one in rated for text in (one.caption, one.reference)})
    vectors, names = embed(texts), sorted({one.image for one in rated})
    features = np.zeros((len(names), 0))
    if images is not None:
        features = images.features[_rows({name: k for k, name in enumerate(images.names)}, names)]
    labels = label_set(rated)
    sizes = _size(vectors), _size(features)
    place, group = {text: k for k, text in enumerate(texts)}, {name: k for k, name in enumerate(names)}
    number = {label: k for k, label in enumerate(labels)}
    image = _rows(group, [one.image for one in rated])
    data = Data(
        texts=tensor(vectors / sizes[0]),
        images=tensor(features / sizes[1]),
        caption=_rows(place, [one.caption for one in rated]),
        reference=_rows(place, [one.reference for one in rated]),
        image=image,
        label=_rows(number, [one.label for one in rated]),
        reference_label=_rows(number, [one.reference_label or one.label for one in rated]),
        n_labels=len(labels) if design.labels else 0,
        group=image,
        rating=np.array([one.rating for one in rated], dtype=float),
    )
    return Tables(data, labels, *sizes)


def _rows(of: Mapping[str, int], values: Sequence[str]) -> Rows:
    return np.array([of[value] for value in values], dtype=np.int64)


def _size(vectors: Floats) -> float:
    """Return the divisor that scales vectors like initial weights: their root mean square, or 1 if that is 0."""
    return (float(np.sqrt((vectors**2).mean())) if vectors.size else 1.0) or 1.0


def tensor(values: Floats) -> torch.Tensor:
    """Return an array in single precision on the device where networks compute."""
    return torch.as_tensor(values, dtype=torch.float32).to(device())


def level(rated: Sequence[Rated], seed: int) -> tuple[Rated, ...]:
    """Return added captions, rated 0, that equalise the mean ratings of the labels: COSMic's augmentation ("+").

    Each is a caption with the same label from another image of the same fold, so that captions of a fold never leak
    into the training of the network that scores it. The target is the lowest mean of a label or, if that is higher,
    the lowest mean that all labels can reach with three added captions per rated caption.
    """
    known = [one for one in rated if np.isfinite(one.rating)]
    of_label = {label: [one for one in known if one.label == label] for label in dict.fromkeys(o.label for o in known)}
    means = {label: float(np.mean([one.rating for one in of])) for label, of in of_label.items()}
    goal = max(min(means.values()), *(mean / (1 + MOST_MADE) for mean in means.values()))
    images = sorted({one.image for one in rated})
    fold = dict(zip(images, folds(np.arange(len(images)), seed).tolist()))
    made: list[Rated] = []
    for number, label in enumerate(sorted(of_label)):
        rng, ordered = np.random.default_rng([seed, number]), in_order(of_label[label])
        wanted = round(len(ordered) * (means[label] / goal - 1)) if 0 < goal < means[label] else 0
        for k in range(wanted):
            one = ordered[k % len(ordered)]
            others = [o for o in ordered if o.image != one.image and fold[o.image] == fold[one.image]]
            if others:
                made.append(replace(one, caption=others[int(rng.integers(len(others)))].caption, rating=0.0))
    return tuple(made)


def label_means(rated: Sequence[Rated]) -> dict[str, tuple[float, int]]:
    """Return the mean rating of each label and its number of captions, over the rated captions."""
    found: dict[str, list[float]] = {}
    for one in rated:
        if np.isfinite(one.rating):
            found.setdefault(one.label, []).append(one.rating)
    return {label: (float(np.mean(found[label])), len(found[label])) for label in label_set(rated) if label in found}

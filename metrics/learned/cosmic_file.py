"""Files of trained COSMic networks: weights as safetensors, with a signature of the training data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from data.check import GivenFile
from data.files.limits import BROKEN
from data.ratings.coherence import MOST, as_label
from data.ratings.coherence_ratings import Rated
from data.study import DataError
from metrics.cache.disk import write_whole
from metrics.mathematics.arrays import Floats

if TYPE_CHECKING:
    from torch import nn

    from metrics.learned.cosmic import Network

LARGEST = 1 << 30
WIDEST = 1 << 16
FORMAT = "trilens cosmic 2"
BEFORE = "trilens cosmic 1"
"""The older format of files, with `rectified` in place of `relu`."""
FLOATS = {"F16", "F32", "F64"}


@dataclass(frozen=True)
class About:
    """A network's inputs and training data: encoder, labels, input widths, and the divisors of the inputs.

    `images` is 0 for a network without images, and `labels` is empty for one without labels; `data` is the digest of
    the ratings, and `captions` and `pictures` are the numbers of captions and images. For a cross-modal network,
    `cross` is the width of its encoder's pooled vectors, and the widths of texts and images are 0.
    """

    encoder: str
    labels: tuple[str, ...]
    texts: int
    images: int
    relu: str
    text_size: float
    image_size: float
    captions: int
    pictures: int
    data: str
    seed: int
    augmented: bool = False
    cross: int = 0


@dataclass(frozen=True, eq=False)
class Trained:
    """A network from a file: its inputs, its weights by name, and the sha256 of the file."""

    about: About
    weights: dict[str, NDArray[np.float32]] = field(repr=False)
    digest: str

    @property
    def label_place(self) -> dict[str, int]:
        """The index of each label in the one-hot vectors."""
        return {label: k for k, label in enumerate(self.about.labels)}

    def network(self) -> Network:
        """Return the network with these weights."""
        import torch

        from metrics.learned.cosmic import Network
        from metrics.learned.trainer import device

        made = Network(self.about.texts, self.about.images, len(self.about.labels), self.about.relu)
        made.load_state_dict({name: torch.from_numpy(array) for name, array in self.weights.items()})
        return made.to(device()).eval()

    def scores(self, pairs: Sequence[Rated], texts: Sequence[str], vectors: Floats, features: Floats) -> Floats:
        """Return (n,) scores of captions against their references, whose labels the network must know.

        `vectors` (m, d) are the embeddings of `texts`, and `features` (n, e) those of the image of each pair.
        """
        import torch

        from metrics.learned.cosmic_data import tensor

        if not pairs:
            return np.zeros(0)
        place, one_hot = {text: k for k, text in enumerate(texts)}, np.eye(max(1, len(self.about.labels)))
        sides = [(one.caption for one in pairs), (one.reference for one in pairs)]
        read = [tensor(vectors[[place[text] for text in side]] / self.about.text_size) for side in sides]
        said: list[torch.Tensor] = []
        if self.about.labels:
            both = [(one.label for one in pairs), (one.reference_label for one in pairs)]
            said = [tensor(one_hot[[self.label_place[label] for label in side]]) for side in both]
        image = tensor(features / self.about.image_size) if self.about.images else None
        with torch.no_grad():
            found: Floats = self.network()(read, image, said).cpu().numpy().astype(float)
        return found


def save(path: Path, network: nn.Module, about: About, losses: Sequence[tuple[float, float]]) -> None:
    """Write a network to a file atomically. Raises OSError if it cannot be written."""
    from metrics.learned.checkpoint import Checkpoint, State

    signature = json.dumps({"format": FORMAT, **asdict(about)}, sort_keys=True)
    Checkpoint(path, signature).write(State({k: v.cpu() for k, v in network.state_dict().items()}, tuple(losses)))
    path.chmod(0o644)


def read(path: str) -> Trained:
    """Return the network in a file. Raises DataError if the file contains no COSMic network."""
    from safetensors import SafetensorError

    try:
        stat = Path(path).stat()
        if stat.st_size > LARGEST:
            raise ValueError(f"it is larger than {LARGEST >> 20:,} MB")
        return _read(path, stat.st_mtime_ns, stat.st_size)
    except (SafetensorError, *BROKEN) as why:
        said = getattr(why, "strerror", None) or str(why) or type(why).__name__
        remedy = f"`trilens train cosmic RATINGS --save {Path(path).name}` makes one"
        raise DataError(f"{path}: not a network of COSMic ({said}); {remedy}.") from None


def store(given: GivenFile, folder: Path) -> str:
    """Store a network in a folder under its digest, unless it exists, and return its path.

    Raises DataError with the file's name as given if it contains no COSMic network, or cannot be stored.
    """
    path = folder / f"{given.sha256}.safetensors"
    try:
        if not path.is_file():
            write_whole(path, given.content)
        read(str(path))
    except DataError as why:
        path.unlink(missing_ok=True)
        raise DataError(str(why).replace(str(path), given.name).replace(path.name, "cosmic.safetensors")) from None
    except OSError as why:
        raise DataError(
            f"{given.name}: it could not be saved on this machine ({why.strerror or why}). Free some space."
        ) from None
    return str(path)


def unusable(path: str) -> str | None:
    """Return why a file contains no usable network, and the remedy; None if it contains one."""
    try:
        read(path)
    except DataError as why:
        return str(why)
    return None


@lru_cache(maxsize=4)
def _read(path: str, changed: int, size: int) -> Trained:
    from safetensors import safe_open

    content = Path(path).read_bytes()
    with safe_open(path, framework="numpy") as file:
        about = _about(json.loads((file.metadata() or {})["signature"]))
        if not FLOATS.issuperset(file.get_slice(name).get_dtype() for name in file.keys()):  # noqa: SIM118 - as below
            raise ValueError("its weights are not floats of 16, 32 or 64 bits")
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is not a mapping
    found = Trained(about, weights, hashlib.sha256(content).hexdigest())
    if not all(np.isfinite(array).all() for array in weights.values()):
        raise ValueError("its weights are not finite numbers")
    try:
        if not about.cross:
            found.network()
        elif weights["head.weight"].shape != (1, about.cross) or weights["head.bias"].shape != (1,):
            raise RuntimeError
    except RuntimeError:
        raise ValueError("its weights do not have the shapes that it states") from None
    return found


def _about(said: Any) -> About:
    from metrics.learned.cosmic import EVERYWHERE, RELUS

    form = said.pop("format", None) if isinstance(said, dict) else None
    if form not in (FORMAT, BEFORE):
        raise ValueError("it does not mention COSMic")
    if form == BEFORE:
        said["relu"] = EVERYWHERE if said.pop("rectified") else "code"
    labels = said["labels"]
    if not isinstance(labels, list) or len(labels) > MOST + 4 or [as_label(one) for one in labels] != labels:
        raise ValueError("its labels cannot be read")
    made = About(**{**said, "labels": tuple(labels)})
    if made.relu not in RELUS:
        raise ValueError("its layers cannot be read")
    sizes = (made.text_size, made.image_size)
    widths = (made.texts, made.images, made.cross)
    if not all(isinstance(one, int) and 0 <= one <= WIDEST for one in widths) or bool(made.texts) == bool(made.cross):
        raise ValueError("its sizes cannot be read")
    if not all(0 < float(one) < 1e9 for one in sizes):
        raise ValueError("its sizes cannot be read")
    return made

"""COSMic's cross-modal variant (Inan et al. 2021): a vision-and-language encoder, fine-tuned end to end on ratings.

The encoder reads picture, caption and reference together, with the coherence labels as words before the captions. It
can be any that `transformers` loads from a folder of safetensors; none of the folder's own code is run.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from data.ratings.coherence_ratings import Rated
from data.study import DataError, digest
from metrics.learned.cosmic import Rows
from metrics.learned.cosmic_file import LARGEST, Trained
from metrics.learned.pictures import PicturesOf
from metrics.learned.trainer import Recipe, device
from metrics.mathematics.arrays import Floats
from metrics.text.encoder import SURROGATES, encoder_signature
from metrics.text.torch_setup import load_transformers

if TYPE_CHECKING:
    from PIL.Image import Image

RECIPE = Recipe(learning_rate=2e-6, factor=1.0, epochs=20, patience=5)
"""Settings of training, with the paper's learning rate for ViLBERT; the number of epochs is not from the paper."""
BATCH, AT_ONCE = 4, 32
"""Captions per batch in training, as in the paper, and in scoring."""
LONGEST = 512
"""Maximum number of tokens of a caption with its reference, unless the encoder states fewer."""
SAVE = "Save model, tokenizer and image processor there by `save_pretrained` of transformers."


@dataclass(frozen=True, eq=False)
class VisionLanguage:
    """An encoder from a folder: `signature` identifies it, and `width` is the width of its pooled vectors."""

    signature: str
    width: int
    model: nn.Module = field(repr=False)
    tokenizer: Any = field(repr=False)
    processor: Any = field(repr=False)
    longest: int = LONGEST

    def inputs(self, captions: Sequence[str], others: Sequence[str], pictures: Sequence[Image]) -> dict[str, Tensor]:
        """Return the model's inputs for captions, each with its reference and picture; long texts are truncated."""
        pair = ([SURROGATES.sub("\ufffd", text) for text in side] for side in (captions, others))
        words = self.tokenizer(*pair, padding=True, truncation=True, max_length=self.longest, return_tensors="pt")
        return {**words.to(device()), **self.processor(images=list(pictures), return_tensors="pt").to(device())}


class CrossModal(nn.Module):
    """An encoder and a linear layer that computes the score from its pooled vector.

    The encoder starts from the weights in its folder. It has no dropout even in training, since dropout would use the
    random numbers of the whole process.
    """

    def __init__(self, encoder: VisionLanguage) -> None:
        super().__init__()
        self.given = encoder.model.state_dict()
        self.encoder = copy.deepcopy(encoder.model)
        self.head = nn.Linear(encoder.width, 1)

    def begin(self) -> None:
        """Load the folder's weights into the encoder."""
        self.encoder.load_state_dict(self.given)

    def train(self, mode: bool = True) -> CrossModal:
        """Set the mode, but keep the encoder without dropout."""
        super().train(mode)
        self.encoder.eval()
        return self

    def forward(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """Return (n,) scores."""
        found: Tensor = self.head(pooled(self.encoder, inputs))
        return found[:, 0]


@dataclass(frozen=True)
class CrossModalData:
    """Rated captions (n,) and references as texts that begin with their labels, and the pictures by image.

    `group` is the image of each caption; `rating` is in 0..1, or NaN for a caption that is only scored.
    """

    encoder: VisionLanguage
    pictures: PicturesOf
    captions: tuple[str, ...]
    references: tuple[str, ...]
    images: tuple[str, ...]
    group: Rows
    rating: Floats

    batch, at_once, threads = BATCH, AT_ONCE, 1

    @property
    def recipe(self) -> Recipe:
        """The settings for training."""
        return RECIPE

    def network(self, relu: str) -> CrossModal:
        """Return a network for these inputs; `relu` is ignored, because the network has no hidden layers of its own."""
        return CrossModal(self.encoder)

    def scores(self, network: nn.Module, rows: Rows) -> Tensor:
        """Return the (rows,) scores of these captions."""
        captions, references, images = ([of[k] for k in rows] for of in (self.captions, self.references, self.images))
        inputs = self.encoder.inputs(captions, references, [self.pictures.open(image) for image in images])
        found: Tensor = network(inputs)
        return found

    def identity(self) -> str:
        """Return a digest of everything that determines the data."""
        said = (self.captions, self.references, self.images, self.rating.tolist(), self.pictures.digest)
        return digest([self.encoder.signature, *said])


def reads_pictures(name: str) -> bool:
    """Return whether a folder contains a model that has an image processor and is not a SentenceTransformer."""
    folder = Path(name).expanduser()
    said = any((folder / file).is_file() for file in ("preprocessor_config.json", "processor_config.json"))
    return said and not (folder / "modules.json").is_file()


def load(name: str) -> VisionLanguage:
    """Return the encoder in a folder, loaded only once. Raises DataError if it cannot be used."""
    folder = Path(name).expanduser()
    if not (folder / "config.json").is_file():
        raise DataError(f"{name}: has no config.json. {SAVE}")
    if not any(folder.glob("*.safetensors")):
        raise DataError(f"{name}: has no weights as .safetensors, the one kind that is read. {SAVE}")
    return _load(str(folder), encoder_signature(name))


@lru_cache(maxsize=1)
def _load(folder: str, signature: str) -> VisionLanguage:
    load_transformers()
    from safetensors import SafetensorError
    from transformers import AutoImageProcessor, AutoModel, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    only: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        model = AutoModel.from_pretrained(folder, use_safetensors=True, dtype=torch.float32, **only)
        tokenizer, processor = (kind.from_pretrained(folder, **only) for kind in (AutoTokenizer, AutoImageProcessor))
    except (
        OSError,
        ValueError,
        KeyError,
        ImportError,
        RuntimeError,
        TypeError,
        AttributeError,
        SafetensorError,
    ) as why:
        raise DataError(f"{folder}: transformers cannot load it ({str(why)[:200]}). {SAVE}") from None
    if (size := sum(part.numel() for part in model.parameters())) * 4 > LARGEST:
        raise DataError(
            f"{folder}: {size:,} weights, more than the maximum of {LARGEST // 4:,}. Name a smaller encoder."
        )
    text = getattr(model.config, "text_config", model.config)
    longest = min(LONGEST, int(getattr(text, "max_position_embeddings", LONGEST)))
    made = VisionLanguage(signature, 0, model.to(device()).eval(), tokenizer, processor, longest)
    return replace(made, width=_width(made, folder))


def _width(made: VisionLanguage, folder: str) -> int:
    """Return the width of the pooled vector, found by trial.

    Raises DataError if the model does not make such a vector of words and picture.
    """
    from PIL import Image

    black, white = (Image.new("RGB", (64, 48), colour) for colour in ("black", "white"))
    try:
        with torch.no_grad():
            sides = ["a", "cat", "a"], ["b", "b", "b"], [black, black, white]
            found = pooled(made.model, made.inputs(*sides))
        if torch.allclose(found[0], found[1], atol=1e-7) or torch.allclose(found[0], found[2], atol=1e-7):
            raise ValueError("it ignores one of them")
        return found.shape[1]
    except (RuntimeError, ValueError, TypeError, KeyError, AttributeError, IndexError) as why:
        said = f"{type(made.model).__name__} does not make one vector of a picture and two texts ({str(why)[:150]})"
        raise DataError(f"{folder}: {said}. Name an encoder such as ViLT or CLIP.") from None


def pooled(model: nn.Module, inputs: Mapping[str, Tensor]) -> Tensor:
    """Return (n, d) vectors of pictures with their texts: the pooled output, or the product of both towers' vectors.

    The components of a product are scaled to a size of about 1. Raises ValueError for a model with neither.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)  # ViLT shuffles its patches, which changes the last digits
        found = model(**inputs)
    vector = getattr(found, "pooler_output", None)
    if isinstance(vector, Tensor):
        return vector
    sides = [getattr(found, name, None) for name in ("text_embeds", "image_embeds")]
    if not all(isinstance(side, Tensor) and side.ndim == 2 for side in sides):
        raise ValueError("it has no pooled vector")
    text, image = (nn.functional.normalize(side, dim=1) for side in sides)  # type: ignore[arg-type]
    return text * image * text.shape[1]


def data_of(rated: Sequence[Rated], pictures: PicturesOf, encoder: VisionLanguage, labels: bool) -> CrossModalData:
    """Return rated captions, all with a reference, for training; a reference without a label gets its caption's."""
    names = sorted({one.image for one in rated})
    place = {name: k for k, name in enumerate(names)}
    captions, references = texts_of(rated, labels)
    return CrossModalData(
        encoder,
        pictures,
        captions,
        references,
        tuple(one.image for one in rated),
        np.array([place[one.image] for one in rated], dtype=np.int64),
        np.array([one.rating for one in rated], dtype=float),
    )


def texts_of(rated: Sequence[Rated], labels: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return captions and references as the encoder reads them: `Visible: a cat on a mat`, or without labels."""
    if not labels:
        return tuple(one.caption for one in rated), tuple(one.reference for one in rated)
    captions = tuple(f"{one.label}: {one.caption}" for one in rated)
    return captions, tuple(f"{one.reference_label or one.label}: {one.reference}" for one in rated)


def scored(trained: Trained, pairs: Sequence[Rated], encoder: VisionLanguage, pictures: PicturesOf) -> Floats:
    """Return (n,) scores of captions, which all have a reference and a picture, by a network from a file.

    Raises DataError for a file whose weights do not fit the encoder.
    """
    network, data = _network(trained, encoder), data_of(pairs, pictures, encoder, bool(trained.about.labels))
    rows, found = np.arange(len(pairs)), np.zeros(len(pairs))
    with torch.no_grad():
        for start in range(0, len(pairs), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            found[part] = data.scores(network, part).cpu().numpy()
    return found


@lru_cache(maxsize=1)
def _network(trained: Trained, encoder: VisionLanguage) -> CrossModal:
    made = CrossModal(encoder)
    try:
        made.load_state_dict({name: torch.from_numpy(array) for name, array in trained.weights.items()})
    except RuntimeError:
        raise DataError(
            "The weights of this network of COSMic are not those of its encoder: train it again with `train cosmic`."
        ) from None
    return made.to(device()).eval()

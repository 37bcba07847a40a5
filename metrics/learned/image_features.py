"""Image features from the packaged EfficientNet-lite0 or a CLIP model in a folder, cached by picture."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from data.study import DataError
from metrics.cache import array_checks
from metrics.cache.disk import Cache, entry_key
from metrics.learned import efficientnet, efficientnet_file
from metrics.learned.pictures import NoPicture, PictureFiles, decode
from metrics.learned.trainer import device
from metrics.progress import Hooks
from metrics.text.encoder import SURROGATES, folder_digest
from metrics.text.torch_setup import load_transformers

if TYPE_CHECKING:
    from PIL.Image import Image

Vectors = NDArray[np.float32]
VERSION = "1"
BATCH, TEXTS = 16, 64


@dataclass(frozen=True)
class Model:
    """A feature extractor identified by `signature`: `pictures` maps n pictures to (n, d); CLIP also has `texts`."""

    signature: str
    pictures: Callable[[Sequence[Image]], Vectors] = field(repr=False)
    texts: Callable[[Sequence[str]], Vectors] | None = field(default=None, repr=False)


class Made(NamedTuple):
    """Features (n, d) of pictures by name, and the reason why each remaining file has no features."""

    names: tuple[str, ...]
    features: Vectors
    left_out: dict[str, str]


def load(name: str) -> Model:
    """Return the model `efficientnet-lite0`, or the CLIP model in a folder. Raises DataError if there is none."""
    if name == efficientnet_file.NAME:
        return _efficientnet()
    folder = Path(name).expanduser()
    nested = folder / "0_CLIPModel"
    folder = nested if nested.is_dir() else folder
    lacking = [file for file in ("config.json", "preprocessor_config.json") if not (folder / file).is_file()]
    if lacking or not any(folder.glob("*.safetensors")):
        what = f"has no {' and no '.join(lacking)}" if lacking else "has no weights as .safetensors"
        raise DataError(
            f"{name}: {what}. Name {efficientnet_file.NAME}, or a folder that `save_pretrained` of transformers wrote "
            "for a CLIP model and its processor."
        )
    return _clip(folder)


def measure(files: PictureFiles, model: Model, cache: Cache, hooks: Hooks) -> Made:
    """Return the features of all readable pictures; they come from the cache for pictures whose bytes are known.

    Raises Cancelled.
    """
    found: dict[str, Vectors] = {}
    waiting: list[tuple[str, str, Image]] = []
    left_out: dict[str, str] = {}

    def flush() -> None:
        if waiting:
            for (name, key, _), row in zip(waiting, model.pictures([picture for *_, picture in waiting])):
                cache.put(key, {"vectors": row[None]})
                found[name] = row
            waiting.clear()

    for place, (name, content) in enumerate(files.read()):
        hooks.check()
        hooks.share(place / len(files.names))
        hooks.progress(f"{place:,} of {len(files.names):,}")
        if content is None:
            left_out[name] = "it is too large"
            continue
        key = entry_key("embeddings", "picture", VERSION, model.signature, hashlib.sha256(content).hexdigest())
        known = cache.read(key, _row)
        if known is not None:
            found[name] = known
            continue
        try:
            waiting.append((name, key, decode(content)))
        except NoPicture as why:
            left_out[name] = str(why)
        if len(waiting) == BATCH:
            flush()
    flush()
    names = tuple(name for name in files.names if name in found)
    return Made(names, np.array([found[name] for name in names], dtype=np.float32), left_out)


def of_texts(model: Model, texts: Sequence[str], hooks: Hooks) -> Vectors:
    """Return the (n, d) vectors of texts from a CLIP model. Raises Cancelled."""
    assert model.texts is not None
    found = []
    for start in range(0, len(texts), TEXTS):
        hooks.check()
        hooks.share(start / len(texts))
        found.append(model.texts([SURROGATES.sub("\ufffd", text) for text in texts[start : start + TEXTS]]))
    return np.concatenate(found)


def _row(arrays: dict[str, NDArray[Any]]) -> Vectors:
    found = array_checks.expect(arrays, {"vectors": (1, None)})["vectors"]
    if not np.isfinite(found).all():
        raise array_checks.Unfit("features that are not finite numbers")
    return np.asarray(found[0], dtype=np.float32)


def _efficientnet() -> Model:
    path = efficientnet_file.required()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    weights = {name: tensor.to(device()) for name, tensor in efficientnet.weights(path).items()}

    def pictures(given: Sequence[Image]) -> Vectors:
        batch = torch.stack([torch.from_numpy(as_array(one)) for one in given]).to(device())
        with torch.no_grad():
            return np.asarray(efficientnet.features(weights, batch).cpu().numpy(), dtype=np.float32)

    return Model(f"{efficientnet_file.NAME}@{digest}", pictures)


def as_array(picture: Image) -> Vectors:
    """(3, 224, 224) centre of a picture whose shorter side is resized to 224, with normalised colours."""
    from PIL import Image

    side = efficientnet.SIZE
    scale = side / min(picture.size)
    wide, high = (max(side, round(one * scale)) for one in picture.size)
    left, top = (wide - side) // 2, (high - side) // 2
    cut = picture.resize((wide, high), Image.Resampling.BILINEAR).crop((left, top, left + side, top + side))
    values = (np.asarray(cut, dtype=np.float32) / 255 - efficientnet.MEAN) / efficientnet.DEVIATION
    return np.ascontiguousarray(values.transpose(2, 0, 1), dtype=np.float32)


def _clip(folder: Path) -> Model:
    load_transformers()
    from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

    try:
        model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True).to(device()).eval()
        process = AutoImageProcessor.from_pretrained(folder, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError, ImportError) as why:
        raise DataError(
            f"{folder}: transformers cannot load it ({str(why)[:200]}). Save model and processor again."
        ) from None
    if not (hasattr(model, "get_image_features") and hasattr(model, "get_text_features")):
        raise DataError(f"{folder}: {type(model).__name__} does not read pictures and texts. Name a CLIP model.")
    longest = int(model.config.text_config.max_position_embeddings)

    def pictures(given: Sequence[Image]) -> Vectors:
        read = process(images=list(given), return_tensors="pt")["pixel_values"].to(device())
        with torch.no_grad():
            return _rows(model.get_image_features(pixel_values=read))

    def texts(given: Sequence[str]) -> Vectors:
        read = tokenizer(list(given), padding=True, truncation=True, max_length=longest, return_tensors="pt")
        with torch.no_grad():
            return _rows(model.get_text_features(**read.to(device())))

    return Model(f"{folder.resolve().name}@{folder_digest(folder)}", pictures, texts)


def _rows(found: Any) -> Vectors:
    """Return the projected vectors, which newer versions of transformers return inside an object."""
    return np.asarray(getattr(found, "pooler_output", found).cpu().numpy(), dtype=np.float32)

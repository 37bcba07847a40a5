"""Vectors of images and captions from one vision-and-language model, read from an .npz file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.files import npz
from data.files.file_cache import read_once
from data.files.limits import Budget
from data.study import DataError
from metrics.mathematics.arrays import Floats

ARRAYS = ("images", "image_vectors", "texts", "text_vectors")
HOLDS = "`images` (k,) ids of items, `image_vectors` (k, d), `texts` (n,) and `text_vectors` (n, d)"


@dataclass(frozen=True)
class ClipFeatures:
    """Unit vectors of images and texts, as rows (n, d); `digest` identifies them.

    `images` gives the row of each item's id, and `texts` that of each text.
    """

    images: dict[str, int]
    image_rows: Floats
    texts: dict[str, int]
    text_rows: Floats
    digest: str

    def image(self, item: str) -> Floats | None:
        """Return the (d,) vector of an item's image; None if it is missing."""
        place = self.images.get(item)
        return None if place is None else self.image_rows[place]

    def captions(self, texts: Sequence[str]) -> Floats | None:
        """Return (n, d) vectors of texts; None if any text lacks a vector."""
        places = [self.texts.get(text) for text in texts]
        return None if None in places else self.text_rows[np.array(places, dtype=np.int64)]


def missing(path: str) -> str | None:
    """Return a sentence that states that there is no such file, with the remedy; None if it exists."""
    return None if Path(path).expanduser().is_file() else f"{path} is not a file: name an .npz with {HOLDS}"


@read_once(4, f". Name an .npz with {HOLDS}.")
def read(path: Path) -> ClipFeatures:
    """Return the features in a file, which is read again only after it changes. Raises DataError for other files."""
    try:
        arrays = npz.read(content := path.read_bytes(), Budget(len(content)))
    except npz.UNUSABLE as why:
        raise DataError(f"{path.name}: {why}. It takes {HOLDS}.") from None
    if lacking := [name for name in ARRAYS if name not in arrays]:
        raise DataError(f"{path.name}: no array {' and no '.join(lacking)}. It takes {HOLDS}.")
    images, image_rows = _rows(path, arrays, "images", "image_vectors")
    texts, text_rows = _rows(path, arrays, "texts", "text_vectors")
    if image_rows.shape[1] != text_rows.shape[1]:
        raise DataError(
            f"{path.name}: vectors of {image_rows.shape[1]:,} numbers for images and of {text_rows.shape[1]:,} for "
            "texts. Take both from one model, after its projections."
        )
    total = sha256()
    for names, rows in ((images, image_rows), (texts, text_rows)):
        for name in sorted(names):
            total.update(name.encode("utf-8", errors="surrogatepass") + b"\n" + rows[names[name]].tobytes())
    return ClipFeatures(images, image_rows, texts, text_rows, total.hexdigest())


def _rows(path: Path, arrays: dict[str, NDArray[Any]], names: str, vectors: str) -> tuple[dict[str, int], Floats]:
    """Return positions by name, and rows scaled to length 1.

    Raises DataError for arrays of another form, or rows that are zero or not finite.
    """
    said, rows = arrays[names], arrays[vectors]
    if said.ndim != 1 or rows.ndim != 2 or rows.dtype.kind != "f" or not rows.size or len(said) != len(rows):
        raise DataError(
            f"{path.name}: `{names}` has the shape {said.shape} and `{vectors}` {rows.shape} of the kind {rows.dtype}. "
            f"It takes {HOLDS}, vectors of floats."
        )
    rows = rows.astype(float)
    lengths = np.linalg.norm(rows, axis=1)
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(bad):
        raise DataError(
            f"{path.name}: {len(bad):,} rows of `{vectors}` are zero or not finite numbers, row {bad[0] + 1} first. "
            "Compute them again."
        )
    return {str(name): place for place, name in enumerate(said.tolist())}, rows / lengths[:, None]

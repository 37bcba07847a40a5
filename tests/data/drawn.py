"""Draw pictures for tests from numbers."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
from PIL import Image

RED, GREEN, BLUE = (200, 30, 30), (30, 160, 60), (30, 60, 200)


def image(size: tuple[int, int] = (64, 48), colour: tuple[int, ...] = RED, mode: str = "RGB") -> Image.Image:
    made = Image.new(mode, size, colour)
    made.paste("white" if mode == "RGB" else 255, (0, 0, size[0] // 4, size[1] // 4))
    return made


def drawn(kind: str = "PNG", colour: tuple[int, ...] = RED, size: tuple[int, int] = (64, 48), **options: Any) -> bytes:
    out = io.BytesIO()
    image(size, colour).save(out, kind, **options)
    return out.getvalue()


def noise(seed: int, size: tuple[int, int] = (640, 480), kind: str = "JPEG") -> bytes:
    """Return the bytes of a picture with about as much detail as a photograph."""
    source = np.random.default_rng(seed)
    small = source.integers(0, 255, (size[1] // 8, size[0] // 8, 3), dtype=np.uint8)
    fine = source.normal(0, 6, (size[1], size[0], 3))
    made = np.asarray(Image.fromarray(small).resize(size, Image.Resampling.BICUBIC), dtype=float) + fine
    out = io.BytesIO()
    Image.fromarray(made.clip(0, 255).astype(np.uint8)).save(out, kind)
    return out.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def opened(content: bytes) -> Image.Image:
    found = Image.open(io.BytesIO(content))
    found.load()
    return found

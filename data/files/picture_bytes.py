"""Decode bytes that claim to be a picture, within limits, and encode them again at a small size."""

from __future__ import annotations

import io
import threading
import warnings
from contextlib import nullcontext
from typing import TYPE_CHECKING

from data.files.limits import BROKEN

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
NAMED = "PNG, JPEG, WebP or GIF"
ENDINGS = (".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".gif")
OTHER_ENDINGS = (".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl", ".jp2", ".svg", ".ico", ".psd")
"""Extensions of pictures that browsers or this program cannot read."""
MOST_BYTES, MOST_PIXELS, MOST_SCANS = 32 << 20, 60_000_000, 200
"""Maximum number of bytes and of pixels of an original picture, and of scans of a progressive JPEG."""
PIXELS_OF_ANY, PIXELS_OF_A_BYTE = 16_000_000, 20
"""Number of pixels allowed in any picture, and number allowed per byte of larger pictures; photographs have fewer per
byte.
"""
HEAVY = 4_000_000
"""Number of pixels above which a picture other than a JPEG is decoded alone, because of the memory it takes."""
SIDE, QUALITY = 1_024, 85
"""Longest side, in pixels, of a picture as it is kept, and its JPEG quality."""
_TOO_MANY = f"it has more than {MOST_PIXELS // 1_000_000} million pixels"
_LARGE, _AT_ONCE = 12_000_000, 4_000_000
_ONE_LARGE = threading.Lock()
"""Lock by which pictures with more than `_LARGE` pixels are decoded one at a time per process; each takes up to 240 MB.
"""


class NoPicture(ValueError):
    """Bytes that are not a supported picture; the message gives the reason."""


def is_picture(name: str, content: bytes) -> bool:
    """Return whether the content or the name of a file shows that it is a picture, even one that cannot be read."""
    starts = content.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a"))
    return starts or (content[:4] == b"RIFF" and content[8:12] == b"WEBP") or named_so(name)


def named_so(name: str) -> bool:
    """Return whether the name of a file shows that it is a picture, even one that cannot be read."""
    return name.lower().endswith((*ENDINGS, *OTHER_ENDINGS))


def pixels(content: bytes) -> int:
    """Return the number of pixels that a picture's header states; 0 for a picture that `written` refuses."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
                _bounded(picture, content)
                return picture.width * picture.height
    except (*BROKEN, Image.DecompressionBombError):
        return 0


def written(content: bytes) -> bytes:
    """Return a picture as a JPEG without metadata, at most SIDE pixels wide and high, and rotated as its EXIF data
    state.

    Only the first of several frames is kept; transparent areas become white. Raises NoPicture for other bytes and for a
    picture that exceeds the limits.
    """
    from PIL import Image, UnidentifiedImageError

    if len(content) > MOST_BYTES:
        raise NoPicture(f"it has more than {MOST_BYTES >> 20} MB")
    made = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
                _bounded(picture, content)
                with _ONE_LARGE if picture.width * picture.height > _LARGE else nullcontext():
                    _upright(picture).save(made, "JPEG", quality=QUALITY)
    except UnidentifiedImageError:
        raise NoPicture(f"it is no {NAMED}") from None
    except NoPicture:
        raise
    except Image.DecompressionBombError:
        raise NoPicture(_TOO_MANY) from None
    except BROKEN as why:
        raise NoPicture(f"it is damaged ({why or type(why).__name__})") from None
    return made.getvalue()


def _bounded(picture: Image, content: bytes) -> None:
    if picture.width * picture.height > MOST_PIXELS:
        raise NoPicture(_TOO_MANY)
    if picture.width * picture.height > (most := max(PIXELS_OF_ANY, PIXELS_OF_A_BYTE * len(content))):
        raise NoPicture(f"it has more than {most // 1_000_000} million pixels, the maximum for a file of its size")
    # In the data of a JPEG this pair of bytes begins a scan, and a small file may have thousands of them.
    if picture.format in ("JPEG", "MPO") and content.count(b"\xff\xda") > MOST_SCANS:
        raise NoPicture(f"it is built up in more than {MOST_SCANS} passes")


def _upright(picture: Image) -> Image:
    from PIL import ImageOps

    picture.draft("RGB", (SIDE, SIDE))
    picture.load()
    flat = _halved(picture) if picture.width * picture.height > _AT_ONCE else _flat(picture)
    flat.thumbnail((SIDE, SIDE))
    flat.info["exif"] = picture.info.get("exif", b"")
    try:
        turned = ImageOps.exif_transpose(flat)
    except BROKEN:  # Damaged camera metadata need not mean a damaged picture.
        turned = flat
    turned.info.clear()
    return turned


def _halved(picture: Image) -> Image:
    """Return the picture as RGB at half its size or less, processed in bands to save memory."""
    from PIL import Image

    by = max(2, max(picture.size) // (4 * SIDE))
    small = Image.new("RGB", (-(-picture.width // by), -(-picture.height // by)))
    high = by * max(1, _AT_ONCE // (by * picture.width))
    for top in range(0, picture.height, high):
        band = picture.crop((0, top, picture.width, min(picture.height, top + high)))
        small.paste(_flat(band).reduce(by), (0, top // by))
    return small


def _flat(picture: Image) -> Image:
    """Return the picture as RGB with 8 bits per channel; transparent areas become white."""
    from PIL import Image

    if picture.mode.startswith("I"):
        return picture.point(lambda value: value / 256).convert("L").convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in picture.info:
        clear = picture.convert("RGBA")
        ground = Image.new("RGBA", clear.size, (255, 255, 255, 255))
        return Image.alpha_composite(ground, clear).convert("RGB")
    return picture.convert("RGB")

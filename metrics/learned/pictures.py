"""Pictures in a folder or a zip file, decoded one at a time within bounds."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from data.study import DataError

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
MOST_PIXELS, MOST_BYTES, MOST_FILES = 60_000_000, 64 << 20, 500_000
"""Most pixels and bytes of a picture, and most files of a folder or archive."""


class NoPicture(ValueError):
    """Bytes that are no picture that is read here; the message says why."""


@dataclass(frozen=True)
class PictureFiles:
    """The files of a folder, those in folders inside it too, or of a zip file: `names` as relative paths."""

    path: Path
    names: tuple[str, ...]

    def read(self) -> Iterator[tuple[str, bytes | None]]:
        """Yield each name with its bytes, None for a file that is too large."""
        if self.path.is_dir():
            for name in self.names:
                file = self.path / name
                yield name, file.read_bytes() if file.stat().st_size <= MOST_BYTES else None
            return
        with zipfile.ZipFile(self.path) as archive:
            for name in self.names:
                with archive.open(name) as stream:
                    content = stream.read(MOST_BYTES + 1)
                yield name, content if len(content) <= MOST_BYTES else None


def listed(path: Path) -> PictureFiles:
    """Return the files in a folder or zip file, hidden ones left out. Raises DataError."""
    try:
        if path.is_dir():
            found = [file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()]
        else:
            with zipfile.ZipFile(path) as archive:
                found = [one.filename for one in archive.infolist() if not one.is_dir()]
    except (OSError, zipfile.BadZipFile) as why:
        raise DataError(f"{path}: neither a folder of pictures nor a zip file of them ({why}).") from None
    names = sorted(name for name in found if not any(part.startswith(".") for part in PurePosixPath(name).parts))
    if not 0 < len(names) <= MOST_FILES:
        raise DataError(f"{path}: {len(names):,} files. Give a folder or zip file of 1 to {MOST_FILES:,} pictures.")
    return PictureFiles(path, tuple(names))


def decode(content: bytes) -> Image:
    """Return a picture as RGB, turned as its camera says; of several frames the first. Raises NoPicture."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise NoPicture(f"it has more than {MOST_PIXELS // 1_000_000} million pixels")
                return ImageOps.exif_transpose(picture).convert("RGB")
    except UnidentifiedImageError:
        raise NoPicture(f"it is no picture: {', '.join(FORMATS)} are read") from None
    except NoPicture:
        raise
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombError) as why:
        raise NoPicture(f"it is damaged ({why or type(why).__name__})") from None

"""Pictures in a folder or a zip file, decoded one at a time within bounds."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from data.files.limits import BROKEN
from data.study import DataError, Item

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
MOST_PIXELS, MOST_BYTES, MOST_FILES = 60_000_000, 64 << 20, 500_000
"""Maximum numbers of pixels and bytes of a picture, and of files in a folder or archive."""


class NoPicture(ValueError):
    """Raised for bytes that cannot be read as a picture; the message is the reason."""


@dataclass(frozen=True)
class PictureFiles:
    """The files of a zip file, or of a folder and its subfolders: `names` are relative paths."""

    path: Path
    names: tuple[str, ...]

    def read(self) -> Iterator[tuple[str, bytes | None]]:
        """Yield each name with its bytes, or None if the file is too large."""
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

    def one(self, name: str) -> bytes | None:
        """Return the bytes of one file; None if it is too large."""
        return next(PictureFiles(self.path, (name,)).read())[1]


@dataclass(frozen=True)
class PicturesAtHand(PictureFiles):
    """Pictures with names that are not paths: `of` maps each name to its file or bytes."""

    of: Mapping[str, Path | bytes] = field(default_factory=dict, repr=False)

    def read(self) -> Iterator[tuple[str, bytes | None]]:
        """Yield each name with its bytes, or None if the file is too large."""
        for name in self.names:
            one = self.of[name]
            large = isinstance(one, Path) and one.stat().st_size > MOST_BYTES
            yield name, None if large else one.read_bytes() if isinstance(one, Path) else one


@dataclass(frozen=True)
class PicturesOf:
    """The pictures of images or items: `of` maps each name or id to a file."""

    files: PictureFiles
    of: dict[str, str]

    @cached_property
    def digest(self) -> str:
        """A digest of names and pictures."""
        said = sha256("\0".join(f"{name}\0{file}" for name, file in sorted(self.of.items())).encode())
        for _, content in PictureFiles(self.files.path, tuple(sorted(set(self.of.values())))).read():
            said.update(sha256(content or b"").digest())
        return said.hexdigest()

    def open(self, name: str) -> Image:
        """Return the picture of an image. Raises DataError if its file is not a readable picture."""
        file = self.of[name]
        content = self.files.one(file)
        try:
            if content is None:
                raise NoPicture("it is too large")
            return decode(content)
        except NoPicture as why:
            raise DataError(f"{file}: {why}. Give this picture in another format, or leave it out.") from None


def are_pictures(path: str) -> bool:
    """Return whether a path can contain pictures: True for a folder and for a .zip file."""
    return Path(path).suffix.lower() == ".zip" or Path(path).is_dir()


def by_image(files: PictureFiles, images: Iterable[str]) -> PicturesOf:
    """Return the pictures of images, found by image name or address, with or without folders and extension."""
    find = finder(files.names)
    found = {image: find(_names_of(image)) for image in images}
    return PicturesOf(files, {image: files.names[place] for image, place in found.items() if place is not None})


def by_item(files: PictureFiles, items: Iterable[Item]) -> PicturesOf:
    """Return the pictures of items, found by `image`, with or without folders and extension, or by id."""
    find = finder(files.names)
    found = {item.id: find([*_names_of(item.image or ""), item.id]) for item in items}
    return PicturesOf(files, {id: files.names[place] for id, place in found.items() if place is not None})


def require_pictures(found: PicturesOf, images: Iterable[str], where: str) -> None:
    """Raise DataError if an image has no picture or its picture cannot be read."""
    if absent := sorted(set(images) - set(found.of)):
        such, them = (" ", "it") if len(absent) == 1 else ("s, such as ", "them")
        raise DataError(f"{where}: no picture for {len(absent):,} image{such}{absent[0]!r}. Add {them} there.")
    for image in sorted(found.of):
        found.open(image)


def finder(names: Sequence[str]) -> Callable[[Iterable[str]], int | None]:
    """Return a function from keys to the position in `names` of the first key that matches; None if none matches.

    A key may lack the folders of a name, its extension, or both.
    """
    place: dict[str, int] = {}
    for k, name in enumerate(names):
        path = PurePosixPath(name)
        for known in (name, path.name, path.with_suffix("").as_posix(), path.stem):
            place.setdefault(known, k)
    return lambda keys: next((place[key] for key in keys if key in place), None)


def _names_of(image: str) -> list[str]:
    return [name for name in (image, PurePosixPath(image).name, PurePosixPath(image).stem) if name]


def pictures_digest(path: str) -> str:
    """Return a 12-digit digest of the files in a folder or zip file, recomputed when one of them changes.

    Raises DataError as `listed` does, and if a file is gone.
    """
    files = listed(Path(path))
    try:
        every = [files.path / name for name in files.names] if files.path.is_dir() else [files.path]
        stats = tuple((one.stat().st_mtime_ns, one.stat().st_size) for one in every)
        return _digest(files, stats)
    except OSError as why:
        raise DataError(f"{path}: {why.strerror or why}") from None


@lru_cache(maxsize=4)
def _digest(files: PictureFiles, stats: tuple[tuple[int, int], ...]) -> str:
    return PicturesOf(files, {name: name for name in files.names}).digest[:12]


def listed(path: Path) -> PictureFiles:
    """Return the files in a folder or zip file, except hidden files.

    Raises DataError if the path is neither, or has no files or more than MOST_FILES.
    """
    try:
        if path.is_dir():
            found = [file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()]
        else:
            with zipfile.ZipFile(path) as archive:
                found = [one.filename for one in archive.infolist() if not one.is_dir()]
    except BROKEN as why:
        raise DataError(f"{path}: not a folder or zip file of pictures ({why}).") from None
    names = sorted(name for name in found if not any(part.startswith(".") for part in PurePosixPath(name).parts))
    if not 0 < len(names) <= MOST_FILES:
        raise DataError(f"{path}: {len(names):,} files. Give a folder or zip file of 1 to {MOST_FILES:,} pictures.")
    return PictureFiles(path, tuple(names))


def decode(content: bytes) -> Image:
    """Return a picture as RGB, rotated as its camera recorded; only the first frame is read.

    Raises NoPicture for a picture that is damaged, too large, or not of a supported format.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise NoPicture(f"it has more than {MOST_PIXELS // 1_000_000} million pixels")
                return ImageOps.exif_transpose(picture).convert("RGB")
    except UnidentifiedImageError:
        raise NoPicture(f"it is not a picture in a supported format ({', '.join(FORMATS)})") from None
    except NoPicture:
        raise
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombError) as why:
        raise NoPicture(f"it is damaged ({why or type(why).__name__})") from None

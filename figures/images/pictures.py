"""The picture of an item, if there is one that may be shown."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from data.check import Loaded
from data.pictures.picture_names import named
from data.study import Item

FOLDER = "TRILENS_IMAGES"
LARGEST = 32 << 20
_STARTS: dict[str, tuple[bytes, ...]] = {
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".gif": (b"GIF87a", b"GIF89a"),
    ".webp": (b"RIFF",),
}
REMEDY = "To see pictures, drop them, or a zip of them, on Data."


@dataclass(frozen=True)
class Picture:
    """A picture that may be shown: a file on this machine, or the bytes of a JPEG that was encoded here."""

    source: Path | bytes = field(repr=False)

    @property
    def shown(self) -> str | bytes:
        """The picture in a form that Streamlit accepts."""
        return str(self.source) if isinstance(self.source, Path) else self.source

    @property
    def content(self) -> bytes:
        """The bytes of the picture."""
        return self.source.read_bytes() if isinstance(self.source, Path) else self.source

    @property
    def kind(self) -> str:
        """The picture's format, as named in a media type, such as "jpeg"."""
        ending = self.source.suffix.lower() if isinstance(self.source, Path) else ".jpg"
        return {".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png", ".gif": "gif", ".webp": "webp"}[ending]


def picture(item: Item, demo: bool, given: Loaded | None = None) -> Picture | None:
    """Return an item's picture, or None.

    In the demo it is the item's own; in any other study it is the one `given` with the study, else a PNG, JPEG, GIF or
    WebP file inside the folder named by TRILENS_IMAGES, once links and dots in its path are resolved. A study cannot
    name a file outside that folder.
    """
    if demo:
        from data.demo import picture_path

        path = picture_path(item)
        return None if path is None else Picture(path)
    own = None if given is None or given.study is None else given.pictures
    if own is not None and given is not None and given.study is not None:
        content = own.of(given.study, item)
        if content is not None:
            return Picture(content)
    path = _in_folder(item, own.pattern if own is not None else "")
    return None if path is None else Picture(path)


def _in_folder(item: Item, pattern: str) -> Path | None:
    folder = os.environ.get(FOLDER)
    by_pattern = named(pattern, item.id) if pattern else None
    wanted = (item.image or by_pattern or "").replace("\\", "/")
    if not folder or not wanted:
        return None
    # A path from another machine rarely exists on this one, but its file name alone often does.
    names = dict.fromkeys((wanted, wanted.rpartition("/")[2], *([by_pattern] if by_pattern else ())))
    found = (_inside(Path(folder), name) for name in names)
    return next((path for path in found if path is not None), None)


def why_missing(item: Item) -> str:
    """Return why the picture of an item is not shown, and what to do."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return REMEDY
    if _leads_out(Path(folder), (item.image or "").replace("\\", "/")):
        return f"The picture is outside the folder that {FOLDER} names, so it is not opened. {REMEDY}"
    return f"{FOLDER} names no folder with this picture. {REMEDY}"


def _leads_out(folder: Path, name: str) -> bool:
    try:
        return not (folder.resolve() / name).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):
        return False


def _inside(folder: Path, name: str) -> Path | None:
    try:
        home = folder.resolve(strict=True)
        path = (home / name).resolve(strict=True)
        starts = _STARTS.get(path.suffix.lower())
        if starts is None or not path.is_relative_to(home) or not path.is_file() or path.stat().st_size > LARGEST:
            return None
        with path.open("rb") as file:
            return path if file.read(16).startswith(starts) else None
    except (OSError, ValueError):  # no such file, a loop of links, a name that no file can have
        return None

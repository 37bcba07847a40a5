"""The file of an item's picture, if this machine may show it."""

from __future__ import annotations

import os
from pathlib import Path

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
REMEDY = (
    f"To see pictures, start the app with the environment variable {FOLDER} set to the folder they lie in: "
    "what the data name as an item's image is looked up in it by path or by file name (PNG, JPEG, GIF, WebP)."
)


def picture(item: Item, demo: bool) -> Path | None:
    """Return the file of an item's picture, or None.

    For the demo, its own pictures; for any other study, only a PNG, JPEG, GIF or WebP file inside the folder that
    TRILENS_IMAGES names, after links and dots in its path are resolved. A study cannot name a file outside it.
    """
    if demo:
        from data.demo import picture_path

        return picture_path(item)
    named = os.environ.get(FOLDER)
    if not named or not item.image:
        return None
    folder = Path(named)
    # A path as one machine wrote it is rarely one of this machine: its file name alone often is.
    wanted = item.image.replace("\\", "/")
    found = (_inside(folder, name) for name in dict.fromkeys((wanted, wanted.rpartition("/")[2])))
    return next((path for path in found if path is not None), None)


def why_missing(item: Item) -> str:
    """Return why a study's pictures are not shown, and what to do."""
    named = os.environ.get(FOLDER)
    if not named:
        return REMEDY
    if _leads_out(Path(named), (item.image or "").replace("\\", "/")):
        return f"That is outside the folder which {FOLDER} names, so it is not opened. {REMEDY}"
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

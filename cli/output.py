"""Messages on stderr, and the file `--out`, which is tested before the work and written completely or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape


def fail(message: str) -> Any:
    """Print an error on stderr and exit with status 2."""
    _say(message, "red")
    raise typer.Exit(2)


def warn(message: str) -> None:
    """Print a warning on stderr; the command continues."""
    _say(message, "yellow")


def _say(message: str, style: str) -> None:
    Console(stderr=True).print(escape(message), style=style, highlight=False, soft_wrap=True)


def check(out: Path, endings: Sequence[str], read: Iterable[Path | None] = ()) -> None:
    """Exit with status 2 before any work if a command could not write to `out`.

    It could not if `out` has none of these endings, is among the files `read`, or cannot be written; a temporary file
    beside it shows whether it can be.
    """
    if out.suffix not in endings:
        named = endings[0] if len(endings) == 1 else f"{', '.join(endings[:-1])} or {endings[-1]}"
        fail(f"{out}: write to a {named} file")
    try:
        _fail_unwritable(out)
        if out.exists() and any(_same(path, out) for path in read if path is not None):
            fail(f"{out}: --out would replace a file that is read: name another")
        os.close(_opened(temporary := _temporary_path(out)))
        temporary.unlink()
    except OSError as error:
        fail(f"{out}: nothing can be written there ({error.strerror})")


def _same(path: Path, out: Path) -> bool:
    return os.path.exists(path) and os.path.samefile(path, out)  # Path.exists raises for too long a name


def _fail_unwritable(out: Path) -> None:
    if not out.absolute().parent.is_dir():
        fail(f"{out}: there is no folder {out.absolute().parent}")
    if out.is_dir():
        fail(f"{out}: this is a folder; name a file")
    if out.exists() and not os.access(out, os.W_OK):
        fail(f"{out}: this file may not be written")


def write(out: Path, content: bytes) -> None:
    """Write a file under a temporary name and then rename it.

    Exit with status 2 if it cannot be written, for example to a full disk.
    """
    temporary = _temporary_path(out)
    try:
        with os.fdopen(_opened(temporary), "wb") as file:
            file.write(content)
        os.replace(temporary, out.resolve())
    except OSError as error:
        temporary.unlink(missing_ok=True)
        fail(f"{out}: it could not be written ({error.strerror})")


def _temporary_path(out: Path) -> Path:
    return out.resolve().with_name(f".{out.name}.{secrets.token_hex(4)}")


def _opened(path: Path) -> int:
    """Create a new file with the user's default permissions, and return its descriptor."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)

"""Cache the contents of files for as long as they do not change."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from data.study import DataError

P = ParamSpec("P")
T = TypeVar("T")


def read_once(
    files: int, remedy: str = ""
) -> Callable[[Callable[Concatenate[Path, P], T]], Callable[Concatenate[str, P], T]]:
    """Return a decorator that caches the results of a reader for the last `files` files, as long as their modification
    time and size stay the same.

    The reader gets the path with `~` expanded. An OSError becomes a DataError whose message consists of the path, the
    reason and `remedy`, which begins with its own punctuation.
    """

    def decorated(read: Callable[Concatenate[Path, P], T]) -> Callable[Concatenate[str, P], T]:
        @lru_cache(maxsize=files)
        def kept(path: Path, changed: int, size: int, *args: P.args, **kwargs: P.kwargs) -> T:
            return read(path, *args, **kwargs)

        @wraps(read)
        def current(path: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
            file = Path(path).expanduser()
            try:
                facts = file.stat()
                return kept(file, facts.st_mtime_ns, facts.st_size, *args, **kwargs)  # type: ignore[arg-type]
            except OSError as why:
                raise DataError(f"{path}: {why.strerror or why}{remedy}") from None

        return current

    return decorated


def why_unreadable(read: Callable[[str], object], path: str) -> str | None:
    """Return why a file cannot be read, with the remedy; None if it can."""
    try:
        read(path)
    except DataError as why:
        return str(why)
    return None

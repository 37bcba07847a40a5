"""Read-only layers of a cache: zip files, or folders of them, that ship with a study."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from data.files.limits import BROKEN


class Layers:
    """Members of zip files by name; a folder stands for every zip file in it. Damaged archives are treated as absent.

    Archives are opened on the first lookup, and stay open.
    """

    def __init__(self, paths: tuple[Path, ...] = ()) -> None:
        self.paths = paths
        self._lock = threading.Lock()
        self._members: dict[str, list[zipfile.ZipFile]] | None = None

    def names(self) -> Iterable[str]:
        """Return the names of all members."""
        return self._opened().keys()

    def __contains__(self, name: str) -> bool:
        return name in self._opened()

    def read(self, name: str) -> Iterator[bytes]:
        """Yield the contents of this member from each archive that has it, in the order of the layers."""
        for archive in self._opened().get(name, ()):
            try:
                with self._lock:
                    raw = archive.read(name)
            except BROKEN:
                continue
            yield raw

    def _opened(self) -> dict[str, list[zipfile.ZipFile]]:
        with self._lock:
            if self._members is None:
                self._members = {}
                for archive in _archives(self.paths):
                    for name in archive.NameToInfo:
                        self._members.setdefault(name, []).append(archive)
            return self._members


def _archives(paths: Iterable[Path]) -> Iterator[zipfile.ZipFile]:
    for path in paths:
        for file in sorted(path.glob("*.zip")) if path.is_dir() else [path]:
            try:
                yield zipfile.ZipFile(file)
            except BROKEN:
                continue

"""List the files in folders that a person names, as if each folder were an archive."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from data.files.limits import MAX_MEMBERS, Budget, TooLargeError, Total
from data.findings import Log, clip
from data.unpack import MAX_PICTURES, Source, check_members, hf_folders, is_system_file, left_out


def files_within(sources: Iterable[Source], log: Log) -> list[Source]:
    """Return the sources in order, each folder replaced by its files; hidden files, and folders with too many files,
    are left out with a finding.

    Folders that `hf_folders` reads are not replaced.
    """
    found: list[Source] = []
    for source in sources:
        if isinstance(source, tuple) or not Path(source).is_dir() or hf_folders(Path(source)):
            found.append(source)
            continue
        inside = list(islice(_files(Path(source), log), MAX_PICTURES + MAX_MEMBERS + 1))
        try:
            check_members([path.name for path in inside], Budget(0, Total()))
        except TooLargeError as why:
            log.add("too_large", Path(source).name, why=why)
        else:
            found += inside
    return found


def _files(top: Path, log: Log) -> Iterator[Path]:
    for folder, inner, files in os.walk(top):
        left = {name: code for name in files if (code := left_out(name))}
        for name in sorted([*inner, *files]):
            kind = "hidden_file" if is_system_file(name) else left.get(name)
            if kind:
                log.add(kind, top.name, clip(str((Path(folder) / name).relative_to(top))))
        inner[:] = sorted(name for name in inner if not is_system_file(name))
        yield from (Path(folder) / name for name in sorted(files) if name not in left)

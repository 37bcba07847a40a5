"""Monte Carlo samples of runs in a file, for critiques to learn from in place of those of a trigram model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from data.study import DataError, Run, Study, digest

Captions = Mapping[str, tuple[str, ...]]
TAKES = "a file of candidates by run and item, as `score` reads them"


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples by run and by id of the item, and a digest of all of them."""

    of: Mapping[str, Captions]
    digest: str

    def run(self, run: Run, study: Study) -> Captions | None:
        """Return the samples of a run by its name; the only ones of a file are those of a study's only run."""
        alone = len(self.of) == len(study.runs) == 1
        return next(iter(self.of.values())) if alone else self.of.get(run.name)

    def lacks(self, study: Study) -> str:
        """Return which run has no samples of an item that it has captions of; "" if all have some."""
        for run in study.runs:
            own = self.run(run, study) or {}
            absent = [id for id, said in run.candidates.items() if said and not own.get(id)]
            if absent:
                return f"no samples of run {run.name!r} for {len(absent):,} items, such as {absent[0]!r}: add them"
        return ""


def named(path: str) -> Samples:
    """Return the samples in a file, read once for as long as it does not change. Raises DataError."""
    try:
        stat = Path(path).stat()
    except OSError as why:
        raise DataError(f"{path}: {why.strerror or why}") from None
    return _read(path, stat.st_mtime_ns, stat.st_size)


def missing(path: str) -> str | None:
    """Return why a file cannot be used, with the remedy; None if it can."""
    try:
        named(path)
    except DataError as why:
        return str(why)
    return None


@lru_cache(maxsize=4)
def _read(path: str, changed: int, size: int) -> Samples:
    from data.load import load_study

    loaded = load_study([Path(path)])
    runs = loaded.study.runs if loaded.study is not None else ()
    if not runs:
        raise DataError(f"{path}: holds no captions of a run; give {TAKES}.")
    of = {run.name: dict(run.candidates) for run in runs}
    said = [[name, *([id, *texts] for id, texts in sorted(own.items()))] for name, own in sorted(of.items())]
    return Samples(of, digest(said))

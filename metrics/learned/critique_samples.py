"""Monte Carlo samples of runs in a file, which critiques learn from in place of a trigram model's samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from data.files.file_cache import read_once, why_unreadable
from data.study import DataError, Run, Study, digest

Captions = Mapping[str, tuple[str, ...]]
TAKES = "a file of candidates by run and item, as `score` reads them"


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples by run and item id, and a digest of all of them."""

    of: Mapping[str, Captions]
    digest: str

    def run(self, run: Run, study: Study) -> Captions | None:
        """Return the samples under the run's name; None if there are none.

        If the file and the study have one run each, the names need not match.
        """
        alone = len(self.of) == len(study.runs) == 1
        return next(iter(self.of.values())) if alone else self.of.get(run.name)

    def lacks(self, study: Study) -> str:
        """Return which run has captions of some items but no samples for them; "" if there is no such run."""
        for run in study.runs:
            own = self.run(run, study) or {}
            absent = [id for id, said in run.candidates.items() if said and not own.get(id)]
            if absent:
                return f"no samples of run {run.name!r} for {len(absent):,} items, such as {absent[0]!r}: add them"
        return ""


def missing(path: str) -> str | None:
    """Return why a file cannot be used, with the remedy; None if it can be used."""
    return why_unreadable(named, path)


@read_once(4)
def named(path: Path) -> Samples:
    """Return the samples in a file, which is read again only after it changes.

    Raises DataError if the file has no captions of a run.
    """
    from data.load import load_study

    loaded = load_study([path])
    runs = loaded.study.runs if loaded.study is not None else ()
    if not runs:
        raise DataError(f"{path}: holds no captions of a run; give {TAKES}.")
    of = {run.name: dict(run.candidates) for run in runs}
    said = [[name, *([id, *texts] for id, texts in sorted(own.items()))] for name, own in sorted(of.items())]
    return Samples(of, digest(said))

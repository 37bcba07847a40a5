"""`score --by-run`: score one run at a time, for files whose runs do not fit into memory together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from cli.output import fail, warn
from data.study import DataError, Study

if TYPE_CHECKING:
    import pandas as pd

    from metrics.engine.scoring import Results


@dataclass(frozen=True)
class Scored:
    """The data kept from a scored study.

    `of_references` names the metrics that depend on the references only; `failed` is set if a number could not be
    computed.
    """

    items: tuple[str, ...]
    runs: frozenset[str]
    table: pd.DataFrame
    of_references: frozenset[str]
    failed: bool
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, study: Study, table: pd.DataFrame, results: Results, warnings: Iterable[str]) -> Scored:
        """Return the data to keep from a study, without its captions."""
        found = list(results.values())
        of_references = frozenset(one.metric.name for one in found if one.metric.family == "references")
        ids, runs = tuple(item.id for item in study.items), frozenset(run.name for run in study.runs)
        return cls(ids, runs, table, of_references, any(one.error for one in found), tuple(warnings))


@contextmanager
def parts(files: list[Path], references: Path | None, by_run: bool) -> Iterator[Iterator[tuple[list[Path], int]]]:
    """Yield the files of each study to score: all at once, or one run at a time.

    Each run's files come with the number of items that only other runs describe, and are removed at the end. Exit with
    status 2 for files that cannot be split.
    """
    if not by_run:
        yield iter([(files, 0)])
        return
    if len(files) != 1 or references is not None:
        fail("--by-run takes one file, which holds captions and references")
    with TemporaryDirectory(prefix="trilens-") as folder:
        yield _one_by_one(files[0], Path(folder))


def _one_by_one(file: Path, folder: Path) -> Iterator[tuple[list[Path], int]]:
    from data.cut_by_run import cut_by_run

    try:
        cut = cut_by_run(file, folder)
    except DataError as error:
        fail(f"{error}. Without --by-run every format is read.")
    for k, (run, (path, lacks)) in enumerate(cut.items(), 1):
        warn(f"run {k:,} of {len(cut):,}: {run}")
        if lacks:
            items = f"{lacks:,} item{'' if lacks == 1 else 's'}"
            warn(f"run {run} has no captions of {items} that other runs describe; no run is scored on these")
        yield [path], lacks
        path.unlink()


def joined(scored: Iterable[Scored]) -> Scored:
    """Join the scores of studies of one run each.

    Metrics of the references only, which every study repeats, appear once, at the end. Exit with status 2 if the
    studies' items differ, or if two runs share a name.
    """
    found: list[Scored] = []
    for one in scored:
        if found:
            _require_alike(found, one)
        found.append(one)
    return found[0] if len(found) == 1 else _as_one(found)


def _require_alike(known: list[Scored], one: Scored) -> None:
    name = ", ".join(sorted(one.runs))
    if one.items != known[0].items:
        counts = f"{len(one.items):,} items here, {len(known[0].items):,} in the first run"
        fail(f"run {name} keeps different items from the first run ({counts}): see what was found in its lines")
    if any(one.runs & other.runs for other in known):
        fail(f"two runs are called {name}; without --by-run they become one")


def _as_one(found: list[Scored]) -> Scored:
    import pandas as pd

    of_references = found[0].of_references
    tables = [one.table[~one.table["metric"].isin(of_references)] for one in found]
    last = found[0].table[found[0].table["metric"].isin(of_references)]
    return Scored(
        found[0].items,
        frozenset().union(*(one.runs for one in found)),
        pd.concat([*tables, last], ignore_index=True),
        of_references,
        any(one.failed for one in found),
        tuple(dict.fromkeys(sentence for one in found for sentence in one.warnings)),
    )

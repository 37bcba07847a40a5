"""Split large files of Trilens JSON Lines into one file per run without loading them into memory."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from data.findings import clip
from data.formats.known.trilens import REFERENCES
from data.study import DataError

BY_RUN = ("candidates", "human", "logprobs", "reference_logprobs")
"""Fields of an item with one value per run."""
BY_RUN_INSIDE = ("coherence", "oracle_logprobs")
"""Fields in which `candidates` has one value per run."""
MOST_RUNS = 500
"""Maximum number of files written at the same time."""


class Cut(NamedTuple):
    """The file of one run, and the number of items that only other runs describe."""

    path: Path
    lacks: int


def cut_by_run(path: Path, folder: Path) -> dict[str, Cut]:
    """Write a file for each run of a file of Trilens JSON Lines, plain or gzip; return the files by run, in order.

    Like a study of all runs, each file has the items that every run describes, with their references, at their original
    line numbers. Only one line, the names of the runs, and one number per line are in memory at once. Raises DataError
    for another format, for a run without captions and for more than MOST_RUNS runs, and OSError if a file cannot be
    read or written.
    """
    described, items = _survey(path)
    if not described:
        raise DataError(f"{path.name} has no captions of runs")
    if empty := [clip(run) for run, times in described.items() if not times]:
        raise DataError(f"{path.name}: run {empty[0]} has no captions; take it out of the line of `runs`")
    if len(described) > MOST_RUNS:
        raise DataError(f"{path.name} has {len(described):,} runs; at most {MOST_RUNS} can be read one at a time")
    files = {run: folder / f"{k:03d}" / path.name.removesuffix(".gz") for k, run in enumerate(described)}
    with ExitStack() as stack:
        written = {}
        for run, file in files.items():
            file.parent.mkdir()
            written[run] = stack.enter_context(file.open("wb"))
        for (_, row), count in zip(_rows(path), items, strict=True):
            _write(row, count, written)
    total = sum(count > 0 for count in items)
    return {run: Cut(file, total - described[run]) for run, file in files.items()}


def _survey(path: Path) -> tuple[Counter[str], list[int]]:
    """Return the number of items that each run describes and, for each line, the number of runs that describe its item.

    A line without an item has -1. If any item has references, items without references do not count.
    """
    runs: Counter[str] = Counter()
    of_referenced: Counter[str] = Counter()
    counts: list[int] = []
    referenced: list[bool] = []
    for number, row in _rows(path):
        if row is None or _is_header(row):
            runs.update(dict.fromkeys(row["runs"] if row else (), 0))
            counts.append(-1)
            referenced.append(False)
            continue
        said = _candidates(path, number, row)
        runs.update({run: 1 if texts else 0 for run, texts in said.items()})
        counts.append(sum(map(bool, said.values())))
        referenced.append(any(row.get(key) for key in REFERENCES))
        if referenced[-1]:
            of_referenced.update({run: 1 if texts else 0 for run, texts in said.items()})
    if any(referenced):
        counts = [count if count < 0 or known else 0 for count, known in zip(counts, referenced)]
        runs = Counter({run: of_referenced[run] for run in runs})
    return runs, counts


def _candidates(path: Path, number: int, row: Mapping[str, Any]) -> dict[str, Any]:
    said = row.get("candidates")
    if not isinstance(said, dict):
        raise DataError(
            f"{path.name}, line {number}: reading one run at a time needs `candidates` by run, {{run: [..]}}"
        )
    return said


def _is_header(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("runs"), dict) and "candidates" not in row


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    with _opened(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                yield number, None
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise DataError(f"{path.name}, line {number}: {clip(str(error))}") from None
            if not isinstance(row, dict):
                raise DataError(f"{path.name}, line {number}: not an object")
            yield number, row


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if packed else path.open("rb")  # type: ignore[return-value]


def _write(row: dict[str, Any] | None, count: int, files: Mapping[str, IO[bytes]]) -> None:
    for run, file in files.items():
        if row is not None and count in (-1, len(files)):
            file.write(orjson.dumps(_only(row, run)))
        file.write(b"\n")


def _only(row: dict[str, Any], run: str) -> dict[str, Any]:
    if _is_header(row):
        return {**row, "runs": _of(row["runs"], run)}
    own = {field: _of(row[field], run) for field in BY_RUN if field in row}
    inside = {
        field: {**value, "candidates": _of(value.get("candidates"), run)}
        for field in BY_RUN_INSIDE
        if isinstance(value := row.get(field), dict)
    }
    return {**row, **own, **inside, **_metadata(row, run)}


def _metadata(row: dict[str, Any], run: str) -> dict[str, Any]:
    """Return the metadata with the coherence labels of only this run, whether by run or by run within `candidates`."""
    given = row.get("metadata")
    labels = given.get("coherence") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(labels, dict):
        return {}
    nested = isinstance(labels.get("candidates"), dict)
    own = {**labels, "candidates": _of(labels["candidates"], run)} if nested else _of(labels, run)
    return {"metadata": {**given, "coherence": own}}


def _of(value: Any, run: str) -> Any:
    return {run: value[run]} if isinstance(value, dict) and run in value else {} if isinstance(value, dict) else value

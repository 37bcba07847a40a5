"""Imported embeddings: read from .npz or Parquet, without pickle, and matched to the texts of a study."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.findings import Log, TrustedText
from data.formats import scores as score_tables
from data.formats.scores import INDEX
from data.formats.table import IDS, RUNS, Table, norm
from data.merge import Pool
from data.records import Part, ScoreRow, Source, VectorFile, as_id
from data.scores import CaptionLookup
from data.study import ImportedVectors, Study

TEXTS = ("texts", "text", "captions", "caption")
VECTORS = ("vectors", "vector", "embeddings", "embedding")
REFERENCES_RUN = ("", "references", "reference", "human", "people")
"""Run name that stands for the references."""
LARGEST, LONGEST = 1 << 30, 1 << 16
"""Bytes that the arrays of a file may take, and numbers of a vector."""
TOLERANCE = 1e-4
"""Largest difference, relative to their length, of two vectors of one text that count as equal: batches round
differently.
"""


class UnusableFile(ValueError):
    """A file without usable embeddings; the message says what it holds instead."""


def load_npz(content: bytes, source: Source) -> Part:
    """Return the embeddings in an .npz file; None, with a finding, if there are none."""
    try:
        arrays = _arrays(content)
        named = {norm(name): array for name, array in arrays.items()}
        columns = {name: array.tolist() for name, array in named.items() if array.ndim == 1}
        matrix = next((named[name] for name in VECTORS if name in named), None)
        if matrix is None:
            raise UnusableFile(f"no array `vectors`, but {', '.join(list(named)[:8]) or 'none'}")
        return _part(source, columns, matrix)
    except (UnusableFile, zipfile.BadZipFile, OSError, EOFError, ValueError, MemoryError) as why:
        return _refused(source, str(why) or type(why).__name__)


def is_table(found: Table) -> bool:
    """Return whether the columns of a table hold embeddings."""
    names = [norm(name) for name in found.header]
    return any(name in VECTORS for name in names) and any(name in (*TEXTS, *IDS) for name in names)


def load_table(found: Table, source: Source) -> Part:
    """Return the embeddings in a Parquet file: a column of lists of numbers beside the text, or item, run and index."""
    rows = [row for _, row in found.rows]
    columns = {norm(name): [row[k] for row in rows] for k, name in enumerate(found.header)}
    given = columns.pop(next(name for name in VECTORS if name in columns))
    try:
        sizes = {len(one) if isinstance(one, list) else -1 for one in given}
        if len(sizes) != 1 or sizes & {-1, 0}:
            raise UnusableFile("vectors of different lengths, or none")
        return _part(source, columns, np.array(given, dtype=float))
    except (UnusableFile, ValueError, TypeError) as why:
        return _refused(source, str(why))


def _refused(source: Source, why: str) -> Part:
    source.log.add("vectors_unusable", source.name, why=why)
    return Part(source.name, "embeddings", [], 0)


def _arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file, none of which may hold Python objects or claim to be larger than it is."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > LARGEST:
            raise UnusableFile(f"arrays of more than {LARGEST >> 20:,} MB")
        for info in archive.infolist():
            with archive.open(info) as stream:
                raw = stream.read()
            _check_header(raw, info.filename)
            found[info.filename.removesuffix(".npy")] = np.lib.format.read_array(io.BytesIO(raw), allow_pickle=False)
    return found


def _check_header(raw: bytes, name: str) -> None:
    stream = io.BytesIO(raw)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(stream)
    if kind.hasobject:
        raise UnusableFile(
            f"{name} holds Python objects, which are never read: save texts as np.array(texts, dtype=str)"
        )
    if math.prod(shape) * kind.itemsize > len(raw):
        raise UnusableFile(f"{name} is shorter than it says")


def _part(source: Source, columns: dict[str, list[Any]], matrix: NDArray[Any]) -> Part:
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu" or not matrix.size or matrix.shape[1] > LONGEST:
        shape = " x ".join(map(str, matrix.shape))
        raise UnusableFile(f"vectors of the kind {matrix.dtype} and shape {shape}, not a row of numbers a caption")
    keys = _keys(columns)
    if len(keys) != len(matrix):
        raise UnusableFile(f"{len(matrix):,} vectors for {len(keys):,} captions")
    with np.errstate(over="ignore"):
        rows = matrix.astype(np.float32)
    good: NDArray[np.bool_] = np.asarray(np.isfinite(rows).all(axis=1))
    for place in np.flatnonzero(~good)[:4]:
        source.log.add("vector_not_number", source.name, f"row {place + 1}", count=1)
    if (more := int((~good).sum()) - 4) > 0:
        source.log.add("vector_not_number", source.name, count=more)
    kept = [key for key, ok in zip(keys, good) if ok]
    name = score_tables.clean(source.stem) or "embeddings"
    indices = [key.index for key in keys if key.index is not None]
    from_one = "candidate_from_1" in columns or (indices and 0 not in indices and "candidate_from_0" not in columns)
    part = Part(source.name, "embeddings", [], len(keys), counts_from_zero=not from_one, stem=source.run)
    part.vectors = VectorFile(name, kept, rows[good])
    return part


def _keys(columns: dict[str, list[Any]]) -> list[ScoreRow]:
    """Which caption each row is of: its text, else its item, run and index; a reference names no run."""
    texts = next((columns[name] for name in TEXTS if name in columns), None)
    if texts is not None:
        return [ScoreRow(f"row {k + 1}", "", None, caption=str(text)) for k, text in enumerate(texts)]
    items, runs, places = (next((columns[n] for n in names if n in columns), None) for names in (IDS, RUNS, INDEX))
    if items is None or places is None:
        raise UnusableFile("neither texts, nor item and index of each caption")
    runs = runs or [""] * len(items)
    if not len(items) == len(runs) == len(places):
        raise UnusableFile("items, runs and indices of different lengths")
    return [
        ScoreRow(f"row {k + 1}", "", None, as_id(run) if run else None, as_id(item), score_tables.whole(place))
        for k, (item, run, place) in enumerate(zip(items, runs, places))
    ]


def attach(study: Study, pool: Pool, parts: Iterable[Part], fixes: Sequence[str], log: Log) -> Study:
    """Return the study with the embeddings in its files; captions without one are counted."""
    found: dict[str, ImportedVectors] = {}
    for part in parts:
        if part.vectors is not None and not (part.first_of and "drop_same_files" in fixes):
            made = _matched(study, pool, part, fixes, log)
            name = next(n for n in _names(part.vectors.name) if n not in found)
            if made is not None:
                found[name] = replace(made, name=name)
    return replace(study, vectors=tuple(found.values())) if found else study


def _names(name: str) -> Iterable[str]:
    yield name
    yield from (f"{name}_{k}" for k in range(2, 1_000))


def _matched(study: Study, pool: Pool, part: Part, fixes: Sequence[str], log: Log) -> ImportedVectors | None:
    assert part.vectors is not None
    texts = {text for item in study.items for text in item.references}
    texts |= {text for run in study.runs for of in run.candidates.values() for text in of}
    places, rows = CaptionLookup(study, pool, replace(part, scores=part.vectors.keys), fixes, log), part.vectors.rows
    chosen: dict[str, int] = {}
    for row, key in enumerate(part.vectors.keys):
        for text in _texts(study, places, key):
            first = chosen.setdefault(text, row)
            if first != row and np.abs(rows[first] - rows[row]).max() > TOLERANCE * np.abs(rows[first]).max():
                log.add("vector_differs", part.file, key.where, key.item or "")
    known = sorted(texts & chosen.keys())
    if not known:
        log.add("vectors_unusable", part.file, why=TrustedText("not one is of a caption of this study"))
        return None
    if missing := len(texts) - len(known):
        log.add("vector_missing", part.file, count=missing, n=missing, total=len(texts))
    return ImportedVectors(part.vectors.name, tuple(known), rows[[chosen[text] for text in known]])


def _texts(study: Study, places: CaptionLookup, key: ScoreRow) -> list[str]:
    """The texts that a row is of; none, with a finding, if the study has no such caption."""
    if key.item is None:
        return [key.caption or ""]
    if key.index is None:
        return []
    if (key.run or "").lower() not in REFERENCES_RUN:
        return [study.run(run).candidates[id][place] for run, id, place in places.of(key) or ()]
    id = places.ids[key.item]
    references = next((item.references for item in study.items if item.id == id), ())
    place = key.index - places.first
    return [references[place]] if 0 <= place < len(references) else []

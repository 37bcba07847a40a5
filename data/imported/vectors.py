"""Imported embeddings: read from .npz or Parquet, without pickle, and matched to the texts of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.fields.names import IDS, RUNS, norm
from data.files.npz import UnusableFile
from data.findings import Log, TrustedText
from data.formats.numbers import scores as score_tables
from data.formats.numbers.scores import INDEX
from data.formats.tables.table import Table
from data.matching.merge import Pool
from data.matching.scores import CaptionLookup
from data.records import Part, ScoreRow, Source, VectorFile, as_id
from data.study import ImportedVectors, Study

TEXTS = ("texts", "text", "captions", "caption")
VECTORS = ("vectors", "vector", "embeddings", "embedding")
REFERENCES_RUN = ("", "references", "reference", "human", "people")
"""Run names that denote the references."""
LONGEST = 1 << 16
"""Maximum number of dimensions of a vector."""
TOLERANCE = 1e-4
"""Largest difference between two vectors of one text that count as equal, relative to the largest number in the first;
batches round differently.
"""


def load_npz(arrays: Mapping[str, NDArray[Any]], source: Source) -> Part:
    """Return the part with the embeddings in the arrays of an .npz file.

    If there are none, or they are unusable, return an empty part and add a finding.
    """
    try:
        named = {norm(name): array for name, array in arrays.items()}
        columns = {name: array.tolist() for name, array in named.items() if array.ndim == 1}
        matrix = next((named[name] for name in VECTORS if name in named), None)
        if matrix is None:
            raise UnusableFile(f"no array `vectors`, but {_described(arrays)}")
        return _part(source, columns, matrix)
    except (ValueError, MemoryError) as why:
        return refused(source, str(why) or type(why).__name__)


def are_named(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether any array of a file has a usual name of embeddings."""
    return any(norm(name) in VECTORS for name in arrays)


def _described(arrays: Mapping[str, NDArray[Any]]) -> str:
    told = []
    for name, array in list(arrays.items())[:8]:
        what = "texts" if array.dtype.kind == "U" else "numbers"
        told.append(f"{name or 'one'} ({' x '.join(map(str, array.shape)) or 1} {what})")
    return ", ".join(told) or "none"


def is_table(found: Table) -> bool:
    """Return whether the columns of a table contain embeddings."""
    names = [norm(name) for name in found.header]
    return any(name in VECTORS for name in names) and any(name in (*TEXTS, *IDS) for name in names)


def load_table(found: Table, source: Source) -> Part:
    """Return the embeddings in a Parquet file: lists of numbers, with the text, or item, run and index.

    If they are unusable, return an empty part and add a finding.
    """
    rows = [row for _, row in found.rows]
    columns = {norm(name): [row[k] for row in rows] for k, name in enumerate(found.header)}
    given = columns.pop(next(name for name in VECTORS if name in columns))
    try:
        sizes = {len(one) if isinstance(one, list) else -1 for one in given}
        if len(sizes) != 1 or sizes & {-1, 0}:
            raise UnusableFile("vectors of different lengths, or none")
        return _part(source, columns, np.array(given, dtype=float))
    except (ValueError, TypeError) as why:
        return refused(source, str(why))


def refused(source: Source, why: str) -> Part:
    """Return the part of a file without embeddings, and add a finding with the reason."""
    source.log.add("vectors_unusable", source.name, why=why)
    return Part(source.name, "embeddings", [], 0)


def _part(source: Source, columns: dict[str, list[Any]], matrix: NDArray[Any]) -> Part:
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu" or not matrix.size or matrix.shape[1] > LONGEST:
        shape = " x ".join(map(str, matrix.shape))
        raise UnusableFile(f"vectors of the kind {matrix.dtype} and shape {shape}, not a row of numbers per caption")
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
    """Return the caption of each row: by its text, or else by item, run and index; a reference has no run.

    Raises UnusableFile if neither identifies captions.
    """
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
    """Return the study with the embeddings in its files; a finding states how many captions lack an embedding."""
    found: dict[str, ImportedVectors] = {}
    for part in parts:
        if part.vectors is not None and not (part.first_of and "drop_same_files" in fixes):
            made = _matched(study, pool, part, fixes, log)
            name = next(n for n in names_like(part.vectors.name) if n not in found)
            if made is not None:
                found[name] = replace(made, name=name)
    return replace(study, vectors=tuple(found.values())) if found else study


def names_like(name: str) -> Iterable[str]:
    """Yield the name, then the name with the suffixes _2, _3, and so on."""
    yield name
    yield from (f"{name}_{k}" for k in range(2, 1_000))


def _matched(study: Study, pool: Pool, part: Part, fixes: Sequence[str], log: Log) -> ImportedVectors | None:
    assert part.vectors is not None
    texts = {text for item in study.items for text in item.references}
    texts |= {text for run in study.runs for of in run.candidates.values() for text in of}
    places, rows = CaptionLookup(study, pool, part, fixes, log, part.vectors.keys), part.vectors.rows
    chosen: dict[str, int] = {}
    for row, key in enumerate(part.vectors.keys):
        for text in _texts(study, places, key):
            first = chosen.setdefault(text, row)
            if first != row and np.abs(rows[first] - rows[row]).max() > TOLERANCE * np.abs(rows[first]).max():
                log.add("vector_differs", part.file, key.where, key.item or "")
    known = sorted(texts & chosen.keys())
    if not known:
        log.add("vectors_unusable", part.file, why=TrustedText("none belongs to a caption of this study"))
        return None
    if missing := len(texts) - len(known):
        log.add("vector_missing", part.file, count=missing, n=missing, total=len(texts))
    return ImportedVectors(part.vectors.name, tuple(known), rows[[chosen[text] for text in known]])


def _texts(study: Study, places: CaptionLookup, key: ScoreRow) -> list[str]:
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

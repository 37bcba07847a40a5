"""Distances computed elsewhere: one matrix per item from .npz, without pickle, matched to captions.

A matrix is named by the id of its item, or `run/item` if there are several runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.fields.names import norm
from data.findings import Log
from data.formats.numbers.scores import clean
from data.imported.vectors import VECTORS, names_like
from data.matching.merge import Pool
from data.matching.scores import CaptionLookup
from data.records import Part, ScoreRow, Source
from data.study import ImportedDistances, Study

LARGEST = 200.0
"""Largest accepted distance; distances are stored to seven decimals as 32-bit integers."""
ROUNDED = 1e-6
"""Largest asymmetry, and largest distance of a caption from itself, that count as rounding errors."""
Matrices = dict[str, dict[str, NDArray[np.float64]]]


def matches(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether all arrays of a file are matrices named by items, and none has a usual name of embeddings."""
    return bool(arrays) and all(array.ndim == 2 and norm(name) not in ("", *VECTORS) for name, array in arrays.items())


def load(arrays: Mapping[str, NDArray[Any]], source: Source) -> Part:
    """Return the matrices of a file; drop invalid matrices, with a finding."""
    part = Part(source.name, "distances", [], len(arrays), stem=clean(source.stem) or "distances")
    for name, array in arrays.items():
        if (why := _fault(array)) is None:
            part.matrices[name] = array.astype(np.float64)
        else:
            source.log.add("distance_matrix", source.name, name, why=why)
    return part


def _fault(array: NDArray[Any]) -> str | None:
    if array.dtype.kind not in "fiu":
        return f"holds {array.dtype}, not numbers"
    if array.shape[0] != array.shape[1] or not array.size:
        return f"is {array.shape[0]:,} x {array.shape[1]:,}, not square"
    if not np.isfinite(array).all():
        return "holds a number that is not finite"
    if array.min() < -ROUNDED:
        return "holds a number below 0"
    return f"holds a distance above {LARGEST:g}: divide all by one number" if array.max() > LARGEST else None


def attach(study: Study, pool: Pool, parts: Iterable[Part], fixes: Sequence[str], log: Log) -> Study:
    """Return the study with the distances in its files; a finding states how many items of each run lack distances."""
    found: dict[str, ImportedDistances] = {}
    for part in parts:
        if part.format == "distances" and not (part.first_of and "drop_same_files" in fixes):
            matrices = _matched(study, pool, part, fixes, log)
            name = next(n for n in names_like(part.stem) if n not in found)
            if matrices:
                found[name] = ImportedDistances(name, matrices)
            else:
                log.add("distances_unusable", part.file, why="none belongs to the captions of this study")
    return replace(study, distances=tuple(found.values())) if found else study


def _matched(study: Study, pool: Pool, part: Part, fixes: Sequence[str], log: Log) -> Matrices:
    rows = [ScoreRow(name, "", None, *_run_and_item(name, pool)) for name in part.matrices]
    places = CaptionLookup(study, pool, part, fixes, log, rows)
    items, found = {item.id: item for item in study.items}, Matrices()
    for row in rows:
        for run, id, _ in places.of(row) or ():
            sizes = len(study.run(run).candidates[id]), len(items[id].references)
            matrix = part.matrices[row.where]
            if len(matrix) == sum(sizes):
                texts = (*study.run(run).candidates[id], *items[id].references)
                found.setdefault(run, {})[id] = _checked(matrix, texts, part.file, row, log)
            else:
                there = f"{sizes[0]:,} candidates and {sizes[1]:,} references"
                why = f"is {len(matrix):,} x {len(matrix):,}, and run {run} has {there} there"
                log.add("distance_matrix", part.file, row.where, id, why=why)
    for run, of in found.items():
        if missing := len(study.items) - len(of):
            log.add("distance_missing", part.file, count=missing, n=missing, total=len(study.items), run=run)
    return found


def _run_and_item(name: str, pool: Pool) -> tuple[str | None, str]:
    """Return the run, if one is named, and the item in the name of a matrix; with one run, item ids take precedence."""
    if len(pool.every_run) == 1 and name in pool.items:
        return None, name
    runs = (run for run in sorted(pool.every_run, key=len, reverse=True) if name.startswith(f"{run}/"))
    return next(((run, name[len(run) + 1 :]) for run in runs), (None, name))


def _checked(
    matrix: NDArray[np.float64], texts: Sequence[str], file: str, row: ScoreRow, log: Log
) -> NDArray[np.float64]:
    """Return the matrix with 0 between equal texts and no negative values; report asymmetry, and changed values."""
    equal = np.equal.outer(np.array(texts, dtype=object), np.array(texts, dtype=object)).astype(bool)
    if matrix[equal].max(initial=0.0) > ROUNDED:
        log.add("distance_diagonal", file, row.where, row.item or "")
    if np.abs(matrix - matrix.T).max() > ROUNDED:
        log.add("distance_asymmetric", file, row.where, row.item or "")
    return np.where(equal, 0.0, np.maximum(matrix, 0.0))

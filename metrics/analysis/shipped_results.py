"""Shipped results: read-only layers of the cache with the finished results of a study, one small file per metric."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from data.files.limits import BROKEN
from data.study import Study
from metrics.analysis import artifacts
from metrics.analysis.artifacts import Artifact
from metrics.analysis.cloud.captions import DEFAULTS
from metrics.analysis.critique.stored import Design
from metrics.analysis.human_line import human_requirements
from metrics.analysis.numbers import Numbers, mixed_study
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests, chunks
from metrics.distances.base import pooled_key
from metrics.engine import scoring
from metrics.engine.result import to_arrays
from metrics.engine.scoring import Callbacks
from metrics.engine.tasks import Options
from metrics.progress import Hooks
from metrics.suite.distribution import Trm

WITH_MATRICES = ("trm_bert", "trm_meteor")  # slow to compute, and shown by default
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def write_scores(
    folder: Path,
    study: Study,
    metrics: Iterable[Metric],
    options: Options,
    cache: Cache,
    callbacks: Callbacks | None = None,
) -> list[Path]:
    """Write the results of each metric on a study to a separate file; return the files that were missing or stale.

    Results in the cache, including read-only layers, are not computed again. Files of other metrics are removed. Raises
    Cancelled.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = {folder / f"{metric.name}.zip": metric for metric in metrics}
    for stray in set(folder.glob("*.zip")) - files.keys():
        stray.unlink()
    stale = {path: m for path, m in files.items() if members(path) != entry_keys(m, study, options, cache)}
    results = scoring.score(study, stale.values(), options, cache, callbacks)
    needs = human_requirements(study, tuple(stale.values()))
    of_people = scoring.score(needs.study, needs.as_run, options, cache, callbacks) if needs.study else {}
    for path, metric in stale.items():
        entries = _results(study, metric, results, options)
        if needs.study and metric in needs.as_run:
            entries |= _results(needs.study, metric, of_people, options)
        if (mixed := _mixed(metric, study, options, cache)) is not None:
            entries |= _results(mixed, metric, scoring.score(mixed, (metric,), options, cache, callbacks), options)
        for key in _slow_distances(metric, study, options, cache):
            if (arrays := cache.get(key)) is not None:
                entries[key] = arrays
        _write(path, entries)
    return list(stale)


def entry_keys(metric: Metric, study: Study, options: Options, cache: Cache) -> set[str]:
    """Return the keys of the entries shipped for a metric.

    These are all results, including people's as a run and, for `WITH_MATRICES`, the distance matrices and the runs with
    known faults.
    """
    people = human_requirements(study, (metric,)).study
    studies = [one for one in (study, people, _mixed(metric, study, options, cache)) if one is not None]
    keys = {scoring.result_key(metric, run, of, options) for of in studies for run in scoring.runs_of(of, metric)}
    return keys | set(_slow_distances(metric, study, options, cache))


def members(path: Path) -> set[str]:
    """Return the keys of the entries in a file; an empty set if it is missing or not an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.removesuffix(".npz") for name in archive.namelist()}
    except BROKEN:
        return set()


def _results(study: Study, metric: Metric, results: scoring.Results, options: Options) -> dict[str, Mapping[str, Any]]:
    return {
        scoring.result_key(metric, run, study, options): to_arrays(results[run.name, metric.name])
        for run in scoring.runs_of(study, metric)
    }


def _mixed(metric: Metric, study: Study, options: Options, cache: Cache) -> Study | None:
    """The runs with known faults that pages score with a metric, or None if `mixed_study` has none.

    Only metrics of WITH_MATRICES have such runs.
    """
    if metric.name not in WITH_MATRICES:
        return None
    stored = {run.name: scoring.stored(cache, metric, run, study, options) for run in study.runs}
    results = {(name, metric.name): result for name, result in stored.items() if result is not None}
    return mixed_study(study, Numbers(results), metric)


def _slow_distances(metric: Metric, study: Study, options: Options, cache: Cache) -> list[str]:
    if metric.name not in WITH_MATRICES or not isinstance(metric, Trm):
        return []
    pieces = [(run, piece) for run in study.runs for piece in chunks(study.items, run, options.chunk)]
    return [
        pooled_key(metric.space, Chunk.of(piece, run, cache, whole=StudyDigests.of(study, run)))
        for run, piece in pieces
    ]


def write_layouts(path: Path, study: Study, cache: Cache) -> None:
    """Compute the layouts that pages show first, and write them to a file."""
    _write_artifacts(path, [artifacts.layout(study, projection, cache) for projection in DEFAULTS], cache)


def write_critiques(path: Path, study: Study, cache: Cache) -> None:
    """Train the critiques that their page shows first, and write their scores to a file."""
    _write_artifacts(path, [artifacts.critiques(study, Design(), cache)], cache)


def _write_artifacts(path: Path, every: Iterable[Artifact], cache: Cache) -> None:
    entries = {}
    for one in every:
        found = one.stored(cache)
        entries[one.key] = one.compute(cache, Hooks()) if found is None else found
    _write(path, entries)


def _write(path: Path, entries: Mapping[str, Mapping[str, Any]]) -> None:
    # Compress each entry as a whole, since half of a small one consists of headers. LZMA output is a sixth smaller
    # than that of deflate.
    with zipfile.ZipFile(path, "w") as archive:
        for key in sorted(entries):
            buffer = io.BytesIO()
            np.savez(buffer, **entries[key])
            info = zipfile.ZipInfo(f"{key}.npz", LONG_AGO)
            info.compress_type = zipfile.ZIP_LZMA
            archive.writestr(info, buffer.getvalue())

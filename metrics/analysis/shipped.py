"""A read-only layer of the cache: the finished results of a study in one file, small enough to ship."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from data.study import Study
from metrics.analysis import artifacts
from metrics.analysis.cloud.captions import DEFAULTS
from metrics.analysis.human import human_requirements
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, Whole, chunks
from metrics.distances.base import Distance, pooled_key
from metrics.distribution import Trm
from metrics.engine import scoring
from metrics.engine.result import to_arrays
from metrics.engine.scoring import Callbacks
from metrics.engine.tasks import Options
from metrics.progress import Hooks

LONG_AGO = (1980, 1, 1, 0, 0, 0)


def write_layer(
    path: Path,
    study: Study,
    metrics: Iterable[Metric],
    options: Options,
    cache: Cache,
    callbacks: Callbacks | None = None,
) -> None:
    """Score a study and keep what pages read: every result, those of people as a run, and slow distance matrices.

    Matrices of words alone are left out: they are made in a moment.
    """
    metrics = tuple(metrics)
    results = scoring.score(study, metrics, options, cache, callbacks)
    entries = _results(study, metrics, results, options)
    _, diversity, people = human_requirements(study, metrics)
    if people is not None:
        entries |= _results(people, diversity, scoring.score(people, diversity, options, cache, callbacks), options)
    for metric in metrics:
        if isinstance(metric, Trm) and metric.work != "words":
            keys = _pooled_keys(metric.space, study, options, cache)
            entries |= {key: arrays for key in keys if (arrays := cache.get(key)) is not None}
    _write(path, entries)


def _results(
    study: Study, metrics: Iterable[Metric], results: scoring.Results, options: Options
) -> dict[str, Mapping[str, Any]]:
    return {
        scoring.result_key(metric, run, study, options): to_arrays(results[run.name, metric.name])
        for metric in metrics
        for run in scoring.runs_of(study, metric)
    }


def write_layouts(path: Path, study: Study, cache: Cache) -> None:
    """Lay a study's captions out in every way that pages offer at first, and keep the layouts."""
    entries = {}
    for projection in DEFAULTS:
        layout = artifacts.layout(study, projection, cache)
        found = layout.stored(cache)
        entries[layout.key] = layout.compute(cache, Hooks()) if found is None else found
    _write(path, entries)


def _write(path: Path, entries: Mapping[str, Mapping[str, Any]]) -> None:
    # The archive compresses each entry as a whole: half of a small one is headers.
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for key in sorted(entries):
            buffer = io.BytesIO()
            np.savez(buffer, **entries[key])
            info = zipfile.ZipInfo(f"{key}.npz", LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, buffer.getvalue(), compresslevel=9)


def _pooled_keys(space: Distance, study: Study, options: Options, cache: Cache) -> list[str]:
    pieces = [(run, piece) for run in study.runs for piece in chunks(study.items, run, options.chunk)]
    return [pooled_key(space, Chunk.of(piece, run, cache, whole=Whole.of(study, run))) for run, piece in pieces]

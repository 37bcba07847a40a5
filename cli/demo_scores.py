"""`trilens demo --scores`: write the numbers that are shipped with the demo."""

from __future__ import annotations

import sys
from pathlib import Path

from cli.progress_bar import scoring
from data.study import Study
from metrics.cache.disk import Cache, default_directory
from metrics.engine.tasks import Options


def write_scores(study: Study, folder: Path, cache_dir: Path | None) -> None:
    """Write the results of all metrics, with p-values, one file per metric; valid shipped files are reused."""
    from data.demo import LAYERS
    from metrics.analysis import shipped_results
    from metrics.registry import METRICS

    with scoring() as callbacks:
        cache = Cache(cache_dir or default_directory(), LAYERS)
        written = shipped_results.write_scores(
            folder, study, METRICS.values(), Options(p_values=True), cache, callbacks
        )
    print(f"{folder}: {len(written):,} of {len(METRICS):,} metrics written, the others are up to date", file=sys.stderr)


def write_artifacts(study: Study, folder: Path, cache_dir: Path | None) -> None:
    """Write a study's caption cloud and trained critiques as read-only layers of the cache."""
    from metrics.analysis import shipped_results

    cache = Cache(cache_dir or default_directory())
    shipped_results.write_layouts(folder / "layouts.zip", study, cache)
    shipped_results.write_critiques(folder / "critiques.zip", study, cache)

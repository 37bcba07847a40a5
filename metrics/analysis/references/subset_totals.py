"""Every run scored against every subset of the references, as totals from which corpus values are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from data.study import Study
from metrics.analysis.references import subset_scores
from metrics.analysis.references.subsets import Design, expanded
from metrics.base import Metric
from metrics.cache import array_checks
from metrics.cache.disk import Cache, entry_key, text_vectors
from metrics.cache.entry import Arrays
from metrics.chunk import CHUNK, Chunk, StudyDigests
from metrics.distances.document_frequencies import count_frequencies
from metrics.engine import scoring
from metrics.engine.scoring import Callbacks, Progress
from metrics.engine.tasks import Options
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.registry import frequencies_of, given_to
from metrics.suite.quality import Bert
from metrics.units import Units, count_units, of_items

VERSION = 2


@dataclass(frozen=True)
class SubsetTotals:
    """Arrays that `Metric.finish` turns into corpus values, by metric name and size of the subsets.

    Each array is (runs, items, subsets, columns); the items and their independent units are those of the design.
    """

    design: Design
    metrics: tuple[Metric, ...]
    by_size: dict[tuple[str, int], Floats]
    unit: Units = None

    @property
    def units(self) -> int:
        """Number of independent units: clusters, or items outside clusters."""
        return count_units(self.unit, np.arange(len(self.design.items)))

    def metric(self, name: str) -> Metric:
        """Return the metric of that name. Raises KeyError if there is none."""
        return {metric.name: metric for metric in self.metrics}[name]

    def of_runs(self, places: Sequence[int]) -> SubsetTotals:
        """Return the totals of only these runs."""
        return replace(self, by_size={of: found[list(places)] for of, found in self.by_size.items()})

    def of_metrics(self, metrics: Sequence[Metric]) -> SubsetTotals:
        """Return the totals of only these metrics."""
        names = {metric.name for metric in metrics}
        kept = {(name, size): found for (name, size), found in self.by_size.items() if name in names}
        return replace(self, metrics=tuple(metrics), by_size=kept)

    def arrays(self) -> Arrays:
        """Return the totals keyed as `from_arrays` reads them."""
        return {f"{name}|{size}": found for (name, size), found in self.by_size.items()}


def key(study: Study, made: Design, metrics: Sequence[Metric]) -> str:
    """Return the cache key of the totals; it depends on captions, references, design and signatures."""
    said = (made.count, made.sizes, made.most, made.seed, VERSION)
    contents = [study.contents[run.name] for run in study.runs]
    return entry_key("references", study.references_digest, *contents, *map(str, said), *(m.signature for m in metrics))


def from_arrays(study: Study, made: Design, metrics: Sequence[Metric], arrays: Arrays) -> SubsetTotals:
    """Return the totals from `SubsetTotals.arrays`, with the clusters of the study's items."""
    names = {metric.name for metric in metrics}
    by_size = {}
    for label, found in arrays.items():
        name, _, size = label.rpartition("|")
        if name in names:
            by_size[name, int(size)] = found
    return SubsetTotals(made, tuple(metrics), by_size, of_items(study.unit, np.array(made.items)))


def fits(arrays: Arrays, made: Design, metrics: Sequence[Metric], runs: int) -> bool:
    """Return whether arrays from a cache or a bundle can be the totals of these metrics for `runs` runs."""
    shapes: array_checks.Shapes = {
        f"{metric.name}|{size}": (runs, len(made.items), made.subsets(size), None)
        for metric in metrics
        for size in made.sizes
    }
    return array_checks.has_shapes(arrays, shapes) and all(np.isfinite(arrays[name]).all() for name in shapes)


def measure(
    study: Study, made: Design, metrics: Sequence[Metric], hooks: Hooks | None = None, cache: Cache | None = None
) -> SubsetTotals:
    """Return the totals of every run against every subset. Raises Cancelled.

    Document frequencies, unless given, are computed from all references of the study, so that only the subsets differ.
    Metrics of pairs of captions score each pair once; other metrics score every subset as an item.
    """
    hooks, cache = hooks or Hooks(), (cache or Cache(None)).with_text_vectors(text_vectors())
    frequencies = count_frequencies(study)
    by_size: dict[tuple[str, int], Floats] = {}
    for place, metric in enumerate(metrics):
        part = hooks.part(place / len(metrics), (place + 1) / len(metrics))
        route = _of_pairs if type(metric) in subset_scores.FAST else _of_subsets
        used = metric if frequencies_of(metric) is not None else given_to(metric, frequencies)
        found = route(study, made, used, part, cache)
        by_size |= {(metric.name, size): totals for size, totals in zip(made.sizes, found)}
    return SubsetTotals(made, tuple(metrics), by_size, of_items(study.unit, np.array(made.items)))


def _of_pairs(study: Study, made: Design, metric: Metric, hooks: Hooks, cache: Cache) -> list[Floats]:
    items = [study.items[place] for place in made.items]
    rows = [[made.drawn(study, place, size) for size in made.sizes] for place in made.items]
    runs = []
    for k, run in enumerate(study.runs):
        context, parts, whole = metric.prepare(replace(study, runs=(run,))), [], StudyDigests.of(study, run)
        starts = range(0, len(items), CHUNK)
        chunks = [Chunk.of(items[start : start + CHUNK], run, cache, hooks, whole) for start in starts]
        hooks.progress(f"{metric.label}, run {k + 1} of {len(study.runs)}")
        if isinstance(metric, Bert):
            chunks[0].embed_ahead(metric.space.encoder, chunks)  # type: ignore[attr-defined]
        for start, chunk in zip(starts, chunks):
            hooks.check()
            hooks.share((k + start / len(items)) / len(study.runs))
            parts.append(subset_scores.totals(metric, context, chunk, rows[start : start + CHUNK]))
        runs.append([np.concatenate(of_size) for of_size in zip(*parts)])
    return [np.stack(of_size) for of_size in zip(*runs)]


def _of_subsets(study: Study, made: Design, metric: Metric, hooks: Hooks, cache: Cache) -> list[Floats]:
    weights, out = np.cumsum([0.0, *(made.subsets(size) for size in made.sizes)]), []
    for place, size in enumerate(made.sizes):
        part = hooks.part(weights[place] / weights[-1], weights[place + 1] / weights[-1])
        part.progress(f"{metric.label}, subsets of {size} of {made.count} references")
        calls = Callbacks(progress=_share(part), should_stop=hooks.should_stop)
        results = scoring.score(expanded(study, made, size), [metric], Options(), Cache(None), calls)
        found = np.stack([results[run.name, metric.name].totals for run in study.runs])
        out.append(found.reshape(len(study.runs), len(made.items), made.subsets(size), -1))
    return out


def _share(hooks: Hooks) -> Callable[[Progress], None]:
    return lambda progress: hooks.share(progress.fraction)


def comparable(found: SubsetTotals, name: str) -> SubsetTotals:
    """Return the totals of one metric over the items for which every run has a value with every subset."""
    parts = {size: found.by_size[name, size] for size in found.design.sizes}
    there = np.all([np.any(part != 0, axis=3).all(axis=(0, 2)) for part in parts.values()], axis=0)
    items = tuple(item for item, keep in zip(found.design.items, there) if keep)
    by_size = {(name, size): part[:, there] for size, part in parts.items()}
    return SubsetTotals(replace(found.design, items=items), (found.metric(name),), by_size, of_items(found.unit, there))


def usable(found: SubsetTotals) -> SubsetTotals:
    """Return the totals of the metrics that `comparable` can compare on more than one unit."""
    own = {m: comparable(found, m.name) for m in found.metrics}
    return found.of_metrics([m for m, one in own.items() if one.units > 1])

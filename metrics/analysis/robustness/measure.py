"""The statistics of every damaged caption or set under every metric, from which curves and areas are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache as once
from functools import partial

import numpy as np

from data.study import Captions, Item, Run, Settings, Study
from metrics.analysis.robustness import damaged_runs
from metrics.analysis.robustness.critiques import Judges
from metrics.analysis.robustness.damaged_captions import Damaged, damaged, reads_others
from metrics.analysis.robustness.damaged_sets import BETWEEN, HeldOutSet, damaged_sets, held_out_sets
from metrics.analysis.robustness.design import Design, HeldOut, held_out
from metrics.base import Metric, Undefined, Work
from metrics.cache import array_checks
from metrics.cache.disk import Cache, TextVectors, array_texts, entry_key, text_array, text_vectors
from metrics.cache.entry import Arrays
from metrics.distances.document_frequencies import count_frequencies
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.scoring import Callbacks
from metrics.engine.tasks import Options
from metrics.learned.critique_metric import Critique
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.registry import frequencies_of, given_to
from metrics.text.encoder import encoder_signature
from metrics.transformations import Transformation
from metrics.units import Units

VERSION = 1
RUN = "damaged captions"
WORK: tuple[Work, ...] = ("words", "meteor", "encoder")
"""The order of the metrics, the quickest first, so that most of the table appears early."""
CHUNK = 1024
"""Damaged captions per task; captions of one item share the embeddings of its references."""


@dataclass(frozen=True)
class Measured:
    """Damaged captions or sets with their statistics.

    `places` (items,) are positions of items in the study; `texts` (items, variants) are the captions in the order of
    the design (a set is one text, see `BETWEEN`). `totals` maps a metric's name to the totals that `Metric.finish`
    turns into values (items, variants, columns), with a single row for a run metric whose value is not a sum over
    items, and zeros where a metric has no value. `failures` are the reasons of failed transformations, `errors` those
    of metrics by name. `unit` numbers the independent units of all items of the study, if these are clustered.
    """

    design: Design
    places: tuple[int, ...]
    texts: tuple[Captions, ...]
    failures: tuple[str, ...]
    totals: dict[str, Floats]
    errors: dict[str, str]
    unit: Units = None


@dataclass(frozen=True)
class Cells:
    """Functions that read and store the numbers of a single transformation and metric."""

    read: Callable[[Transformation, Metric], Arrays | None] = lambda one, metric: None
    store: Callable[[Transformation, Metric, Arrays], None] = lambda one, metric, arrays: None


def key(study: Study, design: Design, metrics: Sequence[Metric]) -> str:
    """Return the cache key; it depends on references, design and signatures, including that of the encoder.

    With a critique, it also depends on the captions of all runs, from which the critique learns, and on the images that
    the critique reads. Raises EncoderMissing.
    """
    said = [design.strengths, design.most, design.seed, VERSION, encoder_signature(), *["sets"] * design.sets]
    if any(metric.judges_others for metric in metrics):
        said += [study.contents[run.name] for run in study.runs]
        said += [part for metric in metrics if isinstance(metric, Critique) for part in metric.images_read(study)]
    signatures = [*(one.signature for one in design.transformations), "", *(metric.signature for metric in metrics)]
    return entry_key("robustness", study.references_digest, *map(str, said), *signatures)


def measure(
    study: Study, design: Design, metrics: Sequence[Metric], cache: Cache, hooks: Hooks, cells: Cells | None = None
) -> Arrays:
    """Return arrays of damaged and scored captions or sets for `from_arrays`.

    Raises Cancelled, and Undefined if no item has enough captions. Document frequencies are those of all references of
    the study, so that only the captions change. Metrics of words are scored first, for all transformations, then METEOR
    and those that need an encoder, which take longest. The numbers of each transformation and metric are stored once
    finished, and stored numbers are not computed again.
    """
    cells, vectors = cells or Cells(), _vectors()
    cache, memory = cache.with_text_vectors(vectors), Cache(None).with_text_vectors(vectors)
    if not held_places(study, design):
        raise Undefined(_TOO_FEW_FOR_SETS if design.sets else _TOO_FEW)
    found: dict[tuple[str, str], Arrays] = {}
    judges = Judges(study, cache, hooks)
    damages: dict[Transformation, tuple[Sequence[HeldOut | HeldOutSet], Damaged]] = {}

    def done(one: Transformation, metric: Metric, arrays: Arrays) -> None:
        found[one.name, metric.name] = arrays
        cells.store(one, metric, arrays)
        hooks.finished()

    known = {(one.name, metric.name): cells.read(one, metric) for one in design.transformations for metric in metrics}
    found |= {key: arrays for key, arrays in known.items() if arrays is not None}
    todo = [(one, group, _weight(design, one, group)) for one, group in in_order(design, metrics) if group]
    total, begin = sum(weight for *_, weight in todo), 0.0
    for one, group, weight in todo:
        part = hooks.part(begin / total, (begin + weight) / total)
        begin += weight
        left = [metric for metric in group if (one.name, metric.name) not in found]
        part.share(0.0)  # of what is left: stored numbers count as done
        if not left:
            continue
        alone = replace(design, transformations=(one,))
        if one not in damages:
            part.progress(f"damaging captions: {one.label.lower()}")
            damages[one] = _damaged(study, alone, cache, part)
        _measure_one(study, alone, left, *damages[one], memory, part, partial(done, one), judges)
    return joined(design, metrics, found)


def in_order(design: Design, metrics: Sequence[Metric]) -> list[tuple[Transformation, list[Metric]]]:
    """Return each transformation with the metrics of each kind of work, those that wait for the encoder last."""
    kinds = [(work, [metric for metric in metrics if metric.work == work]) for work in WORK]
    parts = [(one, work, kind) for work, kind in kinds for one in design.transformations]
    parts.sort(key=lambda part: part[1] == "encoder" or reads_others(part[0]))
    return [(one, kind) for one, _, kind in parts]


def _weight(design: Design, one: Transformation, metrics: Sequence[Metric]) -> float:
    """The approximate time per item for metrics of one kind, and for the embeddings that a transformation needs."""
    each = max(scoring.WEIGHT[metric.work][0] for metric in metrics) / _CAPTIONS * (design.bases + len(design.of(one)))
    nearest = reads_others(one) and any(metric.work == "words" for metric in metrics)
    return each + (scoring.WEIGHT["encoder"][1] if nearest else 0.0)


@once
def _vectors() -> TextVectors:
    """The embeddings that all measurements of a process share, so that an interrupted measurement can continue."""
    return text_vectors()


_CAPTIONS = 10
"""Captions per item to which the engine's weights refer."""


_TOO_FEW = "it needs two captions by people of the same thing, one of them of two words or more"
_TOO_FEW_FOR_SETS = "it needs four captions by people of the same thing, each of two words or more"


def held_places(study: Study, design: Design) -> list[int]:
    """Return the positions of the items that are damaged."""
    return [one.place for one in (held_out_sets if design.sets else held_out)(study, design)]


def _measure_one(
    study: Study,
    design: Design,
    metrics: Sequence[Metric],
    chosen: Sequence[HeldOut | HeldOutSet],
    found: Damaged,
    memory: Cache,
    hooks: Hooks,
    done: Callable[[Metric, Arrays], None],
    judges: Judges,
) -> None:
    shared: Arrays = {
        "places": np.array([one.place for one in chosen], dtype=np.int64),
        "texts": text_array([text.replace("\0", " ") for row in found.texts for text in row]),
        "failures": text_array(list(found.failures)),
    }
    shape = len(chosen), design.variants

    def store(metric: Metric, totals: Floats, why: str) -> None:
        done(metric, {**shared, "errors": text_array([why]), f"totals|{metric.name}": totals})

    def take(metric: Metric, run: str, result: Result) -> None:
        totals = result.totals if result.totals.size else np.zeros((shape[0] * shape[1], 1))
        store(metric, totals.reshape(*shape, totals.shape[-1]), result.why() or "")

    for metric in metrics:
        if isinstance(metric, Critique):
            store(metric, *judges.totals(metric, chosen, found.texts))
    of_items = [metric for metric in metrics if metric.of_items and not metric.judges_others]
    of_runs = [metric for metric in metrics if not metric.of_items]
    cut = len(of_items) / len(metrics)
    if of_items:
        _score(study, of_items, _expanded(study, chosen, found.texts), memory, hooks.part(0, cut), take)
    if of_runs:
        sets = [one for one in chosen if isinstance(one, HeldOutSet)]
        every = damaged_runs.runs_study(study, design, sets, found.texts)
        _score(study, of_runs, every, memory, hooks.part(cut, 1), _of_all_runs(every, store))


def _damaged(
    study: Study, design: Design, cache: Cache, hooks: Hooks
) -> tuple[Sequence[HeldOut | HeldOutSet], Damaged]:
    if design.sets:
        sets = held_out_sets(study, design)
        return sets, damaged_sets(study, design, sets, cache, hooks)
    captions = held_out(study, design)
    return captions, damaged(study, design, captions, cache, hooks)


def _of_all_runs(every: Study, store: Callable[[Metric, Floats, str], None]) -> Callable[[Metric, str, Result], None]:
    """A function that collects results and stores the statistics of a metric once it has the results of all runs."""
    found: dict[tuple[str, str], Result] = {}

    def take(metric: Metric, run: str, result: Result) -> None:
        found[run, metric.name] = result
        results = [found.get((one.name, metric.name)) for one in every.runs]
        known = [one for one in results if one is not None]
        if len(known) == len(results):
            store(metric, damaged_runs.totals(metric, known), damaged_runs.why(known))

    return take


def _expanded(study: Study, chosen: Sequence[HeldOut | HeldOutSet], texts: Sequence[Captions]) -> Study:
    """A study in which every damaged caption or set is a separate item; the variants of one item are adjacent."""
    items, candidates = [], {}
    for held, row in zip(chosen, texts):
        for k, text in enumerate(row):
            items.append(Item(f"{held.place}#{k}", held.item.references))
            candidates[items[-1].id] = tuple(text.split(BETWEEN))
    return Study(study.name, tuple(items), (Run(RUN, RUN, Settings(), candidates),), tokenizer=study.tokenizer)


def _score(
    study: Study,
    metrics: Sequence[Metric],
    expanded: Study,
    memory: Cache,
    hooks: Hooks,
    take: Callable[[Metric, str, Result], None],
) -> None:
    frequencies = count_frequencies(study)
    used = [metric if frequencies_of(metric) else given_to(metric, frequencies) for metric in metrics]
    of = {scored.name: metric for metric, scored in zip(metrics, used)}

    def share(progress: scoring.Progress) -> None:
        hooks.share(progress.fraction)
        if progress.detail:
            hooks.progress(progress.detail)

    def result(run: str, found: Result) -> None:
        take(of[found.metric.name], run, found)

    calls = Callbacks(progress=share, result=result, should_stop=hooks.should_stop)
    # One resample suffices here: intervals are computed only for areas, over the items of the study.
    scoring.score(expanded, used, Options(resamples=1, chunk=CHUNK), memory, calls)


def joined(design: Design, metrics: Sequence[Metric], found: Mapping[tuple[str, str], Arrays]) -> Arrays:
    """Return the numbers of a whole design, joined from those of each transformation and metric, by name."""
    first = metrics[0].name
    alone = {one.name: replace(design, transformations=(one,)) for one in design.transformations}
    places = found[design.transformations[0].name, first]["places"]
    rows: list[list[str]] = [[] for _ in places]
    for k, one in enumerate(design.transformations):
        size = alone[one.name].variants
        flat = array_texts(found[one.name, first]["texts"], len(places) * size)
        for number, row in enumerate(rows):
            row += flat[number * size + (design.bases if k else 0) : (number + 1) * size]
    errors = [
        next((why for one in design.transformations if (why := _error(found[one.name, metric.name]))), "")
        for metric in metrics
    ]
    failures = [array_texts(found[one.name, first]["failures"], 1)[0] for one in design.transformations]
    return {
        "places": places,
        "texts": text_array([text for row in rows for text in row]),
        "failures": text_array(failures),
        "errors": text_array(errors),
        **{f"totals|{m.name}": _totals(design, m, found, why) for m, why in zip(metrics, errors)},
    }


def _error(cell: Arrays) -> str:
    return array_texts(cell["errors"], 1)[0]


def _totals(design: Design, metric: Metric, found: Mapping[tuple[str, str], Arrays], error: str) -> Floats:
    """(items, variants, columns) totals of a metric; zeros if it failed."""
    parts = [found[one.name, metric.name][f"totals|{metric.name}"] for one in design.transformations]
    if error:
        return np.zeros((len(parts[0]), design.variants, 1))
    return np.concatenate([parts[0], *(part[:, design.bases :] for part in parts[1:])], axis=1)


def from_arrays(design: Design, metrics: Sequence[Metric], arrays: Arrays, unit: Units = None) -> Measured:
    """Return the results of `measure` from its arrays."""
    places = tuple(arrays["places"].tolist())
    flat = array_texts(arrays["texts"], len(places) * design.variants)
    texts = tuple(tuple(flat[k : k + design.variants]) for k in range(0, len(flat), design.variants))
    failures = tuple(array_texts(arrays["failures"], len(design.transformations)))
    why = array_texts(arrays["errors"], len(metrics))
    totals = {metric.name: arrays[f"totals|{metric.name}"] for metric in metrics}
    errors = {metric.name: error for metric, error in zip(metrics, why) if error}
    return Measured(design, places, texts, failures, totals, errors, unit)


def fits(study: Study, design: Design, metrics: Sequence[Metric], arrays: Arrays) -> bool:
    """Return whether arrays from a cache or a bundle can belong to this design."""
    try:
        found = from_arrays(design, metrics, arrays)
    except (KeyError, ValueError, TypeError, AttributeError):
        return False
    places, said = arrays["places"], [*found.failures, *found.errors.values()]
    if places.ndim != 1 or places.dtype != np.int64 or places.tolist() != held_places(study, design):
        return False
    if not all(text.isprintable() for text in said):
        return False
    return all(
        totals.dtype == np.float64
        and totals.ndim == 3
        and totals.shape[:2] == (damaged_runs.rows(metric, len(places)), design.variants)
        and np.isfinite(totals).all()
        and not array_checks.exceeds_largest(totals)
        for metric in metrics
        for totals in [found.totals[metric.name]]
    )

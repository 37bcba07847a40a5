"""The statistics of every damaged caption by every metric, from which curves and areas are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.study import Captions, Item, Run, Settings, Study
from metrics.analysis.robustness.captions import damaged
from metrics.analysis.robustness.design import Design, HeldOut, held_out
from metrics.arrays import Floats
from metrics.base import Metric, Undefined
from metrics.cache import validation
from metrics.cache.disk import Cache, array_texts, entry_key, text_array
from metrics.cache.entry import Arrays
from metrics.distances.document_frequencies import count_frequencies
from metrics.engine import scoring
from metrics.engine.scoring import Callbacks
from metrics.engine.tasks import Options
from metrics.progress import Hooks
from metrics.registry import frequencies_of, given_to
from metrics.text.encoder import encoder_signature

VERSION = 1
RUN = "damaged captions"
CHUNK = 1024
"""Damaged captions per task: those of an item share the embeddings of its references."""


@dataclass(frozen=True)
class Measured:
    """Damaged captions with their statistics.

    `places` (items,) are positions of items in the study, `texts` (items, variants) the captions in the order of the
    design, `totals` by metric name (items, variants, columns) what `Metric.finish` turns into values; zeros where a
    metric has no value. `failures` are the reasons of transformations, `errors` those of metrics by name.
    """

    design: Design
    places: tuple[int, ...]
    texts: tuple[Captions, ...]
    failures: tuple[str, ...]
    totals: dict[str, Floats]
    errors: dict[str, str]


def key(study: Study, design: Design, metrics: Sequence[Metric]) -> str:
    """Return the cache key: references, design and the signatures of transformations, metrics and encoder."""
    said = [design.strengths, design.most, design.seed, VERSION, encoder_signature()]
    signatures = [*(one.signature for one in design.transformations), "", *(metric.signature for metric in metrics)]
    return entry_key("robustness", study.references_digest, *map(str, said), *signatures)


def measure(study: Study, design: Design, metrics: Sequence[Metric], cache: Cache, hooks: Hooks) -> Arrays:
    """Damage and score captions; return arrays that `from_arrays` reads. Raises Cancelled and Undefined.

    Document frequencies are those of all references of the study, so that only the caption changes.
    """
    chosen = held_out(study, design)
    if not chosen:
        raise Undefined("no item has two references and a caption of two words")
    hooks.progress(f"damaging {len(chosen):,} captions")
    found = damaged(study, design, chosen, cache, hooks)
    hooks.share(0.2)
    totals, errors = _score(study, metrics, _expanded(study, chosen, found.texts), hooks.part(0.2, 1))
    flat = [text.replace("\0", " ") for row in found.texts for text in row]
    return {
        "places": np.array([one.place for one in chosen], dtype=np.int64),
        "texts": text_array(flat),
        "failures": text_array(list(found.failures)),
        "errors": text_array([errors.get(metric.name, "") for metric in metrics]),
        **{
            f"totals|{name}": array.reshape(len(chosen), design.variants, array.shape[-1])
            for name, array in totals.items()
        },
    }


def _expanded(study: Study, chosen: Sequence[HeldOut], texts: Sequence[Captions]) -> Study:
    """The study in which every damaged caption is the candidate of an item of its own, those of an item together."""
    items, candidates = [], {}
    for held, row in zip(chosen, texts):
        for k, text in enumerate(row):
            items.append(Item(f"{held.place}#{k}", held.item.references))
            candidates[items[-1].id] = (text,)
    return Study(study.name, tuple(items), (Run(RUN, RUN, Settings(), candidates),))


def _score(
    study: Study, metrics: Sequence[Metric], expanded: Study, hooks: Hooks
) -> tuple[dict[str, Floats], dict[str, str]]:
    """Totals (items of the expanded study, columns) by metric, and why others have none."""
    frequencies = count_frequencies(study)
    used = [metric if frequencies_of(metric) else given_to(metric, frequencies) for metric in metrics]

    def share(progress: scoring.Progress) -> None:
        hooks.share(progress.fraction)
        if progress.detail:
            hooks.progress(progress.detail)

    calls = Callbacks(progress=share, should_stop=hooks.should_stop)
    # One resample: the intervals are those of areas, over items of the study.
    results = scoring.score(expanded, used, Options(resamples=1, chunk=CHUNK), Cache(None), calls)
    totals, errors = {}, {}
    for metric, scored in zip(metrics, used):
        result = results[RUN, scored.name]
        totals[metric.name] = result.totals if result.totals.size else np.zeros((len(expanded.items), 1))
        if (why := result.why()) is not None:
            errors[metric.name] = why
    return totals, errors


def from_arrays(design: Design, metrics: Sequence[Metric], arrays: Arrays) -> Measured:
    """Return what `measure` computed."""
    places = tuple(arrays["places"].tolist())
    flat = array_texts(arrays["texts"], len(places) * design.variants)
    texts = tuple(tuple(flat[k : k + design.variants]) for k in range(0, len(flat), design.variants))
    failures = tuple(array_texts(arrays["failures"], len(design.transformations)))
    why = array_texts(arrays["errors"], len(metrics))
    totals = {metric.name: arrays[f"totals|{metric.name}"] for metric in metrics}
    errors = {metric.name: error for metric, error in zip(metrics, why) if error}
    return Measured(design, places, texts, failures, totals, errors)


def fits(study: Study, design: Design, metrics: Sequence[Metric], arrays: Arrays) -> bool:
    """Return whether arrays from a cache or a bundle can be those of this design."""
    try:
        found = from_arrays(design, metrics, arrays)
    except (KeyError, ValueError, TypeError, AttributeError):
        return False
    places, said = arrays["places"], [*found.failures, *found.errors.values()]
    if places.ndim != 1 or places.dtype != np.int64 or places.tolist() != [h.place for h in held_out(study, design)]:
        return False
    if not all(text.isprintable() for text in said):
        return False
    shape = (len(found.places), design.variants)
    return all(
        totals.dtype == np.float64
        and totals.ndim == 3
        and totals.shape[:2] == shape
        and np.isfinite(totals).all()
        and not validation.exceeds_largest(totals)
        for totals in found.totals.values()
    )

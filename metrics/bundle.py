"""The numbers of a study on their way into a bundle and out of it."""

from __future__ import annotations

from data import bundle
from data.study import Study
from metrics import engine, made, table
from metrics import human as human_line
from metrics.base import Metric
from metrics.cache import Cache, decode_given, encode
from metrics.registry import METRICS
from metrics.result import Result, from_arrays, to_arrays
from metrics.tasks import Options

TESTED, VALUES = Options(p_values=True), Options(p_values=False)


def study_bundle(study: Study, cache: Cache) -> bytes:
    """Study, settings, tables and all that the cache holds of the study as one zip: nothing is computed.

    Every finished number of a metric, where one with its tests stands for the same number without; and what pages
    compute as a whole, whatever was chosen there.
    """
    numbers = {key: encode(arrays, compress=True) for key, arrays in made.entries(study, cache)}
    pages = len(numbers)
    results: engine.Results = {}
    for metric in METRICS.values():
        for of in (study, human_line.references_as_run(study)):
            for run in engine.runs_of(of, metric):
                for options in (TESTED, VALUES):
                    key = engine.result_key(metric, run, of, options)
                    if (result := engine.stored(cache, metric, key)) is not None:
                        numbers[key] = encode(to_arrays(result), compress=True)
                        if of is study:
                            results.setdefault((run.name, metric.name), result)
    scores = table.scores(study, results, ("corpus", "item")).to_csv(index=False).encode("utf-8", "replace")
    signatures = list(dict.fromkeys(result.metric.signature for result in results.values()))
    return bundle.pack(study, numbers, scores, {"numbers": len(results), "pages": pages, "signatures": signatures})


def given_result(metric: Metric, raw: bytes) -> Result | None:
    """The number of a bundle's entry; None if it is not one: bundles come from anywhere."""
    arrays = decode_given(raw)
    try:
        return from_arrays(metric, arrays) if arrays is not None else None
    except (KeyError, ValueError, TypeError, IndexError):
        return None

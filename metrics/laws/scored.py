"""The scores of a metric on a made-up study."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from data.study import Study
from metrics.base import Metric
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.laws.studies import RUN, enough_items, plain, with_logprobs
from metrics.mathematics.arrays import Floats

OPTIONS = Options(resamples=20, draws=19)


class Broken(Exception):
    """Raised if a law cannot be tested because the metric raises an error; the message is the violation."""


def scored(metric: Metric, of: Study, options: Options = OPTIONS) -> dict[str, Result]:
    """Return the results of all runs by name. Raises Broken if the metric fails."""
    of = with_logprobs(of) if metric.learns == "logprobs" else of
    results = scoring.score(of, [metric], options)
    for result in results.values():
        if result.error:
            raise Broken(f"{metric.name} fails: {result.error}")
    return {run: result for (run, _), result in results.items()}


def one(metric: Metric, of: Study, run: str = RUN, options: Options = OPTIONS) -> Result:
    """Return the result of one run or, for a metric of references, its only result. Raises Broken as `scored` does."""
    found = scored(metric, of, options)
    return found[run] if run in found else found[scoring.REFERENCES.name]


@lru_cache(maxsize=16)
def plain_result(metric: Metric) -> Result:
    """Return the result on the captions that the laws change."""
    return one(metric, plain(enough_items(metric)))


def values(result: Result) -> Floats:
    """(n,) values of the items, or only the value of the run."""
    return result.items if result.metric.of_items else np.array([result.corpus])


def apart(metric: Metric, before: float, after: float) -> bool:
    """Return whether two values differ by more than the metric's `tie`, or only one of them is undefined."""
    return bool(np.isnan(before) != np.isnan(after) or abs(before - after) > metric.tie)

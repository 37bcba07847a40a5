"""How many captions are enough to distinguish a run from people on a typical item."""

from __future__ import annotations

import numpy as np

from metrics.analysis.sensitivity.curve import Curve
from metrics.permutation.pvalues import ALPHA


def enough(found: Curve, metric: str | None = None) -> int | None:
    """Return the smallest number of captions from which the median p of the items stays at or below 0.05, or None.

    The criterion applies to one metric or, for None, to every metric that has a p.
    """
    names = [one.name for one in found.metrics if metric is None or one.name == metric]
    sizes = found.design.of("run")
    medians = np.array([[found.summary(case, name).median for case in sizes] for name in names]).reshape(len(names), -1)
    known = np.asarray(~np.isnan(medians).all(axis=-1))
    medians = medians[known]
    if not medians.size:
        return None
    good = (medians <= ALPHA).all(axis=0)
    for place, case in enumerate(sizes):
        if good[place:].all():
            return case.candidates
    return None

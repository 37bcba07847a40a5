"""Sentences of the Images page: the best run on one image by each of the displayed metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from data.study import Run, Study
from figures.images.caption_cells import RATING, digits
from figures.style.escaping import Strong
from figures.style.numbers import num
from figures.style.run_names import short_names
from figures.style.wording import item_noun, names_in_a_row
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats

CAUTION = "On this {} alone: not a test of the runs"
MOST = 2
"""Maximum number of metrics that the verdict on an image names."""


def reading(
    study: Study, here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Mapping[tuple[str, str], Result]
) -> tuple[str, ...]:
    """Return which runs are best on one item, and by which metrics; () if no metric has a single best run.

    Only the first MOST metrics of which one direction is better are considered.
    """
    called = short_names(study.runs)
    best: dict[str, list[str]] = {}
    for metric in [metric for metric in metrics if metric.has_better_side][:MOST]:
        winner = _best(here, runs, metric, found)
        if winner is not None:
            name, value = winner
            best.setdefault(called[name], []).append(f"{metric.label} ({value})")
    if not best:
        return ()
    some = f"Of the {len(runs)} runs shown, " if len(runs) < len(study.runs) else ""
    said: list[str] = [some]
    for k, (name, metrics_of) in enumerate(best.items()):
        said += [", and " if k else "", Strong(name), f" is best by {names_in_a_row(metrics_of)}"]
    return (*said, ".")


def roles(study: Study, n: int) -> str:
    """Return the measured places of the `n` runs that pages show first, such as "first, second and last"."""
    models = len({run.model for run in study.runs})
    second = "first of another model" if 1 < models < len(study.runs) else "second"
    return f"first, {second} and last" if n > 2 else "first and last"


def opening(study: Study, runs: Sequence[Run], kind: str, metric: str, told_by: Metric | None) -> str:
    """Return a sentence on why these runs and this image are shown first; "" if the reader chose both.

    `metric` is the label of the metric that orders the images; `told_by` is the metric that chose the runs.
    """
    said = []
    if told_by is not None and 1 < len(runs) < len(study.runs):
        models = len({run.model for run in study.runs})
        rival = "the best of another model" if 1 < models < len(study.runs) else "the second"
        which = f"the best run, {rival} and the worst" if len(runs) > 2 else "the best run and the worst"
        said.append(f"Shown: {which} by {told_by.label}.")
    if kind == "spread":
        said.append(f"{item_noun(study).capitalize()}s where runs differ most by {metric} come first.")
    return " ".join(said)


def caption_values(texts: Sequence[str], columns: Mapping[str, Floats], whole: float) -> tuple[dict[str, str], str]:
    """Return the values to show after each caption, and the heading that names them.

    `columns` maps names to (n,) values of the captions; `whole` is the rating of them all as a set, or NaN.
    """
    known = {name: values for name, values in columns.items() if np.isfinite(values).any()}
    places = {name: 1 if name == RATING else 2 for name in known}
    shown = {
        text: " · ".join(num(float(values[k]), places[name]) for name, values in known.items())
        for k, text in enumerate(texts)
    }
    named = [f"each by {' · '.join(known)}"] if known else []
    head = " · ".join([*named, *([f"{RATING} {num(whole, 1)}"] if np.isfinite(whole) else [])])
    return (shown if known else {}), head


def _best(
    here: int, runs: Sequence[Run], metric: Metric, found: Mapping[tuple[str, str], Result]
) -> tuple[str, str] | None:
    """The run with the best value, and this value in words; None with fewer than two values, or if the best tie."""
    results = [(run.name, found.get((run.name, metric.name))) for run in runs]
    values = {name: float(of.items[here]) for name, of in results if of is not None and len(of.items)}
    known = {name: value for name, value in values.items() if np.isfinite(value)}
    end = (max if metric.higher_is_better else min)(known.values(), default=0.0)
    first = [name for name, value in known.items() if value == end]
    if len(known) < 2 or len(first) > 1:
        return None
    return first[0], num(end, digits(metric, known.values()))
